"""Slow and obvious cat and mouse, written apart: cells as pairs, sets, dictionaries.

Nothing here imports the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

Cell = tuple[int, int]
"""x and y, y from the bottom."""
Policy = dict[tuple[Cell, Cell], int]
"""An action for each (cell of the cat, cell of the mouse)."""
STEPS = [(1, 0), (-1, 0), (0, 1), (0, -1)]
"""Right, left, up, down."""


class Grid:
    """Which cells there are."""

    def __init__(self, rows: int, cols: int, walls: set[Cell] = frozenset()) -> None:
        self.cells = {(x, y) for x in range(cols) for y in range(rows)} - set(walls)

    def moves(self, cell: Cell) -> dict[int, Cell]:
        x, y = cell
        found = {action: (x + dx, y + dy) for action, (dx, dy) in enumerate(STEPS)}
        return {action: there for action, there in found.items() if there in self.cells}

    def is_connected(self) -> bool:
        reached = {min(self.cells)}
        for _ in self.cells:
            reached |= {there for cell in reached for there in self.moves(cell).values()}
        return reached == self.cells


class CatAndMouse:
    """Any number of pieces a side; ``limit`` None: the repetition rule."""

    def __init__(
        self,
        grid: Grid,
        pieces: tuple[list[Cell], list[Cell]],
        first: int = 0,
        speeds: tuple[int, int] = (1, 1),
        limit: int | None = None,
    ) -> None:
        self.grid, self.speeds, self.limit = grid, speeds, limit
        self.pieces: list[list[Cell | None]] = [list(pieces[0]), list(pieces[1])]
        self.mover, self.steps_left = first, speeds[first]
        self.turns_had = [0, 0]
        self.history = [self.placement()]
        self.winner: int | None = None

    def placement(self):
        return (*self.pieces[0], *self.pieces[1], self.mover)

    def legal(self) -> list[int]:
        return [
            4 * number + action
            for number, cell in enumerate(self.pieces[self.mover])
            if cell is not None
            for action in self.grid.moves(cell)
        ]

    def play(self, action: int) -> None:
        side = self.mover
        number = action // 4
        self.pieces[side][number] = self.grid.moves(self.pieces[side][number])[action % 4]
        mice = self.pieces[1]
        self.pieces[1] = [None if mouse in self.pieces[0] else mouse for mouse in mice]
        if self.pieces[1] != mice:
            self.history = []
        self.steps_left -= 1
        if not any(self.pieces[1]):
            self.turns_had[side] += 1
            self.winner = 0
        elif self.steps_left == 0:
            self.end_turn(side)

    def end_turn(self, side: int) -> None:
        self.turns_had[side] += 1
        self.mover = 1 - side
        self.steps_left = self.speeds[self.mover]
        if self.limit is not None:
            if side == 0 and self.turns_had[0] == self.limit:
                self.winner = 1
        elif not (side == 0 and self.turns_had == [1, 0]):  # not after the cat's opening
            if self.placement() in self.history:
                self.winner = 1
            self.history.append(self.placement())


def study_game(
    rows: int, cols: int, first: str, cat_policy: Policy, mouse_policy: Policy
) -> tuple[str, int, int]:
    """A game of the first study: the winner, the number of moves as it counts them, the distance.

    A placement is looked for in the history before the capture is looked for.
    """
    grid = Grid(rows, cols)
    cat, mouse = (0, 0), (cols - 1, rows - 1)
    history = {(cat, mouse)}
    if first == "cat":
        cat = grid.moves(cat)[cat_policy[cat, mouse]]
    number = 0
    while True:
        for mover in ("mouse", "cat"):
            if mover == "mouse":
                mouse = grid.moves(mouse)[mouse_policy[cat, mouse]]
            else:
                cat = grid.moves(cat)[cat_policy[cat, mouse]]
            apart = abs(cat[0] - mouse[0]) + abs(cat[1] - mouse[1])
            if (cat, mouse) in history:
                return "mouse", number, apart
            if cat == mouse:
                return "cat", number, apart
            history.add((cat, mouse))
        number += 1


# --- exact play --------------------------------------------------------------------------------


def plies_of_all(
    grid: Grid,
    speeds: tuple[int, int] = (1, 1),
    policies: tuple[Policy | None, Policy | None] = (None, None),
) -> dict[tuple[int, Cell, Cell], int | None]:
    """Plies to the capture from every (step of a round, cat, mouse), None where it never comes.

    Looked for again and again with one ply more, until nothing is found any longer.
    """
    rounds = speeds[0] + speeds[1]
    positions = list(product(range(rounds), grid.cells, grid.cells))
    found: dict[tuple[int, Cell, Cell], int | None] = {
        position: 0 if position[1] == position[2] else None for position in positions
    }
    depth, grew = 0, True
    while grew:
        depth += 1
        grew = False
        before = dict(found)
        for position in positions:
            if before[position] is None:
                after = [before[there] for there in successors(grid, speeds, policies, position)]
                caught = [one is not None for one in after]
                if any(caught) if position[0] < speeds[0] else all(caught):
                    found[position] = depth
                    grew = True
    return found


def successors(
    grid: Grid,
    speeds: tuple[int, int],
    policies: tuple[Policy | None, Policy | None],
    position: tuple[int, Cell, Cell],
) -> Iterator[tuple[int, Cell, Cell]]:
    phase, cat, mouse = position
    side = 0 if phase < speeds[0] else 1
    policy = policies[side]
    for action, there in grid.moves(mouse if side else cat).items():
        if policy is None or policy[cat, mouse] == action:
            placed = (cat, there) if side else (there, mouse)
            yield (phase + 1) % sum(speeds), *placed


def can_cat_win(game: CatAndMouse, copy: Callable[[CatAndMouse], CatAndMouse]) -> bool:
    """Whether the cat can force its win, by looking at every way to go on, history and all."""
    if game.winner is not None:
        return game.winner == 0
    ways = []
    for action in game.legal():
        after = copy(game)
        after.play(action)
        ways.append(after)
    if game.mover == 0:
        return any(can_cat_win(after, copy) for after in ways)
    return all(can_cat_win(after, copy) for after in ways)


def all_policies(grid: Grid, side: int) -> Iterator[Policy]:
    """Every policy of a side."""
    placements = [(cat, mouse) for cat, mouse in product(grid.cells, repeat=2) if cat != mouse]
    choices = [list(grid.moves(placement[side])) for placement in placements]
    for chosen in product(*choices):
        yield dict(zip(placements, chosen, strict=True))


def plies_between(
    grid: Grid, first: int, start: tuple[Cell, Cell], policies: tuple[Policy, Policy]
) -> int | None:
    """Plies until two policies come to the capture; None: they go round."""
    places, mover, plies = list(start), first, 0
    met = set()
    while places[0] != places[1]:
        if (mover, *places) in met:
            return None
        met.add((mover, *places))
        places[mover] = grid.moves(places[mover])[policies[mover][tuple(places)]]
        mover, plies = 1 - mover, plies + 1
    return plies
