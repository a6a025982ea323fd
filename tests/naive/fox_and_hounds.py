"""Fox and hounds by squares of a chess board, slowly: written apart from the rules it checks."""

from __future__ import annotations

from functools import cache
from itertools import combinations

Square = tuple[int, int]
"""x from the left, y from the fox's side; dark where x + y is even."""


class FoxAndHounds:
    """A position; hounds are a set of squares."""

    def __init__(self, rows: int = 8, cols: int = 8, rule: str = "easier") -> None:
        self.rows, self.cols, self.rule = rows, cols, rule
        self.fox: Square | None = None
        self.hounds = frozenset((x, rows - 1) for x in range(cols) if (x + rows - 1) % 2 == 0)
        self.mover = "fox"
        self.winner = ""

    def moves(self) -> list[tuple[Square | None, Square]]:
        """From where to where, in no order."""
        if self.winner:
            return []
        if self.fox is None:
            return [(None, (x, 0)) for x in range(0, self.cols, 2)]
        movers = [self.fox] if self.mover == "fox" else self.hounds
        ways = (-1, 1) if self.mover == "fox" else (-1,)
        return [
            ((x, y), (x + dx, y + dy))
            for x, y in movers
            for dx in (-1, 1)
            for dy in ways
            if 0 <= x + dx < self.cols
            and 0 <= y + dy < self.rows
            and (x + dx, y + dy) not in {self.fox, *self.hounds}
        ]

    def play(self, move: tuple[Square | None, Square]) -> None:
        before, after = move
        if before is None:
            self.fox = after
            return
        if self.mover == "fox":
            self.fox, self.mover = after, "hounds"
        else:
            self.hounds, self.mover = self.hounds - {before} | {after}, "fox"
        assert self.fox is not None
        goal = self.rows - 1 if self.rule == "standard" else max(y for _, y in self.hounds)
        if self.fox[1] >= goal:
            self.winner = "fox"
        elif not self.moves():
            self.winner = "hounds" if self.mover == "fox" else "fox"

    def copy(self) -> FoxAndHounds:
        other = FoxAndHounds(self.rows, self.cols, self.rule)
        other.fox, other.hounds = self.fox, self.hounds
        other.mover, other.winner = self.mover, self.winner
        return other


@cache
def winner_of(rows: int, cols: int, rule: str) -> str:
    """Who wins under best play, by plain recursion."""
    known: dict = {}

    def winner(game: FoxAndHounds) -> str:
        if game.winner:
            return game.winner
        key = game.fox, game.hounds, game.mover
        if key not in known:
            results = []
            for move in game.moves():
                after = game.copy()
                after.play(move)
                results.append(winner(after))
            other = "hounds" if game.mover == "fox" else "fox"
            known[key] = game.mover if game.mover in results else other
        return known[key]

    return winner(FoxAndHounds(rows, cols, rule))


@cache
def placements_of_hounds(squares: int, hounds: int) -> dict[tuple[int, ...], int]:
    """Each set of squares for the hounds, rising, with its place by the highest squares."""
    subsets = combinations(range(squares), hounds)
    return {found: place for place, found in enumerate(sorted(subsets, key=lambda s: s[::-1]))}


def state_to_int(fox: int | None, hounds: tuple[int, ...], squares: int) -> int:
    """The number of a position as section 3.1 of the study counts, by looking through lists."""
    places = placements_of_hounds(squares, len(hounds))
    if fox is None:
        return len(places) * (squares - len(hounds))
    free = [square for square in range(squares) if square not in hounds]
    return places[hounds] * len(free) + free.index(fox)
