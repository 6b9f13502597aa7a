"""Objects from the container that the project chose."""

from __future__ import annotations

import pytest
from django.test import override_settings

from neuron_evals.conf import SettingsError
from neuron_evals.container import build
from neuron_evals.core.exceptions import ConfigurationError
from tests.testapp import mail

APP = "tests.testapp.mail"


def chosen(container: object) -> override_settings:
    return override_settings(NEURON_EVALS={"CONTAINER": container})


def test_no_container_chosen__the_default_one_builds():
    assert type(build(mail.Agent).ledger) is mail.Ledger


@pytest.mark.parametrize("container", [f"{APP}.own_container", mail.own_container])
def test_own_container__a_path_or_the_callable__used(container: object) -> None:
    with chosen(container):
        assert type(build(mail.Agent)) is mail.Agent


def test_own_container__returns_something_else__refused():
    with chosen(f"{APP}.own_container"), pytest.raises(ConfigurationError) as caught:
        build(mail.Ledger)
    assert str(caught.value) == f"the container ({APP}.own_container) must return a {APP}.Ledger, got NoneType"


def test_own_container__raises__named_with_the_class_and_the_error():
    with chosen(f"{APP}.broken_container"), pytest.raises(ConfigurationError) as caught:
        build(mail.Ledger)
    assert str(caught.value) == (
        f"the container ({APP}.broken_container) raised for {APP}.Ledger: LookupError: no such thing here"
    )
    assert isinstance(caught.value.__cause__, LookupError)


def test_own_container__cannot_be_called__refused():
    with chosen("tests.testapp.hooks.NOT_CALLABLE"), pytest.raises(SettingsError, match="cannot be called"):
        build(mail.Ledger)
