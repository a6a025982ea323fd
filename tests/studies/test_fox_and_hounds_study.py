"""The study of fox and hounds: its cells, its claims judged, its page."""

from __future__ import annotations

import numpy as np
import pytest

from evo.studies.claims import FAILS, HOLDS, IN_PART, UNDECIDED, load_claims
from evo.studies.fox_and_hounds.courses import (
    Ends,
    HoundsWorth,
    LearningCourse,
    config_of,
    published_courses,
)
from evo.studies.fox_and_hounds.experiments import BY_NAME, CELLS, ROLES, FoxAndHoundsSettings
from evo.studies.fox_and_hounds.study import REPORT, course_row
from evo.studies.report import Evidence
from tournaments import games
from tournaments.kernels.rng import Stream
from tournaments.solver.retrograde import solution
from tournaments.solver.states import states_of

CLAIMS = load_claims(REPORT.package)
PHASES, PAIRS = 41, 8


def course_of(
    name: str, fox: float, hounds: float, until: int = 10, seen: int = 150_000
) -> LearningCourse:
    """A course whose roles win nothing in the first phases, and these shares from one on."""
    turns = np.arange(PHASES) * 100_000
    is_late = (np.arange(PHASES) >= until)[:, None] & np.ones(PAIRS, dtype=bool)
    wins = {"fox": is_late * fox, "hounds": is_late * hounds}
    visited = dict.fromkeys(ROLES, np.full((PHASES, PAIRS), seen))
    worth = HoundsWorth(*np.zeros((3, PAIRS)))
    ends = np.zeros((PHASES, PAIRS))
    return LearningCourse(BY_NAME[name], turns, wins, visited, ends, np.full(PAIRS, 1000), worth)


def evidence(**changes: LearningCourse) -> Evidence:
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
    record = {"random_fox_wins": 0.91, "positions": [410_000, 405_000]}
    return Evidence({**record, "numbered": 1_006_881, "lead": -1}, courses)


def verdicts(found: Evidence) -> dict[str, str]:
    return {claim.claim: claim.judge(found).verdict for claim in CLAIMS}


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
    found.values["5-low-low"].worth.lost[0] = 0.1
    assert verdict_on("winning strategy", found) == IN_PART
    assert verdict_on("Exploration that falls", found) == UNDECIDED  # by one pair of eight
    for name in ("5-low-low", "5-low-high", "5-high-low", "5-high-high"):
        found.values[name].worth.lost[:] = 2.0
    assert verdict_on("winning strategy", found) == FAILS
    assert verdict_on("Exploration that falls", found) == HOLDS


def test_cells_beside_their_published_curves():
    published = published_courses()
    row = course_row(course_of("4-high-high", 0.6, 0.9), published)
    assert (row["fox"], row["hounds"]) == pytest.approx((0.6, 0.9))
    assert (row["until_90"], row["until_99"]) == (1_000_000, None)
    late = row["fox_published"], row["hounds_published"]
    assert late == pytest.approx((0.877, 0.998), abs=5e-4)  # of the last 25 phases of exp4-3.csv
    assert course_row(course_of("least", 0.6, 0.9), published)["fox_published"] is None
    assert {cell.name for cell in CELLS if cell.experiment} == set(published)
    for name, course in published.items():
        assert course.turns[-1] == 10_000_000 * BY_NAME[name].share


def test_the_published_curves_are_judged_like_ours():
    source = Evidence({"numbered": 1_006_881}, published_courses())
    texts = {claim.claim: claim.judge(source).found for claim in CLAIMS if claim.of_curves}
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
        learner = config_of(cell, FoxAndHoundsSettings(seeds=2, rows=4, cols=4)).learner
        assert [learner.rates_of(role) for role in ROLES] == [cell.fox, cell.hounds]
