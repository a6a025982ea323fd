"""Players that do what they may not, now and then: by the stream of the game alone."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from tournaments import registry
from tournaments.errors import PlayerFault


def divides(state: Any) -> int:
    return 1 // 0


def leaves(state: Any) -> int:
    sys.exit(3)


def meddles(state: Any) -> int:
    action = state.legal_actions()[0]
    state.play(action)
    return action


def is_late(state: Any) -> int:
    raise PlayerFault("faulty", "late", "did not answer within 0.1 seconds")


def kills_its_process(state: Any) -> int:
    os.kill(os.getpid(), signal.SIGSEGV)
    return 0


def ends_its_process(state: Any) -> int:
    os._exit(4)


def leaves_a_helper(lock: str, state: Any) -> int:
    """End the process, but for a helper that holds a file's lock."""
    end, begin = os.pipe()
    if os.fork() == 0:
        with open(lock, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            os.write(begin, b"!")
            return never_answers(state)
    os.read(end, 1)
    os._exit(4)


def never_answers(state: Any) -> int:
    while True:
        time.sleep(60)


def runs_out_of_memory(state: Any) -> int:
    raise MemoryError


MISTAKES = {
    "raised": divides,
    "exited": leaves,
    "changed state": meddles,
    "illegal": lambda state: 99,
    "no action": lambda state: float("nan"),
    "late": is_late,
    "memory": runs_out_of_memory,
}
"""By cause, what a player does in place of a choice."""


@dataclass(frozen=True)
class Faulty:
    """Takes the first legal action, and one time in ``every`` makes a mistake."""

    mistake: Callable[[Any], Any]
    every: int = 4
    name: str = "faulty"

    def choose(self, state: Any, rng: Any) -> Any:
        return state.legal_actions()[0] if rng.below(self.every) else self.mistake(state)


def offer(monkeypatch: pytest.MonkeyPatch, **players: Any) -> None:
    """Have these players found by their names, as those of an installed package."""

    def points(group: str) -> list[Any]:
        if group != "tournaments.players":
            return []
        return [
            SimpleNamespace(
                name=name, load=lambda made=made: lambda game: made, value="", dist=None
            )
            for name, made in players.items()
        ]

    monkeypatch.setattr(registry, "entry_points", points)
