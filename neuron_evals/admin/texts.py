"""Values as pages show them: text from outside as data alone, what is unknown as unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from neuron_evals.core.jsonable.writing import dump_json

if TYPE_CHECKING:
    from django.utils.safestring import SafeString

UNKNOWN = _("unknown")
"""What stands in the place of a value that is not known."""

NONE = "-"
"""What stands where there is nothing to show."""

_SHORT = 80


def one_line(text: str, most: int = _SHORT) -> str:
    """Return a text on one line, cut for lists, with what could reorder the page or hide in it as visible escapes.

    Args:
        text: Any text.
        most: Most characters.
    """
    return Truncator(_visible(text[: most + 1])).chars(most)


def text_block(text: str) -> SafeString | str:
    """Return a text as it is, line by line."""
    if not text:
        return NONE
    # A browser drops a line break that follows the tag: this one, and not the text's own.
    return format_html('<pre class="ne-text" dir="auto">\n{}</pre>', _visible(text, multiline=True))


def json_block(value: Any) -> SafeString | str:
    """Return a JSON value as indented text."""
    return NONE if value in (None, "", [], {}) else text_block(dump_json(value, indent=2))


def figures(value: Any) -> SafeString | str:
    """Return a JSON object as a table of paths and values; `null` in it is unknown."""
    rows = list(_leaves("", value))
    return render_to_string("admin/neuron_evals/figures.html", {"rows": rows}) if rows else NONE


def rate(value: float | None) -> str:
    """Return a fraction as a percentage; what is nearly all never reads as all."""
    from neuron_evals.core.outputs.console.wording import percent  # noqa: PLC0415  (a start loads no output drivers)

    return gettext("unknown") if value is None else percent(value)


def number(value: float | None) -> str:
    """Return a number with at most ten significant digits."""
    return gettext("unknown") if value is None else f"{value:.10g}"


def seconds(value: float | None) -> str:
    """Return seconds with their unit, to the millisecond."""
    from neuron_evals.core.outputs.console import wording  # noqa: PLC0415  (as above)

    return gettext("unknown") if value is None else wording.seconds(value)


def badge(status: str, label: object) -> SafeString:
    """Return a status with its colour.

    Args:
        status: One of the statuses or verdicts.
        label: What it says.
    """
    return format_html('<span class="ne-status ne-{}">{}</span>', status, label)


def joined(words: Iterable[str]) -> str:
    """Return words on one line, or the sign for nothing."""
    return ", ".join(words) or NONE


def _visible(text: str, *, multiline: bool = False) -> str:
    from neuron_evals.core.printable import printable  # noqa: PLC0415  (as above)

    return printable(text, multiline=multiline)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:
    members: Iterable[tuple[str, Any]]
    step: Callable[[str], str]
    if isinstance(value, dict) and value:
        members, step = value.items(), (lambda name: f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        members, step = ((str(index), member) for index, member in enumerate(value)), (lambda name: f"{path}[{name}]")
    else:
        if path:
            yield one_line(path, 200), _leaf(value)
        return
    for name, member in members:
        yield from _leaves(step(name), member)


def _leaf(value: Any) -> str:
    if value is None:
        return gettext("unknown")
    if isinstance(value, str):
        return _visible(value, multiline=True)
    return number(value) if isinstance(value, float) else dump_json(value)
