"""The cross table of a tournament: who won how often against whom, and what each is worth."""

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
"""What the columns of counts are called."""
WINS, DRAWS, LOSSES = 0, 1, 2
"""Columns of counts."""


def tally(counts: np.ndarray) -> dict[str, int]:
    """Return ``games``, ``wins``, ``draws`` and ``losses`` of counts ``[3]`` or ``[2, 3]``."""
    made = counts.reshape(-1, len(RESULTS)).sum(axis=0).tolist()
    return {"games": sum(made), **dict(zip(RESULTS, made, strict=True))}


def of_opponent(counts: np.ndarray) -> np.ndarray:
    """Return counts ``[2, 3]`` as the opponent sees them, who held the other seat."""
    return counts[::-1, ::-1]


@dataclass(frozen=True)
class CrossTable:
    """The games of each pair of players, and the ratings that follow from them.

    Attributes:
        names: the players, in the order given.
        met: for each pair that met, the smaller number first, int64 ``[2, 3]``: wins, draws and
            losses of the first of them in the first seat, and in the second.
        seats: what the seats are called.
        anchor: the number of the player whose rating is 0; None: the mean of all is.
        places: those of a knock-out, from 1; None: ranks follow the ratings.
        stopped: why no more was played, in words.
        seed: the seed of the games, if there is one for all of them.
        repeated: the names in order of the pairs that would play the same games again, and
            therefore played one match.
    """

    names: list[str]
    met: Mapping[tuple[int, int], np.ndarray]
    seats: tuple[str, ...] = ("first", "second")
    anchor: int | None = None
    places: list[int] | None = None
    stopped: str = ""
    seed: int | None = None
    repeated: frozenset[tuple[str, str]] = frozenset()

    def __repr__(self) -> str:
        """How much was played, and who is ahead."""
        what = (
            f"{len(self.names)} players, {sum(int(met.sum()) for met in self.met.values()):,} games"
        )
        rows = self.standings()[:3] if self.names else []
        best = ", ".join(f"{row['player']} {row['rating']:+.0f}" for row in rows)
        more = ", ..." if len(self.names) > len(rows) else ""
        return f"<cross table of {what}{': ' * bool(best)}{best}{more}>"

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
        """Wins, draws and losses of the row's player against the column's, in the first seat and in
        the second, int64 ``[P, P, 2, 3]``; each player held each seat in half of the games."""
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
        """Games that two players played, int64 ``[P, P]``, symmetric; 0 for who did not meet."""
        return self.counts.sum(axis=(2, 3))

    @property
    def scores(self) -> np.ndarray:
        """Share of the points, a draw being half of one, float64 ``[P, P]``; NaN on the diagonal
        and for who did not meet."""
        return rate(self.wins + self.draws / 2, self.games)

    def scores_as(self, seat: str) -> np.ndarray:
        """Share of its games in a seat that the row's player won, float64 ``[P, P]``."""
        return rate(self.wins_in_seat[self.seats.index(seat)], self.games // 2)

    @cached_property
    def ratings(self) -> Ratings:
        """Bradley-Terry ratings of all players in Elo points, see
        :mod:`tournaments.analysis.ratings`."""
        pairs = np.array(sorted(self.met), dtype=np.int32).reshape(-1, 2)
        counts = [self.met[i, j].sum(axis=0) for i, j in pairs.tolist()]
        totals = np.array(counts, dtype=np.int64).reshape(-1, 3)
        points = totals[:, WINS] + totals[:, DRAWS] / 2
        return bradley_terry(len(self.names), pairs, points, totals.sum(axis=1), self.anchor)

    @property
    def payoffs(self) -> np.ndarray | None:
        """What the row's player makes of the column's, wins less losses a game, float64 ``[P, P]``;
        None where some have not met, or where there are too many for equilibria."""
        games, wins = self.games, self.wins
        others = ~np.eye(len(games), dtype=bool)
        if len(games) > MOST_PLAYERS or not games[others].all():
            return None
        return (wins - wins.T) / np.maximum(games, 1)

    @cached_property
    def nash(self) -> np.ndarray:
        """Nash shares of the cross table, float64 ``[P]``; NaN where there are no payoffs. See
        :mod:`tournaments.analysis.equilibria`."""
        return self._by_payoffs(nash_shares)

    @cached_property
    def alpha_rank(self) -> np.ndarray:
        """alpha-rank of the cross table, float64 ``[P]``; NaN where there are no payoffs."""
        return self._by_payoffs(alpha_rank)

    def _by_payoffs(self, measure: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        payoffs = self.payoffs
        return np.full(len(self.names), np.nan) if payoffs is None else measure(payoffs)

    def standings(self, shares: bool = False) -> list[dict[str, Any]]:
        """One row a player, the best first, with the columns of
        table ``ratings``; with ``shares`` ``win_rate_as_first`` and so on, by the
        names of the seats, ``nash`` and ``alpha_rank``, too."""
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
        """``win_rate_as_first`` and so on, by the names of the seats: the share of all its games in
        each that a player won; NaN where it has played none."""
        return self._in_seats(self.counts[self.names.index(player)].sum(axis=0))

    def records(self) -> list[dict[str, Any]]:
        """One row an ordered pair that met, with the 95% Wilson interval of its share of wins.

        ``repeated``: whether the two would play the same games again, and so played one match.

        ``win_rate_as_first``, or ``win_rate_as_cat``, and so on are of the games in each seat.
        ``pandas.DataFrame(table.records())`` makes a frame of it.
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
        """Return whether two would play the same games again."""
        return (min(player, opponent), max(player, opponent)) in self.repeated

    def _in_seats(self, counts: np.ndarray) -> dict[str, float]:
        """The share won in each seat, of counts ``[2, 3]``."""
        rates = rate(counts[:, WINS], counts.sum(axis=1)).tolist()
        return {f"win_rate_as_{seat}": rate for seat, rate in zip(self.seats, rates, strict=True)}
