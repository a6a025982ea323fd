"""Stores of objects as tests want them: that count, fail, crash; and a clock that they turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import obstore
from obstore.store import MemoryStore

from results.storage.lease import Time
from results.storage.objects import SERVICES, Objects
from results.storage.remote import RemotePath, RemoteStorage

SECONDS = 60.0


class Crash(BaseException):
    """The process is gone: nothing after it reaches the store."""


class Clock:
    """A clock that stands until somebody waits; ``meanwhile`` is called after each wait."""

    def __init__(self, rate: float = 1.0) -> None:
        self.now, self.rate = 1000.0, rate
        self.meanwhile: Callable[[], object] = lambda: None

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.meanwhile()

    @property
    def time(self) -> Time:
        return Time(lambda: self.now * self.rate, self.wait)


class MemoryObjects(Objects):
    """A bucket in memory; see :class:`results.storage.objects.Objects`."""

    def __init__(self) -> None:
        super().__init__(MemoryStore(), "memory://", SERVICES["memory"])


class Watched:
    """A store that logs its requests, and meets ``trouble`` before or after each change."""

    def __init__(self, objects: MemoryObjects, trouble: Iterable[Any] = ()) -> None:
        self.objects, self.trouble = objects, iter(trouble)
        self.address = objects.address
        self.log: list[tuple[str, str]] = []

    def get(self, key, *check):
        return self._read("get", key, *check)

    def size(self, key):
        return self._read("size", key)

    def age(self, key):
        return self._read("age", key)

    def names(self, prefix):
        return self._read("names", prefix)

    def put(self, key, data, expected):
        return self._changed("put", key, lambda: self.objects.put(key, data, expected))

    def delete(self, key):
        return self._changed("delete", key, lambda: self.objects.delete(key))

    def _read(self, name, key, *check):
        self.log.append((name, key))
        return getattr(self.objects, name)(key, *check)

    def _changed(self, name, key, change):
        self.log.append((name, key))
        before, after = next(self.trouble, (None, None))
        if before is not None:
            raise before
        try:
            return change()
        finally:
            if after is not None:
                raise after


def storage(objects: Any, clock: Clock | None = None) -> RemoteStorage:
    """A storage as another process would open it."""
    return RemoteStorage(objects, _refuse, SECONDS, (clock or Clock()).time)


def folder(objects: Any, key: str = "runs/x", clock: Clock | None = None) -> RemotePath:
    """A folder in a storage of its own."""
    return RemotePath(storage(objects, clock), key)


def contents(objects: MemoryObjects, prefix: str = "") -> dict[str, bytes]:
    """Every object whose key begins so, by the rest of its key."""
    keys = sorted(entry["path"] for entry in obstore.list(objects._store).collect())
    return {key[len(prefix) :]: objects.get(key).data for key in keys if key.startswith(prefix)}


def _refuse(address: str) -> Any:
    raise AssertionError(f"{address} was opened anew")
