"""A sequential test of two players: games are played until it is known which one is stronger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evo.evaluation.players import check_two_players, game_of, participants
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
from tournaments.arena.outcomes import VOID, results_of_a
from tournaments.errors import ConfigError, shown
from tournaments.game import Game
from tournaments.player import check_seats
from tournaments.players.objects import is_text

FIRST_BATCH, MOST_BATCH = 32, 10_000
"""Number of matches in the first batch, and in the largest.

In between, a batch has a quarter of the matches played so far.
"""
VERDICTS = ("not stronger", "stronger")
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Comparison:
    """The result of a test of two players.

    Attributes:
        names: names of the two players. All numbers are results of the first player.
        sprt: the sequential test.
        counts: number of matches with 0, 1, 2, 3 and 4 half points, int64 ``[5]``.
        in_seats: number of games won, drawn and lost in the first seat and in the second, int64
            ``[2, 3]``.
        llr: log-likelihood ratio at the deciding match, or at the last match.
        repeats: whether every match would be the same, so that only one match was played.
        verdict: ``stronger`` if a lead of ``sprt.high`` was accepted, ``not stronger`` if a lead
            of ``sprt.low`` was accepted, ``undecided`` if the limit of games was reached.
    """

    names: tuple[str, str]
    sprt: Sprt
    counts: np.ndarray
    in_seats: np.ndarray
    llr: float
    verdict: str
    repeats: bool = False

    def __repr__(self) -> str:
        """Return a short text: players, verdict of the test, Elo difference and number of games."""
        row = self.record()
        elo = f"Elo {row['elo']:+.0f} ({row['elo_low']:+.0f} to {row['elo_high']:+.0f})"
        return f"<{' against '.join(self.names)}: {self.verdict}, {elo}, {self.games:,} games>"

    @property
    def wins(self) -> int:
        """Number of games that the first player won."""
        return int(self.in_seats[:, 0].sum())

    @property
    def draws(self) -> int:
        """Number of drawn games."""
        return int(self.in_seats[:, 1].sum())

    @property
    def losses(self) -> int:
        """Number of games that the first player lost."""
        return int(self.in_seats[:, 2].sum())

    @property
    def games(self) -> int:
        """Number of games that count, two per match."""
        return int(self.in_seats.sum())

    def record(self) -> dict[str, Any]:
        """Return the comparison in one row, in the form of ``evo compare --json``."""
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
    """Test whether a player is stronger than another, and stop at the decision.

    The players are named as for :func:`evo.evaluation.players.player`. ``elo`` contains the two
    leads, in Elo points, between which the test decides. ``alpha`` and ``beta`` are the error
    rates of the test, 0..1: see :class:`tournaments.analysis.sprt.Sprt`.

    ``report`` is called with (games played, most games, games of this batch).

    Returns:
        The comparison, with the verdict (``.verdict``), the counts of games, and the difference in
        Elo points (``.record()``).

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input; raised before any game.
    """
    both, (low, high) = (request.player, request.opponent), request.elo
    referee = execution.referee()
    sprt = Sprt(low, high, request.alpha, request.beta)
    game = (
        _game_of(both, execution.trust) if request.game is None else known_games.parse(request.game)
    )
    check_two_players(game)
    pair = participants(both, game, execution.trust)
    for participant in pair:
        check_seats(participant.player, game)
    with execution.reporting("game") as report, execution.playing() as evaluator:
        games = SeededGames(game, pair, request.seed, evaluator, referee, "compare")
        (repeats,) = games.repeating([(0, 1)])
        comparison = _tested(sprt, games, 2 if repeats else request.most_games, report)
        comparison = replace(comparison, repeats=repeats)
    referee.announce_forfeits()
    return comparison


def _game_of(players: Sequence[Any], trust: bool) -> Game:
    """Return the game of the first run among the players."""
    for spec in map(str, filter(is_text, players)):
        path, at, number = spec.rpartition("@")
        folder = place_of(path if at and number.isdigit() else spec)
        if is_folder(folder):
            return game_of(open_run(folder, trust), trust)
    names = " and ".join(str(spec) if is_text(spec) else shown(spec) for spec in players)
    raise ConfigError(f"no game given, and {names} are no runs; give --game GAME")


def _results(games: SeededGames, first: int, last: int) -> np.ndarray:
    """Play the matches of the two players from number ``first`` up to ``last``.

    Returns:
        Results of the first player in the first seat and in the second, int64 ``[M, 2]``: +1 for a
        won game, 0 for a drawn game, -1 for a lost game, ``VOID`` for a void game.
    """
    sign = 1 if games.order(0, 1) == (0, 1) else -1  # of results, and of their order
    matches = games.matches([PairMatches(0, 1, first, last)])
    outcomes = games.play(matches, partial(collect_outcomes, matches))
    results = results_of_a(outcomes).astype(np.int64)[:, ::sign]
    return np.where(results == VOID, VOID, sign * results)


def _tested(
    sprt: Sprt, games: SeededGames, most_games: int, report: Callable[..., None]
) -> Comparison:
    """Play until a bound is reached.

    Matches after the deciding match do not count, nor do matches with a void game.
    """
    counts, in_seats, llr = np.zeros(SORTS, dtype=np.int64), np.zeros((2, 3), dtype=np.int64), 0.0
    verdict = UNDECIDED
    for first, count in _batches(most_games // 2):
        results = _results(games, first, first + count)
        results = results[(results != VOID).all(axis=1)]
        report(2 * (first + count), most_games, 2 * count)
        if not len(results):
            continue
        sorts = np.eye(SORTS, dtype=np.int64)[results.sum(axis=1) + 2]
        so_far = counts + np.cumsum(sorts, axis=0)
        ratios = sprt.ratios(so_far)
        place = sprt.decided(ratios)
        last = len(results) - 1 if place is None else place
        counts, llr = so_far[last], float(ratios[last])
        for made, of_seat in zip(in_seats, results[: last + 1].T, strict=True):
            made += np.bincount(1 - of_seat, minlength=3)
        if place is not None:
            verdict = VERDICTS[int(llr > 0)]
            break
    return Comparison((games.names[0], games.names[1]), sprt, counts, in_seats, llr, verdict)


def _batches(matches: int) -> Iterator[tuple[int, int]]:
    """Yield the number of the first match and the number of matches of each batch."""
    first = 0
    while first < matches:
        count = min(max(FIRST_BATCH, first // 4), MOST_BATCH, matches - first)
        yield first, count
        first += count
