"""Evaluations of AI agents for Django: evaluators, honest statistics, shared reports.

The public names are imported from the engine when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from neuron_evals.core.assertions import (
        AllOf,
        AnyOf,
        Between,
        CloseTo,
        Contains,
        ContainsJson,
        Equals,
        ExactMatch,
        FuzzyMatch,
        GreaterThan,
        IsValidJson,
        JsonEquals,
        JsonPath,
        MatchesRegex,
        MatchesSchema,
        MaxDuration,
        Not,
        NotContains,
        NotEmpty,
        NumberEquals,
        OneOf,
        StringContains,
        StringContainsAll,
        StringContainsAny,
        StringDistance,
        StringEndsWith,
        StringLengthBetween,
        StringStartsWith,
        Weighted,
    )
    from neuron_evals.core.cancellation import StopToken
    from neuron_evals.core.checking import Assertion, StringAssertion
    from neuron_evals.core.datasets import ArrayDataset, CsvDataset, Dataset, JsonDataset, JsonLinesDataset
    from neuron_evals.core.evaluators import BaseEvaluator
    from neuron_evals.core.exceptions import (
        ConfigurationError,
        DatasetError,
        EvaluationError,
        InvalidArgument,
        InvalidInput,
        NeuronEvalsError,
        OutputError,
        StopRun,
    )
    from neuron_evals.core.outputs import ConsoleOutput, JsonOutput, OutputDriver
    from neuron_evals.core.report import EvaluationReport, EvaluationResults, Gate, ScoreStatistics
    from neuron_evals.core.results import AssertionResult, Check, ItemResult, Plan, Record, Status, Verdict
    from neuron_evals.core.runner import EvaluatorRunner, Listener, Selection

__version__ = "0.1.0"

__all__ = [
    "AllOf",
    "AnyOf",
    "ArrayDataset",
    "Assertion",
    "AssertionResult",
    "BaseEvaluator",
    "Between",
    "Check",
    "CloseTo",
    "ConfigurationError",
    "ConsoleOutput",
    "Contains",
    "ContainsJson",
    "CsvDataset",
    "Dataset",
    "DatasetError",
    "Equals",
    "EvaluationError",
    "EvaluationReport",
    "EvaluationResults",
    "EvaluatorRunner",
    "ExactMatch",
    "FuzzyMatch",
    "Gate",
    "GreaterThan",
    "InvalidArgument",
    "InvalidInput",
    "IsValidJson",
    "ItemResult",
    "JsonDataset",
    "JsonEquals",
    "JsonLinesDataset",
    "JsonOutput",
    "JsonPath",
    "Listener",
    "MatchesRegex",
    "MatchesSchema",
    "MaxDuration",
    "NeuronEvalsError",
    "Not",
    "NotContains",
    "NotEmpty",
    "NumberEquals",
    "OneOf",
    "OutputDriver",
    "OutputError",
    "Plan",
    "Record",
    "ScoreStatistics",
    "Selection",
    "Status",
    "StopRun",
    "StopToken",
    "StringAssertion",
    "StringContains",
    "StringContainsAll",
    "StringContainsAny",
    "StringDistance",
    "StringEndsWith",
    "StringLengthBetween",
    "StringStartsWith",
    "Verdict",
    "Weighted",
]

_EXPORTS = {
    "AllOf": "assertions",
    "AnyOf": "assertions",
    "ArrayDataset": "datasets",
    "Assertion": "checking",
    "AssertionResult": "results",
    "BaseEvaluator": "evaluators",
    "Between": "assertions",
    "Check": "results",
    "CloseTo": "assertions",
    "ConfigurationError": "exceptions",
    "ConsoleOutput": "outputs",
    "Contains": "assertions",
    "ContainsJson": "assertions",
    "CsvDataset": "datasets",
    "Dataset": "datasets",
    "DatasetError": "exceptions",
    "Equals": "assertions",
    "EvaluationError": "exceptions",
    "EvaluationReport": "report",
    "EvaluationResults": "report",
    "EvaluatorRunner": "runner",
    "ExactMatch": "assertions",
    "FuzzyMatch": "assertions",
    "Gate": "report",
    "GreaterThan": "assertions",
    "InvalidArgument": "exceptions",
    "InvalidInput": "exceptions",
    "IsValidJson": "assertions",
    "ItemResult": "results",
    "JsonDataset": "datasets",
    "JsonEquals": "assertions",
    "JsonLinesDataset": "datasets",
    "JsonOutput": "outputs",
    "JsonPath": "assertions",
    "Listener": "runner",
    "MatchesRegex": "assertions",
    "MatchesSchema": "assertions",
    "MaxDuration": "assertions",
    "NeuronEvalsError": "exceptions",
    "Not": "assertions",
    "NotContains": "assertions",
    "NotEmpty": "assertions",
    "NumberEquals": "assertions",
    "OneOf": "assertions",
    "OutputDriver": "outputs",
    "OutputError": "exceptions",
    "Plan": "results",
    "Record": "results",
    "ScoreStatistics": "report",
    "Selection": "runner",
    "Status": "results",
    "StopRun": "exceptions",
    "StopToken": "cancellation",
    "StringAssertion": "checking",
    "StringContains": "assertions",
    "StringContainsAll": "assertions",
    "StringContainsAny": "assertions",
    "StringDistance": "assertions",
    "StringEndsWith": "assertions",
    "StringLengthBetween": "assertions",
    "StringStartsWith": "assertions",
    "Verdict": "results",
    "Weighted": "assertions",
}
"""Public name -> the module of `neuron_evals.core` that defines it."""

if not TYPE_CHECKING:  # type checkers would take any name for a public one

    def __getattr__(name: str) -> object:
        """Return a public name, imported now and kept."""
        if name not in _EXPORTS:
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(f"{__name__}.core.{_EXPORTS[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the names of the module, public ones included before they were used."""
    return sorted({*globals(), *__all__})
