"""Generation 0 from another run, to continue under other rules or to fork."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.config.config import Config
from evo.evolution.guarded import guarded_learner
from evo.genomes.base import Plan
from evo.learners import LEARNERS
from evo.learners.base import Learner
from tournaments.errors import ConfigError, shown
from tournaments.players.programs import remember

if TYPE_CHECKING:
    from results import Run

MOST_SHOWN = 40
"""Maximum length of a value in a message."""


def resolved(config: Config) -> Config:
    """Return the configuration with the exact generation of another run from which it starts.

    Raises:
        ConfigError: there is no such snapshot, or its individuals are not of this configuration.
        ResultsError: there is no such run.
    """
    if not config.run.start:
        return config
    texts = _texts(config)
    found = {name: _found(config, text) for name, text in texts.items()}
    for name, (run, generation) in found.items():
        _check(config, config.plan(name), run, generation)
    starts = {name: f"{run.path}@{generation}" for name, (run, generation) in found.items()}
    start = starts[next(iter(starts))]
    if config.run.start not in texts.values():
        start = "+".join(f"{name}={start}" for name, start in starts.items())
    return replace(config, run=replace(config.run, start=start))


def _texts(config: Config) -> dict[str, str]:
    """Return the run from which each population starts, as the text of ``start`` names it.

    Either all populations start from one run, or some are named, as in
    ``fox=runs/a@20+hounds=runs/b``.
    """
    names = [plan.name for plan in config.populations]
    parts = [part.partition("=") for part in config.run.start.split("+")]
    if all(name in names and text for name, _, text in parts):
        return {name: text for name, _, text in parts}
    return dict.fromkeys(names, config.run.start)


def _check(config: Config, plan: Plan, run: Run, generation: int) -> None:
    """Raise if a run's individuals cannot be the start of a population.

    They have to fit the configuration, and to be enough.
    """
    from results.format.genomes import spec_of

    theirs = spec_of(run.genome, plan.name) if plan.name in run.populations else run.genome
    if theirs != plan.genome.spec():
        raise ConfigError(
            f"start={config.run.start!r} given; its individuals do not fit this configuration: "
            f"{_apart(config, plan, run, theirs)}: give both the same game and genome"
        )
    held, wanted = len(run.population(generation, plan.name)), config.run.population
    if config.learner.starts_from_all and held < wanted:
        raise ConfigError(
            f"start={config.run.start!r} and population={wanted} given; generation "
            f"{generation} of it has {held} individuals: set population to that, or less"
        )


def learner_of(config: Config) -> Learner:
    """Return the learner of a configuration, ready to evolve.

    All that the configuration names is loaded and tried out.

    Raises:
        ConfigError: an operator cannot be loaded, fails, or may not be named by a folder.
    """
    problem = config.problem(lambda plan, count: individuals(config, plan, count))
    return guarded_learner(config, problem, LEARNERS.plugin(config.learner.name))


def learners_of(config: Config) -> tuple[Learner, ...]:
    """Return the learner of each island of a configuration.

    Raises:
        ConfigError: as of :func:`learner_of`.
    """
    return tuple(map(learner_of, config.of_islands))


def individuals(config: Config, plan: Plan, count: int) -> np.ndarray | None:
    """Return the genes of the fittest individuals of the run from which a population starts.

    They are ``[N, G]``, N = ``count``.

    The genes are in the order of their rows. Return None if the configuration starts from no run.

    Raises:
        ConfigError: the folder of a run names the other run, and is not trusted.
    """
    text = _texts(config).get(plan.name, "") if config.run.start else ""
    if not text:
        return None
    if config.read_from:
        raise ConfigError(
            f"{config.read_from} starts from the run {shown(text)}, which an untrusted run may "
            "not name: if you trust it, add --trust (trust=True)"
        )
    run, generation = _found(config, text)
    fitness = run.population(generation, plan.name)["fitness"].to_numpy()
    best = np.sort(np.argsort(-fitness, kind="stable")[:count])
    return plan.genome.unpack(run.genomes(generation, plan.name)[best])


def _found(config: Config, text: str) -> tuple[Run, int]:
    """Return the run and the generation that a text of ``start`` names, such as ``runs/a@20``."""
    from results import open_run  # late: a configuration alone needs no Parquet
    from results.folder.files import is_folder, place_of

    path, at, number = text.rpartition("@")
    named = bool(at) and number.isdigit() and is_folder(place_of(path))
    run = open_run(path if named else text)
    run.pass_texts(remember)
    if run.has_islands:
        raise ConfigError(
            f"start={config.run.start!r} given; {run.path} has islands, from which no run can "
            "start: name a run without islands, or go on with that run by evo resume"
        )
    generation = int(number) if named else max(run.snapshots, default=-1)
    if generation not in run.snapshots:
        raise ConfigError(
            f"start={config.run.start!r} given; {run.path} holds no snapshot of "
            f"{f'generation {generation}' if named else 'any generation'}"
        )
    return run, generation


def _apart(config: Config, plan: Plan, run: Run, theirs: Mapping[str, Any]) -> str:
    """Return in words how the genomes of the starting run differ from those configured.

    ``theirs`` is the specification of the starting run's genome.
    """
    from results.read.settings import game_of  # late, as above

    games = game_of(run.config), game_of(config.to_dict())
    specs = [theirs, plan.genome.spec()]
    if len({spec.get("encoding") for spec in specs}) > 1:
        specs = [{"encoding": spec.get("encoding")} for spec in specs]
    there, here = ({"game": game, **spec} for game, spec in zip(games, specs, strict=True))
    return ", ".join(
        f"{name} {_value_text(there.get(name))} there and {_value_text(here.get(name))} here"
        for name in here | there
        if name != "bytes" and there.get(name) != here.get(name)
    )


def _value_text(value: object) -> str:
    """Return a value of a genome's description as short text; lists of numbers as ``24-9-24``."""
    if value is None:
        return "none"
    text = "-".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
