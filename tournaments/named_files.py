"""Files that options name, such as ``network:weights=best.npy``: read within bounds, as data.

A user names files; a folder of somebody else's may not, as where a file lies on the reader's
machine is no part of a run. Whoever takes options from a folder says so by :func:`named_by`.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from tournaments.errors import TournamentError

MOST_BYTES = 1 << 30
"""Of a file."""
MOST_JSON = 64 << 20
"""Of a JSON file, which takes many times as much once it is read."""
_FOLDER: ContextVar[str] = ContextVar("folder that names files", default="")


@contextmanager
def named_by(folder: str) -> Iterator[None]:
    """Refuse files that are named meanwhile, by a folder; empty: a user names them."""
    before = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(before)


def naming_folder() -> str:
    """The folder that names what is made meanwhile; empty: a user does."""
    return _FOLDER.get()


def read_named(file: str | Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file of at most so many bytes.

    Raises:
        TournamentError: a folder names it, or it is greater, or no file.
        OSError, ValueError: it cannot be read, or no file can be called so.
    """
    folder = naming_folder()
    if folder:
        raise TournamentError(
            f"{folder} names the file {str(file)[:200]!r}, and the folder of a run may name none: "
            "if you trust it, add --trust (trust=True)"
        )
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise TournamentError(f"{file}: a pipe, a device or a folder given; a file is expected")
        if status.st_size > most:
            raise TournamentError(
                f"{file}: {status.st_size:,} bytes given; at most {most:,} are expected"
            )
        return stream.read(status.st_size)


def read_named_json(file: str | Path) -> Any:
    """The content of a JSON file.

    Raises:
        TournamentError, OSError, ValueError: as :func:`read_named`, and of what is no JSON.
    """
    try:
        return json.loads(read_named(file, MOST_JSON).decode())
    except RecursionError:
        raise TournamentError(f"{file}: too many lists within one another") from None
