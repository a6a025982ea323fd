"""``status.json``: the current state of a run, for monitoring. Its writer replaces it periodically.

No part of a run depends on this file, so writing it never waits for the disk. An unreadable file is
treated as missing.
"""

from __future__ import annotations

import json
import math
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from results.errors import ResultsError
from results.folder.files import Place, overwrite, place_of, read_file

STATUS_FILE = "status.json"
EVERY_SECONDS = 5.0
"""Minimum number of seconds between two writes of the file."""
LONGEST = 100_000
"""Maximum size of a file that is read, in bytes."""
COUNTS = ("pid", "generation", "games_played")
"""Fields that must be whole numbers from 0."""
NUMBERS = ("started", "time", "interval", "games_per_second")
"""Fields that must be numbers from 0."""


class StatusFile:
    """The status of a run that this process writes."""

    def __init__(self, run: str | os.PathLike[str] | Place, clock: Callable[[], float] = time.time):
        """Begin the status file of a run in its folder. ``clock`` returns seconds since 1970."""
        self._path = place_of(run) / STATUS_FILE
        self._clock = clock
        now = clock()
        self._status: dict[str, Any] = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "started": now,
            "time": now,
            "is_running": True,
        }
        self._written, self._games = -math.inf, 0
        self._write(now)

    def say(self, games: int, facts: Callable[[], Mapping[str, Any]]) -> None:
        """Record a finished generation of ``games`` games in the status file of the run.

        The file is written every few seconds. Only before a write is ``facts`` called, which
        returns further fields.
        """
        now = self._clock()
        self._games += games
        if not now - self._written < EVERY_SECONDS:  # a clock may be set back
            seconds = now - self._written
            self._status |= {"games_per_second": self._games / max(seconds, 1e-9), **facts()}
            self._status["interval"] = max(seconds, 0.0)
            self._games = 0
            self._write(now)

    def end(self, facts: Mapping[str, Any]) -> None:
        """Write the final status of the run; ``facts`` are further fields.

        Nothing is written later.
        """
        self._status |= {**facts, "is_running": False}
        self._status.pop("games_per_second", None)
        self._write(self._clock())

    def _write(self, now: float) -> None:
        self._status["time"] = self._written = now
        with suppress(ResultsError, OSError, ValueError, TypeError):
            overwrite(self._path, json.dumps(self._status, allow_nan=False).encode())


def read_status(run: str | os.PathLike[str] | Place) -> dict[str, Any]:
    """Return the valid fields of a run's status file; empty if it is missing or cannot be read."""
    try:
        status = json.loads(read_file(place_of(run) / STATUS_FILE, LONGEST))
    except (OSError, ResultsError, ValueError, RecursionError):
        return {}
    if not isinstance(status, dict):
        return {}
    return {name: value for name, value in status.items() if _is_sound(name, value)}


def _is_sound(name: str, value: Any) -> bool:
    """Whether a field of a run's status file has a valid value. The file may be old or damaged."""
    if name in (*COUNTS, *NUMBERS):
        kinds = int if name in COUNTS else int | float
        return isinstance(value, kinds) and not isinstance(value, bool) and 0 <= value < 2**63
    if name == "faults":
        return isinstance(value, dict) and all(isinstance(n, int) for n in value.values())
    if name == "is_running":
        return isinstance(value, bool)
    return name == "host" and isinstance(value, str) and len(value) < 300
