"""Both sides of cat and mouse climb in turn, at compiled speed: the learner of the study "beaten".

What it does is told in :mod:`evo.studies.cat_and_mouse_beaten.study`. P stands for the number of
placements, ``cells * cells``, A for the size of the archive.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.cat_and_mouse.board import COLS, FIRST, LIMIT, beside
from tournaments.kernels.arithmetic import LN_2, exp
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below, draw, generator, seed_game


class Study(NamedTuple):
    """A learner in the midst of its work.

    Attributes:
        options: int64, see the numbers below.
        heat: float64: temperature at first, and rounds in which it halves.
        beside: int64 ``[cells, 4]``: the cell in each direction, -1 where there is none.
        tables: int8 ``[4 + 2A, P]``: the incumbents of the cat and of the mouse, the variant, the
            best variant, the archive of the cat, that of the mouse.
        measures: int64 ``[3, 3]``, of the incumbent, the variant and the best: wins, plies,
            distance; the greater, the better for the side that learns.
        turn: int64, see the numbers below.
        stream, chance: uint64 ``[1]``, of the variants and of the game in hand.
    """

    options: np.ndarray
    heat: np.ndarray
    beside: np.ndarray
    tables: np.ndarray
    measures: np.ndarray
    turn: np.ndarray
    stream: np.ndarray
    chance: np.ndarray


def begin(chosen: Mapping[str, Any], game: Game, purpose: str, seed: int) -> Study:
    """Before the first round: two tables of random legal actions.

    Args:
        chosen: the settings of the study, by name.
        game: what is played.
        purpose: of the stream that the tables are drawn from.
        seed: of that stream.
    """
    board = game.board
    next_to = beside(board).astype(np.int64)
    cells = len(next_to)
    tables = np.zeros((4 + 2 * chosen["archive"], cells * cells), dtype=np.int8)
    for side, seat in enumerate(pursuit.SEATS):
        wishes = generator(seed, f"{purpose} first {seat}").random((cells, cells, 4))
        legal = next_to[:, None] if side == 0 else next_to[None]
        tables[side] = np.where(legal >= 0, wishes, -1.0).argmax(axis=2).ravel()
    options = [int(chosen[name]) for name in OPTIONS]
    options += [chosen["starts"] == "any", board[FIRST], board[LIMIT], board[COLS]]
    return Study(
        np.array(options, dtype=np.int64),
        np.array([chosen["temperature"], chosen["half_life"]], dtype=np.float64),
        next_to,
        tables,
        np.zeros((3, 3), dtype=np.int64),
        np.zeros(8, dtype=np.int64),
        *np.zeros((2, 1), dtype=np.uint64),
    )


# --- kernels -----------------------------------------------------------------------------------

OPTIONS = (
    "candidates",
    "games",
    "changes",
    "turn_after",
    "drift",
    "archive",
    "panel",
    "jump_after",
    "most_changes",
)
"""What begins a study's options; then: games begin anywhere, who is first, the limit, columns."""
CANDIDATES, GAMES, CHANGES, TURN_AFTER, DRIFT, ARCHIVE, PANEL, JUMP_AFTER, MOST_CHANGES = range(9)
ANYWHERE, MOVES_FIRST, MOVE_LIMIT, WIDTH = range(9, 13)
VARIANT, BEST, ARCHIVED = 2, 3, 4
"""Rows of the tables, after the two incumbents."""
NOBODY = -1
"""Stands for the row of a random player."""
LEARNING, IN_TURN, STUCK, KEPT, ROUND, PLAYED = 0, 1, 2, 4, 6, 7
"""Of a turn: whose it is, its rounds; for each side rounds without a gain, and incumbents that were
put into its archive; rounds and games in all."""
UNIT = 2.0**-53
U11 = np.uint64(11)


@kernel
def climb(study, variant_seeds, game_seeds):
    """A round for each seed, uint64 ``[R]``; the study is changed in place."""
    turn, tables, measures = study.turn, study.tables, study.measures
    for index in range(variant_seeds.size):
        seed_game(study.stream, variant_seeds[index], 0)
        side = turn[LEARNING]
        games = measure(study, side, 0, game_seeds[index])
        for candidate in range(study.options[CANDIDATES]):
            vary(study, side)
            measure(study, VARIANT, 1, game_seeds[index])
            if candidate == 0 or compare(measures, 1, 2) > 0:
                copy_row(tables, VARIANT, BEST)
                copy_row(measures, 1, 2)
        turn[PLAYED] += games * (study.options[CANDIDATES] + 1)
        verdict = compare(measures, 2, 0)
        turn[STUCK + side] = 0 if verdict > 0 else turn[STUCK + side] + 1
        wins = measures[0, 0]
        if is_accepted(study, verdict, games):
            copy_row(tables, BEST, side)
            wins = measures[2, 0]
        turn[IN_TURN] += 1
        turn[ROUND] += 1
        if wins == games or turn[IN_TURN] == study.options[TURN_AFTER]:
            end_turn(study, side)


@kernel
def end_turn(study, side):
    """Put the incumbent into its archive, in place of the oldest; the other side learns."""
    room = study.options[ARCHIVE]
    if room > 0:
        row = ARCHIVED + side * room + study.turn[KEPT + side] % room
        copy_row(study.tables, side, row)
        study.turn[KEPT + side] += 1
    study.turn[LEARNING] = 1 - side
    study.turn[IN_TURN] = 0


@kernel
def is_accepted(study, verdict, games):
    """Whether the best variant becomes the incumbent."""
    taken = verdict > 0 or (verdict == 0 and study.options[DRIFT] == 1)
    if verdict < 0 and study.heat[0] > 0.0:
        # By the first measure that differs: wins in parts of all games, others of their own.
        at = 0
        while study.measures[0, at] == study.measures[2, at]:
            at += 1
        whole = games if at == 0 else max(abs(study.measures[0, at]), 1)
        loss = (study.measures[0, at] - study.measures[2, at]) / whole
        heat = study.heat[0] * exp(-LN_2 * (study.turn[ROUND] / study.heat[1]))
        luck = np.float64(np.int64(draw(study.stream) >> U11)) * UNIT
        taken = heat > 0.0 and luck < exp(-loss / heat)
    return taken


@kernel
def compare(measures, one, other):
    """1 where a row of measures is better than another, -1 where it is worse, 0 for equals."""
    verdict = 0
    for at in range(3):
        if verdict == 0:
            more = measures[one, at] - measures[other, at]
            verdict = 1 if more > 0 else -1 if more < 0 else 0
    return verdict


@kernel
def copy_row(array, row, into):
    """Overwrite a row of an array by another one."""
    for at in range(array.shape[1]):
        array[into, at] = array[row, at]


@kernel
def vary(study, side):
    """Write a copy of the incumbent into the variant, with cells changed to other legal actions."""
    options, tables = study.options, study.tables
    cells = study.beside.shape[0]
    copy_row(tables, side, VARIANT)
    left = options[CHANGES]
    if options[JUMP_AFTER] > 0:
        jumps = min(study.turn[STUCK + side] // options[JUMP_AFTER], 30)
        left = min(left << jumps, max(options[MOST_CHANGES], left))
    while left > 0:
        placement = below(study.stream, cells * cells)
        place = placement // cells if side == 0 else placement % cells
        action = below(study.stream, 4)
        if study.beside[place, action] >= 0 and action != tables[VARIANT, placement]:
            tables[VARIANT, placement] = action
            left -= 1


@kernel
def measure(study, row, into, seed):
    """Let a table of the learning side play the games of a round; return their number."""
    options, measures = study.options, study.measures
    side = study.turn[LEARNING]
    kept = min(study.turn[KEPT + 1 - side], options[ARCHIVE])
    against_tables = (1 + kept) * options[GAMES]
    games = against_tables + options[PANEL]
    for at in range(3):
        measures[into, at] = 0
    for number in range(games):
        seed_game(study.chance, seed, number)
        other = 1 - side
        if number >= against_tables:
            other = NOBODY
        elif number >= options[GAMES]:
            other = ARCHIVED + (1 - side) * options[ARCHIVE] + number // options[GAMES] - 1
        cat_row, mouse_row = (row, other) if side == 0 else (other, row)
        won, plies, distance = play(study, cat_row, mouse_row)
        measures[into, 0] += won if side == 0 else 1 - won
        measures[into, 1] += -plies if side == 0 else plies
        measures[into, 2] += -distance if side == 0 else distance
    return games


@kernel
def play(study, cat_row, mouse_row):
    """A game: whether the cat won, its plies, and the distance at the end."""
    options = study.options
    cells, width = study.beside.shape[0], options[WIDTH]
    cat, mouse = np.int64(0), np.int64(cells - 1)
    if options[ANYWHERE]:
        cat = mouse
        opening = cells // width + width
        while cat == mouse or (apart(cat, mouse, width) + opening) % 2 == 1:
            cat, mouse = below(study.chance, cells), below(study.chance, cells)
    mover = options[MOVES_FIRST]
    turns, plies = np.int64(0), np.int64(0)
    while cat != mouse and (mover == 1 or turns < options[MOVE_LIMIT]):
        if mover == 0:
            turns += 1
            cat = study.beside[cat, action_of(study, cat_row, cat, cat * cells + mouse)]
        else:
            mouse = study.beside[mouse, action_of(study, mouse_row, mouse, cat * cells + mouse)]
        mover = 1 - mover
        plies += 1
        if turns == options[MOVE_LIMIT]:
            mover = 0
    return np.int64(cat == mouse), plies, apart(cat, mouse, width)


@kernel
def action_of(study, row, place, placement):
    """What a table says; or any legal action."""
    if row != NOBODY:
        action = np.int64(study.tables[row, placement])
    else:
        action = below(study.chance, 4)
        while study.beside[place, action] < 0:
            action = below(study.chance, 4)
    return action


@kernel
def apart(cat, mouse, width):
    """Steps between two cells."""
    return abs(cat % width - mouse % width) + abs(cat // width - mouse // width)
