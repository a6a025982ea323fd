"""Files of this machine, and the interface of every storage.

A temporary file is locked by the kernel while it is being written. A process that clears a run
folder after a crash can therefore distinguish leftovers from files in use.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

from results.errors import ResultsError
from results.storage import system
from results.storage.base import Check, accept, released_on_error

LOCK_NAME = ".lock"
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP}
LOOK_SECONDS = 2.0
"""Maximum wait for a lock that another process only tests, which takes microseconds."""


class LocalStorage:
    """Files, each written whole or not at all. When a call returns, its effect outlives a crash.

    What the system refuses is an ``OSError``; callers make a ResultsError of it. A file or folder
    that does not exist is a FileNotFoundError.

    Attributes:
        readers: the number of files that are best read at a time.
    """

    readers = 4

    def read(self, path: Path, check: Check = accept) -> bytes:
        """Return the content of a file; ``check`` is called with the file's size before."""
        with open(_open_to_read(path), "rb") as file:
            check(os.fstat(file.fileno()).st_size)
            return file.read()

    def size(self, path: Path) -> int:
        """Return the size of a file in bytes."""
        return os.stat(path).st_size

    def names(self, folder: Path) -> list[str]:
        """Return the names of the entries of a folder, ascending."""
        return sorted(os.listdir(folder))

    def links(self, folder: Path) -> list[str]:
        """Return the names of the symbolic links in a folder, ascending."""
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_symlink())

    def exists(self, path: Path) -> bool:
        """Return whether a file or folder exists at a path."""
        return os.path.exists(path)

    def is_folder(self, path: Path) -> bool:
        """Return whether a path is an existing folder."""
        return os.path.isdir(path)

    def write(self, path: Path, data: bytes | memoryview, beside: Path | None = None) -> None:
        """Write a file, or replace it: a crash leaves the old or the new content.

        A storage that needs a temporary file makes it in the folder ``beside``, by default that of
        the file.
        """
        if beside is None:  # such a folder is never resumed, and so never cleared otherwise
            with suppress(OSError):
                self.clear(path.parent)
        self._put(path, data, beside or path.parent, lasting=True)

    def overwrite(self, path: Path, data: bytes) -> None:
        """Write a file on which no other file depends, without waiting for the disk."""
        self._put(path, data, path.parent, lasting=False)

    def _put(self, path: Path, data: bytes | memoryview, beside: Path, lasting: bool) -> None:
        temporary, descriptor = _open_temporary(beside)
        try:
            _write_all(descriptor, data)
            if lasting:
                system.fsync(descriptor)
            system.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                system.unlink(temporary)
            raise
        finally:
            system.close(descriptor)
        if lasting:
            _sync(path.parent)

    def is_locked(self, folder: Path) -> bool:
        """Return whether another process holds the writer's lock of a folder."""
        try:
            descriptor = _open_to_read(folder / LOCK_NAME)
        except FileNotFoundError:
            return False
        try:
            return _is_locked(descriptor)
        finally:
            os.close(descriptor)

    def age(self, path: Path) -> float:
        """Return the seconds since a file was written."""
        return max(0.0, time.time() - os.stat(path).st_mtime)

    def append(self, path: Path, line: bytes) -> bool:
        """Append a line to a file, which is made if missing, and return whether it was missing.

        A failed append leaves no part of the line.
        """
        created = not path.exists()
        descriptor = system.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            size = os.fstat(descriptor).st_size
            try:
                _write_all(descriptor, line)
                system.fsync(descriptor)
            except OSError:
                with suppress(OSError):
                    system.truncate(descriptor, size)
                raise
        finally:
            system.close(descriptor)
        if created:
            _sync(path.parent)
        return created

    def remove(self, paths: Iterable[Path]) -> None:
        """Remove files in this order. Files that are gone already are no error."""
        folders = set()
        for path in paths:
            with suppress(FileNotFoundError):
                system.unlink(path)
                folders.add(path.parent)
        for folder in sorted(folders):
            _sync(folder)

    def make_folder(self, path: Path) -> None:
        """Make a folder and its parents; a folder that exists is left alone."""
        missing = takewhile(lambda folder: not folder.exists(), (path, *path.parents))
        for folder in reversed(list(missing)):
            with suppress(FileExistsError):
                system.mkdir(folder)
            _sync(folder.parent)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))

    def lock(self, folder: Path) -> LocalLock:
        """Take the writer's lock of a folder.

        Raise ResultsError if another process holds the lock.
        """
        while True:
            descriptor = system.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
            lock = LocalLock(folder, descriptor)
            with released_on_error(lock):
                lock.take()
                if lock.is_in_place():  # else the file was removed before it was locked
                    return lock
            lock.release()

    def clear(self, folder: Path) -> None:
        """Remove what crashed writers left in a folder; files that are being written stay."""
        for path in list(folder.glob(".write-*.tmp")):
            with _unless_written(path) as is_left:
                if is_left:
                    self.remove([path])


class LocalLock:
    """A kernel lock on a file of a folder; the kernel releases it when the process ends."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self._folder = folder
        self._descriptor = descriptor

    def take(self) -> None:
        """Lock the folder's lock file. Raise ResultsError if another process holds the lock."""
        until = time.monotonic() + LOOK_SECONDS
        while not self._takes():
            if _is_locked(self._descriptor) or time.monotonic() > until:
                holder = os.pread(self._descriptor, 32, 0).decode("ascii", "replace").strip()
                number = f" (number {holder})" if holder.isdigit() else ""
                raise ResultsError(
                    f"another process{number} is writing this run: {self._folder}; wait for it to "
                    "end, or stop it"
                )
            time.sleep(0.001)  # another process looked at the lock just now
        with suppress(OSError):  # the number only makes the message above more helpful
            system.truncate(self._descriptor, 0)
            system.write(self._descriptor, b"%d\n" % os.getpid())

    def _takes(self) -> bool:
        """Try to lock the folder's lock file, and return whether that succeeded.

        Another process may hold the lock, or look at it just now.
        """
        try:
            system.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def is_in_place(self) -> bool:
        """Whether the locked file is still the lock file in the folder, and was not replaced."""
        with suppress(OSError):
            there = os.stat(self._folder / LOCK_NAME)
            return os.path.samestat(os.fstat(self._descriptor), there)
        return False

    def check(self) -> None:
        """Raise ResultsError if the lock of the folder is lost: nothing may be written then."""
        if not self.is_in_place():
            raise ResultsError(
                f"{self._folder / LOCK_NAME} was removed while the run was written, so another "
                "process may write it, too; nothing more was written: go on with evo resume, once "
                "no other process writes it"
            )

    def release(self) -> None:
        """Release the lock of the folder. A second call does no harm."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


LOCAL = LocalStorage()


def _open_to_read(path: Path) -> int:
    """Open a regular file to read and return its descriptor.

    Raise OSError for any other file, such as an endless pipe.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    number = errno.EISDIR if stat.S_ISDIR(mode) else errno.ENOTSUP
    what = os.strerror(number) if stat.S_ISDIR(mode) else "no file, but a pipe, socket or device"
    raise OSError(number, what, str(path))


def _open_temporary(folder: Path) -> tuple[Path, int]:
    while True:
        temporary = folder / f".write-{os.getpid()}-{secrets.token_hex(4)}.tmp"
        descriptor = system.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with suppress(OSError):  # a file system without locks: a sweep cannot lock either
            system.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:  # else a sweep removed it before it was locked
            return temporary, descriptor
        system.close(descriptor)


@contextmanager
def _unless_written(path: Path) -> Iterator[bool]:
    """Return a context whose value says whether a temporary file is unused.

    If so, no process can begin to write it in the block.
    """
    try:
        descriptor = _open_to_read(path)
    except OSError:
        yield True
        return
    try:
        is_written = True  # unknown on a file system without locks
        with suppress(OSError):
            is_written = _is_locked(descriptor)
        yield not is_written
    finally:
        os.close(descriptor)


def _is_locked(descriptor: int) -> bool:
    """Whether another process holds the lock of an open file.

    The test is a shared lock, which lasts until the descriptor is closed.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _write_all(descriptor: int, data: bytes | memoryview) -> None:
    rest = memoryview(data).cast("B")
    while rest:
        written = system.write(descriptor, rest)
        if not written:  # which would be so for ever
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        rest = rest[written:]


def _sync(folder: Path) -> None:
    """Wait until the entries of ``folder`` (new, renamed, removed) are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        system.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:  # some network file systems have no such call
            raise
    finally:
        os.close(descriptor)
