"""Text boards of every game: what is no position is refused in words, whatever it is."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments import games
from tournaments.errors import TournamentError
from tournaments.game import GAMES, State
from tournaments.kernels.rng import Stream

ALL = sorted(GAMES.own())


@cache
def boards(spec: str) -> list[str]:
    """Those of one random game."""
    state, stream = games.parse(spec).start(3), Stream(5)
    shown = [str(state)]
    while not state.is_over:
        state.play(stream.choice(state.legal_actions()))
        shown.append(str(state))
    return shown


def said(text: str) -> list[str]:
    """The letters of a board in order, but for distances, which a stream of chance tells.

    Positions that were seen before may stand in any order, and spaces anywhere.
    """
    bare = re.sub(r"hears \S+ \S+", "", text) if "stream" in text else text
    return sorted("".join(bare.replace("seen:", "").split()))


def is_refused_or_right(spec: str, text: str) -> None:
    game = games.parse(spec)
    try:
        state = game.parse(text)
    except TournamentError:
        return
    assert isinstance(state, State)
    assert said(str(state)) == said(text)


@settings(max_examples=200)
@given(st.sampled_from(ALL), st.integers(0, 10**6), st.integers(0, 10**6), st.data())
@pytest.mark.slow
def test_a_board_that_was_tampered_with_is_refused_or_another_position(spec, pick, place, data):
    text = boards(spec)[pick % len(boards(spec))]
    place %= len(text)
    put = data.draw(st.sampled_from(["", " ", "\n", "X", "#", "-", "9", "won", text[: place // 2]]))
    cut = data.draw(st.integers(0, 12))
    is_refused_or_right(spec, text[:place] + put + text[place + cut :])


@given(st.sampled_from(ALL), st.text(alphabet=" \nXOC.#-123wonmtv", max_size=40))
def test_any_text_is_refused_in_words(spec, text):
    is_refused_or_right(spec, text)
