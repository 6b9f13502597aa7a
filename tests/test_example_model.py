"""The example with a model behind its agent, which a server on loopback plays; settings and commands of its README."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.core.providers.server import Answer, Asked, Server
from tests.example import README, ROOT, copied, load_rows, manage
from tests.markdown import blocks

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

SERVER_OF_README = "http://127.0.0.1:11434"
SETTINGS, PRICES = (block.text for block in blocks(README) if block.language == "python")


class Model(Server):
    """Has each order that it is told of refunded, and passes on what the tool said."""

    def take(self, asked: Asked) -> Answer:
        self.asked.append(asked)
        last = asked.body["messages"][-1]
        if last["role"] == "tool":
            return _says({"content": last["content"]}, "stop")
        number = re.search(r"\b\d{4}\b", last["content"])
        if number is None:
            return _says({"content": "Please tell me the order number."}, "stop")
        function = {"name": "refund_order", "arguments": json.dumps({"number": int(number[0])})}
        call = {"id": "call-1", "type": "function", "function": function}
        return _says({"content": None, "tool_calls": [call]}, "tool_calls")


def _says(message: dict[str, Any], reason: str) -> Answer:
    return Answer(
        {
            "model": "qwen3",
            "choices": [{"message": {"role": "assistant", **message}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 50},
        }
    )


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as running:
        yield running


@pytest.fixture
def example(tmp_path: Path, model: Model) -> Path:
    """A copy of the example with its rows and the two settings of its README."""
    example = copied(tmp_path)
    assert SERVER_OF_README in SETTINGS
    with (example / "config" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS.replace(SERVER_OF_README, model.url))
    load_rows(example)
    return example


def _refund_requests(example: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return manage(example, "evaluations", "example_project/evaluators", "--tag", "request", *arguments)


def _requests(example: Path) -> int:
    with (example / "evaluators" / "datasets" / "refunds.csv").open(encoding="utf-8", newline="") as file:
        return sum("request" in row["tags"].split(",") for row in csv.DictReader(file))


def _refunds(example: Path) -> int:
    with sqlite3.connect(example / "db.sqlite3") as rows:
        (count,) = rows.execute("SELECT COUNT(*) FROM shop_refund").fetchone()
    rows.close()
    return int(count)


def test_two_settings__model_answers_with_tools_that_find_and_write_the_rows(example, model):
    done = _refund_requests(example, "--concurrency", "4", "--output", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    refunded = [result["output"]["refunds"] for result in report["results"] if result["output"]["refunds"]]

    assert report["passed"] == report["total"] == _requests(example)
    assert [{"order": 1002, "amount": "48.00"}] in refunded
    assert {body["model"] for body in model.bodies} == {"qwen3"}
    assert {tool["function"]["name"] for tool in model.bodies[0]["tools"]} >= {"refund_order", "order_status"}
    assert "Today is Monday, 2026-11-30." in str(model.bodies[0]["messages"][0])
    # Two calls for each item, its tool and its answer; one item names no order, so that there is nothing to look up.
    calls = 2 * report["total"] - 1
    assert len(model.asked) == calls
    used = report["usage"]["agent"]
    assert (used["requests"]["total"], used["input"]["total"], used["output"]["total"]) == (
        calls,
        calls * 1000,
        calls * 50,
    )
    assert used["cost"] == {"total": None, "known": None, "known_items": 0}
    assert report["usage"]["judges"] is None
    assert report["time_split"]["tools"] > 0
    assert _refunds(example) == 2


def test_readme_of_the_project__has_the_same_two_settings():
    assert SETTINGS in [block.text for block in blocks(ROOT / "README.md")]


def test_prices_of_its_readme__cost_is_known(example):
    with (example / "config" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(PRICES)
    done = _refund_requests(example, "--limit", "5")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Tokens of agent: input 10000, output 500, requests 10\n" in done.stdout
    # 10,000 tokens at 0.20 and 500 at 0.60 a million.
    assert "Cost of agent: 0.0023\n" in done.stdout


def test_server_gone__every_item_is_an_error_and_none_is_lost(example, model):
    settings = example / "config" / "settings.py"
    settings.write_text(settings.read_text(encoding="utf-8").replace(model.url, "http://127.0.0.1:1"), encoding="utf-8")
    with settings.open("a", encoding="utf-8") as file:
        file.write('NEURON_EVALS["PROVIDERS"]["shop"]["OPTIONS"]["max_retries"] = 0\n')
    done = _refund_requests(example, "--limit", "5", "--output", "json")
    report = json.loads(done.stdout)

    assert done.returncode == 1
    assert (report["errors"], report["failed"], report["total"]) == (5, 0, 5)
    assert "ProviderError: openai qwen3: " in report["results"][0]["error"]
