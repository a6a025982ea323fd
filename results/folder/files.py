"""The files of a folder, wherever it stands: each is written whole or not at all.

A path is one of this machine or of another storage (:mod:`results.storage.base`). What a system
refuses is told in one line.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import numpy as np

from results.errors import ResultsError, refused
from results.format.limits import MOST_FILE, MOST_JSON, check_size, json_of
from results.format.metadata import plain_json
from results.storage.address import place_of
from results.storage.base import Lock, Place, Storage
from results.storage.local import LOCAL, LOCK_NAME

__all__ = ["LOCK_NAME", "Lock", "Place", "place_of"]


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def storage_of(path: Place) -> Storage:
    """Who reads and writes a path."""
    return getattr(path, "storage", LOCAL)


def read_file(path: Place, most: int = MOST_FILE) -> bytes:
    """Return the content of a file of at most so many bytes.

    Raises:
        FileNotFoundError, NotADirectoryError: it is gone; a reader beside a writer may try again.
        ResultsError: the system refused, or the file is greater.
    """
    with _told_unless_gone("read", path):
        return storage_of(path).read(path, partial(check_size, path, most=most))


def digest_of(path: Place) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; errors as of ``read_file``."""
    with _told_unless_gone("read", path):
        return storage_of(path).digest(path, partial(check_size, path, most=MOST_FILE))


def size_of(path: Place) -> int:
    """Return the bytes of a file; 0 where it is gone."""
    try:
        return storage_of(path).size(path)
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise refused("read", path, error) from error


def each_of(
    folder: Place, read: Callable[[_Item], _Result], items: Iterable[_Item]
) -> list[_Result]:
    """Return what ``read`` gives of each item of a folder, in order.

    Several are read at a time where the storage says so: of one that is far away, waiting is what
    takes the time.
    """
    readers = storage_of(folder).readers
    if readers == 1:
        return [read(item) for item in items]
    with ThreadPoolExecutor(readers) as pool:
        return list(pool.map(read, items))


def names_in(folder: Place) -> list[str]:
    """Return the names of what a folder holds, ascending; none where there is no folder.

    Raises:
        ResultsError: the system refused.
    """
    try:
        return storage_of(folder).names(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise refused("read", folder, error) from error


def exists(path: Place) -> bool:
    """Whether there is such a file or folder."""
    with _told("read", path):
        return storage_of(path).exists(path)


def is_folder(path: Place) -> bool:
    """Whether there is such a folder."""
    with _told("read", path):
        return storage_of(path).is_folder(path)


def links_in(folder: Place) -> list[str]:
    """Return those names of a folder that lead elsewhere, ascending.

    Raises:
        ResultsError: the system refused.
    """
    links = getattr(storage_of(folder), "links", None)
    with _told("read", folder):
        return [] if links is None else links(folder)


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
    with _told("write", path):
        storage_of(path).write(path, data, temporary_folder)


def overwrite(path: Place, data: bytes) -> None:
    """Write a file that nothing depends on: readers see the old content or the new.

    Nobody waits for the disk, so a crash may leave anything. A storage to which that would be a
    request over a network goes without it.

    Raises:
        ResultsError: the system refused.
    """
    write = getattr(storage_of(path), "overwrite", None)
    if write is not None:
        with _told("write", path):
            write(path, data)


def is_locked(run: Place) -> bool | None:
    """Whether a process is writing a run; None where the storage does not tell.

    Raises:
        ResultsError: the system refused.
    """
    ask = getattr(storage_of(run), "is_locked", None)
    with _told("read", run):
        return None if ask is None else ask(run)


def age_of(path: Place) -> float | None:
    """Seconds since a file was written; None: it is gone, or its storage does not tell."""
    ask = getattr(storage_of(path), "age", None)
    with suppress(OSError):
        return None if ask is None else ask(path)
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
    with _told("write", path):
        return storage_of(path).append(path, line)


def remove(paths: Iterable[Place]) -> None:
    """Remove files, those that are gone already included, and see their folders to the disk.

    Raises:
        ResultsError: the system refused.
    """
    every = list(paths)
    if every:
        with _told("remove files in", every[0].parent):
            storage_of(every[0]).remove(every)


def make_folder(path: Place) -> None:
    """Create a folder and its parents, each seen to the disk; one that exists is left alone.

    Raises:
        ResultsError: the system refused.
    """
    with _told("create the folder", path):
        storage_of(path).make_folder(path)


def lock_run(run: Place) -> Lock:
    """Take the writer's lock of a run folder.

    Raises:
        ResultsError: another process is writing this run, or the folder cannot be written.
    """
    with _told("write in", run):
        return storage_of(run).lock(run)


def sweep_temporaries(folders: Iterable[Place]) -> None:
    """Remove the temporary files that crashed processes left; those still written to stay.

    Raises:
        ResultsError: the system refused.
    """
    every = list(folders)
    with _told("clear", every[0]):
        storage_of(every[0]).clear(every)


@contextmanager
def _told(action: str, path: Place) -> Iterator[None]:
    """Make a refusal of the system a ResultsError."""
    try:
        yield
    except OSError as error:
        raise refused(action, path, error) from error


@contextmanager
def _told_unless_gone(action: str, path: Place) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise refused(action, path, error) from error
