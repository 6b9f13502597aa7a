"""What a model would do at the refund desk, as a script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neuron_evals import Message, ModelRequest, ToolCall
from shop import replies
from shop.requests import Request, understand
from shop.scripted_model import ScriptedModel

AGREED = re.compile(r"\b(yes|do it|go ahead|please do)\b")
DECLINED = re.compile(r"\b(no|leave it|keep it|never ?mind)\b")


class RefundModel(ScriptedModel):
    """Finds the order, offers what can be refunded, and refunds it when the customer agrees."""

    def decide(self, request: ModelRequest) -> str | ToolCall:
        last = request.messages[-1]
        if last.role == "tool":
            return _answer(last.tool_calls[-1])
        heard = [understand(message.content) for message in request.messages if message.role == "user"]
        number = _newest_number(heard)
        if number is None:
            return replies.NUMBER_MISSING
        offered = _offer(request.messages, number)
        if offered is not None and DECLINED.search(heard[-1].text):
            return f"Then I leave order {number} as it is."
        if offered is not None and AGREED.search(heard[-1].text):
            return ToolCall("refund_order", {"number": number, "amount": offered})
        return ToolCall("search_orders", {"number": number})


def _newest_number(heard: Sequence[Request]) -> int | None:
    return next((request.number for request in reversed(heard) if request.number is not None), None)


def _offer(messages: Sequence[Message], number: int) -> float | None:
    """Return what was last found to be refundable of an order, if anything was."""
    found = [result for result in _results(messages) if result["order"] == number]
    return found[-1]["refundable"] if found else None


def _results(messages: Sequence[Message]) -> Iterator[Mapping[str, Any]]:
    for message in messages:
        for call in message.tool_calls if message.role == "tool" else ():
            if call.name == "search_orders" and call.result is not None:
                yield call.result


def _answer(call: ToolCall) -> str:
    """Word what came of a call for the customer."""
    number = call.arguments["number"]
    if call.name == "search_orders":
        if call.result is None:
            return replies.not_found(number)
        terms = call.result["terms"]
        return terms if call.result["refundable"] is None else f"{terms} Shall I refund it?"
    if call.approval == "rejected":
        return f"I cannot refund order {number}: {call.reject_reason or 'a colleague decided against it'}."
    if call.error is not None:
        return f"I cannot refund order {number}: something went wrong, and a colleague will look into it."
    return str(call.result)
