"""The README and the documentation do what they say: code runs, commands end as promised, links lead somewhere."""

from __future__ import annotations

import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import neuron_evals
from tests.markdown import Block, blocks

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "example_project" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TUTORIALS = {
    "first-evaluator.md": [0, 1, 0],
    "judging-with-a-model.md": [0, 1, 0],
}
BLOCKS = [block for page in PAGES for block in blocks(page)]
COMMAND_PAGES = sorted(
    {block.page for block in BLOCKS if "python manage.py" in block.text and block.page.name not in TUTORIALS}
)
EVALUATOR = """
from neuron_evals import BaseEvaluator, NotEmpty


class FirstEvaluator(BaseEvaluator):
    def get_dataset(self):
        return [{"input": "hello"}]

    def run(self, item):
        return item["input"]

    def evaluate(self, output, item):
        self.check(NotEmpty(), output)
"""


def _name(value: object) -> str:
    if isinstance(value, Block):
        return f"{value.page.relative_to(ROOT)}:{value.line}"
    return str(value.relative_to(ROOT)) if isinstance(value, Path) else str(value)


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _commands(block: Block, start: str) -> list[list[str]]:
    lines = [shlex.split(line.partition("  #")[0]) for line in block.text.splitlines() if line.startswith(start)]
    return [[sys.executable, *words[1:]] for words in lines]


def _write(block: Block, folder: Path) -> None:
    path = folder / block.value
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a" if block.mark == "append" else "w") as file:
        file.write(block.text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project as startproject makes it, with the app and one evaluator that passes."""
    assert _run([sys.executable, "-m", "django", "startproject", "mysite", "."], tmp_path).returncode == 0
    with (tmp_path / "mysite" / "settings.py").open("a") as settings:
        settings.write('\nINSTALLED_APPS += ["neuron_evals"]\n')
    (tmp_path / "evaluators").mkdir()
    (tmp_path / "evaluators" / "first.py").write_text(EVALUATOR)
    return tmp_path


PLAIN = [block for block in BLOCKS if block.language == "python" and block.mark not in ("fragment", "append", "file")]


@pytest.mark.parametrize("page", sorted({block.page for block in PLAIN}), ids=_name)
def test_python_blocks_of_a_page__run_one_after_the_other__raise_nothing(page, tmp_path):
    blocks_of_page = [block for block in PLAIN if block.page == page]
    script = [f"exec(compile({block.text!r}, {_name(block)!r}, 'exec'), names)" for block in blocks_of_page]
    script.insert(0, "names = {'__name__': 'page'}")
    (tmp_path / "page.py").write_text("\n".join(script), encoding="utf-8")
    done = _run([sys.executable, "-W", "error", "page.py"], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.mark == "fragment"], ids=_name)
def test_fragment__says_why_it_cannot_run(block):
    assert len(block.value.split()) > 2


@pytest.mark.parametrize("page", COMMAND_PAGES, ids=_name)
def test_commands_of_a_page__in_a_fresh_project__succeed(page, project):
    for block in blocks(page):
        if block.mark in ("file", "append"):
            _write(block, project)
        for command in _commands(block, "python manage.py"):
            done = _run(command, project)
            assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "expected"), TUTORIALS.items(), ids=TUTORIALS)
def test_tutorial__followed_to_the_letter__ends_every_command_as_it_says(name, expected, tmp_path):
    statuses = []
    for block in blocks(ROOT / "docs" / "tutorial" / name):
        if block.mark in ("file", "append"):
            _write(block, tmp_path)
        for command in _commands(block, "python -m django") + _commands(block, "python manage.py"):
            done = _run(command, tmp_path)
            assert done.returncode == int(block.value or 0), done.stdout + done.stderr
            statuses.append(done.returncode)
    assert statuses == expected


def _links() -> list[tuple[Path, str]]:
    found = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))]
    return [(page, link) for page, link in found if "://" not in link]


@pytest.mark.parametrize(("page", "link"), _links(), ids=_name)
def test_link__leads_to_a_file(page, link):
    assert (page.parent / link).exists()


def _found(dotted: str) -> object:
    try:
        return pkgutil.resolve_name(dotted)
    except (AttributeError, ImportError):
        return None


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_public_name__is_not_taken_from_a_module_inside(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"\b(neuron_evals\.core(?:\.\w+)*)\.(\w+)", text)
    imported = re.findall(r"from (neuron_evals\.core[\w.]*) import ([\w, ]+)", text)
    named += [(module, name.strip()) for module, names in imported for name in names.split(",")]
    # By what they are: the engine has names of its own that the package gives to something else.
    public = [
        name
        for module, name in named
        if name in neuron_evals.__all__ and _found(f"{module}.{name}") is getattr(neuron_evals, name)
    ]
    assert public == []


@pytest.mark.parametrize("page", sorted({*PAGES, *ROOT.glob("*.md")}), ids=_name)
def test_page__holds_no_mark_of_an_unfinished_merge(page):
    assert not re.findall(r"^(?:<{7}|>{7}|={7}$)", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("marker", ["main-command", "test-command"])
def test_readme_command__stands_in_one_line_between_its_markers(marker):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert (
        len(
            re.findall(
                rf"^<!-- {marker} -->\n```bash\npython3 -m venv .*\n```\n<!-- /{marker} -->$", text, re.MULTILINE
            )
        )
        == 1
    )
