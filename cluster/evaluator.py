"""Errors of evaluators, pieces of work, and the outcomes of all matches at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from tournaments.arena.entrants import Entrants
from tournaments.arena.evaluator import Evaluator as Evaluator
from tournaments.arena.evaluator import collect_outcomes, play_all
from tournaments.arena.evaluator import play_part as play_part
from tournaments.schedules.base import Matches


class ClusterError(RuntimeError):
    """Error of an evaluator that could not play the requested matches."""


CLOSED = "this evaluator is closed; make another"
CLOSED_MEANWHILE = "this evaluator was closed while its matches were played; make another"


def at_least_one(name: str, value: int) -> int:
    """Return a user's number of workers, or of matches per call, after a check of its range.

    Args:
        name: name of the option, for the message.
        value: the number given.

    Raises:
        ClusterError: the number is less than 1.
    """
    if value < 1:
        raise ClusterError(f"{name}={value} given; at least 1 is expected")
    return value


def faults_of(evaluator: Evaluator | None) -> dict[str, int]:
    """Return the counters of lost, repeated and overdue work of an evaluator, by name."""
    faults = getattr(evaluator, "faults", None)
    return faults.counts() if faults else {}


class Work(Protocol):
    """An independent piece of work, which depends on no other data.

    A piece of work with a method ``witness(result)``, which returns the same bytes on every worker,
    is cross-checked if matches are.
    """

    def run(self) -> Any:
        """Do this piece of work in the calling thread and return the result.

        The call may change the object.
        """


def all_done(evaluator: Evaluator, pieces: Sequence[Work]) -> list[Any]:
    """Do independent pieces of work and return their results, in their order.

    An evaluator that offers ``work(pieces)`` shares them among its threads or actors; any other
    leaves them to this thread.
    """
    share = getattr(evaluator, "work", None)
    return share(pieces) if share else [piece.run() for piece in pieces]


def all_outcomes(evaluator: Evaluator, entrants: Entrants, matches: Matches) -> np.ndarray:
    """Play all matches of a schedule and return the outcomes in its order.

    They are int16 ``[M, games, 2]``, or with 4 columns if more is measured.

    The outcomes must fit in memory. To count outcomes as they arrive, use the parts of
    :func:`tournaments.arena.evaluator.play_all`.
    """
    return collect_outcomes(matches, play_all(evaluator, entrants, matches))
