"""The entrants of matches: populations and fixed opponents.

Entrants are numbers: ``0..N-1`` the individuals, population after population, ``-1`` the first
fixed opponent of the panel, ``-2`` the second, and so on. Those of a population form a *group*, and
so does each fixed opponent: group ``0`` is the first population, ``1`` the second, ``-1`` the first
of the panel. A population may be a mixture of players of any kinds: each of them is *single*, as a
fixed opponent is, and numbered on behind the panel. Singles of one kind form a group, whose number
is that of its first member (:mod:`tournaments.arena.teams`). So do singles that no kernel plays.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any, NamedTuple

import numpy as np

from tournaments.arena.forfeits import FaultPolicy
from tournaments.arena.teams import joined, joins
from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.player import (
    CompiledPlayer,
    ContestPlayer,
    Kind,
    Player,
    Representation,
    check_seats,
    compiled,
)
from tournaments.schedules.base import Groups


@dataclass(frozen=True, eq=False)
class Genomes:
    """A population: the conversion of its genomes to players, and packed rows, uint8 ``[N, B]``.

    It travels packed, and is decoded once where it is played. Its individuals may be among players
    of other kinds, too: ``[*genomes, bot]``.
    """

    representation: Representation
    packed: np.ndarray

    @cached_property
    def parameters(self) -> Any:
        """Parameters of all individuals of the population, as kernels read them."""
        # Arrays that come from elsewhere may be read-only: numba would compile once more for them.
        return self.representation.parameters(np.require(self.packed, requirements="W"))

    def __len__(self) -> int:
        return len(self.packed)

    def __iter__(self) -> Iterator[Individual]:
        return (Individual(self, row) for row in range(len(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.representation, self.packed)

    def __repr__(self) -> str:
        return f"<{len(self)} genomes of {self.representation.kind.name} players>"


@dataclass(frozen=True, eq=False)
class Individual:
    """An individual of a population, as a player among others.

    Attributes:
        genomes: the population, which is decoded once for all its individuals.
        row: of the genome in the population.
    """

    genomes: Genomes
    row: int

    def as_player(self, game: Game) -> CompiledPlayer:
        """Return an individual of a population as a player of a game.

        See :func:`tournaments.players.as_player`.
        """
        made, parameters = self.genomes.representation, self.genomes.parameters
        name = f"individual {self.row}"
        return CompiledPlayer(name, made.kind, game, parameters, self.row, seats=made.seats)

    @property
    def packed(self) -> np.ndarray:
        """Packed genome of the individual, uint8 ``[B]``."""
        return self.genomes.packed[self.row]

    def with_genome(self, packed: np.ndarray) -> Individual:
        """Return an individual with another genome of the same encoding, in its own population."""
        return Individual(Genomes(self.genomes.representation, packed[None].copy()), 0)


Mixture = tuple[Player, ...]
"""A population of players of any kinds: kernels play what they can, the rest move by move."""


def population_of(
    representation: Representation, game: Game, packed: np.ndarray, first: int = 0
) -> Genomes | Mixture:
    """Return packed genomes as a population: rows for kernels, or players such as programs.

    Args:
        representation: the conversion of genomes to players.
        game: the game.
        packed: the genomes, uint8 ``[N, B]``.
        first: number of the first entrant, for the names of players.

    Raises:
        TournamentError: a player cannot be made.
    """
    players = getattr(representation, "players", None)
    if players is None:
        return Genomes(representation, packed)
    return players(game, packed, first)


class Group(NamedTuple):
    """Entrants of one kind of player, which a kernel plays together.

    Attributes:
        kind, parameters: as the kernels take them.
        seats: the seats that the entrants can play.
    """

    kind: Kind
    parameters: Any
    seats: tuple[int, ...]


class Seating(NamedTuple):
    """The group and row of each entrant. Fixed opponents come last in arrays, so -1 is the last.

    Attributes:
        single: int64 ``[N + P]``, each entrant as a single; 0: it is of a population of genomes.
        group: int64 ``[N + P]``, the number of the group as which each entrant plays.
        row: int32 ``[N + P]``, the row of each entrant in its group's parameters.
        teams: the groups of singles that kernels play, by all numbers that they have.
        readable: the numbers of groups with a player that no kernel plays.
    """

    single: np.ndarray
    group: np.ndarray
    row: np.ndarray
    teams: dict[int, Group]
    readable: set[int]


@dataclass(frozen=True)
class Entrants:
    """The entrants of many matches: populations and fixed opponents.

    Attributes:
        game: what is played.
        panel: the fixed opponents, entrants -1, -2 and so on.
        populations: whose individuals take part, entrants 0, 1 and so on.
        policy: of faults; None: the work ends with the first fault.
    """

    game: Game
    panel: Sequence[Player] = ()
    populations: Sequence[Genomes | Mixture] = ()
    policy: FaultPolicy | None = None

    def __post_init__(self) -> None:
        for player in self._compiled:
            if player is not None and player.game.spec != self.game.spec:
                raise TournamentError(
                    f"player {player.name!r} was made for {player.game.spec} and cannot play "
                    f"{self.game.spec}; make it for this game"
                )

    def decode(self) -> None:
        """Decode the genomes of all populations now, and not at each population's first match."""
        for population in self.populations:
            if isinstance(population, Genomes):
                _ = population.parameters
        _ = self._seating

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.panel, self.populations, self.policy)

    def judged_by(self, policy: FaultPolicy) -> Entrants:
        """Return the same entrants, as they were decoded, with another policy for faults."""
        entrants = object.__new__(Entrants)
        vars(entrants).update(vars(self), policy=policy)
        return entrants

    @cached_property
    def singles(self) -> tuple[Player, ...]:
        """The single players: the fixed opponents, -1, -2 and so on, then the players of mixtures.

        A mixture is a population of players that are no genomes.
        """
        mixtures = (each for each in self.populations if isinstance(each, tuple))
        return (*self.panel, *chain(*mixtures))

    @cached_property
    def _compiled(self) -> list[CompiledPlayer | None]:
        """Compiled form of each single player; None if it only plays move by move."""
        return [compiled(player) for player in self.singles]

    @cached_property
    def _seating(self) -> Seating:
        """The group of each entrant, and its row in the group's parameters."""
        count, panel = self.starts[-1], len(self.panel)
        single, group = np.zeros((2, count + panel), dtype=np.int64)
        row = np.zeros(count + panel, dtype=np.int32)
        single[count:] = group[count:] = np.arange(-panel, 0)
        next_single = -1 - panel
        for number, population in enumerate(self.populations):
            here = slice(*self.starts[number : number + 2])
            group[here], row[here] = number, np.arange(len(population))
            if isinstance(population, tuple):
                single[here] = next_single - np.arange(len(population))
                next_single -= len(population)
        places = np.argsort(single, kind="stable")[: len(self.singles)][::-1]  # by single, from -1
        members: dict[Hashable, list[int]] = {}
        for each, player in enumerate(self._compiled):
            members.setdefault(player and joins(player), []).append(each)
        seating = Seating(single, group, row, {}, set())
        for numbers in members.values():
            mine, first = places[numbers], -1 - numbers[0]
            names = {first, *group[mine].tolist()}
            if players := [player for each in numbers if (player := self._compiled[each])]:
                parameters, row[mine] = joined(players)
                team = Group(players[0].kind, parameters, players[0].seats)
                seating.teams.update(dict.fromkeys(names, team))
            else:
                seating.readable.update(names)
            group[mine] = first
        return seating

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Number of the first entrant of each population, and last the number of individuals."""
        return tuple(accumulate(map(len, self.populations), initial=0))

    def player(self, entrant: int) -> Player:
        """Return an entrant as a player that chooses move by move."""
        single = int(self._seating.single[entrant])
        if single < 0:
            return self.singles[-single - 1]
        name = f"individual {entrant}"
        if self.game.rules.contest is not None:
            number = self.group_of(entrant)
            population: Any = self.populations[number]
            return ContestPlayer(name, population.parameters[entrant - self.starts[number]])
        group, row = self.group(self.group_of(entrant)), int(self._seating.row[entrant])
        return CompiledPlayer(name, group.kind, self.game, group.parameters, row, seats=group.seats)

    def group_of(self, entrant: int) -> int:
        """Return the group of an entrant in schedules.

        That is the number of its population, or of the fixed opponent (below 0).
        """
        if entrant < 0:
            return entrant
        return bisect_right(self.starts, entrant) - 1

    def groups_of(self, entrants: np.ndarray) -> np.ndarray:
        """Return the groups in which entrants play, an array of the same shape.

        A group has one kind of player; kernels play matches between two groups.
        """
        return self._seating.group[entrants]

    def rows_of(self, entrants: np.ndarray) -> np.ndarray:
        """Return the rows of entrants in their groups' parameters, int32 of the same shape."""
        return self._seating.row[entrants]

    @property
    def are_mixed(self) -> bool:
        """Whether a population is a mixture: of players that are no genomes."""
        return len(self.singles) > len(self.panel)

    def are_compiled(self, groups: Groups) -> bool:
        """Return whether compiled kernels can play all matches between these pairs of groups."""
        groups_of_all = (group for pair in groups for group in pair)
        if self.game.is_interpreted or self.game.rules.contest is not None:
            return False
        return self._seating.readable.isdisjoint(groups_of_all)

    def group(self, number: int) -> Group:
        """Return a group of entrants by its number.

        The group of a fixed opponent or another single player has the number of any such player in
        it.
        """
        if number < 0:
            return self._seating.teams[number]
        population = self.populations[number]
        assert isinstance(population, Genomes)  # a mixture is no group
        made = population.representation
        return Group(made.kind, population.parameters, made.seats)

    def check_seats(self, a: int, b: int, games: int) -> None:
        """Raise if an entrant of a match would hold a seat for which it has no policy.

        A kernel would use the policy for the other seat, whose actions may be illegal.
        """
        for seat, entrant in enumerate((a, b)):
            check_seats(self.player(entrant), self.game, (seat,) if games == 1 else (0, 1))

    def check(self, pairs: np.ndarray, groups: Groups | None) -> None:
        """Raise if pairs name entrants that do not exist, or other groups than ``groups``.

        Compiled kernels would read outside the arrays.
        """
        if not len(pairs):
            return
        # One after the other: by axis, numpy would take ten times as long.
        least, most = zip(*((each.min(), each.max()) for each in pairs.T), strict=True)
        individuals = self.starts[-1]
        if not -len(self.panel) <= min(least) <= max(most) < individuals:
            raise TournamentError(
                f"entrants {min(least)}..{max(most)} given; there are {individuals} individuals "
                f"(from 0 up) and {len(self.panel)} fixed opponents (from -1 down)"
            )
        if groups is None or len(groups) > 1 or pairs.shape[1] > 2:
            return
        for group, low, high in zip(groups[0], least, most, strict=True):
            if not self.group_of(int(low)) == group == self.group_of(int(high)):
                raise TournamentError(
                    f"a schedule of the groups {groups} has entrants {low}..{high} on one side; "
                    "its `groups` must name all that meet"
                )
