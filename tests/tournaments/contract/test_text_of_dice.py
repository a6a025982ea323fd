"""The text board of a game that draws: its stream is part of it, and the law says what differs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from games_with_secrets import DICE, PLACES, parse_dice, text_of_dice

from tournaments.contract import ContractError, check_game
from tournaments.game import Game
from tournaments.kernels.chance import STREAM, STREAM_SIZE, stream_line, take_stream_line


def without_stream(board, state):
    return text_of_dice(board, state).split("\n")[0]


def without_lead(board, picture):
    state = parse_dice(board, picture)
    state[1] = 0
    return state


def narrow(board, picture):
    return parse_dice(board, picture)[:-1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"text": without_stream},
            r"parse\(str\(state\)\) must be the position itself: state\[3\] was -?\d+, is 0, "
            r".*\(the stream: see stream_line and take_stream_line of tournaments.kernels.chance\)",
        ),
        ({"parse": without_lead}, r"the position itself: state\[1\] was [1-9], is 0$"),
        ({"parse": narrow}, "the position itself, an array of as many numbers"),
    ],
)
def test_the_law_says_what_differs(change, says):
    game = Game(replace(DICE, **change), {})
    with pytest.raises(ContractError) as error:
        check_game(game, games=5)
    line = str(error.value).split("\n")[0]
    assert re.search(says, line.partition(", at ply")[0])


def test_a_game_with_its_stream_in_its_text_keeps_the_laws():
    check_game(Game(DICE, {}), games=5)


def test_a_stream_is_written_and_read():
    state = np.zeros(PLACES, dtype=np.int16)
    assert stream_line(state) == ""
    state[STREAM : STREAM + STREAM_SIZE] = (1, -1, 255, 0x1234)
    line = stream_line(state)
    assert line == "stream 123400ffffff0001"
    again = np.zeros_like(state)
    assert take_stream_line(f"a board\n  {line} \nfirst to move", again) == "a board\nfirst to move"
    assert np.array_equal(again, state)


@pytest.mark.parametrize(
    "line", ["stream 12", "stream 123400ffffff000g", "chance: 123400ffffff0001"]
)
def test_what_is_no_stream_is_left_to_the_game(line):
    state = np.zeros(PLACES, dtype=np.int16)
    assert take_stream_line(f"a board\n{line}", state) == f"a board\n{line}"
    assert not state.any()
