"""Exact play of cat and mouse: how soon the cat catches the mouse, or that it never does.

The positions (phase, cat, mouse) of one cat and one mouse, and the steps between them, are a graph
that :func:`tournaments.solver.retrograde.retrograde` solves: each position gets its number of plies
to the capture under best play, the cat as fast as possible and the mouse as late as possible. From
positions without a number the mouse is safe for ever. A side may be held to a fixed policy. What
the other side gains is then its exact best response.

A *phase* is a step of a round: the cat's steps of its turn, then the mouse's; 0 and 1 where both
make one. A *ply* is a step. A *policy* is a table int8 [cells, cells] of actions, by the cell of
the cat and the cell of the mouse; where both are one cell, or one is an obstacle, it is not read.

Tables are about placements alone. For the game from its start they are exact under both end rules:

* ``repetition``: who catches in fewer and fewer plies sees no placement twice, and who is safe for
  ever sees one twice in the end. So the cat wins exactly where the capture is forced.
* ``move-limit``: the cat wins exactly where the plies fit into its turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.games.cat_and_mouse.board import (
    CELLS,
    COLS,
    FIRST,
    LIMIT,
    NUMBER,
    PIECES,
    ROWS,
    SEATS,
    STARTS,
    STEPS,
    STEPS_A_TURN,
    beside,
    make_board,
)
from tournaments.kernels.linker import kernel
from tournaments.rules import HEADER
from tournaments.solver.graph import Graph
from tournaments.solver.retrograde import retrograde

NEVER = np.int32(2**31 - 1)
"""Stands in tables for a mouse that is not caught."""
# --- perfect play ------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def plies_to_capture(game: Game) -> np.ndarray:
    """Return the plies to the capture under best play of cat and mouse, from each placement.

    They are int32 ``[phases, cells, cells]``, by the cells of cat and mouse; NEVER if the mouse is
    never caught. A phase is a step of a side's turn.

    Raises:
        TournamentError: another game, or more than one cat or mouse.
    """
    check_solvable(game)
    return _solved(game, {})


def check_solvable(game: Game) -> None:
    """Raise if this module cannot solve a game: it solves one cat and one mouse.

    Raises:
        TournamentError: another game, or more than one cat or mouse.
    """
    is_ours = game.rules.board is make_board
    if not is_ours or list(game.board[NUMBER : NUMBER + 2]) != [1, 1]:
        raise TournamentError(
            f"{game.short_spec} cannot be solved here: exact play of a pursuit takes cat-and-mouse "
            "with one cat and one mouse, cats=1 and mice=1"
        )


def _solved(game: Game, fixed: dict[int, np.ndarray]) -> np.ndarray:
    """Return the plies to the capture of the mouse from each placement, as int32.

    The seats in ``fixed`` follow their policies, the others play best.
    """
    cells = int(game.board[CELLS])
    solution = retrograde(_graph(game, fixed))
    plies = np.where(solution.leads > 0, solution.plies, NEVER).reshape(-1, cells, cells)
    plies.flags.writeable = False
    return plies


def _graph(game: Game, fixed: dict[int, np.ndarray]) -> Graph:
    """Return the graph of all placements of a cat and a mouse and of the steps between them.

    Seats in ``fixed`` have only the steps of their policies.
    """
    board, neighbours = game.board, beside(game.board).astype(np.int32)
    cells, cat_phases = int(board[CELLS]), int(board[STEPS_A_TURN])
    phases = cat_phases + int(board[STEPS_A_TURN + 1])
    cats, mice = np.ogrid[:cells, :cells, :1][:2]
    steps = []
    for seat, there in enumerate((neighbours[:, None], neighbours[None])):
        taken = (there >= 0) & (cats != mice)
        if seat in fixed:
            taken &= fixed[seat][..., None] == np.arange(4)
        after = (cats * cells + there) if seat else (there * cells + mice)
        steps.append((taken.sum(axis=2), after[taken]))
    movers = [int(phase >= cat_phases) for phase in range(phases)]
    edges = [steps[seat][1] + (phase + 1) % phases * cells**2 for phase, seat in enumerate(movers)]
    first = np.cumsum([0, *np.ravel([steps[seat][0] for seat in movers])])
    states = np.zeros((phases, cells, cells, HEADER), dtype=np.int16)
    states[cat_phases:, ..., 0] = 1
    states[:, np.arange(cells), np.arange(cells)] = -1, 1, 0
    none = np.zeros(0, dtype=np.int16)  # no kernel of the solution reads slots and actions
    after = np.concatenate(edges).astype(np.int32)
    return Graph(states.reshape(-1, HEADER), none, first, none, after, counts_points=False)


def plies_from(state: State) -> int | None:
    """Return the plies to the capture of the mouse from a position, under best play of both.

    None means that the mouse is safe for ever. Placements seen earlier, and turns made, do not
    count.
    """
    plies = plies_to_capture(state.game)
    if state.is_over:
        return 0 if state.scores[0] else None
    cat, mouse = state.array[PIECES : PIECES + 2]
    return _known(plies[phase_of(state.game.board, state.array), cat, mouse])


def _known(plies: np.int32) -> int | None:
    return None if plies == NEVER else int(plies)


@kernel
def phase_of(board, state):
    """Return the phase of a position of cat and mouse: the number of the step within both turns.

    The game must not be over.
    """
    return state[0] * board[STEPS_A_TURN] + board[STEPS_A_TURN + state[0]] - state[STEPS]


def best_actions(game: Game, plies: np.ndarray, seat: int) -> np.ndarray:
    """Return the lowest best action of the cat or the mouse in each placement.

    A policy is the actions of the only step of a turn, such as
    ``best_actions(game, plies_to_capture(game), 0)[0]`` of the cat.

    Args:
        game: the game.
        plies: plies to the capture from each position, int32 [phases, cells, cells].
        seat: 0 the cat or 1 the mouse.

    Returns:
        Actions, int8 ``[steps, cells, cells]``; 0 where a placement has none.
    """
    board = game.board
    neighbours = beside(board)
    steps, first = int(board[STEPS_A_TURN + seat]), int(seat * board[STEPS_A_TURN])
    after = np.roll(plies, -1, axis=0)[first : first + steps].astype(np.int64)
    worth = np.moveaxis(np.take(after, neighbours.T, axis=1 + seat), 1 + seat, 0)
    closed = neighbours.T < 0
    refused = closed[:, None, :, None] if seat == 0 else closed[:, None, None, :]
    worst = np.int64(NEVER) + 1 if seat == 0 else -1
    worth = np.where(refused, worst, worth)
    return (worth.argmin(axis=0) if seat == 0 else worth.argmax(axis=0)).astype(np.int8)


# --- best responses ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BestResponse:
    """The best response to a policy of cat and mouse.

    Attributes:
        game: the game, played from its start.
        seat: the seat of the policy, 0 the cat or 1 the mouse.
        plies: plies to the capture against the best response; None: the mouse is never caught.
        table: plies to the capture from every position, int32 [phases, cells, cells].
        actions: a game of the policy and the response from the start. The game ends in the capture,
            or when a position recurs, since the play then repeats for ever.
        repeats_from: the ply whose position recurs at the end of ``actions``; None: the game ends
            in the capture.
    """

    game: Game
    seat: int
    plies: int | None
    table: np.ndarray
    actions: tuple[int, ...]
    repeats_from: int | None

    @property
    def winner(self) -> int:
        """The seat that wins between the policy and its best response under the game's end rule."""
        return winner_after(self.game, self.plies)

    def __str__(self) -> str:
        if self.plies is None:
            if self.seat:
                return "no cat ever catches this mouse"
            return f"a mouse escapes this cat for ever: from ply {self.repeats_from} it goes round"
        caught = "the best cat catches this mouse" if self.seat else "this cat catches every mouse"
        late = f", {plies_allowed(self.game)} being allowed" if self.winner else ""
        return f"{caught} within {self.plies} plies{late}"


def best_response(game: Game, policy: np.ndarray, seat: str) -> BestResponse:
    """Return the exact best response to a fixed policy of cat and mouse from the game's start.

    Args:
        game: cat and mouse with one of each.
        policy: int8 ``[cells, cells]``, an action for each cell of the cat and of the mouse.
        seat: ``cat`` or ``mouse``: whose policy it is.

    Returns:
        Against a cat: the plies within which it catches every mouse, or that a mouse escapes it for
        ever, with the game that shows it. Against a mouse: the plies in which the fastest cat
        catches it, or that none ever does.

    Raises:
        TournamentError: the game cannot be solved or draws its start, or the policy is not one for
            its board.
    """
    check_solvable(game)
    if game.board[STARTS : STARTS + 2].min() < 0:
        raise TournamentError(
            f"{game.short_spec} draws its start, and a best response is computed from one start: "
            "give cells, or corner, as cat_start and mouse_start"
        )
    number = _seat(seat)
    table = _solved(game, {number: checked_policy(game, policy, seat)})
    board = game.board
    phase = int(board[STEPS_A_TURN]) if board[FIRST] else 0
    plies = _known(table[phase, board[STARTS], board[STARTS + 1]])
    actions, repeats_from = _play_out(game, table, np.asarray(policy), number)
    return BestResponse(game, number, plies, table, actions, repeats_from)


def checked_policy(game: Game, policy: np.ndarray, seat: str) -> np.ndarray:
    """Return a policy of cat and mouse as int8 ``[cells, cells]`` after checking shape and steps.

    Raises:
        TournamentError: a table of another board's size, or a step off the board.
    """
    board, number = game.board, _seat(seat)
    rows, cols, cells = int(board[ROWS]), int(board[COLS]), int(board[CELLS])
    policy = np.asarray(policy)
    if policy.shape != (cells, cells) or policy.dtype.kind not in "iu":
        raise TournamentError(
            f"a {seat} policy of shape {policy.shape}, {policy.dtype}, given; {rows}x{cols} cells "
            f"take whole numbers of shape {(cells, cells)}"
        )
    neighbours = beside(board)
    cats, mice = np.indices(policy.shape)
    free = neighbours.max(axis=1) >= 0
    read = free[cats] & free[mice] & (cats != mice)
    stepped = neighbours[mice if number else cats, np.clip(policy, 0, 3)]
    wrong = read & ((policy < 0) | (policy > 3) | (stepped < 0))
    if wrong.any():
        cat, mouse = np.argwhere(wrong)[0]
        legal = np.flatnonzero(neighbours[(cat, mouse)[number]] >= 0)
        raise TournamentError(
            f"a {seat} policy with an illegal action, {policy[cat, mouse]}, given: with the cat on "
            f"{cat % cols}:{cat // cols} and the mouse on {mouse % cols}:{mouse // cols} of "
            f"{rows}x{cols} cells it must be one of {legal.tolist()}"
        )
    return policy.astype(np.int8)


def plies_allowed(game: Game) -> int:
    """Return the number of plies until the end of the cat's last turn.

    Without a move limit it is a number that no game reaches.
    """
    board = game.board
    if not board[LIMIT]:
        return int(NEVER) - 1
    cat, mouse = (int(steps) for steps in board[STEPS_A_TURN : STEPS_A_TURN + 2])
    return int(board[LIMIT]) * (cat + mouse) - (0 if board[FIRST] else mouse)


def winner_after(game: Game, plies: int | None) -> int:
    """Return the winning seat of cat and mouse, given the plies to the capture (None: never)."""
    return 0 if plies is not None and plies <= plies_allowed(game) else 1


def _seat(seat: str) -> int:
    if seat not in SEATS:
        raise TournamentError(f"seat={seat!r} given; 'cat' or 'mouse' is expected")
    return SEATS.index(seat)


def _play_out(
    game: Game, table: np.ndarray, policy: np.ndarray, seat: int
) -> tuple[tuple[int, ...], int | None]:
    """Return the actions of a game of cat and mouse between a policy and its best response.

    Args:
        game: one cat and one mouse.
        table: the plies to the capture from each placement, against the policy.
        policy: the policy.
        seat: the seat of the policy.

    Returns:
        The actions up to a capture or a repetition, and the number of the action from which the
        game repeats; None if it ends.
    """
    board = game.board
    cat_phases = int(board[STEPS_A_TURN])
    neighbours = beside(board)
    answer = best_actions(game, table, 1 - seat)
    phase, places = (cat_phases if board[FIRST] else 0), [*map(int, board[STARTS : STARTS + 2])]
    actions: list[int] = []
    met: dict[tuple[int, ...], int] = {}
    while places[0] != places[1]:
        position = (phase, *places)
        if position in met:
            return tuple(actions), met[position]
        met[position] = len(actions)
        mover = int(phase >= cat_phases)
        step = phase - cat_phases * mover
        where = tuple(places)
        actions.append(int(policy[where] if mover == seat else answer[(step, *where)]))
        places[mover] = int(neighbours[places[mover], actions[-1]])
        phase = (phase + 1) % len(table)
    return tuple(actions), None
