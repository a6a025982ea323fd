"""Which of two players is the stronger: games until the answer is known, and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evo.evaluation.players import game_of, participants
from evo.execution import Execution
from evo.requests.base import called_with
from evo.requests.tournaments import CompareRequest
from evo.tournaments.cross_table import tally
from evo.tournaments.ledger import PairMatches, SeededGames
from results import open_run
from results.folder.files import is_folder, place_of
from tournaments import games as known_games
from tournaments.analysis.sprt import SORTS, Sprt, estimate
from tournaments.arena.evaluator import collect_outcomes
from tournaments.arena.outcomes import results_of_a
from tournaments.errors import ConfigError, shown
from tournaments.game import Game
from tournaments.player import check_seats
from tournaments.players.objects import is_text

FIRST_BATCH, MOST_BATCH = 32, 10_000
"""Matches that are played at a time, at first and at most; a quarter of those so far between."""
VERDICTS = ("not stronger", "stronger")
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Comparison:
    """What came of a test of two players.

    Attributes:
        names: the two players; all numbers are the first one's.
        sprt: what was tested.
        counts: matches in which it made 0, 1, 2, 3 and 4 halves of a point, int64 ``[5]``.
        in_seats: games that it won, drew and lost in the first seat, and in the second, int64
            ``[2, 3]``.
        llr: the logarithm of the likelihood ratio, at the match that decided or the last.
        repeats: whether every match would be the same, so that one was played.
        verdict: ``stronger``: a lead of ``sprt.high`` was accepted; ``not stronger``: one of
            ``sprt.low`` was; ``undecided``: there were no more games.
    """

    names: tuple[str, str]
    sprt: Sprt
    counts: np.ndarray
    in_seats: np.ndarray
    llr: float
    verdict: str
    repeats: bool = False

    def __repr__(self) -> str:
        """The verdict, and what it rests on."""
        row = self.record()
        elo = f"Elo {row['elo']:+.0f} ({row['elo_low']:+.0f} to {row['elo_high']:+.0f})"
        return f"<{' against '.join(self.names)}: {self.verdict}, {elo}, {self.games:,} games>"

    @property
    def wins(self) -> int:
        """Games that it won."""
        return int(self.in_seats[:, 0].sum())

    @property
    def draws(self) -> int:
        """Games that were drawn."""
        return int(self.in_seats[:, 1].sum())

    @property
    def losses(self) -> int:
        """Games that it lost."""
        return int(self.in_seats[:, 2].sum())

    @property
    def games(self) -> int:
        """Games that count, two a match."""
        return int(self.in_seats.sum())

    def record(self) -> dict[str, Any]:
        """All of it in one row, as ``evo compare --json`` prints it."""
        lower, upper = self.sprt.bounds
        points = estimate(self.counts)
        sorts = {f"halves_{halves}": int(self.counts[halves]) for halves in range(SORTS)}
        first, second = self.in_seats[:, 0] / self.in_seats.sum(axis=1)
        return {
            "player": self.names[0],
            "opponent": self.names[1],
            "verdict": self.verdict,
            "llr": self.llr,
            "llr_low": lower,
            "llr_high": upper,
            "elo": points.elo,
            "elo_low": points.low,
            "elo_high": points.high,
            **tally(self.in_seats),
            "win_rate_first": float(first),
            "win_rate_second": float(second),
            **sorts,
            "repeats": self.repeats,
        }


@called_with(CompareRequest)
def compare(request: CompareRequest, execution: Execution) -> Comparison:
    """Test whether a player is stronger than another, and stop when that is known.

    The players are named as for :func:`evo.evaluation.players.player`. ``elo`` are the two leads,
    in Elo points, between which the test decides; ``alpha`` and ``beta`` are shares of tests, 0..1,
    that may err either way: see :class:`tournaments.analysis.sprt.Sprt`.

    ``report`` is called with (games played, most games, games of this batch).

    Returns:
        The verdict, the games, and the difference in Elo points: ``.verdict``, ``.record()``.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    both, (low, high) = (request.player, request.opponent), request.elo
    referee = execution.referee()
    sprt = Sprt(low, high, request.alpha, request.beta)
    game = _game_of(*both) if request.game is None else known_games.parse(request.game)
    pair = participants(both, game)
    for participant in pair:
        check_seats(participant.player, game)
    with execution.reporting("game") as report, execution.playing() as evaluator:
        games = SeededGames(game, pair, request.seed, "compare", evaluator, referee)
        (repeats,) = games.repeating([(0, 1)])
        comparison = _tested(sprt, games, 2 if repeats else request.most_games, report)
        comparison = replace(comparison, repeats=repeats)
    referee.announce_forfeits()
    return comparison


def _game_of(*players: Any) -> Game:
    """The game of the first run that is named."""
    for spec in map(str, filter(is_text, players)):
        path, at, number = spec.rpartition("@")
        folder = place_of(path if at and number.isdigit() else spec)
        if is_folder(folder):
            return game_of(open_run(folder))
    names = " and ".join(str(spec) if is_text(spec) else shown(spec) for spec in players)
    raise ConfigError(f"no game given, and {names} are no runs; give --game GAME")


def _results(games: SeededGames, first: int, last: int) -> np.ndarray:
    """Play the matches from number ``first`` up to ``last`` of the two players.

    Returns:
        int64 ``[M, 2]``, in the first seat and in the second: +1 a game that the first player won,
        0 drawn, -1 lost.
    """
    sign = 1 if games.order(0, 1) == (0, 1) else -1  # of results, and of their order
    matches = games.matches([PairMatches(0, 1, first, last)])
    outcomes = games.play(matches, partial(collect_outcomes, matches))
    return sign * results_of_a(outcomes).astype(np.int64)[:, ::sign]


def _tested(
    sprt: Sprt, games: SeededGames, most_games: int, report: Callable[..., None]
) -> Comparison:
    """Play until a bound is reached; what comes after the match that decides does not count."""
    counts, in_seats, llr = np.zeros(SORTS, dtype=np.int64), np.zeros((2, 3), dtype=np.int64), 0.0
    verdict = UNDECIDED
    for first, count in _batches(most_games // 2):
        results = _results(games, first, first + count)
        report(2 * (first + count), most_games, 2 * count)
        sorts = np.eye(SORTS, dtype=np.int64)[results.sum(axis=1) + 2]
        so_far = counts + np.cumsum(sorts, axis=0)
        ratios = sprt.ratios(so_far)
        place = sprt.decided(ratios)
        last = count - 1 if place is None else place
        counts, llr = so_far[last], float(ratios[last])
        for made, of_seat in zip(in_seats, results[: last + 1].T, strict=True):
            made += np.bincount(1 - of_seat, minlength=3)
        if place is not None:
            verdict = VERDICTS[int(llr > 0)]
            break
    return Comparison((games.names[0], games.names[1]), sprt, counts, in_seats, llr, verdict)


def _batches(matches: int) -> Iterator[tuple[int, int]]:
    """The first match of each batch, and how many it has."""
    first = 0
    while first < matches:
        count = min(max(FIRST_BATCH, first // 4), MOST_BATCH, matches - first)
        yield first, count
        first += count
