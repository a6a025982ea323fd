"""Evolved rivals at equal numbers of turns: policy tables and networks, a population a role."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cluster import Entrants, LocalEvaluator
from evo.config.config import Config, from_dict
from evo.evolution.loop import Clock, evaluate
from evo.evolution.start import learner_of
from evo.population import EvaluatedGeneration
from evo.studies.claims import read_toml
from evo.studies.fox_and_hounds.courses import GameYardstick, HoundsWorth, pair_of
from evo.studies.fox_and_hounds.experiments import GAME, FoxAndHoundsSettings
from evo.studies.kept import kept
from evo.studies.settings import Announce
from tournaments.arena.outcomes import PLIES, SCORES, Played
from tournaments.schedules.base import Matches

RIVALS: Mapping[str, Mapping[str, Any]] = read_toml(__package__, "rivals.toml")
"""The configuration of each rival, but for the game and the seed."""


class CountingTurns(LocalEvaluator):
    """An evaluator that counts the turns of all games."""

    turns = 0

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Play matches, and count their turns; see :meth:`cluster.evaluator.Evaluator.play`."""
        for played in super().play(entrants, replace(matches, measured=True)):
            self.turns += int(played.outcomes[:, :, PLIES].sum())
            if matches.measured:
                yield played
            else:
                yield played._replace(outcomes=np.ascontiguousarray(played.outcomes[..., :SCORES]))


def config_of_rival(name: str, settings: FoxAndHoundsSettings, seed: int) -> Config:
    """Return the configuration of a run of a rival method for fox and hounds."""
    game = {"name": GAME, **settings.game.options}
    return from_dict({**RIVALS[name], "game": game, "seed": seed})


def run_rivals(
    settings: FoxAndHoundsSettings, yardstick: GameYardstick, announce: Announce
) -> Iterator[tuple[str, np.ndarray, HoundsWorth]]:
    """Evolve populations by each rival method, for as many plies as the longest training.

    Yields:
        The name of the method, the plies played with each seed, and the exact results of the
        champions.
    """
    for name in RIVALS if settings.rivals else ():
        config = config_of_rival(name, settings, settings.seed)
        numbers = settings.rivals, settings.turns, settings.game.spec, settings.seed
        what = (name, repr(RIVALS[name]), *map(str, numbers), config.laws)
        run = partial(_run, name, settings, yardstick, announce)
        columns = ("turns", *HoundsWorth._fields)
        found = kept(settings.runs, name.replace(", ", "-"), what, columns, run)
        yield name, found["turns"], HoundsWorth(*(found[field] for field in HoundsWorth._fields))


def _run(
    name: str, settings: FoxAndHoundsSettings, yardstick: GameYardstick, announce: Announce
) -> dict[str, np.ndarray]:
    """Evolve with each seed by a rival method; return the turns played and the champions' worth."""
    pairs, turns = [], []
    for seed in range(settings.seed, settings.seed + settings.rivals):
        announce(f"{name}, seed {seed}")
        config = config_of_rival(name, settings, seed)
        present, count = _evolved(config, settings)
        genes = {
            each.population.name: each.population.genes[[int(np.argmax(each.fitness))]]
            for each in present.living
        }
        pairs.append(pair_of(config, genes))
        turns.append(count)
    return {"turns": np.array(turns), **yardstick.of(iter(pairs))._asdict()}


def _evolved(config: Config, settings: FoxAndHoundsSettings) -> tuple[EvaluatedGeneration, int]:
    """Evolve until enough turns are played; return the last generation and the number of turns."""
    learner = learner_of(config)
    with closing(CountingTurns(settings.workers)) as evaluator:
        present, _ = evaluate(config, learner, evaluator, learner.first(), Clock())
        while evaluator.turns < settings.turns:
            present, _ = evaluate(config, learner, evaluator, learner.next(present), Clock())
        return present, evaluator.turns
