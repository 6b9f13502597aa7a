"""The default container: what it fills, what it leaves alone, what it refuses and how."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.test import override_settings

from neuron_evals.conf import SettingsError
from neuron_evals.container import make
from neuron_evals.core.exceptions import ConfigurationError
from tests.testapp import mail

APP = "tests.testapp.mail"


@contextmanager
def bound(**bindings: str) -> Iterator[None]:
    paths = {f"{APP}.{wanted}": f"{APP}.{target}" for wanted, target in bindings.items()}
    with override_settings(NEURON_EVALS={"BINDINGS": paths}):
        yield


def refusal(cls: type) -> str:
    with pytest.raises(ConfigurationError) as caught:
        make(cls)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_class_without_constructor__built():
    assert type(make(mail.Unadorned)) is mail.Unadorned


def test_parameters__of_any_kind__filled_by_annotation_and_defaults_kept():
    with bound(Mailer="FakeMailer"):
        made = make(mail.AgentWithMailer)
    assert type(made.agent) is mail.Agent
    assert type(made.agent.ledger) is mail.Ledger
    assert type(made.mailer) is mail.FakeMailer
    assert (made.limit, made.rest, made.note, made.more) == (3, (), "", {})


def test_inherited_constructor_and_dataclass__filled():
    assert type(make(mail.Inherits).ledger) is mail.Ledger
    assert type(make(mail.Data).agent) is mail.Agent


def test_each_object__built_anew():
    assert make(mail.Agent).ledger is not make(mail.Agent).ledger


def test_parameters_with_default__left_alone_even_when_their_annotation_does_not_resolve():
    made = make(mail.KeepsDefaults)
    assert (made.ledger, made.agent, made.amount) == (None, mail.NOBODY, 0)


def test_parameters_with_default__bound__get_what_is_bound_but_optional_ones_keep_none():
    with bound(Ledger="Ledger", Agent="Inherits"):
        made = make(mail.KeepsDefaults)
    assert made.ledger is None
    assert type(made.agent) is mail.Inherits


def test_unresolvable_annotation_with_default__may_be_a_bound_class__refused_rather_than_ignored():
    with override_settings(NEURON_EVALS={"BINDINGS": {"decimal.Decimal": f"{APP}.fake_mailer"}}):
        text = refusal(mail.KeepsDefaults)
    assert 'parameter "amount" has the annotation Decimal | int, which cannot be resolved' in text


def test_binding__a_function__called_with_its_own_parameters_filled():
    with bound(Mailer="fake_mailer"):
        made = make(mail.AgentWithMailer)
    assert made.mailer.sent == ["Ledger"]  # type: ignore[attr-defined]


def test_binding__of_the_class_that_was_asked_for__built_instead():
    with bound(Agent="Inherits"):
        assert type(make(mail.Agent)) is mail.Inherits


def test_binding__to_a_class_inside_a_class__resolved():
    with bound(Unadorned="Ledger.Page"):
        made: object = make(mail.Unadorned)
    assert type(made) is mail.Ledger.Page


@pytest.mark.parametrize(
    ("cls", "why"),
    [
        (mail.WantsText, 'parameter "threshold" takes float, and values of Python\'s own types are not made up'),
        (mail.WantsUnknown, 'parameter "thing" has no annotation'),
        (mail.WantsEither, 'parameter "thing" is annotated with tests.testapp.mail.Agent | tests.testapp.mail.Ledger'),
        (mail.WantsOptional, 'parameter "agent" is annotated with tests.testapp.mail.Agent | None'),
        (mail.WantsList, 'parameter "agents" is annotated with list[tests.testapp.mail.Agent]'),
        (mail.WantsTypeChecking, 'parameter "amount" has the annotation Decimal, which cannot be resolved (NameError'),
    ],
)
def test_parameter__cannot_be_filled__names_class_parameter_annotation_and_ways_out(cls: type, why: str) -> None:
    text = refusal(cls)
    assert text.startswith(f"{APP}.{cls.__name__}: {why}")
    assert text.endswith("give the parameter a default, bind its class in BINDINGS, or name a CONTAINER of your own")


@pytest.mark.parametrize(("cls", "abstract"), [(mail.WantsClock, "Clock"), (mail.WantsMailer, "Mailer")])
def test_abstract_class_or_protocol__not_bound__named_with_who_needs_it(cls: type, abstract: str) -> None:
    text = refusal(cls)
    assert text.startswith(
        f"{APP}.{abstract}: an abstract class cannot be built (needed by {APP}.{cls.__name__}); bind"
    )


def test_protocol__bound__filled():
    with bound(Clock="Ledger"):
        make(mail.WantsClock)


def test_parameter_of_a_needed_class__cannot_be_filled__names_who_needs_it():
    text = refusal(mail.WantsWantsText)
    assert text.startswith(f'{APP}.WantsText: parameter "threshold" takes float')
    assert f"(needed by {APP}.WantsWantsText)" in text


def test_cycle__shown_from_end_to_end():
    text = refusal(mail.Chicken)
    assert text.startswith(f"{APP}.Chicken -> {APP}.Egg -> {APP}.Chicken: these need each other; ")


def test_constructor_raises__names_the_class_who_needs_it_and_the_error():
    text = refusal(mail.WantsBreaks)
    assert text == (f"{APP}.Breaks: building it raised RuntimeError: the shop is closed (needed by {APP}.WantsBreaks)")
    with pytest.raises(ConfigurationError) as caught:
        make(mail.Breaks)
    assert isinstance(caught.value.__cause__, RuntimeError)


@pytest.mark.parametrize(
    ("bindings", "expected"),
    [
        ({f"{APP}.Maler": f"{APP}.FakeMailer"}, f'Did you mean "{APP}.Mailer"?'),
        ({f"{APP}.Mailer": f"{APP}.FakeMaler"}, f'Did you mean "{APP}.FakeMailer"?'),
        ({f"{APP}.fake_mailer": f"{APP}.FakeMailer"}, "names no class"),
        ({f"{APP}.Mailer": "tests.testapp.hooks.NOT_CALLABLE"}, "cannot be called"),
    ],
)
def test_binding__unusable__refused(bindings: dict[str, str], expected: str) -> None:
    with override_settings(NEURON_EVALS={"BINDINGS": bindings}), pytest.raises(SettingsError) as caught:
        make(mail.Unadorned)
    assert expected in str(caught.value)
