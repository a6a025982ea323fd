"""A lease: an exclusive right to write that expires unless its holder renews it.

An object in the store names the holder, the duration in seconds, and the number of renewals. Clocks
of two machines are never compared. A process that wants the lease watches the object, and may take
the lease if the object stays unchanged for longer than the duration by the watcher's own clock. The
lease is taken, renewed and released by writes that are conditional on the last known state, so only
one of two competing processes succeeds.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from results.errors import ResultsError, refused
from results.storage.objects import ATTEMPTS, Conflict, Objects, ObjectState, Tag, put, seen

SECONDS = 60.0
"""Number of seconds that a lease lasts after its last renewal."""
_RENEWED_AFTER = 0.2
_VALID_FOR = 0.75
_TAKEN_AFTER = 1.25
"""Fractions of the duration after which the holder renews the lease, after which it must ask before
it writes, and after which others may take the lease. The gap allows for different clock rates.
"""
_LONGEST = 3600.0
_RACES = 5
_LOG = logging.getLogger("results.storage")


class Time(NamedTuple):
    """The clock of a lease, which includes the sleep of a machine, and the function to wait."""

    now: Callable[[], float] = lambda: time.clock_gettime(
        getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    )
    wait: Callable[[float], object] = time.sleep


CLOCK = Time()


@dataclass(frozen=True)
class _Held:
    """The content of a lease object. ``owner`` is empty after the lease was released."""

    tag: Tag
    owner: str
    seconds: float
    who: str


class Lease:
    """The lease of one folder, safe for several threads.

    Attributes:
        seconds: the duration after the last renewal.
    """

    def __init__(
        self, objects: Objects, key: str, folder: str, seconds: float = SECONDS, by: Time = CLOCK
    ) -> None:
        """Prepare the lease of a run folder in an object store; ``take`` it to hold it.

        Args:
            objects: the bucket.
            key: key of the lease's object.
            folder: the folder, for messages.
            seconds: duration of the lease without renewal.
            by: the clock and the sleep.
        """
        self.seconds = seconds
        self._objects, self._key, self._folder, self._by = objects, key, folder, by
        self._owner = secrets.token_hex(8)
        self._count = 0
        self._tag: Tag | ObjectState = ObjectState.ABSENT
        self._content = b""
        self._renewed = -float("inf")
        self._is_ours = False
        self._guard = threading.Lock()

    def take(self) -> None:
        """Take the lease of a run folder in an object store.

        If its holder is dead, wait for the lease to expire.

        Raises:
            ResultsError: another process holds the lease, or the store ignores write conditions.
            OSError: the store refuses, or does not answer.
        """
        for _ in range(_RACES):
            held = _look(self._objects, self._key)
            if held is not None and held.owner:
                held = self._outlast(held)
            self._tag = ObjectState.ABSENT if held is None else held.tag
            try:
                self._write(self._owner)
            except Conflict:
                continue
            self._is_ours = True
            self._try_conditions()
            return
        raise self._refusal(held)

    def check(self) -> None:
        """Raise ResultsError if this process has lost the lease, or cannot renew it in time."""
        with self._guard:
            self._check_ours()
            if self._by.now() - self._renewed < _VALID_FOR * self.seconds:
                return
            try:
                self._renew()
            except OSError as error:
                raise refused("renew the lock of", self._folder, error) from error

    def renew(self) -> None:
        """Extend this process's lease of a run folder by its full duration from now on.

        Raises:
            ResultsError: another process took the lease.
            OSError: the store does not answer. This process may still hold the lease.
        """
        with self._guard:
            self._check_ours()
            self._renew()

    def release(self) -> None:
        """Release this process's lease of a run folder. If that fails, it expires by itself.

        A second call does nothing.
        """
        with self._guard:
            if self._is_ours:
                self._is_ours = False
                with suppress(Conflict, OSError):
                    self._write("")

    def _try_conditions(self) -> None:
        """Raise if the object store ignores the conditions of writes, as older servers do."""
        first = self._tag
        self.renew()
        for expected in (first, ObjectState.ABSENT):
            if self._takes(expected):
                raise ResultsError(
                    f"{self._folder}: this store ignores the conditions of writes (If-Match, "
                    "If-None-Match), so two processes could write one run; take a store that obeys "
                    "them, or a newer version of its server"
                )

    def _takes(self, expected: Tag | ObjectState) -> bool:
        """Return whether the object store accepts a write on a wrong condition.

        ``expected`` is a state in which the object is not. A store that keeps its conditions
        refuses the write.
        """
        for attempt in range(ATTEMPTS):
            try:
                self._objects.put(self._key, self._content, expected)
                return True
            except Conflict:
                return False
            except OSError as error:
                last = error
                self._by.wait(0.1 * 2**attempt)
        raise last

    def _renew(self) -> None:
        try:
            self._write(self._owner)
        except Conflict as error:
            self._is_ours = False
            raise self._lost() from error

    def _check_ours(self) -> None:
        if not self._is_ours:
            raise self._lost()

    def _write(self, owner: str) -> None:
        began = self._by.now()
        self._count += 1
        content = {
            "owner": owner,
            "count": self._count,
            "seconds": self.seconds,
            "host": socket.gethostname(),
            "process": os.getpid(),
        }
        self._content = f"{json.dumps(content)}\n".encode()
        self._tag = put(self._objects, self._key, self._content, self._tag, self._by.wait)
        self._renewed = began

    def _outlast(self, held: _Held) -> _Held | None:
        """Wait until another holder releases the lease, or lets it expire.

        ``held`` is the lease when it was last read.
        """
        longest = _TAKEN_AFTER * held.seconds
        until = self._by.now() + longest
        _LOG.warning(
            "%s is locked by %s; waiting for up to %.0f s to see whether that still writes",
            self._folder,
            held.who,
            longest,
        )
        while self._by.now() < until:
            self._by.wait(min(longest / 20, 5.0))
            now = _look(self._objects, self._key)
            if now is None or not now.owner:
                return now
            if now.tag != held.tag:
                raise self._refusal(now)
        return held

    def _refusal(self, held: _Held | None) -> ResultsError:
        who = "another process" if held is None else held.who
        return ResultsError(
            f"another process is writing this run: {self._folder}, by {who}; wait for it to end, "
            "or stop it"
        )

    def _lost(self) -> ResultsError:
        return ResultsError(
            f"{self._folder}: another process took the lock of this run, since this one did not "
            f"renew it for more than {self.seconds:g} s, or removed it; nothing more was written: "
            "go on with evo resume, once no other process writes it"
        )


def renew_until(is_over: threading.Event, lease: Lease) -> None:
    """Renew a lease on a run folder at intervals, until an event is set or the lease is lost."""
    while not is_over.wait(_RENEWED_AFTER * lease.seconds):
        try:
            lease.renew()
        except ResultsError:
            return  # the next write reports the loss
        except OSError as error:
            _LOG.info("the lease was not renewed, and will be tried again: %s", error)


def valid_for(objects: Objects, key: str) -> float:
    """Return the seconds without renewal after which another process may take a lease.

    The result is 0 if no process holds the lease. ``key`` is the key of the object that stores it.
    """
    held = _look(objects, key)
    return _TAKEN_AFTER * held.seconds if held is not None and held.owner else 0.0


def _look(objects: Objects, key: str) -> _Held | None:
    """Return the lease that an object describes; None without the object.

    Unexpected content falls back to safe defaults.
    """
    present = seen(objects, key)
    if present is None:
        return None
    content = None
    with suppress(ValueError):
        content = json.loads(present.data)
    if not isinstance(content, dict):
        content = {"owner": "somebody"}
    seconds = content.get("seconds", SECONDS)
    if not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST:
        seconds = SECONDS
    who = f"process {content.get('process', '?')} on {content.get('host', 'an unknown machine')}"
    shown = "".join(letter if letter.isprintable() else "?" for letter in who[:200])
    return _Held(present.tag, str(content.get("owner", "")), seconds, shown)
