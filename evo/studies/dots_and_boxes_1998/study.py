"""L. Weaver and T. Bossomaier, "Evolution of neural networks to play the game of Dots-and-Boxes"
(1998): its figures 3 and 4 again, and a table of what it claims and what was measured.

Four populations of 24-9-24 networks evolve side by side at both mutation rates, over some seeds
(``dots_and_boxes_1998.toml``); every individual of each snapshot is measured, and the best of them
by fresh games too. Verdicts are computed from that. Those that could hang on something the paper
leaves open are computed again under other readings (``dots_and_boxes_1998_readings.toml``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.threads import available_threads
from evo.errors import ConfigError
from evo.studies.reproduction import Reproduction
from evo.sweeps.experiment import Experiment, load_experiment
from tournaments.options import as_options, checked, option

if TYPE_CHECKING:
    from evo.studies.dots_and_boxes_1998.curves import Curves
    from evo.studies.dots_and_boxes_1998.rules import Evidence
    from evo.sweeps.sweep import Standing
    from results.read.sweep import Runs

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
    settings = checked(Settings, "", as_options(settings), ConfigError)
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
        between = int(
            usual.cells[0].table["snapshot_games"]
        )  # kept, so that runs can be gone on with
        between = max(1, min(between, settings.games // FEWEST_SNAPSHOTS))
        changes["base"] = {"games": settings.games, "snapshot_games": between}
    return load_experiment(name, changes, quick=settings.quick)


def default_folder(settings: Settings) -> Path:
    """Where the runs stand, unless it is said: quick ones are others than those of the study."""
    return Path("reproduced") / NAME / ("runs-quick" if settings.quick else "runs")


def reproduce(settings: Settings, announce: Callable[[str], None]) -> Reproduction:
    """Evolve, measure and judge; called again it goes on with the runs that are there.

    Raises:
        ConfigError: a setting that cannot be, or runs of another configuration.
        evo.evolution.runs.Interrupted: a signal asked to stop; the same call goes on.
    """
    from evo.studies.dots_and_boxes_1998 import page, views

    settings, begun = validated(settings), time.perf_counter()
    folder = Path(settings.runs) if settings.runs else default_folder(settings)
    runs = _swept(experiment_of(settings), folder, settings, announce)
    other = None
    if settings.readings and not settings.quick:
        experiment = experiment_of(settings, f"{NAME}-readings")
        other = _swept(experiment, folder.with_name(f"{folder.name}-readings"), settings, announce)
    evidence, fresh, best = _evidence(runs, settings, announce)
    looks = views.views_of(evidence, fresh)
    record: dict[str, Any] = {"claims": views.judged(evidence), "readings": []}
    if other is not None:
        readings = _curves(other, "best")[0]
        record["readings"] = views.strengths(evidence.curves, readings)
        looks += views.readings_of(evidence.curves, readings)
    record |= {
        "views": views.changed(evidence, looks),
        "seeds": evidence.curves.seeds,
        "games": float(evidence.curves.games[-1]),
        "processor_seconds": sum(_all_seconds(one) for one in (runs, other) if one is not None),
        "seconds": time.perf_counter() - begun,
        "settings": {**as_options(settings), "runs": str(folder)},
    }
    tables = {"claims": _columns(record["claims"]), "views": _columns(record["views"])}
    tables["best"] = {str(name): best[name].to_list() for name in best}
    if record["readings"]:
        tables["readings"] = _columns(record["readings"])

    def draw(target: Path) -> list[Path]:
        return page.draw(runs, target, settings.page, record)

    return Reproduction(record, tuple(page.lines(record)), tables=tables, draw=draw)


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


# --- running -------------------------------------------------------------------------------------


def _swept(
    experiment: Experiment, folder: Path, settings: Settings, announce: Callable[[str], None]
) -> Runs:
    """Run an experiment as far as that is not done.

    Raises:
        ConfigError: a run failed.
    """
    from evo.sweeps.sweep import DONE, Where, sweep
    from results.read.sweep import ReadOnce, open_runs

    count = len(experiment.cells) * len(experiment.seeds)
    announce(f"{experiment.name}: {count} runs in {folder}")
    ended = sweep(experiment, folder, Where(settings.threads or None), report=_Told(announce))
    for one in ended:
        if one.state != DONE:
            raise ConfigError(f"{one.folder}: {one.error or one.state}; the same command goes on")
    runs = open_runs(folder)
    return ReadOnce(runs.path, runs.description)


class _Told:
    """Tells how far a sweep is, at each tenth."""

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce, self._tenth = announce, 0

    def __call__(self, standing: Standing) -> None:
        tenth = 10 * standing.games // max(standing.total, 1)
        if tenth > self._tenth:
            self._tenth = tenth
            self._announce(
                f"{standing.over} of {standing.runs} runs, {standing.games:,} games of about "
                f"{standing.total:,}"
            )


# --- what was measured ---------------------------------------------------------------------------


def _evidence(
    runs: Runs, settings: Settings, announce: Callable[[str], None]
) -> tuple[Evidence, Curves, Any]:
    """What claims are judged by; the curves by fresh games; and the best of all snapshots."""
    from evo.studies.dots_and_boxes_1998 import facts
    from evo.studies.dots_and_boxes_1998 import trained as supervised
    from evo.studies.dots_and_boxes_1998.rules import Evidence

    threads = settings.threads or available_threads()
    known = facts.measure(experiment_of(settings), not settings.quick, threads, announce)
    trained = {}
    if settings.supervised:
        trained = supervised.train(settings.quick, settings.seed, threads, announce)
    curves, best = _curves(runs, "best", SLOW)
    faster = _curves(runs, "best", FAST)[0] if _has(best, FAST) else None
    seconds = _seconds(runs).groupby("variant").median().to_dict()
    found = Evidence(curves, known, faster, seconds, trained)
    return found, _curves(runs, "again", SLOW)[0], best


def _has(best: Any, rate: float) -> bool:
    return bool((best["mutation_probability"] == rate).any())


def _curves(runs: Runs, estimate: str, rate: float | None = None) -> tuple[Curves, Any]:
    from evo.studies.dots_and_boxes_1998.curves import curves_of
    from results.plots.sweep import best_of_snapshots

    best = best_of_snapshots(runs)
    return curves_of(runs, best, estimate, rate), best


def _seconds(runs: Runs) -> Any:
    """Seconds of one processor that each run took to evolve, a series by run."""
    return runs.generations.groupby(runs.columns)["total_seconds"].sum()


def _all_seconds(runs: Runs) -> float:
    """Seconds of one processor that all runs took to evolve and to be measured."""
    return float(_seconds(runs).sum() + runs.evaluations["evaluate_seconds"].sum())


def told(settings: Mapping[str, Any]) -> Iterator[str]:
    """The options that a call of the study was given, as they are typed."""
    usual = as_options(Settings())
    for name, value in settings.items():
        if name in ("runs", "page", "threads") or value == usual[name]:
            continue
        option_name = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            yield option_name if value else option_name.replace("--", "--no-", 1)
        else:
            yield f"{option_name} {value}"
