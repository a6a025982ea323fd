"""Ways out of a cat trap, by lists of all paths of so many steps."""

from __future__ import annotations

from naive.cat_trap import Tile
from naive.cat_trap_planner import beside


def shortest_ways(size: int, cat: Tile, blocked: frozenset[Tile]) -> list[list[Tile]]:
    """All shortest paths from the cat, it included, to the rim; none: it is shut in."""
    paths = [[cat]]
    for _ in range(size * size):
        out = [path for path in paths if not {0, size - 1}.isdisjoint(path[-1])]
        if out:
            return out
        longer = [[*path, tile] for path in paths for tile in beside(size, path[-1])]
        paths = [path for path in longer if path[-1] not in blocked and len({*path}) == len(path)]
    return []
