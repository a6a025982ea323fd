"""Networks trained by back-propagation to play as level 1 does: figure 5, and what explains it.

Weaver and Bossomaier 1998, sections 3.7, 4.3 and 5.2; see :mod:`evo.studies.training.curve`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np

import tournaments
from evo.studies.dots_and_boxes_supervised.result import Result, Trained, Variant
from evo.studies.dots_and_boxes_supervised.variants import Different, Sets, variants
from evo.studies.page import Announce, checked_settings
from evo.studies.training.backpropagation import Assessment, Examples, assess
from evo.studies.training.curve import (
    OfWidth,
    Training,
    TrainingOptions,
    recorded,
    widths_of,
)
from evo.studies.training.networks import Task
from evo.studies.training.positions import quiet, record
from tournaments.game import Game
from tournaments.options import option

UNSEEN_GAMES = 1000
"""Whose positions nobody learns from."""
RANDOM_MATCHES = 100_000
"""Of random play against level 1: what "no better than random play" means."""


@dataclass(frozen=True)
class Settings(TrainingOptions):
    """What the study lets one choose; the defaults follow the source where it says anything."""

    explained_by: int = option(5, "networks of each variant that explains; 0: none", 0, 10_000)
    explained_epochs: int = option(100, "epochs of a variant", low=1, high=10**6)


def measure(settings: Settings, announce: Announce = lambda line: None) -> Result:
    """Train networks and play them; the result depends on the settings alone, but for times.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = validated(settings)
    widths = widths_of(settings)
    with closing(Training.of(settings, announce)) as training:
        unseen = _Unseen.of(training)
        parts = {width: training.of_width(width) for width in widths}
        return Result(
            curve=tuple(point for part in parts.values() for point in part.curve),
            networks=tuple(
                row for width in widths for row in _networks(training, unseen, width, parts[width])
            ),
            variants=tuple(_variants(training, unseen, settings)),
            weights=np.array([part.last for part in parts.values()]),
            positions=tuple(map(len, training.sets)),
            left_out=tuple(positions.left_out for positions in training.sets),
            random=_random_play(training),
            random_third_sides=_random_third_sides(unseen.quiet),
            training_seconds={width: part.seconds for width, part in parts.items()},
        )


def validated(settings: Settings) -> Settings:
    """The settings, after every one of them was looked at.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = checked_settings(settings, even=("games", "again"))
    widths_of(settings)
    return settings


# --- the parts -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Unseen:
    """Positions of games that nobody learns from: with a completing move, and without one."""

    layers: tuple[int, ...]
    completing: Examples
    quiet: Examples

    @classmethod
    def of(cls, training: Training) -> _Unseen:
        game, seed = training.opponents.game, training.settings.seed
        completing, every = (
            record(game, UNSEEN_GAMES, seed, "games never learned from", every=every)
            for every in (False, True)
        )
        return cls(training.opponents.layers, completing.examples(), quiet(game, every))

    def assess(self, weights: np.ndarray) -> Assessment:
        return assess(self.layers, self.completing, weights)


def _networks(
    training: Training, unseen: _Unseen, width: float, part: OfWidth
) -> Iterator[Trained]:
    """Every network of a width at the end."""
    settings, opponents = training.settings, training.opponents
    real = opponents.wins(part.last, settings.games, "at the end") / settings.games
    grid = opponents.wins_on_grid(part.last, settings.games, "at the end") / settings.games
    for index, weights in enumerate(part.last):
        its_set = index % settings.sets
        end, begun = unseen.assess(weights), unseen.assess(part.first[index])
        third_sides = 1.0 - assess(unseen.layers, unseen.quiet, weights).best_moves
        known = end.error, end.best_moves, third_sides, begun.slope
        rates = *real[index].tolist(), *grid[index].tolist()
        positions = len(training.examples[its_set].inputs)
        yield Trained(width, index, its_set, positions, *known, *rates)


def _variants(training: Training, unseen: _Unseen, settings: Settings) -> Iterator[Variant]:
    """Few networks of each width, with one thing different at a time."""
    if not settings.explained_by:
        return
    sets = _sets_of_variants(settings, training.opponents.game)
    for width in widths_of(settings):
        training.announce(f"variants with first weights within +-{width:g}")
        for different in variants(sets, training.rule(width), settings.explained_epochs):
            yield _variant(training, unseen, width, different, settings.explained_by)


def _variant(
    training: Training, unseen: _Unseen, width: float, different: Different, networks: int
) -> Variant:
    sets, games = different.sets, training.settings.games
    tasks = [Task(sets[index % len(sets)], different.rule, index) for index in range(networks)]
    weights = training.train(tasks, [different.epochs])[0][:, 0]
    rates = training.opponents.wins(weights, games, "variants") / games
    known = np.array([unseen.assess(row)[:2] for row in weights]).mean(axis=0).tolist()
    ends = np.column_stack([rates.mean(axis=0), rates.max(axis=0)]).ravel().tolist()
    positions = len(sets[0].inputs)
    return Variant(different.name, width, positions, different.epochs, *known, *ends)


def _random_play(training: Training) -> tuple[float, float, float]:
    """What random play wins against level 1, with its 95% interval."""
    from results.statistics import wilson

    game, (a, b) = training.opponents.game, training.opponents.players
    met = tournaments.play_matches(game, a, b, RANDOM_MATCHES, training.settings.seed)
    low, high = wilson(met.wins, met.games)
    return met.win_rate, float(low), float(high)


def _sets_of_variants(settings: Settings, game: Game) -> Sets:
    usual, number = settings.training_games, min(settings.sets, settings.explained_by)
    sizes = max(2, usual // 4), usual, 4 * usual
    fewer, same, more = (recorded(settings, game, size, number) for size in sizes)
    every = recorded(settings, game, usual, number, every=True)
    return Sets(fewer, same, more, every, [quiet(game, positions) for positions in every])


def _random_third_sides(positions: Examples) -> float:
    return 1.0 - float((positions.targets.sum(axis=1) / positions.worth.sum(axis=1)).mean())
