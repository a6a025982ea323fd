"""The boards of capture the flag: the options of the game, and the constants of its rules."""

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
from tournaments.options import checked, option

SEATS = ("red", "blue")
AGENT_NAMES = ("red 1", "blue 1", "red 2", "blue 2")
"""In the order of moves; an agent's team is its number modulo 2, the other of its team 2 away."""
ACTIONS = (*DIRECTIONS, "stay")
STAY = 4
SIGHT = 5
"""Squares, of columns and rows together, within which an agent sees an enemy."""
NOISE = 6
"""Largest error of a noisy distance, in either direction."""
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
SIZES = {
    "width": (range(10, 63, 4), "2 more than a multiple of 4"),
    "height": (range(5, 32, 2), "odd"),
}
"""The sizes that mazes by a seed may have."""
MOST_SEED = 2**31
DRAWN = "drawn"
"""The option ``maze`` of a game that draws its maze as it starts."""
MAZES = 64
"""Mazes of which such a game draws one."""


@dataclass(frozen=True)
class Options:
    """Options of the game.

    Attributes:
        maze: drawn, one of :data:`MAZES` mazes that each game draws; a seed; the name of a layout;
            or a text file
        width: columns of a drawn or random maze; 0: 30
        height: rows of a drawn or random maze; 0: 15
        dots: dots of each half of a drawn or random maze; 0: 20
        moves: moves of all agents, after which the game ends
    """

    maze: int | str = option(DRAWN)
    width: int = option(0, low=0, high=62)
    height: int = option(0, low=0, high=31)
    dots: int = option(0, low=0, high=1000)
    moves: int = option(3000, low=1, high=30_000)


def ground(options: Mapping[str, int | str]) -> str:
    """Describe in words the maze or mazes of games of capture the flag with these options."""
    if options["maze"] == DRAWN:
        return f"the {MAZES} mazes of which each game draws one"
    return f"maze {options['maze']}"


def make_board(**chosen: int | str) -> np.ndarray:
    """Return the constants of a game of capture the flag, int16, one stretch of numbers per maze.

    Raises:
        TournamentError: options that make no game; the message says how to mend them.
    """
    options = checked(Options, "capture-the-flag: ", chosen)
    mazes = make_mazes(options)
    return np.concatenate([_record(maze, options.moves) for maze in mazes]).astype(np.int16)


def _record(maze: Maze, moves: int) -> np.ndarray:
    """Return a maze and the number of moves as the numbers by which a board stores them."""
    head = (maze.width, maze.height, len(maze.columns), moves, len(maze.dots) // 2)
    dot = np.full(len(maze.columns), -1)
    dot[list(maze.dots)] = np.arange(len(maze.dots))
    half = maze.columns >= maze.width // 2
    cells = np.column_stack([maze.neighbours, maze.columns, maze.rows, dot, half])
    return np.array([*head, *maze.starts, *cells.ravel()])


def make_mazes(options: Options) -> list[Maze]:
    """Return the maze that the options of a game name, or all mazes of which each game draws one.

    Raises:
        TournamentError: options that name no maze.
    """
    maze, is_drawn = options.maze, options.maze == DRAWN
    given = {name: getattr(options, name) for name in SIZE_BY_SEED if getattr(options, name) != 0}
    if not is_drawn and not (isinstance(maze, int) and 0 <= maze <= MOST_SEED):
        layout = _layout(str(maze))
        if given:
            name, value = next(iter(given.items()))
            raise TournamentError(
                f"capture-the-flag: {name}={value} given with maze={maze}, which has a size and "
                f"dots of its own; leave {name} out, or give a number as maze, a seed"
            )
        return [maze_of(layout, f"capture-the-flag: maze={maze}")]
    size = {**SIZE_BY_SEED, **given}
    for name, (numbers, kind) in SIZES.items():
        if size[name] not in numbers:
            raise TournamentError(
                f"capture-the-flag: {name}={size[name]} given; a whole number from {numbers[0]} to "
                f"{numbers[-1]} ({kind}) is expected"
            )
    seeds = range(MAZES) if is_drawn else (int(maze),)
    return [random_maze(seed, **size, who="capture-the-flag", is_drawn=is_drawn) for seed in seeds]


def _layout(name: str) -> str:
    """Return the text of a built-in maze with this name, or of the text file with this path."""
    if name in LAYOUTS:
        return LAYOUTS[name]
    try:
        return read_named(name, MOST_LAYOUT).decode()
    except TournamentError:
        raise
    except (OSError, UnicodeDecodeError, ValueError):
        raise TournamentError(
            f"capture-the-flag: maze={name} given; {DRAWN}, a seed from 0 to {MOST_SEED}, "
            f"{', '.join(LAYOUTS)} or a text file that can be read is expected"
        ) from None


@kernel
def has_one_maze(board):
    """Return whether a board of capture the flag has a single maze; if not, each game draws one."""
    return board.size == CELL + RECORD * np.int64(board[CELLS])


@kernel
def maze_begins(board, state):
    """Return the index in a board of capture the flag at which the maze of a game begins.

    ``state`` is a position of the game; it has the number of its maze.
    """
    if has_one_maze(board):
        return np.int64(0)
    return (CELL + RECORD * np.int64(board[CELLS])) * np.int64(state[state.size - 1])


def cells_of(maze: np.ndarray) -> np.ndarray:
    """Return the records (neighbours, place, dot, half) of all cells of a maze.

    They are int16 ``[C, RECORD]``.
    """
    return maze[CELL : CELL + RECORD * int(maze[CELLS])].reshape(-1, RECORD)


def neighbours_of(maze: np.ndarray) -> np.ndarray:
    """Return the cells next to each cell of a maze in four directions, int16 ``[C, 4]``.

    See :attr:`.maze.Maze.neighbours`.
    """
    return np.ascontiguousarray(cells_of(maze)[:, :COLUMN])


def state_size(board: np.ndarray) -> int:
    """Return the length of a position of capture the flag.

    It has the header, the stream, the agents, a number per dot and, if drawn, the maze's number.
    """
    return DOTS + 2 * int(board[DOTS_EACH]) + (not has_one_maze(board))
