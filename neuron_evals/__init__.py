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
        Equals,
        GreaterThan,
        IsValidJson,
        MatchesRegex,
        Not,
        NotContains,
        NotEmpty,
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
    from neuron_evals.core.messages import Message, ToolCall, Usage
    from neuron_evals.core.outputs import ConsoleOutput, JsonOutput, OutputDriver
    from neuron_evals.core.providers import (
        AnthropicProvider,
        BaseProvider,
        FakeProvider,
        ModelReply,
        ModelRequest,
        ModelSettings,
        OllamaProvider,
        OpenAIProvider,
        PriceTable,
        ProviderError,
        ToolSpec,
    )
    from neuron_evals.core.report import EvaluationReport, EvaluationResults, Gate, ScoreStatistics
    from neuron_evals.core.results import AssertionResult, Check, ItemResult, Plan, Status, Verdict
    from neuron_evals.core.runner import EvaluatorRunner, Listener, Selection

__version__ = "0.1.0"

__all__ = [
    "AllOf",
    "AnthropicProvider",
    "AnyOf",
    "ArrayDataset",
    "Assertion",
    "AssertionResult",
    "BaseEvaluator",
    "BaseProvider",
    "Between",
    "Check",
    "ConfigurationError",
    "ConsoleOutput",
    "CsvDataset",
    "Dataset",
    "DatasetError",
    "Equals",
    "EvaluationError",
    "EvaluationReport",
    "EvaluationResults",
    "EvaluatorRunner",
    "FakeProvider",
    "Gate",
    "GreaterThan",
    "InvalidArgument",
    "InvalidInput",
    "IsValidJson",
    "ItemResult",
    "JsonDataset",
    "JsonLinesDataset",
    "JsonOutput",
    "Listener",
    "MatchesRegex",
    "Message",
    "ModelReply",
    "ModelRequest",
    "ModelSettings",
    "NeuronEvalsError",
    "Not",
    "NotContains",
    "NotEmpty",
    "OllamaProvider",
    "OpenAIProvider",
    "OutputDriver",
    "OutputError",
    "Plan",
    "PriceTable",
    "ProviderError",
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
    "ToolCall",
    "ToolSpec",
    "Usage",
    "Verdict",
    "Weighted",
]

_EXPORTS = {
    "AllOf": "assertions",
    "AnthropicProvider": "providers",
    "AnyOf": "assertions",
    "ArrayDataset": "datasets",
    "Assertion": "checking",
    "AssertionResult": "results",
    "BaseEvaluator": "evaluators",
    "BaseProvider": "providers",
    "Between": "assertions",
    "Check": "results",
    "ConfigurationError": "exceptions",
    "ConsoleOutput": "outputs",
    "CsvDataset": "datasets",
    "Dataset": "datasets",
    "DatasetError": "exceptions",
    "Equals": "assertions",
    "EvaluationError": "exceptions",
    "EvaluationReport": "report",
    "EvaluationResults": "report",
    "EvaluatorRunner": "runner",
    "FakeProvider": "providers",
    "Gate": "report",
    "GreaterThan": "assertions",
    "InvalidArgument": "exceptions",
    "InvalidInput": "exceptions",
    "IsValidJson": "assertions",
    "ItemResult": "results",
    "JsonDataset": "datasets",
    "JsonLinesDataset": "datasets",
    "JsonOutput": "outputs",
    "Listener": "runner",
    "MatchesRegex": "assertions",
    "Message": "messages",
    "ModelReply": "providers",
    "ModelRequest": "providers",
    "ModelSettings": "providers",
    "NeuronEvalsError": "exceptions",
    "Not": "assertions",
    "NotContains": "assertions",
    "NotEmpty": "assertions",
    "OllamaProvider": "providers",
    "OpenAIProvider": "providers",
    "OutputDriver": "outputs",
    "OutputError": "exceptions",
    "Plan": "results",
    "PriceTable": "providers",
    "ProviderError": "providers",
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
    "ToolCall": "messages",
    "ToolSpec": "providers",
    "Usage": "messages",
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
