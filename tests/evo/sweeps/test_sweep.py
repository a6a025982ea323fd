"""Sweeps: many runs side by side, the same as each alone; stopped, killed, failed, gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import evo
from evo.cli.main import main
from evo.config import config as configuration
from evo.sweeps import sweep as sweeps
from evo.sweeps.experiment import Experiment, from_dict
from evo.sweeps.sweep import DONE, FAILED, Slice, sweep
from results import ResultsError, RunWriter, open_run, open_runs
from results.plots.sweep import best_figure, best_of_snapshots, over_seeds, plot_best
from results.read.status import is_over
from results.read.sweep import open_sweep
from tournaments.errors import ConfigError

GIVEN = {
    "name": "pilot",
    "seeds": [1, 4],
    "base": {"population": 8, "games": 500, "snapshot_games": 200},
    "populations": {
        "rr": {"scheme": "round-robin"},
        "d0": {"scheme": {"name": "direct", "opponent": "level-0", "matches": 2}},
    },
    "factors": {"learner.mutation_probability": [0.00072, 0.01]},
    "evaluation": {"opponents": ["level-0"], "games": 20, "again": 40},
}
PILOT = from_dict(GIVEN)
FILE = """
name = "killed"
seeds = 4
[base]
population = 40
generations = 60
snapshot_interval = 5
[populations.rr]
scheme = "round-robin"
[evaluation]
opponents = ["level-0"]
games = 10
again = 20
"""


def changed(**changes) -> Experiment:
    return from_dict({**GIVEN, **changes})


def files_of(folder: Path) -> dict[str, bytes]:
    """Every snapshot and list of digests below a folder."""
    kinds = ("*/seed-*/snapshots/*", "*/seed-*/snapshots.sha256")
    return {str(f.relative_to(folder)): f.read_bytes() for kind in kinds for f in folder.glob(kind)}


def modified(folder: Path) -> dict[str, int]:
    found = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path): path.stat().st_mtime_ns for path in found if path.parent != folder}


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> Path:
    """The pilot, by one worker; tests read it and leave it as it is."""
    folder = tmp_path_factory.mktemp("done") / "pilot"
    ended = sweep(PILOT, folder, threads=1)
    assert {one.state for one in ended} == {DONE}
    assert len(ended) == 8
    return folder


def test_runs_are_those_that_evo_run_makes_whatever_the_number_of_workers(done, tmp_path):
    few = changed(seeds=[4], factors={})
    sweep(few, tmp_path / "two", threads=2)
    for cell in few.cells:
        there = tmp_path / "two" / cell.name / "seed-4"
        evo.run(tmp_path / "alone" / cell.name / "seed-4", cell.table, seed=4, threads=2)
        assert open_run(there).config == open_run(tmp_path / "alone" / cell.name / "seed-4").config
    assert files_of(tmp_path / "two") == files_of(tmp_path / "alone")
    same = {
        name.replace(",mutation_probability=0.00072", ""): data
        for name, data in files_of(done).items()
    }
    assert {name: same[name] for name in files_of(tmp_path / "two")} == files_of(tmp_path / "two")


@pytest.mark.slow
def test_a_configuration_is_validated_once_however_many_runs_have_it(tmp_path, monkeypatch):
    validated = []
    validate = configuration.from_dict
    monkeypatch.setattr(
        configuration, "from_dict", lambda table: validated.append(table) or validate(table)
    )
    experiment = changed(seeds=3, factors={}, base={"population": 4, "generations": 1})
    sweep(experiment, tmp_path, threads=1)
    assert len(validated) == len(experiment.cells) == 2


def test_every_individual_is_measured_and_the_best_once_more_by_fresh_games(done):
    for cell in PILOT.cells:
        run = open_run(done / cell.name / "seed-1")
        by_all = run.evaluations[run.evaluations["games"] == 20]
        assert by_all.groupby("generation").size().to_dict() == dict.fromkeys(run.snapshots, 8)
        again = run.evaluations[run.evaluations["games"] == 40].set_index("generation")
        assert again.index.tolist() == run.snapshots
        for generation, rows in by_all.groupby("generation"):
            wins = dict(zip(rows["individual"], rows["wins"], strict=True))
            most = min(one for one in wins if wins[one] == max(wins.values()))
            assert again.loc[generation, "individual"] == most


def test_what_is_done_is_not_done_again(done):
    before = modified(done)
    assert {one.state for one in sweep(PILOT, done, threads=1)} == {DONE}
    assert modified(done) == before


@pytest.mark.slow
def test_a_sweep_goes_on_where_it_was_stopped(done, tmp_path):
    """Each call is stopped after a few generations, or pieces of an evaluation."""
    few, folder, stops = changed(seeds=[4], factors={}), tmp_path / "pilot", 0
    for job in sweeps.jobs_of(few, folder):
        for _ in range(20):
            left = iter([False] * 3)
            ended = sweeps.perform(job, lambda done: None, lambda left=left: next(left, True))
            if ended.state == DONE:
                break
            stops += 1
        assert ended.state == DONE
    assert stops > 5
    sweep(few, tmp_path / "whole", threads=1)
    assert files_of(folder) == files_of(tmp_path / "whole")
    sweep(few, folder, threads=1)
    tables = [open_runs(one).evaluations for one in (folder, tmp_path / "whole")]
    found, wanted = (table.drop(columns="evaluate_seconds") for table in tables)
    pd.testing.assert_frame_equal(found, wanted)


@pytest.fixture
def begun(begin) -> Callable[..., subprocess.Popen[str]]:
    """Starts ``evo sweep`` in a process of its own, some of whose runs have snapshots."""

    def begun(file: Path, folder: Path, *more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "evo", "sweep", str(file), "--out", str(folder)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = begin([*command, "--threads", "2", *more], **pipes)
        assert process.stderr.readline().startswith("run 0/4 ")
        until = time.monotonic() + 300
        while len(list(folder.glob("rr/seed-*/snapshots/generation-00001*"))) < 1:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)
        return process

    return begun


@pytest.mark.slow
def test_kill_and_interruption_lose_nothing(begun, tmp_path):
    """Killed without warning, then interrupted, then left alone: as if nothing had happened."""
    file, folder = tmp_path / "e.toml", tmp_path / "killed"
    file.write_text(FILE)
    process = begun(file, folder)
    process.kill()
    process.communicate()  # which waits for the workers, too: they hold the pipes
    assert not (folder / "rr" / "seed-4" / "snapshots" / "generation-000060.parquet").exists()
    process = begun(file, folder)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate()
    if process.returncode == 0:
        pytest.fail(f"it was over before it could be interrupted: {out}")
    assert process.returncode == 128 + signal.SIGINT
    assert "go on with:" in out
    assert "Traceback" not in err
    assert main(["sweep", str(file), "--out", str(folder), "--threads", "1"]) == 0
    for seed in (1, 4):
        alone = tmp_path / f"alone-{seed}"
        given = {"population": 40, "generations": 60, "snapshot_interval": 5}
        evo.run(alone, given, scheme="round-robin", seed=seed, threads=1)
        there = folder / "rr" / f"seed-{seed}" / "snapshots"
        assert sorted(path.name for path in there.iterdir()) == sorted(
            path.name for path in (alone / "snapshots").iterdir()
        )
        for path in there.iterdir():
            assert path.read_bytes() == (alone / "snapshots" / path.name).read_bytes()


def test_a_run_that_fails_does_not_end_the_others(tmp_path, capsys):
    file, folder = tmp_path / "e.toml", tmp_path / "s"
    file.write_text(FILE.replace("60", "2").replace("= 40", "= 6"))
    (folder / "rr" / "seed-2").mkdir(parents=True)
    (folder / "rr" / "seed-2" / "letter.txt").touch()
    status = main(["sweep", str(file), "--out", str(folder), "--threads", "1", "--json"])
    shown = capsys.readouterr()
    rows = [json.loads(line) for line in shown.out.splitlines()]
    assert status == 1
    assert "seed-2: " in shown.err
    assert "is not empty and not a run (it holds letter.txt)" in shown.err
    assert [(row["seed"], row["state"]) for row in rows] == [(1, DONE), (3, DONE), (4, DONE)]


def test_an_operator_that_breaks_is_told_with_its_run(tmp_path, monkeypatch):
    def breaks(*anything, **more):
        raise ZeroDivisionError("of an operator")

    monkeypatch.setattr(sweeps.runs, "run", breaks)
    ended = sweep(changed(factors={}), tmp_path / "s", threads=1)
    assert {(one.state, one.error) for one in ended} == {
        (FAILED, "ZeroDivisionError: of an operator")
    }


def test_runs_of_another_configuration_are_refused_before_any_work(done):
    before = modified(done)
    other = changed(base={**GIVEN["base"], "population": 9})
    with pytest.raises(ConfigError, match=r"seed-1 was made with population=8, and 9 is"):
        sweep(other, done, threads=1)
    assert modified(done) == before


def test_a_larger_budget_goes_on_with_the_runs_that_are_there(tmp_path):
    small = {"factors": {}, "seeds": [1], "evaluation": {}}
    short, long = changed(**small), changed(**small, base={**GIVEN["base"], "games": 900})
    sweep(short, tmp_path / "grown", threads=1)
    sweep(long, tmp_path / "grown", threads=1)
    sweep(long, tmp_path / "new", threads=1)
    assert files_of(tmp_path / "grown") == files_of(tmp_path / "new")
    frame = open_runs(tmp_path / "grown").runs
    assert frame["is_over"].all()
    assert (frame["games_played"] >= 900).all()


def test_a_run_is_over_with_its_last_generation(tmp_path):
    table = {"population": 8, "generations": 2, "scheme": "round-robin"}
    run = evo.run(tmp_path / "run", table, threads=1)
    assert is_over(run)
    with RunWriter.open(run.path) as writer:
        writer.set_generations(3)
    assert not is_over(open_run(run.path))


def test_runs_beyond_the_end_that_is_asked_for_are_done(tmp_path):
    small = {"factors": {}, "seeds": [1], "evaluation": {}}
    short, long = changed(**small), changed(**small, base={**GIVEN["base"], "games": 900})
    sweep(long, tmp_path / "runs", threads=1)
    before = files_of(tmp_path / "runs")
    assert [one.state for one in sweep(short, tmp_path / "runs", threads=1)] == [DONE] * 2
    assert files_of(tmp_path / "runs") == before


def test_runs_that_their_learner_ended_early_are_over(tmp_path):
    climbing = {
        "game": "cat-and-mouse:rows=4,cols=4",  # the mouse can always escape
        "learner": {"name": "hill-climbing", "stop_after": 5, "candidates": 3, "changes": 4},
        "generations": 1000,
    }
    given = {"name": "early", "seeds": [1], "populations": {"c": climbing}}
    ended = sweep(from_dict(given), tmp_path, threads=1)
    runs = open_runs(tmp_path)
    assert [run.state for run in ended] == [DONE]
    assert runs.runs["is_over"].all()
    assert 0 < runs.runs["generation"].item() < 1000
    assert runs.open("c", 1).info["ended"]["generation"] == runs.runs["generation"].item()
    before = modified(tmp_path)
    sweep(from_dict(given), tmp_path, threads=1)
    assert modified(tmp_path) == before


def test_runs_that_start_from_others_go_on_though_these_went_on(tmp_path):
    table = {"population": 8, "generations": 3, "scheme": "round-robin"}
    source = evo.run(tmp_path / "source", table, threads=1)
    base = {"population": 8, "games": 300, "start": str(source.path)}
    small = {"factors": {}, "seeds": [1], "evaluation": {}, "base": base}
    ended = sweep(changed(**small), tmp_path / "runs", threads=1)
    before = files_of(tmp_path / "runs")
    evo.resume(source.path, 5, threads=1)
    again = sweep(changed(**small), tmp_path / "runs", threads=1)
    assert [one.state for one in ended + again] == [DONE] * 4
    assert files_of(tmp_path / "runs") == before


def test_the_runs_open_as_one_frame(done):
    runs = open_runs(done)
    keys = ["cell", "variant", "mutation_probability", "seed"]
    assert runs.columns == keys
    for table in ("generations", "evaluations"):
        frame = getattr(runs, table)
        assert frame.columns[:4].tolist() == keys
        for (cell, seed), rows in frame.groupby(["cell", "seed"]):
            alone = getattr(runs.open(cell, seed), table)
            assert rows["variant"].unique().tolist() == [cell.partition(",")[0]]
            assert f"={rows['mutation_probability'].iloc[0]}" in cell
            shared = [name for name in alone.columns if name != "seed"]
            by = ["generation", "individual", "games"] if table == "evaluations" else ["generation"]
            pd.testing.assert_frame_equal(
                rows[shared].sort_values(by).reset_index(drop=True),
                alone[shared].sort_values(by).reset_index(drop=True),
                check_dtype=False,
            )
    assert len(runs.runs) == 8
    assert runs.runs["is_over"].all()
    assert runs.generations["seed"].unique().tolist() == [1, 4]


def test_a_folder_that_is_no_sweep_is_refused(tmp_path, done):
    with pytest.raises(ResultsError, match=r"no folder of a sweep: it holds no experiment\.json"):
        open_sweep(tmp_path)
    with pytest.raises(ResultsError, match="no folder of a sweep"):
        open_sweep(done / "rr,mutation_probability=0.01" / "seed-1")


def test_the_best_of_each_snapshot_is_what_the_rows_say(done):
    """Against a count by hand of every row, and medians and quartiles of the two seeds."""
    runs = open_runs(done)
    best = best_of_snapshots(runs)
    assert len(best) == sum(len(open_run(path).snapshots) for path in runs.runs["path"])
    for row in best.itertuples():
        run = runs.open(row.cell, row.seed)
        rows = run.evaluations[run.evaluations["generation"] == row.generation]
        chosen = rows[rows["games"] == 20]
        assert row.best == chosen["win_rate"].max()
        assert row.mean == pytest.approx(chosen["wins"].sum() / (20 * 8))
        (fresh,) = rows[rows["games"] == 40].itertuples()
        assert (row.individual, row.again) == (fresh.individual, fresh.win_rate)
        games = run.generations.set_index("generation")["games_played"]
        assert row.games_played == games[row.generation]


def test_curves_over_seeds_are_interpolated_medians_and_quartiles(done):
    runs = open_runs(done)
    best = best_of_snapshots(runs)
    curves = over_seeds(best, runs, points=5)
    end = best.groupby(["cell", "seed"])["games_played"].max().min()
    assert curves["games_played"].unique().tolist() == [0, end / 4, end / 2, end * 3 / 4, end]
    for (cell, estimate), rows in curves.groupby(["cell", "estimate"]):
        of_cell = best[best["cell"] == cell]
        values = []
        for seed in (1, 4):
            one = of_cell[of_cell["seed"] == seed]
            x, y = one["games_played"].to_numpy(), one[estimate].to_numpy()
            at = end / 2
            right = next(i for i in range(len(x)) if x[i] >= at)
            share = (at - x[right - 1]) / (x[right] - x[right - 1])
            values.append(y[right - 1] + share * (y[right] - y[right - 1]))
        middle = rows[rows["games_played"] == end / 2].iloc[0]
        low, high = sorted(values)
        assert middle["median"] == pytest.approx((low + high) / 2)
        assert middle["low"] == pytest.approx(low + (high - low) / 4)
        assert middle["high"] == pytest.approx(high - (high - low) / 4)
        assert middle["seeds"] == 2


@pytest.mark.slow
def test_a_picture_for_each_opponent_and_value_of_the_factors(done, tmp_path, capsys):
    files = plot_best(open_runs(done), tmp_path / "a")
    names = [f"best-level-0-mutation_probability={rate}" for rate in ("0-00072", "0-01")]
    wanted = {f"{name}.{kind}" for name in names for kind in ("png", "svg")}
    assert {path.name for path in files} == wanted
    assert main(["plot", str(done), "--out", str(tmp_path / "b"), "--json"]) == 0
    shown = [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()]
    assert [Path(name).name for name in shown][: len(files)] == [path.name for path in files]
    assert "compared-fitness.png" in {Path(name).name for name in shown}
    for path in files:
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_the_only_population_of_a_sweep_by_factors_is_not_shown(tmp_path, capsys):
    file = tmp_path / "rates.toml"
    file.write_text(
        'name = "rates"\n[base]\nscheme = "round-robin"\npopulation = 4\ngenerations = 1\n'
        '[factors]\n"learner.mutation_probability" = [0.1, 0.2]\n'
        '[evaluation]\nopponents = ["level-0"]\ngames = 4\n'
    )
    assert main(["sweep", str(file), "--out", str(tmp_path / "s"), "--threads", "1"]) == 0
    cells = [line.split()[0] for line in capsys.readouterr().out.splitlines()[1:3]]
    assert cells == ["mutation_probability=0.1", "mutation_probability=0.2"]
    runs = open_runs(tmp_path / "s")
    assert {path.parent.name for path in (tmp_path / "s").glob("*/seed-1")} == {
        f"base,{cell}" for cell in cells
    }
    assert runs.columns == ["cell", "variant", "mutation_probability", "seed"]
    assert runs.settings == ["mutation_probability"]
    figure = best_figure(over_seeds(best_of_snapshots(runs), runs), "", (4, 0))
    assert not any("base" in text.get_text() for text in figure.axes[0].texts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.toml"], "nothing.toml: there is no such file"),
        (["dots-and-boxes-1998", "--set", "seeds=0"], "seeds=0 given"),
        (["dots-and-boxes-1998", "--threads", "0"], "--threads 0 given"),
        (["dots-and-boxes-1998", "--actors", "2"], "--actors 2 given without Ray"),
        (["dots-and-boxes-1998", "--ray", "--threads", "2"], "--threads 2 given with Ray"),
        (["dots-and-boxes-1998", "--out", " "], "--out DIR is expected"),
    ],
)
def test_mistakes_on_the_command_line_end_with_status_2(
    arguments, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert main(["sweep", *arguments]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# --- slices: the tasks of a batch job's array, side by side ---------------------------------------


@pytest.mark.parametrize("slices", [1, 2, 3, 4, 5, 11])
def test_slices_have_each_run_once_and_of_each_cell_about_as_many(slices, tmp_path):
    many = changed(seeds=6)
    jobs = list(sweeps.jobs_of(many, tmp_path))
    dealt = [Slice(n + 1, slices).of(jobs, len(many.cells)) for n in range(slices)]
    folders = sorted(str(job.folder) for part in dealt for job in part)
    assert folders == sorted(str(job.folder) for job in jobs)
    sizes = [len(part) for part in dealt]
    assert max(sizes) - min(sizes) <= 1
    if slices == len(many.cells):
        cells = [{job.folder.parent.name for job in part} for part in dealt]
        assert all(len(names) == slices for names in cells)


@pytest.mark.slow
def test_slices_side_by_side_make_the_same_folder(done, tmp_path):
    """Each ends with its own; the description is one, whoever writes it last."""
    few, descriptions = changed(seeds=[4], factors={}), []
    for number in (2, 1):
        ended = sweep(few, tmp_path / "parts", threads=1, part=Slice(number, 2))
        assert [run.state for run in ended] == [DONE]
        descriptions.append((tmp_path / "parts" / "experiment.json").read_bytes())
    assert descriptions[0] == descriptions[1]
    sweep(few, tmp_path / "whole", threads=1)
    assert files_of(tmp_path / "parts") == files_of(tmp_path / "whole")
    assert descriptions[0] == (tmp_path / "whole" / "experiment.json").read_bytes()


def test_a_slice_ends_with_its_own_runs_and_prints_no_others(tmp_path, capsys, monkeypatch):
    file, folder = tmp_path / "e.toml", tmp_path / "s"
    file.write_text(FILE.replace("60", "2").replace("= 40", "= 6"))
    line = ["sweep", str(file), "--out", str(folder), "--threads", "1", "--json"]
    assert main([*line, "--slice", "2/3"]) == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert [row["seed"] for row in rows] == [2]
    for name, value in {"ID": "7", "MIN": "3", "STEP": "2", "COUNT": "3"}.items():
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", value)
    assert main([*line, "--slice", "auto"]) == 0
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert [row["seed"] for row in rows] == [3]
    assert main([*line, "--slice", "5/5"]) == 0
    assert "this slice contains no runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("3", "I/N is expected, such as 3/40"),
        ("0/4", "slice 0/4 given; from 1/4 to 4/4"),
        ("5/4", "slice 5/4 given"),
        ("auto", "SLURM_ARRAY_TASK_ID"),
    ],
)
def test_a_slice_that_is_none_is_refused(text, message, tmp_path, capsys, monkeypatch):
    for name in ("ID", "MIN", "COUNT"):
        monkeypatch.delenv(f"SLURM_ARRAY_TASK_{name}", raising=False)
    assert main(["sweep", "dots-and-boxes-1998", "--out", str(tmp_path), "--slice", text]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_array_with_numbers_left_out_is_refused(tmp_path, capsys, monkeypatch):
    """`--array=3,7` again for the tasks that failed: not the shares that they had."""
    for name, value in {"ID": "7", "MIN": "3", "COUNT": "2"}.items():
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", value)
    line = ["sweep", "dots-and-boxes-1998", "--out", str(tmp_path), "--slice", "auto"]
    assert main(line) == 2
    assert "give --slice 7/N" in capsys.readouterr().err


def test_what_a_kill_left_while_a_sweep_measured_is_cleared(tmp_path):
    """A run that is over is not opened to be written any more."""
    few = changed(seeds=[4], factors={}, populations={"rr": {"scheme": "round-robin"}})
    sweep(few, tmp_path / "s", threads=1)
    left = [tmp_path / "s", tmp_path / "s" / "rr" / "seed-4"]
    for folder in left:
        (folder / ".write-1-0123abcd.tmp").write_bytes(b"half")
    sweep(few, tmp_path / "s", threads=1)
    assert not list(tmp_path.rglob("*.tmp"))


def workers_of(pid: int) -> list[int]:
    """The workers that a process has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    commands = {int(child): Path(f"/proc/{child}/cmdline").read_text() for child in children}
    return [child for child, command in commands.items() if "multiprocessing-fork" in command]


@pytest.mark.slow
@pytest.mark.parametrize("signals", [1, 2])
def test_a_sweep_ends_by_signals_though_its_workers_hang(signals, begun, tmp_path):
    """The first has a grace, after which the workers are killed; the second acts at once."""
    file, folder = tmp_path / "e.toml", tmp_path / "s"
    file.write_text(FILE.replace("generations = 60", "generations = 100_000"))
    process = begun(file, folder, "--grace", "2" if signals == 1 else "1000")
    workers = workers_of(process.pid)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    assert len(workers) == 2
    process.send_signal(signal.SIGTERM)
    if signals == 2:
        while "once more" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 128 + signal.SIGTERM, err
    assert "go on with: " in out
    assert "Traceback" not in err
    deadline = time.monotonic() + 60  # a killed process may take a while to end
    while any(Path(f"/proc/{worker}/fd").is_dir() for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.1)
