"""Output drivers by name."""

from __future__ import annotations

import sys
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from django.test import override_settings

from neuron_evals.conf import SettingsError
from neuron_evals.container import output_drivers
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.outputs.console import ConsoleOutput
from neuron_evals.core.outputs.json import JsonOutput
from tests.testapp import drivers, mail

if TYPE_CHECKING:
    from pathlib import Path

    from neuron_evals.core.outputs.contract import OutputDriver

APP = "tests.testapp.drivers"


def kinds(names: list[str] | None = None) -> list[type]:
    return [type(driver) for driver in output_drivers(names)]


def refusal(names: list[str]) -> list[tuple[str, str]]:
    with pytest.raises(SettingsError) as caught:
        output_drivers(names)
    return [(problem.code, str(problem)) for problem in caught.value.problems]


def test_nothing_said__console():
    assert kinds() == [ConsoleOutput]


def test_names__replace_the_setting():
    with override_settings(NEURON_EVALS={"OUTPUTS": [f"{APP}.Quiet"]}):
        assert kinds() == [drivers.Quiet]
        assert kinds(["console", "json=results.json"]) == [ConsoleOutput, JsonOutput]
        assert kinds([]) == []


def test_dotted_path_and_options__from_settings__given_and_the_rest_built_by_annotation():
    with override_settings(NEURON_EVALS={"OUTPUTS": [{"BACKEND": f"{APP}.Tally", "OPTIONS": {"path": "x"}}]}):
        [driver] = output_drivers()
    assert isinstance(driver, drivers.Tally)
    assert (type(driver.agent), driver.path, driver.verbose) == (mail.Agent, "x", False)


def test_options__are_the_drivers_alone_and_not_of_what_it_needs():
    [driver] = output_drivers([f"{APP}.Wrapping=x"], verbose=True)
    assert isinstance(driver, drivers.Wrapping)
    assert (driver.path, driver.inner.path, driver.inner.verbose) == ("x", "tally.txt", False)


def test_path_after_equals_sign__is_the_option_path_up_to_the_end():
    [driver] = output_drivers([f"{APP}.Tally=a=b.txt"])
    assert isinstance(driver, drivers.Tally)
    assert driver.path == "a=b.txt"


def test_context__goes_to_drivers_that_know_it_and_options_win():
    first, second = output_drivers([f"{APP}.Tally=x", f"{APP}.Quiet"], verbose=True, path="y")
    assert isinstance(first, drivers.Tally)
    assert (first.path, first.verbose) == ("x", True)
    assert type(second) is drivers.Quiet


def stream_of(driver: OutputDriver) -> object:
    return driver.destination


def test_console_alone__writes_to_standard_output_or_the_stream_given():
    assert [stream_of(driver) for driver in output_drivers(["console"])] == [sys.stdout]
    out = StringIO()
    assert [stream_of(driver) for driver in output_drivers(["console"], stdout=out)] == [out]


@pytest.mark.parametrize("names", [["console", "json"], ["json", "console"]])
def test_json_without_a_path__takes_standard_output_and_moves_the_console(names: list[str]) -> None:
    out, err = StringIO(), StringIO()
    found = {type(driver): stream_of(driver) for driver in output_drivers(names, stdout=out, stderr=err)}
    assert found == {ConsoleOutput: err, JsonOutput: out}
    found = {type(driver): stream_of(driver) for driver in output_drivers(names)}
    assert found == {ConsoleOutput: sys.stderr, JsonOutput: sys.stdout}


def test_json_with_a_path__leaves_standard_output_to_the_console(tmp_path: Path) -> None:
    first, second = output_drivers(["console", f"json={tmp_path / 'results.json'}"])
    assert stream_of(first) is sys.stdout
    assert stream_of(second) == tmp_path / "results.json"


def test_verbosity__reaches_the_console_and_what_it_refuses_is_one_error():
    with pytest.raises(ConfigurationError, match=r"ConsoleOutput: verbosity is 0, 1, 2 or 3, got 9$"):
        output_drivers(["console"], verbosity=9)


def test_any_option__of_a_driver_that_takes_any__given():
    options: dict[str, Any] = {"channel": "#evals"}
    with override_settings(NEURON_EVALS={"OUTPUTS": [{"BACKEND": f"{APP}.Open", "OPTIONS": options}]}):
        [driver] = output_drivers()
    assert isinstance(driver, drivers.Open)
    assert driver.options == options


def test_no_options__built_by_the_projects_own_container():
    with (
        override_settings(NEURON_EVALS={"CONTAINER": "tests.testapp.mail.own_container"}),
        pytest.raises(ConfigurationError, match=r"must return a tests\.testapp\.drivers\.Quiet"),
    ):
        output_drivers([f"{APP}.Quiet"])


@pytest.mark.parametrize(
    ("name", "code", "expected"),
    [
        (
            "consol",
            "E006",
            '--output consol: there is no output driver "consol". Did you mean "console"? Use console, ',
        ),
        ("", "E006", 'there is no output driver ""'),
        ("=x", "E006", 'there is no output driver ""'),
        (f"{APP}.Taly", "E003", f'Did you mean "{APP}.Tally"?'),
        ("tests.testapp.raises.Driver", "E003", "RuntimeError: settings are not ready yet"),
        ("tests.testapp.mail.Agent", "E005", '"tests.testapp.mail.Agent" is no output driver'),
        ("tests.testapp.hooks.before", "E005", "is no output driver"),
        (f"{APP}.Quiet=x", "E007", f'the output driver "{APP}.Quiet" has no option "path". It has no options.'),
    ],
)
def test_name__cannot_be_used__says_what_would_be_valid(name: str, code: str, expected: str) -> None:
    [(found, text)] = refusal([name])
    assert found == code
    assert expected in text
    assert text.startswith(f"--output {name}: ")


def test_option_of_settings__unknown__refused_with_the_nearest_and_the_valid_ones():
    entry = {"BACKEND": f"{APP}.Tally", "OPTIONS": {"paht": "x"}}
    with override_settings(NEURON_EVALS={"OUTPUTS": ["console", entry]}), pytest.raises(SettingsError) as caught:
        output_drivers()
    [problem] = caught.value.problems
    assert problem.code == "E007"
    assert problem.message.startswith('NEURON_EVALS["OUTPUTS"][1]: ')
    assert problem.hint == 'Did you mean "path"? Its options are agent, path, verbose.'


def test_several_names__cannot_be_used__all_told_at_once():
    assert [code for code, _ in refusal(["consol", "console", f"{APP}.Quiet=x"])] == ["E006", "E007"]
