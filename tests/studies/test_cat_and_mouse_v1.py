"""The first study of cat and mouse: the published run to the last count, and any other one."""

from __future__ import annotations

import hashlib
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from naive.study import NaiveStudy

from evo.studies.cat_and_mouse_v1.study import (
    CAT,
    MOUSE,
    REPORT,
    WORDS_AT_ONCE,
    climbed,
    draw_below,
    merit,
)
from evo.studies.cat_and_mouse_v1.study import CatAndMouse1Settings as Settings
from evo.studies.report import Reproduction
from tournaments.kernels.linker import build, kernel


@pytest.fixture(scope="module")
def published() -> Reproduction:
    return REPORT.reproduce()


def test_the_published_totals(published):
    record = published.record
    assert (record["mouse"], record["cat"]) == (54_760, 45_240)
    assert "The cat wins in 10 moves." in published.lines
    assert (record["winner"], record["moves"], record["distance"]) == ("cat", 10, 0)
    assert (record["winner_changes"], record["candidates"]) == (185, 476_226)


def test_the_published_progress_lines(published):
    lines, digest = published.record["progress_lines"], published.record["progress_lines_sha256"]
    assert published.lines[:376] == lines
    assert digest == hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert (digest[:8], digest[-7:]) == ("5657df0d", "c0be081")
    assert next(line for line in lines if "winner: cat" in line) == (
        "Iteration:  3,552, Current winner: cat  , number of moves until a win: 15, distance: 0"
    )


def test_the_tables_are_proved(published):
    assert published.record["proof"]["cat"]["plies"] is None
    proofs = "\n".join(published.lines[-2:])
    assert "\n  mouse  the best cat catches this mouse within 17 plies" in proofs
    assert "  cat    a mouse escapes this cat for ever" in proofs


@pytest.mark.parametrize(
    ("iteration", "state"),
    [
        (1_000, ["mouse", 6, 6]),
        (3_000, ["mouse", 14, 2]),
        (10_000, ["cat", 15, 0]),
        (50_000, ["cat", 14, 0]),
        (100_000, ["cat", 10, 0]),
    ],
)
def test_the_states_on_the_way(published, iteration, state):
    states = published.tables["states"]
    assert [states[name][iteration] for name in ("winner", "moves", "distance")] == state


def check_against_the_slow_one(settings: Settings) -> None:
    result, states = REPORT.reproduce(settings), climbed(settings).states
    record = result.record
    slow = NaiveStudy(settings.rows, settings.cols, settings.first, settings.cat, settings.seed)
    for _ in range(settings.iterations):
        slow.iterate()
    winners = [winner for winner, _, _ in slow.outcomes]
    assert [(("cat", "mouse")[w], m, d) for w, m, d in states.tolist()] == slow.outcomes
    assert (record["mouse"], record["cat"]) == (
        winners[1:].count("mouse"),
        winners[1:].count("cat"),
    )
    assert (record["winner"], record["moves"], record["distance"]) == slow.outcomes[-1]
    assert record["winner_changes"] == sum(a != b for a, b in pairwise(winners))
    assert record["progress_lines"] == slow.lines()
    assert record["candidates"] == slow.played
    for name, policy in result.arrays.items():
        letters = {
            (cat, mouse): "RLUD"[policy[at(cat, settings), at(mouse, settings)]]
            for cat in slow.squares
            for mouse in slow.squares
        }
        assert letters == slow.tables[name]


def at(square: tuple[int, int], settings: Settings) -> int:
    return square[1] * settings.cols + square[0]


@examples(max_examples=60)
@given(
    rows=st.integers(2, 6),
    cols=st.integers(2, 6),
    first=st.sampled_from(["cat", "mouse"]),
    cat=st.sampled_from(["weak", "strong"]),
    seed=st.integers(0, 2**32 - 1),
    iterations=st.integers(0, 80),
)
def test_any_board_mover_start_and_seed_as_the_slow_study(rows, cols, first, cat, seed, iterations):
    check_against_the_slow_one(Settings(rows, cols, first, cat, seed, iterations))


@pytest.mark.parametrize(
    "settings",
    [
        Settings(2, 2, "mouse", "weak", 5, 2500),
        Settings(3, 4, "cat", "weak", 1, 2500),
        Settings(4, 4, "mouse", "strong", 2, 2500),
        Settings(5, 3, "cat", "strong", 3, 2500),
        Settings(3, 3, "mouse", "weak", 4, 2500),
    ],
    ids=str,
)
@pytest.mark.slow
def test_long_studies_of_small_boards_as_the_slow_study(settings):
    """Beyond the first block of words, and beyond the first line that is due by its number."""
    assert settings.iterations * 15 > WORDS_AT_ONCE / 2
    check_against_the_slow_one(settings)


def test_without_iterations_there_is_the_first_game_alone():
    """On 2x2 both bounce, and the start recurs after the mouse's second move."""
    settings = Settings(2, 2, "cat", iterations=0)
    assert climbed(settings).states.tolist() == [[1, 1, 2]]
    record = REPORT.reproduce(settings).record
    assert (record["mouse"], record["cat"], record["progress_lines"]) == (0, 0, [])


def test_what_is_accepted_is_what_the_study_accepts():
    """Also what hardly ever happens: a second variant of an iteration that wins the game, too."""
    states = list(product(range(2), range(3), range(3)))
    slow = NaiveStudy(2, 2, "cat", "weak", 0)
    for old, new in product(states, states):
        named = [(("cat", "mouse")[winner], *rest) for winner, *rest in (old, new)]
        assert (merit(MOUSE, *new) > merit(MOUSE, *old)) == slow.is_better("mouse", *named)
        assert (merit(CAT, *new) > merit(CAT, *old)) == slow.is_better("cat", *named)


@kernel
def draw_all(counters, words, limits, drawn):
    for index in range(limits.size):
        drawn[index] = draw_below(counters, words, limits[index])


@given(seed=st.integers(0, 2**32 - 1), limits=st.lists(st.integers(2, 256), max_size=50))
def test_draws_are_those_of_the_legacy_generator(seed, limits):
    one_by_one = np.random.RandomState(seed)
    words = np.random.RandomState(seed).randint(0, 1 << 32, size=500, dtype=np.uint32)
    drawn, counters = np.zeros(len(limits), dtype=np.int64), np.zeros(3, dtype=np.int64)
    build(draw_all)(counters, words, np.array(limits, dtype=np.int64), drawn)
    assert drawn.tolist() == [one_by_one.randint(limit) for limit in limits]
    used = int(counters[1])
    assert words[used] == one_by_one.randint(0, 1 << 32, dtype=np.uint32)


def test_no_global_generator_is_touched():
    before = np.random.get_state()
    climbed(Settings(iterations=100))
    after = np.random.get_state()
    assert before[0] == after[0]
    assert np.array_equal(before[1], after[1])
    assert before[2:] == after[2:]
