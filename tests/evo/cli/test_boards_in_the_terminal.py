"""Boards as a person sees them: rulers stand where names of actions count from."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evo.cli.boards import board_text, with_rulers, without_rulers
from tournaments import games
from tournaments.game import GAMES, State
from tournaments.kernels.rng import Stream

NAMES = {
    "tic-tac-toe": r"(?P<row>\d+):(?P<col>\d+)",
    "cat-trap": r"(?P<col>\d+):(?P<row>\d+)",
    "cat-trap:size=13,blocks=none": r"(?P<col>\d+):(?P<row>\d+)",
    "connect-four": r"column (?P<col>\d+)",
    "connect-four:rows=4,cols=12": r"column (?P<col>\d+)",
    "dots-and-boxes:rows=2,cols=3": r"[hv]\((?P<row>\d+),(?P<col>\d+)\)",
}


def shown(state: State) -> list[str]:
    return with_rulers(board_text(state), state.game).split("\n")


@pytest.mark.parametrize("spec", NAMES)
def test_an_action_changes_the_board_at_the_row_and_column_of_its_name(spec):
    start = games.parse(spec).start(1)
    top, before = shown(start)[0], shown(start)
    for action in start.legal_actions():
        state = start.clone()
        state.play(action)
        name = re.fullmatch(NAMES[spec], state.game.rules.describe(state.game.board, action))
        assert name is not None
        changed = [
            (line, place)
            for line, (old, new) in enumerate(zip(before, shown(state), strict=True))
            for place in range(len(new))
            if old.ljust(len(new))[place] != new[place]
        ]
        line, place = changed[0]  # who is to move has changed, too
        if "row" in name.groupdict():
            assert shown(state)[line].split()[0] == name["row"]
        begin = len(top) - len(top.lstrip())
        labels = {top[here : here + 2].strip(): here for here in range(begin, len(top), 2)}
        assert place - labels[name["col"]] in (0, 1)  # half a tile further in odd rows


@settings(max_examples=40)
@given(st.sampled_from(sorted(GAMES.own())), st.integers(0, 8), st.integers(0, 10**6))
def test_a_board_that_is_copied_with_its_rulers_is_the_same_board(spec, plies, seed):
    state, stream = games.parse(spec).start(seed), Stream(seed)
    for _ in range(plies):
        if not state.is_over:
            state.play(stream.choice(state.legal_actions()))
    for text in (str(state), with_rulers(str(state), state.game)):
        assert state.game.parse(without_rulers(text, state.game)) == state
