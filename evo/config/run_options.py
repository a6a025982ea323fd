"""The top level of a configuration."""

from __future__ import annotations

from dataclasses import dataclass

from tournaments.options import option

LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class RunOptions:
    """The top level of a configuration."""

    generations: int = option(
        1200,
        "generations to evolve after the first, random one (number 0); 1200 are two million games "
        "of the default scheme",
        low=0,
    )
    population: int = option(
        100, "individuals in a generation, of each population", low=1, high=10_000_000
    )
    seed: int = option(
        1, "the result depends on it and on this configuration alone", 0, LARGEST_SEED
    )
    snapshot_interval: int = option(
        10, "generations from one snapshot to the next; first and last are always written", low=1
    )
    games: int = option(
        0,
        "games after which the run ends, with the first generation that reaches them; 0: it ends "
        "by generations alone; given without generations, it ends by games alone",
        low=0,
        high=LARGEST_SEED,
    )
    snapshot_games: int = option(
        0,
        "games from one snapshot to the next, in place of snapshot_interval, which becomes the "
        "number of generations nearest to that; 0: by snapshot_interval",
        low=0,
        high=LARGEST_SEED,
    )
    start: str = option(
        "",
        "a run, RUN or RUN@GENERATION, whose individuals are generation 0 in place of random ones; "
        "a strategy, or a climber, goes on from its champion",
    )
