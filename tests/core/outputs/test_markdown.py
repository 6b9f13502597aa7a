from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.messages import Usage
from neuron_evals.core.outputs import MarkdownOutput
from neuron_evals.core.outputs.markdown_text import code_block, code_span, table_code
from neuron_evals.core.report import Tally
from tests.core.outputs.factories import HOSTILE, TALK, check, evaluator, item, plan_of, report, report_of

FORGERIES = {
    "link": "[x](https://example.org)",
    "image": "![x](https://example.org/a.png)",
    "address": "https://example.org www.example.org a@example.org <https://example.org>",
    "html": "<img src=x onerror=alert(1)></code></td><!-- <script>",
    "mention": "@octocat @org/team #1 GH-1 0123456789abcdef0123456789abcdef01234567",
    "table": "a | b\n|---|---|\n| c | d |",
    "pipe": r"a | b \| c \\| d",
    "heading": "x\n# heading\nheading\n===\n\n---",
    "list": "x\n- item\n1. item\n\n\n* item\n- [x] done",
    "fence": "x\n```\n# out\n````\n~~~\n",
    "indented fence": "x\n    ```\n        ```\n\n\n# out",
    "backticks": "`a` ``b`` ```c```",
    "edges": "`a`",
    "odd backtick": "a ` b",
    "spaces": "  a  ",
    "many backticks": "x" + "`" * 200 + "# out",
    "many backticks on lines": "\n" + "`" * 200 + "\n# out",
    "reference": "[x]\n\n[x]: https://example.org",
    "entity": "&lt;b&gt; &#42;",
    "escape": r"\` \* \\",
    "math": "$x$ $$y$$ $`z`$",
    "footnote": "[^1]\n\n[^1]: x",
}


def written(whole, **options: Any):
    stream = io.StringIO()
    MarkdownOutput(stream=stream, **options).output(whole)
    return stream.getvalue()


def tokens(text):
    """Return the tokens of a text, inline ones after the block they stand in."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        found += [token, *(token.children or [])]
    return found


def hostile_report(text: str) -> Any:
    """Return a report in which every text is this one."""
    one = check("failed", name=text, label=f"{text} label", message=text, vacuous=True)
    results = evaluator(
        item("failed", item_id=text, output=text, tags=(text,), checks=(one,)),
        item("error", 1, item_id=text, error=text, traceback=text, checks=(one,)),
        name=text,
    )
    return report(results, evaluator(name=f"evals/{text}.py", error=text, traceback=text), stopped=text)


MIXED = report(
    evaluator(
        item(cached_run=True, checks=(check(vacuous=True),)),
        item("failed", 1, repeat=1, attempts=2, cached_run=True),
        item("error", 2, error="ValueError: no room", checks=(check("skipped"), check(line=None))),
        item("skipped", 3),
        item("cancelled", 4),
    ),
    evaluator(item(), name="shop.evals.Refunds", error="OSError: gone\nfor good"),
    stopped="fail-fast",
)


def test_the_whole_text_of_a_run():
    assert written(MIXED).splitlines() == [
        "## Agent evaluations: FAILURES!",
        "",
        "| Evaluator | Items | Passed | Failed | Errors | Skipped | Cancelled | Success rate (95% interval) | Score "
        "| Duration |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        "| All | 6 | 2 | 1 | 1 | 1 | 1 | 50% (7.7% to 92.3%) | 0.667 (n=3) | 2 s |",
        "| `SupportEvaluator` | 5 | 1 | 1 | 1 | 1 | 1 | 33.3% (1.7% to 93.7%) | 0.5 (n=2) | 1.5 s |",
        "| `Refunds` | 1 | 1 | 0 | 0 | 0 | 0 | 100% (20.7% to 100%) | 1 (n=1) | 1.5 s |",
        "",
        "- Assertions: 6, passed: 3, failed: 1, errors: 0, skipped: 2",
        "- Repeats: 4 items in 4 executions, pass@2 n/a, pass^2 n/a (over 0 of 4 items)",
        "- Tried again: 1 of 6 items, once",
        "- Cached runs: 2 of 6 (assertions evaluated again)",
        "- Skipped: 1 item to which no check applied",
        "- Cancelled: 1 item; the run stopped before they ended",
        "- Stopped early: `fail-fast`",
        "- Warning: 1 vacuous check (every output passes, or none can): `SupportEvaluator:31 StringContains`",
        "",
        "### 1 evaluator error",
        "",
        "- `Refunds`:",
        "",
        "  ```",
        "  OSError: gone",
        "  for good",
        "  ```",
        "",
        "### 1 failure and 1 error",
        "",
        "- **FAILED** `SupportEvaluator #1` `item-1` (repeat 2, 2 attempts, cached run)",
        "  - failed `SupportEvaluator:31 -> StringContains`: `it failed`",
        "- **ERROR** `SupportEvaluator #2` `item-2`",
        "  - error: `ValueError: no room`",
        "  - skipped `SupportEvaluator:31 -> StringContains`: `it skipped`",
    ]


def test_one_evaluator_has_one_row_and_what_is_unknown_reads_so():
    lines = written(report_of(item("skipped"))).splitlines()
    assert lines[0] == "## Agent evaluations: NOTHING WAS JUDGED"
    assert lines[4] == "| `SupportEvaluator` | 1 | 0 | 0 | 0 | 1 | 0 | n/a | n/a | 1.5 s |"
    assert lines[5] == ""


def test_tokens_cost_and_times__are_notes_when_known():
    lines = written(
        report_of(
            item(usage=Usage(12, 3), cost=0.1, run_time=1.0),
            item(index=1, usage=Usage(8, 2), judge_usage=Usage(5, 1), judge_cost=0.03, judge_time=0.25),
        )
    ).splitlines()
    at = lines.index("- Tokens of agent: input 20, output 5, requests 2")
    assert lines[at + 1 : at + 5] == [
        "- Cost of agent: at least 0.1 (known for 1 of 2 items)",
        "- Tokens of judges: input 5, output 1, requests 1",
        "- Cost of judges: 0.03",
        "- Time of all items: agent 1 s, tools n/a, judges 0.25 s",
    ]


def test_only_what_there_is_is_named():
    assert "### 1 error\n" in written(report_of(item("error"), item(index=1)))
    text = written(report_of(item()))
    assert text.startswith("## Agent evaluations: OK\n")
    assert "###" not in text


def test_evaluators_that_share_their_short_name_are_told_apart():
    text = written(
        report(*(evaluator(item("failed", evaluator_class=name), name=name) for name in ("a.Same", "b.Same")))
    )
    assert "| `a.Same` |" in text
    assert "**FAILED** `b.Same #0`" in text


def test_results_given_as_they_come_are_enough():
    driver = MarkdownOutput(stream=(stream := io.StringIO()))
    assert not driver.needs_results
    result = item("failed")
    bare = report(evaluator(tally=Tally([result])))
    for _ in range(2):
        driver.start(plan_of(bare))
        driver.item(result)
    driver.output(bare)
    assert stream.getvalue().count("`item-0`") == 1
    assert "Left out" not in stream.getvalue()


def test_results_that_were_not_kept_are_said_to_be_left_out():
    text = written(report(evaluator(tally=Tally([item("failed")] * 3))))
    assert text.endswith(
        "\n**Left out here: 3 of 3 failed or broken items.** The JSON and JUnit outputs have all of them.\n"
    )


def test_after_fifty_items_it_says_how_many_are_left():
    text = written(report_of(*(item("failed", number) for number in range(60))))
    assert text.count("**FAILED**") == 50
    assert "**Left out here: 10 of 60 failed or broken items.**" in text


@pytest.mark.parametrize("limit", [10_000, 20_000, 65_536])
@pytest.mark.parametrize("char", ["x", "🙂", "`", "\x00", "\n", "|"])
def test_the_text_stays_below_its_limit_and_says_what_it_left_out(limit, char):
    long = char * 2_000
    checks = [check("failed", message=long, label=long)] * 10
    one = evaluator(*(item("failed", n, item_id=long, checks=tuple(checks)) for n in range(40)), name=long)
    many = (evaluator(name=f"shop.evals.{long}{n}", error=long) for n in range(300))
    text = written(report(one, *many, stopped=long), limit=limit)
    assert len(text) <= limit
    last = text.splitlines()[-1]
    assert last.startswith("**Left out here: ")
    for noun in ("of 301 evaluators", "of 300 evaluator errors", "of 40 failed or broken items"):
        assert noun in last


def test_an_item_shows_ten_checks_and_says_how_many_are_left():
    checks = tuple(check("failed", label=f"label {number}") for number in range(12))
    text = written(report_of(item("failed", checks=checks)))
    assert "(label 9)" in text
    assert text.endswith("  - 2 more checks did not pass\n")
    assert "more check" not in written(report_of(item("failed", checks=checks[:10])))


def test_a_limit_that_leaves_no_room_is_refused():
    for limit in (9_999, "10000", True):
        with pytest.raises(ConfigurationError, match=r"^MarkdownOutput: limit is a number of characters from 10000, "):
            MarkdownOutput(limit=limit)  # type: ignore[arg-type]


def test_it_writes_a_file(tmp_path):
    MarkdownOutput(tmp_path / "report.md").output(report_of(item(item_id="größe")))
    assert (tmp_path / "report.md").read_text(encoding="utf-8").startswith("## Agent evaluations: OK\n")


OURS = {
    "heading_open",
    "heading_close",
    "inline",
    "table_open",
    "table_close",
    "thead_open",
    "thead_close",
    "tbody_open",
    "tbody_close",
    "tr_open",
    "tr_close",
    "th_open",
    "th_close",
    "td_open",
    "td_close",
    "bullet_list_open",
    "bullet_list_close",
    "list_item_open",
    "list_item_close",
    "paragraph_open",
    "paragraph_close",
    "text",
    "strong_open",
    "strong_close",
    "code_inline",
    "fence",
    "softbreak",
}


def outside_code(text):
    """Return what a reader of Markdown would take for more than code."""
    return [
        (token.type, token.content) for token in tokens(text) if token.type not in {"code_inline", "fence", "inline"}
    ]


@pytest.mark.parametrize("text", [*FORGERIES.values(), *HOSTILE.values()], ids=[*FORGERIES, *HOSTILE])
def test_no_text_is_read_as_markup(text):
    plain = "two\nlines" if "\n" in text else "plain"
    found = written(hostile_report(text))
    assert {token.type for token in tokens(found)} <= OURS
    # The same structure and the same words outside of code as with a harmless text.
    assert outside_code(found) == outside_code(written(hostile_report(plain)))


@given(st.text(st.sampled_from("`a |\\\n#-*_[]()!<>&@~\t\r$=:1."), min_size=1, max_size=40))
def test_any_text_stays_in_its_code(text):
    plain = "two\nlines" if "\n" in text else "plain"
    assert outside_code(written(hostile_report(text))) == outside_code(written(hostile_report(plain)))


@given(st.text(st.sampled_from("` a\\|"), min_size=1, max_size=8))
def test_inline_code_holds_the_text_as_it_is(text):
    codes = [token.content for token in tokens(f"x {code_span(text, 100)} y") if token.type == "code_inline"]
    assert codes == [text]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a", "`a`"),
        ("", "` `"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        (" a", "`  a `"),
        ("a\nb", r"`a\nb`"),
        ("`" * 9, f"`{chr(92)}x60{(chr(92) + 'x60') * 8}`"),
        ("`" * 8, "`" * 9 + " " + "`" * 8 + " " + "`" * 9),
        ("x" * 30, "`xxx… (30 characters)`"),
    ],
)
def test_inline_code(text, span):
    assert code_span(text, 20) == span


def test_a_bar_in_a_table_is_an_escape():
    assert table_code("a|b", 20) == r"`a\x7cb`"


def test_a_block_has_a_longer_fence_than_its_text():
    assert code_block("a\n````\nb", 20, "  ") == "  `````\n  a\n  ````\n  b\n  `````\n"


def test_conversation_that_broke__its_end_is_told():
    text = written(report_of(item("error", error="SimulatorError: no reply", trajectory=TALK)))
    assert "  - conversation ended: `error after 1 turn (the simulated user broke): SimulatorError: no reply`\n" in text
