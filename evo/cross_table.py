"""A tournament of named players: everybody against everybody, as a cross table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cluster import Entrants, Evaluator, LocalEvaluator
from evo import opponents as naming
from evo.errors import ConfigError
from results.analysis import wilson
from tournaments import games as known_games
from tournaments.arena import compiled_already
from tournaments.rng import match_seeds
from tournaments.schemes import results_of_a


@dataclass(frozen=True)
class CrossTable:
    """What each player made of its games against each other.

    Attributes:
        names: the players, in the order given.
        games: played by each pair.
        wins: int64 ``[P, P]``, games that the row's player won against the column's.
        draws: int64 ``[P, P]``, symmetric.
    """

    names: list[str]
    games: int
    wins: np.ndarray
    draws: np.ndarray

    @property
    def scores(self) -> np.ndarray:
        """Share of the points, a draw being half of one, float64 ``[P, P]``; diagonal NaN."""
        shares = (self.wins + self.draws / 2) / self.games
        np.fill_diagonal(shares, np.nan)
        return shares

    def records(self) -> list[dict[str, Any]]:
        """One row an ordered pair, with the 95% Wilson interval of the share of games won.

        ``pandas.DataFrame(table.records())`` makes a frame of it.
        """
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
    announce: Callable[[str], None] = lambda line: None,
) -> CrossTable:
    """Play everybody against everybody, the seats swapped after each game.

    Args:
        game: as typed: ``dots-and-boxes`` or ``dots-and-boxes:rows=2,cols=2``.
        players: two or more, as for :func:`evo.opponents.player`.
        games: of each pair; even, as a match is two.
        seed: the result depends on it and on the players alone.
        evaluator, threads: where matches are played; by default threads of this process.
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
    return _play(Entrants(played, panel), names, games, seed, evaluator, threads, announce)


def _play(
    entrants: Entrants,
    names: list[str],
    games: int,
    seed: int,
    evaluator: Evaluator | None,
    threads: int | None,
    announce: Callable[[str], None],
) -> CrossTable:
    upper = np.stack(np.triu_indices(len(names), k=1), axis=1)
    pairs = np.repeat(-1 - upper, games // 2, axis=0).astype(np.int32)
    if not compiled_already(entrants.decode(), pairs):
        announce("compiling kernels (once; they are kept)")
    own = LocalEvaluator(threads) if evaluator is None else None
    try:
        chosen = evaluator or own
        assert chosen is not None
        outcomes = chosen.play(entrants, pairs, match_seeds(seed, "tournament", 0, len(pairs)))
    finally:
        if own is not None:
            own.close()
    results = results_of_a(outcomes).reshape(len(upper), -1)
    wins = np.zeros((len(names), len(names)), dtype=np.int64)
    draws = np.zeros_like(wins)
    for (i, j), row in zip(upper, results, strict=True):
        wins[i, j], wins[j, i] = (row > 0).sum(), (row < 0).sum()
        draws[i, j] = draws[j, i] = (row == 0).sum()
    return CrossTable(names, games, wins, draws)
