"""Reading of data files that options name, such as ``network:weights=best.npy``, with size limits.

Options from a user may name files. Options stored in the folder of a run may not, because such a
folder may come from another person and another machine. Code that takes options from a folder
declares this by :func:`named_by`.
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
"""Maximum size of a file in bytes."""
MOST_JSON = 64 << 20
"""Maximum size of a JSON file in bytes. A parsed file takes many times as much memory."""
_FOLDER: ContextVar[str] = ContextVar("folder that names files", default="")


@contextmanager
def named_by(folder: str) -> Iterator[None]:
    """Refuse to read files that the options of a run's folder name, while the block runs.

    ``folder`` is that folder; empty: the options come from a user, whose files are read.
    """
    before = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(before)


def naming_folder() -> str:
    """Return the run's folder whose options are being read; empty for a user's options."""
    return _FOLDER.get()


def read_named(file: str | Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file that an option names, of at most ``most`` bytes.

    Raises:
        TournamentError: the name comes from a folder, or the file is too large or no regular file.
        OSError, ValueError: the file cannot be read, or the name is not a valid path.
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
    """Return the parsed content of a JSON file that an option names.

    Raises:
        TournamentError, OSError, ValueError: as :func:`read_named`, or the content is not JSON.
    """
    try:
        return json.loads(read_named(file, MOST_JSON).decode())
    except RecursionError:
        raise TournamentError(f"{file}: lists within lists, too many levels") from None
