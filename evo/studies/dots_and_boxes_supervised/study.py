"""Networks trained by back-propagation to play as level 1 does: figure 5, and what explains it.

Weaver and Bossomaier 1998, sections 3.7, 4.3 and 5.2; see :mod:`evo.studies.training.curve`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

import tournaments
from evo.studies.intervals import share_interval
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, setting
from evo.studies.training.backpropagation import Examples, assess
from evo.studies.training.curve import (
    OPPONENTS,
    SAFE,
    OfWidth,
    Training,
    TrainingOptions,
    recorded,
    widths_of,
    with_quiet,
)
from evo.studies.training.positions import Positions, quiet, record
from tournaments.game import Game

UNSEEN_GAMES = 1000
"""Games whose positions no network learns from."""
RANDOM_MATCHES = 100_000
"""Matches of random play against level 1, the reference for "no better than random play"."""
EMPHASIS = 5.0
"""How much more a completing move counts: there are about five others beside it."""
LONGER = 5
"""Factor by which the networks of one variant are trained longer."""
LEVELS = ("level_0", "level_1")
"""Columns of win rates, by opponent."""
OF_WIDTHS = (
    *("first_slope", "error", "best_moves", "third_sides"),
    *("level_0", "grid_level_0", "level_1", "grid_level_1"),
)
"""Columns of the networks whose means are reported."""


@dataclass(frozen=True)
class SupervisedSettings(TrainingOptions):
    """Options of the study; the defaults follow the source where it says anything.

    Attributes:
        explained_by: networks of each variant that explains; 0: none
        explained_epochs: epochs of a variant
    """

    explained_by: int = setting(5, low=0, high=10_000)
    explained_epochs: int = setting(100)


def measure(settings: SupervisedSettings, announce: Announce) -> Evidence:
    """Train networks for dots and boxes by back-propagation, and play games with them.

    The result depends on the settings alone, but for times.
    """
    widths = widths_of(settings)
    with closing(Training(settings, announce)) as training:
        positions = record(training.game, UNSEEN_GAMES, settings.seed, "games never learned from")
        unseen = Unseen(positions.completing.examples(), quiet(training.game, positions))
        parts = {width: training.of_width(width) for width in widths}
        networks = {
            width: list(_network_rows(training, unseen, width, part))
            for width, part in parts.items()
        }
        tables = {
            "curve": [point for part in parts.values() for point in part.curve],
            "networks": [row for rows in networks.values() for row in rows],
            "variants": list(_variant_rows(training, unseen, settings)),
        }
        measured = {
            "summary": [row for part in parts.values() for row in _summary_rows(part)],
            "widths": [
                {
                    "width": width,
                    **{name: float(np.mean([row[name] for row in rows])) for name in OF_WIDTHS},
                    "training_seconds": parts[width].seconds,
                }
                for width, rows in networks.items()
            ],
            "variants": tables["variants"],
            "positions": [len(part.completing.boards) for part in training.sets],
            "left_out": [len(part.boards) - len(part.completing.boards) for part in training.sets],
            "random_play": _random_play(training, unseen.quiet),
        }
    arrays = {}
    for width, part in parts.items():
        arrays[f"networks-{width:g}"] = part.last
        for opponent in OPPONENTS:
            best = part.of(opponent)[-1]["network"]
            arrays[f"best-{width:g}-against-{opponent}"] = part.last[best]
    return Evidence(measured, arrays=arrays, tables=tables)


def _summary_rows(part: OfWidth) -> Iterator[dict[str, Any]]:
    """Yield a row for each opponent: win rates of networks before training, and at the end.

    ``part`` are the networks of one width of the first weights.
    """
    for opponent in OPPONENTS:
        first, *_, last = part.of(opponent)
        yield {**last, "mean_before": first["mean"], "best_before": first["best"]}


class Unseen(NamedTuple):
    """Positions of games that no network learns from: with a completing move, and without one."""

    completing: Examples
    quiet: Examples


def _network_rows(
    training: Training, unseen: Unseen, width: float, part: OfWidth
) -> Iterator[dict[str, Any]]:
    """Measure every network whose first weights had a width, at the end of its training.

    ``error`` and ``best_moves`` are of positions that it has not seen, see
    :class:`evo.studies.training.backpropagation.Assessment`. ``third_sides`` is the share of its
    moves, at positions at which no edge completes a box, that draw a third side though others do
    not. ``first_slope`` is the mean slope of its nodes before training. ``level_0`` and ``level_1``
    are win rates, ``grid_level_0`` and ``grid_level_1`` those of the nearest genome in the same
    games.
    """
    settings, played, layers = training.settings, training.settings.games, training.real.layers
    real = training.wins(training.real, part.last, played, "at the end") / played
    grid = training.wins(training.grid, part.last, played, "at the end") / played
    for index, weights in enumerate(part.last):
        its_set = index % settings.sets
        end = assess(layers, unseen.completing, weights)
        begun = assess(layers, unseen.completing, part.first[index])
        yield {
            "width": width,
            "network": index,
            "set": its_set,
            "positions": len(training.examples[its_set].inputs),
            "error": end.error,
            "best_moves": end.best_moves,
            "third_sides": 1.0 - assess(layers, unseen.quiet, weights).best_moves,
            "first_slope": begun.slope,
            **dict(zip(LEVELS, real[index].tolist(), strict=True)),
            **dict(zip(map("grid_{}".format, LEVELS), grid[index].tolist(), strict=True)),
        }


def _random_play(training: Training, positions: Examples) -> dict[str, float]:
    """Return the win rate of random play against level 1, and its share of third sides.

    The win rate has its 95% interval. Third sides are counted at quiet positions.
    """
    one, other = training.opponents
    seed = training.settings.seed
    met = tournaments.play_matches(training.game, one, other, RANDOM_MATCHES, seed)
    refused = positions.targets.sum(axis=1) / positions.worth.sum(axis=1)
    rate = share_interval(met.wins, met.games).columns("win_rate")
    return {**rate, "third_sides": 1.0 - float(refused.mean())}


# --- variants ------------------------------------------------------------------------------------
# Section 5.2 of the source says that fewer and more positions, and other learning rates, came to
# much the same, and gives as the likely cause that the errors of the many outputs that should be
# zero dominate those of the lone positive one. Section 3.7 says that positions at which no move
# completes a box are of no benefit.


class Variant(NamedTuple):
    """A training with one thing different.

    Attributes:
        name: in a few words.
        sets: the examples of each training set.
        rule: fields of the update rule that differ.
        times: factor by which networks are trained longer.
    """

    name: str
    sets: Sequence[Examples]
    rule: Mapping[str, Any] = {}
    times: int = 1


def variants(settings: SupervisedSettings, game: Game) -> list[Variant]:
    """Return the variants of training: the study's own, and each with one thing different."""
    played, rate = settings.training_games, settings.learning_rate

    def sets(number: int) -> list[Positions]:
        return recorded(settings, game, number, min(settings.sets, settings.explained_by))

    def examples(positions: Sequence[Positions], *weighed: float) -> list[Examples]:
        return [part.completing.examples(*weighed) for part in positions]

    usual = sets(played)
    plain, quiet_sets = examples(usual), [quiet(game, positions) for positions in usual]
    taught = [with_quiet(*both) for both in zip(plain, quiet_sets, strict=True)]
    brisk = {"momentum": 0.9}
    return [
        Variant("as it is", plain),
        Variant("a quarter of the games", examples(sets(max(2, played // 4)))),
        Variant("four times the games", examples(sets(4 * played))),
        Variant("no position left out", [part.examples() for part in usual]),
        Variant("learning rate / 10", plain, {"learning_rate": rate / 10}),
        Variant("learning rate x 10", plain, {"learning_rate": rate * 10}),
        Variant("momentum 0.9", plain, brisk),
        Variant(
            "a whole set at once, rate / 50, momentum 0.9",
            plain,
            {**brisk, "batch": 0, "learning_rate": rate / 50},
        ),
        Variant("two boxes ask for 2", examples(usual, 2.0)),
        Variant(f"completing moves count {EMPHASIS:g} times", examples(usual, 1.0, EMPHASIS)),
        Variant(f"refusing third sides, {SAFE:g}", taught),
        Variant(f"refusing third sides, {SAFE:g}, momentum 0.9", taught, brisk),
        Variant(f"{LONGER} times as long", plain, times=LONGER),
    ]


def _variant_rows(
    training: Training, unseen: Unseen, settings: SupervisedSettings
) -> Iterator[dict[str, Any]]:
    """Train a few networks in each variant and width, and yield mean and highest win rates."""
    if not settings.explained_by:
        return
    compared = variants(settings, training.game)
    for width in widths_of(settings):
        training.announce(f"variants with first weights within +-{width:g}")
        for variant in compared:
            yield _variant_row(training, unseen, width, variant, settings)


def _variant_row(
    training: Training, unseen: Unseen, width: float, variant: Variant, settings: SupervisedSettings
) -> dict[str, Any]:
    sets, games, epochs = variant.sets, settings.games, variant.times * settings.explained_epochs
    examples = [sets[index % len(sets)] for index in range(settings.explained_by)]
    rule = replace(training.rule(width), **variant.rule)
    weights = training.train(examples, rule, [epochs])[0][:, 0]
    rates = training.wins(training.real, weights, games, "variants") / games
    assessed = [assess(training.real.layers, unseen.completing, row)[:2] for row in weights]
    error, best_moves = np.array(assessed).mean(axis=0).tolist()
    row = {
        "variant": variant.name,
        "width": width,
        "positions": len(sets[0].inputs),
        "epochs": epochs,
        "error": error,
        "best_moves": best_moves,
    }
    for place, name in enumerate(LEVELS):
        row |= {name: float(rates[:, place].mean()), f"{name}_best": float(rates[:, place].max())}
    return row


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return a text for the page: the mean number of positions of a training set."""
    return {"mean_positions": float(np.mean(evidence.record["positions"]))}


REPORT = StudyReport(__package__, SupervisedSettings, measure, texts=texts)
