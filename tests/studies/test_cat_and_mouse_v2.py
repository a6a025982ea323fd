"""The second study of cat and mouse: the cat that learns on 5x5 and hunts on any board."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.study import NaivePursuit, least_mean_moves, longest_hunt

from evo.studies.cat_and_mouse_v2 import study
from evo.studies.cat_and_mouse_v2.study import REPORT
from evo.studies.cat_and_mouse_v2.study import CatAndMouse2Settings as Settings
from evo.studies.report import Reproduction
from tournaments.errors import ConfigError
from tournaments.kernels.rng import Stream, opening_seed

SHORT = Settings(games=60, patience=4, rounds=4, more_rounds=4)


@pytest.fixture(scope="module")
def default() -> Reproduction:
    return REPORT.reproduce()


def curve_of(made: Reproduction) -> list[dict]:
    columns = made.tables["curve"]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def as_letters(table: np.ndarray) -> dict[tuple[int, ...], str]:
    return {place: "RLUD"[action] for place, action in np.ndenumerate(table.reshape((3,) * 6))}


@given(
    rows=st.integers(4, 9),
    cols=st.integers(4, 9),
    mouse=st.sampled_from([study.RANDOM, study.CAREFUL, study.BOTH]),
    anywhere=st.booleans(),
    table_seed=st.integers(0, 1000),
    seeds=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5),
)
def test_games_are_those_of_the_slow_pursuit(rows, cols, mouse, anywhere, table_seed, seeds):
    if (rows + cols) % 2:
        cols += 1
    table = study.first_table(table_seed)
    games = study._games((rows, cols), mouse, np.array(seeds, dtype=np.uint64), anywhere)
    wins, apart = 0, []
    for number, seed in enumerate(seeds):
        slow = NaivePursuit(rows, cols, as_letters(table), Stream(opening_seed(seed, 0)).below)
        if anywhere:
            slow.start_anywhere()
        careful = mouse == study.CAREFUL or (mouse == study.BOTH and number % 2 == 1)
        wins += slow.play(careful)
        apart += slow.apart
    measure = study._measured(table, games)
    assert measure.wins == wins
    assert measure.mean_moves == len(apart) / len(seeds)
    exact = math.fsum(math.sqrt(down * down + across * across) for down, across in apart)
    assert measure.mean_distance == pytest.approx(exact / len(apart), rel=1e-14)


def test_tables_hold_what_stays_on_the_board_and_nothing_is_left_out():
    drawn = {place: set() for place in np.ndindex((3,) * 6)}
    for seed in range(80):
        for place, letter in as_letters(study.first_table(seed)).items():
            drawn[place].add(letter)
    for (cat_x, cat_y, _, _, side, end), letters in drawn.items():
        closed = {
            *("R" if (cat_x, side) == (2, 2) else ""),
            *("L" if (cat_x, side) == (0, 1) else ""),
            *("U" if (cat_y, end) == (2, 2) else ""),
            *("D" if (cat_y, end) == (0, 1) else ""),
        }
        assert letters == set("RLUD") - closed


def test_a_variant_changes_no_more_cells_than_it_may():
    table = study.first_table(1)
    random = np.random.default_rng(1)
    changed = [np.count_nonzero(study._variant(random, table, 20) != table) for _ in range(500)]
    assert 15 <= max(changed) <= 20
    assert min(changed) <= 1


@pytest.mark.study
def test_all_games_are_won_on_both_boards_against_both_mice(default):
    assert default.record["trained"]
    shown = {
        (row["board"], row["mouse"]): row["wins"]
        for row in default.record["shown"]
        if row["stage"] == 3
    }
    assert shown == {
        ("5x5", "random"): 1000,
        ("5x5", "careful"): 1000,
        ("15x15", "random"): 1000,
        ("15x15", "careful"): 1000,
    }


@pytest.mark.slow
def test_the_two_published_stages_end_with_all_games_won(default):
    stages = {
        number: [row for row in curve_of(default) if row["stage"] == number] for number in (1, 2)
    }
    assert [rows[-1]["wins"] for rows in stages.values()] == [1000, 1000]
    assert all(row["wins"] < 1000 for row in stages[1][:-1])
    assert len(stages[2]) == 201
    assert stages[2][0]["wins"] < 1000


@pytest.mark.slow
def test_no_mouse_whatever_escapes_the_cat_of_a_seed():
    """And none is free for longer than from perfect play: 4n - 6 plies on an n x n board."""
    table = as_letters(REPORT.reproduce(Settings(seed=2)).arrays["table"])
    assert longest_hunt(table, 5) == (4 * 5 - 6) // 2
    assert longest_hunt(table, 15) == (4 * 15 - 6) // 2


def test_a_random_table_lets_the_mouse_escape():
    assert longest_hunt(as_letters(study.first_table(1)), 5) is None


@pytest.mark.parametrize(("mouse", "least"), [("careful", (62, 9)), ("random", (1307, 243))])
def test_the_cat_is_nearly_as_quick_as_any_cat_can_be(default, mouse, least):
    assert least_mean_moves(5, careful=mouse == "careful") == Fraction(*least)
    (row,) = [
        row
        for row in default.record["shown"]
        if (row["stage"], row["board"], row["mouse"]) == (3, "5x5", mouse)
    ]
    # The standard error of the mean of 1,000 games is below 0.1.
    assert -0.2 < row["mean_moves"] - Fraction(*least) < 0.4


def test_within_a_stage_the_best_table_never_gets_worse(default):
    gains = 0
    for earlier, later in pairwise(curve_of(default)):
        if earlier["stage"] == later["stage"]:
            assert later["round"] == earlier["round"] + 1
            before = -earlier["wins"], earlier["mean_moves"], earlier["mean_distance"]
            after = -later["wins"], later["mean_moves"], later["mean_distance"]
            assert after <= before
            gains += after < before
        else:
            assert (later["round"], later["stage"]) == (earlier["round"], earlier["stage"] + 1)
    assert gains > 50


@pytest.mark.study
def test_other_seeds_win_all_games_too_and_most_of_them_against_any_mouse():
    """Of 110 seeds 74 do, so that fewer than four of ten have a probability of 2%."""
    results = [REPORT.reproduce(Settings(seed=seed)) for seed in range(2, 12)]
    for result in results:
        assert {row["wins"] for row in result.record["shown"] if row["stage"] == 3} == {1000}
    hunts = [longest_hunt(as_letters(result.arrays["table"]), 15) for result in results]
    assert sum(hunt is not None for hunt in hunts) >= 4


def test_one_seed_gives_one_result():
    first, again, other = (
        REPORT.reproduce(SHORT),
        REPORT.reproduce(SHORT),
        REPORT.reproduce(replace(SHORT, seed=2)),
    )
    assert first.tables == again.tables
    assert np.array_equal(first.arrays["table"], again.arrays["table"])
    assert first.tables != other.tables
    assert not np.array_equal(first.arrays["table"], other.arrays["table"])


def test_a_stage_without_rounds_hands_its_table_on():
    result = REPORT.reproduce(replace(SHORT, patience=0, rounds=0, more_rounds=0))
    assert [(row["round"], row["stage"]) for row in curve_of(result)] == [(0, 1), (0, 2)]
    assert np.array_equal(result.arrays["table"].ravel(), study.first_table(SHORT.seed))
    assert not result.record["trained"]
    assert {row["stage"] for row in result.record["shown"]} == {2}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": 5, "cols": 6}, "rows=5, cols=6 given; their sum must be even"),
        ({"shown_rows": 14}, "shown_rows=14, shown_cols=15 given; their sum must"),
    ],
)
def test_boards_on_which_the_mouse_is_safe_are_refused(wrong, message):
    with pytest.raises(ConfigError, match=message):
        REPORT.reproduce(Settings(**wrong))
