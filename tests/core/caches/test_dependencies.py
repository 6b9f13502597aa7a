from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from neuron_evals.core.caches import RunKeys
from neuron_evals.core.exceptions import EvaluationError
from tests.core import samples
from tests.core.samples import Echo, Says


class Depending(Echo):
    def __init__(self, *dependencies):
        self.dependencies = dependencies

    def cache_dependencies(self):
        return self.dependencies


def key(*dependencies):
    return RunKeys(Depending(*dependencies)).of({"input": "hours?"})


def test_no_dependencies__by_default():
    assert tuple(Echo().cache_dependencies()) == ()


def test_file_that_changes__another_key(tmp_path):
    path = tmp_path / "prompt.txt"
    path.write_text("Be brief.")
    before = key(path)
    assert key(str(path)) == before != key()
    path.write_text("Be long.")
    assert key(path) != before


def test_name_and_place_of_a_file__do_not_matter(tmp_path):
    (tmp_path / "one.txt").write_text("same")
    (tmp_path / "two.txt").write_text("same")
    assert key(tmp_path / "one.txt") == key(tmp_path / "two.txt")


def test_class_and_its_own_file__give_the_same_key():
    assert key(Says) == key(samples.__file__) != key(RunKeys)


def test_relative_path__is_relative_to_the_evaluators_file(edited, tmp_path, monkeypatch):
    source = """
class Support(Base):
    def run(self, item):
        return 1

    def cache_dependencies(self):
        return ["prompts/support.txt"]
"""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "support.txt").write_text("Be brief.")
    monkeypatch.chdir("/")
    before = RunKeys(edited.load(source)).of({})
    (tmp_path / "prompts" / "support.txt").write_text("Be long.")
    assert RunKeys(edited.load(source)).of({}) != before


def test_order_of_dependencies__does_not_matter(tmp_path):
    (tmp_path / "a").write_text("a")
    assert key(tmp_path / "a", Says) == key(Says, tmp_path / "a")


@pytest.mark.parametrize(
    ("dependency", "shown", "reason"),
    [
        ("missing.txt", "'missing.txt'", "No such file or directory"),
        (Path("missing.txt"), "'missing.txt'", "No such file or directory"),
        ("", "''", "the path is empty"),
        ("  ", "'  '", "the path is empty"),
        (".", "'.'", "a folder, a dependency is one file"),
        ("/dev/null", "'/dev/null'", "not a regular file, a dependency is one file"),
        ("nul\x00byte", r"'nul\\x00byte'", "embedded null byte"),
        ("n" * 300, "n+", "File name too long"),
        (int, "the class builtins.int", "the class builtins.int has no source file"),
        (type("Made", (), {"__module__": "nowhere"}), "the class nowhere.Made", "has no source file"),
        (7, "an object of type builtins.int", "a dependency is a class or the path of a file"),
        (None, "an object of type builtins.NoneType", "a dependency is a class or the path of a file"),
        (Decimal.from_float, "an object of type builtins.builtin", "a dependency is a class or the path of a file"),
    ],
)
def test_wrong_dependency__is_an_error_that_names_it_and_the_evaluator(dependency, shown, reason):
    with pytest.raises(
        EvaluationError, match=rf"test_dependencies\.Depending: cannot depend on '?{shown}.*: .*{reason}"
    ):
        key(dependency)


@pytest.mark.parametrize("returned", ["prompt.txt", Says, Path("prompt.txt"), None, 7], ids=str)
def test_anything_but_a_sequence_of_dependencies__is_an_error(returned):
    class Wrong(Echo):
        def cache_dependencies(self):
            return returned

    with pytest.raises(EvaluationError, match=r"Wrong: cache_dependencies\(\) returns a tuple of classes and paths"):
        RunKeys(Wrong())


def test_relative_path_of_an_evaluator_without_a_file__is_an_error():
    loose = type("Loose", (Depending,), {"__module__": "nowhere"})
    with pytest.raises(EvaluationError, match=r"'prompt\.txt': the class nowhere\.Loose has no source file"):
        RunKeys(loose("prompt.txt"))
