from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuron_evals.core.exceptions import ConfigurationError, OutputError
from neuron_evals.core.messages import Usage
from neuron_evals.core.outputs import JUnitOutput, render
from neuron_evals.core.report import Tally
from tests.core.outputs.factories import EVALUATOR, HOSTILE, TALK, check, evaluator, item, report, report_of

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def written(whole):
    stream = io.StringIO()
    JUnitOutput(stream=stream).output(whole)
    return stream.getvalue()


def parsed(whole):
    return ET.fromstring(written(whole))  # noqa: S314  (this project's own output)


def cases(whole):
    return {case.attrib["name"]: case for case in parsed(whole).iter("testcase")}


def properties(element):
    return {each.attrib["name"]: each.attrib["value"] for each in element.findall("properties/property")}


def hostile_report(text: str) -> Any:
    """Return a report in which every text is this one."""
    one = check("failed", name=text, label=f"{text} label", message=text, vacuous=True)
    results = evaluator(
        item("failed", item_id=text, output=text, tags=(text,), checks=(one,)),
        item("error", 1, item_id=text, output={text: text}, error=text, traceback=text, checks=(one,)),
        item("skipped", 2, item_id=text, checks=(check("skipped", message=text),)),
        namespace=text,
        name=text,
    )
    return report(results, evaluator(name=text, error=text, traceback=text), stopped=text)


MIXED = report(
    evaluator(
        item(),
        item("failed", 1),
        item("error", 2, error="ValueError: no room (evals/support.py:9)", checks=()),
        item("skipped", 3),
        item("cancelled", 4),
    ),
    evaluator(item(), item("error", 1), name="shop.evals.Refunds", error="OSError: gone"),
    evaluator(name="evals/broken.py", error="SyntaxError: bad", started_at=None, finished_at=None, duration=0.0),
)


def test_each_evaluator_is_a_suite_whose_counts_and_times_are_its_own():
    keys = ("name", "tests", "failures", "errors", "skipped", "time")
    root = parsed(MIXED)
    assert root.tag == "testsuites"
    assert [root.attrib[key] for key in keys] == ["neuron_evals", "9", "1", "4", "2", "2.000000"]
    assert [[suite.attrib[key] for key in keys] for suite in root] == [
        [EVALUATOR, "5", "1", "1", "2", "1.500000"],
        ["shop.evals.Refunds", "3", "0", "2", "0", "1.500000"],
        ["evals/broken.py", "1", "0", "1", "0", "0.000000"],
    ]
    assert [suite.get("timestamp") for suite in root] == ["2026-03-01T12:00:00", "2026-03-01T12:00:00", None]


def test_the_counts_are_those_of_the_test_cases():
    for suite in parsed(MIXED):
        found = {tag: len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error", "skipped")}
        assert suite.attrib["tests"] == str(len(suite.findall("testcase")))
        assert suite.attrib["failures"] == str(found["failure"])
        assert suite.attrib["errors"] == str(found["error"])
        assert suite.attrib["skipped"] == str(found["skipped"])
        assert all(len(case.findall("./*[@message]")) <= 1 for case in suite.iter("testcase"))


def test_a_passed_item_has_class_id_and_seconds_and_no_outcome():
    case = cases(report_of(item(execution_time=1.23456789)))["item-0"]
    assert case.attrib == {"classname": EVALUATOR, "name": "item-0", "time": "1.234568"}
    assert [child.tag for child in case] == ["properties"]
    assert properties(case) == {"score": "1"}


def test_a_failed_item_names_its_failed_checks_and_tells_all_that_did_not_pass():
    checks = (
        check(),
        check("failed", message="no 9\nin it"),
        check("failed", name="Judge", label="tone", message="rude", line=40, vacuous=True),
        check("error", name="Judge", message="no reply", line=None),
        check("skipped", message="no tool"),
    )
    case = cases(report_of(item("failed", checks=checks, output={"answer": "ö"})))["item-0"]
    failure = case.find("failure")
    assert failure.attrib == {
        "type": "StringContains, Judge",
        "message": r"StringContains: no 9\nin it; tone: rude",
    }
    assert failure.text.split("\n") == [
        "failed: SupportEvaluator:31 -> StringContains: no 9",
        "    in it",
        "failed [vacuous]: SupportEvaluator:40 -> Judge (tone): rude",
        "error: SupportEvaluator -> Judge: no reply",
        "skipped: SupportEvaluator:31 -> StringContains: no tool",
    ]
    assert case.find("system-out").text == '{\n  "answer": "ö"\n}'


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("ValueError: no room (a.py:9)", "ValueError"),
        ("http.client.BadStatusLine: x", "http.client.BadStatusLine"),
        ("TimeoutError (a.py:9)", "TimeoutError"),
        ("KeyError", "KeyError"),
        ("the process ended: 9", "error"),
        ("", "error"),
    ],
)
def test_an_item_that_broke_has_the_class_of_its_error_and_the_traceback(error, kind):
    case = cases(report_of(item("error", error=error, traceback="Traceback:\n  x", checks=(check("failed"),))))[
        "item-0"
    ]
    found = case.find("error")
    assert found.attrib == {"type": kind, "message": error}
    assert found.text.split("\n") == [
        f"error: {error}",
        "failed: SupportEvaluator:31 -> StringContains: it failed",
        "Traceback:",
        "  x",
    ]


def test_an_item_with_a_broken_check_has_its_name():
    found = cases(report_of(item("error", checks=(check("failed"), check("error", name="Judge")))))["item-0"].find(
        "error"
    )
    assert found.attrib == {"type": "Judge", "message": "Judge: it error"}


def test_skipped_and_cancelled_items_say_which_they_are():
    found = cases(report_of(item("skipped"), item("cancelled", 1, output=None)))
    assert found["item-0"].find("skipped").attrib == {
        "type": "skipped",
        "message": "skipped: StringContains: it skipped",
    }
    assert found["item-1"].find("skipped").attrib == {
        "type": "cancelled",
        "message": "cancelled: the run stopped before the item ended",
    }
    assert found["item-1"].find("system-out") is None


def test_a_broken_evaluator_is_a_case_after_those_that_came_before():
    broken = evaluator(item(), error="OSError: gone\nfor good", traceback="Traceback: x")
    case = cases(report(broken))["(evaluator)"]
    assert case.attrib["classname"] == EVALUATOR
    assert case.find("error").attrib == {"type": "OSError", "message": r"OSError: gone\nfor good"}
    assert case.find("error").text == "OSError: gone\nfor good\nTraceback: x"
    assert list(cases(report(broken))) == ["item-0", "(evaluator)"]


def test_what_was_cached_tried_again_or_vacuous_says_so():
    results = item(cached_run=True, attempts=3, tags=("smoke", "a,b"), checks=(check(vacuous=True), check(score=0.25)))
    assert properties(cases(report_of(results))["item-0"]) == {
        "score": "0.625",
        "tags": "smoke, a,b",
        "attempts": "3",
        "cached_run": "true",
        "vacuous_checks": "StringContains",
    }


def test_tokens_and_cost__where_they_are_known_of_the_suite_only_as_totals():
    first = item(usage=Usage(12, 3), cost=0.1, judge_usage=Usage(5), judge_cost=0.01, judge_time=1.0)
    whole = report_of(first, item(index=1, usage=Usage(None, 3)))
    found = cases(whole)
    known = {"input_tokens": "12", "output_tokens": "3", "cost": "0.1", "judge_cost": "0.01"}
    assert properties(found["item-0"]) == {"score": "1", **known}
    assert properties(found["item-1"]) == {"score": "1", "output_tokens": "3"}
    suite = properties(parsed(whole)[0])
    assert ("cost" in suite, suite["judge_cost"]) == (False, "0.01")


def test_an_unknown_score_is_left_out():
    assert properties(cases(report_of(item(checks=(check(score=None),))))["item-0"]) == {}


def test_the_suite_says_what_its_counts_do_not():
    whole = report(evaluator(item(), item("failed", 1), item("cancelled", 2), namespace="shop"), stopped="fail-fast")
    assert properties(parsed(whole)[0]) == {
        "namespace": "shop",
        "success_rate": "0.5",
        "aggregate_score": "0.5",
        "cancelled": "1",
        "stopped": "fail-fast",
    }


def test_repeats_of_an_item_are_cases_of_their_own():
    assert list(cases(report_of(item(), item(repeat=1), item(index=1)))) == [
        "item-0 (repeat 1)",
        "item-0 (repeat 2)",
        "item-1 (repeat 1)",
    ]


def test_two_evaluators_of_one_class_do_not_share_a_name():
    found = [case.attrib["classname"] for case in parsed(report(evaluator(item()), evaluator(item()))).iter("testcase")]
    assert found == [EVALUATOR, f"{EVALUATOR} (2)"]


def test_nothing_run_is_still_a_document():
    assert parsed(report()).attrib["tests"] == "0"


def test_an_output_that_json_does_not_have_is_shown_as_what_it_holds():
    class Money:
        pass

    found = cases(report_of(item("failed", output={"a": float("nan"), "b": {1}}), item("error", 1, output=Money())))
    assert found["item-0"].find("system-out").text == '{\n  "a": null,\n  "b": [\n    1\n  ]\n}'
    assert "Money" in found["item-1"].find("system-out").text


def test_long_texts_are_shortened_and_say_so():
    long = "x" * 50_000
    case = cases(report_of(item("failed", output=long, checks=(check("failed", message=long),))))["item-0"]
    assert case.find("system-out").text.endswith("… (50000 characters)")
    assert len(written(hostile_report(long))) < 60_000


def test_a_report_without_its_results_is_refused_and_the_file_stays(tmp_path):
    kept = evaluator(item())
    bare = evaluator(tally=Tally([item("failed"), item()]), name="shop.evals.Bare")
    path = tmp_path / "junit.xml"
    path.write_text("old")
    with pytest.raises(OutputError, match=r"^the report does not hold 2 of its 3 results; run with keep_results=True$"):
        JUnitOutput(path).output(report(kept, bare))
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["junit.xml"]


def test_it_asks_for_results_and_writes_a_file_in_utf8(tmp_path):
    assert JUnitOutput.needs_results
    JUnitOutput(tmp_path / "junit.xml").output(report_of(item(item_id="größe 🙂")))
    root = ET.parse(tmp_path / "junit.xml").getroot()  # noqa: S314  (this project's own output)
    assert root[0][1].attrib["name"] == "größe 🙂"
    assert [each.name for each in tmp_path.iterdir()] == ["junit.xml"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_stream_of_any_encoding_gets_the_same_document(encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    JUnitOutput(stream=stream).output(report_of(item(item_id="größe 🙂 <")))
    root = ET.fromstring(stream.buffer.getvalue().decode(encoding))  # noqa: S314  (this project's own output)
    assert next(root.iter("testcase")).attrib["name"] == "größe 🙂 <"


def test_a_path_and_a_stream_are_refused():
    with pytest.raises(ConfigurationError, match=r"^JUnitOutput: give a path or a stream, not both$"):
        JUnitOutput("a.xml", io.StringIO())


@pytest.mark.parametrize(
    "text",
    [*HOSTILE.values(), "</failure><x a='1'>", "]]>", "<!-- -->", "&amp;&#x41;", '"', "'", "\ufffe\uffff", "<?x?>"],
)
def test_no_text_breaks_the_document_or_vanishes(text):
    root = parsed(hostile_report(text))
    assert [len(suite.findall("testcase")) for suite in root] == [3, 1]
    assert {child.tag for case in root.iter("testcase") for child in case} == {
        "properties",
        "failure",
        "error",
        "skipped",
        "system-out",
    }
    name = next(root.iter("testcase")).attrib["name"]
    assert name.isprintable()
    assert len(name) >= len(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\x00b", r"a\x00b"), ("a\x1b[2J", r"a\x1b[2J"), ("a\ud800b", r"a\ud800b"), ("a\ufffeb", r"a\ufffeb")],
)
def test_a_character_that_xml_does_not_have_is_an_escape(text, shown):
    case = cases(report_of(item("failed", item_id=text, output=text)))[shown]
    assert case.find("system-out").text == shown


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=60))
def test_any_text_gives_a_document_that_can_be_read(text):
    root = parsed(hostile_report(text))
    assert root.attrib["tests"] == str(len(list(root.iter("testcase")))) == "4"


def test_conversation_that_broke__its_end_and_the_cost_of_its_user_are_told():
    text = written(report_of(item("error", error="SimulatorError: x", trajectory=TALK, simulator_cost=0.02)))
    assert "conversation ended: error after 1 turn (the simulated user broke): SimulatorError: no reply" in text
    assert 'name="simulator_cost" value="0.02"' in text


def test_item_of_which_only_checks_broke__type_and_message_are_those_of_the_checks():
    broken = check("error", name="MaxTokens", label="budget", message="it takes a Record")
    found = item("error", checks=(check(), broken), error="broken checks: budget")
    (error,) = ET.fromstring(render(report_of(found), "junit")).iter("error")  # noqa: S314  (our own text)
    assert (error.get("type"), error.get("message")) == ("MaxTokens", "budget: it takes a Record")


def test_item_that_broke_beside_a_check__is_told_by_its_own_error():
    broken = check("error", name="MaxTokens", label="budget", message="it takes a Record")
    found = item("error", checks=(broken,), error="ValueError: no room (evals.py:3)")
    (error,) = ET.fromstring(render(report_of(found), "junit")).iter("error")  # noqa: S314  (our own text)
    assert (error.get("type"), error.get("message")) == ("ValueError", "ValueError: no room (evals.py:3)")
    assert "it takes a Record" in str(error.text)
