"""The study of unbeatable cats and mice: what it plays, what it learns by, and what it proves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import evo
from evo.studies.cat_and_mouse_beaten import study
from evo.studies.cat_and_mouse_beaten.study import REPORT
from evo.studies.cat_and_mouse_beaten.study import BeatenSettings as Settings
from tournaments import games
from tournaments.errors import ConfigError
from tournaments.games.cat_and_mouse import solver

SMALL = Settings(
    tasks="cat+mouse+late-mouse",
    rows=4,
    cols=3,
    mouse_rows=4,
    mouse_cols=4,
    seeds=2,
    budget=4_000_000,
    candidates=5,
    threads=1,
)


@pytest.fixture(scope="module")
def small():
    return REPORT.reproduce(SMALL)


# --- learning ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_seed_climbs_as_a_run_of_the_library(tmp_path):
    config = study.config_of(study.LearningJob(SMALL, "cat", 3))
    rounds, played, table = next(study._climb(config, 0))
    assert rounds == study.ROUNDS_A_PROOF
    config = {**config.to_dict(), "generations": rounds}
    last = evo.run(tmp_path / "run", config, snapshot_interval=rounds, threads=1)
    incumbent = last.population(rounds, "cat")["genome"].iloc[0]
    assert np.array_equal(np.frombuffer(incumbent, dtype=np.int8), table.ravel())
    by_round = last.generations.groupby("generation")["games_played"].first()
    assert by_round[rounds - 1] == played


@pytest.mark.parametrize(
    ("setting", "learner"),
    [
        ({}, {"name": "hill-climbing", "drift": False, "panel": [], "turn_after": 5}),
        ({"drift": 1, "same_games": 1}, {"drift": True, "same_games": True}),
        ({"panel": "random"}, {"panel": ["random"]}),
        ({"archive": 3, "changes": 2, "games": 7}, {"archive": 3, "changes": 2, "games": 7}),
        ({"jump_after": 4, "most_changes": 9}, {"jump_after": 4, "most_changes": 9}),
        ({"candidates": 6, "turn_after": 8}, {"candidates": 6, "turn_after": 8}),
        (
            {"temperature": 0.5, "half_life": 20.0},
            {"name": "annealing", "temperature": 0.5, "half_life": 20.0, "drift": False},
        ),
    ],
)
def test_settings_are_those_of_the_learner(setting, learner):
    config = study.config_of(study.LearningJob(replace(SMALL, **setting), "cat", 1)).to_dict()
    assert learner.items() <= config["learner"].items()
    assert config["game"]["cat_start"] == config["game"]["mouse_start"] == "any"


def test_games_begin_in_the_corners_where_that_is_set():
    config = study.config_of(study.LearningJob(replace(SMALL, starts="corner"), "late-mouse", 1))
    options = config.game.options
    assert (options["cat_start"], options["mouse_start"]) == ("corner", "corner")
    assert (options["first"], options["end"]) == ("mouse", "move-limit")


# --- results -----------------------------------------------------------------------------------


@pytest.mark.study
def test_small_boards_are_beaten_and_the_proof_holds(small):
    assert [(row["task"], row["proved"], row["perfect"]) for row in small.record["rows"]] == [
        (task, True, True) for task in study.TASKS for _ in range(2)
    ]
    for row in small.record["rows"]:
        assert row["games"] <= row["perfect_games"] == row["all_games"]
    for task, table in small.arrays.items():
        side, first, _ = study.TASKS[task]
        rows, cols = (4, 3) if side == "cat" else (4, 4)
        game = games.make("cat-and-mouse", rows=rows, cols=cols, first=first)
        best = solver.best_response(game, table, side)
        assert best.plies == solver.plies_from(game.start())
        assert best.seat == best.winner or task == "late-mouse"


@pytest.mark.slow
def test_summaries_count_the_rows(small):
    for summary in small.record["summary"]:
        rows = [row for row in small.record["rows"] if row["task"] == summary["task"]]
        assert summary["seeds"] == summary["proved"] == summary["perfect"] == 2
        assert summary["median_games"] == sum(row["games"] for row in rows) / 2
        assert summary["median_perfect_games"] == sum(row["perfect_games"] for row in rows) / 2
    assert [summary["perfect_plies"] for summary in small.record["summary"]] == [7, None, 10]


@pytest.mark.study
def test_one_setting_gives_one_result_for_any_number_of_processes(small):
    again = REPORT.reproduce(replace(SMALL, threads=2))
    assert again.record["rows"] == small.record["rows"]
    assert all(np.array_equal(again.arrays[task], table) for task, table in small.arrays.items())


@pytest.mark.study
def test_other_seeds_learn_otherwise(small):
    other = REPORT.reproduce(replace(SMALL, seed=77))
    assert [row["games"] for row in other.record["rows"]] != [
        row["games"] for row in small.record["rows"]
    ]


def test_a_budget_ends_a_seed_without_proof():
    (row,) = REPORT.reproduce(
        Settings(tasks="cat", seeds=1, budget=1, candidates=1, games=1)
    ).record["rows"]
    assert (row["proved"], row["games"], row["perfect"], row["plies"]) == (False, None, False, None)
    assert row["all_games"] == 2 * study.ROUNDS_A_PROOF - 1  # the first round is one game


@pytest.mark.slow
def test_the_report_tells_when_seeds_are_over():
    lines = []
    settings = replace(SMALL, tasks="cat", budget=1)
    made = REPORT.reproduce(settings, lines.append)
    assert lines[0] == "2 seeds of each: cat"
    assert lines[-1].startswith("2 of 2 seeds, ")
    proved = sum(row["proved"] for row in made.record["rows"])
    assert made.record["summary"][0]["proved"] == proved
    assert made.record["summary"][0]["success_rate"] == proved / 2
    assert len(made.arrays) == min(proved, 1)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": 7}, "rows=7, cols=7 given; their sum must be odd: the task cat"),
        ({"mouse_rows": 7}, "mouse_rows=7, mouse_cols=8 given; their sum must be even"),
        ({"tasks": "cat+dog"}, "unknown task 'dog'"),
        ({"tasks": ""}, "unknown task ''"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong, message):
    with pytest.raises(ConfigError, match=message):
        REPORT.reproduce(Settings(**wrong))
