"""The claims of "Tracking down the enemy", in two parts (P. Berkes), and how each is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evo.studies.intervals import Interval
from evo.studies.tracking.pieces import FULL, Table, gain
from evo.studies.tracking.play import OPPONENTS
from evo.studies.verdicts import Judged, above, below, together

FORAGERS = ("exploring", "hungry")
"""Agents that go somewhere: what the source calls realistic."""


TEAMS = (
    ("The estimated position makes better agents", "team", "team:tracker=0"),
    (
        "A pac-man is to be caught from the front: following it is pointless",
        "team",
        "team:heading=0",
    ),
    (
        "Soft constraints and some randomness are better than hard, deterministic rules",
        "team",
        "team:soft=0,whim=0",
    ),
    ("Soft constraints alone are better than hard rules (ours)", "team", "team:soft=0"),
    ("Some randomness alone is better than none (ours)", "team", "team:whim=0"),
    ("The exploring model makes better agents than the uniform one (ours)", "team", "team:beta=0"),
    ("An attacker and a defender beat two attackers (ours)", "team", "attackers"),
    ("Evolved weights beat those set by hand (ours)", "evolved", "team"),
)
"""Claims about teams: the first of two wins more often. Some are this project's own."""


def judge_teams(rows: Sequence[Mapping[str, Any]]) -> Iterator[Judged]:
    """The verdicts on the claims about teams, by the games that they won."""
    by_pair = {(row["team"], row["against"]): row for row in rows}
    for claim, first, second in TEAMS:
        row = by_pair[first, second]
        rate = Interval.of_row(row, "win_rate")
        rule = f"`{first}` wins more than half of the games against `{second}`"
        yield Judged(claim, rule, rate.percent(), above(rate, 0.5))


def judge(table: Table) -> Iterator[Judged]:
    """The verdicts on the claims about the tracker, by what was measured."""
    yield _uniform_is_right(table)
    yield _uniform_fails(table)
    rule = "more probability on the true square, agents that explore and that eat"
    for claim, name, over in (
        ("The exploring model is much better", "exploring model", "uniform model"),
        ("The noisy distance makes it better still", "exploring model, noise", "exploring model"),
        ("So does the range of sight", FULL, "exploring model, noise"),
        ("Smoothing improves past estimates", f"{FULL}, smoothed", FULL),
    ):
        gains = {walk: gain(table, walk, name, over) for walk in FORAGERS}
        yield Judged(claim, rule, said(gains), together(*map(above, gains.values())))


def judge_play(table: Table) -> Judged:
    """The verdict on the exploring model in games of whole teams."""
    gains = {team: gain(table, team, FULL, "uniform model, noise, sight") for team in OPPONENTS}
    return Judged(
        "In games, too, the exploring model tracks better than the uniform one",
        "more probability on the true square, both with noise and sight",
        said(gains),
        together(*map(above, gains.values())),
    )


def _uniform_is_right(table: Table) -> Judged:
    gains = {"random": gain(table, "random", "uniform model", "exploring model")}
    return Judged(
        "The uniform model does a good job with an agent that moves at random",
        "it puts more probability on the true square than the exploring model",
        said(gains),
        above(gains["random"]),
    )


def _uniform_fails(table: Table) -> Judged:
    errors = {
        walk: gain(table, walk, "uniform model", "exploring model", "error") for walk in FORAGERS
    }
    worse = {walk: gain(table, walk, "uniform model", "exploring model") for walk in FORAGERS}
    return Judged(
        "The uniform model fails miserably for a more realistic agent",
        "less probability on the true square than the exploring model, and a larger error",
        f"{said(worse)}; error " + said(errors, " squares"),
        together(
            *(below(one, 0.0) for one in worse.values()), *(above(one) for one in errors.values())
        ),
    )


def said(intervals: dict[str, Interval], unit: str = "") -> str:
    """Differences with their intervals, by the agent."""
    digits = 1 if unit else 3
    return ", ".join(
        f"{name} {interval.middle:+.{digits}f}{unit} "
        f"({interval.low:+.{digits}f} to {interval.high:+.{digits}f})"
        for name, interval in intervals.items()
    )
