"""Standard output and error of a command, which may be redirected to a full disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class OutputLost(Exception):
    """An error raised when the output of a command cannot be written."""


@contextmanager
def guarded() -> Iterator[None]:
    """Guard standard output and error within the block.

    Lost output raises :class:`OutputLost`, once. Lost progress and messages are ignored: they are
    not the result of a command, and their loss could not be reported.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Guarded(before[0], True), _Guarded(before[1], False)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Guarded:
    """A guarded stream. ``BrokenPipeError`` is raised as usual, since the reader is gone."""

    def __init__(self, stream: TextIO, matters: bool) -> None:
        self._stream = stream
        self._matters = matters

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._done(self._stream.write, text) or 0

    def flush(self) -> None:
        self._done(self._stream.flush)

    def _done(self, write: Any, *arguments: str) -> Any:
        try:
            return write(*arguments)
        except BrokenPipeError:
            raise
        except OSError as error:
            discard_output(self._stream)
            if self._matters:
                reason = error.strerror or type(error).__name__
                raise OutputLost(f"standard output cannot be written: {reason}") from error
            return None


def discard_output(stream: Any) -> None:
    """Redirect a stream to the null device, so that its buffered output raises no more errors."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
