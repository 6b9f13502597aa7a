"""The command `eval`: options, canned replies, outputs, exit statuses."""

from __future__ import annotations

import io
import json
import signal
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext, override_settings

from neuron_evals import runs
from neuron_evals.management.commands.eval import Command
from neuron_evals.models import AgentDefinition, EvalRun, EvalSuite
from neuron_evals.models.leases import claim
from neuron_evals.models.states import request_cancel
from neuron_evals.runs import create_run
from tests.runs.samples import SETTINGS, Agent, items, make_suite, statuses

NOTHING_JUDGED, INTERRUPTED = 2, 130
QUERIES = 34


@pytest.fixture(autouse=True)
def _agents():
    Agent.forget()
    with override_settings(NEURON_EVALS=SETTINGS):
        yield


def evaluate(*args: Any, command: Any = "eval") -> SimpleNamespace:
    """Run the command; give what it said and its exit status."""
    out, err = io.StringIO(), io.StringIO()
    status, refusal = 0, ""
    try:
        call_command(command, *map(str, args), stdout=out, stderr=err, no_color=True)
    except CommandError as exc:
        status, refusal = exc.returncode, str(exc)
    except SystemExit as exc:
        status = int(exc.code or 0)
    return SimpleNamespace(status=status, out=out.getvalue(), err=err.getvalue(), refusal=refusal)


def only_run() -> EvalRun:
    return EvalRun.objects.get()


# A stored suite


@pytest.mark.parametrize("by", ["slug", "pk"])
def test_stored_suite__by_slug_or_number__is_run_shown_and_stored(db, by):
    suite = make_suite("default", items(3, wrong=(1,)))

    done = evaluate(getattr(suite, by))

    assert done.status == 1
    assert "Items: 3, Passed: 2, Failed: 1" in done.out
    assert "item-1" in done.out
    run = only_run()
    assert f"stored as run {run.pk}" in done.err
    assert (run.suite, run.status, run.trigger, run.fake) == (suite, "failed", "command", False)
    assert statuses(run) == [("item-0", "passed"), ("item-1", "failed"), ("item-2", "passed")]


def test_run_that_another_executor_took__is_left_alone(db, monkeypatch):
    make_suite("default")

    def taken_meanwhile(*args: Any, **options: Any) -> EvalRun:
        run = create_run(*args, **options)
        assert claim(run, "another executor")
        return run

    monkeypatch.setattr(runs, "create_run", taken_meanwhile)
    done = evaluate("smoke-tests")

    run = only_run()
    assert (run.status, run.cancel_requested_at, Agent.asked) == ("running", None, [])
    assert done.status == NOTHING_JUDGED
    assert f"run {run.pk} is running: another process took it over, and this command left it alone" in done.err


def test_run_that_another_executor_takes_while_it_breaks_off__is_left_alone(db, monkeypatch):
    make_suite("default")

    def broken(run_id: int, **options: Any) -> EvalRun:
        claim(EvalRun.objects.get(pk=run_id), "another executor")
        raise RuntimeError("boom")

    monkeypatch.setattr(runs, "execute_run", broken)
    with pytest.raises(RuntimeError, match="boom"):
        evaluate("smoke-tests")

    assert (only_run().status, only_run().cancel_requested_at) == ("running", None)


def test_run_that_breaks_off_before_anybody_has_it__is_cancelled(db, monkeypatch):
    make_suite("default")

    def broken(run_id: int, **options: Any) -> EvalRun:
        raise RuntimeError("boom")

    monkeypatch.setattr(runs, "execute_run", broken)
    with pytest.raises(RuntimeError, match="boom"):
        evaluate("smoke-tests")

    assert only_run().status == "cancelled"


def test_run_options__say_how_it_runs_and_are_kept(db):
    suite = make_suite("default", items(4, wrong=(3,)), retries=3)

    done = evaluate(
        suite.slug, "--limit", 3, "--repeat", 2, "--concurrency", 2, "--retries", 0, "--min-success-rate", 0
    )

    run = only_run()
    assert (done.status, run.total_count) == (0, 6)
    assert run.options == {"limit": 3, "repeat": 2, "concurrency": 2, "retries": 0, "min_success_rate": 0.0}
    assert "gate reached" in done.err


def test_min_success_rate_of_the_suite__is_the_gate(db):
    make_suite("default", items(4, wrong=(3,)), min_success_rate=0.7)

    assert evaluate("smoke-tests").status == 0
    done = evaluate("smoke-tests", "--min-success-rate", "0.8")

    assert done.status == 1
    assert "gate not reached: success rate 0.7500 is below 0.8" in done.err


def test_report_to_standard_output__is_alone_there(db):
    make_suite("default")

    done = evaluate("smoke-tests", "--output", "console", "--output", "json")

    report = json.loads(done.out)
    assert [result["status"] for result in report["results"]] == ["passed"] * 3
    assert "Items: 3" in done.err


def test_output_database__stores_the_run_once(db):
    make_suite("default")
    assert evaluate("smoke-tests", "--output", "database").status == 0
    assert only_run().total_count == 3


def configured(**options: Any) -> Any:
    """As if the output `database` had these options in the settings."""
    outputs = ["console", {"BACKEND": "database", "OPTIONS": options}]
    return override_settings(NEURON_EVALS={**SETTINGS, "OUTPUTS": outputs})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"using": "nope"}, 'DatabaseOutput: there is no database "nope"; DATABASES has default'),
        ({"lease": None}, 'has no option "lease". Its options are using, batch, trigger, patience.'),
        ({"trigger": "night"}, "trigger is one of command, admin, api, schedule, got 'night'"),
    ],
)
def test_output_database_with_options_that_cannot_hold__is_refused(db, options, message):
    make_suite("default")
    with configured(**options):
        done = evaluate("smoke-tests")
    assert done.status == NOTHING_JUDGED
    assert message in done.refusal
    assert not EvalRun.objects.exists()


def test_output_database_with_options__they_are_the_runs(db, monkeypatch):
    make_suite("default")
    patience = []
    execute = runs.execute_run

    def noting(*args, **given):
        patience.append(given["patience"])
        return execute(*args, **given)

    monkeypatch.setattr(runs, "execute_run", noting)
    with configured(using="default", batch="night-7", trigger="schedule", patience=2.5):
        assert evaluate("smoke-tests").status == 0
    run = only_run()
    assert (run.batch, run.trigger, run.status, patience) == ("night-7", "schedule", "passed", [2.5])


def test_output_database_twice__is_refused(db):
    make_suite("default")
    done = evaluate("smoke-tests", "--output", "database", "--output", "database")
    assert done.status == NOTHING_JUDGED
    assert 'both write to the database "default"' in done.refusal
    assert not EvalRun.objects.exists()


def test_output_that_fails__makes_the_status_1_and_the_run_stays_passed(db, tmp_path):
    make_suite("default")
    file = tmp_path / "report" / "results.json"
    file.parent.mkdir()

    def remove(text):
        file.parent.rmdir() if file.parent.exists() else None

    Agent.before = remove
    done = evaluate("smoke-tests", "--output", f"json={file}")

    assert done.status == 1
    assert "output driver failed: JsonOutput" in done.err
    assert only_run().status == "passed"


def test_verbosity_0__does_not_name_the_run(db):
    make_suite("default")
    assert evaluate("smoke-tests", "-v", "0").err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["smoke-test"], 'There is no suite "smoke-test". Did you mean "smoke-tests"?'),
        (["smoke-tests", "--tag", "slow"], 'no item of suite "smoke-tests" matches'),
        (["smoke-tests", "--agent", "nobody"], 'there is no agent "nobody"'),
        (["smoke-tests", "--judge", "nobody"], 'there is no judge "nobody"'),
        (["smoke-tests", "--fake", "--model", "x"], "--model and --fake do not go together"),
        (["smoke-tests", "--fake-reply", "x", "--agent", "other"], "--agent and --fake do not go together"),
        (["smoke-tests", "--output", "json=/nowhere/at/all.json"], "/nowhere/at"),
        (["smoke-tests", "--output", "csv"], "csv"),
        (["smoke-tests", "--file", "x.yaml"], "not allowed with"),
        ([], "one of the arguments SUITE --file --dir is required"),
    ],
)
def test_what_cannot_run__ends_with_2_before_a_run_is_made(db, arguments, message):
    make_suite("default")
    done = evaluate(*arguments)
    assert done.status == NOTHING_JUDGED
    assert message in done.refusal
    assert not EvalRun.objects.exists()
    assert Agent.asked == []


def test_several_problems__are_all_listed_by_item_and_field(db):
    suite = make_suite("default", [{"input": ""}, {"input": "a", "_assertions": [{"type": "helpfulness"}]}])
    done = evaluate(suite.slug)
    assert done.status == NOTHING_JUDGED
    assert "item 0, input:" in done.refusal
    assert 'item 1, _assertions[0].type: "helpfulness" needs a judge' in done.refusal
    assert not EvalRun.objects.exists()


def test_inactive_suite__is_refused(db):
    make_suite("default", is_active=False)
    done = evaluate("smoke-tests")
    assert (done.status, EvalRun.objects.count()) == (NOTHING_JUDGED, 0)
    assert "inactive" in done.refusal


def test_another_agent__is_asked_and_kept(db):
    make_suite("default", items(1))
    done = evaluate("smoke-tests", "--agent", "other")
    assert (done.status, Agent.asked) == (0, [])
    assert only_run().agent_snapshot["name"] == "other"


def test_signal__ends_with_130_and_the_run_is_cancelled_with_what_is_there(db):
    make_suite("default", items(3))

    def interrupt_at_the_second(text):
        if text == "say 1":
            signal.raise_signal(signal.SIGINT)

    Agent.before = interrupt_at_the_second
    done = evaluate("smoke-tests")

    run = only_run()
    assert (done.status, run.status) == (INTERRUPTED, "cancelled")
    assert statuses(run)[0] == ("item-0", "passed")


def test_cancelled_from_elsewhere__ends_with_1_and_says_so(db):
    make_suite("default", items(40))

    def cancel(text):
        if text == "say 0":
            request_cancel(only_run())
        else:
            time.sleep(0.2)  # an executor looks each second whether its run was cancelled

    Agent.before = cancel
    done = evaluate("smoke-tests")

    assert (done.status, only_run().status) == (1, "cancelled")
    assert 0 < len(Agent.asked) < 40
    assert only_run().passed_count == len(Agent.asked)


def test_signal_before_the_first_item__leaves_no_run_that_waits(db):
    make_suite("default")

    class Interrupted(Command):
        def runner(self):
            signal.raise_signal(signal.SIGTERM)
            return super().runner()

    done = evaluate("smoke-tests", command=Interrupted())

    assert (done.status, only_run().status, Agent.asked) == (INTERRUPTED, "cancelled", [])


def test_runner_of_an_own_command__runs_the_items(db):
    make_suite("default", items(1))
    hooked = []

    class Own(Command):
        def runner(self):
            hooked.append("runner")
            return super().runner()

    assert evaluate("smoke-tests", command=Own()).status == 0
    assert hooked == ["runner"]


def test_queries__do_not_grow_with_what_the_run_is_not(db):
    make_suite("default", items(1))
    evaluate("smoke-tests", "-v", "0")
    for number in range(5):
        EvalSuite.objects.create(name=f"Other {number}", dataset=items(3), agent=AgentDefinition.objects.get())

    with CaptureQueriesContext(connection) as queries:
        evaluate("smoke-tests", "-v", "0")

    assert len(queries) == QUERIES, [query["sql"][:100] for query in queries.captured_queries]


# Canned replies


def test_fake__asks_nobody_and_is_marked_everywhere(db, tmp_path):
    make_suite("default", [{"input": "a", "_assertions": [{"type": "contains", "value": "fake"}]}])
    places = {name: tmp_path / f"report.{name}" for name in ("json", "junit", "markdown")}

    done = evaluate(
        "smoke-tests", "--fake", "--output", "console", *[f"--output={name}={path}" for name, path in places.items()]
    )

    assert (done.status, Agent.asked) == (0, [])
    run = only_run()
    assert run.fake is True
    assert run.options["fake"] is True
    assert run.agent_fingerprint == ""
    assert "canned replies" in done.err + done.out
    texts = {name: path.read_text() for name, path in places.items()}
    assert json.loads(texts["json"])["fake"] is True
    assert 'name="fake" value="true"' in texts["junit"]
    assert "(fake)" in texts["markdown"]


def test_fake__does_not_even_build_the_agent(db):
    with override_settings(NEURON_EVALS={"AGENTS": {"noting": "tests.management.test_eval.must_not_be_built"}}):
        make_suite("default", [{"input": "a", "_assertions": [{"type": "contains", "value": "fake"}]}])
        assert evaluate("smoke-tests", "--fake").status == 0
    assert BUILT == []


BUILT: list[str] = []


def must_not_be_built() -> Agent:
    BUILT.append("contacted its tool servers")
    return Agent()


def test_fake_reply__is_what_every_item_gets(db):
    make_suite("default", [{"input": "a", "reference": "nine"}, {"input": "b", "reference": "ten"}])
    assert evaluate("smoke-tests", "--fake-reply", "from nine").status == 1
    assert [item.output_text for item in only_run().items.all()] == ["from nine", "from nine"]


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_fake_script__gives_replies_and_tool_calls_by_item(db, tmp_path, suffix):
    dataset = [
        {"id": "hours", "input": "a", "reference": "nine"},
        {"input": "b", "tool": "refund"},
        {"input": "c", "reference": "else"},
    ]
    make_suite("default", dataset)
    script = {"reply": "something else", "items": {"hours": {"reply": "at nine"}, "1": {"tool_calls": ["refund"]}}}
    path = tmp_path / f"script.{suffix}"
    path.write_text(json.dumps(script))  # YAML takes it too

    assert evaluate("smoke-tests", "--fake-script", path).status == 0
    assert only_run().items.in_dataset_order()[0].output_text == "at nine"
    assert only_run().fake is True


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("{}", ""),
        ('{"items": {"hour": {"reply": "x"}}}', 'fake.items: no item has the id or the position "hour"'),
        ('{"items": {"3": {"reply": "x"}}}', 'fake.items: no item has the id or the position "3"'),
        ('{"replies": "x"}', "fake.replies"),
        ('["x"]', "is an object"),
        ('{"reply": ', "script.json: not valid JSON: "),
        ('{"reply": NaN}', "script.json: NaN is not JSON; use null, or a text (line 1, column 11)"),
    ],
)
def test_fake_script__that_cannot_mean_anything__is_refused(db, tmp_path, script, message):
    make_suite("default", items(3))
    (tmp_path / "script.json").write_text(script)
    done = evaluate("smoke-tests", "--fake-script", tmp_path / "script.json")
    if not message:
        assert done.status == 1
        return
    assert done.status == NOTHING_JUDGED
    assert message in done.refusal
    assert not EvalRun.objects.exists()


def test_fake_script__of_another_kind_or_not_there__is_refused(db, tmp_path):
    make_suite("default")
    assert "JSON or YAML" in evaluate("smoke-tests", "--fake-script", "script.csv").refusal
    assert "nowhere.json" in evaluate("smoke-tests", "--fake-script", tmp_path / "nowhere.json").refusal


# Suite files; nothing here may touch a database


SUITE = """
name: hours
agent: noting
default_timeout: 60000
test_cases:
  - id: nine
    input: open at nine
    expected: {contains: [nine]}
    eval_type: contains
    tags: [smoke]
  - id: ten
    input: open at ten
    expected: {contains: [eleven]}
    eval_type: contains
"""


def test_suite_file__is_run_without_a_database(tmp_path):
    (tmp_path / "hours.yaml").write_text(SUITE)

    done = evaluate("--file", tmp_path / "hours.yaml")

    assert done.status == 1
    assert "Items: 2, Passed: 1, Failed: 1" in done.out
    assert Agent.asked == ["open at nine", "open at ten"]
    assert evaluate("--file", tmp_path / "hours.yaml", "--tag", "smoke").status == 0


def test_folder_of_suites__is_one_report(tmp_path):
    (tmp_path / "a.yaml").write_text(SUITE)
    (tmp_path / "b.json").write_text(json.dumps({"agent": "other", "dataset": items(2)}))

    done = evaluate("--dir", tmp_path, "--output", "json")

    report = json.loads(done.out)
    assert done.status == 1
    assert [each["evaluator_class"] for each in report["evaluators"]] == ["suite hours", "suite b"]
    assert (report["passed"], report["failed"]) == (3, 1)


def test_recipe_of_the_guide_for_ci__reads_the_pass_rate_of_all_suites_at_the_top(tmp_path):
    suites, results = tmp_path / "suites", tmp_path / "eval-results.json"
    suites.mkdir()
    (suites / "a.yaml").write_text(SUITE)
    (suites / "b.yaml").write_text(SUITE.replace("eleven", "ten"))
    run = ("--dir", suites, "--output", f"json={results}")

    assert evaluate(*run).status == 1
    assert json.loads(results.read_text())["pass_rate"] == 0.75
    assert evaluate(*run, "--min-success-rate", "0.9").status == 1, "the gate does what the recipe does by hand"
    assert evaluate(*run, "--min-success-rate", "0.75").status == 0


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ((), ["open at nine", "open at ten"]),
        (("--tag", "smoke,late"), ["open at nine"]),
        (("--exclude-tag", "smoke,slow"), ["open at ten"]),
        (("--tag", "smoke", "--exclude-tag", "smoke"), None),
    ],
)
def test_tags_of_the_command__choose_cases_of_a_file(tmp_path, options, asked):
    (tmp_path / "hours.yaml").write_text(SUITE)
    done = evaluate("--file", tmp_path / "hours.yaml", *options)
    assert Agent.asked == (asked or [])
    assert (done.status == NOTHING_JUDGED) is (asked is None)


@pytest.mark.parametrize("options", [("--tags", "smoke"), ("--format", "json"), ("--output", "jsonn")])
def test_option_that_is_not_there__ends_with_2_and_is_not_passed_over(tmp_path, options):
    (tmp_path / "hours.yaml").write_text(SUITE)
    assert evaluate("--file", tmp_path / "hours.yaml", *options).status == NOTHING_JUDGED
    assert Agent.asked == []


def test_suite_of_which_setup_breaks__nothing_is_judged_but_the_others_are(tmp_path):
    settings = {**SETTINGS, "SUITE_IMPORTS": ["tests.testapp.suite_code"]}
    with override_settings(NEURON_EVALS=settings):
        (tmp_path / "a.yaml").write_text("setup: tests.testapp.suite_code.broken\n" + SUITE)
        done = evaluate("--dir", tmp_path)
        assert (done.status, Agent.asked) == (NOTHING_JUDGED, [])
        assert "suite hours: RuntimeError: no database" in done.refusal
        (tmp_path / "b.yaml").write_text(SUITE.replace("eleven", "ten"))
        done = evaluate("--dir", tmp_path)
        assert done.status == 1
        assert "Items: 2, Passed: 2" in done.out
        assert "Evaluator errors: 1 of 2 evaluators" in done.out


def test_suite_file__in_the_database_by_an_output__says_that_it_was_fake(db, tmp_path):
    (tmp_path / "hours.yaml").write_text(SUITE)
    done = evaluate("--file", tmp_path / "hours.yaml", "--fake-reply", "nine or eleven", "--output", "database")
    run = only_run()
    assert (done.status, run.status, run.fake, run.source, run.suite) == (0, "passed", True, "suite hours", None)


def test_suite_files__all_problems_of_all_with_file_and_line(tmp_path):
    (tmp_path / "a.yaml").write_text(SUITE.replace("eval_type: contains", "eval_type: contain"))
    (tmp_path / "b.json").write_text('[{"input": ""}]')
    done = evaluate("--dir", tmp_path)
    assert done.status == NOTHING_JUDGED
    assert "a.yaml, line 9" in done.refusal
    assert "b.json, line 1" in done.refusal
    assert Agent.asked == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suites/smoke.yaml"], "if it is a path, write --file suites/smoke.yaml"),
        (["suites/smoke"], "if it is a path, write --dir suites/smoke"),
        (["--file", "nowhere.yaml"], "nowhere.yaml: (file): cannot be read"),
        (["--dir", "nowhere"], "nowhere: (file): there is no such directory"),
        (["--file", "{folder}/judged.json"], "needs a judge"),
        (["--file", "{folder}/alone.json"], "there is no agent"),
        (["--file", "{folder}/alone.json", "--agent", "noting", "--tag", "x"], "no item matches"),
    ],
)
def test_suite_file__that_cannot_run__ends_with_2(tmp_path, arguments, message):
    (tmp_path / "alone.json").write_text(json.dumps(items(1)))
    (tmp_path / "judged.json").write_text('{"agent": "noting", "dataset": [{"input": "a", "_assertions": ["x"]}]}')
    judged = {"agent": "noting", "dataset": [{"input": "a", "_assertions": [{"type": "helpfulness"}]}]}
    (tmp_path / "judged.json").write_text(json.dumps(judged))
    done = evaluate(*(argument.format(folder=tmp_path) for argument in arguments))
    assert done.status == NOTHING_JUDGED
    assert message in done.refusal
    assert Agent.asked == []


def test_items_in_flight__are_what_each_suite_says_unless_the_command_does(tmp_path):
    asked: dict[str, set[str]] = {}
    together = threading.Barrier(3)

    def note(text):
        asked.setdefault(text.partition(" ")[0], set()).add(threading.current_thread().name)
        if text.startswith("three"):
            together.wait(timeout=120)  # only three at once get past it

    Agent.before = note
    for name, concurrency in (("three", 3), ("one", None)):
        dataset = [{"input": f"{name} {index}", "reference": str(index)} for index in range(3)]
        suite = {"agent": "noting", "concurrency": concurrency, "dataset": dataset}
        (tmp_path / f"{name}.json").write_text(json.dumps(suite))

    assert evaluate("--dir", tmp_path).status == 0
    assert (len(asked["three"]), len(asked["one"])) == (3, 1)
    asked.clear()
    Agent.before = lambda text: asked.setdefault("all", set()).add(threading.current_thread().name)
    assert evaluate("--dir", tmp_path, "--concurrency", "1").status == 0
    assert len(asked["all"]) == 1


def test_items_in_flight__are_what_the_settings_say_where_a_suite_does_not(tmp_path):
    threads: dict[str, set[str]] = {}
    together = threading.Barrier(3)

    def note(text):
        threads.setdefault(text.partition(" ")[0], set()).add(threading.current_thread().name)
        if text.startswith("unsaid"):
            together.wait(timeout=120)  # only three at once get past it

    Agent.before = note
    for name, parallelism in (("unsaid", None), ("one", 1)):
        cases = [{"id": str(n), "input": f"{name} {n}", "expected": str(n)} for n in range(3)]
        suite = {"agent": "noting", "parallelism": parallelism, "test_cases": cases}
        (tmp_path / f"{name}.json").write_text(json.dumps(suite))
    with override_settings(NEURON_EVALS={**SETTINGS, "RUNNER": {"CONCURRENCY": 3}}):
        assert evaluate("--dir", tmp_path).status == 0
    assert (len(threads["unsaid"]), len(threads["one"])) == (3, 1)


def test_min_success_rate_of_a_file__is_the_gate(tmp_path):
    suite = {"agent": "noting", "min_success_rate": 0.5, "dataset": items(2, wrong=(0,))}
    (tmp_path / "half.json").write_text(json.dumps(suite))
    assert evaluate("--file", tmp_path / "half.json").status == 0
    assert evaluate("--file", tmp_path / "half.json", "--min-success-rate", "0.6").status == 1
    assert evaluate("--dir", tmp_path).status == 1


def test_exported_suite__runs_as_a_file(db, tmp_path):
    make_suite("default", items(2), min_success_rate=0.5, tags=["smoke"], timeout=60.0, repeats=2)
    for name in ("suite.json", "suite.yaml"):
        call_command("eval_export", "smoke-tests", str(tmp_path / name))
        assert "Items: 4, Passed: 4" in evaluate("--file", tmp_path / name).out


def test_fake_script__for_items_that_no_file_has__is_refused(tmp_path):
    (tmp_path / "hours.yaml").write_text(SUITE)
    (tmp_path / "script.json").write_text('{"items": {"eleven": {"reply": "x"}}}')
    done = evaluate("--file", tmp_path / "hours.yaml", "--fake-script", tmp_path / "script.json")
    assert done.status == NOTHING_JUDGED
    assert 'no item has the id or the position "eleven"' in done.refusal


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--tags", "x"), 'there is no option --tags; did you mean "--tag"?'),
        (("--baseline", "latest"), "there is no option --baseline; --help lists them"),
        (("--min-succes-rate=0.5",), 'there is no option --min-succes-rate; did you mean "--min-success-rate"?'),
    ],
)
def test_option_that_there_is_not__is_told_and_no_other_mistake(arguments, said):
    with pytest.raises(CommandError) as caught:
        call_command("eval", "--file", "suite.yaml", *arguments)
    assert said in str(caught.value)
    assert "SUITE" not in str(caught.value)
    assert caught.value.returncode == NOTHING_JUDGED


def test_option_by_its_first_letters_and_values_like_options__are_taken():
    with pytest.raises(CommandError, match=r"missing\.yaml"):
        call_command("eval", "--file=missing.yaml", "--filt", "-- odd")
