"""A torus: a grid of islands whose ends meet, each sending to its four neighbours."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from evo.topologies.base import Topology, Way, both
from tournaments.errors import ConfigError
from tournaments.options import option


@dataclass(frozen=True)
class Torus(Topology):
    """A grid whose ends meet; each island sends to the islands above, below, left and right."""

    name: str = option("torus", "the topology")
    rows: int = option(0, "rows of the grid; 0: as near to a square as can be", low=0)

    def ways(self, count: int) -> Iterable[Way]:
        """Four from each island, fewer where a side is shorter than three; row by row.

        Raises:
            ConfigError: rows that do not divide the number of islands.
        """
        rows = self.rows or _nearest_to_square(count)
        if count % rows:
            raise ConfigError(
                f"islands.topology.rows={rows} and islands.count={count} given; rows that divide "
                "the number of islands are expected, or 0"
            )
        columns = count // rows
        places = [divmod(island, columns) for island in range(count)]
        right = [(r * columns + c, r * columns + (c + 1) % columns) for r, c in places]
        below = [(r * columns + c, (r + 1) % rows * columns + c) for r, c in places]
        return both([*right, *below])


def _nearest_to_square(count: int) -> int:
    """The largest number of rows, no more than columns, that divides a number of islands."""
    return next(rows for rows in range(math.isqrt(count), 0, -1) if count % rows == 0)


TOPOLOGY = Torus
