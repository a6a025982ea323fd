"""Weaver and Bossomaier (1998): its figures 3 and 4, and a table of claims and measurements.

L. Weaver and T. Bossomaier, "Evolution of neural networks to play the game of Dots-and-Boxes".

Four populations of 24-9-24 networks evolve side by side at both mutation rates, over some seeds
(``dots_and_boxes_1998.toml``); every individual of each snapshot is measured, and the best of them
by fresh games too. Verdicts are computed from that. Verdicts that could depend on something that
the paper leaves open are computed again under other readings
(``dots_and_boxes_1998_readings.toml``).
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cluster.processors import available_threads
from evo.studies.claims import HOLDS, NOT_MEASURED, VERDICTS
from evo.studies.dots_and_boxes_1998 import trained
from evo.studies.dots_and_boxes_1998.curves import curves_of
from evo.studies.dots_and_boxes_1998.facts import measure_facts
from evo.studies.dots_and_boxes_1998.measurements import Measurements
from evo.studies.dots_and_boxes_1998.views import (
    claim_rows,
    of_as_many_seeds,
    readings_of,
    strengths,
    view_rows,
    views_of,
)
from evo.studies.intervals import CONFIDENCE, median_interval
from evo.studies.play import complete
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, QuickSettings, runs_setting, setting
from evo.sweeps.experiment import Experiment, load_experiment
from tournaments.options import option

if TYPE_CHECKING:
    from results.read.sweep import Sweep

NAME = "dots-and-boxes-1998"
SLOW, FAST = 0.00072, 0.005
"""The mutation rates of section 3.5."""
FEWEST_SNAPSHOTS = 5
"""At least so many are taken of a run, however few its games."""
BESIDE = {"fresh": "by fresh games", "faster": "mutation rate 0.5%"}
"""Views that have a column in the table of claims."""


@dataclass(frozen=True)
class DotsAndBoxes1998Settings(QuickSettings):
    """Options of the study.

    Attributes:
        quick: 3 seeds, 200,000 games and one mutation rate: about a minute
        seeds: runs of each population
        games: games of a run
        seed: the first of the seeds, which follow each other
        threads: runs at a time, each on one processor; 0: all
        readings: other readings of what the paper leaves open; not with quick
        supervised: train networks by back-propagation, too (figure 5)
    """

    seeds: int = setting(10, low=1, high=10_000, quick=3)
    games: int = setting(2_000_000, low=1, high=1_000_000_000, quick=200_000)
    seed: int = setting(1, low=0, high=2**31)
    threads: int = setting(0, low=0, high=4096)
    readings: bool = option(True)
    supervised: bool = option(True)
    runs: str = runs_setting(f"reproduced/{NAME}/runs")


def experiment_of(settings: DotsAndBoxes1998Settings, name: str = NAME) -> Experiment:
    """Return an experiment of the study with the study's settings.

    By default, this is the comparison of populations.
    """
    usual = load_experiment(name, quick=settings.quick)
    seeds = settings.seeds if name == NAME else min(settings.seeds, len(usual.seeds))
    # The usual distance is kept, so that runs can be gone on with.
    between = int(usual.cells[0].table["snapshot_games"])
    between = max(1, min(between, settings.games // FEWEST_SNAPSHOTS))
    changes = {
        "seeds": list(range(settings.seed, settings.seed + seeds)),
        "base": {"games": settings.games, "snapshot_games": between},
    }
    return load_experiment(name, changes, quick=settings.quick)


def measure(settings: DotsAndBoxes1998Settings, announce: Announce) -> Evidence:
    """Evolve and measure the populations of the study, and judge its claims.

    A further call continues the runs that are there.

    Raises:
        ConfigError: runs of another configuration, or a run that failed.
        evo.evolution.runs.Interrupted: a signal asked to stop; the same call goes on.
    """
    from results.plots.sweep import best_of_snapshots

    folder, others = Path(settings.runs), None
    runs = _swept(experiment_of(settings), folder, settings, announce)
    if settings.readings and not settings.quick:
        place = folder.with_name(f"{folder.name}-readings")
        others = _swept(experiment_of(settings, f"{NAME}-readings"), place, settings, announce)
    best = best_of_snapshots(runs)
    measured = _measurements(runs, best, settings, announce)
    views = view_rows(views_of(measured, curves_of(runs, best, "again", SLOW)), measured)
    readings: list[dict[str, Any]] = []
    if others is not None:
        other = curves_of(others, best_of_snapshots(others), "best")
        readings = strengths(measured.curves, other)
        views += view_rows(readings_of(measured, other), of_as_many_seeds(measured, other))
    record = {
        "claims": claim_rows(measured),
        "readings": readings,
        "views": views,
        "seeds": measured.curves.seeds,
        "games": float(measured.curves.games[-1]),
        "processor_seconds": sum(map(_all_seconds, filter(None, (runs, others)))),
    }
    tables = {name: record[name] for name in ("claims", "views", "readings")}
    tables["best"] = {str(name): best[name].to_list() for name in best}
    return Evidence(record, runs, tables=tables)


def _swept(
    experiment: Experiment, folder: Path, settings: DotsAndBoxes1998Settings, announce: Announce
) -> Sweep:
    """Evolve and measure all runs of an experiment that are not finished in a folder.

    Raises:
        ConfigError: a run failed.
    """
    from results.read.sweep import ReadOnce, open_sweep

    count = len(experiment.cells) * len(experiment.seeds)
    announce(f"{experiment.name}: {count} runs in {folder}")
    complete(experiment, folder, settings.threads, announce)
    runs = open_sweep(folder)
    return ReadOnce(runs.path, runs.description)


def _measurements(
    runs: Sweep, best: Any, settings: DotsAndBoxes1998Settings, announce: Announce
) -> Measurements:
    threads = settings.threads or available_threads()
    facts = measure_facts(experiment_of(settings), not settings.quick, threads, announce)
    networks = {}
    if settings.supervised:
        networks = trained.train(settings.quick, settings.seed, threads, announce)
    is_fast = bool((best["mutation_probability"] == FAST).any())
    return Measurements(
        curves_of(runs, best, "best", SLOW),
        facts,
        curves_of(runs, best, "best", FAST) if is_fast else None,
        _seconds(runs).groupby("variant").median().to_dict(),
        networks,
    )


def _seconds(runs: Sweep) -> Any:
    """Return the processor time in seconds that each run of a sweep took to evolve, by run."""
    return runs.generations.groupby(runs.columns)["total_seconds"].sum()


def _all_seconds(runs: Sweep) -> float:
    """Return the processor time in seconds that all runs took to evolve and to be measured."""
    return float(_seconds(runs).sum() + runs.evaluations["evaluate_seconds"].sum())


# --- report and page -----------------------------------------------------------------------------


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page of the study: verdicts counted, claims, and changed verdicts."""
    record = evidence.record
    seconds, sure = record["processor_seconds"], median_interval(np.arange(record["seeds"]))
    verdicts = [row["verdict"] for row in record["claims"]]
    counts = {each: verdicts.count(each) for each in (*VERDICTS, NOT_MEASURED) if each in verdicts}
    by_view = _counts_by_view(record["views"])
    return {
        "claims": _claims_beside_views(record),
        "budget": {
            "seeds": f"{record['seeds']} seed{'s' * (record['seeds'] > 1)}",
            "confidence": sure.confidence,
            "few": ""
            if sure.confidence >= CONFIDENCE
            else ": too few seeds to be sure of a verdict on the runs",
        },
        "minutes": f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes",
        "counts": ", ".join(f"{verdict} {count}" for verdict, count in counts.items()),
        "number_of_claims": len(record["claims"]),
        "changes": [row for row in record["views"] if row["is_changed"]],
        "explained": list(_explained(record)),
        "by_view": by_view,
        "nearest": max(by_view, key=lambda row: row[HOLDS] - row["without"]),
        "figures": list(_figures(record)),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
    }


def _claims_beside_views(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the claims as rows, with the verdicts of two other views of the runs beside them.

    A row has the number of seeds of which each alone shows the claim, too. ``record`` is the
    study's record.
    """
    verdicts = {(row["view"], row["claim"]): row["verdict"] for row in record["views"]}
    rows = []
    for row in record["claims"]:
        beside = {name: verdicts.get((view, row["claim"])) for name, view in BESIDE.items()}
        alone = f"{row['seeds_holding']}/{row['seeds']}" if row["seeds"] else ""
        words = f", {alone.replace('/', ' of ')} seeds alone" if alone else ""
        rows.append({**row, **beside, "alone": alone, "alone_in_words": words})
    return rows


def _explained(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines of the page on the claims that do not hold, and how other views judge them.

    ``record`` is the study's record.
    """
    for row in record["claims"]:
        if row["verdict"] in (HOLDS, NOT_MEASURED):
            continue
        yield f"* **{row['text']}**: {row['verdict']}; {row['measured']}."
        views = [view for view in record["views"] if view["claim"] == row["claim"]]
        changed = [view for view in views if view["is_changed"]]
        for view in changed:
            yield f"  * {view['view']}: {view['verdict']}; {view['measured']}."
        if views and not changed:
            yield f"  * The same in all {len(views)} other views and readings."


def _counts_by_view(views: list[dict[str, Any]]) -> list[dict[Any, Any]]:
    """Count the verdicts on claims for each view of the runs.

    ``without`` counts the claims that hold in the view that each is compared with.
    """
    import pandas as pd  # late: the options of the study need none

    rows = pd.DataFrame(views)
    counts = pd.crosstab(rows["view"], rows["verdict"])
    counts = counts.reindex(rows["view"].unique(), columns=VERDICTS, fill_value=0)
    counts["without"] = rows["compared_with"].eq(HOLDS).groupby(rows["view"]).sum()
    return counts.reset_index().to_dict("records")


def _figures(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the number, the opponent and the file of each figure of the study's page."""
    for rate in [None] if record["settings"]["quick"] else [SLOW, FAST]:
        for number in (3, 4):
            at = f", mutation rate {100 * rate:.3g}%" if rate else ""
            file = f"figure-{number}-rate-{rate}" if rate else f"figure-{number}"
            yield {"number": number, "level": number - 3, "at": at, "file": file}


REPORT = StudyReport(__package__, DotsAndBoxes1998Settings, measure, texts, figures="figures")
