"""Cat and mouse: the cat must step onto the mouse, the mouse must stay free for long enough.

Both move in turn on a grid, one cell right, left, up or down. Standing still is not allowed. The
cat wins if the two meet, whichever of them moved (Kennedy, "Using Optimization to Solve
Adversarial Problems", Towards Data Science). The mouse wins by one of two rules:

* ``repetition``: a placement of the pieces recurs. The start counts as seen, the placement after
  the cat's opening move does not, which is the rule of the study's first program.
* ``move-limit``: the cat has had ``limit`` turns, by default 2 x (rows + cols).

Extensions of the study's programs: obstacles; two steps a turn for a side, where a meeting after
either step counts; two cats, or two mice that must both be caught. A side moves one of its
pieces at each step, and its pieces may share a cell.

Cells are numbered ``y*cols + x`` and written ``x:y``, y from the bottom. Actions: right 0, left 1,
up 2, down 3, and 4 more for a side's second piece.

State: header (seat 0 is the cat), turns begun, steps left in this turn, a cell for each cat and
then each mouse (-1: caught), and under ``repetition`` the set of placements seen, as bits.

A text board ends in the side to move and the turns, and the placements seen::

    . . M
    . # .
    C . .

    cat to move, turns 0
    seen: 0:0-2:2
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.cat_and_mouse.board import (
    BITS,
    CELLS,
    COLS,
    DUEL,
    FIRST,
    LIMIT,
    MOST_TURNS,
    NUMBER,
    PIECES,
    ROWS,
    SEATS,
    SIDES,
    STARTS,
    STEPS,
    STEPS_A_TURN,
    TABLE,
    TURNS,
    beside,
    draw_starts,
    num_pieces,
    place_of,
    seen_before,
    state_size,
)
from tournaments.kernels.linker import kernel

DIRECTIONS = ("right", "left", "up", "down")

# --- the rules ---------------------------------------------------------------------------------


@kernel
def start(board, state, seed):
    """Set up cat and mouse: the pieces on their starts, given or drawn.

    The start counts as a placement that was seen.
    """
    state[:] = 0
    state[0] = board[FIRST]
    state[STEPS] = board[STEPS_A_TURN + board[FIRST]]
    for piece in range(board[NUMBER] + board[NUMBER + 1]):
        state[PIECES + piece] = board[STARTS + piece]
    if board[STARTS] < 0 or board[STARTS + board[NUMBER]] < 0:
        draw_starts(board, state, seed)
    if board[LIMIT] == 0:
        seen_before(board, state)


@kernel
def legal(board, state, actions):
    """List the legal steps in cat and mouse of the mover's pieces that are not caught.

    Returns:
        The number of actions.
    """
    if board[DUEL]:
        cell = np.uint64(TABLE + 4 * np.int64(state[np.uint64(PIECES + state[0])]))
        free = np.uint64(0)
        for direction in range(np.uint64(4)):
            actions[free] = direction
            free += np.uint64(board[cell + direction] >= 0)
        return np.int64(free)
    first = PIECES + state[0] * board[NUMBER]
    count = 0
    for piece in range(board[NUMBER + state[0]]):
        cell = state[first + piece]
        if cell >= 0:
            for direction in range(4):
                actions[count] = 4 * piece + direction
                count += board[TABLE + 4 * cell + direction] >= 0
    return count


@kernel
def play(board, state, action):
    """Play a step of a cat or a mouse in cat and mouse.

    Caught mice are removed, and the game ends if a side has won. ``action`` is the direction, plus
    4 for the second piece of a side.
    """
    if board[DUEL]:
        play_in_duel(board, state, action)
    else:
        play_among_many(board, state, action)


@kernel
def play_in_duel(board, state, action):
    """Play a step in a game of one cat and one mouse that make one step a turn.

    The branch on the mover comes first: places that do not depend on it are read without waiting.
    """
    turns = state[TURNS] + (state[TURNS] < MOST_TURNS)
    state[TURNS] = turns
    has_limit = board[LIMIT] > 0
    if state[0] == 0:
        there = board[np.uint64(TABLE + 4 * np.int64(state[PIECES]) + action)]
        state[0] = 1
        state[PIECES] = there
        caught = there == state[PIECES + 1]
        lost = has_limit and (turns + 1) >> 1 == board[LIMIT]
        is_opening = turns == 1
    else:
        there = board[np.uint64(TABLE + 4 * np.int64(state[PIECES + 1]) + action)]
        state[0] = 0
        state[PIECES + 1] = there
        caught = there == state[PIECES]
        lost = False
        is_opening = False
    if not (has_limit or caught or is_opening):
        lost = seen_before(board, state)
    if caught or lost:
        state[0] = -1
        state[1] = caught
        state[2] = not caught
        state[STEPS] = 0
        if caught:
            state[PIECES + 1] = -1


@kernel
def play_among_many(board, state, action):
    """Play a step in a game of cat and mouse with any number of pieces and steps a turn."""
    seat = state[0]
    moved = PIECES + seat * board[NUMBER] + action // 4
    state[moved] = board[TABLE + 4 * state[moved] + action % 4]
    caught, free = catch(board, state)
    state[STEPS] -= 1
    if free > 0 and caught and board[LIMIT] == 0:  # no placement of more mice can recur
        for word in range(PIECES + board[NUMBER] + board[NUMBER + 1], state.size):
            state[word] = 0
    if free > 0 and state[STEPS] > 0:
        return
    state[TURNS] += state[TURNS] < MOST_TURNS
    if free == 0:
        state[0] = -1
        state[1] = 1
        state[STEPS] = 0
        return
    state[0] = 1 - seat
    state[STEPS] = board[STEPS_A_TURN + 1 - seat]
    if board[LIMIT] > 0:
        lost = seat == 0 and (state[TURNS] + 1) // 2 == board[LIMIT]
    else:
        is_opening = seat == 0 and state[TURNS] == 1
        lost = False if is_opening else seen_before(board, state)
    if lost:
        state[0] = -1
        state[2] = 1
        state[STEPS] = 0


@kernel
def catch(board, state):
    """Remove the mice that share a cell with a cat from a position of cat and mouse.

    Returns:
        Whether there were any, and the number of mice that are left.
    """
    cats = board[NUMBER]
    caught = False
    free = 0
    for mouse in range(PIECES + cats, PIECES + cats + board[NUMBER + 1]):
        for cat in range(PIECES, PIECES + cats):
            if state[cat] == state[mouse]:
                state[mouse] = -1
                caught = True
        free += state[mouse] >= 0
    return caught, free


@kernel
def measure(board, state):
    """Return the number of steps between cats and nearest free mouse, the measure of the game.

    It is 0 if no mouse is free.
    """
    cats = board[NUMBER]
    nearest = np.int64(board[CELLS])
    free = 0
    for mouse in range(PIECES + cats, PIECES + cats + board[NUMBER + 1]):
        if state[mouse] >= 0:
            free += 1
            mouse_x, mouse_y = place_of(board, state[mouse])
            for cat in range(PIECES, PIECES + cats):
                x, y = place_of(board, state[cat])
                nearest = min(nearest, abs(x - mouse_x) + abs(y - mouse_y))
    return nearest if free > 0 else 0


# --- text --------------------------------------------------------------------------------------

LETTERS = ("CDB", "MNO")
"""Of each side: its first piece, its second, both in one cell."""
EMOJI = str.maketrans(".#CDBMNO", "⬜🧱🐱😺😻🐭🐹🐁")


def _rows(board: np.ndarray, state: np.ndarray) -> list[str]:
    """Return a position of cat and mouse as the rows of its cells, top first, a letter a cell."""
    cols, free = int(board[COLS]), beside(board).max(axis=1) >= 0
    shown = ["." if cell else "#" for cell in free]
    placed = list(state[PIECES : PIECES + num_pieces(board)])
    cats = int(board[NUMBER])
    for letters, side in zip(LETTERS, (placed[:cats], placed[cats:]), strict=True):
        for cell in {*side} - {-1}:
            which = sum(1 << piece for piece, other in enumerate(side) if other == cell)
            shown[cell] = letters[which - 1]
    return ["".join(shown[y * cols : (y + 1) * cols]) for y in reversed(range(board[ROWS]))]


def emoji(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of cat and mouse as emoji, without further text.

    A cell is two characters wide.
    """
    return "\n".join(_rows(board, state)).translate(EMOJI)


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of cat and mouse as text: the board, the mover, the placements seen."""
    status = f"{SEATS[state[0]]} to move" if state[0] >= 0 else f"{SEATS[state[2]]} wins"
    status += f", turns {state[TURNS]}"
    if board[SIDES] == 2 and state[0] >= 0:
        status += f", steps {state[STEPS]}"
    seen = list(_seen(board, state))
    lines = ["seen: " + " ".join(seen[some : some + 10]) for some in range(0, len(seen), 10)]
    return "\n".join([*(" ".join(row) for row in _rows(board, state)), "", status, *lines])


def _seen(board: np.ndarray, state: np.ndarray) -> Iterator[str]:
    """Yield the placements seen in a game of cat and mouse: ``0:0-6:7``, cells of the pieces.

    The mover is added if a placement does not determine it.
    """
    bits = state[PIECES + num_pieces(board) :, None] >> np.arange(BITS) & 1
    for place in np.flatnonzero(bits).tolist():
        number, side = divmod(place, int(board[SIDES]))
        cells = np.unravel_index(number, (board[CELLS],) * num_pieces(board))
        names = "-".join(f"{cell % board[COLS]}:{cell // board[COLS]}" for cell in cells)
        yield names + (f"/{SEATS[side]}" if board[SIDES] == 2 else "")


_STATUS = re.compile(r"(?:(cat|mouse) to move|(cat|mouse) wins), turns (\d+)(?:, steps ([12]))?")


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of cat and mouse that a text shows.

    The text is of the form that :func:`text` returns.

    Raises:
        TournamentError: a line that does not fit the board, or those above it.
    """
    rows = int(board[ROWS])
    lines = [line.strip() for line in picture.strip("\n").split("\n")]
    status = _STATUS.fullmatch(lines[rows + 1]) if len(lines) > rows + 1 else None
    if status is None or lines[rows] or int(status[3]) > MOST_TURNS:
        raise TournamentError(
            f"not a board of {rows} rows: so many lines of cells, an empty one and a line such as "
            "'cat to move, turns 0' are expected"
        )
    state = np.zeros(state_size(board), dtype=np.int16)
    _place(board, state, lines[:rows])
    mice_left = state[PIECES + board[NUMBER] : PIECES + num_pieces(board)].max() >= 0
    if mice_left == (status[2] == "cat"):
        raise TournamentError(f"{lines[rows + 1]!r} does not fit the mice above it")
    state[TURNS] = int(status[3])
    if status[1]:
        state[0] = SEATS.index(status[1])
        state[STEPS] = min(int(status[4] or 1), board[STEPS_A_TURN + state[0]])
    else:
        state[0], state[1 + SEATS.index(status[2])] = -1, 1
    _note(board, state, [word for line in lines[rows + 2 :] for word in line.split()])
    return state


def _place(board: np.ndarray, state: np.ndarray, lines: list[str]) -> None:
    """Put the pieces of cat and mouse on the cells where the lines of a text show them."""
    state[PIECES : PIECES + num_pieces(board)] = -1
    bare = state.copy()
    for y, line in enumerate(reversed(lines)):
        for x, letter in enumerate(line.split()):
            for seat, letters in enumerate(LETTERS):
                for piece in range(2):
                    if letters.find(letter) + 1 >> piece & 1 and piece < board[NUMBER + seat]:
                        state[PIECES + seat * board[NUMBER] + piece] = y * board[COLS] + x
    shown = ["".join(line.split()) for line in lines]
    if state.max() >= board[CELLS] or shown != _rows(board, state) or state[PIECES] < 0:
        expected = "\n".join(_rows(board, bare))
        raise TournamentError(
            "these lines are not a position of this board, which has each cat once and each mouse "
            f"at most once (second pieces are D and N, two in a cell B and O):\n{expected}"
        )


def _note(board: np.ndarray, state: np.ndarray, words: list[str]) -> None:
    """Mark the placements that a text names, such as ``0:0-6:7``, as seen in a position."""
    placements = [word for word in words if word != "seen:"]
    try:
        for word in placements:
            number = 0
            for x, y in re.findall(r"(\d+):(\d+)", word):
                number = number * int(board[CELLS]) + int(y) * int(board[COLS]) + int(x)
            side = board[SIDES] == 2 and word.endswith("/mouse")
            number = number * int(board[SIDES]) + int(side)
            state[PIECES + num_pieces(board) + number // BITS] |= 1 << number % BITS
        fits = sorted(_seen(board, state)) == sorted(placements)
    except IndexError:
        fits = False
    if not fits:
        raise TournamentError(
            f"the placements seen, {' '.join(words)!r}, do not fit the board: such as 'seen: "
            f"{'/'.join(['-'.join(['0:0'] * num_pieces(board)), *SEATS[: board[SIDES] - 1]])}' are "
            "expected under end=repetition, none under end=move-limit"
        )


def describe(board: np.ndarray, action: int) -> str:
    """Return the name of an action of cat and mouse: ``right``, or ``second right``.

    ``second`` means the step of a side's second piece.
    """
    return ("second " if action >= 4 else "") + DIRECTIONS[action % 4]
