"""Commands that do their work to its end, whether or not somebody still reads what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, OutputWrapper

from neuron_evals.core.exceptions import OutputError
from neuron_evals.core.outputs.streams import closed, encodable, flush, write_text


class LastingOutput(OutputWrapper):
    """What a command writes to, until its reader goes away, as with `| head`; from then on it goes nowhere.

    A character that the stream's encoding does not have is written as an escape.
    """

    def write(  # type: ignore[override]  # (Django's own differs from the stream's)
        self, msg: str = "", style_func: Callable[[str], str] | None = None, ending: str | None = None
    ) -> None:
        """Write a line."""
        try:
            super().write(encodable(msg, behind(self)), style_func, ending)
        except BrokenPipeError:
            closed(behind(self))

    def flush(self) -> None:
        """Send what is buffered; unsent, it would make Python complain when it exits."""
        try:
            super().flush()
        except BrokenPipeError:
            closed(behind(self))

    def write_whole(self, text: str) -> None:
        """Write what is worth nothing in part, character by character as it is.

        Raises:
            OutputError: The reader has closed the pipe, or the stream's encoding lacks a character.
        """
        stream = behind(self)
        if encodable(text, stream) != text:
            msg = f"the output takes {stream.encoding} alone, which lacks a character of this; write it to a file"
            raise OutputError(msg)
        write_text(stream, text)
        flush(stream)


class LastingCommand(BaseCommand):
    """A command whose work and exit status do not depend on whether its reader stays."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run, with streams that outlast their readers."""
        self.stdout = _lasting(options.pop("stdout", None) or self.stdout)
        self.stderr = _lasting(options.pop("stderr", None) or self.stderr)
        try:
            return super().execute(*args, **options)
        finally:
            self.stdout.flush()
            self.stderr.flush()


def behind(wrapper: OutputWrapper) -> TextIO:
    """Return the stream behind Django's wrapper, which adds line ends and would break up what others print."""
    return cast("TextIO", wrapper._out)  # noqa: SLF001  (it has no public name)


def _lasting(stream: TextIO | OutputWrapper) -> LastingOutput:
    if not isinstance(stream, OutputWrapper):
        return LastingOutput(stream)
    made = LastingOutput(behind(stream), stream.ending)
    made.style_func = stream.style_func
    return made
