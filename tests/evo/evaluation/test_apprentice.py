"""A table of values that learns while a person plays it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from run_checks import Interpreted

import evo
from evo.cli.main import main
from evo.evaluation.apprentice import apprentice
from evo.evaluation.person import PersonGame
from evo.evaluation.players import champion
from results import Run
from tournaments import games, players
from tournaments.errors import ConfigError
from tournaments.game import State
from tournaments.player import CompiledPlayer
from tournaments.players.value_table.encoding import ValueEncoding
from tournaments.players.value_table.player import player
from tournaments.solver.states import states_of

ETA, GAMMA = 0.25, 0.5
GAME = "nim:heaps=2-3"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    learner = {"name": "q-learning", "turns": 60, "eta": ETA, "gamma": GAMMA}
    options = {"game": GAME, "learner": learner, "population": 1, "generations": 2, "seed": 3}
    folder = tmp_path_factory.mktemp("runs") / "run"
    scheme = {"name": "direct", "opponent": "random", "matches": 2}
    return evo.run(folder, options | {"scheme": scheme}, evaluator=Interpreted())


def opened(run: Run, file: Path, seat: int = 0) -> PersonGame:
    best = champion(run.path)
    return PersonGame(best.game, seat, apprentice(best, str(run.path), str(file), 7), 7)


def played_out(played: PersonGame, takes_back: bool = False) -> PersonGame:
    """The person plays its last legal action; where it takes back, after each of them once."""
    while not played.state.is_over:
        if played.state.seat_to_move != played.seat:
            played.reply()
            continue
        legal = played.state.legal_actions()
        if takes_back and len(legal) > 1:
            played.play(legal[0])
            if not played.state.is_over:
                played.reply()
            played.undo()
        played.play(legal[-1])
    return played


def value_of(best: CompiledPlayer, values: np.ndarray, state: State) -> tuple[int, int]:
    """Where the values of a position begin, and how many it has."""
    states = states_of(best.game).states.tolist()
    place = states.index(state.array.tolist()) * int(best.parameters.layout[2])
    return place, len(state.legal_actions())


def test_it_learns_what_the_rule_of_watkins_says(run, tmp_path):
    best, file = champion(run.path), tmp_path / "learned.npy"
    played = played_out(opened(run, file))
    assert "value-table:file=" in played.teach()
    expected = np.nan_to_num(best.parameters.values[0].astype(np.float64)).copy()
    turns = [ply for ply in played.plies if ply.seat == 1]
    for ply, later in zip(turns, [*turns[1:], None], strict=True):
        place, _ = value_of(best, expected, ply.before)
        place += ply.before.legal_actions().index(ply.action)
        target = played.state.returns()[1]
        if later is not None:
            begin, count = value_of(best, expected, later.before)
            target = GAMMA * expected[begin : begin + count].max()
        expected[place] = np.float32(expected[place] + ETA * (target - expected[place]))
    learned = np.nan_to_num(np.load(file))
    np.testing.assert_array_equal(learned, expected.astype(np.float32))
    assert (learned != np.nan_to_num(best.parameters.values[0])).any()


def test_what_was_taken_back_teaches_nothing(run, tmp_path):
    files = [tmp_path / "straight.npy", tmp_path / "taken-back.npy"]
    for file, takes_back in zip(files, (False, True), strict=True):
        played_out(opened(run, file), takes_back).teach()
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_command_writes_what_plays_and_goes_on_learning(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    moves = ["3 of heap 2", "1 of heap 1", "1 of heap 1", "2 of heap 1"]
    for opponent in (str(run.path), "value-table:file=mine.npy"):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(moves) + "\n"))
        assert main(["play", GAME, opponent, "--learn", "mine.npy", "--plain"]) == 0
        assert "value-table:file=mine.npy" in capsys.readouterr().out
    assert players.make("value-table:file=mine.npy", champion(run.path).game)


def test_positions_that_cannot_come_up_teach_nothing(tmp_path):
    encoding = ValueEncoding(games.parse("tic-tac-toe"), (0, 1))
    values = np.full(encoding.num_values, np.nan, dtype="<f4")
    table = player(encoding.game, genome=values.tobytes(), encoding=encoding)
    opponent = apprentice(table, "", str(tmp_path / "table.npy"), 1)
    played = PersonGame(encoding.game, 0, opponent)
    played.put("X X .\nX X .\n. . O\n\nnought to move")
    played.reply()
    played_out(played).teach()
    assert np.isnan(np.load(tmp_path / "table.npy")).all()


def test_who_learns_nothing_and_files_of_others_are_refused(run, tmp_path):
    best = champion(run.path)
    with pytest.raises(ConfigError, match="random learns nothing"):
        apprentice(players.make("random", best.game), "", str(tmp_path / "x.npy"), 1)
    with pytest.raises(ConfigError, match="ends in"):
        apprentice(best, str(run.path), str(tmp_path / "x.txt"), 1)
    (tmp_path / "there.npy").write_bytes(b"")
    with pytest.raises(ConfigError, match="which is there"):
        apprentice(best, str(run.path), str(tmp_path / "there.npy"), 1)
