"""The protocol of evaluators, helpers that play all matches, and the single-thread evaluator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from tournaments.arena.arena import play_pairs
from tournaments.arena.contests import CONTEST
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import Forfeit
from tournaments.arena.outcomes import MEASURED, SCORES, Played
from tournaments.errors import TournamentError, void_games
from tournaments.schedules.base import Matches

FEW_GAMES = 10
"""Number of games below which all may be void."""
PART = 4096
"""Matches after which this thread hands out what it has played."""
CONTEST_PART, CONTEST_PARTS = 16, 64
"""Least matches of a part of a contest, whose matches may all hang, and the number of parts."""


class Evaluator(Protocol):
    """The protocol of evaluators, which play matches. Outcomes depend only on the arguments."""

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Play every match once, and yield the outcomes in parts that come in any order.

        Args:
            entrants: the population and the panel.
            matches: the pairs, the seeds and the number of games per match.
        """

    def close(self) -> None:
        """Release the threads, actors and connections that play matches."""


class ThisThread:
    """An evaluator that plays matches one after another in the calling thread."""

    def __init__(self, part: int = PART) -> None:
        """Create an evaluator that yields its outcomes after each ``part`` matches."""
        self._part = part

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Play every match in the calling thread, and yield the outcomes part by part.

        See :meth:`Evaluator.play`.
        """
        is_contest = entrants.game.rules.contest is not None
        most = max(CONTEST_PART, len(matches) // CONTEST_PARTS) if is_contest else self._part
        part = min(self._part, most)
        for first in range(0, len(matches), part):
            yield play_part(entrants, matches, first, min(first + part, len(matches)))

    def close(self) -> None:
        """Do nothing: playing in the calling thread needs no resources to release."""


def play_part(entrants: Entrants, matches: Matches, first: int, last: int) -> Played:
    """Play matches first..last-1 of a schedule in this thread, and return their outcomes.

    The outcomes depend only on the arguments.
    """
    pairs, seeds = matches.part(first, last)
    groups = matches.schedule.groups
    forfeits: list[Forfeit] = []
    form = matches.games, groups, matches.measured, forfeits
    outcomes = play_pairs(entrants, pairs, seeds, *form)
    places = [each._replace(match=first + each.match) for each in forfeits]
    return Played(first, pairs, outcomes, places)


def play_all(evaluator: Evaluator, entrants: Entrants, matches: Matches) -> Iterator[Played]:
    """Yield the outcomes of all matches, part by part, as an evaluator plays them.

    Raises:
        TournamentError: the evaluator played fewer or more matches than there are, or the simulator
            of a contest failed in more than half of the games. The error is raised as soon as that
            is certain.
    """
    count, void, games = 0, list[Forfeit](), len(matches) * matches.games
    for played in evaluator.play(entrants, matches):
        count += len(played.outcomes)
        void += [each for each in played.forfeits if each.seat == CONTEST]
        yield played
        if games >= FEW_GAMES and len(void) > games / 2:
            first = min(void, key=lambda each: (each.match, each.game))
            raise void_games("more than half of the", games, entrants.game.name, first.what)
    if count != len(matches):
        raise TournamentError(
            f"{type(evaluator).__name__} played {count} of {len(matches)} matches; its `play` must "
            "yield every match once"
        )


def collect_outcomes(matches: Matches, parts: Iterable[Played]) -> np.ndarray:
    """Return the outcomes of all matches in the order of the schedule, given in any order.

    They are int16 ``[M, games, 2]``, or with 4 columns if games are measured. Of a contest they are
    float64.
    """
    columns = MEASURED if matches.measured else SCORES
    outcomes = np.empty((0, matches.games, columns), dtype=np.int16)
    for played in parts:
        if not len(outcomes):
            form = (len(matches), *played.outcomes.shape[1:])
            outcomes = np.empty(form, dtype=played.outcomes.dtype)
        outcomes[played.first : played.first + len(played.outcomes)] = played.outcomes
    return outcomes
