"""The name under which the files of a folder are imported.

Nothing is added to `sys.path`. A folder is entered into `sys.modules` as a package that knows its place, which is all
that Python needs for the imports of its files, also for those that happen later, while an evaluator runs.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType


class BrokenPackage(Exception):  # noqa: N818  (carries what broke to where it is reported)
    """The `__init__.py` of a package could not be run.

    Attributes:
        init: The file.
        cause: What it raised.
    """

    def __init__(self, init: Path, cause: BaseException) -> None:
        super().__init__(init, cause)
        self.init = init
        self.cause = cause


def package_of(folder: Path) -> str:
    """Import a folder as a package, and return its dotted name.

    In a package, the name begins at the topmost one, so that its classes are the same as by any other import. Otherwise
    it is the folder's name, unless Python could not write that, or has it for something else.

    Raises:
        BrokenPackage: An `__init__.py` on the way broke.
    """
    top = _topmost(folder)
    parts = folder.relative_to(top.parent).parts
    if all(part.isidentifier() for part in parts) and _is_free_for(parts[0], top):
        name, place = parts[0], top
        _enter(name, place)
        for part in parts[1:]:
            name, place = f"{name}.{part}", place / part
            with _told_as_broken(place / "__init__.py"):
                importlib.import_module(name)
        if _stands_for(name, folder):
            return name
    name = _own_name(folder)
    _enter(name, folder)
    return name


@contextmanager
def answering_to(name: str, package: str) -> Iterator[None]:
    """Let a folder that is imported under another name be found under `name` for a while.

    Two folders of one name can be used in one process: the second has a name of its own, but its files say
    `from evaluators.shared import ...` as those of the first do.
    """
    other = sys.modules.get(name)
    if package == name or "." in package or other is None or not _is_plain(other):
        yield
        return
    hidden = _modules_under(name)
    for key in hidden:
        del sys.modules[key]
    sys.modules[name] = sys.modules[package]
    try:
        yield
    finally:
        for key in _modules_under(name):
            del sys.modules[key]
        sys.modules.update(hidden)


def _topmost(folder: Path) -> Path:
    """Return the topmost package that a folder lies in; the folder itself when it lies in none."""
    while folder.parent != folder and (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    return folder


def _stands_for(name: str, folder: Path) -> bool:
    """Return whether a name is imported, and means the folder."""
    path = getattr(sys.modules.get(name), "__path__", ())
    return [os.path.realpath(entry) for entry in path][:1] == [os.path.realpath(folder)]


def _is_free_for(name: str, folder: Path) -> bool:
    """Return whether nothing but the folder has a name, be it imported already or only there to be imported."""
    if name in sys.modules:
        return _stands_for(name, folder)
    spec = find_spec(name)
    if spec is None:
        return True
    # Once for each entry of `sys.path` under which it is found: the same folder may be there twice.
    path = spec.submodule_search_locations or ()
    return {os.path.realpath(entry) for entry in path} == {os.path.realpath(folder)}


def _own_name(folder: Path) -> str:
    """Return a name that is free for the folder, the same in every process on the same machine."""
    name = re.sub(r"\W", "_", folder.name)
    name = name if name.isidentifier() else f"_{name}"
    if name != folder.name and _is_free_for(name, folder):
        return name
    return f"{name}_{hashlib.sha256(os.path.realpath(folder).encode(errors='surrogateescape')).hexdigest()[:8]}"


def _enter(name: str, folder: Path) -> None:
    """Import a folder under a name of one part, unless it is imported already."""
    if _stands_for(name, folder):
        return
    init = folder / "__init__.py"
    regular = init.is_file()
    with _told_as_broken(init):
        if regular and find_spec(name) is not None:
            importlib.import_module(name)
            return
        # A folder without `__init__.py` gets a fixed place: Python's own namespace packages look for theirs again when
        # `sys.path` or the working directory changes.
        loader = SourceFileLoader(name, str(init)) if regular else None
        spec = ModuleSpec(name, loader, origin=str(init) if regular else None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        spec.has_location = regular
        module = sys.modules[name] = module_from_spec(spec)
        try:
            if loader is not None:
                loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise


@contextmanager
def _told_as_broken(init: Path) -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit) as exc:
        raise BrokenPackage(init, exc) from exc


def _is_plain(module: ModuleType) -> bool:
    """Return whether a module is a folder without `__init__.py`."""
    return hasattr(module, "__path__") and getattr(module, "__file__", None) is None


def _modules_under(name: str) -> dict[str, ModuleType]:
    return {key: module for key, module in list(sys.modules.items()) if key == name or key.startswith(f"{name}.")}
