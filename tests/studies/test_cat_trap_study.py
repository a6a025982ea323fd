"""The study of the cat trap: what is measured, how claims are judged, what is written."""

from __future__ import annotations

from typing import Any

import pytest

from evo.studies.cat_trap.plot import times_figure
from evo.studies.cat_trap.study import PUBLISHED, REPORT, REWARDS, near, win_rate
from evo.studies.claims import FAILS, HOLDS, IN_PART, UNDECIDED, judged, load_claims
from evo.studies.report import Evidence
from tournaments import games, players

TIMES = [
    {"max_depth": depth, "num_states": states, "milliseconds": float(1 + depth * (10 + states))}
    for depth in (0, 1)
    for states in (1, 5)
]


EVOLVED = [
    {"cat": "text, reward 1", "by_seed": [0.5] * 8},
    {"cat": "text, reward 3", "by_seed": [0.6] * 8},
    {"cat": "shortest-path", "by_seed": [0.9] * 8},
    {"cat": "evolved", "by_seed": [0.7] * 8},
]


def judge(record: dict[str, Any]) -> list[dict[str, str]]:
    return judged(load_claims(REPORT.package), Evidence(record))


def row(*rates: float) -> dict[str, Any]:
    return {"reading": "x", **{f"reward_{n}": rate for n, rate in zip(REWARDS, rates, strict=True)}}


@pytest.mark.parametrize(
    ("rows", "verdicts"),
    [
        ([row(*PUBLISHED.values())], [HOLDS, HOLDS, HOLDS]),
        ([row(*PUBLISHED.values()), row(1.0, 1.0, 1.0, 1.0)], [IN_PART, IN_PART, HOLDS]),
        ([row(0.9, 0.93, 0.9, 0.95)], [FAILS, FAILS, IN_PART]),
        ([row(0.4, 0.3, 0.2, 0.1)], [FAILS, FAILS, FAILS]),
    ],
)
def test_claims_about_rewards_are_judged_by_their_rules(rows, verdicts):
    rows = judge({"readings": rows, "times": TIMES, "evolved": EVOLVED})
    assert [each["verdict"] for each in rows[:3]] == verdicts


@pytest.mark.parametrize(("swapped", "verdict"), [(False, HOLDS), (True, FAILS)])
def test_times_must_rise(swapped, verdict):
    times = TIMES
    if swapped:
        times = [one | {"milliseconds": 1 / one["milliseconds"]} for one in TIMES]
    rows = judge({"readings": [row(0.1, 0.2, 0.3, 0.4)], "times": times, "evolved": EVOLVED})
    assert [each["verdict"] for each in rows[3:5]] == [verdict, verdict]


@pytest.mark.parametrize(
    ("own", "verdict"),
    [([0.7] * 8, HOLDS), ([0.7] * 5 + [0.5] * 3, UNDECIDED), ([0.5] * 8, FAILS)],
)
def test_evolved_cats_are_judged_by_the_best_reward_seed_by_seed(own, verdict):
    rows = [*EVOLVED[:-1], {"cat": "evolved", "by_seed": own}]
    rows = judge({"readings": [row(0.1, 0.2, 0.3, 0.4)], "times": TIMES, "evolved": rows})
    assert rows[-1]["verdict"] == verdict
    assert rows[-1]["found"].endswith("more than 'text, reward 3'")


def test_rates_near_the_published_ones_are_named():
    assert near(row(0.649, 1.0, 0.983, 0.987)) == [1, 3, 4]


def test_all_states_are_the_most():
    times = [
        {"max_depth": 1, "num_states": states, "milliseconds": taken}
        for states, taken in ((-1, 9.0), (1, 2.0), (40, 5.0))
    ]
    (by_states,) = [
        one
        for one in judge(
            {
                "readings": [row(0.1, 0.2, 0.3, 0.4)],
                "times": [*times, *TIMES[:2]],
                "evolved": EVOLVED,
            }
        )
        if "num_states is" in one["claim"]
    ]
    assert by_states["verdict"] == HOLDS
    assert by_states["found"].startswith("4.5 to")


def test_the_picture_has_a_panel_a_depth():
    figure = times_figure(TIMES)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "max_depth = 0",
        "max_depth = 1",
    ]


def test_a_cat_that_steps_beside_the_rim_at_random_wins_what_is_played():
    game = games.make("cat-trap", size=3, blocks="none")
    cat, blocker = (players.make("random", game) for _ in range(2))
    assert win_rate(game, cat, blocker, 50, 1, "x") == 1.0  # every step leads to the rim
