"""Agents whose calls go to stubs: what the model is told, what never runs, what ends the item."""

from __future__ import annotations

import asyncio
import enum
import threading
from collections.abc import Callable
from typing import Any

import pytest

from neuron_evals.core.agents import Agent, AgentReply, BaseAgent, StepLimitReached, Tool, UnstubbedCall, as_agent
from neuron_evals.core.agents.bridging import call_plain_with
from neuron_evals.core.agents.stubs import Stub, stub_tools
from neuron_evals.core.assertions import ToolWasCalled
from neuron_evals.core.evaluators import BaseEvaluator
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError, InvalidArgument
from neuron_evals.core.messages import Message, ToolCall
from neuron_evals.core.providers import FakeProvider, ModelRequest
from neuron_evals.core.results import Status
from neuron_evals.core.runner import EvaluatorRunner
from neuron_evals.core.trajectories import Trajectory
from neuron_evals.matchers import Number

Chat = Callable[[BaseAgent, str], AgentReply]
Resume = Callable[[BaseAgent, Any], AgentReply]


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


class Size(enum.Enum):
    SMALL = "s"


class Shop:
    """Tools with an effect."""

    def __init__(self) -> None:
        self.done: list[Any] = []

    def refund(self, order: str, amount: int = 0) -> str:
        """Pay money back."""
        self.done.append((order, amount))
        return f"really refunded {order}"

    async def mail(self, to: str) -> str:
        self.done.append(to)
        return f"really mailed {to}"

    def pack(self, size: Size) -> str:
        self.done.append(size)
        return f"really packed {size.name}"

    def agent(self, *replies: Any, **options: Any) -> Agent:
        gated = Tool.from_function(
            self.refund, approval=lambda given: "much" if given.get("amount", 0) > 100 else False
        )
        return Agent(FakeProvider(*replies), tools=[gated, self.mail, self.pack], **options)


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture(params=["plain", "async"])
def chat(request) -> Chat:
    if request.param == "plain":
        return lambda tested, message: tested.chat(message)
    return lambda tested, message: asyncio.run(tested.achat(message))


@pytest.fixture(params=["plain", "async"])
def resume(request) -> Resume:
    if request.param == "plain":
        return lambda tested, payload: tested.resume(payload)
    return lambda tested, payload: asyncio.run(tested.aresume(payload))


def requests(agent: Agent) -> list[ModelRequest]:
    provider = agent._setup.provider
    assert isinstance(provider, FakeProvider)
    return provider.requests


def outcomes(tested: BaseAgent) -> list[ToolCall]:
    return Trajectory.from_messages(tested.history).tool_calls()


REFUND = call("refund", order="A1")


def test_stubbed_call__the_tool_does_not_run_and_the_model_is_told_what_the_stub_says(chat, shop):
    agent = shop.agent([REFUND, call("mail", to="b")], "Done.")
    tested = stub_tools(agent, {"refund": Stub.result({"ok": True}), "mail": Stub.result(None)})
    assert chat(tested, "Go").text == "Done."
    assert [(made.result, made.error, made.ran) for made in outcomes(tested)] == [
        ({"ok": True}, None, True),
        (None, None, True),
    ]
    assert shop.done == []
    assert agent.history == ()


def test_model__is_told_of_the_same_tools_and_not_of_the_marks(chat, shop):
    bare, agent = shop.agent("Hi"), shop.agent([REFUND], "Done.")
    chat(bare, "Go")
    tested = stub_tools(agent, {"refund": Stub.result("ok")})
    chat(tested, "Go")
    assert requests(agent)[0].tools == requests(bare)[0].tools
    assert [made.stubbed for made in requests(agent)[1].messages[2].tool_calls] == [False]
    assert [made.stubbed for made in outcomes(tested)] == [True]


def test_arguments_that_do_not_fit__are_told_as_by_the_tool_itself(chat, shop):
    tested = stub_tools(shop.agent([call("refund"), call("pay")], "Oh."), {"refund": Stub.result("ok")})
    assert chat(tested, "Go").text == "Oh."
    assert [(made.error, made.ran, made.stubbed) for made in outcomes(tested)] == [
        ("bad arguments: order is missing", False, False),
        ('there is no tool "pay"; the tools are refund, mail, pack', False, False),
    ]


@pytest.mark.parametrize("stubs", [{}, {"mail": Stub.result("ok")}])
def test_call_without_a_stub__ends_the_turn_and_nothing_runs(chat, shop, stubs):
    agent = shop.agent([REFUND, call("refund", order="A2")], "never")
    tested = stub_tools(agent, stubs)
    with pytest.raises(UnstubbedCall, match=r'^refund\(\{"order":"A1"\}\) was refused: the tool has no stub$'):
        chat(tested, "Go")
    assert shop.done == []
    assert len(requests(agent)) == 1


@pytest.mark.parametrize(
    ("stubs", "strict"),
    [
        ({}, False),
        ({"*": Stub.real()}, True),
        ({"pack": Stub.real(), "mail": Stub.real(), "*": Stub.result("no")}, True),
    ],
)
def test_call_that_may_go_to_the_tool__does_and_is_not_marked(chat, shop, stubs, strict):
    tested = stub_tools(shop.agent([call("pack", size="s"), call("mail", to="b")], "Done."), stubs, strict=strict)
    chat(tested, "Go")
    assert [(made.result, made.stubbed) for made in outcomes(tested)] == [
        ("really packed SMALL", False),
        ("really mailed b", False),
    ]
    assert shop.done == [Size.SMALL, "b"]


def test_stub_for_the_rest__answers_for_all_tools_without_one(chat, shop):
    stubs = {"*": Stub.results(["first"]), "pack": Stub.result("own")}
    tested = stub_tools(shop.agent([REFUND, call("mail", to="b"), call("pack", size="s")], "Done."), stubs)
    chat(tested, "Go")
    assert [made.result for made in outcomes(tested)] == ["first", "first", "own"]


def test_results__are_given_in_the_order_of_the_calls_and_then_the_item_ends(chat, shop):
    results = list(range(20))
    calls = [call("refund", order=f"A{number}") for number in results]
    tested = stub_tools(shop.agent(calls, [REFUND], "never"), {"refund": Stub.results(results)})
    with pytest.raises(UnstubbedCall, match=r'refund\(\{"order":"A1"\}\) has no result left: its stub has 20'):
        chat(tested, "Go")
    assert [made.result for made in outcomes(tested)][:20] == results


def test_results_that_one_item_took__are_there_for_the_next(chat, shop):
    agent = shop.agent(*[[REFUND], "Done."] * 3)
    tested = stub_tools(agent, {"refund": Stub.results(["once"])})
    for own in (tested, tested.fresh(), tested.fresh(model="other")):
        chat(own, "Go")
        assert [made.result for made in outcomes(own)] == ["once"]
    assert requests(agent)[-1].model == "other"


@pytest.mark.parametrize(
    "make",
    [Stub.result, lambda value: Stub.results([value] * 2), lambda value: Stub.replies([{"result": value}])],
)
def test_value_that_is_changed_later__is_returned_as_it_was(shop, make):
    value = {"open": [1]}
    tested = stub_tools(shop.agent(), {"refund": make(value)})
    value["open"].append(2)
    for agent in (tested, tested, tested.fresh()):
        refund = (agent.tools or ())[0].function
        answered = refund(order="A1")
        assert answered == {"open": [1]}
        answered["open"].append(3)


def test_what_is_at_hand__is_answered_in_order_and_not_by_threads(shop):
    async def talk(agent: BaseAgent) -> None:
        call_plain_with(never)
        await agent.achat("Go")

    async def never(called: Any) -> None:
        raise AssertionError(f"{called} was called in a thread")

    stubs = {"refund": Stub.results([1, 2]), "mail": Stub.fault("down"), "pack": REPLIES}
    tested = stub_tools(shop.agent([REFUND, call("mail", to="b"), REFUND], "Done."), stubs)
    asyncio.run(talk(tested))
    assert [(made.result, made.error) for made in outcomes(tested)] == [(1, None), (None, "down"), (2, None)]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("gateway timeout\nafter 10 s", "gateway timeout\nafter 10 s"),
        (TimeoutError("after 10 s"), "TimeoutError: after 10 s"),
        (LookupError(), "LookupError"),
    ],
)
def test_fault__is_told_to_the_model_as_that_of_a_tool(chat, shop, error, told):
    tested = stub_tools(shop.agent([REFUND], [REFUND], "Sorry."), {"refund": Stub.fault(error)})
    assert chat(tested, "Go").text == "Sorry."
    assert [(made.error, made.executed, made.stubbed) for made in outcomes(tested)] == [(told, True, True)] * 2
    assert shop.done == []


REPLIES = Stub.replies(
    [
        {"arguments": {"order": "A1", "amount": 5}, "result": "five"},
        {"arguments": {"amount": Number(7.0)}, "error": "no sevens"},
        {"arguments": lambda given: given["order"].startswith("B"), "result": "b"},
        {"arguments": {"order": "A1"}, "result": None},
    ]
)


@pytest.mark.parametrize(
    ("arguments", "result", "error"),
    [
        ({"order": "A1", "amount": 5}, "five", None),
        ({"order": "A1", "amount": 7}, None, "no sevens"),
        ({"order": "B2"}, "b", None),
        ({"order": "A1"}, None, None),
    ],
)
def test_reply__is_the_first_that_fits_as_often_as_it_does(chat, shop, arguments, result, error):
    tested = stub_tools(shop.agent(*[[call("refund", **arguments)]] * 2, "Done."), {"refund": REPLIES})
    chat(tested, "Go")
    assert [(made.result, made.error) for made in outcomes(tested)] == [(result, error)] * 2


def test_call_without_a_reply__ends_the_item_also_when_other_calls_may_go_to_the_tool(chat, shop):
    tested = stub_tools(shop.agent([call("refund", order="C")], "never"), {"refund": REPLIES}, strict=False)
    with pytest.raises(UnstubbedCall, match=r'refund\(\{"order":"C"\}\) has no reply: of the 4 of its stub, none fits'):
        chat(tested, "Go")
    assert shop.done == []


def test_reply_without_arguments__fits_every_call(chat, shop):
    tested = stub_tools(shop.agent([REFUND], "Done."), {"refund": Stub.replies([{"result": "any"}])})
    chat(tested, "Go")
    assert outcomes(tested)[0].result == "any"


def test_predicate_that_breaks__ends_the_item_instead_of_passing_for_a_failure_of_the_tool(chat, shop):
    stub = Stub.replies([{"arguments": lambda given: given["amount"] > 1, "result": "ok"}])
    tested = stub_tools(shop.agent([REFUND], "never"), {"refund": stub})
    with pytest.raises(EvaluationError, match="predicate broke on the arguments: KeyError"):
        chat(tested, "Go")


def test_function__gets_what_the_tools_own_would_get(chat, shop):
    got: list[Any] = []

    async def pack(size: Size) -> str:
        got.append(size)
        return "packed"

    def refund(order: str, amount: int = 3) -> str:
        raise LookupError(f"{order} {amount}")

    stubs = {"pack": Stub.function(pack), "refund": Stub.function(refund)}
    tested = stub_tools(shop.agent([call("pack", size="s"), REFUND], "Done."), stubs)
    chat(tested, "Go")
    assert [(made.result, made.error) for made in outcomes(tested)] == [("packed", None), (None, "LookupError: A1 3")]
    assert (got, shop.done) == ([Size.SMALL], [])


def test_function_that_does_not_take_the_arguments__ends_the_item(chat, shop):
    tested = stub_tools(shop.agent([REFUND], "never"), {"refund": Stub.function(lambda number: number)})
    with pytest.raises(EvaluationError, match="the stub of refund cannot be called as the tool is: missing"):
        chat(tested, "Go")


def test_plain_function__does_not_hold_the_event_loop(shop):
    stub = Stub.function(lambda order: threading.current_thread().name)
    tested = stub_tools(shop.agent([REFUND], "Done."), {"refund": stub})
    asyncio.run(tested.achat("Go"))
    assert outcomes(tested)[0].result != threading.main_thread().name


LARGE = ToolCall("refund", {"order": "A2", "amount": 500}, "large")


@pytest.mark.parametrize(
    ("decision", "recorded"),
    [
        ("approve", ("approved", "of 500", True)),
        (("edit", {"order": "A2", "amount": 50}), ("approved", "of 50", True)),
        (("reject", "no"), ("rejected", None, False)),
    ],
)
def test_gated_call__waits_as_before_and_its_stub_answers(resume, shop, decision, recorded):
    stub = Stub.replies([{"arguments": {"amount": size}, "result": f"of {size}"} for size in (500, 50)])
    tested = stub_tools(shop.agent([LARGE], "Done."), {"refund": stub})
    [pending] = tested.chat("Go").interrupt.pending
    assert pending.approval_reason == "much"
    assert resume(tested, {"large": decision}).text == "Done."
    [made] = outcomes(tested)
    assert (made.approval, made.result, made.stubbed) == recorded
    assert shop.done == []


def test_gated_call_without_a_stub__is_refused_once_it_is_approved(resume, shop):
    agent = shop.agent([LARGE], "never", [LARGE], "Rejected.")
    tested = stub_tools(agent, {})
    tested.chat("Go")
    with pytest.raises(UnstubbedCall, match="refund"):
        resume(tested, {"large": "approve"})
    assert shop.done == []
    again = stub_tools(shop.agent([LARGE], "Rejected."), {})
    again.chat("Go")
    assert resume(again, {"large": "reject"}).text == "Rejected."


def test_structured_answer__takes_the_same_way(shop):
    replies = [[REFUND], '{"a": 1}', [call("mail", to="b")], "never"]
    tested = stub_tools(shop.agent(*replies), {"refund": Stub.result("ok")})
    assert tested.structured("Go", {"type": "object"}).text == '{"a": 1}'
    with pytest.raises(UnstubbedCall, match="mail"):
        asyncio.run(tested.astructured("Go", {"type": "object"}))
    assert shop.done == []


def test_tools_that_fresh_is_given__are_stubbed_too(chat, shop):
    tested = stub_tools(shop.agent([call("mail", to="b")], "Done.", [REFUND], "never"), {"mail": Stub.result("ok")})
    own = tested.fresh(tools=[shop.mail, shop.refund])
    chat(own, "Go")
    assert [tool.name for tool in own.tools] == ["mail", "refund"]
    with pytest.raises(UnstubbedCall):
        chat(own, "Go")
    assert shop.done == []
    with pytest.raises(ConfigurationError, match='the agent has no tool "mail"; its tools are refund'):
        tested.fresh(tools=[shop.refund])
    with pytest.raises(ConfigurationError, match='"output_type" cannot be changed'):
        tested.fresh(output_type=int)


def test_step_limit__its_history_is_marked_too(chat, shop):
    tested = stub_tools(shop.agent([REFUND], [REFUND], "never", max_steps=2), {"refund": Stub.result("ok")})
    with pytest.raises(StepLimitReached) as caught:
        chat(tested, "Go")
    assert [made.stubbed for made in Trajectory(caught.value.history).tool_calls()] == [True, False]
    assert caught.value.history == tested.history


class Swallowing(BaseAgent):
    """An agent of another framework: it calls one tool, and takes all that the tool raises for its result."""

    SUPPORTED = frozenset({"tools"})
    name = "other"

    def __init__(self, *tools: Tool, deaf: bool = False) -> None:
        self._tools = tools
        self._deaf = deaf
        self._history: tuple[Message, ...] = ()

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._tools

    @property
    def history(self) -> tuple[Message, ...]:
        return self._history

    def fresh(self, **overrides: Any) -> Swallowing:
        self.refuse_unsupported(overrides)
        return Swallowing(*(self._tools if self._deaf else overrides.get("tools", self._tools)), deaf=self._deaf)

    def chat(self, message: str | Message) -> AgentReply:
        try:
            made = ToolCall("refund", {"order": "A1"}, "1", result=self._tools[0].function(order="A1"))
        except Exception as exc:
            made = ToolCall("refund", {"order": "A1"}, "1", error=str(exc))
            if message == "raise":
                raise RuntimeError("the run failed") from exc
        self._history = (Message("user", "Go"), Message("assistant", "", [made]), Message("tool", "", [made]))
        return AgentReply("Done.", Message("assistant", "Done."))


def test_agent_of_another_kind__its_calls_are_answered_and_marked(chat, shop):
    tested = stub_tools(Swallowing(Tool.from_function(shop.refund)), {"refund": Stub.result("ok")})
    assert (tested.name, chat(tested, "Go").text) == ("other", "Done.")
    assert [(made.result, made.stubbed) for made in outcomes(tested)] == [("ok", True)]
    faulty = stub_tools(Swallowing(Tool.from_function(shop.refund)), {"refund": Stub.fault("down")})
    chat(faulty, "Go")
    assert outcomes(faulty)[0].error == "down"


@pytest.mark.parametrize("message", ["Go", "raise"])
def test_refusal_that_an_agent_takes_for_a_failure_of_the_tool__ends_the_item_all_the_same(chat, shop, message):
    tested = stub_tools(Swallowing(Tool.from_function(shop.refund)), {})
    with pytest.raises(UnstubbedCall, match="refund"):
        chat(tested, message)
    assert shop.done == []


def test_agent_that_cannot_be_stubbed__is_refused_before_the_first_call(shop):
    refund = Tool.from_function(shop.refund)

    class Untold(Swallowing):
        @property
        def tools(self) -> None:  # type: ignore[override]
            return None

    stubbed = stub_tools(shop.agent(), {})
    for agent, why in [
        (str.upper, "takes an agent that tells its tools, such as an Agent, got method_descriptor"),
        (as_agent(str.upper), "CallableAgent cannot change its tools"),
        (Untold(refund), "Untold does not tell its tools"),
        (Swallowing(refund, deaf=True), r"Swallowing.fresh\(tools=...\) does not take the tools"),
        (stubbed, "stubbed already"),
    ]:
        with pytest.raises(ConfigurationError, match=f"^stub_tools: .*{why}"):
            stub_tools(agent, {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stubs", "why"),
    [
        (
            {"refunds": Stub.result(1)},
            'has no tool "refunds"; did you mean "refund"[?] its tools are refund, mail, pack',
        ),
        ({"refund": "ok"}, r"stubs\['refund'\] must be a stub, such as Stub.result\(...\), got str"),
        ([("refund", Stub.result(1))], "stubs must be a mapping from tool to stub, got list"),
    ],
)
def test_stubs_that_cannot_be_used__are_refused_before_the_first_call(shop, stubs, why):
    with pytest.raises(ConfigurationError, match=why):
        stub_tools(shop.agent(), stubs)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Stub.results([]), "Stub.results: values must not be empty"),
        (lambda: Stub.results("abc"), "Stub.results: values must be a list, got str"),
        (lambda: Stub.fault(" "), "Stub.fault: error must not be blank"),
        (lambda: Stub.fault(TimeoutError), r'must be text, or an exception such as TimeoutError\("..."\), got type'),  # type: ignore[arg-type]
        (lambda: Stub.fault(KeyboardInterrupt()), "got KeyboardInterrupt"),  # type: ignore[arg-type]
        (lambda: Stub.replies([]), "Stub.replies: replies must not be empty"),
        (lambda: Stub.replies({"result": 1}), "replies must be a list of mappings, got dict"),  # type: ignore[dict-item]
        (lambda: Stub.replies(["ok"]), r"replies\[0\] must be a mapping with arguments, result, error, got str"),  # type: ignore[list-item]
        (lambda: Stub.replies([{"arguments": {}}]), r"replies\[0\] needs either result or error"),
        (lambda: Stub.replies([{"result": 1, "error": "x"}]), r"replies\[0\] needs either result or error"),
        (lambda: Stub.replies([{"args": {}, "result": 1}]), r"replies\[0\]: 'args' is unknown; the keys are arguments"),
        (lambda: Stub.replies([{"error": ""}]), r"replies\[0\]: error must not be blank"),
        (lambda: Stub.replies([{"arguments": {"a": int}, "result": 1}]), r"write IsA\(...\)"),
        (lambda: Stub.function(3), "Stub.function: function must be callable, got int"),  # type: ignore[arg-type]
    ],
)
def test_stub_that_cannot_mean_anything__is_refused(make, why):
    with pytest.raises(InvalidArgument, match=why):
        make()


def test_fingerprint__tells_agents_with_other_stubs_apart(shop):
    agent = shop.agent()

    def print_of(**stubs: Stub) -> str:
        return stub_tools(agent, stubs).fingerprint

    prints = [
        agent.fingerprint,
        print_of(),
        stub_tools(agent, {}, strict=False).fingerprint,
        stub_tools(agent.fresh(model="x"), {}).fingerprint,
        *(print_of(refund=Stub.result(value)) for value in (1, 2)),
        print_of(refund=Stub.results([1])),
        print_of(mail=Stub.result(1)),
        *(print_of(refund=Stub.fault(error)) for error in ("x", "y", LookupError("x"))),
        *(print_of(refund=Stub.replies([{"arguments": {"amount": Number(n)}, "result": 1}])) for n in (1, 2)),
        print_of(refund=Stub.function(lambda order: "one")),
        print_of(refund=Stub.function(lambda order: "two")),
        print_of(refund=Stub.real()),
    ]
    assert len(set(prints)) == len(prints)
    assert print_of(refund=Stub.result(1)) == stub_tools(agent, {"refund": Stub.result(1)}).fresh().fingerprint
    assert stub_tools(Swallowing(Tool.from_function(shop.refund)), {}).fingerprint == ""


def test_what_the_agent_says_of_itself__is_said_by_the_stubbed_one(shop):
    agent = shop.agent(name="support")
    tested = stub_tools(agent, {})
    assert (tested.name, tested.problems(), tested.SUPPORTED) == ("support", [], agent.SUPPORTED)
    assert tested.is_transient(ConnectionError()) is agent.is_transient(ConnectionError())


def test_items_in_parallel__an_unstubbed_call_is_an_error_and_results_are_not_shared(shop):
    class Shopping(BaseEvaluator):
        def get_dataset(self):
            return [{"id": str(number)} for number in range(8)]

        def run(self, item):
            tool = "mail" if item["id"] == "5" else "refund"
            arguments = {"to": "b"} if tool == "mail" else {"order": item["id"]}
            agent = stub_tools(shop.agent([call(tool, **arguments)], "Done."), {"refund": stub})
            agent.chat("Go")
            return Trajectory.from_messages(agent.history)

        def evaluate(self, output, item):
            self.check(ToolWasCalled("refund", executed_only=True), output)

    stub = Stub.results(["once"])
    results = EvaluatorRunner().run(Shopping(), concurrency=4).results
    assert [found.status for found in results] == [
        Status.ERROR if number == 5 else Status.PASSED for number in range(8)
    ]
    assert 'UnstubbedCall: mail({"to":"b"}) was refused' in str(results[5].error)
    assert shop.done == []
