"""Win rates by odds, and the picture of a tournament."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from results import ResultsError, open_tournament
from results.folder.tournament import TournamentWriter
from results.format.schema import arrow_schema
from results.plots.compare import Compared, compared_figure
from results.plots.odds import odds_axis
from results.plots.progress import master_figure
from results.plots.run import win_rate_figure
from results.plots.style import plain_name, thinned
from results.plots.tournament import plot_tournament, seats_figure, tournament_figure
from results.read.curves import running_curve, window_of
from results.statistics import running_rate, wants_odds, wilson


def test_rates_near_an_end_are_drawn_by_odds_and_others_are_not():
    assert wants_odds(np.array([0.5, 0.02]))
    assert wants_odds(np.array([0.5, 0.98]))
    assert not wants_odds(np.array([0.2, 0.8]))
    assert not wants_odds(np.array([0.0, 1.0]))  # whose odds are no number
    assert not wants_odds(np.array([]))


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), min_size=1, max_size=30),
    st.integers(0, 6),
)
def test_running_rates_are_those_of_all_games_in_reach(counts, half):
    wins, games = [min(won, played) for won, played in counts], [played for _, played in counts]
    found = running_rate(wins, games, 2 * half + 1)
    for place in range(len(counts)):
        results = []  # a 1 for each game won, game by game
        for other in range(len(counts)):
            if abs(other - place) <= half:
                results += [1] * wins[other] + [0] * (games[other] - wins[other])
        rate, count = Fraction(sum(results), len(results)), len(results)
        # The ends are the rates p with (rate - p)^2 = z^2 p (1 - p) / count.
        square = 1.959963984540054**2 / count
        ends = np.roots([1 + square, -2 * float(rate) - square, float(rate) ** 2])
        assert found[0][place] == pytest.approx(float(rate))
        expected = sorted(np.real(ends))
        assert [found[1][place], found[2][place]] == pytest.approx(expected, abs=1e-6)


def champions(rates, games=200) -> pd.DataFrame:
    """A curve against one opponent, a snapshot for each rate."""
    numbers = np.arange(len(rates))
    low, high = wilson(np.multiply(rates, games), games) if games else (rates, rates)
    return pd.DataFrame(
        {"generation": numbers, "games_played": 100 * numbers, "population": "main"}
        | {"individual": 0, "opponent": "level-0", "games": games, "win_rate": rates}
        | {"low": low, "high": high}
    )


@pytest.mark.parametrize(("snapshots", "window"), [(0, 1), (4, 1), (5, 3), (60, 5), (200, 11)])
def test_a_20th_of_the_snapshots_is_pooled(snapshots, window):
    assert window_of([champions([0.5] * 3), champions([0.5] * snapshots)]) == window


def test_rates_that_jump_are_drawn_as_a_running_rate_with_the_measured_points():
    figure = win_rate_figure(champions([0.0, 1.0] * 4))
    assert figure.axes[0].get_ylabel().endswith("pooled over 3 snapshots")
    points, line = (drawn.get_ydata() for drawn in figure.axes[0].lines[-2:])
    assert points.tolist() == [0.0, 1.0] * 4
    assert line.tolist() == pytest.approx([1 / 2, 1 / 3, 2 / 3, 1 / 3, 2 / 3, 1 / 3, 2 / 3, 1 / 2])
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert "level-0  50.0%" in labels  # not the 100% of the last snapshot
    exact = running_curve(champions([0.0, 1.0] * 4, games=0), 3)
    assert exact["win_rate"].tolist() == pytest.approx(line.tolist())
    assert (exact["low"] == exact["win_rate"]).all()
    assert (exact["high"] == exact["win_rate"]).all()


def test_a_single_snapshot_is_points_beside_one_another_with_intervals():
    curve = pd.concat([champions([0.4]), champions([0.6]).assign(opponent="level-1")])
    axes = win_rate_figure(curve.assign(games_played=5200)).axes[0]
    assert axes.get_xlabel() == "a single measurement, after 5,200 games"
    assert [line.get_xdata().tolist() for line in axes.lines[-2:]] == [[0.5], [1.5]]
    assert axes.get_xlim() == (0, 2)
    assert not len(axes.get_xticks())
    assert len(axes.collections) == 2  # the intervals


@pytest.mark.parametrize("rows", [1, 401, 500, 801, 1201, 2001])
def test_the_last_point_of_means_is_of_as_many_generations_as_the_others(rows):
    frame = pd.DataFrame({"generation": np.arange(rows, dtype=float)})
    ((short, long), shown) = thinned([frame[:1], frame])
    assert len(short) == 1
    counts, first = [], 0
    for middle in long["generation"]:  # of its rows, which begin with the first
        counts.append(round(2 * (middle - first)) + 1)
        first += counts[-1]
    assert first == rows
    assert max(counts) - min(counts) <= 1
    assert len(long) <= 400
    assert bool(shown) == (rows > 400)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("level-0", "level-0"),
        ("./bots/a.js", "bots-a-js"),
        ("level-0,mutation_probability=0.005", "level-0-mutation_probability=0-005"),
    ],
)
def test_names_of_pictures_have_no_dots_and_slashes(text, name):
    assert plain_name(text) == name


def heights(rates) -> np.ndarray:
    """Where shares lie on the axis, 0 at its foot and 1 at its head."""
    axes = Figure().subplots()
    odds_axis(axes, np.asarray(rates))
    points = np.stack([np.zeros(len(rates)), rates], axis=1)
    return (axes.transScale + axes.transLimits).transform(points)[:, 1]


def test_two_rates_of_strong_opponents_lie_apart_and_in_order():
    low, high, even = heights([0.004, 0.02, 0.5])
    assert 0 < low < high < even < 1
    assert high - low > 0.15  # a plain axis has them 0.016 apart
    lower, higher = heights([0.98, 0.996])
    assert higher - lower > 0.15
    assert heights([0.0, 0.01, 0.5])[0] == pytest.approx(0)
    assert heights([1.0, 0.99, 0.5])[0] == pytest.approx(1)


@pytest.mark.parametrize("rates", [[0.0, 0.004, 0.7], [1e-9, 0.5], [0.02, 1.0], [0.09]])
def test_ticks_by_odds_are_few_apart_and_named(rates):
    axes = Figure().subplots()
    odds_axis(axes, np.array(rates))
    ticks = axes.get_yticks()
    at = (axes.transScale + axes.transLimits).transform([(0, tick) for tick in ticks])[:, 1]
    assert 3 <= len(ticks) <= 20
    assert np.diff(at).min() > 0.045
    texts = [axes.yaxis.get_major_formatter()(tick) for tick in ticks]
    assert len(set(texts)) == len(texts)
    assert ("0%" in texts) == (0.0 in rates)
    assert ("100%" in texts) == (1.0 in rates)


@pytest.fixture
def tournament(tmp_path):
    """Three players, of whom two met."""
    writer = TournamentWriter(tmp_path / "t")
    players = dict.fromkeys(("weak", "strong", "absent"), "x")
    info = {"game": "nim", "seed": 1, "games": 2, "schedule": "all", "players": players}
    writer.write_info(info)
    row = dict.fromkeys(arrow_schema("pairs").names, 0)
    lost = {"games": 4, "wins": 1, "losses": 3, "losses_first": 2}  # it won once, as second
    writer.add_pairs([{**row, "player": "weak", "opponent": "strong", **lost}])
    writer.close()
    return open_tournament(tmp_path / "t")


def test_a_tournament_is_drawn_with_the_better_above(tournament):
    figure = tournament_figure(tournament.cross_table, tournament.ratings)
    (axes, *_) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["strong  1", "weak  2", "absent  3"]
    written = {text.get_position(): text.get_text() for text in axes.texts}
    assert written == {(1, 0): "75", (0, 1): "25"}


def test_a_tournament_is_drawn_by_seat(tournament):
    in_seats = tournament.wins_by_seat
    assert in_seats["first"].loc["weak", "strong"] == 0
    assert in_seats["first"].loc["strong", "weak"] == 0.5
    assert in_seats["second"].loc["weak", "strong"] == 0.5
    assert in_seats["second"].loc["strong", "weak"] == 1
    figure = seats_figure(in_seats)
    labels = [axes.get_xlabel() for axes in figure.axes[2:]]
    assert labels == ["games won in the first seat", "games won in the second seat"]


def test_ratings_stand_beside_the_cross_table():
    names = ["a", "b"]
    scores = pd.DataFrame([[np.nan, 0.25], [0.75, np.nan]], index=names, columns=names)
    ratings = pd.DataFrame(
        {"player": ["b", "a"], "rating": [95.0, -95.0], "rating_low": [0.0, -190.0],
         "rating_high": [190.0, 0.0]}
    )  # fmt: skip
    figure = tournament_figure(scores, ratings, "nim")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["b  1", "a  2"]
    (points,) = figure.axes[1].lines
    assert points.get_xdata().tolist() == [95.0, -95.0]


def test_the_picture_of_a_tournament_is_written_and_one_without_games_refused(tournament, tmp_path):
    files = plot_tournament(tournament, tmp_path / "p")
    names = ["tournament", "tournament-by-seat"]
    assert [path.name for path in files] == [
        f"{n}.{kind}" for n in names for kind in ("png", "svg")
    ]
    for part in (tournament.path / "pairs").iterdir():
        part.unlink()
    with pytest.raises(ResultsError, match="has no games yet"):
        plot_tournament(tournament)


def test_medians_between_none_and_the_least_rate_are_not_drawn_as_none():
    """Of two runs, of which one won nothing and one a twentieth."""
    rows = pd.DataFrame({"_run": [0, 1], "_label": "a", "_role": "", "win_rate": [0.0, 0.05]})
    rows = rows.assign(generation=0, games_played=100)
    what = Compared("win_rate", "", "games won", True, ".1%")
    low, high = compared_figure(rows, what).axes[0].get_ylim()
    assert low < 0.0125  # the lower quartile
    assert high < 0.75


def test_the_legend_of_dominant_champions_stands_outside_the_panel():
    """In it, it lay upon lines and ticks wherever champions were weak or panels narrow."""
    rows = pd.DataFrame({"kind": ["run", "past"], "population": "all", "generation": 3})
    rows = rows.assign(games_played=9.0, score=0.1, games=2)
    (axes,) = master_figure(rows, {"": [3]}).axes[:1]
    assert axes.get_title("right") == "▼ dominant champion: beats all dominant before (1)"
    assert not any("▼" in text.get_text() for text in axes.texts)
