"""The claims of "Solving the cat trap game" (2021), and how each is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evo.studies.cat_trap.study import PUBLISHED, REWARDS
from evo.studies.intervals import median_interval
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, Judged, above

LEAST_GAP = 0.1
"""By how much a reward is clearly lowest."""
ALIKE = 0.02
"""How far a win rate may be from a published one and still be the same."""


def judge(record: Mapping[str, Any]) -> list[Judged]:
    """The verdicts on all claims, by what was measured."""
    rows = record["readings"]
    return [
        _lowest(rows),
        _order(rows),
        _table(rows),
        _rising(record["times"], "num_states"),
        _rising(record["times"], "max_depth"),
        _evolved(record["evolved"]),
    ]


def _evolved(rows: Sequence[Mapping[str, Any]]) -> Judged:
    """Evolved cats against the best of the rewards, over the evolved blockers of other seeds."""
    by_cat = {row["cat"]: row["by_seed"] for row in rows}
    own = np.array(by_cat.pop("evolved"))
    rewards = {cat: rates for cat, rates in by_cat.items() if "reward" in cat}
    best = max(rewards, key=lambda cat: float(np.mean(rewards[cat])))
    gap = median_interval(own - np.array(rewards[best]))
    middle, low, high = (f"{100 * value:+.1f}" for value in gap[:3])
    return Judged(
        "Evolved cats beat the best of the rewards (ours)",
        "they win more games against the evolved blockers of all other seeds, median over seeds",
        f"{middle} points ({low} to {high}) more than '{best}'",
        above(gap),
    )


def near(row: Mapping[str, Any]) -> list[int]:
    """The rewards whose rate is as published."""
    return [r for r in REWARDS if abs(row[f"reward_{r}"] - PUBLISHED[r]) <= ALIKE]


def _rates(row: Mapping[str, Any]) -> list[float]:
    return [row[f"reward_{reward}"] for reward in REWARDS]


def _share(holding: Sequence[bool]) -> str:
    if all(holding):
        return HOLDS
    return IN_PART if any(holding) else FAILS


def _lowest(rows: Sequence[Mapping[str, Any]]) -> Judged:
    holding = [min(_rates(row)[1:]) - row["reward_1"] >= LEAST_GAP for row in rows]
    return Judged(
        "Reward 1 wins clearly least",
        f"it wins at least {LEAST_GAP:.0%} of the games fewer than each other reward, under all "
        "readings; in part: under some",
        f"so under {sum(holding)} of {len(rows)} readings",
        _share(holding),
    )


def _order(rows: Sequence[Mapping[str, Any]]) -> Judged:
    holding = [
        _rates(row) == sorted(_rates(row)) and row["reward_1"] < row["reward_4"] for row in rows
    ]
    return Judged(
        "Reward 4 wins most, then 3, 2 and 1",
        "win rates rise from reward 1 to reward 4, under all readings; in part: under some",
        f"so under {sum(holding)} of {len(rows)} readings",
        _share(holding),
    )


def _table(rows: Sequence[Mapping[str, Any]]) -> Judged:
    counts = [len(near(row)) for row in rows]
    best = max(range(len(rows)), key=counts.__getitem__)
    return Judged(
        "They win .63, .92, .97 and .99",
        f"one reading gives all four within {ALIKE}; in part: some of them",
        f"'{rows[best]['reading']}' gives {counts[best]} of them, and none gives more",
        HOLDS if counts[best] == len(REWARDS) else IN_PART if counts[best] else FAILS,
    )


def _rising(times: Sequence[Mapping[str, Any]], by: str) -> Judged:
    """A move takes longer with more of something, all else equal: from the least to the most."""
    other = "max_depth" if by == "num_states" else "num_states"
    held = sorted({row[other] for row in times} - ({0} if by == "num_states" else set()))
    spans = []
    for value in held:
        rows = sorted((row for row in times if row[other] == value), key=lambda row: _size(row[by]))
        spans.append((rows[0]["milliseconds"], rows[-1]["milliseconds"]))
    least, most = (
        min(last / first for first, last in spans),
        max(last / first for first, last in spans),
    )
    return Judged(
        f"A move takes longer the larger {by} is",
        f"the largest takes longer than the smallest, for each {other}"
        + (" above 0" if by == "num_states" else ""),
        f"{least:,.1f} to {most:,.0f} times as long",
        _share([last > first for first, last in spans]),
    )


def _size(number: int) -> int:
    """-1 stands for all."""
    return number if number >= 0 else 10**6
