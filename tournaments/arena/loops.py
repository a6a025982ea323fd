"""The loops of the arena: many matches between two kinds of player, as kernels.

They are written against the hooks of :mod:`tournaments.kernels.hooks`, so a new game or a new kind
of player needs no new loop. There are two, whose outcomes are the same:

* :func:`play_matches_by_address` calls each side's :func:`take_turn` by its address. It is compiled
  once a game, and :func:`take_turn` once a kind, for any pair of kinds.
* :func:`play_matches` is linked anew for each pair of kinds that meet, a tenth faster.

A side is shown what its seat sees of a position, and told what it may know of the other's actions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tournaments.arena.outcomes import note_endless, note_outcome
from tournaments.game import Game
from tournaments.kernels import memoryless
from tournaments.kernels.hooks import (
    begin,
    begin_a,
    begin_b,
    choose,
    choose_a,
    choose_b,
    play,
    seen_action,
    start,
    view_of,
    view_of_a,
    view_of_all,
    view_of_b,
    view_watched,
    view_watched_a,
    view_watched_b,
    watch,
    watch_a,
    watch_b,
)
from tournaments.kernels.linker import (
    by_address,
    call_turn,
    kernel,
    numba_inlines,
    record_at,
    write_record,
)
from tournaments.kernels.rng import OPENING, derived, seed_game
from tournaments.player import Kind
from tournaments.rules import Kernel


class Side(NamedTuple):
    """A side of many matches: parameters and memory of its kind, and the row of each match."""

    parameters: Any
    memory: Any
    rows: np.ndarray  # int32 [M], or [M, 2] for both sides


# --- kinds apart: each side is called by its address ---------------------------------------------

NOTHING, BEGIN = -1, -2
"""In place of an action: none was played; a game begins."""


class Seated(NamedTuple):
    """The record of one side: the game in play, and its players as kernels read them."""

    board: np.ndarray
    state: np.ndarray
    seen: np.ndarray
    stream: np.ndarray
    parameters: Any
    memory: Any


class Called(NamedTuple):
    """Both sides, a and b, of matches whose kernels are called by address.

    Attributes:
        turns: int64 ``[2]``, the addresses of their :func:`take_turn`.
        records: int64 ``[2]``, the addresses of their :class:`Seated`.
        rows: int32 ``[2, M]``, who plays in each match.
        streams: uint64 ``[2, 1]``, the stream of each side.
    """

    turns: np.ndarray
    records: np.ndarray
    rows: np.ndarray
    streams: np.ndarray


@by_address
def take_turn(record, row, seat, last):
    """Let a side observe the other side's last action, and play an action if it is its turn.

    The record is read where it is used: all of it at once would not fit the processor's registers.

    Args:
        record: the address of the side's record: the game in play, and its players.
        row: the side's player.
        seat: the seat of the side.
        last: the other side's action, ``NOTHING``, or ``BEGIN`` when a game begins.

    Returns:
        The action, or ``NOTHING``.
    """
    if last == BEGIN:
        side = record_at(record)
        shown = view_of(side.board, side.state, seat, side.seen)
        begin(side.board, shown, side.parameters, row, side.memory)
        return NOTHING
    if last != NOTHING:
        follow(record_at(record), row, seat, seen_action(last))
    if record_at(record).state[0] != seat:
        return NOTHING
    action = choice(record_at(record), row, seat)
    side_to_move = record_at(record)
    play(side_to_move.board, side_to_move.state, action)
    if record_at(record).state[0] >= 0:
        follow(record_at(record), row, seat, action)
    return action


@kernel
def follow(side, row, seat, action):
    """Let a side observe an action in the position that it leads to."""
    shown = view_watched(side.board, side.state, seat, side.seen)
    watch(side.board, shown, action, side.parameters, row, side.memory)


@kernel
def choice(side, row, seat):
    """Return the action that a side's player chooses in the current position."""
    shown = view_of(side.board, side.state, seat, side.seen)
    return np.int64(choose(side.board, shown, side.parameters, row, side.memory, side.stream))


@kernel
def play_matches_by_address(board, state, sides, matches):
    """Play every match between two groups of entrants, whose kernels are called by address.

    ``matches.outcomes`` gets the score of each seat in each game. ``sides`` has both groups.
    """
    turns, records, rows = sides.turns, sides.records, sides.rows
    most_plies = matches.most_plies
    for index in range(matches.seeds.size):
        for game in range(matches.outcomes.shape[1]):
            match_seed = matches.seeds[index]
            start(board, state, derived(match_seed, game, OPENING))
            for side in range(2):
                seat = (side + game) % 2
                sides.streams[side, 0] = derived(match_seed, game, seat)
                call_turn(turns[side], records[side], rows[side, index], seat, BEGIN)
            plies = np.int64(0)
            last = NOTHING
            side = (state[0] + game) % 2
            while state[0] >= 0 and plies < most_plies:
                seat = (side + game) % 2
                last = call_turn(turns[side], records[side], rows[side, index], seat, last)
                plies += last != NOTHING
                side = 1 - side
            if state[0] >= 0:
                note_endless(matches, index, game)
                return
            note_outcome(board, state, plies, matches.outcomes[index, game])


@kernel
def lay_down(record, words):
    """Copy the record of a side, by which its kernel is called, into ``words``."""
    write_record(record, words)


# --- kinds linked with one another ---------------------------------------------------------------


@numba_inlines(3)
def play_matches(board, state, seen, streams, a, b, matches):
    """Play every match between two groups; fill ``matches.outcomes`` with each seat's scores.

    ``seen`` (int16, as long as a state) is room for what a seat sees, ``streams`` (uint64 ``[2,
    1]``) for the stream of each seat. ``a`` and ``b`` are the groups.
    """
    most_plies = matches.most_plies
    for index in range(matches.seeds.size):
        row_a = a.rows[index]
        row_b = b.rows[index]
        for game in range(matches.outcomes.shape[1]):
            seat_a = game % 2
            start(board, state, seed_game(streams, matches.seeds[index], game))
            stream_a = streams[seat_a]
            stream_b = streams[1 - seat_a]
            shown = view_of_a(board, state, seat_a, seen)
            begin_a(board, shown, a.parameters, row_a, a.memory)
            shown = view_of_b(board, state, 1 - seat_a, seen)
            begin_b(board, shown, b.parameters, row_b, b.memory)
            plies = np.int64(0)
            while state[0] >= 0 and plies < most_plies:
                is_a = state[0] == seat_a
                if is_a:
                    shown = view_of_a(board, state, seat_a, seen)
                    action = choose_a(board, shown, a.parameters, row_a, a.memory, stream_a)
                else:
                    shown = view_of_b(board, state, 1 - seat_a, seen)
                    action = choose_b(board, shown, b.parameters, row_b, b.memory, stream_b)
                play(board, state, action)
                of_a = action if is_a else seen_action(action)
                of_b = seen_action(action) if is_a else action
                shown = view_watched_a(board, state, seat_a, seen)
                watch_a(board, shown, of_a, a.parameters, row_a, a.memory)
                shown = view_watched_b(board, state, 1 - seat_a, seen)
                watch_b(board, shown, of_b, b.parameters, row_b, b.memory)
                plies += 1
            if state[0] >= 0:
                note_endless(matches, index, game)
                return
            note_outcome(board, state, plies, matches.outcomes[index, game])


def hooks_of(game: Game, kind: Kind, side: str = "") -> dict[str, Kernel]:
    """Return the hooks with which the turns of a kind of player in a game are linked.

    A kind that does not look at the position is not shown a view.

    Args:
        game: the game.
        kind: the kind.
        side: ``_a`` or ``_b`` for a side of :func:`play_matches`.
    """
    shown = game.hooks["view_of"]
    own = {
        **kind.hooks,
        "view_of": view_of_all if kind.plays_evenly else shown,
        "view_watched": view_of_all if kind.watch is memoryless.watch else shown,
    }
    return {**game.hooks, **{f"{name}{side}": kernel for name, kernel in own.items()}}


def hooks_for(game: Game, a: Kind, b: Kind) -> dict[str, Kernel]:
    """Return the hooks with which :func:`play_matches` is linked for two kinds of player."""
    return hooks_of(game, a, "_a") | hooks_of(game, b, "_b")
