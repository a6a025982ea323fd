"""What an opponent learns from games with a person."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.q_learning import Table

from evo.cli.commands import play
from evo.cli.main import main
from evo.evaluation.lesson import check_lesson, write_lesson
from evo.evaluation.person import PersonGame, action_named
from tournaments import games, players
from tournaments.errors import ConfigError
from tournaments.kernels.rng import Stream
from tournaments.player import CompiledPlayer
from tournaments.players.value_table.encoding import ValueEncoding
from tournaments.players.value_table.player import ETA, GAMMA, player

NIM, FOX = "nim:heaps=2-2", "fox-and-hounds:rows=4,cols=4"


def untaught(spec: str, seats: tuple[int, ...] = (0, 1)) -> CompiledPlayer:
    """A table in which nothing was tried."""
    encoding = ValueEncoding(games.parse(spec), seats)
    values = np.full(encoding.num_values, np.nan, dtype="<f4")
    return player(encoding.game, genome=values.tobytes(), encoding=encoding)


def met(spec: str, opponent: CompiledPlayer, seat: int, picks: list[int]) -> PersonGame:
    """A whole game against it."""
    played, left = PersonGame(games.parse(spec), seat, opponent), list(picks)
    while not played.state.is_over:
        if played.state.seat_to_move == seat:
            legal = played.state.legal_actions()
            played.play(legal[(left.pop() if left else 0) % len(legal)])
        else:
            played.reply()
    return played


def values_of(file: str, spec: str) -> CompiledPlayer:
    made = players.make(f"value-table:file={file}", games.parse(spec))
    assert isinstance(made, CompiledPlayer)
    return made


PICKS = st.lists(st.integers(0, 9), max_size=8)


@settings(max_examples=15)
@given(st.sampled_from([NIM, FOX]), st.integers(0, 1), st.lists(PICKS, min_size=1, max_size=3))
def test_it_learns_what_plain_q_learning_learns(tmp_path_factory, spec, seat, several):
    file = str(tmp_path_factory.mktemp("tables") / "table.npy")
    opponent, naive = untaught(spec), Table(0.0, ETA, GAMMA)
    naive.key = lambda state: (state.seat_to_move, str(state))
    seen = {}
    for picks in several:
        played = met(spec, opponent, seat, picks)
        said = write_lesson(played, file)
        assert f"after {len(played.plies)} more turns" in said
        for learner in (0, 1):
            own = [ply for ply in played.plies if ply.seat == learner]
            for number, ply in enumerate(own):
                last = number == len(own) - 1
                after = played.state if last else own[number + 1].before
                reward = after.scores[learner] - after.scores[1 - learner]
                best = 0.0 if last else GAMMA * max(naive.at(after))
                place = ply.before.legal_actions().index(ply.action)
                naive.improve(ply.before, place, reward + best)
                seen[naive.key(ply.before)] = ply.before
        opponent = values_of(file, spec)
    learned = [value for row in naive.values.values() for value in row if value is not None]
    values = opponent.parameters.values[0]
    assert sorted(learned) == pytest.approx(sorted(values[~np.isnan(values)].tolist()))
    for state in seen.values():
        best = naive.at(state)
        chosen = state.legal_actions().index(opponent.choose(state, Stream(3)))
        assert best[chosen] == max(best)


def test_a_changed_position_cuts_the_turns_off():
    game = games.parse("tic-tac-toe")
    played = PersonGame(game, 0, players.make("random", game))
    played.play(0)
    played.put("X . .\n. O .\n. . .\n\ncross to move")
    played.play(1)
    played.reply()
    assert list(played.turns(0)) == []  # of neither is known what came of it
    played.put("X X .\nO O .\n. . .\n\ncross to move")
    played.play(2)
    (turn,) = played.turns(0)
    assert (turn.action, turn.reward, turn.after) == (2, 1, None)


def test_positions_that_cannot_come_up_teach_nothing(tmp_path):
    opponent = untaught("tic-tac-toe")
    played = PersonGame(opponent.game, 0, opponent)
    played.put("X X .\nX X .\n. . O\n\nnought to move")
    played.reply()
    played.play(action_named(played.state, played.legal[played.state.legal_actions()[0]]))
    write_lesson(played, str(tmp_path / "table.npy"))
    assert np.isnan(np.load(tmp_path / "table.npy")).all()


def test_it_learns_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(play, "at_speed", lambda opponent: opponent)
    file = tmp_path / "table.json"
    np.save(tmp_path / "first.npy", untaught(NIM).parameters.values)

    def sit(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("1 1\n1 1\n1 2\n1 2\n" * 4))
        status = main(["play", *map(str, words)])
        out, err = capsys.readouterr()
        return status, out + err

    status, out = sit(NIM, f"value-table:file={tmp_path / 'first.npy'}", "--learn", file)
    assert status == 0
    assert f"more turns; they play as value-table:file={file}" in out
    first = json.loads(file.read_text())
    assert sit(NIM, f"value-table:file={file}", "--learn", file)[0] == 0
    assert json.loads(file.read_text()) != first


@pytest.mark.parametrize(
    ("opponent", "file", "says"),
    [
        ("random", "table.npy", "--learn given, but random does not learn"),
        ("table", "table.txt", "a name that ends in .npy or .json is expected"),
        ("table", "none/table.npy", "there is no folder"),
    ],
)
def test_what_cannot_be_learned_or_written_is_refused(opponent, file, says, tmp_path):
    made = untaught(NIM) if opponent == "table" else players.make(opponent, games.parse(NIM))
    with pytest.raises(ConfigError, match=says):
        check_lesson(made, str(tmp_path / file))
