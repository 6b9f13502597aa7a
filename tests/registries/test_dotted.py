"""Dotted paths: what they find, and what is said when they find nothing."""

from __future__ import annotations

import collections.abc
import os.path

import pytest

from neuron_evals.conf import SettingsError
from neuron_evals.registries.dotted import resolve
from tests.testapp import mail

WHERE = 'NEURON_EVALS["CONTAINER"]'


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("collections.abc.Mapping", collections.abc.Mapping),
        ("tests.testapp.mail.Ledger.Page", mail.Ledger.Page),
        ("tests.testapp.mail.Ledger", mail.Ledger),
        ("os.path.join", os.path.join),
    ],
)
def test_path__names_something__found(path: str, expected: object) -> None:
    assert resolve(path, WHERE) is expected


@pytest.mark.parametrize(
    ("path", "why", "hint"),
    [
        ("nowhere.Thing", 'there is no module "nowhere"', "Name something in a module"),
        ("tests.testapp.mail.Leger", 'tests.testapp.mail has no "Leger"', 'Did you mean "tests.testapp.mail.Ledger"?'),
        ("tests.testapp.mial.Ledger", 'tests.testapp has no "mial"', 'Did you mean "tests.testapp.mail"?'),
        ("tests.testapp.mail.Ledger.Pag", 'Ledger has no "Pag"', 'Did you mean "tests.testapp.mail.Ledger.Page"?'),
        (
            "tests.testapp.raises.thing",
            "importing tests.testapp.raises raised RuntimeError: settings are not ready yet",
            "",
        ),
        ("tests.testapp.exits.thing", "importing tests.testapp.exits raised SystemExit: no", ""),
        ("tests.testapp.lacks.thing", "No module named 'not_installed_anywhere'", ""),
    ],
)
def test_path__names_nothing__says_where_what_and_the_nearest_name(path: str, why: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        resolve(path, WHERE)
    [problem] = caught.value.problems
    assert problem.code == "E003"
    assert problem.message.startswith(f'{WHERE}: "{path}" cannot be imported: ')
    assert why in problem.message
    assert hint in problem.hint
    assert "\n" not in str(problem)
