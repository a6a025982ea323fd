"""The cross table of a tournament: the results of each pair of players, and the ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from results.statistics import rate, wilson
from tournaments.analysis.equilibria import MOST_PLAYERS, alpha_rank, nash_shares
from tournaments.analysis.ratings import Ratings, bradley_terry
from tournaments.schedules.pairings import in_order

RESULTS = ("wins", "draws", "losses")
"""Names of the columns of counts."""
WINS, DRAWS, LOSSES = 0, 1, 2
"""Indices of the columns of counts."""


def tally(counts: np.ndarray) -> dict[str, int]:
    """Return ``games``, ``wins``, ``draws`` and ``losses`` of counts ``[3]`` or ``[2, 3]``."""
    made = counts.reshape(-1, len(RESULTS)).sum(axis=0).tolist()
    return {"games": sum(made), **dict(zip(RESULTS, made, strict=True))}


def of_opponent(counts: np.ndarray) -> np.ndarray:
    """Return the counts ``[2, 3]`` of the opponent, who held the other seat."""
    return counts[::-1, ::-1]


@dataclass(frozen=True)
class CrossTable:
    """The games of each pair of players, and the ratings that follow from them.

    Attributes:
        names: the players, in the order given.
        met: for each pair that met, with the smaller number first, int64 ``[2, 3]``: wins, draws
            and losses of the first player of the pair, in the first seat and in the second.
        seats: names of the seats.
        anchor: number of the player whose rating is 0. None: the mean rating is 0.
        places: places of a knock-out tournament, from 1. None: ranks follow the ratings.
        stopped: reason for the end of the tournament, in words.
        seed: seed of the games. None if the games do not all have the same seed.
        repeated: pairs of names, each in order, of the players that would play the same games
            again and therefore played only one match.
    """

    names: list[str]
    met: Mapping[tuple[int, int], np.ndarray]
    seats: tuple[str, ...] = ("first", "second")
    anchor: int | None = None
    places: list[int] | None = None
    stopped: str = ""
    seed: int | None = None
    repeated: frozenset[tuple[str, str]] = frozenset()

    def _repr_html_(self) -> str:
        from results import DataFrame

        rows = DataFrame(self.standings() if self.names else [])
        return rows.to_html(index=False, border=0, na_rep="", float_format="{:.4g}".format)

    def __repr__(self) -> str:
        """Return a short text with the number of players and games and the leading players."""
        what = (
            f"{len(self.names)} players, {sum(int(met.sum()) for met in self.met.values()):,} games"
        )
        rows = self.standings()[:3] if self.names else []
        best = ", ".join(f"{row['player']} {row['rating']:+.0f}" for row in rows)
        more = ", ..." if len(self.names) > len(rows) else ""
        return f"<cross table of {what}{': ' * bool(best)}{best}{more}>"

    @property
    def num_games(self) -> int:
        """Number of games that counted."""
        return int(self.games.sum()) // 2

    def of(self, names: Sequence[str]) -> CrossTable:
        """Return the table of the games of some players among each other, in this order."""
        numbers = {name: number for number, name in enumerate(names)}
        met = {}
        for pair, counts in self.met.items():
            a, b = (numbers.get(self.names[number], -1) for number in pair)
            if min(a, b) >= 0:
                met[in_order(a, b)] = counts if a < b else of_opponent(counts)
        return replace(self, names=list(names), met=met)

    @cached_property
    def counts(self) -> np.ndarray:
        """Results of the row's player against the column's player, int64 ``[P, P, 2, 3]``.

        The last two axes are the seat (first, second) and the result (wins, draws, losses). Each
        player held each seat in half of the games.
        """
        counts = np.zeros((len(self.names), len(self.names), 2, 3), dtype=np.int64)
        for (i, j), met in self.met.items():
            counts[i, j] = met
            counts[j, i] = of_opponent(met)
        return counts

    @property
    def wins_in_seat(self) -> np.ndarray:
        """Games that the row's player won in the first seat, and in the second, ``[2, P, P]``."""
        return np.moveaxis(self.counts[..., WINS], 2, 0)

    @property
    def wins(self) -> np.ndarray:
        """Games that the row's player won against the column's, int64 ``[P, P]``."""
        return self.counts[..., WINS].sum(axis=2)

    @property
    def draws(self) -> np.ndarray:
        """Games that were drawn, int64 ``[P, P]``, symmetric."""
        return self.counts[..., DRAWS].sum(axis=2)

    @property
    def games(self) -> np.ndarray:
        """Games of two players, int64 ``[P, P]``, symmetric. 0 for players that did not meet."""
        return self.counts.sum(axis=(2, 3))

    @property
    def scores(self) -> np.ndarray:
        """Share of the points of the row's player, float64 ``[P, P]``.

        A draw counts as half a point. The share is NaN on the diagonal and for players that did
        not meet.
        """
        return rate(self.wins + self.draws / 2, self.games)

    def scores_as(self, seat: str) -> np.ndarray:
        """Return the share of its games in a seat that the row's player won, float64 ``[P, P]``."""
        number = self.seats.index(seat)
        return rate(self.wins_in_seat[number], self.counts[:, :, number].sum(axis=2))

    @cached_property
    def ratings(self) -> Ratings:
        """Bradley-Terry ratings of all players in Elo points.

        See :mod:`tournaments.analysis.ratings`.
        """
        pairs = np.array(sorted(self.met), dtype=np.int32).reshape(-1, 2)
        counts = [self.met[i, j].sum(axis=0) for i, j in pairs.tolist()]
        totals = np.array(counts, dtype=np.int64).reshape(-1, 3)
        points = totals[:, WINS] + totals[:, DRAWS] / 2
        return bradley_terry(len(self.names), pairs, points, totals.sum(axis=1), self.anchor)

    @property
    def payoffs(self) -> np.ndarray | None:
        """Payoff of the row's player against the column's player, float64 ``[P, P]``.

        The payoff is wins minus losses, per game. It is None if some players have not met, or if
        there are too many players to compute equilibria.
        """
        games, wins = self.games, self.wins
        others = ~np.eye(len(games), dtype=bool)
        if len(games) > MOST_PLAYERS or not games[others].all():
            return None
        return (wins - wins.T) / np.maximum(games, 1)

    @cached_property
    def nash(self) -> np.ndarray:
        """Nash shares of the cross table, float64 ``[P]``. NaN if there are no payoffs.

        See :mod:`tournaments.analysis.equilibria`.
        """
        return self._by_payoffs(nash_shares)

    @cached_property
    def alpha_rank(self) -> np.ndarray:
        """Alpha-rank of the cross table, float64 ``[P]``. NaN if there are no payoffs."""
        return self._by_payoffs(alpha_rank)

    def _by_payoffs(self, measure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        payoffs = self.payoffs
        return np.full(len(self.names), np.nan) if payoffs is None else measure(payoffs)

    def standings(self, shares: bool = False) -> list[dict[str, Any]]:
        """Return the standings, one row per player, the best player first.

        The columns are those of the table ``ratings``. With ``shares``, the columns ``nash``,
        ``alpha_rank`` and a win rate per seat, such as ``win_rate_as_first``, are added.
        """
        fitted, totals = self.ratings, self.counts.sum(axis=(1, 2))
        scores = rate(totals[:, WINS] + totals[:, DRAWS] / 2, totals.sum(axis=1))
        rows = [
            {
                "rank": 0,
                "player": name,
                "rating": float(fitted.ratings[number]),
                "rating_low": float(fitted.low[number]),
                "rating_high": float(fitted.high[number]),
                **tally(totals[number]),
                "score": float(scores[number]),
                **(self._shares(number) if shares else {}),
            }
            for number, name in enumerate(self.names)
        ]
        places = self.places or [1] * len(rows)
        order = sorted(range(len(rows)), key=lambda row: (places[row], -fitted.ratings[row]))
        for rank, number in enumerate(order, start=1):
            rows[number]["rank"] = places[number] if self.places else rank
        return [rows[number] for number in order]

    def _shares(self, number: int) -> dict[str, float]:
        return {
            **self.win_rates_by_seat(self.names[number]),
            "nash": float(self.nash[number]),
            "alpha_rank": float(self.alpha_rank[number]),
        }

    def win_rates_by_seat(self, player: str) -> dict[str, float]:
        """Return the shares of a player's games that it won in each seat; NaN without games.

        The keys name the seats, such as ``win_rate_as_first``.
        """
        return self._in_seats(self.counts[self.names.index(player)].sum(axis=0))

    def records(self) -> list[dict[str, Any]]:
        """Return one row per ordered pair that met, with the 95% Wilson interval of its win rate.

        ``repeated`` says whether the two players would play the same games again and so played
        only one match. ``win_rate_as_first``, ``win_rate_as_cat`` and so on are the win rates in
        each seat. ``pandas.DataFrame(table.records())`` makes a frame of the rows.
        """
        return [self._record(i, j, self.counts[i, j]) for i, j in np.argwhere(self.games).tolist()]

    def _record(self, i: int, j: int, counts: np.ndarray) -> dict[str, Any]:
        made = tally(counts)
        wins, games = made["wins"], made["games"]
        low, high = wilson(wins, games)
        return {
            "player": self.names[i],
            "opponent": self.names[j],
            **made,
            "win_rate": wins / games,
            "win_rate_low": float(low),
            "win_rate_high": float(high),
            **self._in_seats(counts),
            "repeated": self.repeats(self.names[i], self.names[j]),
        }

    def repeats(self, player: str, opponent: str) -> bool:
        """Return whether two players would play the same games again."""
        return (min(player, opponent), max(player, opponent)) in self.repeated

    def _in_seats(self, counts: np.ndarray) -> dict[str, float]:
        """Return the win rate in each seat from counts ``[2, 3]``."""
        rates = rate(counts[:, WINS], counts.sum(axis=1)).tolist()
        return {f"win_rate_as_{seat}": rate for seat, rate in zip(self.seats, rates, strict=True)}
