"""``status.json``: what a run is at, for whoever looks; its writer replaces it now and then.

It says nothing that a run needs: it is never waited for on the disk, and no bytes of a run depend
on it. What cannot be read is as if it were not there.
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
"""From one state of the file to the next, at least."""
LONGEST = 100_000
"""Bytes of a file that is read at all."""
COUNTS = ("pid", "generation", "generations", "games_played")
"""What a reader takes as whole numbers, from 0."""
NUMBERS = ("started", "time", "interval", "games_per_second")
"""And as any numbers, from 0."""


class StatusFile:
    """The status of a run that this process writes."""

    def __init__(self, run: str | os.PathLike[str] | Place, clock: Callable[[], float] = time.time):
        """Write into the folder of a run; ``clock`` gives seconds since 1970."""
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
        """A generation of so many games is done; ``facts`` are asked for where they are written."""
        now = self._clock()
        self._games += games
        if not now - self._written < EVERY_SECONDS:  # a clock may be set back
            seconds = now - self._written
            self._status |= {"games_per_second": self._games / max(seconds, 1e-9), **facts()}
            self._status["interval"] = max(seconds, 0.0)
            self._games = 0
            self._write(now)

    def end(self, facts: Mapping[str, Any]) -> None:
        """The process writes no more."""
        self._status |= {**facts, "is_running": False}
        self._status.pop("games_per_second", None)
        self._write(self._clock())

    def _write(self, now: float) -> None:
        self._status["time"] = self._written = now
        with suppress(ResultsError, OSError, ValueError, TypeError):
            overwrite(self._path, json.dumps(self._status, allow_nan=False).encode())


def read_status(run: str | os.PathLike[str] | Place) -> dict[str, Any]:
    """The status of a run, as far as it can be read; empty where there is none."""
    try:
        status = json.loads(read_file(place_of(run) / STATUS_FILE, LONGEST))
    except (OSError, ResultsError, ValueError, RecursionError):
        return {}
    if not isinstance(status, dict):
        return {}
    return {name: value for name, value in status.items() if _is_sound(name, value)}


def _is_sound(name: str, value: Any) -> bool:
    """Whether a reader can go by a value: the file may be of any age, and damaged."""
    if name in (*COUNTS, *NUMBERS):
        kinds = int if name in COUNTS else int | float
        return isinstance(value, kinds) and not isinstance(value, bool) and 0 <= value < 2**63
    if name == "faults":
        return isinstance(value, dict) and all(isinstance(n, int) for n in value.values())
    if name == "is_running":
        return isinstance(value, bool)
    return name == "host" and isinstance(value, str) and len(value) < 300
