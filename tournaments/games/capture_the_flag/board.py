"""The boards of capture the flag: what a user may choose, and the constants of its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.maze import AGENTS, DIRECTIONS, Maze, maze_of, random_maze
from tournaments.kernels.chance import STREAM, STREAM_SIZE
from tournaments.kernels.linker import kernel
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
FOLDER = Path(__file__).with_name("layouts")
LAYOUTS = {file.stem: file.read_text(encoding="utf-8") for file in sorted(FOLDER.glob("*.txt"))}
"""The texts of the mazes that have names."""

# Places in the record of a maze: sizes, moves of a game, dots of a half, the first cell of each
# agent; then RECORD numbers a cell: the cells beside it, its column and row, its dot and half. A
# board array has the record of one maze, or of several of one size.
WIDTH, HEIGHT, CELLS, MOVES, DOTS_EACH, STARTS, CELL = 0, 1, 2, 3, 4, 5, 9
RECORD, COLUMN, ROW, DOT, HALF = 8, 4, 5, 6, 7
# Places in the state array, after the header and the stream: the agent to move, moves left, which
# agents the last move sent home (bit a: agent a), the cell of each agent, the direction that it
# last moved in, its noisy distances to the first and the second enemy, then 1 for each dot left;
# where the board has several mazes, the number of the maze in play is the last one.
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
DRAWN = "drawn"
"""The option ``maze`` of a game that draws its maze as it starts."""
MAZES = 64
"""Mazes of which such a game draws one."""


@dataclass(frozen=True)
class Options:
    """What a user may choose.

    Attributes:
        maze: ``drawn``: each game draws one of :data:`MAZES`; the seed of a random one, from 0; the
            name of a layout; or a text file.
        width, height: of a drawn or random maze: 30x15 unless they are given.
        dots: of each half of a drawn or random maze: 20 unless they are given.
        moves: after so many, of all agents together, the game ends.
    """

    maze: int | str = DRAWN
    width: int = 0
    height: int = 0
    dots: int = 0
    moves: int = 3000


def ground(options: Mapping[str, int | str]) -> str:
    """Return in which mazes games take place, in words."""
    if options["maze"] == DRAWN:
        return f"the {MAZES} mazes of which each game draws one"
    return f"maze {options['maze']}"


def make_board(**chosen: int | str) -> np.ndarray:
    """Constants of a board, int16.

    Raises:
        TournamentError: options that make no game; the message says how to mend them.
    """
    options = Options(**chosen)  # type: ignore[arg-type]
    _check_number("moves", options.moves, 1, 30_000)
    mazes = make_mazes(options)
    return np.concatenate([_record(maze, options.moves) for maze in mazes]).astype(np.int16)


def _record(maze: Maze, moves: int) -> np.ndarray:
    """Return the numbers of a maze in a board."""
    head = (maze.width, maze.height, len(maze.columns), moves, len(maze.dots) // 2)
    dot = np.full(len(maze.columns), -1)
    dot[list(maze.dots)] = np.arange(len(maze.dots))
    half = maze.columns >= maze.width // 2
    cells = np.column_stack([maze.neighbours, maze.columns, maze.rows, dot, half])
    return np.array([*head, *maze.starts, *cells.ravel()])


def make_mazes(options: Options) -> list[Maze]:
    """Return the maze that the options name, or all mazes of which a game draws one.

    Raises:
        TournamentError: options that name no maze.
    """
    given = {name: getattr(options, name) for name in SIZE_BY_SEED if getattr(options, name) != 0}
    if isinstance(options.maze, str) and options.maze != DRAWN:
        if given:
            name, value = next(iter(given.items()))
            raise TournamentError(
                f"capture-the-flag: {name}={value} given with maze={options.maze}, which has a "
                f"size and dots of its own; leave {name} out, or give a number as maze, a seed"
            )
        return [maze_of(_layout(options.maze), f"capture-the-flag: maze={options.maze}")]
    if options.maze != DRAWN:
        _check_number("maze", options.maze, 0, 2**31)
    size = {**SIZE_BY_SEED, **given}
    _check_number("width", size["width"], 10, 62, "2 more than a multiple of 4", 4)
    _check_number("height", size["height"], 5, 31, "odd", 2)
    _check_number("dots", size["dots"], 1, 1000)
    is_drawn = options.maze == DRAWN
    seeds = range(MAZES) if is_drawn else (int(options.maze),)
    return [random_maze(seed, **size, who="capture-the-flag", is_drawn=is_drawn) for seed in seeds]


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
        return LAYOUTS[name]
    try:
        return read_named(name, MOST_LAYOUT).decode()
    except TournamentError:
        raise
    except (OSError, UnicodeDecodeError, ValueError):
        raise TournamentError(
            f"capture-the-flag: maze={name} given; {DRAWN}, a seed from 0, {', '.join(LAYOUTS)} "
            "or a text file that can be read is expected"
        ) from None


@kernel
def has_one_maze(board):
    """Whether a board has one maze alone."""
    return board.size == CELL + RECORD * np.int64(board[CELLS])


@kernel
def maze_begins(board, state):
    """Return the place in a board where the record of the maze begins in which a game is played."""
    if has_one_maze(board):
        return np.int64(0)
    return (CELL + RECORD * np.int64(board[CELLS])) * np.int64(state[state.size - 1])


def cells_of(maze: np.ndarray) -> np.ndarray:
    """The records of all cells of a maze, int16 ``[C, RECORD]``."""
    return maze[CELL : CELL + RECORD * int(maze[CELLS])].reshape(-1, RECORD)


def neighbours_of(maze: np.ndarray) -> np.ndarray:
    """The cells beside each, int16 ``[C, 4]``, see :attr:`.maze.Maze.neighbours`."""
    return np.ascontiguousarray(cells_of(maze)[:, :COLUMN])


def state_size(board: np.ndarray) -> int:
    """The header, the stream, the agents, a number a dot, and that of a drawn maze."""
    return DOTS + 2 * int(board[DOTS_EACH]) + (not has_one_maze(board))
