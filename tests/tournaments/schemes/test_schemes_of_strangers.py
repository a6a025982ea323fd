"""Schemes in files of one's own that do what they may not: each is told in a line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tournaments import Competition
from tournaments.errors import TournamentError

SCHEME = """
from dataclasses import dataclass
import numpy as np
from tournaments.schedules.combined import everybody
from tournaments.schemes.base import MatchPoints, Scheme
from tournaments.schemes.scoring import ByVerdict

class Own(ByVerdict):
    ...

@dataclass(frozen=True)
class Series(Scheme, MatchPoints):
    def meet(self, roster):
        schedule = everybody(roster.sizes)
        return schedule, Own(roster.total, self.worth)
"""
MEET, GIVEN = "def meet(self, roster):", "return schedule, Own(roster.total, self.worth)"
POINTS = "    def points(self):\n        "


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (MEET, "def met(self, roster):", r"has no meet\(roster\); write it"),
        (MEET, "def meet(self):", r"meet\(roster\) raised TypeError: .*takes 1 positional"),
        (GIVEN, "1 / 0", r"meet\(roster\) raised ZeroDivisionError: .* \(mine.py, line 15\)"),
        (GIVEN, "return schedule", r"meet\(roster\) gave a .*; give a schedule and its scoring"),
        (GIVEN, "return schedule, None", r"meet\(roster\) gave a \w+, None; give a schedule"),
        (
            "    ...",
            "    def take(self, played):\n        ...",
            r"take\(played, results\) raised TypeE",
        ),
        (
            "    ...",
            "    def next_round(self):\n        return 3",
            r"next_round\(\) gave a int; give",
        ),
        ("    ...", "    def next_round(self):\n        1 / 0", r"next_round\(\) raised ZeroDiv"),
        ("    ...", "    def kept(self):\n        return 3", r"kept\(\) gave a int; give"),
        ("    ...", POINTS + "return [1.0]", r"points\(\) gave a list; give"),
        (
            "    ...",
            POINTS + "return np.ones(3)",
            r"points\(\) gave float64 \[3\]; give",
        ),
        (
            "    ...",
            POINTS + "return np.ones(2, int)",
            r"points\(\) gave int64 \[2\]; give",
        ),
        (
            "    ...",
            POINTS + "return np.full(2, np.nan)",
            r"points\(\) gave nan to entrant 0; finite",
        ),
    ],
)
def test_what_is_wrong_with_a_scheme_is_told_with_its_hook(
    right, wrong, said, tmp_path, monkeypatch
):
    def first(state, rng):
        return state.legal_actions()[0]

    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(SCHEME.replace(right, wrong))
    with pytest.raises(TournamentError, match=said) as refused:
        Competition("tic-tac-toe", "./mine.py").evaluate([first, first])
    assert re.match(r"scheme './mine.py': [^\n]*$", str(refused.value))
