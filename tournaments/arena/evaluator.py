"""The protocol of whatever plays matches, and this thread, which plays where nobody else does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import Forfeit
from tournaments.arena.outcomes import Played
from tournaments.schedules.base import Matches

PART = 4096
"""Matches after which this thread hands out what it has played."""


class Evaluator(Protocol):
    """Plays matches. The outcomes depend on the arguments alone, never on who plays them where."""

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Play every match once, in parts that come in any order.

        Args:
            entrants: the population and the panel.
            matches: who meets whom, by which seeds, in how many games.
        """

    def close(self) -> None:
        """Let go of threads, actors and connections."""


class ThisThread:
    """Plays matches one after another, in the thread that asks for them."""

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """See :meth:`Evaluator.play`."""
        for first in range(0, len(matches), PART):
            yield play_part(entrants, matches, first, min(first + PART, len(matches)))

    def close(self) -> None:
        """There is nothing to let go of."""


def play_part(entrants: Entrants, matches: Matches, first: int, last: int) -> Played:
    """The matches first..last-1, played by this thread: they depend on the arguments alone."""
    pairs, seeds = matches.part(first, last)
    groups = matches.schedule.groups
    forfeits: list[Forfeit] = []
    form = matches.games, groups, matches.measured, forfeits
    outcomes = play_pairs(entrants, pairs, seeds, *form)
    places = [each._replace(match=first + each.match) for each in forfeits]
    return Played(first, pairs, outcomes, places)
