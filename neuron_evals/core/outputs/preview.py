"""Long text shortened for people."""

from __future__ import annotations

from neuron_evals.core.printable import printable


def preview(text: str, limit: int, *, multiline: bool = False) -> str:
    """Return `text` as `printable` text of at most `limit` characters; what was shortened says so and how long it was.

    No escape and no grapheme cluster (a letter with its marks, an emoji of several parts) is split.

    Args:
        text: Any text.
        limit: Largest length of the result in characters (code points), at least 1.
        multiline: Keep newlines and tabs.
    """
    # Escapes only lengthen, so what lies behind the limit can never be shown.
    shown = printable(text[:limit], multiline=multiline)
    if len(shown) <= limit and len(text) <= limit:
        return shown
    mark = f"… ({len(text)} characters)"
    if len(mark) > limit:
        mark = "…"
    return shown[: _cut(shown, limit - len(mark))] + mark


def _cut(text: str, room: int) -> int:
    """Return where the last cluster ends that fits into `room` characters."""
    import regex  # noqa: PLC0415  (only long texts need it)

    end = 0
    for cluster in regex.finditer(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt])|\X", text):
        if cluster.end() > room:
            break
        end = cluster.end()
    return end
