"""Suite files: read whole, with what is said beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuron_evals.core.suites import Problem, SuiteError
from neuron_evals.transfer.documents import checked_document
from neuron_evals.transfer.drift import difference
from neuron_evals.transfer.formats import format_of, read_file
from neuron_evals.transfer.importing import Target, import_document, slug_of, suite_for

if TYPE_CHECKING:
    from neuron_evals.models import EvalSuite


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A suite file as it was read.

    Attributes:
        path: Where it is.
        file_format: One of `FORMATS`.
        document: What it says, and what was said beside it.
        items_alone: Whether the file holds items only.
        faults: What is wrong with its keys; the document is without them.
    """

    path: Path
    file_format: str
    document: Mapping[str, Any]
    items_alone: bool
    faults: tuple[Problem, ...] = ()

    @classmethod
    def read(
        cls, path: Path, target: Target | None = None, file_format: str | None = None, *, guard: bool = True
    ) -> SuiteFile:
        """Read a file.

        Args:
            path: The file.
            target: What is said beside it.
            file_format: One of `FORMATS`; what the end of its name says by default.
            guard: Whether guards before the cells of a CSV file are taken away.

        Raises:
            ConfigurationError: Nothing tells the format.
            SuiteError: The file cannot be read.
            DatasetError: Likewise; with line and column.
        """
        known = format_of(path, file_format)
        data = read_file(path, known, guard=guard)
        document, faults = checked_document(data)
        said = (target or Target()).over(document)
        return cls(path, known, said, items_alone=not isinstance(data, Mapping), faults=tuple(faults))

    def suite(self) -> EvalSuite:
        """Return the stored suite that it is about, or a new one that is not stored yet."""
        return suite_for(self.document, self.path.stem)

    def store(self, suite: EvalSuite) -> str:
        """Store it in a suite; parameters, result and errors are those of `import_document`."""
        return import_document(self.document, suite, items_alone=self.items_alone, faults=self.faults)

    def difference(self, suite: EvalSuite) -> list[str]:
        """Return what differs between the file and a stored suite, as lines of a diff.

        Raises:
            SuiteError: The keys of the file are wrong, or their values, or no row keeps what an item says.
        """
        if self.faults:
            raise SuiteError(self.faults)
        return difference(
            self.document,
            suite,
            self.path.name,
            items_alone=self.items_alone,
            cells=self.file_format == "csv",
        )


def of_one_suite(files: Iterable[SuiteFile]) -> list[str]:
    """Return which of some files are of the same suite, a line for each suite: one would undo what the other says."""
    by_slug: dict[str, list[str]] = {}
    for file in files:
        by_slug.setdefault(slug_of(file.document, file.path.stem), []).append(str(file.path))
    return [
        f'{", ".join(paths)}: all of them are of the suite "{slug}"; give each a "slug" of its own'
        for slug, paths in by_slug.items()
        if len(paths) > 1
    ]
