"""The study of karate: how claims are judged, and who is played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evo.studies.claims import FAILS, HOLDS, IN_PART, UNDECIDED, judged, load_claims
from evo.studies.karate import study
from evo.studies.karate.study import REPORT, leads, persons
from evo.studies.report import Evidence
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
    claims = load_claims(REPORT.package)
    return [row["verdict"] for row in judged(claims, Evidence(record(**changes)))]


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
