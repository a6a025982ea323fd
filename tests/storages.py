"""Stores of objects as tests want them: that count, fail, crash; and a clock that they turn."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from results.storage.base import Check, accept
from results.storage.lease import Time
from results.storage.objects import Conflict, Object, State, Tag
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


class MemoryObjects:
    """A bucket in memory; see :class:`results.storage.objects.Objects`."""

    def __init__(self, address: str = "memory://") -> None:
        self.address = address
        self._objects: dict[str, bytes] = {}
        self._written: dict[str, float] = {}
        self._guard = threading.Lock()

    def get(self, key: str, check: Check = accept) -> Object:
        data = self._content(key)
        check(len(data))
        return Object(data, _tag(data))

    def size(self, key: str) -> int:
        return len(self._content(key))

    def age(self, key: str) -> float:
        self._content(key)
        return time.monotonic() - self._written[key]

    def put(self, key: str, data: bytes, expected: Tag | State) -> Tag:
        with self._guard:
            present = self._objects.get(key)
            state = State.ABSENT if present is None else _tag(present)
            if expected is not State.ANY and state != expected:
                raise Conflict(key)
            self._objects[key], self._written[key] = bytes(data), time.monotonic()
        return _tag(data)

    def delete(self, key: str) -> None:
        with self._guard:
            self._objects.pop(key, None)

    def names(self, prefix: str) -> list[str]:
        with self._guard:
            keys = [key for key in self._objects if key.startswith(prefix)]
        return list({key[len(prefix) :].partition("/")[0] for key in keys})

    def _content(self, key: str) -> bytes:
        try:
            return self._objects[key]
        except KeyError:
            raise FileNotFoundError(2, "no such object", f"{self.address}/{key}") from None


def _tag(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


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
    return {
        key[len(prefix) :]: data
        for key, data in sorted(objects._objects.items())
        if key.startswith(prefix)
    }


def _refuse(address: str) -> Any:
    raise AssertionError(f"{address} was opened anew")
