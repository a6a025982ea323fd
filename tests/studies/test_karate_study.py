"""The study of karate: how claims are judged, who is played, what is written."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from evo.cli.main import main
from evo.studies.karate import study
from evo.studies.karate.claims import judge
from evo.studies.karate.plot import evolved_figure
from evo.studies.karate.study import Settings, leads, mean_interval, persons
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, UNDECIDED
from tournaments import players


def rows(columns: tuple[str, ...], **of: tuple[float, ...]) -> list[dict[str, Any]]:
    """Rows with errors of 0.1."""
    return [
        {
            "player": player,
            **dict(zip(columns, values, strict=True)),
            **{f"{column}_error": 0.1 for column in columns},
        }
        for player, values in of.items()
    ]


def record(kick: float = 7.5, blocks: int = 1, **tables: Any) -> dict[str, Any]:
    """What is measured where all claims hold, but for what is given."""
    levels = tuple(f"level_{level}" for level in range(4))
    usual = {
        "orders": orders((3, 5), (2, 7), (3, 7)),
        "betas": betas((2, 1, 1, 1), (3, 0, 0, 0)),
        "levels": rows(levels, a=(0, 0, 0, 0), b=(1, 0, 0, 0), c=(0, 1, 0, 0), d=(0, 0, 1, 0)),
        "priors": [
            {"player": player, "values": [value, value + 1.0, value + 2.0]}
            for player, value in (
                ("no uncertainty", 0.0),
                ("even prior", 1.0),
                ("learnt prior", 2.0),
                ("learnt prior, 4 times as strong", 3.0),
            )
        ],
    }
    stage = {"moves": ["punch", "kick"], "scores": [5.0, kick], "blocks": blocks}
    return {"stage": stage, **usual, **tables}


def verdicts(**changes: Any) -> list[str]:
    return [judged.verdict for judged in judge(record(**changes))]


def test_all_claims_hold_where_what_is_measured_says_so():
    assert verdicts() == [HOLDS] * 9


def orders(*values: tuple[float, float]) -> list[dict[str, Any]]:
    """In a short game and in a long one against the cycle of eight."""
    return rows(
        ("short", "long_eight"), **dict(zip(("2", "4", "4 with data"), values, strict=True))
    )


def betas(half: tuple[float, ...], best: tuple[float, ...]) -> list[dict[str, Any]]:
    """Against people, then three readers."""
    return rows(("people", "reader_0", "reader_1", "reader_2"), **{"0.5": half, "best": best})


@pytest.mark.parametrize(
    ("changes", "place", "verdict"),
    [
        ({"kick": 4.0}, 0, FAILS),
        ({"blocks": 100}, 1, FAILS),
        ({"orders": orders((2, 5), (2.05, 7), (1, 5))}, 2, UNDECIDED),
        ({"orders": orders((2, 5), (3, 4), (1, 4))}, 2, FAILS),
        ({"orders": orders((2, 5), (3, 4), (1, 4))}, 3, FAILS),
        ({"betas": betas((2, 1, -1, 1), (1, 0, 0, 0))}, 6, FAILS),
        ({"betas": betas((2, 1, -1, 1), (1, 0, 0, 0))}, 7, IN_PART),
    ],
)
def test_claims_fail_where_what_is_measured_says_so(changes, place, verdict):
    assert verdicts(**changes)[place] == verdict


def test_the_interval_of_a_mean_is_that_of_the_books():
    interval = mean_interval([1.0, 2.0, 3.0, 4.0])
    reach = 1.96 * np.std([1, 2, 3, 4], ddof=1) / 2
    assert (interval.low, interval.high) == pytest.approx((2.5 - reach, 2.5 + reach))
    assert mean_interval([1.0]).low == -np.inf


@pytest.mark.slow
def test_what_is_gained_is_net_points_a_round_in_both_seats():
    game = study.karate(10)
    kicks = players.make("cycle:moves=kick", game)
    punches = players.make("cycle:moves=punch", game)
    assert leads(game, kicks, punches, 8, 1).tolist() == [10.0] * 4
    assert leads(game, punches, kicks, 8, 1).tolist() == [-10.0] * 4


def test_people_share_a_bias_and_are_each_their_own():
    game = study.karate(5)
    some = [person.parameters.chances[0] for person in persons(game, 40, "test", 1, 0)]
    spread = np.std(some, axis=0)
    common = np.mean(some, axis=0)
    assert spread.min() > 0.02
    assert np.abs(common - 0.25).max() > 0.1  # a bias that all have
    again = persons(game, 2, "test", 1, 0)[1].parameters.chances[0]
    assert np.array_equal(again, some[1])


def test_the_picture_has_a_panel_of_orders_and_one_of_levels():
    names = [f"order_{value}" for value in range(5)] + [f"level_{value}" for value in range(4)]
    shares = [
        {"world": "people", "time": time, **dict.fromkeys(names, 0.2)} for time in ("first", "last")
    ]
    figure = evolved_figure(shares)
    assert [axes.get_xlabel() for axes in figure.axes] == ["order", "level"]
    assert [len(axes.patches) for axes in figure.axes] == [10, 8]


@pytest.mark.slow
def test_the_study_prints_keeps_and_writes_its_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    short = ["--generations", "1", "--population", "4", "--rounds", "20"]
    command = ["reproduce", "karate", "--quick", *short, "--page", "docs/page.md"]
    assert main([*command, "--out", "out", "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    assert kept["stage"]["equilibrium"] == [0.2, 0.4, 0.0, 0.4]
    assert kept["stage"]["scores"] == [5.0, 7.5, 1.25, 1.25]
    assert len(kept["claims"]) == 9
    page = (tmp_path / "docs" / "page.md").read_text(encoding="utf-8")
    assert "--page docs/page.md" in page
    assert (tmp_path / "docs" / "figures" / "karate" / "evolved.svg").exists()
    assert (tmp_path / "out" / "evolved.png").exists()


def test_settings_have_a_quick_size_and_are_checked(capsys):
    assert Settings(quick=True).usual("games") == 20
    assert main(["reproduce", "karate", "--rounds", "4000"]) == 2
    assert "rounds=4000 given; a value from 1 to 3276 is expected" in capsys.readouterr().err
