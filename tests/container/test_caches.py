"""The cache of run outputs, from its setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.test import override_settings

from neuron_evals.caches import DatabaseCache
from neuron_evals.container import make_cache
from neuron_evals.core.caches import FileCache
from neuron_evals.core.exceptions import ConfigurationError
from tests.testapp.caches import Plain, Shared
from tests.testapp.mail import Agent

if TYPE_CHECKING:
    from pathlib import Path

APP = "tests.testapp.caches"


def built(**cache: Any) -> Any:
    with override_settings(NEURON_EVALS={"CACHE": cache}):
        return make_cache()


def test_default__a_folder_below_the_working_directory_that_is_not_made_yet(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    cache = make_cache()
    assert isinstance(cache, FileCache)
    assert cache.path == tmp_path / ".neuron" / "cache" / "evaluation"
    assert list(tmp_path.iterdir()) == []


def test_path__given__that_folder(tmp_path: Path) -> None:
    assert built(OPTIONS={"path": tmp_path / "outputs"}).path == tmp_path / "outputs"


@pytest.mark.parametrize("setting", ["database", {"BACKEND": "database"}, {"BACKEND": "database", "OPTIONS": {}}])
def test_database__by_its_name_alone_too(setting: Any) -> None:
    with override_settings(NEURON_EVALS={"CACHE": setting}):
        assert isinstance(make_cache(), DatabaseCache)


def test_file__by_its_name_alone__the_usual_folder(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with override_settings(NEURON_EVALS={"CACHE": "file"}):
        cache = make_cache()
    assert isinstance(cache, FileCache)
    assert cache.path == tmp_path / ".neuron" / "cache" / "evaluation"


def test_class_of_a_project__options_are_given_and_the_rest_is_injected():
    cache = built(BACKEND=f"{APP}.Shared", OPTIONS={"host": "redis"})
    assert isinstance(cache, Shared)
    assert isinstance(cache.agent, Agent)
    assert cache.host == "redis"


def test_class_of_a_project__without_options__built_by_the_container():
    assert isinstance(built(BACKEND=f"{APP}.Plain"), Plain)


@pytest.mark.parametrize(
    ("cache", "said"),
    [
        ({"BACKEND": "fil"}, 'NEURON_EVALS["CACHE"]: there is no cache "fil". Did you mean "file"?'),
        ({"BACKEND": "redis"}, 'there is no cache "redis". Use file, database, or the dotted path of a class.'),
        ({"BACKEND": "tests.testapp.mail.Agent"}, '"tests.testapp.mail.Agent" is no cache. Name a class that derives'),
        ({"OPTIONS": {"folder": "x"}}, 'the cache "file" has no option "folder". Its options are path.'),
        ({"OPTIONS": {"path": ""}}, "FileCache takes the path of a folder"),
        ({"OPTIONS": {"path": 3}}, "FileCache takes the path of a folder"),
    ],
)
def test_cache__that_cannot_be_built__one_line_with_what_is_valid(cache: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        built(**cache)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
