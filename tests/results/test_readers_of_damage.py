"""Readers and ``evo verify`` notice what was done to a folder; what a crash leaves is no damage."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest
from results_data import as_made_with, columns, create, row, sign, written_run
from run_checks import snapshot_bytes
from test_fault_table import row as fault_row

from results import ResultsError, RunWriter, open_run, open_runs, open_tournament
from results.errors import MissingWarning
from results.folder import faults
from results.folder.tournament import TournamentWriter
from results.read.status import status_of
from results.read.verify import verify

LIST = "snapshots.sha256"


@pytest.fixture
def path(tmp_path):
    return written_run(tmp_path / "run", until=4)


def noticed(path: Path) -> bool:
    """Whether a reader that asks for the champion is told of anything."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            open_run(path).champion()
        except ResultsError:
            return True
    return bool(told)


def at_fault(path: Path) -> set[str]:
    """The files for whose sake ``evo verify`` ends with status 1."""
    return {finding.file for finding in verify(path) if finding.is_fault}


def last_line(path: Path) -> tuple[bytes, int]:
    """The list of digests, and where its last line begins."""
    data = (path / LIST).read_bytes()
    return data, data.rstrip(b"\n").rfind(b"\n") + 1


# --- the list of digests --------------------------------------------------------------------------


def flipped(path: Path, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The flips, as byte of the last line and bit, of which a reader or verify says nothing."""
    (data, begin), silent = last_line(path), []
    for place, bit in places:
        content = bytearray(data)
        content[begin + place] ^= 1 << bit
        (path / LIST).write_bytes(content)
        if not (noticed(path) and at_fault(path)):
            silent.append((place, bit))
    return silent


def test_a_flipped_bit_in_the_last_line_is_noticed(path):
    data, begin = last_line(path)
    length = len(data) - begin
    assert length == 102
    places = [(place, place % 8) for place in range(0, length, 3)]
    assert flipped(path, [*places, *((length - 1, bit) for bit in range(8))]) == []


@pytest.mark.slow
def test_each_flipped_bit_in_the_last_line_is_noticed(path):
    assert flipped(path, [(place, bit) for place in range(102) for bit in range(8)]) == []


def told_of_cuts(path: Path, ends: range) -> list[int]:
    """Those cuts of the list of which something is said, with zeros after them or without."""
    data, begin = last_line(path)
    told = []
    for end in ends:
        for zeros in (b"", bytes(len(data) - begin - end)):
            (path / LIST).write_bytes(data[: begin + end] + zeros)
            if noticed(path) or at_fault(path) or open_run(path).snapshots != [0, 2]:
                told.append(end)
    return told


def test_a_last_line_that_a_crash_cut_short_is_no_damage(path):
    assert told_of_cuts(path, range(0, 102, 12)) == []
    assert told_of_cuts(path, range(62, 67)) == []


@pytest.mark.slow
def test_no_cut_of_the_last_line_is_damage(path):
    assert told_of_cuts(path, range(102)) == []


def line(generation: int, digit: str = "a") -> bytes:
    return f"{digit * 64}  snapshots/generation-{generation:06d}.parquet\n".encode()


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data + b"x",
        lambda data: data + b"deadbeef",
        lambda data: data + b"\n",
        lambda data: data + line(6)[:40],
        lambda data: data + bytes(3),
        lambda data: data + line(4),
        lambda data: b"junk\n" + data,
        lambda data: data.replace(b"\n", b"\x0b", 1),
        lambda data: data[:-102] + line(6)[:95],
        lambda data: data[:-102] + bytes(500),
        lambda data: data[:-102] + b"g" * 20,
    ],
    ids=["a letter", "digits", "an empty line", "a line of no file", "zeros", "a line twice",
         "before it", "no line feed", "of another file", "many zeros", "no digits"],
)  # fmt: skip
def test_anything_else_in_the_list_is_damage_that_resume_mends(path, harm, capsys):
    expected = snapshot_bytes(path)
    (path / LIST).write_bytes(harm((path / LIST).read_bytes()))
    with pytest.warns(MissingWarning, match=r"sha256: it holds something.*evo resume"):
        open_run(path)
    assert LIST in at_fault(path)
    assert status_of(path)["whole"] is False
    with RunWriter.open(path) as writer:
        last = -1 if writer.last is None else writer.last.generation
        for generation in range(last + 1, 5):
            writer.generation(row(generation))
            if not generation % 2:
                writer.snapshot(columns(generation), generation, 100 * (generation + 1))
    assert snapshot_bytes(path) == expected
    assert not noticed(path)
    assert at_fault(path) == set()


def test_a_list_with_the_line_ends_of_another_system_is_read(path):
    (path / LIST).write_bytes((path / LIST).read_bytes().replace(b"\n", b"\r\n"))
    assert not noticed(path)
    assert at_fault(path) == set()


@pytest.mark.parametrize("unlisted", [{2}, {0}, {2, 4}, {0, 2, 4}])
def test_a_snapshot_without_a_line_is_damage_unless_a_crash_left_it(path, unlisted):
    lines = (path / LIST).read_bytes().splitlines(keepends=True)
    kept = [text for place, text in enumerate(lines) if 2 * place not in unlisted]
    (path / LIST).write_bytes(b"".join(kept))
    told = "no line that can be read" if not kept else "it has no line in snapshots.sha256"
    with pytest.warns(MissingWarning, match=told):
        open_run(path)
    snapshots = {f"snapshots/generation-{number:06d}.parquet" for number in unlisted - {4}}
    assert at_fault(path) == snapshots | ({LIST} if not kept else set())
    (path / LIST).write_bytes(b"".join(lines[:-1]))
    assert not noticed(path)
    assert at_fault(path) == set()


def test_a_newest_snapshot_that_cannot_be_read_is_told_to_all_who_open_the_run(path):
    (path / "snapshots/generation-000004.parquet").write_bytes(b"PAR1")
    with pytest.warns(
        MissingWarning, match=r"000004.parquet: it cannot be read: evo verify says why"
    ):
        assert len(open_run(path).generations) == 5


# --- the configuration ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda info: info["config"].update(game={"name": "nim", "heaps": "3-4-6"}),
        lambda info: info["config"].update(population=7),
        lambda info: info["genome"].update(high=32.0),
    ],
    ids=["game", "population", "genome"],
)
def test_a_run_json_that_was_changed_is_refused_unless_it_is_trusted(path, change):
    other = Path(shutil.copytree(path, path.with_name("other")))
    as_made_with(other, change)
    (path / "run.json").write_bytes((other / "run.json").read_bytes())
    told = r"run/run\.json: the configuration was changed since snapshots/generation-000004"
    with pytest.raises(ResultsError, match=rf"{told}.*put it back as it was, or use --trust"):
        open_run(path)
    with pytest.raises(ResultsError, match=told):
        _ = open_runs(path).generations
    assert status_of(path)["state"] == "damaged"
    assert "run.json" in at_fault(path)
    assert len(open_run(path, trust=True).population()) == 6
    assert len(open_runs(path, trust=True).generations) == 5
    assert open_runs(path, trust=True).frame["state"].tolist() != ["damaged"]
    assert open_runs(path, trust=True).members[0].keys["seed"] == 1
    assert not noticed(other)
    assert at_fault(other) == set()


def test_a_snapshot_of_a_run_of_another_configuration_is_not_read(path, tmp_path):
    other = as_made_with(
        written_run(tmp_path / "other", until=4), lambda info: info["config"].update(more=1)
    )
    name = "snapshots/generation-000002.parquet"
    shutil.copy(other / name, path / name)
    lines = (path / LIST).read_text().splitlines(keepends=True)
    lines[1] = (other / LIST).read_text().splitlines(keepends=True)[1]
    (path / LIST).write_text("".join(lines))
    run = open_run(path)
    with pytest.raises(ResultsError, match="changed since snapshots/generation-000002"):
        run.population(2)


def test_where_a_run_ends_and_what_it_keeps_may_change(path):
    with RunWriter.open(path) as writer:
        writer.set_generations(90)
        writer.set_retention(2, 3)
    assert not noticed(path)
    sign(path)  # as the tests do it
    assert not noticed(path)


# --- faults ---------------------------------------------------------------------------------------


def faulty_run(path: Path) -> Path:
    """A run with three faults, in two files."""
    with create(path, generations=4) as writer:
        for generation in range(5):
            writer.generation(row(generation))
            if generation % 2:
                faults.write_faults(path, [fault_row(generation=generation)])
            else:
                games, lost = 100 * (generation + 1), generation // 2
                writer.snapshot(columns(generation), generation, games, None, lost)
    faults.write_faults(path, [fault_row(purpose="evaluation/random/8")])
    return path


def test_a_lost_part_of_the_table_of_faults_is_noticed(tmp_path):
    path = faulty_run(tmp_path / "my run")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(open_run(path).faults) == 3
    assert at_fault(path) == set()
    newest = path / "snapshots/generation-000004.parquet"
    whole = newest.read_bytes()
    newest.write_bytes(whole[:-9])
    with pytest.warns(MissingWarning, match="cannot be read"):
        assert len(open_run(path).faults) == 3
    newest.write_bytes(whole)
    first = min((path / "faults").iterdir(), key=lambda file: "000001" not in file.name)
    kept = first.read_bytes()
    first.unlink()
    told = r"lacks 1 of the 2 games that were lost by faults up to generation 4; put its files back"
    with pytest.warns(MissingWarning, match=told):
        assert len(open_run(path).faults) == 2
    assert at_fault(path) == {"faults"}
    before = snapshot_bytes(path)
    with pytest.raises(ResultsError, match=rf"{told}, or remove .*'.*my run' plays the run again"):
        RunWriter.open(path)
    assert snapshot_bytes(path) == before
    shutil.rmtree(path / "faults")
    assert at_fault(path) == {"faults"}
    (path / "faults").mkdir()
    first.write_bytes(kept)
    assert at_fault(path) == {"faults"}


def test_a_run_without_faults_has_the_bytes_that_it_had(tmp_path):
    path = written_run(tmp_path / "run", until=4)
    with create(tmp_path / "counted", generations=4) as writer:
        for generation in range(5):
            writer.generation(row(generation))
            if generation % 2 == 0:
                writer.snapshot(columns(generation), generation, 100 * (generation + 1), None, 0)
    assert snapshot_bytes(path) == snapshot_bytes(tmp_path / "counted")


# --- tournaments ----------------------------------------------------------------------------------


def tournament(path: Path, wins: int) -> Path:
    """A tournament of two players, one of whom won so many of six games."""
    writer = TournamentWriter(path)
    writer.write_info(
        {"game": "nim", "seed": 1, "games": 6, "schedule": "round-robin", "players": {"a": "a"}}
    )
    add(writer, wins)
    rating = {"rating": 0.0, "rating_low": 0.0, "rating_high": 0.0, "score": 0.5}
    counts = {"games": 6, "wins": wins, "draws": 0, "losses": 6 - wins}
    writer.write_ratings(
        [{"rank": n, "player": name, **rating, **counts} for n, name in enumerate("ab", 1)]
    )
    writer.close()
    return path


def add(writer: TournamentWriter, wins: int) -> None:
    counts = {"games": 6, "wins": wins, "draws": 0, "losses": 6 - wins}
    firsts = {"wins_first": wins // 2, "draws_first": 0, "losses_first": 3 - wins // 2}
    who = {"round": 1, "player": "a", "opponent": "b", "first_match": 0}
    writer.add_pairs([{**who, **counts, **firsts}])


def test_ratings_of_another_tournament_are_refused(tmp_path):
    one, other = tournament(tmp_path / "one", 2), tournament(tmp_path / "other", 4)
    assert len(open_tournament(one).ratings) == 2
    assert at_fault(one) == set()
    shutil.copy(other / "ratings.parquet", one / "ratings.parquet")
    with pytest.raises(ResultsError, match=r"ratings from other games than those in pairs/"):
        _ = open_tournament(one).ratings
    assert at_fault(one) == {"ratings.parquet"}


def test_ratings_stay_those_of_a_tournament_that_goes_on(tmp_path):
    path = tournament(tmp_path / "one", 2)
    writer = TournamentWriter(path)
    add(writer, 4)
    writer.close()
    assert len(open_tournament(path).ratings) == 2
    assert at_fault(path) == set()
