"""The boards of capture the flag: what a user may choose, and the constants of its rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.maze import AGENTS, DIRECTIONS, Maze, maze_of, random_maze
from tournaments.kernels.chance import STREAM, STREAM_SIZE
from tournaments.named_files import read_named

SEATS = ("red", "blue")
AGENT_NAMES = ("red 1", "blue 1", "red 2", "blue 2")
"""In the order of moves; an agent's team is its number modulo 2, the other of its team 2 away."""
ACTIONS = (*DIRECTIONS, "stay")
STAY = 4
SIGHT = 5
"""Squares, of columns and rows together, within which an agent sees an enemy."""
NOISE = 6
"""The most by which a noisy distance is off, to either side."""
LAYOUTS = {
    "small": """
############
#3  . #   2#
# ## .  ## #
#  . ## .  #
# ##  . ## #
#1   # .  4#
############
"""
}

# Places in the board array: sizes, moves of a game, dots of a half, the first cell of each agent;
# then a record of RECORD numbers a cell: the cells beside it, its column and row, its dot and half.
WIDTH, HEIGHT, CELLS, MOVES, DOTS_EACH, STARTS, CELL = 0, 1, 2, 3, 4, 5, 9
RECORD, COLUMN, ROW, DOT, HALF = 8, 4, 5, 6, 7
# Places in the state array, after the header and the stream: the agent to move, moves left, which
# agents the last move sent home (bit a: agent a), the cell of each agent, the direction that it
# last moved in, its noisy distances to the first and the second enemy, then 1 for each dot left.
MOVER = STREAM + STREAM_SIZE
MOVES_LEFT, SENT, PLACE = MOVER + 1, MOVER + 2, MOVER + 3
FACING = PLACE + AGENTS
HEARD = FACING + AGENTS
DOTS = HEARD + 2 * AGENTS
UNSEEN = -1
"""In a view: in place of the cell and the direction of an enemy that is not seen."""
UNHEARD = -100
"""In a view: in place of the enemy's noisy distances."""
MOST_LAYOUT = 1 << 20
"""Bytes of a text file of a maze."""
SIZE_BY_SEED = {"width": 30, "height": 15, "dots": 20}


@dataclass(frozen=True)
class Options:
    """What a user may choose.

    Attributes:
        maze: the seed of a random one, from 0; the name of a layout; or a text file.
        width, height: of a random maze: 30x15 unless they are given.
        dots: of each half of a random maze: 20 unless they are given.
        moves: after so many, of all agents together, the game ends.
    """

    maze: int | str = 1
    width: int = 0
    height: int = 0
    dots: int = 0
    moves: int = 3000


def make_board(**chosen: int | str) -> np.ndarray:
    """Constants of a board, int16.

    Raises:
        TournamentError: options that make no game; the message says how to mend them.
    """
    options = Options(**chosen)  # type: ignore[arg-type]
    _check_number("moves", options.moves, 1, 30_000)
    maze = make_maze(options)
    head = (maze.width, maze.height, len(maze.columns), options.moves, len(maze.dots) // 2)
    return np.array([*head, *maze.starts, *np.ravel(_records(maze))], dtype=np.int16)


def _records(maze: Maze) -> np.ndarray:
    """A record a cell, int16 ``[C, RECORD]``."""
    dot = np.full(len(maze.columns), -1)
    dot[list(maze.dots)] = np.arange(len(maze.dots))
    half = maze.columns >= maze.width // 2
    return np.column_stack([maze.neighbours, maze.columns, maze.rows, dot, half])


def make_maze(options: Options) -> Maze:
    """The maze that a user asks for.

    Raises:
        TournamentError: there is none.
    """
    given = {name: getattr(options, name) for name in SIZE_BY_SEED if getattr(options, name) != 0}
    if isinstance(options.maze, str):
        if given:
            name, value = next(iter(given.items()))
            raise TournamentError(
                f"capture-the-flag: {name}={value} given with maze={options.maze}, which has a "
                f"size and dots of its own; leave {name} out, or give a number as maze, a seed"
            )
        return maze_of(_layout(options.maze), f"capture-the-flag: maze={options.maze}")
    _check_number("maze", options.maze, 0, 2**31)
    size = {**SIZE_BY_SEED, **given}
    _check_number("width", size["width"], 10, 62, "2 more than a multiple of 4", 4)
    _check_number("height", size["height"], 5, 31, "odd", 2)
    _check_number("dots", size["dots"], 1, 1000)
    return random_maze(int(options.maze), **size, who="capture-the-flag")


def _check_number(
    name: str, value: object, low: int, high: int, kind: str = "", step: int = 1
) -> None:
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or not low <= value <= high or (value - low) % step:  # type: ignore[operator]
        also = f" ({kind})" if kind else ""
        raise TournamentError(
            f"capture-the-flag: {name}={value!r} given; a whole number from {low} to {high}{also} "
            "is expected"
        )


def _layout(name: str) -> str:
    """The text of a layout by its name, or of a file."""
    if name in LAYOUTS:
        return LAYOUTS[name].strip("\n")
    try:
        return read_named(name, MOST_LAYOUT).decode()
    except TournamentError:
        raise
    except (OSError, UnicodeDecodeError, ValueError):
        raise TournamentError(
            f"capture-the-flag: maze={name} given; a seed from 0, one of {', '.join(LAYOUTS)}, or "
            "a text file that can be read is expected"
        ) from None


def cells_of(board: np.ndarray) -> np.ndarray:
    """The records of all cells, int16 ``[C, RECORD]``."""
    return board[CELL:].reshape(-1, RECORD)


def neighbours_of(board: np.ndarray) -> np.ndarray:
    """The cells beside each, int16 ``[C, 4]``, see :attr:`.maze.Maze.neighbours`."""
    return np.ascontiguousarray(cells_of(board)[:, :COLUMN])


def state_size(board: np.ndarray) -> int:
    """The header, the stream, the agents, and a number a dot."""
    return DOTS + 2 * int(board[DOTS_EACH])


def num_actions(board: np.ndarray) -> int:
    """Four directions, and staying."""
    return len(ACTIONS)
