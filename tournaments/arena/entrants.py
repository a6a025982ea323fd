"""Everybody who takes part in matches, ready to play.

Entrants are numbers: ``0..N-1`` the individuals, population after population, ``-1`` the first
fixed opponent of the panel, ``-2`` the second, and so on. Those of a population form a *group*, and
so does each fixed opponent: group ``0`` is the first population, ``1`` the second, ``-1`` the first
of the panel.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.player import CompiledPlayer, Kind, Player, seats_of
from tournaments.schedules.base import Groups


class Individuals(NamedTuple):
    """A population, decoded: its kind, its parameters as that kind takes them, and the seats that
    its individuals can play."""

    kind: Kind
    parameters: Any = None
    seats: tuple[int, ...] = (0, 1)

    @property
    def number(self) -> int:
        """How many there are."""
        rows = self.parameters[0] if isinstance(self.parameters, tuple) else self.parameters
        return 0 if rows is None else len(rows)


class Group(NamedTuple):
    """Entrants of one kind.

    Attributes:
        kind, parameters: as the kernels take them.
        seats: those that they can play.
        row: the row of a fixed opponent, -1 for a population, whose rows its entrants are.
        first: the number of the population's first entrant.
    """

    kind: Kind
    parameters: Any
    seats: tuple[int, ...]
    row: int
    first: int

    def rows(self, entrants: np.ndarray) -> np.ndarray:
        """The rows of these entrants, which are of this group, int32 of the same shape."""
        if self.row >= 0:
            return np.full(entrants.shape, self.row, dtype=np.int32)
        return np.subtract(entrants, self.first, dtype=np.int32, order="C")


@dataclass(frozen=True)
class Field:
    """All entrants of many matches, ready to play.

    Attributes:
        game: what is played.
        populations: whose individuals take part.
        panel: the fixed opponents.
    """

    game: Game
    populations: Sequence[Individuals] = ()
    panel: Sequence[Player] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        for player in self.panel:
            if isinstance(player, CompiledPlayer) and player.game.spec != self.game.spec:
                raise TournamentError(
                    f"player {player.name!r} was made for {player.game.spec} and cannot play "
                    f"{self.game.spec}; make it for this game"
                )

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Each population's first entrant, and last how many individuals there are."""
        starts = [0]
        for population in self.populations:
            starts.append(starts[-1] + population.number)
        return tuple(starts)

    def player(self, entrant: int) -> Player:
        """An entrant as a player that chooses move by move."""
        if entrant < 0:
            return self.panel[-entrant - 1]
        group = self.group(self.group_of(entrant))
        row = entrant - group.first
        name = f"individual {entrant}"
        seats = group.seats
        return CompiledPlayer(name, group.kind, self.game, group.parameters, row, seats=seats)

    def group_of(self, entrant: int) -> int:
        """The group of an entrant."""
        if entrant < 0:
            return entrant
        return bisect_right(self.starts, entrant) - 1

    def groups_of(self, entrants: np.ndarray) -> np.ndarray:
        """The groups of entrants, of the same shape."""
        if len(self.populations) < 2:
            return np.minimum(entrants, 0)
        place = np.searchsorted(self.starts, entrants, side="right") - 1
        return np.where(entrants < 0, entrants, place)

    def are_compiled(self, groups: Groups) -> bool:
        """Whether kernels play all matches between these groups."""
        met = {group for pair in groups for group in pair}
        if min(met, default=0) < -len(self.panel):
            raise TournamentError(
                f"fixed opponent {min(met)} given; there are {len(self.panel)} fixed opponents "
                "(from -1 down)"
            )
        return all(group >= 0 or isinstance(self.player(group), CompiledPlayer) for group in met)

    def group(self, number: int) -> Group:
        """A group by its number.

        Raises:
            TournamentError: there is no such population.
        """
        if number < 0:
            player = self.panel[-number - 1]
            assert isinstance(player, CompiledPlayer)
            return Group(player.kind, player.parameters, player.seats, player.row, 0)
        if number >= len(self.populations):
            raise TournamentError(
                "a schedule names individuals, but no population was given"
                if not self.populations
                else f"a schedule names population {number}; there are {len(self.populations)}"
            )
        return Group(*self.populations[number], row=-1, first=self.starts[number])

    def check_seats(self, group_a: int, group_b: int, games: int) -> None:
        """Refuse a group that would hold a seat for which it has no policy.

        A kernel would take a policy for the other seat, and steps that are not legal, from it.
        """
        for group, seat in ((group_a, 0), (group_b, 1)):
            needed = {seat} if games == 1 else {0, 1}
            seats = seats_of(self.panel[-group - 1]) if group < 0 else self.group(group).seats
            if not needed <= set(seats):
                names = self.game.seats
                who = f"player {self.panel[-group - 1].name!r}" if group < 0 else "a population"
                raise TournamentError(
                    f"{who} plays the {names[seats[0]]} only; it is to play the "
                    f"{' and the '.join(names[one] for one in sorted(needed))} here: take one that "
                    "holds both, or name a population of the other role"
                )

    def check(self, pairs: np.ndarray, groups: Groups | None) -> None:
        """Refuse numbers that stand for nobody: compiled kernels would read beside the arrays.

        So they would where only one pair of groups is said to meet, and others do.
        """
        if not len(pairs):
            return
        a, b = pairs.T  # one after the other: by axis, numpy would take ten times as long
        least, most = (a.min(), b.min()), (a.max(), b.max())
        individuals = self.starts[-1]
        if not -len(self.panel) <= min(least) <= max(most) < individuals:
            raise TournamentError(
                f"entrants {min(least)}..{max(most)} given; there are {individuals} individuals "
                f"(from 0 up) and {len(self.panel)} fixed opponents (from -1 down)"
            )
        if groups is None or len(groups) > 1:
            return
        for group, low, high in zip(groups[0], least, most, strict=True):
            if not self.group_of(int(low)) == group == self.group_of(int(high)):
                raise TournamentError(
                    f"a schedule of the groups {groups} has entrants {low}..{high} on one side; "
                    "its `groups` must name all that meet"
                )
