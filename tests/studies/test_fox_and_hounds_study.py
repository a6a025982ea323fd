"""The study of fox and hounds: its cells, its claims judged, its page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evo.cli.main import main
from evo.studies.fox_and_hounds.claims import CLAIMS, Evidence
from evo.studies.fox_and_hounds.experiments import BY_NAME, CELLS
from evo.studies.fox_and_hounds.kept import kept
from evo.studies.fox_and_hounds.report import _course_record
from evo.studies.fox_and_hounds.study import ROLES, Course, Settings, Worth, config_of, validated
from evo.studies.verdicts import FAILS, HOLDS, IN_PART

PHASES, PAIRS = 41, 8


def course_of(name: str, fox: float, hounds: float, until: int = 10, seen: int = 150_000) -> Course:
    """A course whose roles win nothing in the first phases, and these shares from one on."""
    turns = np.arange(PHASES) * 100_000
    is_late = (np.arange(PHASES) >= until)[:, None] & np.ones(PAIRS, dtype=bool)
    wins = {"fox": is_late * fox, "hounds": is_late * hounds}
    visited = dict.fromkeys(ROLES, np.full((PHASES, PAIRS), seen))
    worth = Worth(*np.zeros((3, PAIRS)))
    return Course(BY_NAME[name], turns, wins, visited, np.full(PAIRS, 1000), worth)


def evidence(**changes: Course) -> Evidence:
    """All is as the paper has it, but for these courses."""
    courses = {cell.name: course_of(cell.name, 0.6, 1.0) for cell in CELLS}
    courses["2-low"] = course_of("2-low", 0.0, 1.0, until=25)
    for name in ("2-low", "2-high"):
        slow, short = f"{name}-slow", f"{name}-short"
        courses[slow] = course_of(slow, 0.0, 1.0, until=35)
        courses[short] = course_of(short, 0.0, 1.0)
        courses[short].wins["hounds"][-2] = 0.5
    for name in ("3-low", "3-high"):
        courses[name] = course_of(name, 1.0, 0.0)
    courses["4-low-high"] = course_of("4-low-high", 0.8, 1.0)
    courses["adaptive"] = course_of("adaptive", 0.6, 1.0)
    courses["5-low-low"].worth.lost[:] = 0.0
    courses |= {name.replace("_", "-"): course for name, course in changes.items()}
    return Evidence(Settings(seeds=PAIRS), courses, (), 0.91, (410_000, 405_000), 1_006_881, -1)


def verdicts(found: Evidence) -> dict[str, str]:
    return {claim.text: claim.judge(found)[1] for claim in CLAIMS}


def verdict_on(words: str, found: Evidence) -> str:
    (verdict,) = [value for text, value in verdicts(found).items() if words in text]
    return verdict


def test_what_is_as_the_paper_says_holds():
    found = verdicts(evidence())
    assert {text for text, verdict in found.items() if verdict != HOLDS} == {
        "Exploration that falls while a player does well improves learning (proposed, not tried "
        "there)"
    }


@pytest.mark.parametrize(
    ("words", "name", "course", "verdict"),
    [
        ("learning rate", "2_low_slow", {"until": 5}, IN_PART),
        ("steadier", "2_high_short", {}, IN_PART),
        ("exploration of 0.2", "2_low", {"until": 15}, IN_PART),
        ("exploration of 0.2", "2_low", {"until": 5}, FAILS),
        ("Foxes soon", "3_low", {"fox": 0.9}, IN_PART),
        ("seldom lose", "4_low_low", {"hounds": 0.9}, IN_PART),
        ("Foxes do better", "4_low_high", {"fox": 0.2}, FAILS),
        ("reliably learn", "5_low_low", {"hounds": 0.9}, IN_PART),
        ("reliably learn", "5_low_low", {"until": 1}, IN_PART),
        ("small exploration", "5_high_high", {"fox": 0.4}, IN_PART),
        ("less than half", "5_high_high", {"seen": 250_000}, IN_PART),
    ],
)
def test_what_is_otherwise_does_not(words, name, course, verdict):
    changed = course_of(name.replace("_", "-"), **{"fox": 0.6, "hounds": 1.0, **course})
    assert verdict_on(words, evidence(**{name: changed})) == verdict


def test_a_strategy_is_derived_where_all_hounds_win_for_certain():
    found = evidence()
    found.courses["5-low-low"].worth.lost[0] = 0.1
    assert verdict_on("winning strategy", found) == IN_PART
    assert verdict_on("Exploration that falls", found) == FAILS  # by one pair of eight
    for name in ("5-low-low", "5-low-high", "5-high-low", "5-high-high"):
        found.courses[name].worth.lost[:] = 2.0
    assert verdict_on("winning strategy", found) == FAILS
    assert verdict_on("Exploration that falls", found) == HOLDS


def test_by_the_text_a_role_wins_what_the_other_leaves_it():
    row = _course_record(course_of("5-low-low", 0.6, 0.9))
    assert (row["fox"], row["hounds"]) == pytest.approx((0.6, 0.9))
    assert (row["fox_by_text"], row["hounds_by_text"]) == pytest.approx((0.1, 0.4))
    assert (row["until_90"], row["until_99"]) == (1_000_000, None)


def test_every_cell_goes_on_with_what_was_run_before_it():
    names = [cell.name for cell in CELLS]
    for place, cell in enumerate(CELLS):
        assert set(cell.starts.values()) <= set(names[:place])
        learner = config_of(cell, Settings(seeds=2, rows=4, cols=4)).learner
        assert [learner.rates_of(role) for role in ROLES] == [cell.fox, cell.hounds]


def test_what_is_done_stays_done(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"a": np.arange(3), "b": np.zeros((2, 2))}

    for _ in range(2):
        found = kept(str(tmp_path), "part", ("one",), ("a",), compute)
        np.testing.assert_array_equal(found["a"], np.arange(3))
    assert len(calls) == 1
    kept(str(tmp_path), "part", ("other",), ("a",), compute)
    kept("", "part", ("one",), ("a",), compute)
    assert len(calls) == 3


def test_a_quick_study_is_short_and_boards_are_looked_at(capsys):
    assert validated(Settings(quick=True)).turns < Settings().turns
    assert main(["reproduce", "fox-and-hounds", "--cols", "5"]) == 2
    assert "cols=5 given; an even number" in capsys.readouterr().err


@pytest.mark.study
def test_the_page_is_written_by_the_command_and_goes_on_where_it_stopped(tmp_path, capsys):
    options = ["--quick", "--rows", "4", "--cols", "4", "--turns", "200000"]
    options += ["--runs", str(tmp_path / "runs"), "--out", str(tmp_path / "out"), "--json"]
    page = tmp_path / "page.md"
    records = []
    for more in ([], ["--page", str(page)]):
        assert main(["reproduce", "fox-and-hounds", *options, *more]) == 0
        records.append(json.loads(capsys.readouterr().out))
    first, again = ({**each, "seconds": 0, "settings": 0, "files": 0} for each in records)
    assert first == again
    text = page.read_text(encoding="utf-8")
    assert "evo reproduce fox-and-hounds --seeds 6 --turns 200000" in text
    for row in first["claims"]:
        assert f"| {row['verdict']} |" in text
    assert len(list((tmp_path / "figures").glob("*.png"))) == 7
    sure = {row["player"]: row["sure"] for row in first["exact"]}
    assert sure["q-learning, 5-low-low"] == 2
    assert all(200_000 <= row["turns"] < 260_000 for row in first["exact"])
