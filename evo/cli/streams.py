"""Standard output and error of a command, which may stand on a disk that is full."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class OutputLost(Exception):
    """What a command printed could not be written."""


@contextmanager
def guarded() -> Iterator[None]:
    """Within the block what cannot be printed is told, once, or passed over.

    Output that is lost is a failure: :class:`OutputLost`. Progress and messages are not what a
    command was asked for, and nobody could be told of their loss.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Guarded(before[0], True), _Guarded(before[1], False)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Guarded:
    """A stream; ``BrokenPipeError`` is raised as ever, as nobody reads on."""

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
            let_go_of(self._stream)
            if self._matters:
                reason = error.strerror or type(error).__name__
                raise OutputLost(f"standard output cannot be written: {reason}") from error
            return None


def let_go_of(stream: Any) -> None:
    """Have a stream write to nowhere: what it still holds would be an error once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
