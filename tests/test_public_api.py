"""What `neuron_evals` offers by name, and that importing it costs nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import neuron_evals


def run_python(code: str) -> str:
    root = Path(__file__).parent.parent
    result = subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True)
    return result.stdout.strip()


def test_all__sorted_and_equal_to_the_table():
    assert neuron_evals.__all__ == sorted(neuron_evals._EXPORTS)


@pytest.mark.parametrize("name", neuron_evals.__all__)
def test_name__imported_from_the_package__is_what_the_module_in_the_table_defines(name: str) -> None:
    value = getattr(neuron_evals, name)
    assert value.__module__.startswith(f"neuron_evals.core.{neuron_evals._EXPORTS[name]}")
    assert getattr(sys.modules[value.__module__], name) is value


def test_names__for_type_checkers__come_from_the_modules_of_the_table():
    tree = ast.parse(Path(neuron_evals.__file__).read_text())
    seen = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {name: f"neuron_evals.core.{module}" for name, module in neuron_evals._EXPORTS.items()}


def test_unknown_name__attribute_error_like_any_module():
    with pytest.raises(AttributeError, match="module 'neuron_evals' has no attribute 'Nonsense'"):
        neuron_evals.Nonsense  # type: ignore[attr-defined]  # noqa: B018  (reading it is the test)


def test_dir__names_public_names_before_they_are_used():
    listed = run_python("import neuron_evals; print(*dir(neuron_evals))").split()
    assert {*neuron_evals.__all__, "__version__"} <= set(listed)


@pytest.mark.parametrize(
    "code",
    [
        "import neuron_evals",
        "from neuron_evals import *",
        "from neuron_evals import BaseEvaluator, StringAssertion",
    ],
)
def test_import__loads_nothing_heavy(code: str) -> None:
    heavy = (
        "django",
        "django_rq",
        "httpcore",
        "httpx",
        "jsonschema",
        "numpy",
        "rapidfuzz",
        "redis",
        "regex",
        "rest_framework",
        "rich",
        "rq",
    )
    assert run_python(f"import sys\n{code}\nprint(*sorted(set(sys.modules) & {set(heavy)!r}))") == ""


def test_import_of_the_package__loads_no_engine_module():
    assert (
        run_python("import sys, neuron_evals\nprint(*[m for m in sys.modules if m.startswith('neuron_evals.')])") == ""
    )
