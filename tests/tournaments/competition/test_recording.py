"""Competitions that are kept in the folder of a run."""

from __future__ import annotations

import hashlib
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import evo
import results
from evo.play.watched import of_run
from results.errors import ResultsError
from results.read.status import status_of
from results.read.verify import verify
from tournaments import Competition, Genomes, games
from tournaments.errors import ConfigError, TournamentError
from tournaments.kernels.rng import generator
from tournaments.player import identity
from tournaments.players import as_player
from tournaments.players.network import Encoding, layers_for

GAME = games.make("tic-tac-toe")
ENCODING = Encoding(layers_for(GAME, (5,)), bits=6)
SCHEME = "hall-of-fame:current=2"


def genomes(generation: int) -> Genomes:
    rng = generator(1, "genomes", generation)
    weights = rng.uniform(-64.0, 64.0, (4, ENCODING.num_weights))
    return Genomes(ENCODING, ENCODING.encode(weights))


def ids(generation: int) -> list[int]:
    return [10 * generation + row for row in range(4)]


def parents(generation: int):
    first = 10 * (generation - 1)
    return [None, first, (first + 1,), (first, first + 3)] if generation else None


def play(competition: Competition, generations: range) -> None:
    for number in generations:
        competition.evaluate(genomes(number), ids=ids(number), parents=parents(number))


@pytest.fixture
def run(tmp_path) -> Path:
    with results.Recorder(tmp_path / "run") as recorder:
        play(Competition(GAME, SCHEME, seed=3, recorder=recorder), range(3))
    return tmp_path / "run"


def test_a_competition_is_a_run_with_ids_and_lineage(run):
    kept = results.open_run(run)
    assert kept.snapshots == [0, 1, 2]
    alone = Competition(GAME, SCHEME, seed=3)
    rows = kept.generations
    for number in kept.snapshots:
        result, table = alone.evaluate(genomes(number)), kept.population(number)
        assert table["id"].tolist() == ids(number)
        assert table["raw_fitness"].tolist() == result.fitness.tolist()
        assert table["wins"].tolist() == result.tally.wins.tolist()
        np.testing.assert_array_equal(kept.genomes(number), genomes(number).packed)
        np.testing.assert_array_equal(kept.weights(number), ENCODING.decode(genomes(number).packed))
        assert rows["best"][number] == result.fitness.max()
    descent = kept.lineage(23)
    assert descent["id"].tolist() == [0, 3, 10, 13, 23]
    assert descent["operator"].tolist() == ["start", "start", "start", "crossover", "crossover"]
    assert status_of(kept.path)["state"] == "done"
    assert results.open_runs(run.parent).frame["learner"].tolist() == ["competition"]
    assert {each.state for each in verify(run)} == {"whole"}


@pytest.mark.slow
def test_commands_play_the_genomes_of_a_competition(run):
    assert of_run(str(run), None, None, None, 1).names == (f"{run}@2",) * 2
    frame = evo.evaluate(str(run), ["random"], games=2)
    assert len(frame) == 12
    with pytest.raises(ConfigError, match="keeps a competition, whose individuals come from your"):
        evo.resume(str(run), generations=9)


def test_a_competition_goes_on_from_the_last_generation_to_the_same_bytes(run, tmp_path):
    for number in range(3):
        with results.Recorder(tmp_path / "parts") as recorder:
            competition = (
                Competition.open(recorder)
                if recorder.saved
                else Competition(GAME, SCHEME, seed=3, recorder=recorder)
            )
            assert competition.generation == number
            play(competition, range(number, number + 1))
    for file in (run / "snapshots").iterdir():
        assert file.read_bytes() == (tmp_path / "parts/snapshots" / file.name).read_bytes()


def test_a_generation_that_was_cut_short_is_played_again(run):
    newest = run / "snapshots/generation-000002.parquet"
    whole = newest.read_bytes()
    newest.write_bytes(whole[:100])
    with pytest.warns(results.errors.MissingWarning):
        recorder = results.Recorder(run)
    with recorder:
        competition = Competition.open(recorder)
        assert competition.generation == 2
        play(competition, range(2, 3))
    assert newest.read_bytes() == whole
    assert {each.state for each in verify(run)} == {"whole"}


def test_functions_are_kept_by_their_identities(tmp_path):
    def policy(order, state, rng):
        return min(state.legal_actions(), key=lambda action: order[action])

    def broken(state, rng):
        raise ValueError("no idea")

    players = [partial(policy, np.random.default_rng(seed).permutation(9)) for seed in range(2)]
    with results.Recorder(tmp_path / "run") as recorder:
        options = {"faults": "forfeit", "recorder": recorder}
        competition = Competition(GAME, "hall-of-fame:current=1", **options)
        for number in range(2):
            result = competition.evaluate(
                [*players, broken],
                ["random", players[0]],
                ids=[[0, 1, 2], [3, number + 4]],
                parents=[[None] * 3, [None, number * 4 or None]],
            )
    kept = results.open_run(tmp_path / "run")
    assert {*kept.populations} == {"nought", "cross"}
    table = kept.population()
    assert table["id"].tolist() == [0, 1, 2, 3, 5]
    assert kept.lineage(5)["id"].tolist() == [4, 5]
    digest = hashlib.sha256(identity(as_player(players[0], GAME)).encode()).digest()
    assert table["genome"][0] == table["genome"][4] == digest
    assert kept.generations["diversity"].tolist() == [1.0] * 4
    own = result.faults.drop(columns="round")
    theirs = kept.faults.query("generation == 1")
    assert sorted(theirs["match_seed"]) == sorted(own["match_seed"])
    assert set(theirs["player"]) == {"broken"}
    assert set(theirs["id"].dropna()) == {2}
    with pytest.raises(ConfigError, match="so they cannot be played again; only genomes can"):
        of_run(str(tmp_path / "run"), None, None, None, 1)


def test_a_folder_of_another_competition_is_refused_before_a_game(run, tmp_path):
    evo.run(str(tmp_path / "evo"), game="nim", population=4, generations=1, scheme="round-robin")
    with pytest.raises(ResultsError, match="keeps no competition; choose another folder"):
        results.Recorder(tmp_path / "evo")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("")
    with pytest.raises(ResultsError, match="is not empty and not a run"):
        results.Recorder(tmp_path / "other")
    with results.Recorder(run) as recorder:
        with pytest.raises(ResultsError, match=r"go on by Competition\.open\(recorder\)"):
            Competition(GAME, recorder=recorder).evaluate(genomes(0))
        with pytest.raises(ResultsError, match="process"):
            results.Recorder(run)
        competition = Competition.open(recorder)
        wider = Encoding(layers_for(GAME, (6,)))
        others = Genomes(wider, np.zeros((4, wider.num_bytes), np.uint8))
        with pytest.raises(
            ResultsError, match=r"genomes .* given; .* holds .*: give genomes of one encoding"
        ):
            competition.evaluate(others)
    with (
        results.Recorder(tmp_path / "new") as recorder,
        pytest.raises(TournamentError, match="is a new folder; Competition"),
    ):
        Competition.open(recorder)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "given",
    [
        {"ids": [1, 1, 2, 3]},
        {"ids": [-1, 1, 2, 3]},
        {"ids": [1, 2]},
        {"ids": 7},
        {"ids": ["a", 1, 2, 3]},
        {"parents": [None] * 3},
        {"parents": [(1, 2, 3), 1, 2, 3]},
        {"parents": [-7, 1, 2, 3]},
        {"ids": [2**70, 1, 2, 3]},
    ],
)
def test_ids_that_cannot_be_are_refused_before_a_game(given, tmp_path):
    with (
        results.Recorder(tmp_path / "run") as recorder,
        pytest.raises(
            ResultsError, match="for 4 individuals; of each an id is expected"
        ) as refused,
    ):
        Competition(GAME, recorder=recorder).evaluate(genomes(0), **given)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_ids_of_two_populations_are_as_many_as_the_players_of_each(tmp_path):
    players = dict.fromkeys("abc", "random"), dict.fromkeys("de", "random")
    with results.Recorder(tmp_path / "run") as recorder:
        competition = Competition(GAME, recorder=recorder)
        with pytest.raises(ResultsError, match="for 5 individuals"):
            competition.evaluate(*players, ids=([1, 2], [3, 4, 5]))


def test_a_failed_write_leaves_no_row_twice_and_a_folder_that_goes_on(tmp_path, monkeypatch):
    def refuse(*given):
        raise ResultsError("no space")

    def failing(competition, generation):
        with monkeypatch.context() as patched:
            patched.setattr("results.writer.recorder.write_faults", refuse)
            with pytest.raises(ResultsError, match="no space"):
                competition.evaluate(genomes(generation))

    with results.Recorder(tmp_path / "run") as recorder:
        failing(Competition(GAME, SCHEME, recorder=recorder), 0)
    with results.Recorder(tmp_path / "run") as recorder:
        with pytest.raises(ResultsError, match="was begun with"):
            Competition(GAME, SCHEME, seed=9, recorder=recorder).evaluate(genomes(0))
        competition = Competition(GAME, SCHEME, recorder=recorder)
        competition.evaluate(genomes(0))
        failing(competition, 1)
        competition.evaluate(genomes(1))
    run = results.open_run(tmp_path / "run")
    rows = chain(*(part["generation"].to_pylist() for part in run.parts("generations")))
    assert sorted(rows) == [0, 1]


def test_ids_take_a_recorder():
    with pytest.raises(
        TournamentError, match="ids or parents given to a competition that is not re"
    ):
        Competition(GAME).evaluate(genomes(0), ids=ids(0))


def test_a_generation_that_cannot_be_written_was_not_played(tmp_path, monkeypatch):
    with results.Recorder(tmp_path / "run") as recorder:
        competition = Competition(GAME, SCHEME, recorder=recorder)
        competition.evaluate(genomes(0))
        with monkeypatch.context() as patched:

            def refuse(*given):
                raise ResultsError("no space")

            patched.setattr(recorder, "record", refuse)
            with pytest.raises(ResultsError, match="no space"):
                competition.evaluate(genomes(1))
        assert competition.generation == 1
        competition.evaluate(genomes(1))
    assert results.open_run(tmp_path / "run").population()["id"].tolist() == [4, 5, 6, 7]
