"""Many matches at compiled speed.

A match is a few games between entrants a and b with the seats swapped after each: in game ``g``
entrant a holds seat ``g % 2``. The kernel below is written against the hooks of
:mod:`tournaments.kernels.hooks`, so a new game or a new kind of player needs no new arena: it is
linked anew for each pair of kinds that meet. Kernels are serial and release the interpreter lock.
Entrants of one population may have a faster arena, :mod:`tournaments.arena.lanes`, with the same
outcomes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tournaments.arena import match
from tournaments.arena.entrants import Field
from tournaments.arena.lanes import empty_lanes, hooks_abreast, play_matches_abreast
from tournaments.arena.match import MOST_PLIES
from tournaments.arena.outcomes import MEASURED, SCORES
from tournaments.game import Game
from tournaments.kernels.hooks import (
    begin_a,
    begin_b,
    choose_a,
    choose_b,
    measure,
    play,
    start,
    watch_a,
    watch_b,
)
from tournaments.kernels.linker import build, is_cached, kernel
from tournaments.kernels.rng import draw, seed_game
from tournaments.player import Kind
from tournaments.rules import Kernel
from tournaments.schedules.base import Groups


class Side(NamedTuple):
    """One side of many matches: what its kind made of its entrants, and who plays in each match."""

    parameters: Any
    memory: Any
    rows: np.ndarray  # int32 [M], or [M, 2] for both sides


class ScoreSheet(NamedTuple):
    """Seeds uint64 ``[M]`` and outcomes int16 ``[M, games, 2]``, the latter to be filled.

    Outcomes of games that are measured have two columns more, see
    :mod:`tournaments.arena.outcomes`.
    """

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
            plies = np.int64(0)
            while state[0] >= 0:
                if state[0] == seat_of_a:
                    action = choose_a(board, state, a.parameters, row_a, a.memory, stream)
                else:
                    action = choose_b(board, state, b.parameters, row_b, b.memory, stream)
                play(board, state, action)
                watch_a(board, state, action, a.parameters, row_a, a.memory)
                watch_b(board, state, action, b.parameters, row_b, b.memory)
                plies += 1
            matches.outcomes[index, game, 0] = state[1]
            matches.outcomes[index, game, 1] = state[2]
            if matches.outcomes.shape[2] > 2:
                matches.outcomes[index, game, 2] = min(plies, MOST_PLIES)
                matches.outcomes[index, game, 3] = measure(board, state)


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


def play_pairs(
    entrants: Field,
    pairs: np.ndarray,
    seeds: np.ndarray,
    games: int = 2,
    groups: Groups | None = None,
    measured: bool = False,
) -> np.ndarray:
    """Play matches, one after another, in this thread.

    Args:
        entrants: the populations and the panel.
        pairs: int32 ``[M, 2]``, entrant a and entrant b of each match.
        seeds: uint64 ``[M]``, one a match.
        games: games a match; the seats are swapped after each.
        groups: the pairs of groups that meet, where it is known.
        measured: whether to note how long each game was, and what the game measures at its end.

    Returns:
        int16 ``[M, games, 2]``: the score of each seat in each game; with ``measured``
        ``[M, games, 4]``: the number of plies and the game's measure too.
    """
    entrants.check(pairs, groups)
    outcomes = np.empty((len(pairs), games, MEASURED if measured else SCORES), dtype=np.int16)
    if groups is not None and len(groups) == 1 and entrants.are_compiled(groups):
        _play_compiled(entrants, *groups[0], pairs, seeds, outcomes)
        return outcomes
    for group_a, group_b, chosen in _by_groups(entrants, pairs):
        part = pairs[chosen], seeds[chosen], outcomes[chosen]
        if entrants.are_compiled(((group_a, group_b),)):
            _play_compiled(entrants, group_a, group_b, *part)
        else:
            _play_readable(entrants, *part)
        outcomes[chosen] = part[2]
    return outcomes


def _by_groups(entrants: Field, pairs: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """The pairs of groups that meet, each with the places of its matches."""
    met, which = np.unique(entrants.groups_of(pairs), axis=0, return_inverse=True)
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
    kind_a, kind_b = entrants.group(group_a).kind, entrants.group(group_b).kind
    if group_a == group_b and kind_a.abreast is not None:
        return play_matches_abreast, hooks_abreast(entrants.game, kind_a)
    return play_matches, hooks_for(entrants.game, kind_a, kind_b)


def _play_compiled(
    entrants: Field,
    group_a: int,
    group_b: int,
    pairs: np.ndarray,
    seeds: np.ndarray,
    outcomes: np.ndarray,
) -> None:
    """Fill ``outcomes`` with what comes of matches between two groups."""
    entrants.check_seats(group_a, group_b, outcomes.shape[1])
    matches = ScoreSheet(np.array(seeds, dtype=np.uint64), outcomes)  # a copy: never read-only
    entry, hooks = _arena(entrants, group_a, group_b)
    if entry is play_matches_abreast and outcomes.shape[2] == SCORES:
        arguments = _abreast(entrants, group_a, pairs, outcomes.shape[1])
    else:
        kinds = entrants.group(group_a).kind, entrants.group(group_b).kind
        entry, hooks = play_matches, hooks_for(entrants.game, *kinds)
        arguments = _apart(entrants, group_a, group_b, pairs)
    build(entry, hooks)(*arguments, matches)


def _abreast(entrants: Field, number: int, pairs: np.ndarray, games: int) -> tuple[Any, ...]:
    """The arguments of :func:`tournaments.arena.lanes.play_matches_abreast`."""
    game, group = entrants.game, entrants.group(number)
    assert group.kind.abreast is not None
    lanes = max(1, min(games * len(pairs), group.kind.abreast.lanes(group.parameters)))
    memory = group.kind.abreast.memory(game, group.parameters, lanes)
    side = Side(group.parameters, memory, group.rows(pairs))
    return game.board, empty_lanes(game, lanes), side


def _apart(entrants: Field, group_a: int, group_b: int, pairs: np.ndarray) -> tuple[Any, ...]:
    """The arguments of :func:`play_matches`."""
    game = entrants.game
    sides = []
    for number, column in zip((group_a, group_b), pairs.T, strict=True):
        group = entrants.group(number)
        memory = group.kind.memory(game, group.parameters)
        sides.append(Side(group.parameters, memory, group.rows(column)))
    state, stream = np.zeros(game.state_size, dtype=np.int16), np.zeros(1, dtype=np.uint64)
    return game.board, state, stream, *sides


def _play_readable(
    entrants: Field, pairs: np.ndarray, seeds: np.ndarray, outcomes: np.ndarray
) -> None:
    """Fill ``outcomes``, move by move."""
    games, measured = outcomes.shape[1], outcomes.shape[2] > SCORES
    for number, (a, b) in enumerate(pairs):
        sides = entrants.player(int(a)), entrants.player(int(b))
        seed = int(seeds[number])
        outcomes[number] = match.play_match(entrants.game, *sides, seed, games, measured)
