"""A key is found in nothing that a run leaves behind, whatever happens to the call that carries it."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from neuron_evals import (
    Agent,
    AnthropicProvider,
    Assertion,
    BaseEvaluator,
    ClassifierJudge,
    EvaluatorRunner,
    NotEmpty,
    OllamaProvider,
    OpenAIEmbeddings,
    OpenAIProvider,
    StringSimilarity,
)
from neuron_evals.classifiers import Boolean
from neuron_evals.core.classifiers import ClassificationRequest, TypeSafeAI, typesafeai
from neuron_evals.core.outputs import ConsoleOutput, GitHubOutput, JsonOutput, JUnitOutput, MarkdownOutput
from neuron_evals.core.report import EvaluationReport
from tests.core.outputs.factories import plan_of
from tests.core.providers.dialects import ANTHROPIC, OLLAMA, OPENAI
from tests.core.providers.server import Answer, Server
from tests.core.providers.texts import texts_of
from tests.patience import under_shortest_limit

if TYPE_CHECKING:
    from pathlib import Path

KEY = "sk-canary-0123456789abcdef"
QUESTION = ClassificationRequest({"actual": "Hello?"}, {"judgment": Boolean("Is it polite?")})


@dataclass(frozen=True)
class Holder:
    """One kind of object that holds a key.

    Attributes:
        make: Makes it for the address of a server.
        ask: Asks it something.
        aask: Does so for async code.
        assertion: What asks it in a check.
        good: A good reply of its server, which tells the key.
        inside: What runs in its own frame when a reply came: an owner, and a name.
    """

    make: Callable[..., Any]
    ask: Callable[[Any], Any]
    aask: Callable[[Any], Awaitable[Any]]
    assertion: Callable[[Any], Assertion]
    good: Any
    inside: tuple[Any, str]


def _provider(cls: Any, path: str, reply: Any) -> Holder:
    return Holder(
        lambda url, **options: cls("m", base_url=f"{url}{path}", api_key=KEY, **options),
        lambda provider: Agent(provider).chat("Hello?").text,
        lambda provider: _said(Agent(provider)),
        lambda _: NotEmpty(),
        json.loads(json.dumps(reply).replace("Hello!", f"Hello! Bearer {KEY}")),
        (cls, "_read"),
    )


async def _said(agent: Agent) -> str:
    return (await agent.achat("Hello?")).text


HOLDERS = {
    "openai": _provider(OpenAIProvider, "/v1", OPENAI.text),
    "anthropic": _provider(AnthropicProvider, "/v1", ANTHROPIC.text),
    "ollama": _provider(OllamaProvider, "", OLLAMA.text),
    "typesafeai": Holder(
        lambda url, **options: TypeSafeAI(KEY, url=f"{url}/v1/systemone", **options),
        lambda classifier: classifier.classify(QUESTION),
        lambda classifier: classifier.aclassify(QUESTION),
        lambda classifier: ClassifierJudge(classifier, Boolean("Is it polite?")),
        {"answers": {"judgment": {"type": "noul", "noul": 0.9, "note": KEY}}, "note": KEY},
        (typesafeai, "_result"),
    ),
    "embeddings": Holder(
        lambda url, **options: OpenAIEmbeddings("m", base_url=f"{url}/v1", api_key=KEY, batch_size=1, **options),
        lambda embeddings: embeddings.embed(["a"]),
        lambda embeddings: embeddings.aembed(["a"]),
        lambda embeddings: StringSimilarity("a", embeddings),
        {"data": [{"embedding": [1.0]}], "note": KEY},
        (OpenAIEmbeddings, "_read"),
    ),
}


class Asks(BaseEvaluator):
    """Asks a holder; one item ends in what the holder raised, the other goes on with it."""

    def __init__(self, holder: Holder, held: Any, *, crash: bool) -> None:
        self.holder, self.held, self.crash = holder, held, crash
        self.caught: list[BaseException] = []

    def get_dataset(self):
        return [{"id": "raises"}, {"id": "goes on"}]

    def run(self, item):
        try:
            return self.answered(self.holder.ask(self.held))
        except Exception as exc:
            return self.broke(exc, item)

    def answered(self, answer: Any) -> dict[str, Any]:
        if self.crash:
            msg = f"the agent crashed with {self.held!r} {vars(self.held)!r}"
            raise RuntimeError(msg)
        return {"answer": answer, "held": self.held, "inside": vars(self.held)}

    def broke(self, exc: Exception, item: Any) -> dict[str, Any]:
        logging.getLogger("shop").error("%r %r", self.held, vars(self.held), exc_info=exc)
        self.caught.append(exc)
        if item["id"] == "raises":
            raise exc
        return {"answer": str(exc), "exception": exc, "inside": vars(exc)}

    def evaluate(self, output, item):
        self.check(self.holder.assertion(self.held), str(output["answer"]))


class AsyncAsks(Asks):
    """The same in async code."""

    async def run(self, item):
        try:
            return self.answered(await self.holder.aask(self.held))
        except Exception as exc:
            return self.broke(exc, item)

    async def evaluate(self, output, item):
        await self.acheck(self.holder.assertion(self.held), str(output["answer"]))


def _documents(report: EvaluationReport, folder: Path) -> dict[str, str]:
    """Return what each driver writes of a report."""
    streams = {name: io.StringIO() for name in ("console", "json", "junit", "markdown", "github")}
    summary = folder / "summary.md"
    drivers = [
        ConsoleOutput(streams["console"], verbosity=2),
        JsonOutput(stream=streams["json"]),
        JUnitOutput(stream=streams["junit"]),
        MarkdownOutput(stream=streams["markdown"]),
        GitHubOutput(streams["github"], summary),
    ]
    for driver in drivers:
        driver.start(plan_of(report))
        for result in report.results:
            driver.finished(result)
            driver.item(result)
        driver.output(report)
        driver.close()
    texts = {name: stream.getvalue() for name, stream in streams.items()}
    return {**texts, "summary": summary.read_text(encoding="utf-8")}


def _boom(*_: Any) -> NoReturn:
    msg = "a mistake of the provider's own"
    raise ZeroDivisionError(msg)


@pytest.fixture(params=["success", "refused", "time-out", "crash in the agent", "crash in the holder"])
def situation(request: pytest.FixtureRequest, server: Server) -> str:
    """What becomes of the calls."""
    if request.param == "refused":
        server.answers(Answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, status=401))
    elif request.param == "time-out":
        server.answers(Answer(held=True))
    return str(request.param)


@pytest.fixture(params=HOLDERS)
def holder(request: pytest.FixtureRequest, situation: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> Holder:
    """What holds the key."""
    found = HOLDERS[request.param]
    if not server.script:
        server.answers(Answer(found.good))
    if situation == "crash in the holder":
        monkeypatch.setattr(*found.inside, _boom)
    return found


@pytest.fixture(params=[Asks, AsyncAsks], ids=["sync", "async"])
def make_asks(request: pytest.FixtureRequest, holder: Holder, situation: str, server: Server) -> Callable[..., Asks]:
    """Makes what asks it, under a limit in seconds."""

    def make(limit: float) -> Asks:
        held = holder.make(server.url, timeout=limit, max_retries=0)
        made: Asks = request.param(holder, held, crash=situation == "crash in the agent")
        return made

    return make


def test_key__found_in_no_report_log_exception_traceback_or_repr(make_asks, situation, server, caplog, tmp_path):
    def run(limit):
        asks = make_asks(limit)
        return asks, EvaluationReport.of(EvaluatorRunner().run(asks))

    caplog.set_level(logging.DEBUG)
    if situation == "time-out":
        (asks, report), _ = under_shortest_limit(run, lambda _: server.asked)
    else:
        asks, report = run(60)
    shown = _documents(report, tmp_path)
    shown["log"] = caplog.text
    shown["log records"] = str([vars(record) for record in caplog.records])
    shown["repr"] = f"{asks.held!r} {vars(asks.held)!r} {report.results!r}"
    # What crashes in the agent has no frame but those of this test.
    from_holder = asks.caught if situation != "crash in the agent" else []
    shown["exceptions"] = "\n".join(map(texts_of, from_holder))

    assert any(KEY in value for value in server.asked[0].headers.values())
    assert (report.error_count > 0, len(asks.caught)) == ((False, 0) if situation == "success" else (True, 2))
    assert [where for where, text in shown.items() if KEY in text or KEY[3:] in text] == []
