"""What a store of objects offers, and how it is written to so that a lost answer does no harm.

An object is written whole or not at all, and seen by whoever asks next. There is no rename; instead
a write may ask for the state that the object is in, and is refused where it is in another.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from enum import Enum
from typing import NamedTuple, Protocol

from results.storage.base import Check, accept


class State(Enum):
    """States of an object that a write may ask for, beside that of a tag."""

    ABSENT = "there is none"
    ANY = "whatever there is"


Tag = Hashable
"""What names a state of an object: two tags are equal where the contents are."""


class Conflict(Exception):
    """The object was not in the state that a write asked for, and was left alone."""


class Object(NamedTuple):
    """An object as it was read."""

    data: bytes
    tag: Tag


class Objects(Protocol):
    """The objects of one bucket. A store that refuses, or does not answer, is an ``OSError``.

    Attributes:
        address: of the bucket, without a slash at its end and without secrets.
    """

    address: str

    def get(self, key: str, check: Check = accept) -> Object:
        """The object; FileNotFoundError where there is none. ``check`` is told the size first."""

    def size(self, key: str) -> int:
        """Bytes of the object; FileNotFoundError where there is none."""

    def age(self, key: str) -> float:
        """Seconds since the object was written, for a person: the clocks of this machine and of the
        store may differ. FileNotFoundError as of ``size``."""

    def put(self, key: str, data: bytes, expected: Tag | State) -> Tag:
        """Write an object that is in the state ``expected``; Conflict where it is not."""

    def delete(self, key: str) -> None:
        """Remove an object; one that is gone already is no error."""

    def names(self, prefix: str) -> list[str]:
        """The next part of every key that begins so, each once, in no order."""


ATTEMPTS = 5
_PAUSE = 0.1


def put(
    objects: Objects,
    key: str,
    data: bytes,
    expected: Tag | State,
    wait: Callable[[float], object] = time.sleep,
) -> Tag:
    """Write an object that is in the state ``expected``, and return its tag.

    After a refusal or an error the object is read: a write whose answer was lost on the way is
    done, and must not be taken for another's.

    Raises:
        Conflict: it is in another state, and not what was to be written.
        OSError: the store refuses, or did not answer several times.
    """
    for attempt in range(ATTEMPTS):
        try:
            return objects.put(key, data, expected)
        except (Conflict, OSError) as error:
            if expected is State.ANY or isinstance(error, PermissionError):
                raise
            last = error
        present = seen(objects, key)
        if present is not None and present.data == data:
            return present.tag
        if (State.ABSENT if present is None else present.tag) != expected:
            raise Conflict(key) from last
        wait(_PAUSE * 2**attempt)
    raise last


def seen(objects: Objects, key: str) -> Object | None:
    """The object, or None where there is none."""
    try:
        return objects.get(key)
    except FileNotFoundError:
        return None
