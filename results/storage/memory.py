"""Objects in the memory of this process, for trials and tests: gone when it ends."""

from __future__ import annotations

import hashlib
import threading
import time

from results.storage.base import Check, accept
from results.storage.objects import Conflict, Object, State, Tag


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
