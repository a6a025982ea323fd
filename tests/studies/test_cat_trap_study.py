"""The study of the cat trap: what is measured, how claims are judged, what is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, UNDECIDED

from evo.cli.main import main
from evo.studies.cat_trap import study
from evo.studies.cat_trap.claims import judge, near
from evo.studies.cat_trap.plot import times_figure
from evo.studies.cat_trap.study import PUBLISHED, REWARDS, Settings, win_rate
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
    judged = judge({"readings": rows, "times": TIMES, "evolved": EVOLVED})
    assert [one.verdict for one in judged[:3]] == verdicts


@pytest.mark.parametrize(("swapped", "verdict"), [(False, HOLDS), (True, FAILS)])
def test_times_must_rise(swapped, verdict):
    times = TIMES
    if swapped:
        times = [one | {"milliseconds": 1 / one["milliseconds"]} for one in TIMES]
    judged = judge({"readings": [row(0.1, 0.2, 0.3, 0.4)], "times": times, "evolved": EVOLVED})
    assert [one.verdict for one in judged[3:5]] == [verdict, verdict]


@pytest.mark.parametrize(
    ("own", "verdict"),
    [([0.7] * 8, HOLDS), ([0.7] * 5 + [0.5] * 3, UNDECIDED), ([0.5] * 8, FAILS)],
)
def test_evolved_cats_are_judged_by_the_best_reward_seed_by_seed(own, verdict):
    rows = [*EVOLVED[:-1], {"cat": "evolved", "by_seed": own}]
    judged = judge({"readings": [row(0.1, 0.2, 0.3, 0.4)], "times": TIMES, "evolved": rows})
    assert judged[-1].verdict == verdict
    assert judged[-1].found.endswith("more than 'text, reward 3'")


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
        if "num_states is" in one.claim
    ]
    assert by_states.verdict == HOLDS
    assert by_states.found.startswith("4.5 to")


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


@pytest.mark.slow
def test_the_study_prints_keeps_and_writes_its_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(study, "TIMED", (1, 2))
    monkeypatch.setattr(study, "BLOCKERS", ("random", "optimal"))
    short = ["--games", "40", "--held-out", "4", "--generations", "1", "--population", "6"]
    command = ["reproduce", "cat-trap", "--quick", "--size", "5", *short, "--page", "docs/page.md"]
    assert main([*command, "--out", "out", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [row["max_depth"] for row in record["their_times"]] == [-1, 1, 2]
    assert [one["reading"] for one in record["readings"]] == list(study.READINGS)
    assert record["readings"][0]["reward_1"] < 0.9  # far the lowest, as published
    page = (tmp_path / "docs" / "page.md").read_text(encoding="utf-8")
    assert "--page docs/page.md" in page
    assert page.count("\n## ") == 6
    assert (tmp_path / "out" / "times.svg").exists()
    again = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    assert again["evolved"] == record["evolved"]


def test_a_setting_that_cannot_be_is_refused(capsys):
    assert main(["reproduce", "cat-trap", "--size", "16"]) == 2
    assert "size=16 given; a value from 5 to 15 is expected" in capsys.readouterr().err
    assert Settings(quick=True).usual("games") == 300
