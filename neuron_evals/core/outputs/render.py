"""`render`: a report as text, as an output driver would write it."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.nearest import did_you_mean
from neuron_evals.core.outputs.console import ConsoleOutput
from neuron_evals.core.outputs.console.items import item_lines
from neuron_evals.core.outputs.console.labels import Labels
from neuron_evals.core.outputs.console.screen import Screen
from neuron_evals.core.outputs.json import JsonOutput
from neuron_evals.core.outputs.junit import JUnitOutput
from neuron_evals.core.outputs.markdown import MarkdownOutput

if TYPE_CHECKING:
    from neuron_evals.core.outputs.document import DocumentOutput
    from neuron_evals.core.report import EvaluationReport


def render(report: EvaluationReport, name: str = "console") -> str:
    """Return a report as text.

    Args:
        report: The report; for `detailed`, `json` and `junit` with its results kept.
        name: `console`; `detailed`: the console's text with every item; `json`, `markdown` or `junit`.

    Raises:
        ConfigurationError: There is no such name.
        OutputError: The report does not hold the results that `junit` needs.
    """
    if name not in _FORMS:
        msg = f'render: there is no form "{name}"; {did_you_mean(name, _FORMS)}use {", ".join(_FORMS)}'
        raise ConfigurationError(msg)
    return _FORMS[name](report)


def _console(report: EvaluationReport) -> str:
    stream = io.StringIO()
    ConsoleOutput(stream, color=False).output(report)
    return stream.getvalue()


def _detailed(report: EvaluationReport) -> str:
    stream = io.StringIO()
    screen = Screen(stream, color=False)
    labels = Labels(evaluator.evaluator_class for evaluator in report.evaluators)
    for result in report.results:
        screen.write(item_lines(result, labels))
    ConsoleOutput(stream, verbosity=2, color=False).output(report)
    return stream.getvalue()


def _document(driver: Callable[[], DocumentOutput]) -> Callable[[EvaluationReport], str]:
    return lambda report: "".join(driver().pieces(report))


_FORMS: Mapping[str, Callable[[EvaluationReport], str]] = {
    "console": _console,
    "detailed": _detailed,
    "json": _document(JsonOutput),
    "markdown": _document(MarkdownOutput),
    "junit": _document(JUnitOutput),
}
