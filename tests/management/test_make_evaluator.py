"""`make_evaluator`: what it writes, where, and what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from neuron_evals.core.runner import EvaluatorRunner
from neuron_evals.management.evaluator_template import ExampleEvaluator

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manage(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a project's `manage.py` does."""
    script = "import sys; from django.core.management import execute_from_command_line as run; run(sys.argv)"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, check=False, capture_output=True, text=True
    )


def make(name: str) -> str:
    out = StringIO()
    call_command("make_evaluator", name, stdout=out)
    return out.getvalue()


def refusal(name: str) -> str:
    with pytest.raises(CommandError) as caught:
        make(name)
    assert caught.value.returncode == 2
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("evaluators.support.SupportEvaluator", "evaluators/support.py"),
        ("shop.evals.nightly.Refunds", "shop/evals/nightly.py"),
        ("SupportEvaluator", "evaluators/support_evaluator.py"),
        ("FAQEvaluator2Go", "evaluators/faq_evaluator2_go.py"),
    ],
)
def test_name__written_to_the_module_it_names__and_says_how_to_run_it(name: str, path: str) -> None:
    output = make(name)
    assert f"class {name.rpartition('.')[2]}(BaseEvaluator):" in Path(path).read_text(encoding="utf-8")
    assert output == f"Wrote {path}. Run it with: python manage.py evaluations {Path(path).parent}\n"
    assert [file.name for file in Path(path).parent.iterdir()] == [Path(path).name]


@pytest.mark.parametrize("name", ["evaluators.support.SupportEvaluator", "shop.evals.nightly.Refunds", "Bare"])
def test_what_is_written__runs_as_written_and_passes(name: str) -> None:
    written = manage("make_evaluator", name)
    assert (written.returncode, written.stderr) == (0, "")
    *_, folder = written.stdout.split()
    run = manage("evaluations", folder, "--output", "json=results.json")
    assert run.returncode == 0, run.stdout + run.stderr
    results = Path("results.json").read_text(encoding="utf-8")
    assert results.count('"StringContains"') >= 2


def test_template__itself__passes_with_two_checks_an_item() -> None:
    results = EvaluatorRunner().run(ExampleEvaluator())
    assert [len(result.checks) for result in results.results] == [2, 2]
    assert results.passed_count == results.total_count == 2


def test_module_exists__refused_and_left_as_it_is() -> None:
    make("evaluators.support.SupportEvaluator")
    before = Path("evaluators/support.py").read_bytes()
    text = refusal("evaluators.support.SecondEvaluator")
    assert text == (
        "evaluators/support.py exists and stays as it is; choose another module, or add the class to the file yourself"
    )
    assert Path("evaluators/support.py").read_bytes() == before


def test_link_to_nowhere__refused_and_not_followed(folder: Path) -> None:
    (folder / "evaluators").mkdir()
    (folder / "evaluators" / "support.py").symlink_to(folder / "elsewhere.py")
    assert "exists and stays as it is" in refusal("evaluators.support.SupportEvaluator")
    assert not (folder / "elsewhere.py").exists()


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..evil.Thing",
        "../evil.Thing",
        "/etc/evil.Thing",
        "evaluators/support.Thing",
        "evaluators..Thing",
        "evaluators.class.Thing",
        "evaluators.support.class",
        "evaluators.support.None",
        "evaluators.2nd.Thing",
        "evaluators.support.Thing()",
        "evaluators.support:Thing",
        "evaluators.sup port.Thing",
        "evaluators.support.Thing\n",
        "evaluators.größe.Thing",
    ],
)
def test_name__no_dotted_name_of_a_class__refused_and_nothing_written(name: str, folder: Path) -> None:
    with pytest.raises(CommandError) as caught:
        make(name)
    assert caught.value.returncode == 2
    assert "evaluators.support.SupportEvaluator" in str(caught.value)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("name", ["BaseEvaluator", "StringContains", "Any", "Mapping"])
def test_class__named_like_something_the_file_imports__refused(name: str, folder: Path) -> None:
    assert f'"{name}" is a name that the evaluator imports' in refusal(f"evaluators.support.{name}")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("module", ["json", "django"])
def test_module_at_the_top__hides_one_that_exists__refused(module: str, folder: Path) -> None:
    assert f'would hide the module "{module}"' in refusal(f"{module}.Thing")
    assert list(folder.iterdir()) == []


def test_module_below_a_folder__may_be_named_like_one_that_exists() -> None:
    make("evaluators.json.Thing")
    assert Path("evaluators/json.py").exists()


def test_folder__is_a_file__one_line_and_exit_status_2(folder: Path) -> None:
    (folder / "evaluators").write_text("notes")
    result = manage("make_evaluator", "evaluators.support.SupportEvaluator")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "evaluators/support.py cannot be written" in result.stderr
    assert [file.name for file in folder.iterdir()] == ["evaluators"]


def test_no_name__usage_and_exit_status_2() -> None:
    assert manage("make_evaluator").returncode == 2
