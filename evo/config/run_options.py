"""The top level of a configuration: the length of a run and the interval of its snapshots.

Schemes differ in the games that a generation takes (9,900, 2,000 or 1,650 for the hundred
individuals of the 1998 study), so what is compared at equal cost is given in games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from results.format.metadata import UNLIMITED
from tournaments.errors import ConfigError
from tournaments.options import as_options, checked, option

LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class RunOptions:
    """The top level of a configuration.

    Attributes:
        generations: generations to evolve after the first, random one (number 0); 1200 are two
            million games of the default scheme
        population: individuals in a generation, of each population
        seed: the result depends on it and on this configuration alone
        snapshot_interval: generations from one snapshot to the next; first and last are always
            written
        games: games after which the run ends, with the first generation that reaches them; 0: it
            ends by generations alone; given without generations, it ends by games alone
        snapshot_games: games from one snapshot to the next, in place of snapshot_interval, which
            becomes the number of generations nearest to that; 0: by snapshot_interval
        keep_every: keep the first and every n-th snapshot once there are newer ones; 0: keep only
            the last keep_last
        keep_last: keep the newest n snapshots, beside those of keep_every; if both are 0, keep all
        start: a run, RUN or RUN@GENERATION, whose individuals are generation 0 in place of random
            ones; a strategy, or a climber, goes on from its champion; of roles each may be named,
            as in fox=RUN@GENERATION+hounds=RUN
        lineage: keep the parents and the raw fitness of all individuals of every generation, so
            that the descent of any of them can be followed (run.lineage, evo plot --lineage)
    """

    generations: int = option(1200, low=0)
    population: int = option(100, low=1, high=10_000_000)
    seed: int = option(1, low=0, high=LARGEST_SEED)
    snapshot_interval: int = option(10, low=1)
    games: int = option(0, low=0, high=LARGEST_SEED, sparse=True)
    snapshot_games: int = option(0, low=0, high=LARGEST_SEED, sparse=True)
    keep_every: int = option(0, low=0, sparse=True)
    keep_last: int = option(0, low=0, sparse=True)
    start: str = option("", sparse=True)
    lineage: bool = option(False, sparse=True)

    def resolved(self, games: int | None, learner: str, has_end: bool) -> RunOptions:
        """Return these options of a run with ``snapshot_games`` as a number of generations.

        Args:
            games: number of games per generation; None: it varies.
            learner: its name, for messages.
            has_end: whether a number of generations was given; else ``games`` alone ends the run.

        Raises:
            ConfigError: snapshots by games, and a learner whose generations differ in their games.
        """
        run = replace(self, generations=UNLIMITED) if self.games and not has_end else self
        if not run.snapshot_games:
            return run
        if games is None:
            raise ConfigError(
                f"snapshot_games={run.snapshot_games} and learner={learner!r} given; its rounds "
                "differ in their number of games: give snapshot_interval, in rounds"
            )
        interval = max(1, round(run.snapshot_games / games))
        return replace(run, snapshot_interval=interval, snapshot_games=0)

    def with_end(self, ends: Mapping[str, Any]) -> RunOptions:
        """Return these options of a run with another end: by ``generations``, ``games``, or both.

        Raises:
            ConfigError: a number that is out of its range.
        """
        ended = {**as_options(self), "generations": UNLIMITED, "games": 0, **ends}
        return checked(RunOptions, "", ended, ConfigError)

    def is_over(self, generation: int, games_played: int) -> bool:
        """Return whether a generation is the run's last, by its number or by the games played."""
        return generation >= self.generations or 0 < self.games <= games_played

    def last_generation(self, generation: int, games_played: int) -> int:
        """Return the estimated last generation of the run, for progress displays only."""
        if not self.games or not games_played:
            return self.generations
        by_games = -(-self.games * (generation + 1) // games_played) - 1
        return min(self.generations, max(generation, by_games))
