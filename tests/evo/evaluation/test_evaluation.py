"""Measuring snapshots against fixed opponents: nothing twice, nothing lost, intervals right."""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import shutil
import signal
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from run_checks import Counting

import evo
from cluster import LocalEvaluator
from evo.evaluation import players as naming
from results import ResultsError, open_run
from results.folder.evaluations import Measurement, measured_individuals, write_evaluation
from results.format.schema import COLUMNS, arrow_schema
from results.read.curves import champion_curve, seat_curve
from tournaments import registry
from tournaments.errors import ConfigError, TournamentError

INDIVIDUALS = 10
KEYS = ["generation", "individual", "opponent", "games"]


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("template") / "run"
    evo.run(path, scheme="round-robin", population=INDIVIDUALS, generations=22, seed=4, threads=1)
    return path


@pytest.fixture
def run_path(template, tmp_path) -> Path:
    """A run with snapshots 0, 10, 20 and 22, and no evaluations yet."""
    return Path(shutil.copytree(template, tmp_path / "run"))


def comparable(frame):
    """``frame`` without times, and without the columns that are null where games were played."""
    in_seats = {"win_rate_first", "win_rate_second"}
    exact = [
        each.name for each in COLUMNS["evaluations"] if each.nullable and each.name not in in_seats
    ]
    assert frame[exact].isna().all(axis=None)
    return frame.drop(columns=["evaluate_seconds", *exact])


def measured(path: Path, *arguments, **options) -> tuple[dict, int]:
    """The rows by key, and how many games were played for them."""
    counting = Counting()
    frame = evo.evaluate(path, *arguments, evaluator=counting, **options)
    rows = comparable(frame).to_dict("records")
    by_key = {tuple(row[key] for key in KEYS): row for row in rows}
    assert len(by_key) == len(frame)
    return by_key, 2 * counting.matches


def test_each_individual_of_each_snapshot_meets_each_opponent(run_path):
    rows, played = measured(run_path, ["level-0", "level-1"], 20)
    assert {key[0] for key in rows} == {0, 10, 20, 22}
    assert len(rows) == 4 * INDIVIDUALS * 2
    assert played == 20 * len(rows)
    frame = open_run(run_path).evaluations
    assert len(frame) == len(rows)
    assert list(frame.columns) == arrow_schema("evaluations").names
    assert (frame["wins"] + frame["draws"] + frame["losses"] == frame["games"]).all()
    assert (frame["seed"] == 4).all()
    in_seats = frame[["win_rate_first", "win_rate_second"]]
    np.testing.assert_allclose(in_seats.mean(axis=1), frame["win_rate"], atol=1e-12)
    assert (in_seats.nunique() > 1).all()
    assert len(seat_curve(open_run(run_path))) == 4 * 2 * 2


def test_rows_name_the_individuals_of_the_snapshot(run_path):
    rows, _ = measured(run_path, ["level-0"], 10)
    for generation in (0, 10, 20, 22):
        population = open_run(run_path).population(generation).set_index("individual")
        for (found, individual, *_), row in rows.items():
            if found == generation:
                assert row["id"] == population.loc[individual, "id"]
                assert row["population"] == population.loc[individual, "population"]


def test_a_repeated_call_plays_nothing_and_gives_the_same_rows(run_path):
    first, played = measured(run_path, ["level-0", "level-1"], 20, best=3)
    again, played_again = measured(run_path, ["level-0", "level-1"], 20, best=3)
    assert (played > 0, played_again) == (True, 0)
    assert again == first


def test_what_a_killed_evaluation_left_is_cleared_whether_or_not_there_is_work(run_path):
    for _ in range(2):
        (run_path / ".write-1-dead.tmp").write_bytes(b"half a file")
        measured(run_path, ["level-0"], 2, best=1, generations=[0])
        assert not list(run_path.rglob("*.tmp"))


def test_results_do_not_depend_on_who_is_asked_for(run_path, template, tmp_path):
    everybody, _ = measured(run_path, ["level-0", "level-1"], 20)
    asked: list[dict] = [{"best": 1}, {"best": 4, "every": 2}, {"generations": [10]}]
    for number, options in enumerate([*asked, {"best": 2, "generations": [0]}]):
        other = Path(shutil.copytree(template, tmp_path / str(number)))
        some, _ = measured(other, ["level-1"], 20, **options)
        assert some
        assert all(everybody[key] == row for key, row in some.items())


def test_the_best_first_and_then_all_plays_the_missing_ones_alone(run_path, template, tmp_path):
    best, played_best = measured(run_path, ["level-0"], 20, best=1)
    three, played_three = measured(run_path, ["level-0"], 20, best=3)
    everybody, played_all = measured(run_path, ["level-0"], 20)
    assert [played_best, played_three, played_all] == [4 * 20, 8 * 20, 4 * 20 * (INDIVIDUALS - 3)]
    assert best.items() <= three.items() <= everybody.items()
    in_one_go, _ = measured(Path(shutil.copytree(template, tmp_path / "b")), ["level-0"], 20)
    assert in_one_go == everybody
    frame = open_run(run_path).evaluations
    assert not frame.duplicated(KEYS).any()
    assert len(frame) == 4 * INDIVIDUALS


def test_the_best_are_those_of_highest_fitness(run_path):
    rows, _ = measured(run_path, ["level-0"], 4, best=3, generations=[22])
    fitness = open_run(run_path).population(22)["fitness"].to_numpy()
    chosen = [key[1] for key in rows]
    assert sorted(chosen) == sorted(np.argsort(-fitness, kind="stable")[:3].tolist())


def test_every_kth_snapshot_is_counted_from_the_first_and_the_newest_is_added(run_path):
    rows, _ = measured(run_path, ["level-0"], 4, best=1, every=2)
    assert sorted(key[0] for key in rows) == [0, 20, 22]


def test_other_games_and_other_opponents_are_measured_beside(run_path):
    measured(run_path, ["level-0"], 20, best=1, generations=[22])
    rows, played = measured(run_path, ["level-0", "level-1"], 20, best=1, generations=[22])
    assert (len(rows), played) == (2, 20)
    rows, played = measured(run_path, ["level-0"], 30, best=1, generations=[22])
    assert (len(rows), played) == (1, 30)
    assert len(open_run(run_path).evaluations) == 3


def test_games_that_choose_and_games_that_measure_are_drawn_apart(run_path):
    """No match of a measurement is one of a measurement by another number of games."""
    few, more = Counting(), Counting()
    evo.evaluate(run_path, ["level-0"], 20, generations=[22], evaluator=few)
    options = {"best": 1, "best_by": 20, "generations": [22]}
    evo.evaluate(run_path, ["level-0"], 60, evaluator=more, **options)
    assert (len(few.seeds), len(more.seeds)) == (INDIVIDUALS * 10, 30)
    assert not few.seeds & more.seeds


def test_an_opponent_whose_name_goes_on_as_a_file_name_does_is_not_taken_for_another(
    run_path, monkeypatch
):
    """``level-1`` by 20 games, beside an opponent that is called ``level-1-20``."""
    make = naming.named

    def named(spec, game, trust=False):
        return (spec, make("level-0", game)[1]) if spec == "level-1-20" else make(spec, game)

    monkeypatch.setattr(naming, "named", named)
    other, _ = measured(run_path, ["level-1-20"], 20)
    rows, played = measured(run_path, ["level-1"], 20)
    assert played == 20 * len(rows) == 20 * len(other)
    assert {key[2] for key in rows} == {"level-1"}
    assert measured(run_path, ["level-1-20"], 20) == (other, 0)


@pytest.mark.parametrize(
    ("column", "value"), [("opponent", "level-0"), ("games", 22), ("seed", 5), ("generation", 10)]
)
def test_rows_count_as_measured_where_their_columns_agree_with_the_name(column, value, run_path):
    _, played = measured(run_path, ["level-1"], 20, generations=[22])
    assert played == 20 * INDIVIDUALS
    (file,) = (run_path / "evaluations").iterdir()
    frame = pd.read_parquet(file)
    frame[column] = value
    file.unlink()
    write_evaluation(run_path, file.stem, {name: frame[name].to_numpy() for name in frame})
    asked = Measurement(22, "level-1", 20, 4, "level-1")
    assert len(measured_individuals(run_path, asked)) == 0
    everybody = np.arange(INDIVIDUALS)
    assert open_run(run_path).evaluations_of([(asked, everybody)]).empty
    _, played = measured(run_path, ["level-1"], 20, generations=[22])
    assert played == 20 * INDIVIDUALS
    assert measured_individuals(run_path, asked).tolist() == everybody.tolist()


def test_no_file_name_of_one_measurement_begins_as_those_of_another():
    prefixes = [
        Measurement(1, "x", games, 1, label).prefix
        for label in ("level-1", "level-1-20", "level-1-20-20", "level", "1")
        for games in (2, 20, 200)
    ]
    begins = [(a, b) for a in prefixes for b in prefixes if a != b and f"{b}all".startswith(a)]
    assert begins == []


@pytest.mark.parametrize("label", ["", "a__b", "a_b", "-a", "a/b", "ä"])
def test_a_label_that_could_hide_the_parts_of_a_name_is_refused(label):
    with pytest.raises(ResultsError, match="label"):
        Measurement(0, "level-0", 20, 1, label)


def test_intervals_are_those_of_wilson(run_path):
    rows, _ = measured(run_path, ["level-0", "level-1"], 40)
    z = NormalDist().inv_cdf(0.975)
    for row in rows.values():
        n, p = row["games"], row["wins"] / row["games"]
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * ((p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5)
        assert row["win_rate"] == p
        assert row["win_rate_low"] == pytest.approx(centre - half, abs=1e-12)
        assert row["win_rate_high"] == pytest.approx(centre + half, abs=1e-12)


def test_threads_change_no_row(run_path, template, tmp_path):
    expected, _ = measured(run_path, ["level-0", "optimal"], 20, best=4)
    other = Path(shutil.copytree(template, tmp_path / "other"))
    evaluator = LocalEvaluator(2, chunk=7)
    found = evo.evaluate(other, ["level-0", "optimal"], 20, best=4, evaluator=evaluator)
    evaluator.close()
    rows = comparable(found).to_dict("records")
    assert {tuple(row[key] for key in KEYS): row for row in rows} == expected


# --- opponents -----------------------------------------------------------------------------------


def test_the_usual_opponents_are_random_play_the_levels_and_perfect_play(run_path):
    rows, _ = measured(run_path, games=10, best=1, generations=[22])
    assert [key[2] for key in rows] == ["level-0", "level-1", "level-2", "optimal"]


def test_perfect_play_is_left_out_where_it_cannot_be_had(tmp_path, capsys):
    from evo.cli.main import main

    flags = ["--game", "dots-and-boxes:rows=4,cols=4", "--scheme", "round-robin"]
    flags += ["--population", "4"]
    path = str(tmp_path / "run")
    assert main(["run", *flags, "--generations", "1", "--out", path]) == 0
    out = capsys.readouterr().out
    assert "perfect play is left out: dots-and-boxes 4x4 has 40 edges and cannot be solved" in out
    rows, _ = measured(tmp_path / "run", games=2, best=1, generations=[1])
    assert [key[2] for key in rows] == ["level-0", "level-1", "level-2"]
    with pytest.raises(TournamentError, match="up to 24 edges"):
        evo.evaluate(path, ["optimal"])


def test_the_champion_of_another_run_is_an_opponent(run_path, template, tmp_path):
    rows, _ = measured(run_path, [str(template), f"{template}@0"], 20, best=2)
    assert {key[2] for key in rows} == {f"{template}@22", f"{template}@0"}
    again, played = measured(run_path, [str(template), f"{template}@0"], 20, best=2)
    assert (again, played) == (rows, 0)
    newest, first = (
        [row["wins"] for key, row in rows.items() if key[2] == name]
        for name in (f"{template}@22", f"{template}@0")
    )
    assert newest != first


def test_a_champion_that_has_changed_is_met_anew(run_path, tmp_path):
    other = tmp_path / "other"
    options = {"learner": {"mutation_probability": 0.02}}
    evo.run(other, options, scheme="round-robin", population=8, generations=0, threads=1)
    _, played = measured(run_path, [str(other)], 20, best=1, generations=[22])
    assert played == 20
    evo.resume(other, 10, threads=1)
    changed = open_run(other).champion(0)["genome"] != open_run(other).champion()["genome"]
    assert changed
    _, played = measured(run_path, [str(other)], 20, best=1, generations=[22])
    assert played == 20


@pytest.mark.parametrize("ending", ["npy", "json"])
def test_a_file_of_weights_is_an_opponent(ending, run_path, template, tmp_path):
    run = open_run(template)
    file = tmp_path / f"best.{ending}"
    weights = run.weights()[int(run.champion()["individual"])]
    if ending == "npy":
        np.save(file, weights)
    else:
        file.write_text(json.dumps(weights.tolist()))
    rows, played = measured(run_path, [str(file)], 20, best=2, generations=[0])
    assert (len(rows), played) == (2, 40)
    digest = hashlib.sha256(weights.astype("<f8").tobytes()).hexdigest()[:8]
    assert {key[2] for key in rows} == {f"{file}@{digest}"}
    again, played = measured(run_path, [f"network:weights={file}"], 20, best=2, generations=[0])
    assert (again, played) == (rows, 0)


@pytest.mark.parametrize("spec", ["{}", "network:weights={}", "network:weights={},name=mine"])
def test_a_file_of_weights_that_has_changed_is_another_opponent(spec, run_path, tmp_path):
    run, file = open_run(run_path), tmp_path / "best.npy"
    names = set()
    for generation in (0, 22):
        np.save(file, run.weights(generation)[1])
        rows, played = measured(run_path, [spec.format(file)], 20, best=2, generations=[10])
        assert (len(rows), played) == (2, 40)
        names |= {key[2] for key in rows}
    assert len(names) == 2
    shown = "mine" if spec.endswith("mine") else str(file)
    assert all(re.fullmatch(re.escape(shown) + "@[0-9a-f]{8}", name) for name in names)
    pooled = champion_curve(run)
    assert set(pooled["opponent"]) == names
    assert set(pooled["games"]) == {20}


ANNA = """
class Anna:
    name = "anna"

    def choose(self, state, rng):
        return state.legal_actions()[{place}]


def make(game):
    return Anna()
"""


@pytest.fixture
def anna(tmp_path, monkeypatch):
    """Writes the module of a plain player that a package offers, and has it offered."""
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("anna", "anna_of_a_package:make", "tournaments.players")
    offered = {"tournaments.players": [point]}
    monkeypatch.setattr(registry, "entry_points", lambda group: offered.get(group, []))

    def write(place: int) -> None:
        (tmp_path / "anna_of_a_package.py").write_text(ANNA.format(place=place))
        sys.modules.pop("anna_of_a_package", None)
        importlib.invalidate_caches()

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield write
    sys.modules.pop("anna_of_a_package", None)


def test_a_plain_player_whose_code_has_changed_is_another_opponent(anna, run_path):
    names = set()
    for place in (0, -1):
        anna(place)
        rows, played = measured(run_path, ["anna"], 20, best=2, generations=[20])
        assert (len(rows), played) == (2, 40)
        assert measured(run_path, ["anna"], 20, best=2, generations=[20]) == (rows, 0)
        names |= {key[2] for key in rows}
    assert len(names) == 2
    assert all(re.fullmatch("anna@[0-9a-f]{8}", name) for name in names)
    anna(0)
    assert measured(run_path, ["anna"], 20, best=2, generations=[20])[1] == 0


def test_a_plain_player_whose_code_has_changed_does_not_go_on_with_a_tournament(anna, tmp_path):
    arguments = ("dots-and-boxes:rows=1,cols=1", ["anna", "level-0"], 4)
    for place in (0, 0, -1):
        anna(place)
        if place == 0:
            evo.tournament(*arguments, threads=1, out=tmp_path / "out")
    with pytest.raises(ConfigError, match="'anna' is no longer the player that it was"):
        evo.tournament(*arguments, threads=1, out=tmp_path / "out")


def test_what_a_name_says_whole_is_named_as_typed(run_path):
    opponents = ["level-1", "box-completion-network"]
    rows, _ = measured(run_path, opponents, 4, best=1, generations=[22])
    assert [key[2] for key in rows] == opponents


def test_a_run_is_named_with_its_generation_however_its_folder_is_written(run_path, template):
    rows, played = measured(run_path, [f"{template}/"], 20, best=1, generations=[22])
    assert ({key[2] for key in rows}, played) == ({f"{template}@22"}, 20)
    assert measured(run_path, [str(template)], 20, best=1, generations=[22]) == (rows, 0)


def test_files_in_any_alphabet_are_opponents(run_path, tmp_path):
    file = tmp_path / "größte ☃.npy"
    np.save(file, open_run(run_path).weights()[0])
    for played in (20, 0):
        rows, found = measured(run_path, [str(file)], 20, best=1, generations=[22])
        assert (len(rows), found) == (1, played)


def test_files_whose_names_differ_in_odd_characters_alone_are_kept_apart(run_path, tmp_path):
    run = open_run(run_path)
    names = [str(tmp_path / name) for name in ("a b.npy", "a_b.npy", "a-b.npy")]
    for row, name in enumerate(names):
        np.save(name, run.weights()[row])
    rows, played = measured(run_path, names, 20, best=1, generations=[22])
    assert (len(rows), played) == (3, 60)
    assert len(list((run_path / "evaluations").iterdir())) == 3


def test_naming_an_opponent_twice_measures_it_once(run_path):
    rows, played = measured(run_path, ["level-0", "level-0"], 20, best=1, generations=[22])
    assert (len(rows), played) == (1, 20)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"games": 3}, ConfigError, "games=3 given"),
        ({"games": 0}, ConfigError, "games=0 given"),
        ({"best": 0}, ConfigError, "best=0 given"),
        ({"every": 0}, ConfigError, "every=0 given"),
        (
            {"generations": [5]},
            ResultsError,
            "no snapshot of generation 5; the nearest are 0, 10, 20 of 4",
        ),
        ({"opponents": []}, ConfigError, "no opponents given"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_played(options, error, message, run_path):
    counting = Counting()
    with pytest.raises(error, match=message):
        evo.evaluate(run_path, evaluator=counting, **{"opponents": ["level-0"], **options})
    assert counting.calls == 0


# --- interruptions -------------------------------------------------------------------------------


def test_an_interrupted_evaluation_goes_on_where_it_stopped(run_path, template, tmp_path):
    other = Path(shutil.copytree(template, tmp_path / "other"))
    expected, played_in_one_go = measured(other, ["level-0", "level-1"], 20)
    stopped = Counting(fails_after=3)
    with pytest.raises(KeyboardInterrupt):
        evo.evaluate(run_path, ["level-0", "level-1"], 20, evaluator=stopped)
    assert len(open_run(run_path).evaluations) == 3 * INDIVIDUALS
    rows, played = measured(run_path, ["level-0", "level-1"], 20)
    assert rows == expected
    assert played == played_in_one_go - 2 * stopped.matches
    assert not open_run(run_path).evaluations.duplicated(KEYS).any()


KILLED = """
import os, signal, sys
import evo
left = int(sys.argv[2])
replace = os.replace
def fuse(*arguments):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(*arguments)
os.replace = fuse
evo.evaluate(sys.argv[1], ["level-0", "level-1"], 20, threads=1)
"""


def test_an_evaluation_killed_in_the_middle_goes_on_where_it_stopped(run_path, template, tmp_path):
    other = Path(shutil.copytree(template, tmp_path / "other"))
    expected, _ = measured(other, ["level-0", "level-1"], 20)
    done = subprocess.run([sys.executable, "-c", KILLED, run_path, "4"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(open_run(run_path).evaluations) == 3 * INDIVIDUALS
    rows, played = measured(run_path, ["level-0", "level-1"], 20)
    assert rows == expected
    assert played == (8 - 3) * INDIVIDUALS * 20
    assert len(open_run(run_path).evaluations) == len(rows)


def test_snapshots_and_the_run_file_are_left_as_they_were(run_path):
    before = {file: file.read_bytes() for file in run_path.rglob("*") if file.is_file()}
    measured(run_path, ["level-0"], 4, best=1)
    after = {file: file.read_bytes() for file in run_path.rglob("*") if file.is_file()}
    assert before.items() <= after.items()
    assert {file.parent.name for file in after.keys() - before.keys()} == {"evaluations"}


def test_the_command_line_prints_the_best_of_each_snapshot(run_path, capsys):
    from evo.cli.main import main

    flags = ["--opponents", "level-0", "--games", "20", "--every", "2"]
    assert main(["evaluate", str(run_path), *flags]) == 0
    out, err = capsys.readouterr()
    frame = open_run(run_path).evaluations
    best = frame.groupby("generation")["win_rate"].max()
    printed = [line.split() for line in out.splitlines() if " level-0 " in line]
    assert [(int(line[0]), line[7]) for line in printed] == [
        (generation, f"{rate:.1%}") for generation, rate in best.items()
    ]
    assert "30 rows in" in out
    assert "part 3/3" in err
