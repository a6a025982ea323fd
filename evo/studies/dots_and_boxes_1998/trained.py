"""The claims of Weaver and Bossomaier (1998) about back-propagation (sections 4.3 and 6)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial

import numpy as np

from evo.studies.dots_and_boxes_1998.curves import GREEDY, POPULATIONS, RANDOM
from evo.studies.dots_and_boxes_1998.rules import (
    NOT_MEASURED,
    Claim,
    Evidence,
    Finding,
    Supervised,
    points,
    share,
    stating,
)
from evo.studies.intervals import exactly, median_interval
from evo.studies.page import Announce
from evo.studies.training.curve import OfWidth, Training, TrainingOptions, widths_of
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, below, together

Judged = Callable[[Evidence, Supervised], Finding]
QUICK = TrainingOptions(networks=10, epochs=60, checkpoints=6, games=300, again=2000)


def train(quick: bool, seed: int, threads: int, announce: Announce) -> dict[str, Supervised]:
    """Train networks; what came of them, by how the first weights were drawn."""
    settings = replace(QUICK if quick else TrainingOptions(), seed=seed, threads=threads)
    with closing(Training.of(settings, announce)) as training:
        widths = {width: training.of_width(width) for width in widths_of(settings)}
    return {f"weights to +-{width:g}": _supervised(part) for width, part in widths.items()}


def _supervised(part: OfWidth) -> Supervised:
    curves = {
        opponent: [point for point in part.curve if point.opponent == opponent]
        for opponent in (RANDOM, GREEDY)
    }
    return Supervised(
        mean={name: np.array([point.mean for point in curve]) for name, curve in curves.items()},
        highest={name: np.array([point.best for point in curve]) for name, curve in curves.items()},
        fresh={name: curve[-1].again for name, curve in curves.items()},
        seconds=part.seconds,
    )


def _where_trained(judge: Judged) -> Callable[[Evidence], Finding]:
    """A judge of each way in which networks were trained, if they were."""

    def judged(evidence: Evidence) -> Finding:
        if not evidence.supervised:
            return Finding("networks were not trained", NOT_MEASURED)
        findings = {name: judge(evidence, trained) for name, trained in evidence.supervised.items()}
        verdicts = [finding.verdict for finding in findings.values()]
        if NOT_MEASURED in verdicts:
            return list(findings.values())[verdicts.index(NOT_MEASURED)]
        text = "; ".join(
            f"{name}: {finding.measured}" if name else finding.measured
            for name, finding in findings.items()
        )
        return Finding(text, together(*verdicts))

    return judged


def _below_the_weakest(evidence: Evidence, trained: Supervised, opponent: str) -> Finding:
    """How the best trained network stands to the weakest population, seed by seed."""
    weakest = np.min([evidence.curves.late(name, opponent) for name in POPULATIONS], axis=0)
    best = float(trained.highest[opponent][-1])
    interval = median_interval(best - weakest)
    text = f"wins {share(exactly(best))}, {points(interval)} above the weakest evolved population"
    return Finding(text, below(interval, 0.0), interval)


# --- claims ---------------------------------------------------------------------------------------

SUPERVISED: list[Claim] = []
stated = partial(stating, SUPERVISED)


@stated(
    "trained-inferior",
    "4.3",
    "The best trained network is inferior to the best of each evolved population (level 0)",
    "below the weakest of the four at the end",
)
@_where_trained
def _inferior(evidence: Evidence, trained: Supervised) -> Finding:
    return _below_the_weakest(evidence, trained, RANDOM)


@stated(
    "trained-slow",
    "4.3",
    "Training helps, but excruciatingly slowly, and may have plateaued",
    "the mean rises, by less than two points in the second half",
    of_curves=False,
)
@_where_trained
def _slow(_evidence: Evidence, trained: Supervised) -> Finding:
    mean = trained.mean[RANDOM]
    before, middle, after = float(mean[0]), float(mean[len(mean) // 2]), float(mean[-1])
    text = f"mean {before:.1%} before training, {middle:.1%} half-way, {after:.1%} at the end"
    improves, plateaus = after > before, after - middle < 0.02
    return Finding(text, together(*(HOLDS if so else FAILS for so in (improves, plateaus))))


@stated(
    "trained-random",
    "4.3",
    "Against level 1 the mean of trained networks is no better than random play",
    "less than half a point above; in part: less than one",
    of_curves=False,
)
@_where_trained
def _no_better(evidence: Evidence, trained: Supervised) -> Finding:
    at_random = 1.0 - evidence.facts.rates[GREEDY, RANDOM].middle
    mean = float(trained.mean[GREEDY][-1])
    apart = mean - at_random
    verdict = HOLDS if apart <= 0.005 else IN_PART if apart <= 0.01 else FAILS
    return Finding(f"mean {mean:.2%}, random play {at_random:.2%}", verdict)


@stated(
    "trained-trails",
    "4.3",
    "Against level 1 the best trained networks trail the evolved populations",
    "below the weakest of the four at the end",
)
@_where_trained
def _trails(evidence: Evidence, trained: Supervised) -> Finding:
    return _below_the_weakest(evidence, trained, GREEDY)


@stated(
    "trained-cost",
    "4.3",
    "Training costs about the same processor time as evolving",
    "half to twice; in part: a tenth to ten times",
    of_curves=False,
)
@_where_trained
def _same_cost(evidence: Evidence, trained: Supervised) -> Finding:
    if not evidence.seconds:
        return Finding("no times are known", NOT_MEASURED)
    evolved = sum(evidence.seconds.values())
    ratio = trained.seconds / evolved
    text = f"{trained.seconds:.1f} s, {evolved:.1f} s the four populations ({ratio:.2f} times)"
    verdict = HOLDS if 0.5 <= ratio <= 2 else IN_PART if 0.1 <= ratio <= 10 else FAILS
    return Finding(text, verdict)


@stated(
    "evolution-superior",
    "6",
    "Genetic algorithms can be superior to supervised learning",
    "the best evolved population is above the best trained network against level 0",
)
@_where_trained
def _superior(evidence: Evidence, trained: Supervised) -> Finding:
    strongest = np.max([evidence.curves.late(name, RANDOM) for name in POPULATIONS], axis=0)
    interval = median_interval(float(trained.highest[RANDOM][-1]) - strongest)
    text = f"the best trained network is {points(interval)} above the best evolved population"
    return Finding(text, below(interval, 0.0), interval)
