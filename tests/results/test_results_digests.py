"""Every bit of a table is covered by a digest, and what is missing or doubled is said."""

from __future__ import annotations

import shutil
import warnings
from contextlib import suppress

import pandas as pd
import pytest
from results_data import evaluation, go_on, row, written_run
from run_checks import snapshot_bytes

from evo.cli.main import main
from results import ResultsError, RunWriter, open_run
from results.errors import DamagedError, DoubledWarning, MissingWarning
from results.folder.evaluations import write_evaluation
from results.folder.parquet import read_part


def files_of(path, table):
    return sorted((path / table).iterdir())


@pytest.fixture
def path(tmp_path):
    path = written_run(tmp_path / "run", until=4)
    write_evaluation(path, "a", evaluation(4, 0, {"level-0": 200}))
    return path


@pytest.mark.parametrize(
    ("table", "remedy"),
    [
        ("generations", r"evo resume \S+ computes its generations again"),
        ("evaluations", "remove it, and evo evaluate plays its games again"),
    ],
)
def test_no_bit_of_a_table_can_flip_unnoticed(path, table, remedy):
    file = files_of(path, table)[-1]
    whole = file.read_bytes()
    for place in range(0, 8 * len(whole), 41):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        file.write_bytes(flipped)
        with pytest.raises(DamagedError, match=f"is damaged: its SHA-256 is not .*; {remedy}$"):
            read_part(table, file)


def test_a_flipped_bit_of_a_table_without_digest_is_no_raw_error(path):
    file = files_of(path, "generations")[-1]
    old = file.rename(file.with_name("000003-000004.parquet"))
    whole = old.read_bytes()
    for place in range(0, 8 * len(whole), 61):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        old.write_bytes(flipped)
        with suppress(ResultsError):
            read_part("generations", old)


def test_damage_of_a_table_is_mended_by_going_on(path):
    expected = snapshot_bytes(path)
    file = files_of(path, "generations")[1]
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"diversity", b"d\xffversity"))
    with pytest.raises(DamagedError, match="evo resume"):
        _ = open_run(path).generations
    with RunWriter.open(path) as writer:
        assert "the row of generation 1 in generations/ is missing or damaged" in writer.damaged[0]
        go_on(writer, 4)
    assert snapshot_bytes(path) == expected
    assert list(open_run(path).generations["generation"]) == list(range(5))


def test_parts_of_runs_of_before_are_read_and_gone_on_with(path):
    for file in [*files_of(path, "generations"), *files_of(path, "evaluations")]:
        file.rename(file.with_name(f"{file.stem[: -len('-0123456789abcdef')]}.parquet"))
    assert [file.name for file in files_of(path, "evaluations")] == ["a.parquet"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(open_run(path).generations) == 5
        assert len(open_run(path).evaluations) == 1
    with RunWriter.open(path) as writer:
        assert (writer.last.generation, writer.damaged) == (4, [])
        go_on(writer, 6)
    assert snapshot_bytes(path) == snapshot_bytes(written_run(path.with_name("straight")))


@pytest.mark.parametrize(("part", "missing"), [(0, "0"), (1, "1-2"), (2, "3-4")])
def test_a_part_that_is_gone_is_said(path, part, missing):
    files_of(path, "generations")[part].unlink()
    with pytest.warns(
        MissingWarning, match=rf"lacks the rows of generations? {missing}; evo resum"
    ):
        assert len(open_run(path).generations) < 5


def test_what_a_writer_has_still_to_write_is_not_said_to_be_missing(path):
    with RunWriter.open(path) as writer, warnings.catch_warnings():
        warnings.simplefilter("error")
        writer.generation(row(5))
        assert len(open_run(path).generations) == 5
        files_of(path, "snapshots")[-1].with_name("generation-000006.parquet").touch()
        assert open_run(path).snapshots == [0, 2, 4]


@pytest.mark.parametrize("lost", [2, 4])
def test_a_lost_snapshot_is_said_and_never_stands_in_for_another_in_silence(path, lost):
    (path / f"snapshots/generation-00000{lost}.parquet").unlink()
    with pytest.warns(MissingWarning, match=rf"0{lost}.parquet: it is missing; evo resume"):
        _ = open_run(path).snapshots
    with pytest.warns(MissingWarning, match=f"0{lost}.parquet: it is missing"):
        open_run(path).champion()


def test_copies_are_taken_once_and_said(path):
    (file,) = files_of(path, "evaluations")
    shutil.copy(file, path / "evaluations/copied.parquet")
    with pytest.warns(DoubledWarning, match=r"copied.parquet: it is a copy of a-.*; remove it"):
        assert len(open_run(path).evaluations) == 1
    part = files_of(path, "generations")[1]
    shutil.copy(part, path / "generations/copied.parquet")
    with pytest.warns(DoubledWarning, match="copied.parquet: it is no part of this run"):
        assert len(open_run(path).generations) == 5
    assert len(pd.read_parquet(path / "generations")) == 7


def test_a_measurement_made_by_two_at_once_is_taken_once_without_a_word(path):
    again = evaluation(4, 0, {"level-0": 200})
    write_evaluation(path, "b", {**again, "evaluate_seconds": again["evaluate_seconds"] + 1})
    write_evaluation(path, "c", evaluation(4, 0, {"level-0": 200}, seed=2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert open_run(path).evaluations["seed"].tolist() == [1, 2]


def test_a_command_that_reads_a_run_with_losses_says_so_and_does_not_end_with_0(path, capsys):
    files_of(path, "generations")[1].unlink()
    assert main(["plot", str(path), "--json"]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("evo: warning: ")
    assert told.err.count("\n") == 1
    assert "lacks the rows of generations 1-2; evo resume" in told.err
    assert "fitness" in told.out
