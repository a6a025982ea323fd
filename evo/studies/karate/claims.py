"""What "My AI reads your mind" (2011) says, and how each statement is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evo.studies.intervals import Interval, exactly
from evo.studies.karate.study import mean_interval
from evo.studies.verdicts import FAILS, HOLDS, Judged, above, together


def judge(record: Mapping[str, Any]) -> list[Judged]:
    """The verdicts on all claims, by what was measured."""
    return [
        _first_kick(record["stage"]),
        _then_punch(record["stage"]),
        _more_data(_by_player(record["orders"])),
        _with_data(_by_player(record["orders"])),
        _learnt(_by_player(record["priors"])),
        _uncertainty(_by_player(record["priors"])),
        _best_of_a_model(_by_player(record["betas"])),
        _matching(_by_player(record["betas"])),
        _minds(record["levels"]),
    ]


def _by_player(rows: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {row["player"]: row for row in rows}


def gap(one: Mapping[str, Any], other: Mapping[str, Any], column: str) -> Interval:
    """How much more one row has than another, by the errors of both."""
    middle = one[column] - other[column]
    reach = float(np.hypot(one[f"{column}_error"], other[f"{column}_error"]))
    return Interval(middle, middle - reach, middle + reach, 0.95)


def _shown(interval: Interval) -> str:
    reach = interval.high - interval.middle
    return f"{interval.middle:+.2f} +- {reach:.2f}" if reach else f"{interval.middle:+.2f}"


def _first_kick(stage: Mapping[str, Any]) -> Judged:
    ranked = sorted(zip(stage["scores"], stage["moves"], strict=True), reverse=True)
    (best, move), (second, _) = ranked[:2]
    return Judged(
        "The low kick has a priori the highest chance of success, so it is what is played first",
        "it has the greatest expected score against moves that are all as likely",
        f"{move} has {best:g} points, the next best move {second:g}",
        above(exactly(best - second)) if move == "kick" else FAILS,
    )


def _then_punch(stage: Mapping[str, Any]) -> Judged:
    blocks = stage["blocks"]
    return Judged(
        "Who blocks kicks more often makes the punch more likely to score",
        "a punch becomes the best move after some kick blocks, counts begun from 1",
        f"after {blocks} in a row",
        HOLDS if blocks < 100 else FAILS,
    )


def _more_data(rows: Mapping[str, Mapping[str, Any]]) -> Judged:
    short, long = gap(rows["2"], rows["4"], "short"), gap(rows["4"], rows["2"], "long_eight")
    return Judged(
        "A longer history takes much longer to estimate",
        "order 4 earns less than order 2 in 20 rounds against people, and more in 400 rounds "
        "against the cycle that only three moves tell",
        f"order 2 earns {_shown(short)} a round more in 20; order 4 {_shown(long)} more in 400",
        together(above(short), above(long)),
    )


def _with_data(rows: Mapping[str, Mapping[str, Any]]) -> Judged:
    short = gap(rows["4 with data"], rows["4"], "short")
    long = gap(rows["4 with data"], rows["2"], "long_eight")
    return Judged(
        "A workaround is to use higher orders only when enough data is available",
        "order 4 from 4 observations on earns more than order 4 at once in 20 rounds, and more "
        "than order 2 in 400 against the cycle of eight",
        f"{_shown(short)} a round in 20; {_shown(long)} in 400",
        together(above(short), above(long)),
    )


def _paired(rows: Mapping[str, Mapping[str, Any]], one: str, other: str) -> Interval:
    return mean_interval(np.subtract(rows[one]["values"], rows[other]["values"]))


def _learnt(rows: Mapping[str, Mapping[str, Any]]) -> Judged:
    gain = _paired(rows, "learnt prior", "even prior")
    strong = _paired(rows, "learnt prior, 4 times as strong", "even prior")
    return Judged(
        "A prior learnt over many games with different players improves the initial phase",
        "in 20 rounds against new people it earns more than an even prior, for each strength",
        f"{_shown(gain)} a round; four times as strong {_shown(strong)}",
        together(above(gain), above(strong)),
    )


def _uncertainty(rows: Mapping[str, Mapping[str, Any]]) -> Judged:
    gain = _paired(rows, "even prior", "no uncertainty")
    return Judged(
        "At the start the uncertainty about the estimated moves should be taken into account",
        "in 20 rounds against new people a Dirichlet prior of 1 earns more than one of 0.01",
        f"{_shown(gain)} a round",
        above(gain),
    )


def _best_of_a_model(rows: Mapping[str, Mapping[str, Any]]) -> Judged:
    gain = gap(rows["best"], rows["0.5"], "people")
    return Judged(
        "Probability matching is suboptimal if the Markov model is the real model",
        "against people whom it describes the best move earns more than beta 0.5",
        f"{_shown(gain)} a round",
        above(gain),
    )


def _matching(rows: Mapping[str, Mapping[str, Any]]) -> Judged:
    gains = [gap(rows["0.5"], rows["best"], f"reader_{place}") for place in range(3)]
    return Judged(
        "It performs better in practice, as it is less predictable",
        "beta 0.5 earns more than the best move against each reader of it",
        "; ".join(f"{_shown(gain)} a round" for gain in gains),
        together(*map(above, gains)),
    )


def _minds(levels: Sequence[Mapping[str, Any]]) -> Judged:
    gains = []
    for level in range(1, 4):
        row, below = levels[level], f"level_{level - 1}"
        middle, reach = row[below], row[f"{below}_error"]
        gains.append(Interval(middle, middle - reach, middle + reach, 0.95))
    return Judged(
        "To take into account that the other has a model of oneself pays",
        "each level gains on the level below it",
        "; ".join(f"level {level}: {_shown(gain)}" for level, gain in enumerate(gains, start=1)),
        together(*map(above, gains)),
    )
