"""L. Weaver and T. Bossomaier, "Evolution of neural networks to play the game of Dots-and-Boxes"
(1998): its figures 3 and 4 again, and a table of what it claims and what was measured.

Four populations of 24-9-24 networks evolve side by side at both mutation rates, over some seeds
(``dots_and_boxes_1998.toml``); every individual of each snapshot is measured, and the best of them
by fresh games too. Verdicts are computed from that. Those that could hang on something the paper
leaves open are computed again under other readings (``dots_and_boxes_1998_readings.toml``).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.threads import available_threads
from evo.studies.dots_and_boxes_1998.settings import (
    FAST,
    NAME,
    SLOW,
    Settings,
    default_folder,
    experiment_of,
    validated,
)
from evo.studies.page import Announce, columns_of
from evo.studies.reproduction import Reproduction
from evo.sweeps.experiment import Experiment
from tournaments.errors import ConfigError
from tournaments.options import as_options

__all__ = ["Settings", "reproduce"]

if TYPE_CHECKING:
    from evo.studies.dots_and_boxes_1998.curves import Curves
    from evo.studies.dots_and_boxes_1998.rules import Evidence
    from evo.sweeps.sweep import SweepProgress
    from results.read.sweep import Sweep


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
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
        "processor_seconds": sum(_all_seconds(some) for some in (runs, other) if some is not None),
        "seconds": time.perf_counter() - begun,
        "settings": {**as_options(settings), "runs": str(folder)},
    }
    tables = {"claims": columns_of(record["claims"]), "views": columns_of(record["views"])}
    tables["best"] = {str(name): best[name].to_list() for name in best}
    if record["readings"]:
        tables["readings"] = columns_of(record["readings"])

    def draw(target: Path) -> list[Path]:
        return page.draw(runs, target, settings.page, record)

    return Reproduction(record, tuple(page.lines(record)), tables=tables, draw=draw)


# --- running -------------------------------------------------------------------------------------


def _swept(experiment: Experiment, folder: Path, settings: Settings, announce: Announce) -> Sweep:
    """Run an experiment as far as that is not done.

    Raises:
        ConfigError: a run failed.
    """
    from evo.sweeps.sweep import DONE, sweep
    from results.read.sweep import ReadOnce, open_sweep

    count = len(experiment.cells) * len(experiment.seeds)
    announce(f"{experiment.name}: {count} runs in {folder}")
    ended = sweep(experiment, folder, threads=settings.threads or None, report=_Tenths(announce))
    for run in ended:
        if run.state != DONE:
            raise ConfigError(f"{run.folder}: {run.error or run.state}; the same command goes on")
    runs = open_sweep(folder)
    return ReadOnce(runs.path, runs.description)


class _Tenths:
    """Announces how far a sweep is, at each tenth."""

    def __init__(self, announce: Announce) -> None:
        self._announce, self._tenth = announce, 0

    def __call__(self, progress: SweepProgress) -> None:
        tenth = 10 * progress.games // max(progress.total, 1)
        if tenth > self._tenth:
            self._tenth = tenth
            self._announce(
                f"{progress.over} of {progress.runs} runs, {progress.games:,} games of about "
                f"{progress.total:,}"
            )


# --- what was measured ---------------------------------------------------------------------------


def _evidence(runs: Sweep, settings: Settings, announce: Announce) -> tuple[Evidence, Curves, Any]:
    """What claims are judged by; the curves by fresh games; and the best of all snapshots."""
    from evo.studies.dots_and_boxes_1998 import facts, trained
    from evo.studies.dots_and_boxes_1998.rules import Evidence

    threads = settings.threads or available_threads()
    known = facts.measure(experiment_of(settings), not settings.quick, threads, announce)
    supervised = {}
    if settings.supervised:
        supervised = trained.train(settings.quick, settings.seed, threads, announce)
    curves, best = _curves(runs, "best", SLOW)
    faster = _curves(runs, "best", FAST)[0] if _has(best, FAST) else None
    seconds = _seconds(runs).groupby("variant").median().to_dict()
    evidence = Evidence(curves, known, faster, seconds, supervised)
    return evidence, _curves(runs, "again", SLOW)[0], best


def _has(best: Any, rate: float) -> bool:
    return bool((best["mutation_probability"] == rate).any())


def _curves(runs: Sweep, estimate: str, rate: float | None = None) -> tuple[Curves, Any]:
    from evo.studies.dots_and_boxes_1998.curves import curves_of
    from results.plots.sweep import best_of_snapshots

    best = best_of_snapshots(runs)
    return curves_of(runs, best, estimate, rate), best


def _seconds(runs: Sweep) -> Any:
    """Seconds of one processor that each run took to evolve, a series by run."""
    return runs.generations.groupby(runs.columns)["total_seconds"].sum()


def _all_seconds(runs: Sweep) -> float:
    """Seconds of one processor that all runs took to evolve and to be measured."""
    return float(_seconds(runs).sum() + runs.evaluations["evaluate_seconds"].sum())
