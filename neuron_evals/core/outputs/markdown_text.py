"""Text from outside as Markdown code: the one place in which it is neither markup nor a link, mention or reference."""

from __future__ import annotations

import re

from neuron_evals.core.outputs.preview import preview

_RUN = re.compile("`+")
# CommonMark's C parsers, GitHub's among them, do not take more than 80 backticks for the start of code.
_TOO_LONG_RUN = re.compile("`{9,}")
_SHORTEST_FENCE = 3


def code_span(text: str, limit: int) -> str:
    r"""Return text as inline code on one line.

    Args:
        text: Any text; control and invisible characters, and more than eight backticks in a row, become escapes.
        limit: Largest number of characters, as `preview` counts them.
    """
    shown = _shown(text, limit, multiline=False) or " "
    ticks = "`" * (_longest_run(shown) + 1)
    # A space at both ends is taken off by readers, except from code that has nothing else.
    pad = " " if shown.strip(" ") and {shown[0], shown[-1]} & {"`", " "} else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def table_code(text: str, limit: int) -> str:
    """Return text as inline code for the cell of a table, `|` as an escape that no reader takes for the cell's end."""
    return code_span(text, limit).replace("|", r"\x7c")


def code_block(text: str, limit: int, indent: str) -> str:
    """Return text as a fenced code block of whole lines.

    Args:
        text: As for `code_span`; newlines and tabs stay.
        limit: As for `code_span`.
        indent: What each line starts with, so that the block stays inside a list item.
    """
    shown = _shown(text, limit, multiline=True)
    fence = "`" * max(_SHORTEST_FENCE, _longest_run(shown) + 1)
    return "".join(f"{indent}{line}\n" for line in (fence, *shown.split("\n"), fence))


def _shown(text: str, limit: int, *, multiline: bool) -> str:
    return _TOO_LONG_RUN.sub(lambda run: r"\x60" * len(run[0]), preview(text, limit, multiline=multiline))


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUN.findall(text)), default=0)
