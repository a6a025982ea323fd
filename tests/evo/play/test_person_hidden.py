"""A person in a game that hides: what is told and when, and opponents that follow the course."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evo.cli.main import main
from evo.play.advice import advice
from evo.play.person import PersonGame
from tournaments import games, players
from tournaments.arena.match import choice_of
from tournaments.kernels.chance import STREAM
from tournaments.kernels.hooks import HIDDEN
from tournaments.player import sit_down
from tournaments.repeated.rules import FIRST, HELD, NONE

KARATE = games.parse("karate:rounds=12")
MOVES = st.lists(st.integers(0, 3), min_size=1, max_size=8)


def person_game(seat: int, opponent: str = "markov:beta=2", game=KARATE) -> PersonGame:
    return PersonGame(game, seat, players.make(opponent, game))


def play(played: PersonGame, moves) -> PersonGame:
    """The person's moves, each with the replies that are due."""
    for move in moves:
        while played.state.seat_to_move == 1 - played.seat:
            played.reply()
        played.play(move)
    while played.state.seat_to_move == 1 - played.seat:
        played.reply()
    return played


def replies(played: PersonGame) -> list[int]:
    return [ply.action for ply in played.plies if ply.seat == 1 - played.seat]


@settings(max_examples=12, deadline=None)
@given(MOVES, st.integers(0, 1))
def test_the_opponent_remembers_the_game_from_its_start(moves, seat):
    played = play(person_game(seat), moves)
    seated = sit_down(played.opponent, played.start, 1 - seat)
    for number, ply in enumerate(played.plies):
        if ply.seat == 1 - seat:
            before = PersonGame(KARATE, seat, played.opponent)
            before.plies = played.plies[:number]
            assert ply.action == choice_of(seated, ply.before, before.stream("reply"))
        seated.watch(ply.after.view(1 - seat), ply.action if ply.seat == 1 - seat else HIDDEN)


@settings(max_examples=12, deadline=None)
@given(MOVES, MOVES, st.integers(0, 1))
def test_moves_that_were_taken_back_are_not_remembered(wrong, moves, seat):
    played = play(person_game(seat), wrong)
    for _ in wrong:
        played.undo()
    assert replies(play(played, moves)) == replies(play(person_game(seat), moves))


@pytest.mark.parametrize("held", range(4))
def test_what_the_opponent_holds_is_told_neither_in_words_nor_in_the_picture(held):
    played = person_game(1, f"cycle:moves={KARATE.rules.stage.moves[held]}")
    ply = played.reply()
    assert (ply.action, played.shown_action(ply)) == (held, HIDDEN)
    assert played.words(ply) == "first has moved"
    assert str(played.seen).endswith("second to move")
    assert played.seen.array[HELD] == NONE
    own = played.play(1)
    assert (played.shown_action(own), played.words(own)) == (1, "second kick")
    assert played.seen.array[FIRST] == held


def test_a_board_as_it_is_seen_can_be_gone_on_from_and_a_game_of_chance_draws_on():
    game = games.parse("iterated-prisoners-dilemma:rounds=60,noise=0.1")
    played = person_game(0, "tit-for-tat", game)
    play(played, [0, 0, 1])
    played.put(str(played.seen))
    assert played.state.array[STREAM : STREAM + 4].any()
    play(played, [0] * 40)
    carried_out = [int(ply.after.array[FIRST]) for ply in played.plies[7:] if ply.seat == 1]
    assert 0 < np.mean(carried_out) < 0.5  # some slips, not all


def test_advice_is_that_of_a_player_who_has_followed_the_game():
    played = person_game(0, "cycle:moves=block-kick")
    play(played, [1] * 6)
    stream = played.stream("hint")
    hint = advice(played.state, players.make("markov:beta=best", KARATE), stream, played.seated)
    assert (hint.action, hint.worths) == (0, ())  # a punch hits who always blocks kicks


def rows_of(capsys, monkeypatch, arguments: list[str], lines: list[str]) -> list[dict]:
    typed = iter([*lines])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    assert main(["play", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_json_tells_no_more_and_the_record_has_all(capsys, monkeypatch, tmp_path):
    file = tmp_path / "game.json"
    arguments = ["karate:rounds=2", "cycle:moves=kick+punch", "--as", "second"]
    rows = rows_of(capsys, monkeypatch, [*arguments, "--record", str(file)], ["punch", "block-p"])
    plies = [row for row in rows if "ply" in row]
    assert [(row["action"], row["name"]) for row in plies] == [
        (-1, ""),
        (0, "punch"),
        (-1, ""),
        (2, "block-punch"),
    ]
    assert [row["scores"] for row in plies] == [[0, 0], [10, 0], [10, 0], [10, 5]]
    assert "holds" not in json.dumps(rows)
    assert [row["name"] for row in json.loads(file.read_text())["moves"]][::2] == ["kick", "punch"]


def test_a_solver_is_refused_in_one_line(capsys):
    assert main(["play", "karate", "alpha-beta"]) == 2
    assert "karate hides some of a position, so no player can look ahead" in capsys.readouterr().err
