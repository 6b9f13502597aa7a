"""The tool loop: what the model is asked, what runs, what the history and the reply say."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from neuron_evals.core.agents import Agent, AgentError, AgentReply, StepLimitReached, Tool
from neuron_evals.core.exceptions import ConfigurationError, EvaluationError, InvalidArgument, InvalidInput
from neuron_evals.core.messages import Message, ToolCall, Usage
from neuron_evals.core.metrics import collecting
from neuron_evals.core.providers import BaseProvider, FakeProvider, ModelReply, ModelRequest
from neuron_evals.core.providers.prices import PriceTable
from neuron_evals.core.trajectories import Trajectory

Chat = Callable[[Agent, str], AgentReply]


def lookup(number: int) -> dict[str, Any]:
    """Find an order."""
    if number == 0:
        raise LookupError("no order 0")
    return {"number": number, "open": True}


async def ship(number: int) -> str:
    await asyncio.sleep(0)
    return f"shipped {number}"


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


def agent(*replies: Any, **options: Any) -> Agent:
    return Agent(FakeProvider(*replies), tools=[lookup, ship], **options)


def requests(tested: Agent) -> list[ModelRequest]:
    provider = tested._setup.provider
    assert isinstance(provider, FakeProvider)
    return provider.requests


@pytest.fixture(params=["plain", "async"])
def chat(request) -> Chat:
    """Both ways to talk to an agent; every test that takes it holds for both."""
    if request.param == "plain":
        return lambda tested, message: tested.chat(message)
    return lambda tested, message: asyncio.run(tested.achat(message))


def test_answer_without_tools__one_request_with_all_that_was_set(chat):
    tested = agent("Hello!", instructions="Be brief.", model="small", temperature=0, seed=1, extra={"top_k": 3})
    reply = chat(tested, "Hi")
    [request] = requests(tested)
    assert (reply.text, reply.interrupt, reply.model) == ("Hello!", None, "small")
    assert request.messages == (Message("user", "Hi"),)
    assert (request.instructions, request.model, request.schema) == ("Be brief.", "small", None)
    assert (request.settings.temperature, request.settings.seed, request.settings.top_p) == (0, 1, None)
    assert request.settings.extra == {"top_k": 3}
    assert [tool.name for tool in request.tools] == ["lookup", "ship"]


def test_calls_of_a_round__all_run_and_their_outcomes_stand_in_order(chat):
    tested = agent([call("lookup", number=1), call("ship", number=2), call("lookup", number=3)], "Done.")
    assert chat(tested, "Go").text == "Done."
    user, proposed, outcomes, answer = tested.history
    assert [message.role for message in tested.history] == ["user", "assistant", "tool", "assistant"]
    assert [(part.name, part.result) for part in outcomes.tool_calls] == [
        ("lookup", {"number": 1, "open": True}),
        ("ship", "shipped 2"),
        ("lookup", {"number": 3, "open": True}),
    ]
    assert [part.id for part in proposed.tool_calls] == [part.id for part in outcomes.tool_calls]
    assert all(part.executed and part.duration is not None and part.error is None for part in outcomes.tool_calls)
    assert requests(tested)[1].messages == (user, proposed, outcomes)
    assert answer.content == "Done."


def broken_rule(_arguments: Any) -> bool:
    raise KeyError("amount")


@pytest.mark.parametrize(
    ("proposed", "error", "ran"),
    [
        (call("lookup", number=0), "LookupError: no order 0", True),
        (call("lookup", number="x"), "bad arguments: number must be a whole number, got text", False),
        (call("lookup"), "bad arguments: number is missing", False),
        (call("refund"), 'there is no tool "refund"; the tools are lookup, ship', False),
        (ToolCall("lookup", '{"number": 1'), 'the arguments are no JSON object: {"number": 1', False),  # type: ignore[arg-type]
    ],
)
def test_call_that_comes_to_nothing__told_to_the_model_and_recorded(chat, proposed, error, ran):
    tested = agent([proposed, call("lookup", number=1)], "I see.")
    assert chat(tested, "Go").text == "I see."
    failed, worked = requests(tested)[1].messages[2].tool_calls
    assert (failed.error, failed.executed, failed.result) == (error, ran, None)
    assert worked.result == {"number": 1, "open": True}
    assert Trajectory.from_messages(tested.history).tool_calls()[0].error == error


def test_approval_rule_that_breaks__the_call_does_not_run_and_the_model_is_told(chat):
    ran: list[int] = []
    tool = Tool("pay", "", {"type": "object"}, lambda: ran.append(1), approval=broken_rule)
    tested = Agent(FakeProvider([call("pay")], "Oh."), tools=[tool])
    assert chat(tested, "Go").interrupt is None
    assert tested.history[2].tool_calls[0].error == "the approval rule raised KeyError: 'amount'"
    assert ran == []


@pytest.mark.parametrize("error", [ConfigurationError, EvaluationError])
def test_tool_that_is_set_up_wrongly__ends_the_item_instead_of_being_told_to_the_model(chat, error):
    def misconfigured() -> None:
        raise error("no shop")

    tested = Agent(FakeProvider([call("misconfigured")], "never"), tools=[misconfigured])
    with pytest.raises(error, match="no shop"):
        chat(tested, "Go")


def test_result_that_the_tool_changes_later__stays_as_it_was_returned(chat):
    basket: list[str] = []

    def add(item: str) -> list[str]:
        basket.append(item)
        return basket

    tested = Agent(FakeProvider([call("add", item="a")], [call("add", item="b")], "ok"), tools=[add])
    chat(tested, "Go")
    assert [tested.history[index].tool_calls[0].result for index in (2, 4)] == [["a"], ["a", "b"]]


def test_arguments_that_the_tool_changes__stay_as_they_were_proposed(chat):
    tool = Tool("sort", "", {"type": "object"}, lambda numbers: numbers.sort())
    tested = Agent(FakeProvider([call("sort", numbers=[2, 1])], "ok"), tools=[tool])
    chat(tested, "Go")
    assert tested.history[1].tool_calls[0].arguments == {"numbers": [2, 1]}
    assert tested.history[2].tool_calls[0].arguments == {"numbers": [2, 1]}


@pytest.mark.parametrize("ids", [(None, None), ("x", "x"), ("", "x")])
def test_ids__missing_or_given_twice__each_call_gets_its_own_and_keeps_its_outcome(chat, ids):
    calls = [ToolCall("lookup", {"number": number}, id=given) for number, given in enumerate(ids, 1)]
    tested = agent(Message("assistant", tool_calls=calls), "ok")
    chat(tested, "Go")
    outcomes = tested.history[2].tool_calls
    assert len({part.id for part in outcomes}) == 2
    assert all(part.id for part in outcomes)
    assert [part.result["number"] for part in Trajectory.from_messages(tested.history).tool_calls()] == [1, 2]


def test_limit_of_model_calls__named_error_with_the_history_and_nothing_more_is_run(chat):
    tested = agent([call("lookup", number=1)], [call("lookup", number=2), call("ship", number=3)], "never", max_steps=2)
    with pytest.raises(StepLimitReached, match=r"\(lookup, ship\) after 2 model calls; max_steps") as caught:
        chat(tested, "Go")
    assert len(requests(tested)) == 2
    assert caught.value.history == tested.history
    assert [part.result for part in tested.history[2].tool_calls] == [{"number": 1, "open": True}]
    assert [(part.executed, part.error) for part in tested.history[4].tool_calls] == [
        (False, "not run: the limit of 2 model calls was reached")
    ] * 2


def test_conversation__goes_on_after_the_limit_and_after_an_error(chat):
    tested = agent([call("lookup", number=1)], RuntimeError("down"), "Back.", max_steps=1)
    with pytest.raises(StepLimitReached):
        chat(tested, "One")
    with pytest.raises(RuntimeError, match="down"):
        chat(tested, "Two")
    assert chat(tested, "Three").text == "Back."
    assert Trajectory.from_messages(tested.history).user_messages() == ["One", "Two", "Three"]


def test_second_message__is_sent_with_what_was_said_before(chat):
    tested = agent("A", "B")
    chat(tested, "1")
    chat(tested, "2")
    assert [message.content for message in requests(tested)[1].messages] == ["1", "A", "2"]


PRICES = PriceTable().with_overrides({"small": {"input": 1_000_000, "output": 2_000_000}})


@pytest.mark.parametrize(
    ("usages", "usage", "cost"),
    [
        ([Usage(1, 2), Usage(10, 20)], Usage(11, 22, requests=2), Decimal(55)),
        ([Usage(1, 2), None], Usage(requests=2), None),
    ],
)
def test_usage_and_cost__summed_over_the_turn__unknown_stays_unknown(chat, usages, usage, cost):
    first, second = usages
    replies = [
        Message("assistant", tool_calls=[ToolCall("lookup", {"number": 1}, "a")], usage=first),
        Message("assistant", "ok", usage=second),
    ]
    tested = Agent(FakeProvider(*replies, model="small"), tools=[lookup], prices=PRICES)
    with collecting() as collected:
        reply = chat(tested, "Go")
    assert (reply.usage, reply.cost) == (usage, cost)
    assert (collected.usage("agent"), collected.cost("agent")) == (usage, cost)
    assert [call.model for call in collected.model_calls] == ["small", "small"]
    assert len(collected.tool_rounds) == 1
    assert [message.usage for message in tested.history if message.role == "assistant"] == usages
    assert reply.duration >= collected.model_seconds() + collected.tool_seconds()


def test_prices__of_the_provider_are_used_and_a_model_without_a_price_costs_the_unknown():
    provider = FakeProvider(*[Message("assistant", "ok", usage=Usage(1, 2))] * 3, model="small")
    assert Agent(provider).chat("Go").cost is None
    provider.prices = PRICES
    assert Agent(provider).chat("Go").cost == 5
    assert Agent(provider, model="other").chat("Go").cost is None


class RenamingProvider(FakeProvider):
    """Answers under another name than it was asked by, as some servers do."""

    def complete(self, request: ModelRequest) -> ModelReply:
        super().complete(request)
        return ModelReply(Message("assistant", "ok", usage=Usage(1, 2), model="small-build-7"), first_token=0.25)


def test_server_that_answers_under_another_name__is_priced_by_the_name_it_was_asked_by():
    reply = Agent(RenamingProvider("ok", model="small"), prices=PRICES).chat("Go")
    assert (reply.model, reply.cost, reply.first_token) == ("small-build-7", Decimal(5), 0.25)


def test_structured__hands_the_schema_to_the_provider_and_returns_the_text_as_it_is():
    schema = {"type": "object", "properties": {"score": {"type": "number"}}}
    tested = agent('{"score": "high"}', '{"score": 1}')
    assert tested.structured("Grade it.", schema).text == '{"score": "high"}'
    assert asyncio.run(tested.astructured("Again.", schema)).text == '{"score": 1}'
    assert [request.schema for request in requests(tested)] == [schema, schema]
    assert requests(tested)[0].messages[0].content == "Grade it."


def test_fresh__same_agent_with_an_empty_conversation_and_the_same_provider():
    tested = agent("A", "B", instructions="Be brief.")
    tested.chat("1")
    other = tested.fresh()
    assert (other.history, len(tested.history)) == ((), 2)
    assert other.chat("2").text == "B"
    assert requests(tested)[1].messages == (Message("user", "2"),)
    assert requests(tested)[1].instructions == "Be brief."
    assert len(tested.history) == 2


def test_fresh__overrides_change_the_copy_alone():
    tested = agent("A", "B", temperature=0.5, model="small")
    tested.fresh(
        model="large", instructions="X", temperature=None, top_p=0.5, max_tokens=9, seed=3, tools=[lookup]
    ).chat("1")
    tested.chat("2")
    changed, same = requests(tested)
    assert (changed.model, changed.instructions, [tool.name for tool in changed.tools]) == ("large", "X", ["lookup"])
    settings = changed.settings
    assert (settings.temperature, settings.top_p, settings.max_tokens, settings.seed) == (None, 0.5, 9, 3)
    assert (same.model, same.instructions, same.settings.temperature, len(same.tools)) == ("small", "", 0.5, 2)


@pytest.mark.parametrize(
    ("overrides", "error", "why"),
    [
        ({"temprature": 1}, ConfigurationError, '"temprature" cannot be changed; did you mean "temperature"'),
        (
            {"output_type": 1},
            ConfigurationError,
            '"output_type" cannot be changed; it can change model, instructions, temperature',
        ),
        ({"tools": [1]}, ConfigurationError, r"tools\[0\]: must be a Tool"),
        ({"top_p": 2}, InvalidArgument, "top_p"),
    ],
)
def test_fresh__override_that_cannot_be_made__refused_before_any_call(overrides, error, why):
    tested = agent("never")
    with pytest.raises(error, match=why):
        tested.fresh(**overrides)
    assert requests(tested) == []


def test_subclass_with_a_constructor_of_its_own__fresh_keeps_what_it_has():
    class SupportAgent(Agent):
        def __init__(self, shop: str) -> None:
            super().__init__(FakeProvider("A"), tools=[self.where])
            self.shop = shop

        def where(self) -> str:
            return self.shop

    fresh = SupportAgent("Bonn").fresh(model="large")
    assert type(fresh) is SupportAgent
    assert fresh.shop == "Bonn"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"provider": "openai"}, "provider must be a provider, such as FakeProvider"),
        ({"max_steps": 0}, "max_steps must be a whole number, 1 or more, got 0"),
        ({"max_steps": True}, "max_steps must be a whole number, 1 or more, got True"),
        ({"temperature": -1}, "temperature"),
    ],
)
def test_options_that_mean_nothing__refused(options, why):
    with pytest.raises(InvalidArgument, match=why):
        Agent(**{"provider": FakeProvider()} | options)


@pytest.mark.parametrize("message", [None, 3, Message("assistant", "Hi")])
def test_message_that_no_user_says__refused_and_not_recorded(message):
    tested = agent("never")
    with pytest.raises(InvalidInput, match="text or a message of the user"):
        tested.chat(message)
    assert tested.history == ()


class Waiting(FakeProvider):
    """Holds its answer back until it is let go."""

    def __init__(self) -> None:
        super().__init__("A", "B")
        self.asked, self.go = threading.Event(), threading.Event()

    def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.set()
        assert self.go.wait(60)
        return super().complete(request)


def test_agent_in_use__refused_in_another_thread_and_free_afterwards():
    provider = Waiting()
    tested = Agent(provider)
    thread = threading.Thread(target=tested.chat, args=("1",))
    thread.start()
    assert provider.asked.wait(60)
    with pytest.raises(AgentError, match=r"in use by another thread or task; take fresh\(\)"):
        tested.chat("2")
    provider.go.set()
    thread.join()
    assert tested.chat("3").text == "B"
    assert Trajectory.from_messages(tested.history).user_messages() == ["1", "3"]


def test_async_round__runs_its_tools_at_the_same_time_with_the_context_of_the_caller():
    both = threading.Barrier(2, timeout=60)
    color = contextvars.ContextVar("color", default="none")

    def wait(number: int) -> str:
        both.wait()
        return f"{number} {color.get()}"

    tested = Agent(FakeProvider([call("wait", number=1), call("wait", number=2)], "ok"), tools=[wait])

    async def talk() -> None:
        color.set("red")
        await tested.achat("Go")

    asyncio.run(talk())
    assert [part.result for part in tested.history[2].tool_calls] == ["1 red", "2 red"]


def test_plain_round__runs_its_tools_in_the_calling_thread_also_inside_an_event_loop():
    seen: list[int] = []
    color = contextvars.ContextVar("color", default="none")

    def where() -> None:
        seen.append(threading.get_ident())

    async def paint() -> str:
        await asyncio.sleep(0)
        return color.get()

    tested = Agent(FakeProvider([call("where"), call("paint")], "ok"), tools=[where, paint])

    async def talk() -> None:
        color.set("red")
        tested.chat("Go")

    asyncio.run(talk())
    assert seen == [threading.get_ident()]
    assert tested.history[2].tool_calls[1].result == "red"


def test_fingerprint__changes_with_what_shapes_answers_and_with_nothing_else():
    def made(limit: int) -> Callable[..., Any]:
        def refund(amount: float) -> bool:
            return amount < limit

        return refund

    def base(**options: Any) -> Agent:
        defaults: dict[str, Any] = {"provider": FakeProvider("A"), "instructions": "X", "tools": [made(1)]}
        return Agent(**defaults | options)

    same = base()
    assert same.fingerprint == base().fingerprint == base(name="other").fresh().fingerprint
    others = [
        base(instructions="Y"),
        base(model="large"),
        base(temperature=0),
        base(max_tokens=16),
        base(extra={"tool_choice": "none"}),
        base(max_steps=3),
        base(tools=[]),
        base(tools=[made(2)]),
        base(tools=[Tool.from_function(made(1), approval=True)]),
        base(provider=FakeProvider("A", model="large")),
    ]
    assert len({tested.fingerprint for tested in [same, *others]}) == 11


class Nameless(FakeProvider):
    @property
    def fingerprint(self) -> str:
        return ""

    def problems(self) -> list[str]:
        return ["no key"]

    def is_transient(self, exc: BaseException) -> bool:
        return isinstance(exc, TimeoutError)


def test_provider__says_what_is_wrong_what_is_transient_and_whether_there_is_a_fingerprint():
    provider: BaseProvider = Nameless()
    tested = Agent(provider)
    assert (tested.fingerprint, tested.problems()) == ("", ["no key"])
    assert tested.is_transient(TimeoutError())
    assert not tested.is_transient(ValueError())


class Shelf:
    """Objects of one class, of which each holds other things."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.lock = threading.Lock()

    def find(self, name: str) -> str:
        """Find a thing."""
        return f"{name} is {self.place}"

    def __call__(self, name: str) -> str:
        """Find a thing."""
        return self.find(name)


def closing_over(shelf: Shelf) -> Callable[[str], str]:
    def find(name: str) -> str:
        """Find a thing."""
        return shelf.find(name)

    return find


def as_function(shelf: Shelf) -> Tool:
    return Tool("find", "Find a thing.", {"type": "object", "properties": {}}, shelf)


@pytest.mark.parametrize("made", [lambda shelf: shelf.find, closing_over, as_function])
def test_fingerprint__tells_tools_of_objects_apart_by_what_these_hold(made):
    prints = [Agent(FakeProvider("A"), tools=[made(Shelf(place))]).fingerprint for place in ("here", "there", "here")]
    assert prints[0] == prints[2] != prints[1]
    assert all(prints)
