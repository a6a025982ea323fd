"""Sweeps: all runs of an experiment, evolved side by side, measured, and resumed after a stop."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from cluster.evaluator import ClusterError
from cluster.faults import Limits
from cluster.jobs import Outcome, Stop, Tell
from cluster.jobs import perform as perform_jobs
from cluster.processors import available_threads
from cluster.supervisor import Transport
from cluster.transports.processes import Processes
from evo.config.config import Config
from evo.config.toml import with_fields
from evo.evaluation.evaluate import evaluate
from evo.evolution import runs
from evo.evolution import start as starting
from evo.evolution.signals import graceful_stop, watch
from evo.execution import Execution
from evo.requests.base import called_with
from evo.requests.sweeps import SweepRequest
from evo.sweeps.experiment import Cell, Evaluation, Experiment, load_experiment
from results import ResultsError, open_run
from results.folder.files import Place, place_of, sweep_temporaries
from results.folder.runfile import holds_run
from results.format.metadata import START
from results.read.sweep import write_description
from tournaments.errors import ConfigError, TournamentError

MISTAKES = (ConfigError, TournamentError, ResultsError, ClusterError, OSError)
DONE, STOPPED, FAILED = "done", "stopped", "failed"


@dataclass(frozen=True)
class SweepRun:
    """A run of an experiment, as a job for a worker.

    Attributes:
        folder: of the run.
        config: its validated configuration.
        evaluation: the measurements after the run.
    """

    folder: Place
    config: Config
    evaluation: Evaluation


@dataclass(frozen=True)
class Ended:
    """The result of a run.

    Attributes:
        folder: folder of the run.
        state: ``done``, ``stopped`` (the run can be resumed) or ``failed``.
        error: reason of a failure.
    """

    folder: Place
    state: str
    error: str = ""


@dataclass(frozen=True)
class SweepProgress:
    """The progress of a sweep.

    Attributes:
        over, runs: runs that are over, and all.
        games: games played so far for runs and their evaluation, also before this call.
        total: approximate total number of games; 0: not known.
    """

    over: int
    runs: int
    games: int
    total: int


@dataclass(frozen=True)
class Slice:
    """The share of one of several sweeps side by side, such as the tasks of a batch job's array.

    Runs are dealt to slices in turn, by their place in the experiment. The order of the cells is
    shifted by one for each seed, so that no slice gets the slow cell of all seeds.

    Attributes:
        number, slices: which of how many, from 1.
    """

    number: int = 1
    slices: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.slices:
            raise ConfigError(
                f"slice {self.number}/{self.slices} given; from 1/{self.slices} to "
                f"{self.slices}/{self.slices} are expected"
            )

    def of(self, jobs: Sequence[SweepRun], cells: int) -> list[SweepRun]:
        """Return this slice of the runs of a sweep, which are in the order of :func:`jobs_of`."""
        dealt = []
        for first in range(0, len(jobs), cells):
            turn = first // cells % cells
            dealt += [*jobs[first + turn : first + cells], *jobs[first : first + turn]]
        return dealt[self.number - 1 :: self.slices]


@called_with(SweepRequest)
def sweep(request: SweepRequest, execution: Execution) -> list[Ended]:
    """Run each cell of an experiment with each seed, measure every run, and return how each ended.

    The folder of a run is ``OUT/CELL/seed-N``, an ordinary run folder with the same bytes as
    ``evo run`` writes for the same configuration. A second call continues where the first stopped:
    completed runs are neither evolved nor measured again. A run that fails does not end the others.
    Ray's actors write runs themselves, so all nodes must see the folder.

    An experiment that is a file, or a name, is loaded by
    :func:`evo.sweeps.experiment.load_experiment`. ``report`` is called about ten times a second
    with a :class:`SweepProgress`.

    Raises:
        ConfigError: the folder holds a run of another configuration, or an operator cannot be
            loaded or fails. It is raised before any work.
        Interrupted: a signal asked to stop, after the generations in hand.
    """
    experiment = experiment_of(request)
    folder = folder_of_sweep(request, experiment)
    _try_out(experiment)
    part = request.part or Slice()
    jobs = part.of(list(jobs_of(experiment, folder)), len(experiment.cells))
    for job in jobs:
        if holds_run(job.folder):
            runs.refuse_another(open_run(job.folder), job.config)
    write_description(folder, description(experiment))
    sweep_temporaries([folder])
    if not jobs:
        return []
    with execution.reporting("run") as report:
        outcomes, signals = _performed(jobs, request, replace(execution, report=report))
    if signals:
        raise runs.Interrupted(folder, signals[0], "the same command; the runs are in")
    return [_ended(job, outcome) for job, outcome in zip(jobs, outcomes, strict=True)]


def experiment_of(request: SweepRequest) -> Experiment:
    """Return the experiment that a sweep is to run, loaded from its file if necessary.

    Raises:
        ConfigError: the first field that is wrong.
    """
    if isinstance(request.experiment, Experiment):
        return request.experiment
    return load_experiment(request.experiment, with_fields({}, request.set), request.quick)


def folder_of_sweep(request: SweepRequest, experiment: Experiment) -> Place:
    """Return the folder of the runs of a sweep."""
    return Path("sweeps") / experiment.name if request.out is None else place_of(request.out)


def _performed(
    jobs: Sequence[SweepRun], request: SweepRequest, execution: Execution
) -> tuple[list[Outcome], list[int]]:
    """Perform the runs of a sweep.

    Returns:
        The outcomes of the runs, and the signal that requested a stop, if any.
    """
    total = sum(sum(expected_games(job)) for job in jobs)
    with (
        closing(_transport(execution, len(jobs))) as transport,
        graceful_stop() as signals,
    ):
        if present := watch():
            present.releases.append(transport.close)
        outcomes = perform_jobs(
            transport,
            perform,
            jobs,
            lambda over, games: execution.report(SweepProgress(over, len(jobs), games, total)),
            lambda: bool(signals),
            Limits(patience=request.patience, grace=execution.grace),
        )
    return outcomes, signals


def _try_out(experiment: Experiment) -> None:
    """Raise if a genetic operator of an experiment cannot be loaded, or fails."""
    for cell in experiment.cells:
        try:
            starting.learners_of(cell.config(experiment.seeds[0]))
        except (ConfigError, TournamentError) as error:
            raise ConfigError(f"{cell.name}: {error}") from None


def _ended(job: SweepRun, outcome: Outcome) -> Ended:
    if outcome.error is not None:
        return Ended(job.folder, FAILED, str(outcome.error))
    return outcome.value if outcome.value is not None else Ended(job.folder, STOPPED)


def _transport(execution: Execution, jobs: int) -> Transport:
    """Return the workers for the runs of a sweep: processes of this machine, or Ray actors."""
    if execution.ray is not None:
        from cluster.ray_connection import RayConnection
        from cluster.transports.ray import RayTransport

        execution.announce_ray(execution.ray)
        return RayTransport(RayConnection(execution.actors, execution.ray or None), reports=True)
    return Processes(min(jobs, execution.threads or available_threads()))


def folder_of(folder: Place, cell: Cell, seed: int) -> Place:
    """Return the folder of a run of a sweep, given the cell and the seed."""
    return folder / cell.name / f"seed-{seed}"


def jobs_of(experiment: Experiment, folder: Place) -> Iterator[SweepRun]:
    """Yield all runs of an experiment, seed after seed, so that each cell soon has some runs."""
    folder = folder.absolute()  # the workers may stand elsewhere
    for seed in experiment.seeds:
        for cell in experiment.cells:
            there = folder_of(folder, cell, seed)
            yield SweepRun(there, _started(cell.config(seed), there), experiment.evaluation)


def _started(config: Config, folder: Path) -> Config:
    """Return a run's configuration with ``start`` set to the run of the same seed, if it has one.

    A run that exists keeps its start, although the other run may have been continued.

    Raises:
        ConfigError, ResultsError: there is no such run yet.
    """
    if not config.run.start:
        return config
    if holds_run(folder):
        start = open_run(folder).config.get(START, "")
        return replace(config, run=replace(config.run, start=start))
    start = place_of(config.run.start.replace("{seed}", str(config.seed))).absolute()
    return starting.resolved(replace(config, run=replace(config.run, start=str(start))))


def description(experiment: Experiment) -> dict[str, Any]:
    """Return the description of an experiment for ``experiment.json``."""
    measured = experiment.evaluation
    return {
        "name": experiment.name,
        "about": experiment.about,
        "seeds": list(experiment.seeds),
        "cells": [
            {"cell": cell.name, "variant": cell.variant, "factors": dict(cell.factors)}
            for cell in experiment.cells
        ],
        "evaluation": {**vars(measured), "opponents": list(measured.opponents)},
    }


def expected_games(job: SweepRun) -> tuple[int, int]:
    """Return the approximate games of a sweep's run and its evaluation; 0 if they are unknown."""
    config = job.config
    a_generation = config.games_a_generation
    if not a_generation:
        return 0, 0
    generations = config.run.generations + 1
    if config.run.games:
        generations = min(generations, -(-config.run.games // a_generation))
    snapshots = -(-generations // config.run.snapshot_interval) + 1
    games = sum(config.sizes) * job.evaluation.games + job.evaluation.again
    return generations * a_generation, snapshots * len(job.evaluation.opponents) * games


# --- jobs of workers ----------------------------------------------------------------------------


def perform(job: SweepRun, tell: Tell, stop: Stop) -> Ended:
    """Evolve a run of a sweep to its end and measure it. Completed steps are skipped.

    Args:
        job: the run.
        tell: called with the number of games so far.
        stop: returns whether to stop early.
    """

    def report(progress: Any) -> None:
        tell(progress.games_played)

    try:
        evolved, measured = expected_games(job)
        runs.run(job.folder, job.config, threads=1, report=report, stop=stop, or_resume=True)
        _measure(job, lambda share: tell(evolved + round(share * measured)), stop)
    except runs.Interrupted:
        return Ended(job.folder, STOPPED)
    except MISTAKES as error:
        return Ended(job.folder, FAILED, str(error))
    return Ended(job.folder, DONE)


def _measure(job: SweepRun, tell: Callable[[float], None], stop: Stop) -> None:
    """Measure every individual of each snapshot of a run, then the best ones in fresh games.

    Arguments are those of the function that evolves the run.
    """
    wanted = job.evaluation
    if not wanted.opponents:
        return
    passes: list[tuple[int, dict[str, int]]] = [(wanted.games, {})]
    if wanted.again:
        passes.append((wanted.again, {"best": 1, "best_by": wanted.games}))
    opponents = list(wanted.opponents)
    measure = partial(evaluate, job.folder, opponents, config=job.config, threads=1)
    for number, (games, more) in enumerate(passes):

        def report(done: int, total: int, played: int, number: int = number) -> None:
            tell((number + done / total) / len(passes))
            if played and stop():
                raise runs.Interrupted(job.folder, signal.SIGINT)

        measure(games=games, report=report, **more)
