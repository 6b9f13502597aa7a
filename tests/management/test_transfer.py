"""`eval_import` and `eval_export` as a user sees them."""

from __future__ import annotations

import json
import stat
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from neuron_evals.judge_templates import KINDS
from neuron_evals.models import AgentDefinition, EvalSuite

SETTINGS: dict[str, Any] = {
    "PROVIDERS": {"shop": {"BACKEND": "tests.testapp.agents.CannedProvider"}},
    "AGENTS": {"echo": "tests.testapp.agents.echo"},
}
ITEMS: list[dict[str, Any]] = [
    {"id": "hours", "input": "hours?\nToday", "reference": "9", "tags": ["smoke"], "metadata": {"n": 1.5}},
    {"turns": ["I want a refund", "Yes"], "_assertions": [{"type": "contains", "value": "=no \u00e9\U0001f600"}]},
]
WHOLE = ("json", "yaml")
FORMATS = (*WHOLE, "jsonl", "csv")

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


def run(command: str, *args: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command(command, *args, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(command: str, *args: str) -> str:
    with pytest.raises(CommandError) as caught:
        run(command, *args)
    assert caught.value.returncode == 2
    return str(caught.value)


def differs(command: str, *args: str) -> str:
    out = StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command(command, *args, stdout=out)
    assert caught.value.code == 1
    return out.getvalue()


def agent(name: str = "Shop", **columns: Any) -> AgentDefinition:
    row = AgentDefinition(**{"name": name, "provider": "shop", "model": "m1", **columns})
    row.save()
    return row


def suite(**columns: Any) -> EvalSuite:
    row = EvalSuite(**{"name": "Opening hours", "dataset": ITEMS, "agent": agent(), **columns})
    row.save()
    return row


def full_suite() -> EvalSuite:
    return suite(
        judge=agent("Judge"), description="When?\nAlways: [yes]", tags=["smoke", "no"], repeats=2, timeout=2.5,
        retries=0, concurrency=4, min_success_rate=0.95, metadata={"owner": "shop", "0x1F": None}, is_active=False,
    )  # fmt: skip


def columns_of(row: EvalSuite) -> dict[str, Any]:
    names = {field.attname for field in EvalSuite._meta.concrete_fields} - {"id", "created_at", "updated_at"}
    return {name: getattr(row, name) for name in sorted(names)}


@pytest.mark.parametrize("file_format", FORMATS)
def test_suite_exported_and_imported__is_the_same_and_unchanged(file_format):
    before = columns_of(full_suite())
    file = f"suite.{file_format}"
    assert run("eval_export", "opening-hours", file) == (f"Wrote {file}.\n", "")
    beside = [] if file_format in WHOLE else ["--suite", "opening-hours"]
    assert run("eval_import", file, *beside) == ('unchanged suite "opening-hours" (2 items)\n', "")

    EvalSuite.objects.update(dataset=[{"input": "x", "reference": "y"}], content_hash="", item_count=1)
    assert run("eval_import", file, *beside)[0] == 'updated suite "opening-hours" (2 items)\n'
    assert columns_of(EvalSuite.objects.get()) == before


@pytest.mark.parametrize("file_format", WHOLE)
def test_suite_that_was_deleted__comes_back_whole(file_format):
    row = full_suite()
    before = columns_of(row)
    run("eval_export", str(row.pk), f"suite.{file_format}")
    row.delete()
    assert run("eval_import", f"suite.{file_format}")[0] == 'created suite "opening-hours" (2 items)\n'
    assert columns_of(EvalSuite.objects.get()) == before


@pytest.mark.parametrize("file_format", FORMATS)
def test_check__says_nothing_differs_until_something_does(file_format):
    row = full_suite()
    file = f"suite.{file_format}"
    beside = [] if file_format in WHOLE else ["--suite", "opening-hours"]
    run("eval_export", row.slug, file)
    assert run("eval_export", row.slug, file, "--check")[0] == f'{file} is as the stored suite "{row.slug}" says.\n'
    assert run("eval_import", file, *beside, "--check")[0] == "The stored suites are as the files say.\n"

    row.dataset = [{**ITEMS[0], "reference": "10"}, ITEMS[1]]
    row.save()
    told = differs("eval_export", row.slug, file, "--check")
    assert differs("eval_import", file, *beside, "--check") == told
    assert f'{file} and the stored suite "opening-hours" differ:\n--- {file}\n+++ suite opening-hours\n' in told
    assert '\n-  reference: "9"\n+  reference: "10"\n' in told
    assert EvalSuite.objects.get().dataset[0]["reference"] == "10"


@pytest.mark.parametrize("change", [{"description": "other"}, {"repeats": 3}, {"tags": []}, {"is_active": True}])
def test_check_of_a_whole_suite__sees_every_column_and_one_of_items_does_not(change):
    row = full_suite()
    run("eval_export", row.slug, "suite.yaml")
    run("eval_export", row.slug, "suite.csv")
    EvalSuite.objects.update(**change)
    assert next(iter(change)) in differs("eval_export", row.slug, "suite.yaml", "--check")
    run("eval_export", row.slug, "suite.csv", "--check")


def test_check__of_a_suite_that_is_not_stored__and_nothing_is_stored(tmp_path):
    (tmp_path / "new.json").write_text(json.dumps(ITEMS))
    told = differs("eval_import", "new.json", "--agent", "echo", "--check")
    assert told == 'new.json: there is no stored suite "new"\n'
    assert not EvalSuite.objects.exists()
    assert not AgentDefinition.objects.exists()


def test_what_cells_cannot_tell_apart__is_no_difference():
    row = suite(dataset=[{"id": 7, "name": "", "description": None, "input": "a", "reference": "b", "tags": "x,y"}])
    run("eval_export", row.slug, "suite.csv")
    run("eval_export", row.slug, "suite.csv", "--check")
    run("eval_export", row.slug, "suite.json")
    run("eval_export", row.slug, "suite.json", "--check")


def test_long_difference__cut():
    row = suite(dataset=[{"input": f"q{number}", "reference": "a"} for number in range(100)])
    run("eval_export", row.slug, "suite.yaml")
    EvalSuite.objects.update(dataset=[{"input": f"p{number}", "reference": "a"} for number in range(100)])
    lines = differs("eval_export", row.slug, "suite.yaml", "--check").splitlines()
    assert len(lines) == 42
    assert lines[-1].startswith("... and ")


def test_whole_numbers_in_the_file__are_the_same_as_those_stored(tmp_path):
    agent()
    document = {"agent": "shop", "timeout": 5, "min_success_rate": 1, "dataset": ITEMS}
    (tmp_path / "s.json").write_text(json.dumps(document))
    run("eval_import", "s.json")
    run("eval_import", "s.json", "--check")
    assert run("eval_import", "s.json")[0] == 'unchanged suite "s" (2 items)\n'


class TestExport:
    def test_keys_of_items__in_one_order_whatever_the_database_gives(self) -> None:
        check = {"values": ["b", "a"], "label": "l", "type": "contains_any"}
        suite(dataset=[{"metadata": {"b": 1, "a": 2}, "_assertions": [check], "input": "x", "id": "one"}])
        [item] = json.loads(run("eval_export", "opening-hours")[0])["dataset"]
        assert list(item) == ["id", "input", "_assertions", "metadata"]
        assert list(item["_assertions"][0]) == ["type", "label", "values"]
        assert item["_assertions"][0]["values"] == ["b", "a"]
        assert list(item["metadata"]) == ["a", "b"]

    def test_without_a_file__to_standard_output_as_json(self) -> None:
        suite()
        out, _ = run("eval_export", "opening-hours")
        assert json.loads(out)["dataset"] == ITEMS
        assert run("eval_export", "opening-hours", "--format", "csv")[0].startswith("id,input,")

    def test_formulas__guarded_unless_raw(self) -> None:
        suite(dataset=[{"input": "=HYPERLINK(1)", "reference": "-1"}])
        assert run("eval_export", "opening-hours", "--format", "csv")[0].endswith("\r\n'=HYPERLINK(1),'-1\r\n")
        assert run("eval_export", "opening-hours", "--format", "csv", "--raw")[0].endswith("\r\n=HYPERLINK(1),-1\r\n")

    def test_existing_file__replaced_whole_and_kept_when_the_folder_is_missing(self, tmp_path) -> None:
        suite()
        file = tmp_path / "suite.json"
        file.write_text("old" * 10_000)
        file.chmod(0o640)
        run("eval_export", "opening-hours", "suite.json")
        assert json.loads(file.read_text())["slug"] == "opening-hours"
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        assert [entry.name for entry in tmp_path.iterdir()] == ["suite.json"]
        assert 'cannot write "gone/suite.json"' in refused("eval_export", "opening-hours", "gone/suite.json")

    def test_suite_that_is_not_there__refused_with_the_nearest(self) -> None:
        suite()
        assert refused("eval_export", "opening-hour") == (
            'There is no suite "opening-hour". Did you mean "opening-hours"?'
        )

    def test_name_without_a_format__refused(self) -> None:
        suite()
        assert "its name does not tell the format" in refused("eval_export", "opening-hours", "suite.txt")
        assert "--check needs the file" in refused("eval_export", "opening-hours", "--check")


class TestImport:
    def test_list_of_items__a_new_suite_named_by_its_file(self, tmp_path) -> None:
        (tmp_path / "Opening hours.json").write_text(json.dumps(ITEMS))
        assert run("eval_import", "Opening hours.json", "--agent", "echo")[0] == (
            'created suite "opening-hours" (2 items)\n'
        )
        row = EvalSuite.objects.get()
        assert (row.name, row.agent.code, row.dataset) == ("Opening hours", "echo", ITEMS)

    def test_options__go_before_what_the_file_says(self, tmp_path) -> None:
        agent("Other")
        (tmp_path / "s.json").write_text(json.dumps({"name": "A", "slug": "a", "agent": "gone", "items": ITEMS}))
        run("eval_import", "s.json", "--suite", "b", "--name", "B", "--agent", "other", "--judge", "other")
        row = EvalSuite.objects.get()
        assert (row.slug, row.name, row.agent.slug, row.judge.slug) == ("b", "B", "other", "other")

    def test_items_alone__leave_the_rest_of_the_suite(self, tmp_path) -> None:
        row = full_suite()
        before = columns_of(row)
        (tmp_path / "s.jsonl").write_text(json.dumps(ITEMS[0]) + "\n")
        run("eval_import", "s.jsonl", "--suite", row.slug)
        after = columns_of(EvalSuite.objects.get())
        changed = {name for name, value in after.items() if value != before[name]}
        assert changed == {"dataset", "content_hash", "item_count"}

    def test_every_problem_of_every_file__told_at_once_and_nothing_stored(self, tmp_path) -> None:
        agent()
        good = {"agent": "shop", "dataset": ITEMS}
        (tmp_path / "good.json").write_text(json.dumps(good))
        (tmp_path / "bad.yaml").write_text(
            "agent: shop\nrepeats: 0\nmodle: x\ndataset:\n  - input: a\n    reference: b\n"
        )
        told = refused("eval_import", "good.json", "bad.yaml")
        assert told.startswith("bad.yaml: 2 problems:\n- repeats: ")
        assert "\n- modle: " in told
        assert not EvalSuite.objects.exists()

        (tmp_path / "worse.json").write_text(json.dumps({**good, "dataset": [{"id": "x", "input": "a"}, 3]}))
        (tmp_path / "worst.json").write_text(json.dumps({"agent": "nobody", "dataset": ITEMS}))
        told = refused("eval_import", "good.json", "worse.json", "worst.json")
        assert told.startswith('worse.json: 2 problems (items are counted from 0):\n- item 0 (id "x"): has nothing')
        assert '\nworst.json: agent: there is no agent "nobody".' in told
        assert not EvalSuite.objects.exists()

    def test_everything_wrong_with_a_file__told_at_once_and_nothing_stored(self, tmp_path) -> None:
        agent("Judge", slug="grader")
        document = {
            "name": "Hours",
            "agent": "shpo",
            "judge": "gradr",
            "retries": -1,
            "modle": "x",
            "tags": ["a", 3],
            "dataset": [
                {"id": "x", "input": "a", "_assertions": [{"type": "helpfulness"}]},
                {"id": "x", "input": "", "reference": "b"},
                3,
            ],
        }
        (tmp_path / "s.json").write_text(json.dumps(document))
        told = refused("eval_import", "s.json")
        assert told.startswith("s.json: 8 problems (items are counted from 0):\n")
        for said in (
            '- agent: there is no agent "shpo".',
            '- judge: there is no agent "gradr". Did you mean "grader"?',
            "- retries: ",
            "- modle: there is no such key",
            "- tags[1]: ",
            "- item 1 (id \"x\"), id: the id 'x' is that of item 0 too",
            '- item 1 (id "x"), input: ',
            "- item 2: ",
        ):
            assert said in told
        assert not EvalSuite.objects.exists()

    def test_provider_of_a_legacy_judge__told_with_an_unknown_agent(self, tmp_path) -> None:
        graded = [{"input": "a", "_assertions": [{"type": "helpfulness"}]}]
        document = {"agent": "nobody", "judge_config": {"provider": "shpo"}, "dataset": graded}
        (tmp_path / "s.json").write_text(json.dumps(document))
        told = refused("eval_import", "s.json")
        assert told.startswith("s.json: 2 problems:")
        assert '- agent: there is no agent "nobody".' in told
        assert '- judge_config: provider: The setting PROVIDERS has no "shpo". Did you mean "shop"?' in told

    def test_agent_in_code__gets_no_definition_from_a_file_with_problems(self, tmp_path) -> None:
        (tmp_path / "s.json").write_text(json.dumps({"agent": "echo", "judge": "nobody", "dataset": ITEMS}))
        assert 'judge: there is no agent "nobody".' in refused("eval_import", "s.json")
        assert not AgentDefinition.objects.exists()

    def test_file_that_cannot_be_read__told_with_the_problems_of_others(self, tmp_path) -> None:
        (tmp_path / "a.json").write_text("[1,")
        (tmp_path / "b.json").write_text(json.dumps({"agent": "nobody", "dataset": ITEMS}))
        told = refused("eval_import", "a.json", "b.json")
        assert "a.json: dataset: not valid JSON" in told
        assert 'b.json: agent: there is no agent "nobody".' in told

    def test_files_of_one_suite__refused(self, tmp_path) -> None:
        agent()
        for name in ("a.json", "b.json"):
            (tmp_path / name).write_text(json.dumps({"slug": "hours", "agent": "shop", "dataset": ITEMS}))
        (tmp_path / "hours.json").write_text(json.dumps(ITEMS))
        told = refused("eval_import", "a.json", "b.json", "hours.json", "--agent", "shop")
        assert told.startswith('a.json, b.json, hours.json: all of them are of the suite "hours"')
        assert not EvalSuite.objects.exists()

    @pytest.mark.parametrize("wrong", [{"judge": 3}, {"judge_config": 3}, {"slug": 3}, {"agent": 3}])
    def test_key_with_a_wrong_value__brings_no_problem_that_would_go_with_it(self, tmp_path, wrong) -> None:
        agent()
        graded = [{"input": "a", "_assertions": [{"type": "helpfulness"}]}]
        known = {"slug": "s", "judge": "shop", "agent": "shop"}
        document = {**known, **wrong, "dataset": graded}
        if "slug" in wrong:
            del document["agent"]
        if "judge_config" in wrong:
            del document["judge"]
        (tmp_path / "s.json").write_text(json.dumps(document))
        told = refused("eval_import", "s.json")
        assert told.startswith(f"s.json: {next(iter(wrong))}: ")
        assert "\n" not in told

    @pytest.mark.parametrize(
        ("name", "text", "said"),
        [
            ("s.json", "[1,", "s.json: dataset: not valid JSON"),
            ("s.json", '[{"input": NaN}]', "NaN is not JSON"),
            ("s.json", '{"dataset": [], "dataset": []}', "is there twice"),
            ("s.json", "{}", "dataset: is missing"),
            ("s.json", '{"dataset": [], "items": []}', 'items: means the same as "dataset"'),
            ("s.json", '{"dataset": [], "model": "m"}', "model: belongs to the agent of a stored suite"),
            ("s.json", '{"dataset": [], "timeout": true}', "timeout: "),
            ("s.json", '{"dataset": [], "min_success_rate": 95}', "min_success_rate: "),
            ("s.json", '"x"', "s.json: A dataset is a JSON list of items, got text."),
            ("s.yaml", "a: [", "line 1"),
            ("s.yaml", "dataset: !!python/object:os.system []", "tags are not read"),
            ("s.yaml", "a: &a [x]\nb: *c", "no anchor"),
            ("s.jsonl", "{}\n{", "line 2"),
            ("s.csv", "input,input\na,b\n", "two columns have the name"),
            ("s.csv", 'input,metadata\na,"{"\n', 'line 2, item 0, field "metadata"'),
            ("s.csv", b"input\n\xff\n", "no UTF-8"),
            ("s.yaml", b"\xff", "no UTF-8"),
            ("s.txt", "x", "its name does not tell the format"),
        ],
    )
    def test_file_that_is_no_suite__refused_with_the_place(self, tmp_path, name, text, said) -> None:
        agent()
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        assert said in refused("eval_import", name, "--agent", "shop")

    def test_problem_that_names_the_file_with_the_line__names_it_once(self, tmp_path) -> None:
        (tmp_path / "s.csv").write_text("input;reference\na;b\n")
        said = refused("eval_import", "s.csv")
        assert said.startswith("s.csv, line 2, ")
        assert said.count("s.csv") == 1

    def test_file_that_is_missing_or_too_large__refused(self, tmp_path) -> None:
        assert "No such file" in refused("eval_import", "gone.json")
        (tmp_path / "large.json").write_text(" " * 1_001)
        with override_settings(NEURON_EVALS={**SETTINGS, "LIMITS": {"DATASET_BYTES": 200}}):
            assert "more than the 1,000 that a suite could fill" in refused("eval_import", "large.json")

    def test_new_suite_without_an_agent__refused(self, tmp_path) -> None:
        (tmp_path / "s.json").write_text(json.dumps(ITEMS))
        assert refused("eval_import", "s.json") == (
            's.json: agent: the suite "s" is new, and no agent is named; give one with --agent'
        )

    @pytest.mark.parametrize("hostile", ["os.system", "../x", "a.b:c", "tests.testapp.agents.echo", "os\u2024system"])
    @pytest.mark.parametrize("role", ["agent", "judge"])
    def test_hostile_name_of_an_agent__refused(self, tmp_path, role, hostile) -> None:
        agent()
        (tmp_path / "s.json").write_text(json.dumps({"agent": "shop", role: hostile, "dataset": ITEMS}))
        assert f'{role}: there is no agent "{hostile}".' in refused("eval_import", "s.json")

    def test_text_of_a_file__cannot_drive_the_terminal(self, tmp_path) -> None:
        (tmp_path / "s.json").write_text(json.dumps({"agent": "\x1b[31mx", "dataset": ITEMS}))
        assert "\x1b" not in refused("eval_import", "s.json")

    def test_legacy_judge__kept_with_a_notice_or_turned_into_the_agent_it_names(self, tmp_path) -> None:
        agent()
        judge = agent("Judge")
        graded = [{"input": "a", "_assertions": [{"type": "helpfulness"}]}]
        document = {"agent": "shop", "judge_config": {"provider": "shop", "model": "big"}, "dataset": graded}
        (tmp_path / "inline.json").write_text(json.dumps(document))
        _, err = run("eval_import", "inline.json")
        assert err == "inline: judge_config is deprecated; define the judge as an agent, and name it as judge\n"
        assert EvalSuite.objects.get().judge_config == {"provider": "shop", "model": "big"}
        run("eval_export", "inline", "inline.json", "--check")

        document["judge_config"] = {"agent_id": judge.pk}
        (tmp_path / "named.json").write_text(json.dumps(document))
        assert run("eval_import", "named.json")[1] == ""
        row = EvalSuite.objects.get(slug="named")
        assert (row.judge, row.judge_config) == (judge, {})
        run("eval_export", "named", "named.json", "--check")

    @pytest.mark.parametrize(
        ("args", "said"),
        [
            ((), "name a suite file, or give --judge-templates"),
            (("a.json", "b.json", "--suite", "x"), "--suite and --name are for one file, got 2"),
            (("a.json", "--provider", "shop"), "--provider and --model are for --judge-templates"),
            (("--judge-templates", "--check"), "goes not together with --judge-templates"),
        ],
    )
    def test_options_that_mean_nothing_together__refused(self, args, said) -> None:
        assert said in refused("eval_import", *args)


class TestJudgeTemplates:
    def test_installed_once__and_what_exists_stays_as_it_is(self) -> None:
        mine = agent("Mine", slug="eval-judge-correctness", instructions="My own.")
        out, _ = run("eval_import", "--judge-templates", "--model", "big")
        slugs = [f"eval-judge-{kind}" for kind in KINDS]
        assert out.splitlines() == [f'{"kept" if slug == mine.slug else "created"} judge "{slug}"' for slug in slugs]
        rows = AgentDefinition.objects.judges()
        assert rows.count() == 5
        for row in rows:
            row.full_clean()
            assert (row.provider, row.model) == ("shop", "big")
            assert len(row.instructions) > 200
        again, _ = run("eval_import", "--judge-templates", "--model", "other")
        assert again.splitlines() == [f'kept judge "{slug}"' for slug in slugs]
        mine.refresh_from_db()
        assert mine.instructions == "My own."
        assert AgentDefinition.objects.judges().filter(model="big").count() == 5

    @pytest.mark.parametrize(
        ("providers", "args", "said"),
        [
            ({}, (), "there is no provider"),
            (("a", "b"), (), "Name one of a, b"),
            (("a",), ("--provider", "c"), 'provider: The setting PROVIDERS has no "c".'),
            (("a",), (), 'model: Name a model: the provider "a" has none of its own'),
        ],
    )
    def test_provider_or_model_missing__refused_and_nothing_made(self, providers, args, said) -> None:
        entries = {name: {"BACKEND": "openai"} for name in providers}
        with override_settings(NEURON_EVALS={"PROVIDERS": entries}):
            assert said in refused("eval_import", "--judge-templates", *args)
        assert not AgentDefinition.objects.exists()


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        (
            "items.jsonl",
            '[1]\n{"input": "x",\n{"input": "a", "odd": 1, "reference": "b"}\n',
            [
                "line 1, item 0: must be an object",
                "line 2, column 15, item 1: not valid",
                'line 3, item 2, field "odd"',
            ],
        ),
        (
            "items.csv",
            "input,reference,metadata,timeout\na,b,{,\nc,d,,0\ne,f,,\n",
            ['line 2, item 0, field "metadata"', 'line 3, item 1, field "timeout"'],
        ),
        (
            "suite.json",
            '{"odd": 1, "dataset": [{"input": NaN}, {"input": "a", "reference": "\\u0000"}, {"odd": 2}]}',
            ["NaN is not JSON", "odd: there", "item 0, input", "item 1, reference: holds NUL", "item 2, odd"],
        ),
    ],
)
def test_file_that_cannot_be_read_whole__is_refused_with_what_is_wrong_with_the_rest_of_it(file, text, told, tmp_path):
    (tmp_path / file).write_text(text)
    said = refused("eval_import", file)
    assert [part for part in told if part not in said] == []
    assert EvalSuite.objects.count() == 0
