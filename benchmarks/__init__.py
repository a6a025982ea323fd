"""Benchmarks: how fast games and generations are, beside the same jobs done by other means.

Here is what the peers share. A job is a pairing of players, named in `JOBS`; each peer plays it as
matches of two games with the seats swapped, on networks drawn by `random_networks`.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

JOBS = {
    "random": ("level-0", "level-0"),
    "level-1-random": ("level-1", "level-0"),
    "level-1-network": ("level-1", "network"),
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


def games_per_second(play: Callable[[int], object], seconds: float) -> float:
    """The rate of `play(matches)`, which plays that many matches of two games.

    The number of matches is doubled until one call lasts a tenth of `seconds`, which
    warms up, too; then calls are repeated for `seconds`.
    """
    matches, elapsed = 1, 0.0
    while elapsed < seconds / 10:
        matches *= 2
        elapsed = _duration(play, matches)
    games, elapsed = 0, 0.0
    while elapsed < seconds:
        elapsed += _duration(play, matches)
        games += 2 * matches
    return games / elapsed


def _duration(play: Callable[[int], object], matches: int) -> float:
    start = time.perf_counter()
    play(matches)
    return time.perf_counter() - start
