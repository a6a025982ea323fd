"""Benchmarks: how fast games and generations are, beside the same jobs done by other means.

Here is what the peers share. A job is a pairing of players, named in `JOBS`; each peer plays it as
matches of two games with the seats swapped, on networks drawn by `random_networks`.
"""

import numpy as np
from numpy.typing import NDArray

JOBS = {
    "random": ("level-0", "level-0"),
    "level-1-random": ("level-1", "level-0"),
    "level-1-network": ("level-1", "network"),
    "level-2-level-1": ("level-2", "level-1"),
    "level-2-network": ("level-2", "network"),
    "network": ("network", "network"),
}
"""Job -> the kinds of its two players."""

POPULATION = 100
"""Networks from which a job draws its pairs."""

Results = tuple[int, int, int]
"""Games won, drawn and lost by the player named first."""


def check(job: str, rows: int, cols: int) -> None:
    """Raise ValueError for a job that is not in `JOBS`, or a board without boxes."""
    if job not in JOBS:
        raise ValueError(f"unknown job {job!r}; expected one of {', '.join(JOBS)}")
    if rows < 1 or cols < 1:
        raise ValueError(f"a board of {rows}x{cols} boxes; expected at least 1x1")


def boxes_of_edges(rows: int, cols: int) -> list[list[int]]:
    """Return the boxes beside each edge: horizontal edges first, row by row, then vertical ones."""
    above = [
        [r * cols + c for r in (row - 1, row) if 0 <= r < rows]
        for row in range(rows + 1)
        for c in range(cols)
    ]
    beside = [
        [row * cols + c for c in (col - 1, col) if 0 <= c < cols]
        for row in range(rows)
        for col in range(cols + 1)
    ]
    return above + beside


def random_networks(rows: int, cols: int, seed: int = 0) -> NDArray[np.float64]:
    """Weights of random networks with one hidden unit a box, on the 10-bit grid from -64 to 64.

    Returns float64 [POPULATION, weights]: hidden nodes first (a weight an edge, then the
    threshold), then output nodes (a weight a hidden node, then the threshold).
    """
    edges, boxes = (rows + 1) * cols + rows * (cols + 1), rows * cols
    generator = np.random.Generator(np.random.Philox(seed))
    weights = (edges + 1) * boxes + (boxes + 1) * edges
    levels = generator.integers(0, 1024, (POPULATION, weights)).astype(np.float64)
    return -64.0 + levels * (128.0 / 1023.0)
