"""Suites in files: what is read, and what is said of a file that cannot be."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from neuron_evals import SuiteError, load_suite, load_suites, run_suite
from neuron_evals.core.bounds import SuiteSize
from neuron_evals.core.suites.yaml_text import write_yaml

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
# A suite.
test_cases:
  - id: greeting
    input: Say hello
    expected: {contains_any: [hello, hi]}
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(text: str | bytes, name: str = "smoke.yaml") -> Path:
        file = tmp_path / name
        if isinstance(text, bytes):
            file.write_bytes(text)
        else:
            file.write_text(text, encoding="utf-8")
        return file

    return written


def refusal(path: Any) -> SuiteError:
    with pytest.raises(SuiteError) as refused:
        load_suite(path)
    return refused.value


@pytest.mark.parametrize("name", ["smoke.yaml", "smoke.yml", "smoke.YAML"])
def test_yaml__is_a_suite_named_after_its_file(write, name):
    suite = load_suite(write(SUITE, name))
    assert (suite.name, suite.items[0].item["id"]) == ("smoke", "greeting")


def test_json__is_one_too_and_may_name_itself(write):
    data = {"name": "Basics", "test_cases": [{"id": "a", "input": "q", "expected": "x"}]}
    assert load_suite(str(write(json.dumps(data), "smoke.json"))).name == "Basics"


@pytest.mark.parametrize("name", ["smoke.yaml", "smoke.json"])
def test_items_of_studio__in_files_too(write, name):
    data = {"timeout": 5, "dataset": [{"input": "q", "reference": "9"}]}
    suite = load_suite(write(write_yaml(data) if name.endswith("yaml") else json.dumps(data), name))
    assert (suite.defaults.timeout, suite.usual_timeout) == (5, None)
    assert run_suite(suite, agent=lambda text: "9 to 5").passed_count == 1


def test_byte_order_mark__is_passed_over(write):
    assert load_suite(write(b"\xef\xbb\xbf" + SUITE.encode())).name == "smoke"


def test_yaml__words_of_old_are_text_and_dates_too(write):
    text = "- {input: no, expected: 'yes', id: 012, metadata: {on: off, day: 2026-11-30, country: no}}\n"
    (item,) = load_suite(write(text)).items
    assert item.item == {
        "input": "no",
        "expected": "yes",
        "id": 12,
        "metadata": {"on": "off", "day": "2026-11-30", "country": "no"},
    }


def test_assertion_written_as_yaml__comes_back_with_its_options(write):
    entry = {"type": "string_length_between", "min": 1, "max": 5}
    suite = load_suite(write(write_yaml({"dataset": [{"input": "q", "_assertions": [entry]}]})))
    (check,) = suite.items[0].checks
    assert (check.assertion.type_name, check.assertion.options) == ("string_length_between", {"min": 1, "max": 5})


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("- input: !!python/object/apply:os.getcwd []\n", 1, 10, "tags are not read"),
        ("- input: !custom x\n", 1, 10, "tags are not read"),
        ("name: a\nname: b\n", 2, 1, "stands twice"),
        ("test_cases:\n  - id: a\n   input: b\n", 3, 4, "no YAML"),
        ("a: &a [x]\nb: {<<: *a}\n", 2, 5, "merge keys"),
        ("? [a]\n: b\n", 1, 3, "a key must be text"),
        ("- input: .nan\n", 1, 10, "no finite number"),
        ("a: 1\n---\nb: 2\n", 2, 1, "one document"),
    ],
)
def test_yaml_that_is_none__is_told_with_its_line(write, text, line, column, message):
    error = refusal(write(text))
    assert error.places[0].endswith(f"smoke.yaml, line {line}, column {column}")
    assert message in error.problems[0].message


def test_aliases_that_grow__refused(write):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "more than 200,000 values" in str(refusal(write("\n".join(lines))))


def test_mistakes__have_file_line_and_column_of_the_value(write):
    file = write(SUITE + "    eval_type: contians\n    tags: 5\n  - id: greeting\n    input: hi\n    expcted: x\n")
    error = refusal(file)
    found = zip(error.problems, error.places, strict=True)
    assert [(problem.item_index, problem.field, place) for problem, place in found] == [
        (0, "eval_type", f"{file}, line 6, column 16"),
        (0, "tags", f"{file}, line 7, column 11"),
        (1, "expcted", f"{file}, line 10, column 14"),
        (1, "id", f"{file}, line 8, column 9"),
    ]
    assert f'{file}, line 6, column 16: item 0 (id "greeting"), eval_type: there is no eval_type "contians"' in str(
        error
    )


def test_mistakes_deep_inside__are_found_there(write):
    text = SUITE + "  - id: b\n    input: q\n    expected:\n      contains:\n        - x\n        - 7\n"
    assert refusal(write(text)).places == (f"{write(text)}, line 11, column 11",)


def test_what_is_missing__is_told_at_its_case(write):
    file = write(SUITE + "  - input: q\n    expected: x\n")
    assert refusal(file).places == (f"{file}, line 6, column 5",)


def test_json__mistakes_have_lines_too(write):
    file = write('{"test_cases": [\n  {"id": "a", "inptu": "q", "input": "q", "expected": "x"}\n]}', "smoke.json")
    assert refusal(file).places == (f"{file}, line 2, column 24",)
    broken = refusal(write('{"test_cases": [\n  {"id": "a",}\n]}', "smoke.json"))
    assert "line 2" in str(broken)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"- input: \xff\n", "is no text in UTF-8: byte 9"),
        (b"#" * (SuiteSize().file_bytes + 1), "more than 10,000,000 bytes"),
        (b"", "is empty; there must be a list of items, or an object with test_cases or dataset or items"),
        (b"# nothing\n---\n...\n", "is empty"),
        (SUITE.encode("utf-16"), "is no text in UTF-8: byte 0"),
        (b"\0" * 10, "the character U+0000 is not allowed"),
        (b"just text", "holds a text"),
        (b"'[{}]'", "holds a text"),
    ],
)
def test_file_that_holds_no_suite__refused(write, content, message):
    file = write(content)
    error = refusal(file)
    assert str(file) in str(error)
    assert message in str(error)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{}", ""),
        ("name: smoke", ""),
        ("testCases: []", '; "testCases" is none of them, did you mean "test_cases"?'),
        ("name: smoke\ntests: []", '; "tests" is none of them, did you mean "test_cases"?'),
        ("datasets: []", '; "datasets" is none of them, did you mean "dataset"?'),
    ],
)
def test_object_that_holds_nothing_to_run__says_where_it_is_looked_for(write, text, hint):
    (problem,) = refusal(write(text)).problems
    assert (problem.item_index, problem.field) == (None, "dataset")
    assert problem.message == (
        f"is missing; a suite holds its cases under test_cases, or its items under dataset or items{hint}"
    )


def test_names_that_drive_terminals__are_shown_and_do_nothing(write):
    text = 'test_cases:\n  - {id: "a\\e[2J", input: q, expected: x, "b\\nsmoke.yaml: fine": 1, eval_type: "c\\u202e"}\n'
    shown = str(refusal(write(text, "s\x1b[2J.yaml")))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert len(shown.splitlines()) == 3, "no name makes lines of its own"
    assert "s\\x1b[2J.yaml, line 2, column " in shown
    assert 'item 0 (id "a\\x1b[2J"), b\\nsmoke.yaml: fine: there is no such key' in shown


def test_names_that_do_not_end__are_cut_and_what_would_be_valid_is_told(write):
    item = {"id": "a", "input": "q", "expected": "x", "eval_type": "x" * 100_000, "k" * 100_000: 1}
    shown = str(refusal(write(json.dumps({"test_cases": [item]}), "smoke.json")))
    assert len(shown) < 5_000
    assert "there are exact_match, fuzzy_match" in shown
    assert "known are input, reference" in shown


def test_file_that_is_not_there_or_of_another_kind__refused(write, tmp_path):
    assert "cannot be read: No such file" in str(refusal(tmp_path / "nowhere.yaml"))
    assert "is a directory; load_suites" in str(refusal(_directory(tmp_path / "folder.yaml")))
    assert "cannot be read: embedded null" in str(refusal(tmp_path / "a\0b.yaml"))
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    assert "cannot be read: Too many levels" in str(refusal(tmp_path / "loop.yaml"))
    assert "ends in .yaml, .yml, .json" in str(refusal(write(SUITE, "smoke.txt")))


def _directory(path: Path) -> Path:
    path.mkdir()
    return path


def test_error__survives_the_way_between_processes(write):
    error = refusal(write(SUITE + "    eval_type: contians\n"))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  (its own)
    assert (str(again), again.problems, again.ids, again.places) == (
        str(error),
        error.problems,
        error.ids,
        error.places,
    )


def test_directory__its_suites_in_the_order_of_their_names(write, tmp_path):
    for name in ("b.yaml", "a.yml", "c.json", "notes.txt", ".hidden.yaml"):
        write('[{"input": "q", "expected": "x"}]', name)
    _directory(tmp_path / "below")
    write(SUITE, "below/d.yaml")
    assert [suite.name for suite in load_suites(tmp_path)] == ["a", "b", "c"]


def test_directory__suites_of_one_name_have_that_of_their_file_behind_it(write, tmp_path):
    for file, name in (("a.yaml", "hours"), ("b.json", "hours"), ("c.yaml", "other"), ("d.yaml", "d"), ("d.yml", "d")):
        write(f'{{"name": "{name}", "items": [{{"input": "q", "reference": "x"}}]}}', file)
    names = [suite.name for suite in load_suites(tmp_path)]
    assert names == ["hours (a.yaml)", "hours (b.json)", "other", "d (d.yaml)", "d (d.yml)"]


def test_directory__one_bad_file_is_enough_and_all_are_told(write, tmp_path):
    write(SUITE, "good.yaml")
    first, second = write("a: [", "a.yaml"), write(SUITE + "    tags: 5\n", "b.yaml")
    with pytest.raises(SuiteError) as refused:
        load_suites(tmp_path)
    assert [place.partition(",")[0] for place in refused.value.places] == [str(first), str(second)]
    assert str(second) in str(refused.value)


def test_directory_without_suites_or_none__refused(tmp_path):
    with pytest.raises(SuiteError, match="there is no suite in it"):
        load_suites(tmp_path)
    with pytest.raises(SuiteError, match="there is no such directory"):
        load_suites(tmp_path / "nowhere")
    (tmp_path / "a.txt").touch()
    with pytest.raises(SuiteError, match="no such directory; load_suite, or the option --file, reads one file"):
        load_suites(tmp_path / "a.txt")
