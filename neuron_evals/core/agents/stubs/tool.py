"""A tool as the model knows it, with a stub behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neuron_evals.core.agents.stubs.stub import Stub
from neuron_evals.core.agents.tools import Tool
from neuron_evals.core.exceptions import EvaluationError

if TYPE_CHECKING:
    from neuron_evals.core.providers.contract import ToolSpec


@dataclass(frozen=True)
class StubbedTool(Tool):
    """A tool whose function is a stub; `stubbed_tool` makes it.

    Attributes:
        real: The tool itself. It says what the model is told, which arguments fit, and whether approval is asked for.
        stub: The stub.
    """

    real: Tool = field(kw_only=True)
    stub: Stub = field(kw_only=True)

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model is told of it."""
        return self.real.spec

    @property
    def in_thread(self) -> bool:
        """Whether async code calls the function in a thread; the stub says so."""
        return self.stub.in_thread(self.real)

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the model wrote them, as stubs get them.

        Raises:
            BadArguments: The tool refuses them.
        """
        self.real.arguments(given)
        return dict(given)

    def reason_to_ask(self, given: Mapping[str, Any]) -> str | None:
        """Return why a call needs an approval; the tool says so."""
        return self.real.reason_to_ask(given)


def stubbed_tool(tool: Tool, stub: Stub, ended: list[EvaluationError]) -> StubbedTool:
    """Return a tool with a stub in place of its function, for one conversation.

    Args:
        tool: The tool.
        stub: The stub.
        ended: Gets the errors by which the stub ends the item.
    """
    answers = stub.begin(tool)

    def function(**arguments: Any) -> Any:
        try:
            return answers(arguments)
        except EvaluationError as exc:
            ended.append(exc)
            raise

    return StubbedTool(
        tool.name, tool.description, tool.parameters, function, approval=tool.approval, real=tool, stub=stub
    )
