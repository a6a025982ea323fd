"""What the study of 1998 lets one choose, and the experiments that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evo.studies.page import checked_settings
from evo.sweeps.experiment import Experiment, load_experiment
from tournaments.errors import ConfigError
from tournaments.options import option

NAME = "dots-and-boxes-1998"
SLOW, FAST = 0.00072, 0.005
"""The mutation rates of section 3.5."""
FEWEST_SNAPSHOTS = 5
"""At least so many are taken of a run, however few its games."""


@dataclass(frozen=True)
class Settings:
    """What the study lets one choose."""

    quick: bool = option(False, "3 seeds, 200,000 games and one mutation rate: about a minute")
    seeds: int = option(0, "how many runs of each population; 0: 10, quick 3", low=0, high=10_000)
    games: int = option(0, "games of a run; 0: 2,000,000, quick 200,000", low=0, high=1_000_000_000)
    seed: int = option(1, "the first of the seeds, which follow each other", low=0, high=2**31)
    threads: int = option(0, "runs at a time, each on one processor; 0: all", low=0, high=4096)
    readings: bool = option(True, "other readings of what the paper leaves open; not with quick")
    supervised: bool = option(True, "train networks by back-propagation, too (figure 5)")
    runs: str = option("", "folder of the runs, which are gone on with; none: below reproduced/")
    page: str = option(
        "", "a Markdown file to be written, figures in figures/ beside it; none: not"
    )


def validated(settings: Settings) -> Settings:
    """The settings, after every one of them was looked at.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = checked_settings(settings)
    for name in ("runs", "page"):
        given = getattr(settings, name)
        if given and not given.strip():
            raise ConfigError(f"{name}={given!r} given; the name of a place is expected")
    if settings.page and Path(settings.page).is_dir():
        raise ConfigError(f"page={settings.page!r} given, a folder; the name of a file is expected")
    return settings


def experiment_of(settings: Settings, name: str = NAME) -> Experiment:
    """The comparison, or another experiment of this package, with the study's settings in it."""
    usual = load_experiment(name, quick=settings.quick)
    seeds = settings.seeds or len(usual.seeds)
    if name != NAME:
        seeds = min(seeds, len(usual.seeds))
    changes: dict[str, Any] = {"seeds": list(range(settings.seed, settings.seed + seeds))}
    if settings.games:
        # The usual distance is kept, so that runs can be gone on with.
        between = int(usual.cells[0].table["snapshot_games"])
        between = max(1, min(between, settings.games // FEWEST_SNAPSHOTS))
        changes["base"] = {"games": settings.games, "snapshot_games": between}
    return load_experiment(name, changes, quick=settings.quick)


def default_folder(settings: Settings) -> Path:
    """Where the runs stand, unless it is said: quick ones are others than those of the study."""
    return Path("reproduced") / NAME / ("runs-quick" if settings.quick else "runs")
