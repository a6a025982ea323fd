"""What a storage offers, and the paths by which files in it are named.

A path of this machine is a :class:`pathlib.Path`. A path of another storage is a value of a class
of its own with the same ``/``, ``name``, ``parent`` and text, and with an attribute ``storage``
that says who reads and writes it (:mod:`results.storage.remote`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

Place = Any
"""A :class:`pathlib.Path`, or a path of another storage (see above)."""


Check = Callable[[int], object]
"""What is told the size of a file before it is read, and raises where that is too much."""


def accept(size: int) -> None:
    """Take a file of any size."""


class Lock(Protocol):
    """The right to write in a folder, held by one process at a time."""

    def check(self) -> None:
        """Raise ResultsError once the lock is not ours any more: nothing may be written then."""

    def release(self) -> None:
        """Let go of it; a second time is no harm."""


class Storage(Protocol):
    """Files, each written whole or not at all. When a call returns, what it did outlives a crash.

    A system that refuses is an ``OSError``, which callers make a ResultsError of.

    Attributes:
        readers: how many files are best read at a time.
    """

    readers: int

    def read(self, path: Place, check: Check = accept) -> bytes:
        """The content of a file; FileNotFoundError or NotADirectoryError where it is gone.

        ``check`` is told the size before any memory is taken.
        """

    def digest(self, path: Place, check: Check = accept) -> str:
        """The SHA-256 of a file, in hexadecimal digits; errors as of ``read``."""

    def size(self, path: Place) -> int:
        """Bytes of a file; errors as of ``read``."""

    def names(self, folder: Place) -> list[str]:
        """The names of what a folder holds, ascending; FileNotFoundError where there is none."""

    def exists(self, path: Place) -> bool:
        """Whether there is such a file or folder."""

    def is_folder(self, path: Place) -> bool:
        """Whether there is such a folder."""

    def write(self, path: Place, data: bytes | memoryview, beside: Place | None = None) -> None:
        """Write a file, in place of one that is there: a crash leaves the old or the new content.

        A storage that needs a temporary file makes it in the folder ``beside``, by default that of
        the file.
        """

    def append(self, path: Place, line: bytes) -> bool:
        """Append a line to a file, which is made where it is missing; a failed append leaves no
        part of it. Returns whether the file was missing; where its writer's lock tells that
        another changed it, False."""

    def remove(self, paths: Iterable[Place]) -> None:
        """Remove files, in this order; those that are gone already are no error."""

    def make_folder(self, path: Place) -> None:
        """Make a folder and its parents; one that is there is left alone."""

    def lock(self, folder: Place) -> Lock:
        """Take the writer's lock of a folder; ResultsError where another process holds it."""

    def clear(self, folder: Place) -> None:
        """Remove what crashed writers left in a folder; what is still written to stays."""

    def links(self, folder: Place) -> list[str]:
        """The names of what leads out of a folder, ascending."""

    def overwrite(self, path: Place, data: bytes) -> None:
        """Write a file that nothing depends on, without waiting for the disk."""

    def is_locked(self, folder: Place) -> bool:
        """Whether a process holds the writer's lock of a folder."""

    def age(self, path: Place) -> float:
        """Seconds since a file was written; errors as of ``read``."""
