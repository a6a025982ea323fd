"""The result of an evaluation: fitness, matches, payoffs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tournaments.arena.evaluator import collect_outcomes
from tournaments.arena.forfeits import Forfeit
from tournaments.arena.outcomes import VOID, Played, Tally, counted_scores, results_of_a
from tournaments.schedules.base import Matches

if TYPE_CHECKING:
    from pandas import DataFrame

FAULTS = (
    *("generation", "round", "purpose", "match", "game", "seat", "ply", "cause", "what"),
    *("player", "opponent", "population", "opponent_population", "match_seed"),
)
"""The columns of :attr:`Result.faults`."""
ALL, ARCHIVE = "all", "-archive"
"""The name of the only population, and the ending of the name of an archive, as in runs."""
AND = "+"
"""Between the names of several opponents."""


@dataclass(frozen=True, eq=False)
class PlayedRound:
    """A round of matches.

    Attributes:
        pairs: int32 ``[M, 2]``, the entrants of each match.
        seeds: uint64 ``[M]``, the seed of each match.
        outcomes: int16 ``[M, games, 2]``, the score of each seat. Entrant a holds seat ``g % 2``.
            Of a contest float64, NaN for void games.
        purpose: the purpose of the matches, see :class:`tournaments.schedules.base.Matches`.
        forfeits: the games that were lost by a fault.
    """

    pairs: np.ndarray
    seeds: np.ndarray
    outcomes: np.ndarray
    purpose: str
    forfeits: tuple[Forfeit, ...]

    @classmethod
    def of(cls, matches: Matches, parts: Sequence[Played]) -> PlayedRound:
        """Return the round of these matches from its parts, in any order."""
        forfeits = sorted(each for played in parts for each in played.forfeits)
        outcomes = collect_outcomes(matches, parts)
        pairs, seeds = matches.part(0, len(matches))
        scores, purpose = outcomes[:, :, : pairs.shape[1]], matches.purpose
        return cls(pairs, seeds, scores, purpose, tuple(forfeits))


@dataclass(frozen=True, eq=False)
class Result:
    """The result of an evaluation of one or two populations.

    Attributes:
        generation: the number of the evaluation, from 0.
        fitness: the scheme's points, float64 ``[N]``, or a pair of such arrays for two populations.
            Snapshots of a run call it ``raw_fitness``.
        tally: games, wins, draws and losses of each individual, int32 ``[N]``, or a pair of tallies
            for two populations.
        games: total number of games.
    """

    generation: int
    fitness: Any
    tally: Any
    games: int
    _sizes: tuple[int, ...] = field(repr=False)
    _starts: tuple[int, ...] = field(repr=False)
    _names: tuple[tuple[str, ...], ...] = field(repr=False)
    _rounds: Sequence[PlayedRound] = field(repr=False)
    _populations: tuple[str, ...] = field(repr=False)
    _game: str = field(repr=False)

    @property
    def names(self) -> Any:
        """The names of the players in their order, a list, or a pair of lists."""
        pairs = zip(self._names[1:], self._sizes, strict=True)
        lists = tuple(list(names[:size]) for names, size in pairs)
        return lists[0] if len(lists) == 1 else lists

    @cached_property
    def table(self) -> Any:
        """The fitness and the games of each player as a pandas DataFrame, or a pair of them.

        The rows are named by the players: ``result.table.loc["alice", "fitness"]``. The columns are
        ``fitness``, ``games``, ``wins``, ``draws`` and ``losses``.
        """
        pandas = import_module("pandas")
        columns = self.names, self.fitness, self.tally
        parts = [columns] if len(self._sizes) == 1 else zip(*columns, strict=True)
        frames = tuple(
            pandas.DataFrame(
                {"fitness": fitness, **vars(tally)}, pandas.Index(names, name="player")
            )
            for names, fitness, tally in parts
        )
        return frames[0] if len(frames) == 1 else frames

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The matches as columns, with one entry per match, or per pair of players of a match.

        * ``round``, ``match``: the number of the round, and of the match in its round.
        * ``seed``: the seed of the match.
        * ``a``, ``b``: the numbers of the two players in their populations, or -1 for fixed
          opponents and members of an archive.
        * ``player``, ``opponent``: the names of ``a`` and ``b``.
        * ``games``, ``wins``, ``draws``, ``losses``, ``score``, ``opponent_score``: sums over all
          games, from the point of view of ``a``.
        * ``wins_first``, ``draws_first``, ``losses_first``: the same for the games in which ``a``
          held the first seat.
        """
        parts = [
            self._columns_of(number, each, sides)
            for number, each in enumerate(self._rounds)
            for sides in combinations(range(each.pairs.shape[1]), 2)
        ]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _columns_of(
        self, number: int, played: PlayedRound, sides: tuple[int, int]
    ) -> dict[str, np.ndarray]:
        """Return the columns of a round, of the entrants at two places of each match."""
        results = results_of_a(played.outcomes, sides, played.pairs.shape[1])
        a, b = played.pairs.T[[*sides]]
        seats = played.pairs.shape[1]
        first = results[:, -sides[0] % seats :: seats]
        sorts = {"wins": 1, "draws": 0, "losses": -1}
        part = Played(0, played.pairs, played.outcomes)
        return {
            "round": np.full(len(a), number),
            "match": np.arange(len(a)),
            "seed": played.seeds,
            "a": self._number_of(a),
            "b": self._number_of(b),
            "player": self._names_of(a),
            "opponent": self._names_of(b),
            "games": (results != VOID).sum(axis=1),
            **{name: (results == value).sum(axis=1) for name, value in sorts.items()},
            **{
                name: counted_scores(part.outcomes, side, part.pairs.shape[1])[0]
                for name, side in zip(("score", "opponent_score"), sides, strict=True)
            },
            **{f"{k}_first": (first == value).sum(axis=1) for k, value in sorts.items()},
        }

    def _number_of(self, entrants: np.ndarray) -> np.ndarray:
        """Return the numbers of entrants in their populations, or -1 for other entrants."""
        numbers = np.full(len(entrants), -1)
        for start, size in zip(self._starts, self._sizes, strict=True):
            here = (entrants >= start) & (entrants < start + size)
            numbers[here] = entrants[here] - start
        return numbers

    def _names_of(self, entrants: np.ndarray) -> np.ndarray:
        panel, everybody = self._names[0], sum(self._names[1:], ())
        names = np.array([*everybody, *reversed(panel)], dtype=object)  # -1 is the last
        return names[entrants]

    @cached_property
    def matches(self) -> DataFrame:
        """:attr:`columns` as a pandas DataFrame with one row per match, created on first use."""
        return import_module("pandas").DataFrame(self.columns)

    @property
    def has_faults(self) -> bool:
        """Whether a game was lost by a fault."""
        return any(played.forfeits for played in self._rounds)

    @cached_property
    def faults(self) -> DataFrame:
        """The games that were lost by a fault, as a pandas DataFrame with one row per game.

        The columns are those of the table ``faults`` of a run (``docs/faults.md``) that a
        competition has, and ``round``, as in :attr:`matches`. Members of an archive belong to the
        population ``all-archive``, fixed opponents to none, and several opponents to none.
        """
        rows = [
            {
                **each._asdict(),
                "generation": self.generation,
                "round": number,
                "purpose": played.purpose,
                **self._sides_of(each),
                "match_seed": each.seed,
            }
            for number, played in enumerate(self._rounds)
            for each in played.forfeits
        ]
        return import_module("pandas").DataFrame(rows, columns=FAULTS)

    def _sides_of(self, forfeit: Forfeit) -> dict[str, str]:
        """Return the names and populations of the loser of a game and of its opponents."""
        losers, others = forfeit.sides
        sides = {}
        for prefix, name, side in (("", "player", losers), ("opponent_", "opponent", others)):
            sides[name] = AND.join(self._names_of(np.array(side, int))) or self._game
            sides[f"{prefix}population"] = self._population_of(*side) if len(side) == 1 else ""
        return sides

    def _population_of(self, entrant: int) -> str:
        """Return the name of the population or the archive of an entrant, or an empty text."""
        if entrant < 0:
            return ""
        place = bisect_right(self._starts, entrant) - 1
        is_living = entrant < self._starts[place] + self._sizes[place]
        return self._populations[place] + ("" if is_living else ARCHIVE)

    @cached_property
    def payoffs(self) -> np.ndarray:
        """Mean result per game of the row's player against the column's: win 1, draw 0.5, loss 0.

        float64 ``[N, N]``, NaN on the diagonal and for pairs without a match. For two populations
        ``[N, K]``, with the first population in the rows. Fixed opponents and archives are left
        out.
        """
        columns = self.columns
        met = (columns["a"] >= 0) & (columns["b"] >= 0)
        a, b = columns["a"][met], columns["b"][met]
        shape = self._sizes[0], self._sizes[-1]
        halves, games = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        np.add.at(halves, (a, b), (2 * columns["wins"] + columns["draws"])[met])
        np.add.at(games, (a, b), columns["games"][met])
        if len(self._sizes) == 1:
            np.add.at(halves, (b, a), (2 * columns["losses"] + columns["draws"])[met])
            np.add.at(games, (b, a), columns["games"][met])
        return np.divide(halves, 2 * games, out=np.full(shape, np.nan), where=games > 0)

    def __repr__(self) -> str:
        sizes = " and ".join(map(str, self._sizes))
        matches = sum(len(each.pairs) for each in self._rounds)
        return (
            f"Result(generation={self.generation}, players={sizes}, matches={matches:,}, "
            f"games={self.games:,})"
        )


def parts_of(values: np.ndarray | Tally, starts: Sequence[int], sizes: Sequence[int]) -> Any:
    """Return the values of the individuals without archives, as a pair for two populations."""
    parts = tuple(values[start : start + size] for start, size in zip(starts, sizes, strict=True))
    return parts[0] if len(parts) == 1 else parts
