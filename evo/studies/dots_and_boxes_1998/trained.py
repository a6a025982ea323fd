"""Measures of the claims of Weaver and Bossomaier (1998) about back-propagation (4.3 and 6)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from evo.studies.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    NOT_MEASURED,
    Finding,
    below,
    together,
    verdict_on,
)
from evo.studies.dots_and_boxes_1998.curves import GREEDY, POPULATIONS, RANDOM
from evo.studies.dots_and_boxes_1998.measurements import Measurements, Supervised
from evo.studies.intervals import median_interval
from evo.studies.page import columns_of
from evo.studies.settings import Announce
from evo.studies.training.curve import OfWidth, Training, TrainingOptions, widths_of

QUICK = TrainingOptions(networks=10, epochs=60, checkpoints=6, games=300, again=2000)


def train(quick: bool, seed: int, threads: int, announce: Announce) -> dict[str, Supervised]:
    """Train networks by back-propagation, and return results by the width of the first weights."""
    settings = replace(QUICK if quick else TrainingOptions(), seed=seed, threads=threads)
    with closing(Training(settings, announce)) as training:
        widths = {width: training.of_width(width) for width in widths_of(settings)}
    return {f"weights to +-{width:g}": _supervised(part) for width, part in widths.items()}


def _supervised(part: OfWidth) -> Supervised:
    curves = {opponent: columns_of(part.of(opponent)) for opponent in (RANDOM, GREEDY)}
    mean, highest = (
        {name: np.array(curve[column]) for name, curve in curves.items()}
        for column in ("mean", "best")
    )
    fresh = {name: curve["again"][-1] for name, curve in curves.items()}
    return Supervised(mean, highest, fresh, part.seconds)


def _of_each_training(judge: Callable[..., Finding]) -> Callable[..., Finding]:
    """Return a measure that applies ``judge`` to each set of trained networks and joins findings.

    If no networks were trained, the finding says so.
    """

    @wraps(judge)
    def judge_all(measured: Measurements, **arguments: Any) -> Finding:
        if not measured.supervised:
            return Finding("networks were not trained", NOT_MEASURED)
        findings = {
            name: judge(measured, trained, **arguments)
            for name, trained in measured.supervised.items()
        }
        verdicts = [finding.verdict for finding in findings.values()]
        if NOT_MEASURED in verdicts:
            return list(findings.values())[verdicts.index(NOT_MEASURED)]
        found = "; ".join(f"{name}: {finding.found}" for name, finding in findings.items())
        return Finding(found, together(*verdicts))

    return judge_all


@_of_each_training
def below_the_weakest(measured: Measurements, trained: Supervised, opponent: str) -> Finding:
    """Judge whether the best trained network is below the weakest evolved population.

    The win rates against ``opponent`` are compared seed by seed.
    """
    weakest = np.min([measured.curves.late(name, opponent) for name in POPULATIONS], axis=0)
    best = float(trained.highest[opponent][-1])
    gap = median_interval(best - weakest)
    found = f"wins {best:.1%}, {gap:+.1p} points above the weakest evolved population"
    return Finding(found, below(gap, 0.0))


@_of_each_training
def below_the_strongest(measured: Measurements, trained: Supervised) -> Finding:
    """Judge whether the best trained network wins less against level 0 than the best population."""
    strongest = np.max([measured.curves.late(name, RANDOM) for name in POPULATIONS], axis=0)
    gap = median_interval(float(trained.highest[RANDOM][-1]) - strongest)
    found = f"the best trained network is {gap:+.1p} points above the best evolved population"
    return Finding(found, below(gap, 0.0))


@_of_each_training
def slow(_measured: Measurements, trained: Supervised) -> Finding:
    """Judge whether the mean win rate of trained networks rises, and little in the second half."""
    mean = trained.mean[RANDOM].tolist()
    before, middle, after = mean[0], mean[len(mean) // 2], mean[-1]
    found = f"mean {before:.1%} before training, {middle:.1%} half-way, {after:.1%} at the end"
    return Finding(found, verdict_on(after > before, after - middle < 0.02))


@_of_each_training
def no_better_than_random(measured: Measurements, trained: Supervised) -> Finding:
    """Judge whether trained networks are no better than random play against level 1."""
    at_random = 1.0 - measured.facts[f"{GREEDY} against {RANDOM}"].middle
    mean = float(trained.mean[GREEDY][-1])
    apart = mean - at_random
    verdict = HOLDS if apart <= 0.005 else IN_PART if apart <= 0.01 else FAILS
    return Finding(f"mean {mean:.2%}, random play {at_random:.2%}", verdict)


@_of_each_training
def cost(measured: Measurements, trained: Supervised) -> Finding:
    """Judge whether training networks takes as much processor time as evolving them."""
    if not measured.seconds:
        return Finding("no times are known", NOT_MEASURED)
    evolved = sum(measured.seconds.values())
    ratio = trained.seconds / evolved
    found = f"{trained.seconds:.1f} s, {evolved:.1f} s the four populations ({ratio:.2f} times)"
    verdict = HOLDS if 0.5 <= ratio <= 2 else IN_PART if 0.1 <= ratio <= 10 else FAILS
    return Finding(found, verdict)
