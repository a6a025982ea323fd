"""What is not a run, or not in order, is refused in one line that says how to mend it."""

from __future__ import annotations

import json
import os

import pytest
from results_data import SPEC, columns, create, described, go_on, row, written_run
from run_checks import snapshot_bytes

from results import ResultsError, RunWriter, open_run
from results.writer import writer as writer_module


def contents(folder):
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_creating_over_a_run_is_refused_with_the_command_that_resumes_it(tmp_path):
    path = written_run(tmp_path / "my run")
    before = contents(path)
    with pytest.raises(ResultsError, match=r"holds a run; go on with: evo resume '.*my run'$"):
        create(path)
    assert contents(path) == before


def test_creating_in_a_foreign_folder_or_file_is_refused(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    with pytest.raises(ResultsError, match=r"not empty and not a run \(it holds chapter.txt\)"):
        create(tmp_path / "thesis")
    assert len(contents(tmp_path)) == 1
    with pytest.raises(ResultsError, match="is a file; a run needs a folder"):
        create(tmp_path / "thesis" / "chapter.txt")
    with pytest.raises(ResultsError, match=r"cannot create the folder .*a part of this path"):
        create(tmp_path / "thesis" / "chapter.txt" / "run")
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "years of work"


def test_a_run_that_another_process_makes_in_the_same_moment_is_not_overwritten(
    tmp_path, monkeypatch
):
    take_lock = writer_module.lock_run

    def be_slower(run):
        monkeypatch.setattr(writer_module, "lock_run", take_lock)
        written_run(run)
        return take_lock(run)

    monkeypatch.setattr(writer_module, "lock_run", be_slower)
    with pytest.raises(ResultsError, match="holds a run; go on with"):
        create(tmp_path / "run")
    assert open_run(tmp_path / "run").snapshots == [0, 2, 4, 6]


def test_creating_makes_parents_and_takes_an_empty_folder(tmp_path):
    (tmp_path / "a").mkdir()
    create(tmp_path / "a").close()
    create(tmp_path / "b" / "c" / "d").close()
    assert open_run(tmp_path / "b" / "c" / "d").snapshots == []


@pytest.mark.parametrize(
    ("config", "genome", "message"),
    [
        (
            {"snapshot_interval": 0},
            SPEC,
            "snapshot_interval = 0; expected is a whole number from 1",
        ),
        ({}, SPEC, "snapshot_interval = None"),
        ({"snapshot_interval": 1}, {}, "genome.bytes = None"),
        (
            {"snapshot_interval": 1, "rate": float("nan")},
            SPEC,
            "json cannot hold this: Out of range",
        ),
        ({"snapshot_interval": 1, "rate": {1, 2}}, SPEC, "is a set; give text, numbers"),
    ],
)
def test_a_configuration_that_cannot_be_written_makes_no_run(tmp_path, config, genome, message):
    with pytest.raises(ResultsError, match=message):
        RunWriter.create(tmp_path / "run", described(config, genome=genome))
    assert not (tmp_path / "run" / "run.json").exists()
    create(tmp_path / "run").close()


@pytest.mark.parametrize("use", [open_run, RunWriter.open])
def test_what_is_not_a_run_is_refused_and_left_alone(tmp_path, use):
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name, message in [
        ("nowhere", "does not exist"),
        ("file", "is a file, not a folder"),
        ("empty", "holds no run.json; give the folder that evo run --out made"),
    ]:
        with pytest.raises(ResultsError, match=message):
            use(tmp_path / name)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["empty", "file"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not readable as JSON"),
        ("\xff", "not readable as JSON"),
        ("[]", "has no schema_version"),
        ('{"schema_version": 1}', "schema version 1; this release reads version 3: open it with"),
        ('{"schema_version": 2}', "schema version 2; this release reads version 3: open it with"),
        ('{"schema_version": 4}', "schema version 4; this release reads version 3: open it with"),
        ('{"schema_version": 3}', "seed = None; expected is a whole number"),
    ],
)
@pytest.mark.parametrize("use", [open_run, RunWriter.open])
def test_a_foreign_or_damaged_run_file_is_refused_by_name(tmp_path, use, text, message):
    path = written_run(tmp_path / "run")
    (path / "run.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ResultsError, match=f"run.json .*{message}"):
        use(path)


def test_a_run_file_without_right_to_read_is_refused(tmp_path, monkeypatch):
    path = written_run(tmp_path / "run")
    (path / "run.json").unlink()
    (path / "run.json").mkdir()
    with pytest.raises(ResultsError, match=r"cannot read .*run.json: a folder stands"):
        open_run(path)


@pytest.mark.parametrize("table", ["generations", "evaluations"])
def test_a_damaged_or_foreign_table_file_is_named(tmp_path, table):
    import pandas as pd

    path = written_run(tmp_path / "run")
    bad = path / table / "000090-000099.parquet"
    bad.write_bytes(b"PAR1 this is no parquet PAR1")
    with pytest.raises(ResultsError, match=r"000090-000099.parquet is damaged"):
        getattr(open_run(path), table)
    pd.DataFrame({"a": [1]}).to_parquet(bad)
    with pytest.raises(ResultsError, match="is not a file of this run: its columns differ in"):
        getattr(open_run(path), table)


def test_a_closed_writer_writes_nothing(tmp_path):
    writer = create(tmp_path / "run")
    writer.close()
    for write in (
        lambda: writer.generation(row(0)),
        lambda: writer.snapshot(columns(0), 0, 100),
        lambda: writer.set_generations(50),
    ):
        with pytest.raises(ResultsError, match="is closed for writing"):
            write()


def test_generations_can_be_raised(tmp_path):
    path = written_run(tmp_path / "run")
    before = snapshot_bytes(path)
    with RunWriter.open(path) as writer:
        writer.set_generations(50)
    assert open_run(path).config == {"generations": 50, "snapshot_interval": 2}
    assert json.loads((path / "run.json").read_text())["seed"] == 1
    assert snapshot_bytes(path) == before


def edited(path, change):
    """Change ``run.json`` as a user with an editor would."""
    info = json.loads((path / "run.json").read_text())
    change(info)
    (path / "run.json").write_text(json.dumps(info, indent=1))


@pytest.mark.parametrize(
    "change",
    [
        {"population": 7},
        {"scheme": {"name": "direct", "matches": 9}},
        {"snapshot_interval": 1},
        {"snapshot_interval": 4},
        {"unheard_of": None},
    ],
    ids=str,
)
def test_a_run_whose_configuration_was_changed_is_not_gone_on_with(tmp_path, change):
    path = written_run(tmp_path / "run")
    edited(path, lambda info: info["config"].update(change))
    before = contents(path)
    with pytest.raises(
        ResultsError,
        match=r"run/run\.json: the configuration was changed since snapshots/generation-\d+.parquet"
        " was written; put it back as it was, or start a new run",
    ):
        RunWriter.open(path)
    assert contents(path) == before


def test_the_order_of_the_configuration_and_its_generations_may_change(tmp_path):
    path = written_run(tmp_path / "run")

    def change(info):
        info["config"] = dict(reversed({**info["config"], "generations": 9}.items()))

    edited(path, change)
    with RunWriter.open(path) as writer:
        go_on(writer, 9)
    assert snapshot_bytes(path) == snapshot_bytes(written_run(tmp_path / "straight", until=9))


@pytest.mark.parametrize("use", [open_run, RunWriter.open])
def test_two_seeds_in_one_run_file_are_refused(tmp_path, use):
    config = {"generations": 6, "snapshot_interval": 2, "seed": 1}
    with RunWriter.create(tmp_path / "run", described(config)) as writer:
        go_on(writer, 2)
    edited(tmp_path / "run", lambda info: info.update(seed=2))
    with pytest.raises(ResultsError, match=r"run.json has seed = 2 and config.seed = 1"):
        use(tmp_path / "run")
    with pytest.raises(ResultsError, match=r"run.json has seed = 2 and config.seed = 1"):
        RunWriter.create(tmp_path / "new", described(config, seed=2))


def test_a_pipe_in_place_of_a_file_is_refused_and_not_waited_for(tmp_path):
    path = written_run(tmp_path / "run")
    (path / "run.json").unlink()
    os.mkfifo(path / "run.json")
    with pytest.raises(ResultsError, match=r"cannot read .*run.json: no file, but a pipe"):
        open_run(path)


def test_a_lock_that_was_removed_stops_the_writer_before_another_can_mix_in(tmp_path):
    with RunWriter.open(written_run(tmp_path / "run", until=3)) as writer:
        (tmp_path / "run" / ".lock").unlink()
        writer.generation(row(4))
        writer.snapshot(columns(4), 4, 500)
        with pytest.raises(ResultsError, match=r"\.lock was removed while the run was written"):
            writer.flush()
    assert open_run(tmp_path / "run").snapshots == [0, 2, 3]
