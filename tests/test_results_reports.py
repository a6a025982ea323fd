"""Intervals, curves, tables and pictures."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from results_data import create, evaluation, row, written_run

from results import ResultsError, open_run
from results.analysis import CURVE_COLUMNS, best_curve, champion_curve, wilson
from results.plots import _spread, fitness_figure, plot_run
from results.report import cross_table, json_lines, table
from results.writer import write_evaluation


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.277533),
        (5, 10, 0.236593, 0.763407),
        (10, 10, 0.722467, 1.0),
        (249, 300, 0.783386, 0.868270),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_intervals_have_their_known_values(wins, games, low, high):
    assert np.round(wilson(wins, games), 6).tolist() == [low, high]


@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(0.5, 0.999))
def test_wilson_ends_solve_the_equation_of_the_score_test(games, share, confidence):
    from statistics import NormalDist

    wins = round(share * games)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    low, high = wilson(wins, games, confidence)
    assert 0 <= low <= wins / games <= high <= 1
    for end in (float(low), float(high)):
        distance = abs(wins / games - end)
        assert distance == pytest.approx(z * np.sqrt(end * (1 - end) / games), abs=1e-7)


@given(st.integers(0, 10**6), st.floats(0.5, 0.999))
def test_wilson_is_exact_without_a_win_and_without_a_loss(games, confidence):
    assert wilson(0, games, confidence)[0] == 0
    assert wilson(games, games, confidence)[1] == 1


def test_wilson_is_exact_at_the_ends_and_takes_arrays():
    low, high = wilson(np.array([0, 300]), 300)
    assert low[0] == 0
    assert high[1] == 1
    for wins, games in ((-1, 10), (11, 10)):
        with pytest.raises(ResultsError, match="wins outside"):
            wilson(wins, games)
    with pytest.raises(ResultsError, match="confidence 95"):
        wilson(1, 2, 95)


@pytest.fixture
def evaluated(tmp_path):
    """Two generations; in the second, individual 5 or another luckier than the champion."""
    path = written_run(tmp_path / "run")
    run = open_run(path)
    for generation in (0, 6):
        champion = int(run.champion(generation)["individual"])
        other = (champion + 1) % 6
        write_evaluation(path, f"c{generation}", evaluation(generation, champion, {"level-0": 150}))
        lucky = evaluation(generation, other, {"level-0": 240})
        write_evaluation(path, f"o{generation}", lucky)
        again = {**lucky, "evaluate_seconds": lucky["evaluate_seconds"] * 2}
        write_evaluation(path, f"copy{generation}", again)
    return run


def test_the_champion_curve_follows_the_fittest_and_the_best_curve_the_luckiest(evaluated):
    champion, best = champion_curve(evaluated), best_curve(evaluated)
    assert tuple(champion.columns) == tuple(best.columns) == CURVE_COLUMNS
    assert champion["generation"].tolist() == [0, 6]
    assert champion["games_played"].tolist() == [100, 700]
    assert champion["win_rate"].tolist() == [0.5, 0.5]
    assert best["win_rate"].tolist() == [0.8, 0.8]
    assert best["games"].tolist() == [300, 300]  # the same games twice count once
    fittest = [evaluated.champion(g)["individual"] for g in (0, 6)]
    assert champion["individual"].tolist() == fittest


def test_games_of_another_seed_are_added(evaluated):
    individual = int(evaluated.champion(6)["individual"])
    more = evaluation(6, individual, {"level-0": 210}, seed=2)
    write_evaluation(evaluated.path, "more", more)
    last = champion_curve(evaluated).iloc[-1]
    assert (last["games"], last["wins"], last["win_rate"]) == (600, 360, 0.6)
    assert last["low"] == pytest.approx(float(wilson(360, 600)[0]))


def test_curves_without_evaluations_have_no_rows(tmp_path):
    run = open_run(written_run(tmp_path / "run"))
    assert tuple(champion_curve(run).columns) == CURVE_COLUMNS
    assert len(champion_curve(run)) == len(best_curve(run)) == 0


def test_pictures_are_drawn_whole_and_the_svg_is_the_same_each_time(evaluated, tmp_path):
    paths = plot_run(evaluated)
    names = ["fitness", "diversity", "win-rate"]
    assert [p.name for p in paths] == [
        f"{name}.{kind}" for name in names for kind in ("png", "svg")
    ]
    assert {path.parent for path in paths} == {evaluated.path / "plots"}
    for path in paths[::2]:
        data = path.read_bytes()
        width, height = struct.unpack(">II", data[16:24])
        assert data.startswith(b"\x89PNG")
        assert width > 900
        assert height > 500
        assert len(data) > 15_000
    again = plot_run(evaluated, tmp_path / "again")
    for first, second in zip(paths[1::2], again[1::2], strict=True):
        assert first.read_bytes() == second.read_bytes()
        assert b"<path" in first.read_bytes()


def test_every_panel_shows_all_of_its_population():
    rows = [row(generation, name) for name in ("cat", "mouse") for generation in range(5)]
    frame = pd.DataFrame(rows)
    frame.loc[frame["population"] == "mouse", "best"] += 100
    for axes in fitness_figure(frame).axes:
        low, high = axes.get_ylim()
        drawn = np.concatenate([line.get_ydata() for line in axes.lines])
        assert low < drawn.min() <= drawn.max() < high


def test_drawing_leaves_pyplot_and_the_global_settings_alone(evaluated):
    # In a process of its own: another test's library may have loaded pyplot in this one. The
    # setting "backend" is left out, as merely looking at it loads pyplot.
    code = (
        "import sys, matplotlib; "
        "settings = lambda: {k: matplotlib.rcParams[k] for k in matplotlib.rcParams"
        " if k != 'backend'}; before = settings(); "
        "from results import open_run, plots; plots.plot_run(open_run(sys.argv[1])); "
        "assert settings() == before, 'settings'; "
        "assert 'matplotlib.pyplot' not in sys.modules, 'pyplot'"
    )
    root = Path(__file__).parent.parent
    subprocess.run([sys.executable, "-c", code, str(evaluated.path)], cwd=root, check=True)


def test_a_run_without_evaluations_has_no_win_rate_and_one_without_rows_no_picture(tmp_path):
    names = [path.stem for path in plot_run(open_run(written_run(tmp_path / "run")))]
    assert sorted(set(names)) == ["diversity", "fitness"]
    create(tmp_path / "new").close()
    with pytest.raises(ResultsError, match="no generation to draw yet"):
        plot_run(open_run(tmp_path / "new"))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_labels_keep_their_order_and_distance(heights):
    placed = _spread(heights, 0.1, 0.0, 1.0)
    order = np.argsort(heights, kind="stable")
    assert np.all(np.diff(np.array(placed)[order]) >= 0.1 - 1e-9)
    assert max(placed) <= 1 + 1e-9


def test_a_table_is_aligned_and_says_nothing_where_there_is_nothing():
    rows = [
        {"opponent": "level-0", "games": np.int32(300), "win_rate": np.float64(0.83)},
        {"opponent": "optimal", "games": 12000, "win_rate": float("nan")},
        {"opponent": None},
    ]
    assert table(rows, {"opponent": "", "games": ",d", "win_rate": ".1%"}).splitlines() == [
        "opponent   games  win_rate",
        "level-0      300     83.0%",
        "optimal   12,000         -",
        "-              -         -",
    ]
    assert table([], {"a": "", "bc": "d"}) == "a  bc"
    with pytest.raises(ResultsError, match="column games holds 'x', which has no format 'd'"):
        table([{"games": "x"}], {"games": "d"})


def test_json_lines_are_plain_json_one_object_a_line():
    frame = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan], "c": pd.array([None, 3], dtype="Int64")})
    lines = list(json_lines(frame.to_dict("records")))
    assert [json.loads(line) for line in lines] == [
        {"a": 1, "b": 0.5, "c": None},
        {"a": 2, "b": None, "c": 3},
    ]
    odd = next(json_lines([{"x": np.array([1.0, np.inf]), "y": True, "z": "ü\n"}]))
    assert json.loads(odd) == {"x": [1.0, None], "y": True, "z": "ü\n"}
    assert "\n" not in odd
    with pytest.raises(ResultsError, match="has no place in a report"):
        list(json_lines([{"x": object()}]))


def test_a_cross_table_has_a_row_a_player_and_the_mean_of_the_pairs_that_met():
    scores = np.array([[9.0, 0.25, np.nan], [0.75, 9.0, 1.0], [np.nan, 0.0, 9.0]])
    assert cross_table(["level-0", "runs/rr", "x"], scores).splitlines() == [
        "   player       1      2      3   mean",
        "1  level-0      -  0.250      -  0.250",
        "2  runs/rr  0.750      -  1.000  0.875",
        "3  x            -  0.000      -  0.000",
    ]
    assert scores[0, 0] == 9.0
    with pytest.raises(ResultsError, match=r"shape \[3, 3\]; expected is \[2, 2\]"):
        cross_table(["a", "b"], scores)
