"""Tournaments of contests for more than two players: each group of players shares a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from evo.requests.tournaments import TournamentRequest
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import PART_MATCHES, SeededGames
from results.folder.tournament import TournamentWriter, pairs_of_tables
from results.format.schema import AND
from tournaments.analysis.ratings import Ratings
from tournaments.arena.evaluator import collect_outcomes
from tournaments.kernels.rng import stream_key
from tournaments.schedules.base import Matches
from tournaments.schedules.combined import STRETCHES, Stretches

MOST_TABLES = 1_000_000
"""Most groups of a tournament."""
Table = tuple[int, ...]
"""The players of a table by number, in the order of their places."""


@dataclass(frozen=True)
class TablesCrossTable(CrossTable):
    """The cross table of games of more than two players.

    Each player of a table won, drew or lost a game against each other one. Ratings go by the whole
    order of a game.

    Attributes:
        groups: int ``[G, S]``, the players of each game.
        outcomes: float64 ``[G, S]``, their scores; NaN in void games.
    """

    groups: np.ndarray = field(default_factory=lambda: np.zeros((0, 2), dtype=int))
    outcomes: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))

    @cached_property
    def ratings(self) -> Ratings:
        """Plackett-Luce ratings of all players in Elo points."""
        from tournaments.analysis.plackett_luce import (
            plackett_luce,
        )  # late: it loads scipy.optimize

        return plackett_luce(len(self.names), self.groups, self.outcomes, self.anchor)

    @property
    def num_games(self) -> int:
        return int((~np.isnan(self.outcomes).any(axis=1)).sum())

    def _in_seats(self, counts: np.ndarray) -> dict[str, float]:
        """Return nothing: results at tables are not counted by seat."""
        return {}


def check_tables(request: TournamentRequest, players: int, seats: int) -> None:
    """Raise if a tournament of tables cannot be played.

    Raises:
        OptionError: too few players, too many groups, or options of tournaments of pairs.
    """
    if players < seats:
        request.refuse("players", f"; a table has {seats} seats: name as many players or more")
    if comb(players, seats) > MOST_TABLES:
        request.refuse("players", f"; {comb(players, seats):,} tables of them are too many")
    words = f" with a contest of {seats} players, in which all groups meet: leave it out"
    if request.schedule != "round-robin":
        request.refuse("schedule", words)
    for name in ("stop_within", "most_games"):
        if getattr(request, name) is not None:
            request.refuse(name, words)


@dataclass
class TableTournament:
    """A tournament in which each group of players meets at a table.

    Attributes:
        request: what to play.
        played: plays and seeds the games.
        writer: writer of the tournament's folder. None: the games are not stored.
        report: called with the tables done, all tables, and the games of a part.
        anchor: number of the player whose rating is 0.
    """

    request: TournamentRequest
    played: SeededGames
    writer: TournamentWriter | None
    report: Callable[[int, int, int], None]
    anchor: int | None = None

    @property
    def seats(self) -> int:
        return len(self.played.game.seats)

    def run(self) -> TablesCrossTable:
        """Play the missing games and return the cross table."""
        rows = [] if self.writer is None else self.writer.tables
        held = {row["group"] for row in rows}
        numbers = range(len(self.played.names))
        tables = [self._ordered(table) for table in combinations(numbers, self.seats)]
        missing = [table for table in tables if self._name(table) not in held]
        matches = -(-self.request.games // self.seats)
        each = max(1, PART_MATCHES // matches)
        for first in range(0, len(missing), each):
            part = missing[first : first + each]
            new = list(self._rows(part, matches))
            if self.writer is not None:
                self.played.referee.flush()
                self.writer.add_tables(new)
            rows = [*rows, *new]
            done = len(tables) - len(missing) + first + len(part)
            self.report(done, len(tables), len(part) * matches * self.seats)
        return self._table(rows)

    def _ordered(self, table: Table) -> Table:
        """Return a table with its players in an order that does not depend on their numbers."""
        return tuple(sorted(table, key=lambda number: self.played.participants[number].order))

    def _name(self, table: Table) -> str:
        return AND.join(self.played.names[number] for number in table)

    def _rows(self, tables: Sequence[Table], matches: int) -> Iterator[dict[str, Any]]:
        """Play the matches of some tables, and yield a row for each player and game."""
        seed, seats = self.request.seed, self.seats
        purposes = [
            "/".join([self.played.purpose, *(self.played.participants[n].identity for n in table)])
            for table in tables
        ]
        schedule = Stretches(
            -1 - np.array(tables, dtype=np.int32),
            np.full(len(tables), matches),
            np.zeros(len(tables), dtype=np.int64),
            np.array([stream_key(seed, purpose) for purpose in purposes], dtype=np.uint64),
        )
        listed = Matches(schedule, seed, STRETCHES, games=seats)
        outcomes = self.played.play(listed, partial(collect_outcomes, listed))
        scores = outcomes.reshape(len(tables), matches, seats, seats)
        for table, of_table in zip(tables, scores.tolist(), strict=True):
            name = self._name(table)
            for match, games in enumerate(of_table):
                for game, of_game in enumerate(games):
                    for seat, score in enumerate(of_game):
                        yield {
                            "group": name,
                            "match": match,
                            "game": game,
                            "seat": seat,
                            "player": self.played.names[table[(seat - game) % seats]],
                            "score": score,
                        }

    def _table(self, rows: Sequence[dict[str, Any]]) -> TablesCrossTable:
        names, number = self.played.names, {n: i for i, n in enumerate(self.played.names)}
        wanted = [row for row in rows if row["player"] in number]
        shape = -1, self.seats
        groups = np.array([number[row["player"]] for row in wanted], dtype=int).reshape(shape)
        scores = np.array([row["score"] for row in wanted], dtype=np.float64).reshape(shape)
        met = {}
        for pair in pairs_of_tables(rows):
            i, j = number[pair["player"]], number[pair["opponent"]]
            counts = np.array([[pair["wins"], pair["draws"], pair["losses"]], [0, 0, 0]])
            met[min(i, j), max(i, j)] = counts if i < j else counts[::-1, ::-1]
        return TablesCrossTable(
            list(names),
            met,
            (),
            self.anchor,
            stopped="all who were to meet have met",
            seed=self.request.seed,
            groups=groups,
            outcomes=scores,
        )
