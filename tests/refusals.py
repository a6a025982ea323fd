"""A system that refuses one of the calls that change a disk, or all from one on."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from results.storage import system

CALLS = ("open", "write", "fsync", "replace", "unlink", "mkdir", "truncate", "close", "flock")
ERRORS = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS)
FAULTS = [(number, for_good) for for_good in (False, True) for number in ERRORS]
"""Ways to fail: with which error, and whether all later calls fail, too."""


class Refusing:
    """The calls that change a disk, of which number ``first`` fails, or all from it on."""

    def __init__(self, first: int, number: int, for_good: bool) -> None:
        self.first, self.number, self.for_good, self.calls = first, number, for_good, 0

    def around(self, name: str) -> Callable[..., Any]:
        real = getattr(system, name)

        def call(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls != self.first and not (self.for_good and self.calls > self.first):
                return real(*arguments, **options)
            if name == "write":  # half of it is there
                real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
            if name == "close":  # it is closed all the same
                real(*arguments)
            raise OSError(self.number, os.strerror(self.number))

        return call


@contextmanager
def refusing(first: int, number: int, for_good: bool) -> Iterator[Refusing]:
    refusing = Refusing(first, number, for_good)
    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(system, name, refusing.around(name))
        yield refusing
