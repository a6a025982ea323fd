"""Run folders in an object store: the interface of local files, by conditional writes.

The holder of a folder's lock writes with fencing: an object that it read or wrote before must be
unchanged, and a new object must not exist yet. A writer that was paused until another process took
over therefore cannot overwrite the objects of that process.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from results.errors import ResultsError
from results.storage.base import Check, accept, released_on_error
from results.storage.lease import CLOCK, SECONDS, Lease, Time, renew_until, valid_for
from results.storage.local import LOCK_NAME
from results.storage.objects import Conflict, Objects, ObjectState, Tag, put, seen


class RemotePath:
    """A path of a storage, with ``/``, ``name``, ``parent``... as for paths of this machine.

    Attributes:
        storage: the storage that reads and writes it.
        key: the parts below the bucket, joined by slashes; empty for the bucket itself.
    """

    __slots__ = ("key", "storage")

    def __init__(self, storage: RemoteStorage, key: str) -> None:
        self.storage = storage
        self.key = "/".join(part for part in key.split("/") if part not in ("", "."))

    def __truediv__(self, more: object) -> RemotePath:
        return RemotePath(self.storage, f"{self.key}/{more}")

    def __str__(self) -> str:
        return f"{self.storage.objects.address}/{self.key}"

    def __repr__(self) -> str:
        return f"RemotePath({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RemotePath) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        """Pickle a path in an object store as its address.

        Another process opens the storage again.
        """
        return self.storage.reopen, (str(self),)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.key.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The suffix of the path's last part, with its dot."""
        return os.path.splitext(self.name)[1]

    @property
    def parent(self) -> RemotePath:
        """The path of the folder that contains this path."""
        return RemotePath(self.storage, self.key.rpartition("/")[0])

    def with_name(self, name: str) -> RemotePath:
        """Return the path of another name in the same folder."""
        return self.parent / name

    def absolute(self) -> RemotePath:
        """Return the path itself, since an address does not depend on the working folder."""
        return self


@dataclass(eq=False)
class RemoteStorage:
    """Files as objects; see :class:`results.storage.local.LocalStorage`. Folders are parts of keys.

    Attributes:
        objects: the bucket, which may be wrapped to observe its requests.
        reopen: the function that returns the path of an address, for another process.
        lease_seconds: the duration of a lock after its last renewal.
        by: the clock of locks.
        readers: the recommended number of parallel reads.
    """

    objects: Objects
    reopen: Callable[[str], Any]
    lease_seconds: float = SECONDS
    by: Time = CLOCK
    _locks: dict[str, RemoteLock] = field(default_factory=dict)
    readers: ClassVar[int] = 16

    def read(self, path: RemotePath, check: Check = accept) -> bytes:
        present = self.objects.get(path.key, check)
        lock = self._lock_of(path)
        if lock is not None:
            lock.saw(path, present.tag)
        return present.data

    def size(self, path: RemotePath) -> int:
        return self.objects.size(path.key)

    def age(self, path: RemotePath) -> float:
        return self.objects.age(path.key)

    def is_locked(self, folder: RemotePath) -> bool:
        """Return whether a process holds the lease of a folder in the object store.

        The lease counts as held for a while after its last renewal.
        """
        key = (folder / LOCK_NAME).key
        seconds = valid_for(self.objects, key)
        return bool(seconds) and self.objects.age(key) < seconds

    def names(self, folder: RemotePath) -> list[str]:
        names = self.objects.names(_prefix(folder))
        if not names:
            raise FileNotFoundError(2, "no such folder", str(folder))
        return sorted(names)

    def exists(self, path: RemotePath) -> bool:
        try:
            self.objects.size(path.key)
        except FileNotFoundError:
            return self.is_folder(path)
        return True

    def is_folder(self, path: RemotePath) -> bool:
        return bool(self.objects.names(_prefix(path)))

    def write(
        self, path: RemotePath, data: bytes | memoryview, beside: RemotePath | None = None
    ) -> None:
        lock = self._lock_of(path)
        if lock is None:
            self.objects.put(path.key, bytes(data), ObjectState.ANY)
        else:
            lock.write(path, bytes(data))

    def append(self, path: RemotePath, line: bytes) -> bool:
        lock = self._lock_of(path)
        if lock is not None:
            return lock.append(path, line)
        data, tag = _state(self.objects, path)
        put(self.objects, path.key, data + line, tag, self.by.wait)
        return tag is ObjectState.ABSENT

    def remove(self, paths: Iterable[RemotePath]) -> None:
        for path in paths:
            lock = self._lock_of(path)
            if lock is not None:
                lock.check()
                lock.forget(path)
            self.objects.delete(path.key)

    def make_folder(self, path: RemotePath) -> None:
        """Create nothing: in an object store, a folder exists as soon as it contains an object."""

    def lock(self, folder: RemotePath) -> RemoteLock:
        if self._lock_of(folder / LOCK_NAME) is not None:
            raise ResultsError(
                f"this process is writing this run already: {folder}; close it first"
            )
        key = (folder / LOCK_NAME).key
        lease = Lease(self.objects, key, str(folder), self.lease_seconds, self.by)
        with released_on_error(lease):
            lease.take()
        lock = RemoteLock(self.objects, lease, self.by.wait)
        self._locks[folder.key] = lock
        return lock

    def clear(self, folder: RemotePath) -> None:
        """Remove nothing: crashed writers leave no temporary objects in an object store."""

    def links(self, folder: RemotePath) -> list[str]:
        """Return an empty list of symbolic links: an object store has none."""
        return []

    def overwrite(self, path: RemotePath, data: bytes) -> None:
        """Write nothing: a file on which no other file depends is not worth a request."""

    def _lock_of(self, path: RemotePath) -> RemoteLock | None:
        """Return this process's lock of the folder that holds a path, or of a parent folder.

        None means that this process holds no such lock.
        """
        folder = path.key
        while folder:
            folder = folder.rpartition("/")[0]
            if folder in self._locks:
                lock = self._locks[folder]
                if not lock.is_released:
                    return lock
                del self._locks[folder]
        return None


class RemoteLock:
    """The lock of a folder, which is a lease, and the writes of its holder.

    The tags are those of the objects when this holder last read or wrote them.

    Attributes:
        is_released: whether the lock was released.
    """

    def __init__(self, objects: Objects, lease: Lease, wait: Callable[[float], object]) -> None:
        self.is_released = False
        self._objects = objects
        self._lease = lease
        self._is_over = threading.Event()
        renewing = (self._is_over, lease)  # in a daemon: a process that ends must not wait for it
        threading.Thread(target=renew_until, args=renewing, name="lease", daemon=True).start()
        self._wait = wait
        self._tags: dict[str, Tag] = {}
        self._lists: dict[str, bytes] = {}

    def check(self) -> None:
        self._lease.check()

    def release(self) -> None:
        self._is_over.set()
        self._lease.release()
        self.is_released = True

    def saw(self, path: RemotePath, tag: Tag) -> None:
        """Record the state in which this process first read an object of the store."""
        self._tags.setdefault(path.key, tag)

    def forget(self, path: RemotePath) -> None:
        """Forget the recorded state of an object that is being removed: it counts as absent."""
        self._tags.pop(path.key, None)
        self._lists.pop(path.key, None)

    def write(self, path: RemotePath, data: bytes) -> None:
        """Write an object of a locked folder, which this process wrote last or has not seen before.

        Raise ResultsError if another process has changed it.
        """
        self.check()
        self._lists.pop(path.key, None)
        known = self._tags.get(path.key, ObjectState.ABSENT)
        try:
            self._put(path, data, known)
            return
        except Conflict as error:
            self._lease.renew()  # which the store refuses where another process writes now
            if path.key in self._tags:
                raise _changed(path) from error
        try:  # another holder wrote it before this process took the lease
            self._put(path, data, _state(self._objects, path)[1])
        except Conflict as error:
            raise _changed(path) from error

    def append(self, path: RemotePath, line: bytes) -> bool:
        """Append a line to an object of a locked folder, and return whether the object was missing.

        Raise ResultsError if another process has changed it.
        """
        self.check()
        try:
            if path.key in self._lists:
                data, tag = self._lists[path.key] + line, self._tags[path.key]
            else:
                present, tag = _state(self._objects, path)
                if self._tags.get(path.key, tag) != tag:
                    raise Conflict(path.key)
                data = present + line
            self._put(path, data, tag)
        except Conflict as error:
            self._lease.renew()
            raise _changed(path) from error
        self._lists[path.key] = data
        return tag is ObjectState.ABSENT

    def _put(self, path: RemotePath, data: bytes, expected: Tag | ObjectState) -> None:
        self._tags[path.key] = put(self._objects, path.key, data, expected, self._wait)


def _prefix(folder: RemotePath) -> str:
    return f"{folder.key}/" if folder.key else ""


def _state(objects: Objects, path: RemotePath) -> tuple[bytes, Tag | ObjectState]:
    """Return the content of an object of the store and its state; empty and absent if missing."""
    present = seen(objects, path.key)
    return (b"", ObjectState.ABSENT) if present is None else present


def _changed(path: RemotePath) -> ResultsError:
    return ResultsError(
        f"{path} was changed by another process while this one wrote the run; nothing more was "
        "written: go on with evo resume, once no other process writes it"
    )
