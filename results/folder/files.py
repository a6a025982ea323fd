"""The files of a folder, wherever it stands: each is written whole or not at all.

A path is one of this machine or of another storage (:mod:`results.storage`). What a system
refuses is told in one line.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from results.errors import ResultsError, refused
from results.format.limits import MOST_FILE, MOST_JSON, check_size, json_of
from results.format.metadata import plain_json
from results.storage.address import Lock, Storage, place_of
from results.storage.base import Place
from results.storage.local import LOCAL, LOCK_NAME

__all__ = ["LOCK_NAME", "Lock", "Place", "place_of"]


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def storage_of(path: Place) -> Storage:
    """Return the storage that reads and writes a path."""
    return getattr(path, "storage", LOCAL)


def _asked(action: str, path: Place, call: str, *arguments: Any, gone: Any = None) -> Any:
    """Return what a method of a path's storage returns; what the system refuses is a ResultsError.

    Args:
        action: what is done, as the message says it.
        call: the method.
        gone: what is returned where the path is gone; None: that is refused, too.
    """
    try:
        return getattr(storage_of(path), call)(path, *arguments)
    except OSError as error:
        if gone is not None and isinstance(error, FileNotFoundError):
            return gone
        raise refused(action, path, error) from error


def _read(path: Place, call: str, most: int) -> Any:
    try:
        return getattr(storage_of(path), call)(path, partial(check_size, path, most=most))
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise refused("read", path, error) from error


def read_file(path: Place, most: int = MOST_FILE) -> bytes:
    """Return the content of a file of at most so many bytes.

    Raises:
        FileNotFoundError, NotADirectoryError: it is gone; a reader beside a writer may try again.
        ResultsError: the system refused, or the file is greater.
    """
    return _read(path, "read", most)


def digest_of(path: Place) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; errors as of ``read_file``."""
    return _read(path, "digest", MOST_FILE)


def size_of(path: Place) -> int:
    """Return the bytes of a file; 0 where it is gone."""
    return _asked("read", path, "size", gone=0)


def each_of(
    folder: Place, read: Callable[[_Item], _Result], items: Iterable[_Item]
) -> list[_Result]:
    """Return what ``read`` gives of each item of a folder, in order.

    Several are read at a time where the storage says so: of one that is far away, waiting is what
    takes the time.
    """
    with ThreadPoolExecutor(storage_of(folder).readers) as pool:
        return list(pool.map(read, items))


def names_in(folder: Place) -> list[str]:
    """Return the names of what a folder holds, ascending; none where there is no folder.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("read", folder, "names", gone=[])


def exists(path: Place) -> bool:
    """Return whether there is such a file or folder."""
    return _asked("read", path, "exists")


def is_folder(path: Place) -> bool:
    """Return whether there is such a folder."""
    return _asked("read", path, "is_folder")


def links_in(folder: Place) -> list[str]:
    """Return those names of a folder that lead elsewhere, ascending.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("read", folder, "links")


def read_json(path: Place) -> Any:
    """Return the content of a JSON file; errors as of ``read_file``, and of what is no JSON."""
    data = read_file(path, MOST_JSON)
    try:
        return json_of(data)
    except ValueError as error:
        raise ResultsError(
            f"{path} is not readable as JSON ({error}); restore it from a copy"
        ) from error


def write_json(path: Place, content: Any, ascii_alone: bool = True) -> None:
    """Write a JSON file as ``atomic_write`` does, indented; numpy numbers become plain ones.

    Raises:
        ResultsError: a value is not JSON (NaN and infinities included), or the system refused.
    """
    try:
        text = json.dumps(
            content, indent=2, allow_nan=False, default=plain_json, ensure_ascii=ascii_alone
        )
    except (TypeError, ValueError) as error:
        raise ResultsError(f"{path.name} cannot hold this: {error}") from error
    atomic_write(path, f"{text}\n".encode())


def atomic_write(
    path: Place, data: bytes | memoryview, temporary_folder: Place | None = None
) -> None:
    """Write ``data`` to ``path`` so that a crash leaves the old content or the new, never a mix.

    On this machine a temporary file (``.write-*.tmp``) stands in ``temporary_folder``, which must
    be of the same file system, or beside ``path``. When this returns the content is on the disk.

    Raises:
        ResultsError: the system refused (no space, no right...); ``path`` is as it was, or as it is
            to be where only its folder could not be seen to the disk.
    """
    path = place_of(path)
    _asked("write", path, "write", data, temporary_folder)


def overwrite(path: Place, data: bytes) -> None:
    """Write a file that nothing depends on: readers see the old content or the new.

    Nobody waits for the disk, so a crash may leave anything. A storage to which that would be a
    request over a network goes without it.

    Raises:
        ResultsError: the system refused.
    """
    _asked("write", path, "overwrite", data)


def is_locked(run: Place) -> bool:
    """Return whether a process is writing a run.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("read", run, "is_locked")


def age_of(path: Place) -> float | None:
    """Return the seconds since a file was written; None: it is gone."""
    with suppress(OSError):
        return storage_of(path).age(path)
    return None


def npy(array: np.ndarray) -> bytes:
    """Return the content of the ``.npy`` file of an array."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def append_line(path: Place, line: bytes) -> bool:
    """Append ``line`` to ``path`` and see it to the disk; a failed append is taken back.

    Returns:
        Whether there was no such file before.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("write", path, "append", line)


def remove(paths: Iterable[Place]) -> None:
    """Remove files, those that are gone already included, and see their folders to the disk.

    Raises:
        ResultsError: the system refused.
    """
    every = list(paths)
    try:
        for path in every[:1]:
            storage_of(path).remove(every)
    except OSError as error:
        raise refused("remove files in", every[0].parent, error) from error


def make_folder(path: Place) -> None:
    """Create a folder and its parents, each seen to the disk; one that exists is left alone.

    Raises:
        ResultsError: the system refused.
    """
    _asked("create the folder", path, "make_folder")


def lock_run(run: Place) -> Lock:
    """Take the writer's lock of a run folder.

    Raises:
        ResultsError: another process is writing this run, or the folder cannot be written.
    """
    return _asked("write in", run, "lock")


def sweep_temporaries(folders: Iterable[Place]) -> None:
    """Remove the temporary files that crashed processes left; those still written to stay.

    Raises:
        ResultsError: the system refused.
    """
    for folder in folders:
        _asked("clear", folder, "clear")
