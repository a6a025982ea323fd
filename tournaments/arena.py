"""Many matches at compiled speed.

A match is a few games between entrants a and b with the seats swapped after each: in game ``g``
entrant a holds seat ``g % 2``. The kernel below is written against the hooks of
:mod:`tournaments.hooks`, so a new game or a new kind of player needs no new arena: it is linked
anew for each pair of kinds that meet. Kernels are serial and release the interpreter lock. Entrants
of one population may have a faster arena, :mod:`tournaments.abreast`, with the same outcomes.

Entrants are numbers: ``0..N-1`` the rows of a population, ``-1`` the first fixed opponent of the
panel, ``-2`` the second, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tournaments import match
from tournaments.abreast import empty_lanes, hooks_abreast, play_matches_abreast
from tournaments.errors import TournamentError
from tournaments.hooks import begin_a, begin_b, choose_a, choose_b, play, start, watch_a, watch_b
from tournaments.kernels import build, is_cached, kernel
from tournaments.rng import draw, seed_game
from tournaments.schedules import Groups
from tournaments.types import CompiledPlayer, Game, Kernel, Kind, Player


class Side(NamedTuple):
    """One side of many matches: what its kind made of its entrants, and who plays in each match."""

    parameters: Any
    memory: Any
    rows: np.ndarray  # int32 [M], or [M, 2] for both sides


class ScoreSheet(NamedTuple):
    """Seeds uint64 ``[M]`` and outcomes int16 ``[M, games, 2]``, the latter to be filled."""

    seeds: np.ndarray
    outcomes: np.ndarray


@kernel
def play_matches(board, state, stream, a, b, matches):
    """Play every match; fill ``matches.outcomes`` with the score of each seat in each game."""
    for index in range(matches.seeds.size):
        row_a = a.rows[index]
        row_b = b.rows[index]
        for game in range(matches.outcomes.shape[1]):
            seat_of_a = game % 2
            seed_game(stream, matches.seeds[index], game)
            start(board, state, draw(stream))
            begin_a(board, state, a.parameters, row_a, a.memory)
            begin_b(board, state, b.parameters, row_b, b.memory)
            while state[0] >= 0:
                if state[0] == seat_of_a:
                    action = choose_a(board, state, a.parameters, row_a, a.memory, stream)
                else:
                    action = choose_b(board, state, b.parameters, row_b, b.memory, stream)
                play(board, state, action)
                watch_a(board, state, action, a.parameters, row_a, a.memory)
                watch_b(board, state, action, b.parameters, row_b, b.memory)
            matches.outcomes[index, game, 0] = state[1]
            matches.outcomes[index, game, 1] = state[2]


def hooks_for(game: Game, a: Kind, b: Kind) -> dict[str, Kernel]:
    """The fillings with which :func:`play_matches` is linked for two kinds of player."""
    sides = {
        "begin_a": a.begin,
        "watch_a": a.watch,
        "choose_a": a.choose,
        "begin_b": b.begin,
        "watch_b": b.watch,
        "choose_b": b.choose,
    }
    return {**game.hooks, **sides}


@dataclass(frozen=True)
class Field:
    """All entrants of many matches, ready to play.

    Attributes:
        game: what is played.
        kind: the kind of the population's individuals.
        parameters: of the population, as that kind takes them.
        panel: the fixed opponents.
    """

    game: Game
    kind: Kind | None = None
    parameters: Any = None
    panel: Sequence[Player] = field(default_factory=tuple)

    def __post_init__(self) -> None:
        for player in self.panel:
            if isinstance(player, CompiledPlayer) and player.game.spec != self.game.spec:
                raise TournamentError(
                    f"player {player.name!r} was made for {player.game.spec} and cannot play "
                    f"{self.game.spec}; make it for this game"
                )

    def player(self, entrant: int) -> Player:
        """An entrant as a player that chooses move by move."""
        if entrant < 0:
            return self.panel[-entrant - 1]
        assert self.kind is not None
        return CompiledPlayer(
            f"individual {entrant}", self.kind, self.game, self.parameters, entrant
        )

    def are_compiled(self, groups: Groups) -> bool:
        """Whether kernels play all matches between these groups; group 0 is the population."""
        met = {group for pair in groups for group in pair}
        if min(met, default=0) < -len(self.panel):
            raise TournamentError(
                f"fixed opponent {min(met)} given; there are {len(self.panel)} fixed opponents "
                "(from -1 down)"
            )
        return all(group == 0 or isinstance(self.player(group), CompiledPlayer) for group in met)

    def kind_of(self, group: int) -> tuple[Kind, Any, int]:
        """A group's kind, its parameters, and the row to play (-1: each entrant's own)."""
        if group == 0:
            if self.kind is None:
                raise TournamentError("a schedule names individuals, but no population was given")
            return self.kind, self.parameters, -1
        player = self.panel[-group - 1]
        assert isinstance(player, CompiledPlayer)
        return player.kind, player.parameters, player.row


def play_pairs(
    entrants: Field,
    pairs: np.ndarray,
    seeds: np.ndarray,
    games: int = 2,
    groups: Groups | None = None,
) -> np.ndarray:
    """Play matches, one after another, in this thread.

    Args:
        entrants: the population and the panel.
        pairs: int32 ``[M, 2]``, entrant a and entrant b of each match.
        seeds: uint64 ``[M]``, one a match.
        games: games a match; the seats are swapped after each.
        groups: the pairs of groups that meet, where it is known.

    Returns:
        int16 ``[M, games, 2]``: the score of each seat in each game.
    """
    _check_entrants(entrants, pairs, groups)
    if groups is not None and len(groups) == 1 and entrants.are_compiled(groups):
        return _play_compiled(entrants, *groups[0], pairs, seeds, games)
    outcomes = np.zeros((len(pairs), games, 2), dtype=np.int16)
    for group_a, group_b, chosen in _by_groups(pairs):
        group = entrants, pairs[chosen], seeds[chosen], games
        if entrants.are_compiled(((group_a, group_b),)):
            played = _play_compiled(entrants, group_a, group_b, *group[1:])
        else:
            played = _play_readable(*group)
        outcomes[chosen] = played
    return outcomes


def _check_entrants(entrants: Field, pairs: np.ndarray, groups: Groups | None) -> None:
    """Refuse numbers that stand for nobody: compiled kernels would read beside the arrays.

    So they would where only one pair of groups is said to meet, and others do.
    """
    if not len(pairs):
        return
    a, b = pairs.T  # one after the other: by axis, numpy would take ten times as long
    least, most = (a.min(), b.min()), (a.max(), b.max())
    parameters = entrants.parameters
    rows = parameters[0] if isinstance(parameters, tuple) else parameters
    individuals = 0 if rows is None else len(rows)
    if not -len(entrants.panel) <= min(least) <= max(most) < individuals:
        raise TournamentError(
            f"entrants {min(least)}..{max(most)} given; there are {individuals} individuals "
            f"(from 0 up) and {len(entrants.panel)} fixed opponents (from -1 down)"
        )
    if groups is None or len(groups) > 1:
        return
    for group, low, high in zip(groups[0], least, most, strict=True):
        if low < group or (group < 0 and high > group):
            raise TournamentError(
                f"a schedule of the groups {groups} has entrants {low}..{high} on one side; its "
                "`groups` must name all that meet"
            )


def _by_groups(pairs: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """The pairs of groups that meet (0: the population), each with the places of its matches."""
    sides = np.minimum(pairs, 0)
    met, which = np.unique(sides, axis=0, return_inverse=True)
    for number, (group_a, group_b) in enumerate(met):
        yield int(group_a), int(group_b), np.flatnonzero(which.reshape(-1) == number)


def kernels_needed(entrants: Field, groups: Groups) -> list[tuple[Kernel, dict[str, Kernel]]]:
    """Every compiled arena in which these groups meet, each once: its kernel and its hooks."""
    needed: list[tuple[Kernel, dict[str, Kernel]]] = []
    for pair in groups:
        if entrants.are_compiled((pair,)):
            arena = _arena(entrants, *pair)
            if arena not in needed:
                needed.append(arena)
    return needed


def compiled_already(entrants: Field, groups: Groups) -> bool:
    """Whether every arena in which these groups meet is in the kernel cache."""
    return all(is_cached(*arena) for arena in kernels_needed(entrants, groups))


def _arena(entrants: Field, group_a: int, group_b: int) -> tuple[Kernel, dict[str, Kernel]]:
    """The kernel in which two groups meet, and its hooks.

    Several games at once are played by one group among itself, whose sides share their parameters.
    """
    kind_a, kind_b = entrants.kind_of(group_a)[0], entrants.kind_of(group_b)[0]
    if group_a == group_b and kind_a.abreast is not None:
        return play_matches_abreast, hooks_abreast(entrants.game, kind_a)
    return play_matches, hooks_for(entrants.game, kind_a, kind_b)


def _play_compiled(
    entrants: Field, group_a: int, group_b: int, pairs: np.ndarray, seeds: np.ndarray, games: int
) -> np.ndarray:
    outcomes = np.empty((len(pairs), games, 2), dtype=np.int16)
    matches = ScoreSheet(np.array(seeds, dtype=np.uint64), outcomes)  # a copy: never read-only
    entry, hooks = _arena(entrants, group_a, group_b)
    if entry is play_matches_abreast:
        arguments = _abreast(entrants, group_a, pairs, games)
    else:
        arguments = _apart(entrants, group_a, group_b, pairs)
    build(entry, hooks)(*arguments, matches)
    return outcomes


def _abreast(entrants: Field, group: int, pairs: np.ndarray, games: int) -> tuple[Any, ...]:
    """The arguments of :func:`tournaments.abreast.play_matches_abreast`."""
    game = entrants.game
    kind, parameters, row = entrants.kind_of(group)
    assert kind.abreast is not None
    lanes = max(1, min(games * len(pairs), kind.abreast.lanes(parameters)))
    memory = kind.abreast.memory(game, parameters, lanes)
    return game.board, empty_lanes(game, lanes), Side(parameters, memory, _rows(pairs, row))


def _apart(entrants: Field, group_a: int, group_b: int, pairs: np.ndarray) -> tuple[Any, ...]:
    """The arguments of :func:`play_matches`."""
    game = entrants.game
    sides = []
    for group, rows in zip((group_a, group_b), pairs.T, strict=True):
        kind, parameters, row = entrants.kind_of(group)
        sides.append(Side(parameters, kind.memory(game, parameters), _rows(rows, row)))
    state, stream = np.zeros(game.state_size, dtype=np.int16), np.zeros(1, dtype=np.uint64)
    return game.board, state, stream, *sides


def _rows(entrants: np.ndarray, row: int) -> np.ndarray:
    """The rows of these entrants, which are of one group, int32 of the same shape."""
    if row >= 0:
        return np.full(entrants.shape, row, dtype=np.int32)
    return np.array(entrants, dtype=np.int32, order="C")


def _play_readable(entrants: Field, pairs: np.ndarray, seeds: np.ndarray, games: int) -> np.ndarray:
    outcomes = np.empty((len(pairs), games, 2), dtype=np.int16)
    for number, (a, b) in enumerate(pairs):
        players = entrants.player(int(a)), entrants.player(int(b))
        outcomes[number] = match.play_match(entrants.game, *players, int(seeds[number]), games)
    return outcomes
