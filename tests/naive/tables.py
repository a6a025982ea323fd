"""Slow and obvious tables of cat and mouse, written apart: lists of placements, words, windows.

Nothing here imports the project.
"""

from __future__ import annotations

from itertools import product

from naive.cat_and_mouse import STEPS, Cell, Grid


def placements(rows: int, cols: int, cats: int, mice: int) -> list[tuple[Cell | None, ...]]:
    """Every placement, in the order of the genes; None is a mouse that was caught."""
    cells = [(x, y) for y in range(rows) for x in range(cols)]
    of_mice = [*cells, None] if mice == 2 else cells
    return list(product(*[cells] * cats, *[of_mice] * mice))


def legal_steps(grid: Grid, cats: int, side: int, placement: tuple[Cell | None, ...]) -> list[int]:
    """What a side may do there; nothing where no game ever stands."""
    of_cats, of_mice = placement[:cats], placement[cats:]
    if not any(of_mice) or set(of_cats) & set(of_mice):
        return []
    if not grid.cells.issuperset({*placement} - {None}):
        return []
    return [
        4 * number + action
        for number, cell in enumerate((of_cats, of_mice)[side])
        if cell is not None
        for action in grid.moves(cell)
    ]


EDGES = {"none": 0, "low": 1, "high": 2}


def window_digits(rows: int, cols: int, cat: Cell, mouse: Cell) -> tuple[int, ...] | None:
    """The digits of the window's gene; None where no window holds both."""
    begins, edges = [], []
    for axis, size in enumerate((cols, rows)):
        holding = [
            begin
            for begin in range(size - 2)
            if all(begin <= place[axis] <= begin + 2 for place in (cat, mouse))
        ]
        if not holding:
            return None
        begins.append(max(holding))
        edges.append(1 if max(holding) == 0 else 2 if max(holding) == size - 3 else 0)
    places = [place[axis] - begins[axis] for place in (cat, mouse) for axis in (0, 1)]
    return (*places, *edges)


def far_digits(rows: int, cols: int, side: int, cat: Cell, mouse: Cell) -> tuple[int, ...]:
    """The digits of the far table's gene, property by property."""
    right, top = cols - 1, rows - 1
    vertical = "above" if mouse[1] > cat[1] else "below" if mouse[1] < cat[1] else "same row"
    horizontal = "right" if mouse[0] > cat[0] else "left" if mouse[0] < cat[0] else "same column"
    across, up = abs(mouse[0] - cat[0]), abs(mouse[1] - cat[1])
    closer = "vertically" if up < across else "horizontally" if across < up else "neither"
    if mouse in [(0, 0), (0, top), (right, 0), (right, top)]:
        place = "corner"
    else:
        place = "edge" if mouse[0] in (0, right) or mouse[1] in (0, top) else "inside"
    near_x = {1: "low", right - 1: "high"}.get(mouse[0], "none")
    near_y = {1: "low", top - 1: "high"}.get(mouse[1], "none")
    mover = (cat, mouse)[side]
    own_x = {0: "low", right: "high"}.get(mover[0], "none")
    own_y = {0: "low", top: "high"}.get(mover[1], "none")
    return (
        ["below", "same row", "above"].index(vertical),
        ["left", "same column", "right"].index(horizontal),
        ["horizontally", "neither", "vertically"].index(closer),
        ["inside", "edge", "corner"].index(place),
        *(EDGES[edge] for edge in (near_x, near_y, own_x, own_y)),
    )


def number_of(digits: tuple[int, ...]) -> int:
    """Digits to the base of three, as a number."""
    return int("".join(map(str, digits)), 3)


def greedy_step(grid: Grid, side: int, cat: Cell, mouse: Cell, order: str) -> int:
    """The cat's step to the nearest place, the mouse's to the farthest; equals in an order."""
    best = None
    for letter in order:
        action = "RLUD".index(letter)
        here, other = ((cat, mouse), (mouse, cat))[side]
        there = here[0] + STEPS[action][0], here[1] + STEPS[action][1]
        if there in grid.cells:
            apart = (there[0] - other[0]) ** 2 + (there[1] - other[1]) ** 2
            gain = -apart if side == 0 else apart
            if best is None or gain > best[0]:
                best = gain, action
    return best[1]


def window_action(
    grid: Grid, size: tuple[int, int], side: int, placement: tuple[Cell, Cell], table, far: str
) -> int:
    """What a window-table of one seat says."""
    digits = window_digits(*size, *placement)
    if digits is not None:
        return int(table[number_of(digits)])
    if far == "table":
        return int(table[729 + number_of(far_digits(*size, side, *placement))])
    return greedy_step(grid, side, *placement, "UDRL" if far == "larger-axis" else "RLUD")
