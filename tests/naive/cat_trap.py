"""The cat trap by points of a plane, slowly: tiles are beside each other where they are 1 apart."""

from __future__ import annotations

from functools import cache

Tile = tuple[int, int]
"""Column and row."""


def point(tile: Tile) -> tuple[float, float]:
    """The middle of a tile; rows are the height of a triangle apart, odd ones half a tile on."""
    return tile[0] + (tile[1] % 2) / 2, tile[1] * 3**0.5 / 2


class CatTrap:
    """A position."""

    def __init__(self, size: int, blocked: frozenset[Tile]) -> None:
        self.size, self.blocked = size, blocked
        self.cat: Tile = (size // 2, size // 2)
        self.mover = "blocker"

    @property
    def winner(self) -> str:
        if not {0, self.size - 1}.isdisjoint(self.cat):
            return "cat"
        return "blocker" if self.mover == "cat" and not self.moves() else ""

    def moves(self) -> set[Tile]:
        """Tiles to step to, or to block."""
        tiles = {(x, y) for x in range(self.size) for y in range(self.size)}
        free = tiles - self.blocked - {self.cat}
        if self.mover == "blocker":
            return free
        x, y = point(self.cat)
        return {tile for tile in free if abs(abs(complex(*point(tile)) - complex(x, y)) - 1) < 0.01}

    def after(self, tile: Tile) -> CatTrap:
        other = CatTrap(self.size, self.blocked)
        other.cat = self.cat
        if self.mover == "cat":
            other.cat, other.mover = tile, "blocker"
        else:
            other.blocked, other.mover = self.blocked | {tile}, "cat"
        return other


@cache
def winner_of(size: int, blocked: frozenset[Tile]) -> str:
    """Who wins under best play, by plain recursion."""
    known: dict = {}

    def winner(game: CatTrap) -> str:
        key = game.cat, game.blocked, game.mover
        if key not in known:
            known[key] = game.winner
            if not game.winner:
                results = (winner(game.after(tile)) for tile in game.moves())
                loser = "cat" if game.mover == "blocker" else "blocker"
                known[key] = game.mover if any(one == game.mover for one in results) else loser
        return known[key]

    return winner(CatTrap(size, blocked))
