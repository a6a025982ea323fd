"""Intervals, curves, tables and pictures."""

from __future__ import annotations

import json
import struct
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import ROOT
from results_data import (
    LAYOUTS,
    ROLE_LAYOUTS,
    as_made_with,
    create,
    evaluation,
    role_run,
    row,
    written_run,
)

from results import ResultsError, open_run
from results.folder.evaluations import write_evaluation
from results.plots import style
from results.plots.run import (
    diversity_figure,
    exploitability_figure,
    fitness_figure,
    plot_run,
    seat_figure,
    win_rate_figure,
)
from results.plots.style import MOST_POINTS, spread
from results.read.curves import (
    CURVE_COLUMNS,
    EXPLOITABILITY_COLUMNS,
    SEAT_COLUMNS,
    champion_curve,
    exploitability_curve,
    seat_curve,
    wilson,
)
from results.report import cross_table, json_lines, table


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


@pytest.fixture
def evaluated(tmp_path):
    """Two generations; in the second, individual 5 or another luckier than the champion."""
    path = written_run(tmp_path / "run")
    run = open_run(path)
    for generation in (0, 6):
        champion = int(run.champion(generation)["individual"])
        other = (champion + 1) % 6
        mine = evaluation(generation, champion, {"level-0": 150})
        write_evaluation(path, f"c{generation}", mine)
        write_evaluation(path, f"o{generation}", evaluation(generation, other, {"level-0": 240}))
        again = {**mine, "evaluate_seconds": mine["evaluate_seconds"] * 2}
        write_evaluation(path, f"copy{generation}", again)
    return run


def test_the_champion_curve_follows_the_fittest_and_not_the_luckiest(evaluated):
    champion = champion_curve(evaluated)
    assert tuple(champion.columns) == CURVE_COLUMNS
    assert champion["generation"].tolist() == [0, 6]
    assert champion["games_played"].tolist() == [100, 700]
    assert champion["win_rate"].tolist() == [0.5, 0.5]
    assert champion["games"].tolist() == [300, 300]  # the same games twice count once
    fittest = [evaluated.champion(g)["individual"] for g in (0, 6)]
    assert champion["individual"].tolist() == fittest


def test_games_of_another_seed_are_added(evaluated):
    individual = int(evaluated.champion(6)["individual"])
    more = evaluation(6, individual, {"level-0": 210}, seed=2)
    write_evaluation(evaluated.path, "more", more)
    last = champion_curve(evaluated).iloc[-1]
    assert (last["games"], last["wins"], last["win_rate"]) == (600, 360, 0.6)
    assert last["low"] == pytest.approx(float(wilson(360, 600)[0]))


def test_who_wins_as_first_and_loses_as_second_is_seen(evaluated):
    assert seat_curve(evaluated).empty  # games that were not counted so
    individual = int(evaluated.champion(6)["individual"])
    for name, seed, games, first in (("a", 2, 100, 1.0), ("b", 3, 300, 0.6)):
        rates = {"win_rate_first": [first], "win_rate_second": [0.0]}
        rows = evaluation(6, individual, {"level-0": int(games * first / 2)}, seed=seed)
        rows |= {"games": [games], "losses": [games - int(games * first / 2)], **rates}
        write_evaluation(evaluated.path, name, rows)
    curve = seat_curve(evaluated)
    assert tuple(curve.columns) == SEAT_COLUMNS
    assert dict(zip(curve["seat"], curve["win_rate"], strict=True)) == {"first": 0.7, "second": 0.0}
    assert curve["games"].tolist() == [200, 200]
    assert curve["low"].tolist() == [float(wilson(won, 200)[0]) for won in (140, 0)]
    assert curve["high"].tolist() == [float(wilson(won, 200)[1]) for won in (140, 0)]
    first, second = seat_figure(curve).axes[:2]
    assert [axes.get_title("left") for axes in (first, second)] == [
        *["main in the first seat", "main in the second seat"]
    ]
    assert [axes.lines[-1].get_ydata()[-1] for axes in (first, second)] == [0.7, 0.0]


def test_curves_without_evaluations_have_no_rows(tmp_path):
    run = open_run(written_run(tmp_path / "run"))
    assert tuple(seat_curve(run).columns) == SEAT_COLUMNS
    assert tuple(champion_curve(run).columns) == CURVE_COLUMNS
    assert len(champion_curve(run)) == 0


def test_pictures_are_drawn_whole_and_the_svg_is_the_same_each_time(evaluated, tmp_path):
    paths = plot_run(evaluated)
    names = ["win-rate", "fitness", "diversity"]
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


@pytest.mark.parametrize("is_relative", [False, True])
def test_fitness_that_is_relative_says_so_in_its_title(is_relative, tmp_path, monkeypatch):
    titles = []
    monkeypatch.setattr(style, "save", lambda figure, _: titles.append(figure.get_suptitle()) or [])
    path = written_run(tmp_path / "run")
    as_made_with(path, lambda info: info.update(relative_fitness=is_relative))
    plot_run(open_run(path))
    expected = "relative to its opponents" if is_relative else "in the course of evolution"
    assert expected in titles[0]


@pytest.mark.parametrize(
    ("config", "unit"),
    [
        ({}, "points of the scheme"),
        ({"learner": {"name": "genetic"}, "scheme": {"name": "swiss"}}, "points of the scheme"),
        ({"learner": {"name": "openai-es"}, "scheme": {"name": "direct"}}, "points of the scheme"),
        (
            {"learner": {"name": "evolution-strategy"}, "scheme": {"name": "round-robin"}},
            "points of the scheme",
        ),
        ({"learner": {"name": "hill-climbing"}}, "share of games won"),
        ({"learner": {"name": "annealing"}}, "share of games won"),
    ],
)
def test_fitness_is_counted_in_points_wherever_there_is_a_scheme(
    config, unit, tmp_path, monkeypatch
):
    labels = []

    def save(figure, target):
        labels.append(figure.axes[0].get_ylabel())
        return []

    monkeypatch.setattr(style, "save", save)
    path = written_run(tmp_path / "run")
    as_made_with(path, lambda info: info["config"].update(config))
    plot_run(open_run(path))
    assert f"raw fitness ({unit})" in labels


@pytest.fixture
def proved(tmp_path):
    """Cats and mice: the cat's champion is proved to capture in the end, another cat is not."""
    run = open_run(role_run(tmp_path / "run"))
    for generation in range(3):
        for name in ("cat", "mouse"):
            best = int(run.champion(generation, name)["individual"])
            caught = name == "cat" and generation == 2
            exact = proof(generation, best, name, int(caught), 0.0 if caught else 0.5)
            write_evaluation(
                run.path, f"{name}{generation}", {**exact, "plies": [23.0 - generation]}
            )
            other = proof(generation, (best + 1) % 3, name, 0, 2.0)
            write_evaluation(run.path, f"{name}{generation}o", other)
        played = {**evaluation(generation, best, {"random": 150}), "population": name}
        write_evaluation(run.path, f"played{generation}", played)
    return run


def proof(generation, individual, population, wins, exploitability):
    """The columns of an exact evaluation; without a certain outcome for a mouse."""
    counted = evaluation(generation, individual, {"best-response": wins})
    games = int(population == "cat")
    exact = {"games": [games], "losses": [games - wins], "exploitability": [exploitability]}
    return {**counted, **exact, "population": population}


def test_the_curve_of_exploitability_follows_the_champions(proved, tmp_path):
    curve = exploitability_curve(proved)
    assert tuple(curve.columns) == EXPLOITABILITY_COLUMNS
    assert curve["population"].tolist() == ["cat"] * 3 + ["mouse"] * 3
    assert curve["generation"].tolist() == [0, 1, 2] * 2
    assert curve["games_played"].tolist() == [100, 200, 300] * 2
    assert curve["exploitability"].tolist() == [0.5, 0.5, 0.0, 0.5, 0.5, 0.5]
    assert curve["plies"].tolist() == [23, 22, 21] * 2
    nothing = exploitability_curve(open_run(written_run(tmp_path / "other")))
    assert (tuple(nothing.columns), len(nothing)) == (EXPLOITABILITY_COLUMNS, 0)


def test_curves_of_win_rates_skip_rows_without_games_and_proofs_have_no_interval(proved):
    curve = champion_curve(proved)
    found = curve.groupby(["population", "opponent"]).size().to_dict()
    assert found == {("cat", "best-response"): 3, ("mouse", "random"): 3}
    exact = curve[curve["opponent"] == "best-response"]
    assert exact["win_rate"].tolist() == [0, 0, 1]
    assert exact[["low", "high"]].to_numpy().tolist() == [[0, 0], [0, 0], [1, 1]]
    assert (curve["games"] > 0).all()


def labels(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


@pytest.mark.slow
def test_pictures_of_two_populations_share_names_axes_and_colours(proved):
    stems = list(dict.fromkeys(path.stem for path in plot_run(proved)))
    assert stems == ["win-rate", "exploitability", "fitness", "diversity"]
    generations = proved.generations
    for figure in (
        fitness_figure(generations),
        diversity_figure(generations, ROLE_LAYOUTS),
        win_rate_figure(champion_curve(proved)),
    ):
        assert [axes.get_title(loc="left") for axes in figure.axes] == ["cat", "mouse"]
        assert len({(axes.get_xlim(), axes.get_ylim()) for axes in figure.axes}) == 1
        assert figure.axes[0].get_shared_y_axes().joined(*figure.axes)
    exploited = exploitability_figure(exploitability_curve(proved))
    (axes,) = exploited.axes
    assert labels(exploited) == ["perfect play", "cat  0, 21 plies", "mouse  0.5, 21 plies"]
    drawn = axes.lines[1:]
    assert [line.get_ydata().tolist() for line in drawn] == [[0.5, 0.5, 0], [0.5, 0.5, 0.5]]
    assert len({line.get_color() for line in drawn}) == 2


def test_random_genomes_are_a_level_of_bit_networks_alone():
    rows = pd.DataFrame([row(generation, "cat") for generation in range(5)])
    assert "random genomes" in labels(diversity_figure(rows, {"cat": LAYOUTS["main"]}))
    assert "random genomes" not in labels(diversity_figure(rows, ROLE_LAYOUTS))
    assert "genes" in diversity_figure(rows, {"cat": LAYOUTS["main"]}).axes[0].get_ylabel()


def test_few_individuals_that_hardly_differ_are_seen_to_differ():
    rows = pd.DataFrame([row(generation, "cat") for generation in range(5)])
    climbing = rows.assign(diversity=0.0003, std=0.0, mean=rows["best"])
    figure = diversity_figure(climbing, ROLE_LAYOUTS)
    assert figure.axes[0].get_ylim()[1] < 0.001
    assert labels(figure) == ["0.03%"]
    assert labels(fitness_figure(climbing)) == ["fitness"]
    alone = diversity_figure(climbing.assign(diversity=0.0), ROLE_LAYOUTS)
    assert alone.axes[0].get_ylim() == (0, 1)


@pytest.mark.parametrize("generations", [MOST_POINTS, 2 * MOST_POINTS + 1])
def test_more_generations_than_can_be_drawn_are_averaged(generations):
    rows = pd.DataFrame([row(generation, "cat") for generation in range(generations)])
    figure = fitness_figure(rows)
    best = next(line for line in figure.axes[0].lines if len(line.get_xdata()) > 1)
    drawn = figure.axes[0].lines[-1].get_ydata()
    step = -(-generations // MOST_POINTS)
    assert len(best.get_xdata()) == -(-generations // step) <= MOST_POINTS
    assert drawn[0] == rows["best"][:step].mean()
    assert (f"means of {step} generations" in figure.get_suptitle()) == (step > 1)


def test_every_panel_shows_all_of_its_population():
    rows = [row(generation, name) for name in ("cat", "mouse") for generation in range(5)]
    frame = pd.DataFrame(rows)
    frame.loc[frame["population"] == "mouse", "best"] += 100
    for axes in fitness_figure(frame).axes:
        low, high = axes.get_ylim()
        drawn = np.concatenate([line.get_ydata() for line in axes.lines])
        assert low < drawn.min() <= drawn.max() < high


@pytest.mark.slow
def test_drawing_leaves_pyplot_and_the_global_settings_alone(evaluated):
    # In a process of its own: another test's library may have loaded pyplot in this one. The
    # setting "backend" is left out, as merely looking at it loads pyplot.
    code = (
        "import sys, matplotlib; "
        "settings = lambda: {k: matplotlib.rcParams[k] for k in matplotlib.rcParams"
        " if k != 'backend'}; before = settings(); "
        "from results import open_run; from results.plots.run import plot_run; "
        "plot_run(open_run(sys.argv[1])); "
        "assert settings() == before, 'settings'; "
        "assert 'matplotlib.pyplot' not in sys.modules, 'pyplot'"
    )
    subprocess.run([sys.executable, "-c", code, str(evaluated.path)], cwd=ROOT, check=True)


def test_a_run_without_evaluations_has_no_win_rate_and_one_without_rows_no_picture(tmp_path):
    names = [path.stem for path in plot_run(open_run(written_run(tmp_path / "run")))]
    assert sorted(set(names)) == ["diversity", "fitness"]
    create(tmp_path / "new").close()
    with pytest.raises(ResultsError, match="no generation to draw yet"):
        plot_run(open_run(tmp_path / "new"))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_labels_keep_their_order_and_distance(heights):
    placed = spread(heights, 0.1, 0.0, 1.0)
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
    with pytest.raises(ResultsError, match="cannot be reported"):
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
