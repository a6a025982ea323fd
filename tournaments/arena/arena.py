"""Many matches at compiled speed.

A match is a few games between entrants a and b with the seats swapped after each: in game ``g``
entrant a holds seat ``g % 2``. The kernels below are written against the hooks of
:mod:`tournaments.kernels.hooks`, so a new game or a new kind of player needs no new arena. There
are two, whose outcomes are the same:

* :func:`play_matches_by_address` calls each side's :func:`take_turn` by its address. It is compiled
  once a game, and :func:`take_turn` once a kind: whoever meets whom.
* :func:`play_matches` is linked anew for each pair of kinds that meet, a tenth faster, which pays
  for the compiler where millions of games are played: from ``LINKED_FROM`` on.

Kernels are serial and release the interpreter lock. Entrants of one population may have a faster
arena, :mod:`tournaments.arena.lanes`, with the same outcomes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tournaments.arena import match
from tournaments.arena.entrants import Entrants
from tournaments.arena.fillings import hooks_for, hooks_of
from tournaments.arena.lanes import (
    ScoreSheet,
    empty_lanes,
    hooks_abreast,
    note_endless,
    play_matches_abreast,
)
from tournaments.arena.outcomes import MEASURED, SCORES
from tournaments.game import EndlessGame, Game
from tournaments.kernels.hooks import (
    begin,
    begin_a,
    begin_b,
    choose,
    choose_a,
    choose_b,
    measure,
    play,
    seen_action,
    start,
    view_of,
    view_to_choose,
    view_to_choose_a,
    view_to_choose_b,
    view_to_watch,
    view_to_watch_a,
    view_to_watch_b,
    watch,
    watch_a,
    watch_b,
)
from tournaments.kernels.linker import (
    address_of,
    build,
    by_address,
    call_turn,
    kernel,
    numba_inlines,
    record_at,
    write_record,
)
from tournaments.kernels.rng import draw, seed_game
from tournaments.player import Kind
from tournaments.rules import Kernel
from tournaments.schedules.base import Groups


class Side(NamedTuple):
    """One side of many matches: what its kind made of its entrants, and who plays in each match."""

    parameters: Any
    memory: Any
    rows: np.ndarray  # int32 [M], or [M, 2] for both sides


@kernel
def note_outcome(board, state, plies, outcome):
    """Write down how a game ended."""
    outcome[0] = state[1]
    outcome[1] = state[2]
    if outcome.size > 2:
        outcome[2] = plies
        outcome[3] = measure(board, state)


# --- kinds apart: each side is called by its address ---------------------------------------------

NOTHING, BEGIN = -1, -2
"""In place of an action: none was played; a game begins."""


class Seated(NamedTuple):
    """The record of one side: the game in play, and what its kind made of its entrants."""

    board: np.ndarray
    state: np.ndarray
    seen: np.ndarray
    stream: np.ndarray
    parameters: Any
    memory: Any


class Called(NamedTuple):
    """Both sides, a and b.

    Attributes:
        turns: int64 ``[2]``, the addresses of their :func:`take_turn`.
        records: int64 ``[2]``, the addresses of their :class:`Seated`.
        rows: int32 ``[2, M]``, who plays in each match.
    """

    turns: np.ndarray
    records: np.ndarray
    rows: np.ndarray


@by_address
def take_turn(record, row, seat, last):
    """Watch ``last``, the other side's action; then, where ``seat`` is to move, play an action.

    Return it, or ``NOTHING``. The record is read where it is used: all of it at once would not fit
    the processor's registers.
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
    """Watch an action."""
    shown = view_to_watch(side.board, side.state, seat, side.seen)
    watch(side.board, shown, action, side.parameters, row, side.memory)


@kernel
def choice(side, row, seat):
    """The action that a side chooses."""
    shown = view_to_choose(side.board, side.state, seat, side.seen)
    return np.int64(choose(side.board, shown, side.parameters, row, side.memory, side.stream))


@kernel
def play_matches_by_address(board, state, stream, sides, matches):
    """Play every match; fill ``matches.outcomes`` with the score of each seat in each game."""
    turns, records, rows = sides.turns, sides.records, sides.rows
    most_plies = matches.most_plies
    for index in range(matches.seeds.size):
        for game in range(matches.outcomes.shape[1]):
            seed_game(stream, matches.seeds[index], game)
            start(board, state, draw(stream))
            for side in range(2):
                seat = (side + game) % 2
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
    """Lay a side's record down in ``words``."""
    write_record(record, words)


# --- kinds linked with one another ---------------------------------------------------------------


@numba_inlines(3)
def play_matches(board, state, seen, stream, a, b, matches):
    """Play every match; fill ``matches.outcomes`` with the score of each seat in each game.

    ``seen`` (int16, as long as a state) is room for what a seat sees.
    """
    most_plies = matches.most_plies
    for index in range(matches.seeds.size):
        row_a = a.rows[index]
        row_b = b.rows[index]
        for game in range(matches.outcomes.shape[1]):
            seat_a = game % 2
            seed_game(stream, matches.seeds[index], game)
            start(board, state, draw(stream))
            shown = view_of(board, state, seat_a, seen)
            begin_a(board, shown, a.parameters, row_a, a.memory)
            shown = view_of(board, state, 1 - seat_a, seen)
            begin_b(board, shown, b.parameters, row_b, b.memory)
            plies = np.int64(0)
            while state[0] >= 0 and plies < most_plies:
                is_a = state[0] == seat_a
                if is_a:
                    shown = view_to_choose_a(board, state, seat_a, seen)
                    action = choose_a(board, shown, a.parameters, row_a, a.memory, stream)
                else:
                    shown = view_to_choose_b(board, state, 1 - seat_a, seen)
                    action = choose_b(board, shown, b.parameters, row_b, b.memory, stream)
                play(board, state, action)
                of_a = action if is_a else seen_action(action)
                of_b = seen_action(action) if is_a else action
                shown = view_to_watch_a(board, state, seat_a, seen)
                watch_a(board, shown, of_a, a.parameters, row_a, a.memory)
                shown = view_to_watch_b(board, state, 1 - seat_a, seen)
                watch_b(board, shown, of_b, b.parameters, row_b, b.memory)
                plies += 1
            if state[0] >= 0:
                note_endless(matches, index, game)
                return
            note_outcome(board, state, plies, matches.outcomes[index, game])


def play_pairs(
    entrants: Entrants,
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

    Raises:
        EndlessGame: a game lasts longer than its rules say.
        TournamentError: entrants, players or seats that cannot be.
    """
    entrants.check(pairs, groups)
    outcomes = np.empty((len(pairs), games, MEASURED if measured else SCORES), dtype=np.int16)
    if groups is not None and len(groups) == 1 and entrants.are_compiled(groups):
        _play_compiled(entrants, *groups[0], pairs, seeds, outcomes)
        return outcomes
    for group_a, group_b, places in _by_groups(entrants, pairs):
        part = pairs[places], seeds[places], outcomes[places]
        if entrants.are_compiled(((group_a, group_b),)):
            _play_compiled(entrants, group_a, group_b, *part)
        else:
            _play_readable(entrants, *part)
        outcomes[places] = part[2]
    return outcomes


def _by_groups(entrants: Entrants, pairs: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
    """The pairs of groups that meet, each with the places of its matches."""
    met, which = np.unique(entrants.groups_of(pairs), axis=0, return_inverse=True)
    for number, (group_a, group_b) in enumerate(met):
        yield int(group_a), int(group_b), np.flatnonzero(which.reshape(-1) == number)


def _play_compiled(
    entrants: Entrants,
    group_a: int,
    group_b: int,
    pairs: np.ndarray,
    seeds: np.ndarray,
    outcomes: np.ndarray,
) -> None:
    """Fill ``outcomes`` with what comes of matches between two groups.

    Several games at once are played by one group among itself, whose sides share their parameters.
    """
    entrants.check_seats(group_a, group_b, outcomes.shape[1])
    own = np.array(seeds, dtype=np.uint64)  # a copy: never read-only
    endless = np.full(2, -1, dtype=np.int64)
    matches = ScoreSheet(own, outcomes, endless, entrants.game.most_plies)
    kinds = entrants.group(group_a).kind, entrants.group(group_b).kind
    is_abreast = kinds[0].abreast is not None and entrants.game.view is None
    if group_a == group_b and is_abreast and outcomes.shape[2] == SCORES:
        _play_abreast(entrants, group_a, pairs, matches)
    elif is_worth_linking(entrants.game, *kinds, games=outcomes.shape[0] * outcomes.shape[1]):
        _play_linked(entrants, (group_a, group_b), pairs, matches)
    else:
        _play_by_address(entrants, (group_a, group_b), pairs, matches)
    if endless[0] >= 0:
        raise EndlessGame(entrants.game, int(own[endless[0]]), int(endless[1]))


LINKED_FROM = 5_000_000
"""Games of a pair of kinds in this process from which on linking them has paid."""
_games_played: Counter[tuple[str, Kernel, Kernel]] = Counter()


def is_worth_linking(game: Game, a: Kind, b: Kind, games: int) -> bool:
    """Whether two kinds play often enough; these games are counted."""
    pair = game.name, a.choose, b.choose
    _games_played[pair] += games
    return _games_played[pair] >= LINKED_FROM


def _play_abreast(entrants: Entrants, number: int, pairs: np.ndarray, matches: ScoreSheet) -> None:
    """Play in :func:`tournaments.arena.lanes.play_matches_abreast`."""
    game, group = entrants.game, entrants.group(number)
    assert group.kind.abreast is not None
    lanes = max(1, min(matches.outcomes[..., 0].size, group.kind.abreast.lanes(group.parameters)))
    memory = group.kind.abreast.memory(game, group.parameters, lanes)
    side = Side(group.parameters, memory, group.rows(pairs))
    play = build(play_matches_abreast, hooks_abreast(game, group.kind))
    play(game.board, empty_lanes(game, lanes), side, matches)


def _play_by_address(
    entrants: Entrants, groups: tuple[int, int], pairs: np.ndarray, matches: ScoreSheet
) -> None:
    """Play in :func:`play_matches_by_address`."""
    game = entrants.game
    state, stream = empty_position(game)
    addresses = np.empty((2, 2), dtype=np.int64)
    rows = np.empty((2, len(pairs)), dtype=np.int32)
    records = []  # as long as these are kept, their addresses stand
    for side, group in enumerate(map(entrants.group, groups)):
        memory = group.kind.memory(game, group.parameters)
        seen = np.zeros_like(state)
        record = Seated(game.board, state, seen, stream, group.parameters, memory)
        words = np.empty(_words(record), dtype=np.int64)
        build(lay_down)(record, words)
        records.append((record, words))
        turn = address_of(take_turn, hooks_of(game, group.kind), record)
        addresses[:, side] = turn, words.ctypes.data
        rows[side] = group.rows(pairs[:, side])
    play = build(play_matches_by_address, game.hooks)
    play(game.board, state, stream, Called(addresses[0], addresses[1], rows), matches)


def _words(record: Any) -> int:
    """How many int64 numbers a record takes at most."""
    if isinstance(record, tuple):
        return sum(map(_words, record))
    return 5 + 2 * record.ndim if isinstance(record, np.ndarray) else 1


def _play_linked(
    entrants: Entrants, groups: tuple[int, int], pairs: np.ndarray, matches: ScoreSheet
) -> None:
    """Play in :func:`play_matches`."""
    game, sides, kinds = entrants.game, [], []
    for column, group in zip(pairs.T, map(entrants.group, groups), strict=True):
        memory = group.kind.memory(game, group.parameters)
        sides.append(Side(group.parameters, memory, group.rows(column)))
        kinds.append(group.kind)
    state, stream = empty_position(game)
    play = build(play_matches, hooks_for(game, *kinds))
    play(game.board, state, np.zeros_like(state), stream, *sides, matches)


def empty_position(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Room for a state and for a stream."""
    return np.zeros(game.state_size, dtype=np.int16), np.zeros(1, dtype=np.uint64)


def _play_readable(
    entrants: Entrants, pairs: np.ndarray, seeds: np.ndarray, outcomes: np.ndarray
) -> None:
    """Fill ``outcomes``, move by move."""
    games, measured = outcomes.shape[1], outcomes.shape[2] > SCORES
    for number, (a, b) in enumerate(pairs):
        sides = entrants.player(int(a)), entrants.player(int(b))
        seed = int(seeds[number])
        outcomes[number] = match.play_match(entrants.game, *sides, seed, games, measured)
