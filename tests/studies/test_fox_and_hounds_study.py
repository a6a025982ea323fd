"""The study of fox and hounds: its cells, its claims judged, its page."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evo.cli.main import main
from evo.studies.fox_and_hounds.claims import CLAIMS, Evidence
from evo.studies.fox_and_hounds.experiments import BY_NAME, CELLS
from evo.studies.fox_and_hounds.report import _course_record
from evo.studies.fox_and_hounds.study import (
    ROLES,
    Course,
    Ends,
    Settings,
    Worth,
    config_of,
    published_courses,
    validated,
)
from evo.studies.kept import kept
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, UNDECIDED
from tournaments import games
from tournaments.kernels.rng import Stream
from tournaments.solver.retrograde import solution
from tournaments.solver.states import states_of

PHASES, PAIRS = 41, 8


def course_of(name: str, fox: float, hounds: float, until: int = 10, seen: int = 150_000) -> Course:
    """A course whose roles win nothing in the first phases, and these shares from one on."""
    turns = np.arange(PHASES) * 100_000
    is_late = (np.arange(PHASES) >= until)[:, None] & np.ones(PAIRS, dtype=bool)
    wins = {"fox": is_late * fox, "hounds": is_late * hounds}
    visited = dict.fromkeys(ROLES, np.full((PHASES, PAIRS), seen))
    worth = Worth(*np.zeros((3, PAIRS)))
    ends = np.zeros((PHASES, PAIRS))
    return Course(BY_NAME[name], turns, wins, visited, ends, np.full(PAIRS, 1000), worth)


def evidence(**changes: Course) -> Evidence:
    """All is as the paper has it, but for these courses."""
    courses = {cell.name: course_of(cell.name, 0.6, 1.0) for cell in CELLS}
    for cell in CELLS:
        if cell.experiment == 2:
            slow, short = "slow" in cell.name, "short" in cell.name
            until = 10 + 15 * ("low" in cell.name.split("-")) + 5 * slow
            courses[cell.name] = course_of(cell.name, 0.0, 1.0, until=until)
            courses[cell.name].wins["hounds"][-2] = 0.5 if short else 1.0
        if cell.experiment == 3:
            courses[cell.name] = course_of(cell.name, 1.0, 0.0)
    for name in ("4-low-high", "4-high-high"):
        courses[name] = course_of(name, 0.8, 1.0)
    courses |= {name.replace("_", "-"): course for name, course in changes.items()}
    return Evidence(courses, (), 0.91, (410_000, 405_000), 1_006_881, -1)


def verdicts(found: Evidence) -> dict[str, str]:
    return {claim.text: claim.judge(found).verdict for claim in CLAIMS}


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
        ("Foxes soon", "3_low", {"fox": 0.9}, IN_PART),
        ("seldom lose", "4_low_low", {"hounds": 0.9}, IN_PART),
        ("Foxes do better", "4_low_high", {"fox": 0.2}, IN_PART),
        ("seldom lose", "4_high_high", {"hounds": 0.9}, IN_PART),
        ("reliably learn", "5_low_low", {"hounds": 0.9}, IN_PART),
        ("reliably learn", "5_low_low", {"until": 1}, IN_PART),
        ("small exploration", "5_high_high", {"fox": 0.4}, IN_PART),
        ("less than half", "5_high_high", {"seen": 260_000}, IN_PART),
    ],
)
def test_what_is_otherwise_does_not(words, name, course, verdict):
    changed = course_of(name.replace("_", "-"), **{"fox": 0.6, "hounds": 1.0, **course})
    assert verdict_on(words, evidence(**{name: changed})) == verdict


def test_a_strategy_is_derived_where_all_hounds_win_for_certain():
    found = evidence()
    found.courses["5-low-low"].worth.lost[0] = 0.1
    assert verdict_on("winning strategy", found) == IN_PART
    assert verdict_on("Exploration that falls", found) == UNDECIDED  # by one pair of eight
    for name in ("5-low-low", "5-low-high", "5-high-low", "5-high-high"):
        found.courses[name].worth.lost[:] = 2.0
    assert verdict_on("winning strategy", found) == FAILS
    assert verdict_on("Exploration that falls", found) == HOLDS


def test_cells_beside_their_published_curves():
    published = published_courses()
    row = _course_record(course_of("4-high-high", 0.6, 0.9), published)
    assert (row["fox"], row["hounds"]) == pytest.approx((0.6, 0.9))
    assert (row["until_90"], row["until_99"]) == (1_000_000, None)
    late = row["fox_published"], row["hounds_published"]
    assert late == pytest.approx((0.877, 0.998), abs=5e-4)  # of the last 25 phases of exp4-3.csv
    assert _course_record(course_of("least", 0.6, 0.9), published)["fox_published"] is None
    assert {cell.name for cell in CELLS if cell.experiment} == set(published)
    for name, course in published.items():
        assert course.turns[-1] == 10_000_000 * BY_NAME[name].share


def test_the_published_curves_are_judged_like_ours():
    source = Evidence(published_courses(), numbered=1_006_881)
    texts = {claim.text: claim.judge(source).text for claim in CLAIMS if claim.has_curves}
    (seen,) = [text for claim, text in texts.items() if "less than half" in claim]
    assert seen.startswith("`5-low-low` 219,363; `5-high-high` 241,173 seen")
    assert "to" not in seen.split()  # one pair has no interval


def test_ends_are_counted_by_the_actions_that_were_tried():
    game = games.make("fox-and-hounds", rows=4, cols=4)
    ends, states = Ends(game, solution(game).graph), states_of(game)
    tables = {
        role: np.full((2, rows * columns), np.nan, dtype=np.float32)
        for role, rows, columns in zip(ROLES, states.rows, states.most_legal, strict=True)
    }
    seen: tuple[set[str], set[str]] = (set(), set())
    for number in range(60):
        row, stream, state = number % 2, Stream(number), game.start(number)
        while not state.is_over:
            legal, index = state.legal_actions(), game.rules.states
            column = stream.below(len(legal))
            place = index.number(game.board, state.array) * states.most_legal[state.seat_to_move]
            tables[ROLES[state.seat_to_move]][row, place + column] = 0.5
            state.play(legal[column])
        seen[row].add(str(state))
    assert ends.count(tables).tolist() == [len(each) for each in seen]
    assert min(map(len, seen)) > 5


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
    assert "evo reproduce fox-and-hounds --turns 200000" in text
    for row in first["claims"]:
        assert f"| {row['verdict']} |" in text
    assert len(list((tmp_path / "figures").glob("*.png"))) == 7
    sure = {row["player"]: row["sure"] for row in first["exact"]}
    assert sure["q-learning, 5-low-low"] == 2
    assert {row["turns"] // 100_000 for row in first["exact"]} == {
        2,
        10,
    }  # experiment 5: ten phases
    assert [row["turns"] for row in first["seen"]] == [1_000_000] * 4
    assert "| 1,000,000 |" in text
