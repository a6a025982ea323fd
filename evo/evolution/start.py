"""Generation 0 from another run: to go on under other rules, or to fork."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evo.config.config import Config
from evo.genomes.base import Plan
from evo.learners.base import Learner
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from results import Run


def resolved(config: Config) -> Config:
    """The configuration with the generation that it starts from, once it can be started from.

    Raises:
        ConfigError: there is no such snapshot, or its individuals are not of this configuration.
        ResultsError: there is no such run.
    """
    if not config.run.start:
        return config
    run, generation = _found(config)
    if run.genome != config.genome_spec():
        raise ConfigError(
            f"start={config.run.start!r} given; its genomes are {_short(run.genome)}, and "
            f"{_short(config.genome_spec())} are expected here: give both the same game and genome"
        )
    held = min(len(run.population(generation, plan.name)) for plan in config.populations)
    if config.learner.starts_from_all:
        wanted = config.run.population
        if held < wanted:
            raise ConfigError(
                f"start={config.run.start!r} and population={wanted} given; generation "
                f"{generation} of it has {held} individuals: set population to that, or less"
            )
    start = f"{run.path}@{generation}"
    return replace(config, run=replace(config.run, start=start))


def learner_of(config: Config) -> Learner:
    """The learner of a configuration; it resolves and tries out what the configuration names.

    Raises:
        ConfigError: an operator that cannot be had, that a folder may not name, or that fails.
    """
    return config.learner.learner(
        config.problem(lambda plan, count: individuals(config, plan, count))
    )


def individuals(config: Config, plan: Plan, count: int) -> np.ndarray | None:
    """Genes of the so many fittest of the run that a configuration starts from, ``[N, G]``.

    In the order of their rows; None where it starts from nothing.
    """
    if not config.run.start:
        return None
    run, generation = _found(config)
    fitness = run.population(generation, plan.name)["fitness"].to_numpy()
    best = np.sort(np.argsort(-fitness, kind="stable")[:count])
    return plan.genome.unpack(run.genomes(generation, plan.name)[best])


def _found(config: Config) -> tuple[Run, int]:
    """The run and the generation that a text names."""
    from results import open_run  # late: a configuration alone needs no Parquet

    path, at, number = config.run.start.rpartition("@")
    named = bool(at) and number.isdigit() and Path(path).is_dir()
    run = open_run(path if named else config.run.start)
    generation = int(number) if named else max(run.snapshots, default=-1)
    if generation not in run.snapshots:
        raise ConfigError(
            f"start={config.run.start!r} given; {run.path} holds no snapshot of "
            f"{f'generation {generation}' if named else 'any generation'}"
        )
    return run, generation


def _short(spec: object) -> str:
    text = str(spec)
    return text if len(text) <= 120 else f"{text[:117]}..."
