"""Tables for every repeated game: a move for the last moves, or for the state of a machine."""

from __future__ import annotations

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.linker import kernel
from tournaments.repeated.machines import Machine, begin, machine_with, memory, memory_one
from tournaments.repeated.rules import FIRST, MOVES, NONE
from tournaments.repeated.scripted import stage_of
from tournaments.rules import TableForm, TableOptions

DIGITS = 2
"""The place in a layout, after the seats' places, of the number of genes for the next state."""
MOST_DIGITS = ("1", "2", "3", "4")
MOST_STATES = 64

# --- memory-one ----------------------------------------------------------------------------------


@kernel
def choose_by_last(board, state, parameters, row, memory, stream):
    """Return the move that a table has for the last moves of both seats of a repeated game."""
    seat = np.int64(state[0])
    own = np.int64(state[state.size + FIRST + seat])
    other = np.int64(state[state.size + FIRST + 1 - seat])
    gene = 0 if own == NONE else 1 + own * np.int64(board[MOVES]) + other
    return np.int64(parameters.tables[row, parameters.layout[seat] + gene])


def _last_genes(game: Game, options: TableOptions) -> int:
    return 1 + len(stage_of(game).moves) ** 2


def _last_machine(game: Game, seat: int, table: np.ndarray, options: TableOptions) -> Machine:
    moves = len(stage_of(game).moves)
    certain = np.eye(moves)[np.asarray(table, dtype=np.int64)]
    return memory_one(certain[0], certain[1:].reshape(moves, moves, moves))


def _last_words(game: Game, gene: int, options: TableOptions) -> str:
    moves = stage_of(game).moves
    if gene == 0:
        return "nothing played yet"
    own, other = divmod(gene - 1, len(moves))
    return f"own {moves[own]} and the other's {moves[other]} last"


# --- finite-state --------------------------------------------------------------------------------


@kernel
def watch_for_next(board, state, action, parameters, row, memory):
    """Update the state of an evolved finite-state machine after a round of a repeated game.

    The genes of its state give the next state for the other's move.
    """
    if state[0] != 1:
        seat = 1 if action >= 0 else 0  # the second seat moved last
        moves = np.int64(board[MOVES])
        digits = parameters.layout[DIGITS]
        other = np.int64(state[state.size + FIRST + 1 - seat])
        gene = parameters.layout[seat] + memory[0] * (1 + moves * digits) + 1 + other * digits
        following = np.int64(0)
        for place in range(digits):
            following = following * moves + parameters.tables[row, gene + place]
        memory[0] = following


@kernel
def choose_by_state(board, state, parameters, row, memory, stream):
    """Return the move that the genes of an evolved finite-state machine give in its state."""
    width = 1 + np.int64(board[MOVES]) * parameters.layout[DIGITS]
    gene = parameters.layout[np.int64(state[0])] + memory[0] * width
    return np.int64(parameters.tables[row, gene])


def _state_genes(game: Game, options: TableOptions) -> int:
    moves, digits = len(stage_of(game).moves), int(options["digits"])
    if moves**digits > MOST_STATES:
        raise TournamentError(
            f"digits={digits} given, {moves**digits} states of a machine for {game.name}; at most "
            f"{MOST_STATES} are allowed"
        )
    return moves**digits * (1 + moves * digits)


def _state_machine(game: Game, seat: int, table: np.ndarray, options: TableOptions) -> Machine:
    moves, digits = len(stage_of(game).moves), int(options["digits"])
    rows = np.asarray(table, dtype=np.int64).reshape(moves**digits, -1)
    weights = moves ** np.arange(digits - 1, -1, -1)
    following = (rows[:, 1:].reshape(-1, moves, digits) * weights).sum(axis=2)
    return machine_with(np.eye(moves)[rows[:, 0]], following[:, None])


def _state_words(game: Game, gene: int, options: TableOptions) -> str:
    moves, digits = stage_of(game).moves, int(options["digits"])
    state, place = divmod(gene, 1 + len(moves) * digits)
    if place == 0:
        return f"the move of state {state}"
    move, digit = divmod(place - 1, digits)
    return f"digit {digit} of the state after state {state} and the other's {moves[move]}"


def _any_move(game: Game, genes: int) -> np.ndarray:
    return np.ones((genes, len(stage_of(game).moves)), dtype=bool)


FORMS = (
    TableForm(
        "memory-one",
        "a move for what both did last, and a first one",
        {},
        num_genes=_last_genes,
        legal=lambda game, seat, options: _any_move(game, _last_genes(game, options)),
        constants=lambda options: (),
        choose=choose_by_last,
        policy=_last_machine,
        describe=_last_words,
        fits=lambda game, genes: "memory-one" if genes == _last_genes(game, {}) else "",
    ),
    TableForm(
        "finite-state",
        "a machine: a move for each state, and the next state for each move of the other",
        {"digits": MOST_DIGITS},
        num_genes=_state_genes,
        legal=lambda game, seat, options: _any_move(game, _state_genes(game, options)),
        constants=lambda options: (int(options["digits"]),),
        choose=choose_by_state,
        policy=_state_machine,
        describe=_state_words,
        begin=begin,
        watch=watch_for_next,
        memory=memory,
    ),
)
