"""The common parts of storages: paths, and the check of a file's size before it is read.

A path of this machine is a :class:`pathlib.Path`. A path of another storage is a value of a
separate class with the same ``/``, ``name``, ``parent`` and text, and with an attribute
``storage``, which reads and writes the path (:mod:`results.storage.remote`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Place = Any
"""A :class:`pathlib.Path`, or a path of another storage (see above)."""


Check = Callable[[int], object]
"""A function of the size of a file that raises if the size is too great to read."""


def accept(size: int) -> None:
    """Accept a file of any size: the check of a reader without a limit."""


@contextmanager
def released_on_error(lock: Any) -> Iterator[None]:
    """Return a context that releases a run's lock if its block raises."""
    try:
        yield
    except BaseException:
        lock.release()
        raise
