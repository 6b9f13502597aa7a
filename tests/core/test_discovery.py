from __future__ import annotations

import errno
import importlib
import json
import os
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from neuron_evals.core.discovery import Discovery, discover
from neuron_evals.core.exceptions import ConfigurationError
from neuron_evals.core.results import full_name

EVALUATOR = """
from neuron_evals.core.evaluators import BaseEvaluator

class {name}(BaseEvaluator):
    def get_dataset(self):
        return [{{"input": "a"}}]

    def run(self, item):
        return item["input"]

    def evaluate(self, output, item):
        pass
"""


@pytest.fixture(autouse=True)
def unchanged_imports(monkeypatch):
    modules, path = dict(sys.modules), list(sys.path)
    yield
    monkeypatch.undo()
    assert sys.path == path
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]
    sys.modules.update(modules)


@pytest.fixture
def folder(tmp_path):
    """A folder whose name no other test uses: modules outlive the tests of other files."""
    path = tmp_path / "found_evaluators"
    path.mkdir()
    return path


def write(path, text="", evaluator=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((EVALUATOR.format(name=evaluator) if evaluator else "") + textwrap.dedent(text))
    return path


def names(discovery: Discovery) -> list[str]:
    assert discovery.broken == ()
    return [full_name(cls) for cls in discovery.evaluators]


def test_evaluators_are_found_in_every_folder_and_sorted_by_full_name(folder):
    write(folder / "support.py", evaluator="Support")
    write(folder / "deep" / "er" / "refunds.py", evaluator="Refunds")
    write(folder / "a.py", EVALUATOR.format(name="Zulu"), evaluator="Alpha")
    write(folder / "notes.txt", "not Python")
    assert names(discover(folder)) == [
        "found_evaluators.a.Alpha",
        "found_evaluators.a.Zulu",
        "found_evaluators.deep.er.refunds.Refunds",
        "found_evaluators.support.Support",
    ]


@pytest.mark.parametrize(
    "path", ["found_evaluators", "./found_evaluators/", "sub/../found_evaluators", "found_evaluators/deep/.."]
)
def test_a_path_is_relative_to_the_working_directory(path, folder, monkeypatch):
    write(folder / "support.py", evaluator="Support")
    (folder / "deep").mkdir()
    (folder.parent / "sub").mkdir()
    monkeypatch.chdir(folder.parent)
    assert names(discover(path)) == ["found_evaluators.support.Support"]


@pytest.mark.parametrize(
    ("name", "what"), [("none", "no such folder"), ("support.py", "a file, not a folder"), ("a\x00", "no such folder")]
)
def test_what_is_no_folder_is_an_error_with_path_and_working_directory(name, what, tmp_path, monkeypatch):
    write(tmp_path / "support.py")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError) as caught:
        discover(name)
    assert (
        str(caught.value)
        == f"{name}: {what} (from the working directory {tmp_path}); give a folder with evaluator files"
    )


def test_an_empty_folder_has_no_evaluators(folder):
    assert discover(folder) == Discovery((), ())


def test_only_what_is_defined_in_the_file_and_can_be_built_counts(folder):
    write(folder / "base.py", evaluator="Base")
    write(
        folder / "support.py",
        """
        from abc import abstractmethod
        from neuron_evals.core.evaluators import BaseEvaluator
        from found_evaluators.base import Base
        from .base import Base as Again

        class Abstract(Base):
            @abstractmethod
            def more(self): ...

        class Half(BaseEvaluator):
            def run(self, item): ...

        class Support(Base):
            def __init__(self, agent): ...

        Alias = Support
        class Other: ...
        """,
    )
    assert names(discover(folder)) == ["found_evaluators.base.Base", "found_evaluators.support.Support"]


def test_an_evaluator_from_elsewhere_that_a_file_imports_is_not_of_the_folder(folder, tmp_path, monkeypatch):
    write(tmp_path / "library" / "found_library.py", evaluator="Elsewhere")
    monkeypatch.syspath_prepend(tmp_path / "library")
    write(folder / "support.py", "from found_library import Elsewhere", evaluator="Support")
    assert names(discover(folder)) == ["found_evaluators.support.Support"]


def test_a_file_that_was_added_since_is_found_although_its_folder_looks_unchanged(folder):
    write(folder / "a.py", evaluator="First")
    discover(folder)
    then = folder.stat()
    write(folder / "b.py", evaluator="Second")
    os.utime(folder, ns=(then.st_atime_ns, then.st_mtime_ns))
    assert names(discover(folder)) == ["found_evaluators.a.First", "found_evaluators.b.Second"]


def test_two_evaluators_of_one_short_name_are_both_found(folder):
    write(folder / "a.py", evaluator="Quality")
    write(folder / "b.py", evaluator="Quality")
    assert names(discover(folder)) == ["found_evaluators.a.Quality", "found_evaluators.b.Quality"]


def test_files_named_like_other_modules_shadow_nothing(folder):
    for name in ("json", "statistics", "django", "support"):
        write(folder / f"{name}.py", "import json, statistics", evaluator=name.title())
    write(folder / "datasets" / "support.json", "[]")
    write(folder / "datasets" / "more.py", evaluator="More")
    assert len(names(discover(folder))) == 5
    for module in (json, statistics):
        assert sys.modules[module.__name__] is module
        assert sys.modules["found_evaluators.json"].json is json
    assert "datasets" not in sys.modules
    assert "support" not in sys.modules


@pytest.mark.parametrize("name", ["json", "statistics", "mailbox", "pytest"])
def test_a_folder_named_like_another_module_takes_nothing_from_it(name, tmp_path):
    write(tmp_path / name / "shared.py", "VALUE = 7")
    write(tmp_path / name / "support.py", f"import {name}\nfrom .shared import VALUE", evaluator="Support")
    (found,) = names(discover(tmp_path / name))
    module, _, _ = found.rpartition(".support.Support")
    assert module != name
    assert module.startswith(f"{name}_")
    assert getattr(sys.modules[f"{module}.support"], name) is importlib.import_module(name)
    assert names(discover(tmp_path / name)) == [found]


@pytest.mark.parametrize(
    ("name", "module"), [("my-evals", "my_evals"), ("2026 evals", "_2026_evals"), ("evals.v2", "evals_v2")]
)
def test_a_folder_whose_name_python_cannot_write_works_too(name, module, tmp_path):
    write(tmp_path / name / "shared.py", "VALUE = 7")
    write(tmp_path / name / "support.py", "from .shared import VALUE", evaluator="Support")
    assert names(discover(tmp_path / name)) == [f"{module}.support.Support"]


def test_two_folders_of_one_name_are_both_found_and_each_finds_its_own_files(tmp_path):
    for place in ("one", "two"):
        write(tmp_path / place / "found_evaluators" / "shared.py", f"PLACE = {place!r}")
        write(
            tmp_path / place / "found_evaluators" / "support.py",
            """
            from found_evaluators.shared import PLACE
            from .shared import PLACE as relative
            """,
            evaluator="Support",
        )
    (first,) = discover(tmp_path / "one" / "found_evaluators").evaluators
    (second,) = discover(tmp_path / "two" / "found_evaluators").evaluators
    assert full_name(first) == "found_evaluators.support.Support"
    assert second.__module__.startswith("found_evaluators_")
    for cls, place in ((first, "one"), (second, "two")):
        module = sys.modules[cls.__module__]
        assert (module.PLACE, module.relative) == (place, place)
    assert importlib.import_module("found_evaluators.shared").PLACE == "one"
    assert discover(tmp_path / "one" / "found_evaluators").evaluators == (first,)
    assert discover(tmp_path / "two" / "found_evaluators").evaluators == (second,)


def test_a_class_is_the_same_as_by_a_normal_import(folder, monkeypatch):
    write(folder / "support.py", evaluator="Support")
    write(folder / "other.py", evaluator="Other")
    monkeypatch.syspath_prepend(folder.parent)
    before = importlib.import_module("found_evaluators.other").Other
    other, support = discover(folder).evaluators
    assert other is before
    assert importlib.import_module("found_evaluators.support").Support is support


def test_in_a_package_names_begin_at_the_topmost_package(tmp_path):
    write(tmp_path / "found_shop" / "__init__.py", "SHOP = 1")
    write(tmp_path / "found_shop" / "quality" / "__init__.py")
    for plain in ("evaluators", "more_evaluators"):
        place = tmp_path / "found_shop" / "quality" / plain
        write(
            place / "support.py", "from found_shop import SHOP\nfrom ... import SHOP as relative", evaluator="Support"
        )
    write(tmp_path / "found_shop" / "quality" / "evaluators" / "__init__.py", evaluator="Inside")
    assert names(discover(tmp_path / "found_shop" / "quality" / "evaluators")) == [
        "found_shop.quality.evaluators.Inside",
        "found_shop.quality.evaluators.support.Support",
    ]
    assert names(discover(tmp_path / "found_shop" / "quality" / "more_evaluators")) == [
        "found_shop.quality.more_evaluators.support.Support"
    ]


def test_a_package_that_python_finds_is_imported_as_python_does(tmp_path, monkeypatch):
    write(tmp_path / "found_shop" / "__init__.py", "SHOP = 1")
    write(tmp_path / "found_shop" / "evaluators" / "support.py", evaluator="Support")
    monkeypatch.syspath_prepend(tmp_path)
    (cls,) = discover(tmp_path / "found_shop" / "evaluators").evaluators
    assert importlib.import_module("found_shop.evaluators.support").Support is cls


def test_a_module_that_hides_the_folder_in_its_package_does_not_stop_it(tmp_path):
    write(tmp_path / "found_shop" / "__init__.py")
    write(tmp_path / "found_shop" / "quality.py", "HIDING = True")
    write(tmp_path / "found_shop" / "quality" / "support.py", evaluator="Support")
    (name,) = names(discover(tmp_path / "found_shop" / "quality"))
    assert name.endswith(".support.Support")


BREAKS = {
    "syntax": ("x = (", "SyntaxError: '(' was never closed (broken.py:1)"),
    "import": ("x = 1\nimport no_such_module", "ModuleNotFoundError: No module named 'no_such_module' (broken.py:2)"),
    "error": ("raise ValueError('two\\nlines')", "ValueError: two lines (broken.py:1)"),
    "exit": ("import sys\nsys.exit(3)", "SystemExit: 3 (broken.py:2)"),
    "recursion": ("def f(): f()\nf()", "RecursionError: maximum recursion depth exceeded (broken.py:2)"),
    "silent": ("raise ValueError", "ValueError (broken.py:1)"),
    "speechless": (
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
        "E: (its text cannot be shown: ValueError) (broken.py:3)",
    ),
}


@pytest.mark.parametrize(("text", "error"), BREAKS.values(), ids=BREAKS)
def test_a_file_that_breaks_is_told_and_the_rest_is_found(text, error, folder):
    write(folder / "a.py", evaluator="Before")
    write(folder / "broken.py", text)
    write(folder / "support.py", evaluator="After")
    discovery = discover(folder)
    assert [full_name(cls) for cls in discovery.evaluators] == [
        "found_evaluators.a.Before",
        "found_evaluators.support.After",
    ]
    (broken,) = discovery.broken
    assert broken.path == folder / "broken.py"
    assert broken.error == error
    assert "broken.py" in broken.traceback
    assert "importlib" not in broken.traceback
    assert "found_evaluators.broken" not in sys.modules
    assert not hasattr(sys.modules["found_evaluators"], "broken")


@pytest.mark.parametrize("content", [b"x = '\xff'\n", b"x = 1\x00\n", "x = 1".encode("utf-16")])
def test_a_file_that_is_no_text_is_told_and_the_rest_is_found(content, folder):
    (folder / "broken.py").write_bytes(content)
    write(folder / "support.py", evaluator="Support")
    discovery = discover(folder)
    assert [broken.path for broken in discovery.broken] == [folder / "broken.py"]
    assert "\n" not in discovery.broken[0].error
    assert [cls.__name__ for cls in discovery.evaluators] == ["Support"]


def test_a_file_that_imports_a_broken_one_is_told_with_its_own_line(folder):
    write(folder / "shared.py", "1 / 0")
    write(folder / "support.py", "\nfrom found_evaluators.shared import X")
    shared, support = discover(folder).broken
    assert shared.error == "ZeroDivisionError: division by zero (shared.py:1)"
    assert support.error == "ZeroDivisionError: division by zero (support.py:2)"
    assert "shared.py" in support.traceback


def test_a_broken_package_stands_for_its_folder(folder):
    write(folder / "sub" / "__init__.py", "1 / 0")
    write(folder / "sub" / "support.py", evaluator="Support")
    write(folder / "sub" / "deeper" / "more.py", evaluator="More")
    write(folder / "z.py", evaluator="Other")
    discovery = discover(folder)
    assert [broken.path for broken in discovery.broken] == [folder / "sub" / "__init__.py"]
    assert [cls.__name__ for cls in discovery.evaluators] == ["Other"]


@pytest.mark.parametrize("importable", [True, False])
@pytest.mark.parametrize("inner", [".", "evaluators"])
def test_a_package_that_breaks_on_the_way_is_told(importable, inner, tmp_path, monkeypatch):
    top = tmp_path / "found_shop"
    init = write(top / "__init__.py", "import sys\nsys.exit('no shop')")
    write(top / inner / "support.py", evaluator="Support")
    if importable:
        monkeypatch.syspath_prepend(tmp_path)
    discovery = discover(top / inner)
    assert discovery.evaluators == ()
    assert [(broken.path, broken.error) for broken in discovery.broken] == [
        (init, "SystemExit: no shop (__init__.py:2)")
    ]
    assert not [name for name in sys.modules if name.startswith("found_shop")]


def test_an_interruption_passes_through_and_leaves_no_half_module(folder):
    write(folder / "__init__.py", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        discover(folder)
    assert "found_evaluators" not in sys.modules
    write(folder / "__init__.py")
    write(folder / "support.py", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        discover(folder)
    assert "found_evaluators.support" not in sys.modules


@pytest.mark.parametrize("name", ["support.v2.py", "v1.2/support.py"])
def test_a_name_that_cannot_be_imported_is_told(name, folder):
    write(folder / name, evaluator="Support")
    (broken,) = discover(folder).broken
    assert broken.path == folder / name
    assert broken.error == f"ImportError: {name}: a name with a dot cannot be imported; rename it"


def test_a_file_hidden_by_a_package_is_told(folder):
    write(folder / "support.py", evaluator="Hidden")
    write(folder / "support" / "__init__.py", evaluator="Hiding")
    discovery = discover(folder)
    assert [full_name(cls) for cls in discovery.evaluators] == ["found_evaluators.support.Hiding"]
    assert [broken.path for broken in discovery.broken] == [folder / "support.py"]
    assert "hides this file; rename one of them" in discovery.broken[0].error


@pytest.mark.parametrize(
    "name", [".hidden/a.py", ".hidden.py", "sub/.git/a.py", "__pycache__/a.py", "venv/lib/a.py", "conftest.py"]
)
def test_what_is_no_source_is_left_out(name, folder):
    write(folder / "support.py", evaluator="Support")
    write(folder / "venv" / "pyvenv.cfg")
    write(folder / name, "raise ValueError")
    assert names(discover(folder)) == ["found_evaluators.support.Support"]


def test_a_folder_that_is_hidden_itself_is_searched(tmp_path):
    write(tmp_path / ".found" / "support.py", evaluator="Support")
    assert names(discover(tmp_path / ".found")) == ["_found.support.Support"]


def test_each_real_file_is_imported_once_under_its_own_name(folder, tmp_path):
    write(folder / "z.py", evaluator="Real")
    write(tmp_path / "elsewhere" / "outside.py", evaluator="Outside")
    (folder / "a_link.py").symlink_to(folder / "z.py")
    (folder / "sub").mkdir()
    (folder / "sub" / "link.py").symlink_to(folder / "z.py")
    (folder / "loop").symlink_to(folder)
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "linked_again").symlink_to(tmp_path / "elsewhere")
    (folder / "itself.py").symlink_to(folder / "itself.py")
    (folder / "gone.py").symlink_to(tmp_path / "gone.py")
    assert names(discover(folder)) == ["found_evaluators.linked.outside.Outside", "found_evaluators.z.Real"]


def test_a_linked_folder_is_known_by_the_name_of_the_link(folder, tmp_path):
    write(folder / "support.py", evaluator="Support")
    (tmp_path / "found_link").symlink_to(folder)
    assert names(discover(tmp_path / "found_link")) == ["found_link.support.Support"]


def test_a_folder_that_cannot_be_listed_is_told(folder, monkeypatch):
    write(folder / "support.py", evaluator="Support")
    (folder / "closed").mkdir()
    listed = Path.iterdir

    def refusing(path):
        if path.name == "closed":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return listed(path)

    # Permissions do not bind root, as whom tests may run.
    monkeypatch.setattr(Path, "iterdir", refusing)
    discovery = discover(folder)
    assert [broken.path for broken in discovery.broken] == [folder / "closed"]
    assert discovery.broken[0].error.startswith("PermissionError: [Errno 13] Permission denied")
    assert [cls.__name__ for cls in discovery.evaluators] == ["Support"]


def test_imports_that_happen_during_a_run_find_the_folder(folder):
    write(
        folder / "support.py",
        """
        class Lazy(Support):
            def run(self, item):
                from found_evaluators.later import VALUE
                from .shared import VALUE as relative
                return VALUE, relative
        """,
        evaluator="Support",
    )
    lazy, _ = discover(folder).evaluators
    write(folder / "shared.py", "VALUE = 7")
    write(folder / "later.py", "VALUE = 8")
    importlib.invalidate_caches()
    assert lazy().run({}) == (8, 7)


def test_a_working_directory_that_changes_does_not_change_the_folder(tmp_path, monkeypatch):
    for place in ("one", "two"):
        write(tmp_path / place / "found_evaluators" / "support.py", f"PLACE = {place!r}", evaluator="Support")
    monkeypatch.syspath_prepend("")
    monkeypatch.chdir(tmp_path / "one")
    discover("found_evaluators")
    monkeypatch.chdir(tmp_path / "two")
    (second,) = discover("found_evaluators").evaluators
    assert sys.modules[second.__module__].PLACE == "two"
    assert sys.modules["found_evaluators.support"].PLACE == "one"


def test_discovery_gives_the_same_in_a_process_of_its_own(folder):
    write(folder / "support.py", evaluator="Support")
    write(folder / "json.py", "raise ValueError")
    code = (
        "import sys\n"
        "from neuron_evals.core.discovery import discover\n"
        "found = discover(sys.argv[1])\n"
        "print(found.evaluators[0].__module__, found.broken[0].error, sep='|')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, folder], capture_output=True, check=True, text=True
    )
    assert done.stdout == "found_evaluators.support|ValueError (json.py:1)\n"
    assert done.stderr == ""
