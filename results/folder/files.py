"""Reading and writing the files of a folder on any storage. Each file is written atomically.

A path belongs to this machine or to another storage (:mod:`results.storage`). Errors of the system
are reported as ResultsError, in one line.
"""

from __future__ import annotations

import hashlib
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
    """Return the storage that reads and writes a path: the disk, or an object store."""
    return getattr(path, "storage", LOCAL)


def _asked(action: str, path: Place, call: str, *arguments: Any, gone: Any = None) -> Any:
    """Call a method of a path's storage and convert OSError to ResultsError.

    Args:
        action: the verb that the error message uses.
        path: the path, which is the first argument of the method.
        call: the name of the method.
        arguments: the further arguments of the method.
        gone: the result if the path does not exist; None: that is an error, too.
    """
    try:
        return getattr(storage_of(path), call)(path, *arguments)
    except OSError as error:
        if gone is not None and isinstance(error, FileNotFoundError):
            return gone
        raise refused(action, path, error) from error


def read_file(path: Place, most: int = MOST_FILE) -> bytes:
    """Return the content of a file of a run, of at most ``most`` bytes.

    Raises:
        FileNotFoundError, NotADirectoryError: the file does not exist. A reader of a run that is
            being written may try again.
        ResultsError: the system refused, or the file is larger.
    """
    try:
        return storage_of(path).read(path, partial(check_size, path, most=most))
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise refused("read", path, error) from error


def digest_of(path: Place) -> str:
    """Return the SHA-256 of a file in hexadecimal digits. Errors are those of ``read_file``."""
    return hashlib.sha256(read_file(path)).hexdigest()


def size_of(path: Place) -> int:
    """Return the size of a file in bytes; 0 if it does not exist."""
    return _asked("read", path, "size", gone=0)


def each_of(
    folder: Place, read: Callable[[_Item], _Result], items: Iterable[_Item]
) -> list[_Result]:
    """Call ``read`` with each file or folder of ``items`` and return the results in order.

    Several are read in parallel, as many as the storage of ``folder`` recommends. This hides the
    latency of a remote storage.
    """
    with ThreadPoolExecutor(storage_of(folder).readers) as pool:
        return list(pool.map(read, items))


def names_in(folder: Place) -> list[str]:
    """Return the names of the entries of a folder, ascending; empty if there is no such folder.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("read", folder, "names", gone=[])


def exists(path: Place) -> bool:
    """Return whether a file or folder exists."""
    return _asked("read", path, "exists")


def is_folder(path: Place) -> bool:
    """Return whether a path is an existing folder."""
    return _asked("read", path, "is_folder")


def links_in(folder: Place) -> list[str]:
    """Return the names of the symbolic links in a folder, ascending.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("read", folder, "links")


def read_json(path: Place) -> Any:
    """Return the content of a JSON file. Errors are those of ``read_file``, or invalid JSON."""
    data = read_file(path, MOST_JSON)
    try:
        return json_of(data)
    except ValueError as error:
        raise ResultsError(
            f"{path} is not readable as JSON ({error}); restore it from a copy"
        ) from error


def write_json(path: Place, content: Any, ascii_alone: bool = True) -> None:
    """Write a JSON file as ``atomic_write`` does, indented. numpy numbers become plain ones.

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
    """Write bytes to a file so that a crash leaves either the old content or the new content.

    On this machine, a temporary file (``.write-*.tmp``) is created in ``temporary_folder``, which
    must be on the same file system, or beside ``path``. When this returns, the content is on the
    disk.

    Raises:
        ResultsError: the system refused (no space, no permission...). ``path`` then has its old
            content, or its new content if only the sync of its folder failed.
    """
    path = place_of(path)
    _asked("write", path, "write", data, temporary_folder)


def overwrite(path: Place, data: bytes) -> None:
    """Write a file that no other file depends on. Readers see the old content or the new content.

    The call does not wait for the disk, so a crash may leave any content. A storage that would need
    a network request does nothing.

    Raises:
        ResultsError: the system refused.
    """
    _asked("write", path, "overwrite", data)


def is_locked(run: Place) -> bool:
    """Return whether a process holds the writer's lock of a run folder.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("read", run, "is_locked")


def age_of(path: Place) -> float | None:
    """Return the seconds since a file was written; None if it does not exist."""
    with suppress(OSError):
        return storage_of(path).age(path)
    return None


def npy(array: np.ndarray) -> bytes:
    """Return an array as the bytes of an ``.npy`` file."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def append_line(path: Place, line: bytes) -> bool:
    """Append a line of text to a file and sync it to the disk. A failed append is rolled back.

    Returns:
        Whether the file was created by this call.

    Raises:
        ResultsError: the system refused.
    """
    return _asked("write", path, "append", line)


def remove(paths: Iterable[Place]) -> None:
    """Remove files and sync their folders to the disk. Files that do not exist are ignored.

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
    """Create a folder and its parents and sync each to the disk. An existing folder is left alone.

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
    """Remove the temporary files of crashed processes. Files that are being written are kept.

    Raises:
        ResultsError: the system refused.
    """
    for folder in folders:
        _asked("clear", folder, "clear")
