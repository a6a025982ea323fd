"""The study of unbeatable cats and mice: what it plays, what it accepts, and what it proves."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evo.errors import ConfigError
from evo.studies.cat_and_mouse_beaten import climbing, study
from evo.studies.cat_and_mouse_beaten.study import Settings, run
from tournaments import games
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import Stream, match_seeds
from tournaments.options import as_options

SMALL = Settings(
    tasks="cat+mouse+late-mouse",
    rows=4,
    cols=3,
    mouse_rows=4,
    mouse_cols=4,
    seeds=2,
    budget=4_000_000,
    candidates=5,
)


@pytest.fixture(scope="module")
def small():
    return run(SMALL)


# --- games -------------------------------------------------------------------------------------


@kernel
def play_and_note(state, found):
    """The game of the two incumbents, into ``found``: cat won, plies, distance."""
    found[0], found[1], found[2] = climbing.play(state, 0, 1)


@given(
    rows=st.integers(2, 6), cols=st.integers(2, 6), first=st.sampled_from(["cat", "mouse"]),
    anywhere=st.booleans(), seed=st.integers(0, 1000),
)  # fmt: skip
def test_games_are_those_of_the_rules(rows, cols, first, anywhere, seed):
    options = {"rows": rows, "cols": cols, "first": first, "end": "move-limit"}
    game = games.make("cat-and-mouse", **options)
    chosen = Settings(starts="any" if anywhere else "corner")
    state = climbing.begin(as_options(chosen), game, "test", seed)
    state.chance[0] = seed
    if anywhere:
        stream, cells = Stream(seed), rows * cols
        while True:
            places = [stream.below(cells), stream.below(cells)]
            ys, xs = zip(*(divmod(place, cols) for place in places), strict=True)
            steps = abs(ys[0] - ys[1]) + abs(xs[0] - xs[1])
            if steps and (steps + rows + cols) % 2 == 0:
                break
        starts = [f"{place % cols}:{place // cols}" for place in places]
        game = games.make("cat-and-mouse", **options, cat_start=starts[0], mouse_start=starts[1])
    tables = state.tables[:2].reshape(2, rows * cols, rows * cols)
    slow, plies = game.start(), 0
    while not slow.is_over:
        cat, mouse = slow.array[pursuit.PIECES : pursuit.PIECES + 2]
        slow.play(int(tables[slow.seat_to_move, cat, mouse]))
        plies += 1
    found = np.zeros(3, dtype=np.int64)
    build(play_and_note)(state, found)
    assert found[:2].tolist() == [slow.scores[0], plies]
    assert (found[2] == 0) == bool(slow.scores[0])


# --- climbing ----------------------------------------------------------------------------------


def first_rounds(settings, rounds):
    """Incumbents, measures and turns after each of the first rounds."""
    game = study._game(settings, "cat")
    state = climbing.begin(as_options(settings), game, "test", 1)
    seeds = match_seeds(1, "test", 0, rounds)
    yield state.tables.copy(), state.measures.copy(), state.turn.copy()
    for number in range(rounds):
        build(climbing.climb)(state, seeds[number : number + 1], seeds[number : number + 1])
        yield state.tables.copy(), state.measures.copy(), state.turn.copy()


@pytest.mark.parametrize("drift", [0, 1])
@pytest.mark.parametrize("changes", [1, 3])
def test_only_what_is_better_is_accepted_and_with_drift_what_is_as_good(drift, changes):
    one_variant = replace(SMALL, drift=drift, changes=changes, candidates=1)
    verdicts = set()
    rounds = list(first_rounds(one_variant, 200))
    for (before, _, turn), (after, measures, _) in pairwise(rounds):
        side = turn[climbing.LEARNING]
        mine, best = measures[0].tolist(), measures[2].tolist()
        taken = best > mine or (drift and best == mine)
        assert np.array_equal(after[side], before[side] if not taken else after[climbing.BEST])
        assert np.array_equal(after[1 - side], before[1 - side])
        assert 1 <= np.count_nonzero(after[climbing.BEST] != before[side]) <= changes
        verdicts.add((best > mine) - (best < mine))
    assert verdicts == {-1, 0, 1}


def test_annealing_accepts_what_is_worse_until_it_is_cold():
    def worse(settings):
        rounds = list(first_rounds(settings, 400))
        return [
            number
            for number, ((_, _, turn), (after, measures, _)) in enumerate(pairwise(rounds))
            if measures[2].tolist() < measures[0].tolist()
            and np.array_equal(after[turn[climbing.LEARNING]], after[climbing.BEST])
        ]

    hot = worse(replace(SMALL, candidates=1, temperature=1.0, half_life=20))
    assert len(hot) > 5
    assert max(hot) < 200
    assert worse(replace(SMALL, candidates=1)) == []


def test_the_archive_has_the_newest_incumbents_and_they_are_played():
    settings = replace(SMALL, archive=2)
    put = ([], [])
    rounds = list(first_rounds(settings, 60))
    for (_, _, before), (tables, _, turn) in pairwise(rounds):
        side = before[climbing.LEARNING]
        opponents = 1 + min(before[climbing.KEPT + 1 - side], 2)
        played = turn[climbing.PLAYED] - before[climbing.PLAYED]
        assert played == opponents * settings.games * (settings.candidates + 1)
        if turn[climbing.LEARNING] != side:
            put[side].append(tables[side])
            kept = tables[climbing.ARCHIVED + 2 * side :][:2]
            assert {row.tobytes() for row in kept[: len(put[side])]} == {
                row.tobytes() for row in put[side][-2:]
            }
    assert min(map(len, put)) > 2


def test_without_a_gain_variants_change_more_cells_up_to_the_most():
    settings = replace(SMALL, jump_after=1, most_changes=4, same_games=1)
    game = study._game(settings, "cat")
    state = climbing.begin(as_options(settings), game, "test", 1)
    state.turn[climbing.STUCK] = 9
    most = 0
    for _ in range(50):
        build(climbing.vary)(state, 0)
        most = max(most, np.count_nonzero(state.tables[climbing.VARIANT] != state.tables[0]))
    assert most == 4


# --- results -----------------------------------------------------------------------------------


def test_small_boards_are_beaten_and_the_proof_holds(small):
    assert [(row.task, row.proved, row.perfect) for row in small.rows] == [
        (task, True, True) for task in study.TASKS for _ in range(2)
    ]
    for row, table in zip(small.rows, small.tables, strict=True):
        side, first = study.TASKS[row.task]
        rows, cols = (4, 3) if side == "cat" else (4, 4)
        game = games.make("cat-and-mouse", rows=rows, cols=cols, first=first)
        best = pursuit.best_response(game, table, side)
        assert best.plies == pursuit.plies_from(game.start())
        assert best.seat == best.winner or row.task == "late-mouse"
        assert row.games <= row.perfect_games == row.all_games


def test_summaries_count_the_rows(small):
    for summary in small.summaries:
        rows = [row for row in small.rows if row.task == summary.task]
        assert summary.seeds == summary.proved == summary.perfect == 2
        assert summary.median_games == sum(row.games for row in rows) / 2
        assert summary.median_perfect_games == sum(row.perfect_games for row in rows) / 2
    assert [summary.perfect_plies for summary in small.summaries] == [7, None, 10]


def test_one_setting_gives_one_result_for_any_number_of_threads(small):
    again = run(replace(SMALL, threads=1))
    assert again.rows == small.rows
    assert all(map(np.array_equal, again.tables, small.tables))
    other = run(replace(SMALL, seed=77))
    assert [row.games for row in other.rows] != [row.games for row in small.rows]


def test_a_budget_ends_a_seed_without_proof():
    (row,) = run(Settings(tasks="cat", seeds=1, budget=1, candidates=1, games=1)).rows
    assert (row.proved, row.games, row.perfect, row.plies) == (False, None, False, None)
    assert row.all_games == 2 * study.ROUNDS_A_PROOF


@hypothesis_settings(max_examples=5)
@given(st.integers(0, 2**62))
def test_first_tables_are_legal(seed):
    game = study._game(Settings(), "cat")
    tables = climbing.begin(as_options(Settings()), game, "test", seed).tables.reshape(-1, 56, 56)
    for side, seat in enumerate(pursuit.SEATS):
        pursuit.checked_policy(game, tables[side], seat)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": 1}, "rows=1 given; a value from 2 to 16"),
        ({"rows": 7}, "rows=7, cols=7 given; an odd sum is expected: the task cat"),
        ({"mouse_rows": 7}, "mouse_rows=7, mouse_cols=8 given; an even sum is expected"),
        ({"tasks": "cat+dog"}, "unknown task 'dog'"),
        ({"starts": "corners"}, "starts='corners' given; 'any' or 'corner'"),
        ({"games": 0}, "games=0 given"),
        ({"drift": 2}, "drift=2 given; a value from 0 to 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong, message):
    with pytest.raises(ConfigError, match=message):
        run(Settings(**wrong))
