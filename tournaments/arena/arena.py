"""Many matches at compiled speed.

A match is a few games between entrants a and b with the seats swapped after each: in game ``g``
entrant a holds seat ``g % 2``. Kinds that meet are played by :mod:`tournaments.arena.loops`: called
by their addresses or, from ``LINKED_FROM`` games on, linked with one another, which then pays for
the compiler. Entrants of one population may have a faster arena, :mod:`tournaments.arena.lanes`,
and players that cannot be compiled the readable loop, :mod:`tournaments.arena.match`. Outcomes are
the same everywhere.

Kernels are serial and release the interpreter lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from tournaments.arena.clock import Timekeeper
from tournaments.arena.contests import play_contests
from tournaments.arena.entrants import Entrants, Group
from tournaments.arena.forfeits import Forfeit, Verdict, at_places
from tournaments.arena.lanes import empty_lanes, hooks_abreast, play_matches_abreast
from tournaments.arena.loops import (
    Called,
    Seated,
    Side,
    hooks_for,
    hooks_of,
    lay_down,
    play_matches,
    play_matches_by_address,
    take_turn,
)
from tournaments.arena.match import fill_row
from tournaments.arena.outcomes import MEASURED, SCORES, ScoreSheet
from tournaments.errors import PlayerFault
from tournaments.game import EndlessGame, Game
from tournaments.kernels.linker import address_of, build
from tournaments.player import Kind
from tournaments.rules import Kernel
from tournaments.schedules.base import Groups


def play_pairs(
    entrants: Entrants,
    pairs: np.ndarray,
    seeds: np.ndarray,
    games: int = 2,
    groups: Groups | None = None,
    measured: bool = False,
    forfeits: list[Forfeit] | None = None,
) -> np.ndarray:
    """Play many matches, one after another, in this thread, and return their outcomes.

    Args:
        entrants: the populations and the panel of fixed opponents.
        pairs: int32 ``[M, 2]``, entrant a and entrant b of each match.
        seeds: uint64 ``[M]``, the seed of each match.
        games: games per match; the seats are swapped after each.
        groups: the pairs of groups that meet, if known.
        measured: whether to record how long each game was, and the game's measure at its end.
        forfeits: receives the games that are lost by a fault, if the entrants have a fault policy.
            Matches are named by their places in ``pairs``.

    Returns:
        int16 ``[M, games, 2]``: the score of each seat in each game; with ``measured`` ``[M, games,
        4]``: the number of plies and the game's measure too. Of a contest float64 ``[M, games,
        S]``, NaN for void games.

    Raises:
        EndlessGame: a game lasts longer than its rules say.
        PlayerFault: a player committed a fault, and the entrants have no fault policy.
        TournamentError: impossible entrants, players or seats.
    """
    entrants.check(pairs, groups)
    if entrants.game.rules.contest is not None:
        return play_contests(entrants, pairs, seeds, games, [] if forfeits is None else forfeits)
    outcomes = np.empty((len(pairs), games, MEASURED if measured else SCORES), dtype=np.int16)
    notes = [] if forfeits is None else forfeits
    out = () if entrants.policy is None else tuple(entrants.policy.quarantined)
    is_one_pair = groups is not None and len(groups) == 1 and not entrants.are_mixed
    if groups is not None and is_one_pair and not out and entrants.are_compiled(groups):
        _play_compiled(entrants, *groups[0], pairs, seeds, outcomes)
        return outcomes
    for met, places in _by_groups(entrants, pairs, out):
        part = pairs[places], seeds[places], outcomes[places]
        if met is not None and entrants.are_compiled((met,)):
            _play_compiled(entrants, *met, *part)
        else:
            notes += at_places(_play_readable(entrants, *part), places)
        outcomes[places] = part[2]
    return outcomes


def _by_groups(
    entrants: Entrants, pairs: np.ndarray, out: Sequence[int]
) -> Iterator[tuple[tuple[int, int] | None, np.ndarray]]:
    """Yield the pairs of groups whose entrants meet, each with the places of its matches.

    Args:
        entrants: all entrants.
        pairs: the entrants of each match, int32 ``[M, 2]``.
        out: entrants that are quarantined. Their matches have no pair of groups: they are
            forfeited, and no kernel plays them.
    """
    groups = entrants.groups_of(pairs)
    least, most = int(groups.min(initial=0)), int(groups.max(initial=0))
    width = most - least + 1  # one number a pair: by rows, numpy would take ten times as long
    numbers = (groups - least) @ (width, 1)
    if out:
        numbers[np.isin(pairs, out).any(axis=1)] = -1
    met, which = np.unique(numbers, return_inverse=True)
    places = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    for number, those in zip(met.tolist(), places, strict=False):  # no match: none
        pair = (least + number // width, least + number % width)
        yield None if number < 0 else pair, those


def _play_compiled(
    entrants: Entrants,
    group_a: int,
    group_b: int,
    pairs: np.ndarray,
    seeds: np.ndarray,
    outcomes: np.ndarray,
) -> None:
    """Play matches between two groups of entrants in a compiled kernel, and fill ``outcomes``.

    A group that meets itself plays several games at once, since both sides share their parameters.
    """
    if len(pairs):
        entrants.check_seats(int(pairs[0, 0]), int(pairs[0, 1]), outcomes.shape[1])
    own = np.array(seeds, dtype=np.uint64)  # a copy: never read-only
    endless = np.full(2, -1, dtype=np.int64)
    game, rows = entrants.game, entrants.rows_of(pairs)
    matches = ScoreSheet(own, outcomes, endless, game.most_plies)
    a, b = groups = entrants.group(group_a), entrants.group(group_b)
    if group_a == group_b and a.kind.abreast is not None and game.view is None:
        _play_abreast(game, a, rows, matches)
    elif is_worth_linking(game, a.kind, b.kind, games=outcomes.shape[0] * outcomes.shape[1]):
        _play_linked(game, groups, rows, matches)
    else:
        _play_by_address(game, groups, rows, matches)
    if endless[0] >= 0:
        raise EndlessGame(game, int(own[endless[0]]), int(endless[1]))


LINKED_FROM = 5_000_000
"""Games of a pair of kinds in this process from which on linking them has paid."""
_games_played: Counter[tuple[str, Kernel, Kernel]] = Counter()


def is_worth_linking(game: Game, a: Kind, b: Kind, games: int) -> bool:
    """Return whether two kinds of player play often enough to compile a kernel for the pair.

    ``games`` games are added to the number that they have played.
    """
    pair = game.name, a.choose, b.choose
    _games_played[pair] += games
    return _games_played[pair] >= LINKED_FROM


def _play_abreast(game: Game, group: Group, rows: np.ndarray, matches: ScoreSheet) -> None:
    """Play matches within a group of entrants, several games at once.

    The kernel is :func:`tournaments.arena.lanes.play_matches_abreast`.

    Args:
        game: the game.
        group: the entrants.
        rows: the rows of both entrants of each match.
        matches: the seeds, and room for the outcomes.
    """
    assert group.kind.abreast is not None
    lanes = max(1, min(matches.outcomes[..., 0].size, group.kind.abreast.lanes(group.parameters)))
    memory = group.kind.abreast.memory(game, group.parameters, lanes)
    play = build(play_matches_abreast, hooks_abreast(game, group.kind))
    play(game.board, empty_lanes(game, lanes), Side(group.parameters, memory, rows), matches)


def _play_by_address(
    game: Game, groups: tuple[Group, Group], rows: np.ndarray, matches: ScoreSheet
) -> None:
    """Play matches between two groups, whose kernels are compiled apart and called by address.

    The kernel is :func:`play_matches_by_address`.

    Args:
        game: the game.
        groups: both groups.
        rows: the rows of both entrants of each match.
        matches: the seeds, and room for the outcomes.
    """
    state, streams = empty_position(game)
    addresses = np.empty((2, 2), dtype=np.int64)
    records = []  # as long as these are kept, their addresses stand
    for side, group in enumerate(groups):
        memory = group.kind.memory(game, group.parameters)
        seen = np.zeros_like(state)
        record = Seated(game.board, state, seen, streams[side], group.parameters, memory)
        words = np.empty(_words(record), dtype=np.int64)
        build(lay_down)(record, words)
        records.append((record, words))
        turn = address_of(take_turn, hooks_of(game, group.kind), record)
        addresses[:, side] = turn, words.ctypes.data
    play = build(play_matches_by_address, game.hooks)
    sides = Called(addresses[0], addresses[1], np.ascontiguousarray(rows.T), streams)
    play(game.board, state, sides, matches)


def _words(record: Any) -> int:
    """Return the largest number of int64 words that a kernel's record takes."""
    if isinstance(record, tuple):
        return sum(map(_words, record))
    return 5 + 2 * record.ndim if isinstance(record, np.ndarray) else 1


def _play_linked(
    game: Game, groups: tuple[Group, Group], rows: np.ndarray, matches: ScoreSheet
) -> None:
    """Play matches between two groups in one kernel that is compiled for the pair of kinds.

    The kernel is :func:`play_matches`.

    Args:
        game: the game.
        groups: both groups.
        rows: the rows of both entrants of each match.
        matches: the seeds, and room for the outcomes.
    """
    sides = [
        Side(group.parameters, group.kind.memory(game, group.parameters), row)
        for group, row in zip(groups, np.ascontiguousarray(rows.T), strict=True)
    ]
    state, streams = empty_position(game)
    play = build(play_matches, hooks_for(game, *(group.kind for group in groups)))
    play(game.board, state, np.zeros_like(state), streams, *sides, matches)


def empty_position(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Allocate the array of a position of a game, and of the random stream of each seat."""
    return np.zeros(game.state_size, dtype=np.int16), np.zeros((2, 1), dtype=np.uint64)


def _play_readable(
    entrants: Entrants, pairs: np.ndarray, seeds: np.ndarray, outcomes: np.ndarray
) -> Iterator[Forfeit]:
    """Play matches move by move, fill ``outcomes`` and yield the forfeits match by match.

    A game is played when the caller takes the next forfeit.
    """
    games, columns = outcomes.shape[1:]
    policy = entrants.policy
    with closing(Timekeeper(policy.patience if policy else None)) as keeper:
        for number, pair in enumerate(map(tuple, pairs.tolist())):
            sides, seed = (entrants.player(pair[0]), entrants.player(pair[1])), int(seeds[number])
            for game in range(games):
                row = outcomes[number, game]
                verdict = policy.verdict(pair, seed, game) if policy else None
                if verdict is None:
                    try:
                        fill_row(row, entrants.game, sides, seed, game, keeper)
                        continue
                    except PlayerFault as fault:
                        if policy is None:
                            raise
                        verdict = Verdict(fault.seat, fault.ply, fault.cause, fault.line)
                row[:] = verdict.outcome(columns)
                yield Forfeit(number, game, *verdict, pair, seed)
