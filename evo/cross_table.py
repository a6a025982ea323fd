"""A tournament of named players: everybody against everybody, as a cross table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cluster import Entrants, Evaluator, LocalEvaluator
from cluster.evaluator import all_outcomes
from evo import opponents as naming
from evo.errors import ConfigError
from results.analysis import wilson
from tournaments import games as known_games
from tournaments.schedules import Listed, Matches
from tournaments.scoring import results_of_a

Report = Callable[[int, int, int], None]


@dataclass(frozen=True)
class CrossTable:
    """What each player made of its games against each other.

    Attributes:
        names: the players, in the order given.
        games: played by each pair.
        wins: int64 ``[P, P]``, games that the row's player won against the column's.
        draws: int64 ``[P, P]``, symmetric.
        wins_in_seat: int64 ``[2, P, P]``, games that the row's player won in the first seat, and
            in the second; each player held each seat in half of them.
        roles: what the seats are called, where they are unlike.
    """

    names: list[str]
    games: int
    wins: np.ndarray
    draws: np.ndarray
    wins_in_seat: np.ndarray
    roles: tuple[str, ...] = ()

    @property
    def scores(self) -> np.ndarray:
        """Share of the points, a draw being half of one, float64 ``[P, P]``; diagonal NaN."""
        shares = (self.wins + self.draws / 2) / self.games
        np.fill_diagonal(shares, np.nan)
        return shares

    def scores_as(self, role: str) -> np.ndarray:
        """Share of its games in a role that the row's player won, float64 ``[P, P]``."""
        shares = self.wins_in_seat[self.roles.index(role)] / (self.games // 2)
        np.fill_diagonal(shares, np.nan)
        return shares

    def records(self) -> list[dict[str, Any]]:
        """One row an ordered pair, with the 95% Wilson interval of the share of games won.

        Where seats have roles, ``win_rate_as_cat`` and so on are of the games in each of them.
        ``pandas.DataFrame(table.records())`` makes a frame of it.
        """
        in_roles = {f"win_rate_as_{role}": self.scores_as(role) for role in self.roles}
        low, high = wilson(self.wins, self.games)
        return [
            {
                "player": self.names[i],
                "opponent": self.names[j],
                "games": self.games,
                "wins": int(self.wins[i, j]),
                "draws": int(self.draws[i, j]),
                "losses": int(self.wins[j, i]),
                "win_rate": float(self.wins[i, j] / self.games),
                "win_rate_low": float(low[i, j]),
                "win_rate_high": float(high[i, j]),
                **{name: float(rates[i, j]) for name, rates in in_roles.items()},
            }
            for i in range(len(self.names))
            for j in range(len(self.names))
            if i != j
        ]


def tournament(
    game: str,
    players: Sequence[str],
    games: int = 1000,
    *,
    seed: int = 1,
    evaluator: Evaluator | None = None,
    threads: int | None = None,
    report: Report = lambda done, pairs, games: None,
    announce: Callable[[str], None] = lambda line: None,
) -> CrossTable:
    """Play everybody against everybody, the seats swapped after each game.

    Args:
        game: as typed: ``dots-and-boxes`` or ``dots-and-boxes:rows=2,cols=2``.
        players: two or more, as for :func:`evo.opponents.player`.
        games: of each pair; even, as a match is two.
        seed: the result of a pair depends on it and on the two players alone.
        evaluator, threads: where matches are played; by default threads of this process.
        report: told (pairs done, pairs in all, games of a pair) after each pair.
        announce: told in a line what takes a while.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    names = list(players)
    if len(names) < 2:
        raise ConfigError(f"{len(names)} player given; a tournament takes two or more")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"player {twice!r} given twice; name each once")
    if games < 2 or games % 2:
        raise ConfigError(
            f"games={games} given; an even number from 2 is expected, a match is two games"
        )
    played = known_games.parse(game)
    panel = tuple(naming.player(name, played) for name in names)
    entrants = Entrants(played, panel)
    _check_seats(entrants)
    everybody = itertools.combinations(range(len(names)), 2)
    if not entrants.need_no_compiler(tuple((-1 - i, -1 - j) for i, j in everybody)):
        announce("compiling kernels (once; they are kept)")
    counts = np.zeros((4, len(names), len(names)), dtype=np.int64)
    roles = played.seats if played.rules.has_roles else ()
    table = CrossTable(names, games, counts[0], counts[1], counts[2:], roles)
    own = LocalEvaluator(threads) if evaluator is None else None
    chosen = evaluator if own is None else own
    assert chosen is not None
    try:
        _play(entrants, table, seed, chosen, report)
    finally:
        if own is not None:
            own.close()
    return table


def _check_seats(entrants: Entrants) -> None:
    """Refuse players of one seat: each plays both."""
    field = entrants.decode()
    for number in range(len(entrants.panel)):
        field.check_seats(-1 - number, -1 - number, 2)


def _play(
    entrants: Entrants, table: CrossTable, seed: int, evaluator: Evaluator, report: Report
) -> None:
    """Play each pair and fill the table in place."""
    pairs = list(itertools.combinations(range(len(table.names)), 2))
    who = [naming.identity(player) for player in entrants.panel]
    for number, (i, j) in enumerate(pairs):
        schedule = Listed(np.full((table.games // 2, 2), (-1 - i, -1 - j), dtype=np.int32))
        matches = Matches(schedule, seed, f"tournament/{who[i]}/{who[j]}")
        results = results_of_a(all_outcomes(evaluator, entrants, matches))
        table.wins[i, j], table.wins[j, i] = (results > 0).sum(), (results < 0).sum()
        table.draws[i, j] = table.draws[j, i] = (results == 0).sum()
        table.wins_in_seat[:, i, j] = (results > 0).sum(axis=0)  # i holds seat g in game g
        table.wins_in_seat[:, j, i] = (results < 0).sum(axis=0)[::-1]
        report(number + 1, len(pairs), table.games)
