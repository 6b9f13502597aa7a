"""The output drivers for CI, by name."""

from __future__ import annotations

import sys
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from django.test import override_settings

from neuron_evals.conf import SettingsError
from neuron_evals.container import output_drivers
from neuron_evals.core.outputs import ConsoleOutput, GitHubOutput, JUnitOutput, MarkdownOutput

if TYPE_CHECKING:
    from pathlib import Path

CLASSES = {"junit": JUnitOutput, "markdown": MarkdownOutput, "github": GitHubOutput}


@pytest.mark.parametrize("name", CLASSES)
def test_name_alone__takes_standard_output_and_moves_the_console(name: str) -> None:
    out, err = StringIO(), StringIO()
    console, other = output_drivers(["console", name], stdout=out, stderr=err)
    assert (type(console), type(other)) == (ConsoleOutput, CLASSES[name])
    assert (console.destination, other.destination) == (err, out)


@pytest.mark.parametrize("name", ["junit", "markdown"])
def test_name_and_path__write_to_the_file_and_leave_standard_output_to_the_console(name: str, tmp_path: Path) -> None:
    console, other = output_drivers(["console", f"{name}={tmp_path / 'report'}"])
    assert type(other) is CLASSES[name]
    assert (console.destination, other.destination) == (sys.stdout, tmp_path / "report")


def test_github_with_a_path__refused_as_it_writes_to_two_places():
    with pytest.raises(SettingsError) as caught:
        output_drivers(["github=summary.md"])
    [problem] = caught.value.problems
    assert problem.code == "E007"
    assert str(problem).endswith('has no option "path". Its options are stream, summary.')


def test_options_of_settings__reach_markdown_and_github(tmp_path: Path) -> None:
    entries = [
        {"BACKEND": "markdown", "OPTIONS": {"path": str(tmp_path / "a.md"), "limit": 20_000}},
        {"BACKEND": "github", "OPTIONS": {"summary": str(tmp_path / "b.md")}},
    ]
    with override_settings(NEURON_EVALS={"OUTPUTS": entries}):
        made = output_drivers()
    assert [type(driver) for driver in made] == [MarkdownOutput, GitHubOutput]
    assert [problem for driver in made for problem in driver.problems()] == []
