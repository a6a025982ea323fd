"""The study of Set: what is measured, how claims are judged, what is written."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import set_game as naive

from evo.studies.claims import FAILS, HOLDS, IN_PART, UNDECIDED, judged, load_claims
from evo.studies.intervals import Interval, exactly
from evo.studies.kept import as_data, kept_record
from evo.studies.report import Evidence
from evo.studies.set import in_python, study
from evo.studies.set.plot import tables_figure
from evo.studies.set.study import READINGS, REPORT, SetSettings, counted, share_of
from tournaments import games, players
from tournaments.arena.match import play_game
from tournaments.errors import TournamentError
from tournaments.games.set import rules
from tournaments.games.set import tables as set_tables
from tournaments.games.set.tables import Tables, tables_of
from tournaments.kernels.linker import build
from tournaments.kernels.rng import match_seeds

SEEDS = match_seeds(1, "test", 0, 3)


def games_by_the_arena(spec: str, first: str, second: str) -> list[list[int]]:
    """How many sets lie on each table of games, move by move, by looking at every three cards."""
    game = games.parse(spec)
    deck = naive.deck_of(game.options["dimensions"])
    sides = study.chooser(game, first), study.chooser(game, second)
    courses = []
    for seed in SEEDS:
        arrays = [state.array.copy() for state, _, _ in play_game(game, *sides, seed=int(seed))]
        tables = [
            [deck[card] for card in rules.cards_at(array, rules.ON_TABLE)] for array in arrays
        ]
        courses.append([len(naive.sets_among(table)) for table in tables])
    return courses


@pytest.mark.parametrize(
    ("spec", "first", "second", "compiled"),
    [
        ("set:cards=4,dimensions=2", "spoiler", "any", False),
        pytest.param("set:cards=4,dimensions=2", "any", "spoiler", True, marks=pytest.mark.slow),
        pytest.param("set", "alike-first", "taker:order=3", True, marks=pytest.mark.slow),
    ],
)
def test_tables_are_those_of_the_games_that_the_arena_plays(
    spec, first, second, compiled, monkeypatch
):
    monkeypatch.setattr(set_tables, "build", partial(build, compiled=compiled))
    game = games.parse(spec)
    with np.errstate(over="ignore"):
        tables = tables_of(game, study.chooser(game, first), study.chooser(game, second), SEEDS)
    shown = [[int(number) for number in row if number >= 0] for row in tables.sets]
    assert [row[1:] for row in shown] == games_by_the_arena(spec, first, second)
    assert tables.cards[:, 0].tolist() == [game.options["cards"]] * len(SEEDS)
    assert ((tables.cards < 0) == (tables.sets < 0)).all()


def test_tables_of_players_that_go_by_nothing_are_refused():
    game = games.make("set")
    player = players.make("random", game)
    with pytest.raises(TournamentError, match="a player that goes by preferences is expected"):
        tables_of(game, player, player, SEEDS)


def test_readings_count_the_last_table_or_leave_it_out():
    sets = np.array([[2, 0, 1, 0, -1], [1, 0, -1, -1, -1]], dtype=np.int16)
    cards = np.array([[12, 12, 15, 12, -1], [12, 9, -1, -1, -1]], dtype=np.int16)
    expected = {
        "with the last table": [[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]],
        "without the last table": [[1, 1, 1, 0, 0], [1, 0, 0, 0, 0]],
        "of twelve cards": [[1, 1, 0, 0, 0], [1, 0, 0, 0, 0]],
    }
    for reading in READINGS:
        assert counted(Tables(sets, cards), reading).astype(int).tolist() == expected[reading]


def test_an_interval_is_one_of_games_and_not_of_tables():
    whole = np.full(100, 10)
    alike = share_of(np.repeat([0, 10], 50), whole)
    mixed = share_of(np.full(100, 5), whole)
    assert (alike.middle, mixed.middle) == (0.5, 0.5)
    assert mixed.high - mixed.low == 0.0  # no game differs from another
    assert alike.high - alike.low == pytest.approx(2 * 1.96 * 0.5 / 10, rel=0.01)


@st.composite
def tables(draw):
    """Different cards of four dimensions."""
    numbers = draw(st.lists(st.integers(0, 80), unique=True, max_size=15))
    deck = naive.deck_of(4)
    return np.array([deck[number] for number in numbers], dtype=np.int8).reshape(-1, 4)


@given(cards=tables())
def test_each_python_solver_finds_the_sets(cards):
    rows = [tuple(row) for row in cards.tolist()]
    expected = sorted(
        tuple(sorted(rows.index(card) for card in three)) for three in naive.sets_among(rows)
    )
    for solver in in_python.SOLVERS.values():
        assert sorted(solver(cards)) == expected


# --- claims ------------------------------------------------------------------------------------


def record(none: float, few: float, many: float, pairs: float, groups: float) -> dict[str, Any]:
    """What was measured, as far as claims are about it: with the last table, and without it."""
    ratios = {
        "python_triples_by_pairs": exactly(pairs),
        "python_groups_by_pairs": exactly(groups),
        "compiled_groups_by_pairs": Interval(groups, groups - 1, groups + 1),
    }
    readings = [
        {"none": exactly(none), "many": exactly(many)},
        {"none": exactly(few), "many": exactly(many)},
    ]
    exact = {"share": 2_284_535_476_080 / 70_724_320_184_700}
    return {"exact": exact, "play": {"readings": readings}, "speeds": {"ratios": ratios}}


ALL_HOLD = [HOLDS, FAILS, HOLDS, HOLDS, HOLDS, HOLDS, HOLDS, HOLDS]
IN_PARTS = [HOLDS, FAILS, IN_PART, IN_PART, HOLDS, IN_PART, HOLDS, UNDECIDED]
NONE_HOLD = [HOLDS, FAILS, FAILS, FAILS, FAILS, FAILS, FAILS, FAILS]
"""What is judged by the exact count, the first two, is the same whatever was measured."""


@pytest.mark.parametrize(
    ("measured", "verdicts"),
    [
        ((0.094, 0.094, 0.435, 6.0, 3.0), ALL_HOLD),
        ((0.094, 0.06, 0.43, 4.0, 1.5), IN_PARTS),
        ((0.03, 0.03, 0.5, 0.5, -0.5), NONE_HOLD),
    ],
)
def test_claims_are_judged_by_their_rules(measured, verdicts):
    claims = load_claims(REPORT.package)
    assert [row["verdict"] for row in judged(claims, Evidence(record(*measured)))] == verdicts


def test_intervals_are_kept_by_name():
    kept = as_data({"rows": [{"none": Interval(2.0, 1.0, 3.0, 0.95)}], "number": 1})
    interval = {"middle": 2.0, "low": 1.0, "high": 3.0, "confidence": 0.95}
    assert kept == {"rows": [{"none": interval}], "number": 1}


def test_a_kept_record_comes_back_as_it_was(tmp_path):
    record = {"rows": [{"none": Interval(2.0, 1.0, 3.0, 0.95)}], "counts": [1, 2]}
    for _ in range(2):
        assert kept_record(tmp_path, "part", ("x",), lambda: record) == record
    assert kept_record(tmp_path, "part", ("x",), lambda: None) == record
    assert kept_record(tmp_path, "part", ("y",), lambda: None) is None


def test_a_stopped_study_goes_on_with_the_parts_that_are_left(tmp_path, monkeypatch):
    def measured(settings, announce, name="part"):
        announce(name)
        return {"player": name, "none": exactly(0.1)}

    monkeypatch.setattr(study, "PARTS", {"play": lambda *given: {"turns": [measured(*given)]}})
    monkeypatch.setattr(study, "_chooser", measured)
    settings = SetSettings(quick=True, runs=str(tmp_path))

    def stop(line: str) -> None:
        if "order=2" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.measure(settings, stop)
    told: list[str] = []
    record = study.measure(settings, told.append).record
    assert told[0] == "taker:order=2"
    assert [row["player"] for row in record["choosers"]] == list(study.CHOOSERS)
    assert study.measure(settings, told.append).record == record
    assert told[-1] == study.CHOOSERS[-1]
    assert len(told) == len(study.CHOOSERS) - 2  # any and taker:order=1 were kept
    study.measure(SetSettings(quick=True, runs=str(tmp_path), games=30), told.append)
    assert told.count("part") == 1  # other settings have other parts


def test_the_picture_has_the_histograms_and_the_course_of_a_game():
    shares = {"none": 0.1, "none_low": 0.05, "none_high": 0.2}
    turn = {"turn": 1, **shares, "many": 0.5, "many_low": 0.4, "many_high": 0.6}
    play = {"readings": [{"counts": [1, 3]}], "turns": [turn, turn | {"turn": 2}]}
    figure = tables_figure({"draws": {"counts": [1, 2, 1]}, "play": play})
    heights = [patch.get_height() for patch in figure.axes[0].patches]
    assert heights == [0.25, 0.5, 0.25, 0.25, 0.75]
    assert [line.get_ydata().tolist() for line in figure.axes[1].lines] == [[0.1] * 2, [0.5] * 2]
