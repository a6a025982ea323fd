"""Mazes of capture the flag: from text, or made by a seed; and their graphs.

A maze is text, a letter a square: ``#`` (or ``%``, as in the layouts of Berkeley) is a wall, ``.``
a dot, a digit the start of an agent in the order of moves: ``1`` and ``3`` are red, ``2`` and ``4``
blue; in layouts of pelita they are ``a`` and ``b``, ``x`` and ``y``. The left half is red's, the
right one blue's.

Free squares are *cells*, numbered row by row from the upper left corner. Letters: C cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError
from tournaments.games.capture_the_flag.tracking.graph import MazeGraph, graph_of
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import generator

AGENTS = 4
WALLS = "#%"
PELITA = str.maketrans("axby", "1234")
DIRECTIONS = ("north", "east", "south", "west")
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""Columns and rows of a step in each direction."""
LARGEST = 64
"""Squares of a side."""
LOOPS = 0.15
"""Walls that are opened for loops, as a share of the rooms of a half."""
OPENED = 0.22
"""Walls that are opened in all, likewise, where mazes are to have as many free squares."""


@dataclass(frozen=True, eq=False)
class Maze(MazeGraph):
    """A maze: its graph, the starts and the dots.

    Attributes:
        starts: the cells of the four agents, in the order of moves.
        dots: the cells that have a dot at the start, in rising order.
    """

    starts: tuple[int, ...]
    dots: tuple[int, ...]

    def half(self, cell: int) -> int:
        """Return the team in whose half of the maze a cell lies: 0 for red, 1 for blue."""
        return int(self.columns[cell] >= self.width // 2)


# --- from text ---------------------------------------------------------------------------------


def maze_of(text: str, who: str) -> Maze:
    """Return the maze of capture the flag that a text shows, a letter per square.

    Raises:
        TournamentError: the maze cannot be played; the message begins with ``who``.
    """
    lines = [line.rstrip().translate(PELITA) for line in text.strip("\n").split("\n")]
    width = max(map(len, lines))
    squares = ["".join(line).ljust(width) for line in lines]
    _check_squares(squares, width, who)
    graph = graph_of(np.array([[square in WALLS for square in line] for line in squares]))
    letters = [squares[y][x] for y, x in zip(graph.rows, graph.columns, strict=True)]
    maze = Maze(
        **vars(graph),
        starts=tuple(letters.index(str(1 + agent)) for agent in range(AGENTS)),
        dots=tuple(cell for cell, letter in enumerate(letters) if letter == "."),
    )
    _check_maze(maze, who)
    return maze


def _wrong(who: str, why: str) -> TournamentError:
    return TournamentError(
        f"{who}: {why}; lines of '#' (walls, all around), '.' (dots), ' ' and one each of '1', '2',"
        " '3', '4' (starts: 1 and 3 in the left half, 2 and 4 in the right one) are expected"
    )


def _check_squares(squares: list[str], width: int, who: str) -> None:
    strange = sorted(set("".join(squares)) - {*WALLS, *". 1234"})
    if strange:
        raise _wrong(who, f"{strange[0]!r} stands in it")
    for digit in "1234":
        if "".join(squares).count(digit) != 1:
            raise _wrong(who, f"{digit!r} must stand in it exactly once")
    height = len(squares)
    if width % 2 or not 6 <= width <= LARGEST or not 3 <= height <= LARGEST:
        raise _wrong(
            who,
            f"{width}x{height} squares, where an even width from 6 and at most {LARGEST} of "
            "each are needed",
        )
    rim = [squares[0], squares[-1], *(line[0] + line[-1] for line in squares)]
    if set("".join(rim)) - {*WALLS}:
        raise _wrong(who, "it is open at its rim")


def _check_maze(maze: Maze, who: str) -> None:
    for agent, cell in enumerate(maze.starts):
        if maze.half(cell) != agent % 2:
            raise _wrong(who, f"'{1 + agent}' stands in the other team's half")
    if len(_reached(maze)) < len(maze.columns):
        raise _wrong(who, "some free squares cannot be reached")
    blue = sum(maze.half(cell) for cell in maze.dots)
    if not maze.dots or 2 * blue != len(maze.dots):
        red = len(maze.dots) - blue
        raise _wrong(who, f"{red} dots to the left and {blue} to the right; make them equal")


def _reached(maze: Maze) -> set[int]:
    """Return the cells of a maze that can be reached from the start of the first agent."""
    reached, layer = {maze.starts[0]}, [maze.starts[0]]
    for cell in layer:
        beside = {int(other) for other in maze.neighbours[cell] if other >= 0} - reached
        reached |= beside
        layer.extend(beside)
    return reached


# --- by a seed ---------------------------------------------------------------------------------


def random_maze(
    seed: int, width: int, height: int, dots: int, who: str, is_drawn: bool = False
) -> Maze:
    """Return the random maze of capture the flag of a seed, unchanged by half a turn.

    Red's half has rooms at odd columns and rows. A random walk with backtracking joins the rooms
    into a tree. Then some walls are opened at random, including those of most dead ends, so that
    there is a way around. Two to six passages lead to the other half. Dots lie at random.

    Args:
        seed: from 0.
        width: columns, 2 more than a multiple of 4.
        height: rows, odd.
        dots: the number of dots of each half.
        who: prefix of error messages.
        is_drawn: whether the maze is drawn by the game. Drawn mazes differ from the mazes of all
            seeds. Drawn mazes of one size have equally many free squares, so that a player's arrays
            fit all of them.

    Raises:
        TournamentError: more dots than there is room for.
    """
    purpose = "capture-the-flag drawn" if is_drawn else "capture-the-flag"
    rng = generator(seed, purpose, width, height)
    half = _carved(rng, width // 2, height, is_drawn)
    starts = (1, height - 2), (1, 1)
    free = [(x, y) for y, x in zip(*np.nonzero(half), strict=True) if (x, y) not in starts]
    if not 1 <= dots <= len(free):
        raise TournamentError(
            f"{who}: dots={dots} given; 1 to {len(free)} per half are expected in this maze"
        )
    letters = np.where(half, " ", "#")
    for place in rng.permutation(len(free))[:dots]:
        x, y = free[place]
        letters[y, x] = "."
    turned = letters[::-1, ::-1].copy()
    for agent, (x, y) in enumerate(starts):
        letters[y, x] = "13"[agent]
        turned[height - 1 - y, width // 2 - 1 - x] = "24"[agent]
    return maze_of("\n".join(map("".join, np.hstack([letters, turned]))), who)


def _carved(rng: np.random.Generator, width: int, height: int, is_exact: bool) -> np.ndarray:
    """Return which squares of red's half of a random maze are free, bool ``[height, width]``.

    Args:
        rng: the generator of the maze.
        width: columns of the half.
        height: rows of the maze.
        is_exact: open walls until a number of squares is free that the size alone decides.
    """
    free = np.zeros((height, width), dtype=bool)
    rooms = [(x, y) for y in range(1, height, 2) for x in range(1, width - 1, 2)]
    _join(rng, free, rooms)
    walls = [
        (x + dx, y + dy)
        for x, y in rooms
        for dx, dy in STEPS[1:3]
        if (x + 2 * dx, y + 2 * dy) in rooms and not free[y + dy, x + dx]
    ]
    ends = [wall for wall in walls if any(_is_end(free, *room) for room in _rooms_of(wall))]
    if not is_exact:
        for group, share in ((ends, 0.7), (walls, LOOPS * len(rooms) / max(1, len(walls)))):
            for x, y in group:
                free[y, x] |= rng.random() < share
    rows = np.arange(1, height // 2 + 1, 2)
    passages = min(len(rows), max(2, min(3, (len(rows) + 1) // 2)))
    for y in rng.permutation(rows)[:passages]:
        free[[y, height - 1 - y], width - 1] = True
    if is_exact:
        most = 2 * len(rooms) - 1 + 2 * passages + round(OPENED * len(rooms))
        groups = ends, [wall for wall in walls if wall not in ends]
        in_turn = [group[place] for group in groups for place in rng.permutation(len(group))]
        for x, y in in_turn[: most - int(free.sum())]:
            free[y, x] = True
    return free


def _join(rng: np.random.Generator, free: np.ndarray, rooms: list[tuple[int, int]]) -> None:
    """Join all rooms of a maze into a tree, by a random walk that goes back at dead ends.

    ``free`` marks the free squares and is changed.
    """
    trail = [rooms[int(rng.integers(len(rooms)))]]
    free[trail[0][::-1]] = True
    while trail:
        x, y = trail[-1]
        ways = [
            (dx, dy)
            for dx, dy in STEPS
            if (x + 2 * dx, y + 2 * dy) in rooms and not free[y + 2 * dy, x + 2 * dx]
        ]
        if not ways:
            trail.pop()
            continue
        dx, dy = ways[int(rng.integers(len(ways)))]
        free[y + dy, x + dx] = free[y + 2 * dy, x + 2 * dx] = True
        trail.append((x + 2 * dx, y + 2 * dy))


def _rooms_of(wall: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two rooms, as (x, y), that a wall of a maze separates."""
    x, y = wall
    return ((x - 1, y), (x + 1, y)) if x % 2 == 0 else ((x, y - 1), (x, y + 1))


def _is_end(free: np.ndarray, x: int, y: int) -> bool:
    """Return whether a room of a maze is a dead end: a single square beside it is free."""
    return sum(bool(free[y + dy, x + dx]) for dx, dy in STEPS) == 1


# --- graphs ------------------------------------------------------------------------------------


@kernel
def fill_steps(neighbours, steps, queue):
    """Fill in the length of the shortest path between any two cells of a maze.

    Args:
        neighbours: the cells next to each cell, ``[C, 4]``; -1: a wall.
        steps: ``[C, C]``, to be filled; -1 where there is no path.
        queue: scratch space for C cells.
    """
    steps[:] = -1
    for source in range(neighbours.shape[0]):
        steps[source, source] = 0
        queue[0] = source
        count = np.int64(1)
        taken = np.int64(0)
        while taken < count:
            cell = queue[taken]
            taken += 1
            for direction in range(4):
                other = np.int64(neighbours[cell, direction])
                if other >= 0 and steps[source, other] < 0:
                    steps[source, other] = steps[source, cell] + 1
                    queue[count] = other
                    count += 1


def distances(neighbours: np.ndarray) -> np.ndarray:
    """Return the length of the shortest path between any two cells of a maze, int16 ``[C, C]``.

    -1 marks cells without a path between them. ``neighbours`` has the cells next to each cell,
    ``[C, 4]``.
    """
    steps = np.empty((len(neighbours), len(neighbours)), dtype=np.int16)
    build(fill_steps)(neighbours, steps, np.empty(len(neighbours), dtype=np.int64))
    return steps
