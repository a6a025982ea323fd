"""Positions of capture the flag as text and emoji.

Red's agents are ``a`` and ``b``, blue's ``x`` and ``y``, and ``.`` is a dot. The letter of an agent
on a dot is a capital. A line per agent below the maze has its column and row from the upper left
corner, the direction of its last step, and its noisy distances to both enemies. ``?`` marks values
that a seat does not see. The number of a drawn maze follows these lines. The last line of a full
position is its stream of random numbers. The stream determines the noise, so the noisy distances
of a full position are not parsed::

    ############
    #b  . #   x#
    # ## .  ## #
    #  . ## .  #
    # ##  . ## #
    #a   # .  y#
    ############

    red 1 to move, 60 moves left, red 0, blue 0, sent home: nobody
    red 1 at 1:5 facing east, hears 18 4
    ...
    stream 0123456789abcdef
"""

from __future__ import annotations

import re

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.board import (
    ACTIONS,
    AGENT_NAMES,
    COLUMN,
    DOT,
    DOTS,
    DOTS_EACH,
    FACING,
    HALF,
    HEARD,
    HEIGHT,
    MOVER,
    MOVES,
    MOVES_LEFT,
    PLACE,
    ROW,
    SENT,
    UNHEARD,
    UNSEEN,
    WIDTH,
    cells_of,
    has_one_maze,
    maze_begins,
    state_size,
)
from tournaments.games.capture_the_flag.maze import AGENTS, DIRECTIONS
from tournaments.games.capture_the_flag.rules import hear
from tournaments.kernels.chance import STREAM, STREAM_SIZE, stream_line, take_stream_line

LETTERS = "axby"
"""Of the agents, in the order of moves."""
MAZE = "maze "
"""The prefix of the number of a drawn maze."""
STATUS = re.compile(
    r"(\w+ \d) (?:to move|next, game over), (\d+) moves left, red \d+, blue \d+, sent home: (.+)"
)
AGENT = re.compile(r" at (?:(\d+):(\d+) facing (\w+)|\?), hears (?:(-?\d+) (-?\d+)|\?)")


def _rows(board: np.ndarray, state: np.ndarray) -> list[str]:
    """Return a position of capture the flag as the rows of its maze, a letter a square."""
    cells = cells_of(board)
    has_dot = (cells[:, DOT] >= 0) & (state[DOTS + cells[:, DOT]] > 0)
    letters = np.full((board[HEIGHT], board[WIDTH]), "#")
    letters[cells[:, ROW], cells[:, COLUMN]] = np.where(has_dot, ".", " ")
    for agent in reversed(range(AGENTS)):
        cell = state[PLACE + agent]
        if cell >= 0:
            letter = LETTERS[agent].upper() if has_dot[cell] else LETTERS[agent]
            letters[cells[cell, ROW], cells[cell, COLUMN]] = letter
    return ["".join(row) for row in letters]


def _status(state: np.ndarray) -> str:
    sent = [name for agent, name in enumerate(AGENT_NAMES) if int(state[SENT]) >> agent & 1]
    over = "to move" if state[0] >= 0 else "next, game over"
    return (
        f"{AGENT_NAMES[state[MOVER]]} {over}, {state[MOVES_LEFT]} moves left, red {state[1]}, "
        f"blue {state[2]}, sent home: {' and '.join(sent) or 'nobody'}"
    )


def _agent(board: np.ndarray, state: np.ndarray, agent: int) -> str:
    where = hears = "?"
    if state[PLACE + agent] >= 0:
        record = cells_of(board)[state[PLACE + agent]]
        where = f"{record[COLUMN]}:{record[ROW]} facing {DIRECTIONS[state[FACING + agent]]}"
    first, second = state[HEARD + 2 * agent : HEARD + 2 * agent + 2]
    if first != UNHEARD:
        hears = f"{first} {second}"
    return f"{AGENT_NAMES[agent]} at {where}, hears {hears}"


def text(board: np.ndarray, state: np.ndarray) -> str:
    """Return a position of capture the flag as text: the maze, and below it scores and agents."""
    maze = board[maze_begins(board, state) :]
    shown = state.copy()
    if state[STREAM : STREAM + STREAM_SIZE].any():
        for seat in range(2):
            hear(maze, state, seat, shown)
    agents = [_agent(maze, shown, agent) for agent in range(AGENTS)]
    lines = [*_rows(maze, state), "", _status(state), *agents]
    if not has_one_maze(board):
        lines.append(f"{MAZE}{state[-1]}")
    stream = stream_line(state)
    return "\n".join([*lines, *([stream] if stream else [])])


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    """Return the position of capture the flag, or a team's view of one, that a text shows.

    The text is of the form that :func:`text` returns.

    Raises:
        TournamentError: lines that are not a position of this maze.
    """
    lines = [line.strip() for line in picture.strip().split("\n")]
    height = int(board[HEIGHT])
    try:
        state = _parsed(board, lines, height)
        has_stream = state[STREAM : STREAM + STREAM_SIZE].any()
        again = text(board, state).split("\n")
        if has_stream:  # the stream determines the noise; the lines are not read
            lines, again = ([line.split(", hears")[0] for line in each] for each in (lines, again))
        if again == lines and state[MOVES_LEFT] <= board[MOVES]:
            return state
    except (ValueError, IndexError, KeyError, TypeError, OverflowError):
        pass
    raise TournamentError(
        f"not a position of this maze: its {height} lines, an empty one, 'red 1 to move, 60 moves "
        "left, red 0, blue 0, sent home: nobody' and a line each agent as 'red 1 at 1:5 facing "
        "east, hears 18 4' are expected, as str(state) shows them"
    )


def _parsed(board: np.ndarray, lines: list[str], height: int) -> np.ndarray:
    """Return the position of capture the flag that the lines of a text show.

    The scores and the end of the game follow from the dots and the moves left. Lines that are not a
    position raise any exception. ``height`` is the number of rows of the maze.
    """
    state = np.zeros(state_size(board), dtype=np.int16)
    below = lines[height + 2 + AGENTS :]
    if not has_one_maze(board):
        state[-1] = int(below.pop(0).removeprefix(MAZE))
        if state[-1] < 0:
            raise ValueError
        board = board[maze_begins(board, state) :]
    where = {}
    for cell, (x, y, dot) in enumerate(cells_of(board)[:, [COLUMN, ROW, DOT]].tolist()):
        where[x, y] = cell
        if dot >= 0:
            state[DOTS + dot] = lines[y][x] in "." + LETTERS.upper()
    who, left, sent = STATUS.findall(lines[height + 1])[0]
    state[MOVER], state[MOVES_LEFT] = AGENT_NAMES.index(who), int(left)
    for name in sent.split(" and ") if sent != "nobody" else ():
        state[SENT] |= 1 << AGENT_NAMES.index(name)
    cells = cells_of(board)
    halves = cells[cells[:, DOT] >= 0, HALF]
    for seat in range(2):
        state[1 + seat] = board[DOTS_EACH] - state[DOTS : DOTS + len(halves)][halves != seat].sum()
    is_over = board[DOTS_EACH] in state[1:3] or state[MOVES_LEFT] == 0
    state[0] = -1 if is_over else state[MOVER] % 2
    for agent, line in enumerate(lines[height + 2 : height + 2 + AGENTS]):
        _read_agent(state, agent, line, where)
    if below:
        take_stream_line(below[-1], state)
        state[HEARD:DOTS] = UNHEARD
    return state


def _read_agent(
    state: np.ndarray, agent: int, line: str, where: dict[tuple[int, int], int]
) -> None:
    ((x, y, facing, first, second),) = AGENT.findall(line)
    state[PLACE + agent] = where[int(x), int(y)] if x else UNSEEN
    state[FACING + agent] = DIRECTIONS.index(facing) if x else UNSEEN
    heard = (int(first), int(second)) if first else (UNHEARD, UNHEARD)
    state[HEARD + 2 * agent : HEARD + 2 * agent + 2] = heard


def describe(board: np.ndarray, action: int) -> str:
    """Return the name of an action of capture the flag: a direction, or ``stay``."""
    return ACTIONS[action]


SHOWN = "#. " + LETTERS + LETTERS.upper()
RED_HALF, BLUE_HALF = (
    str.maketrans(SHOWN, pictures + 4 * agents)
    for pictures, agents in (("🟫🔸⬛", "🟥🔵"), ("🟫🔹⬛", "🔴🟦"))
)


def emoji(board: np.ndarray, state: np.ndarray) -> str:
    """Return the maze of capture the flag as emoji: ghosts are squares, pac-men discs.

    Each has its team's colour.
    """
    half = int(board[WIDTH]) // 2
    rows = _rows(board[maze_begins(board, state) :], state)
    return "\n".join(
        row[:half].translate(RED_HALF) + row[half:].translate(BLUE_HALF) for row in rows
    )
