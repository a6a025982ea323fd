"""Each mistake of an author's is one line that names the law, the hook and the position."""

from __future__ import annotations

import os
import re

import pytest
from games_with_mistakes import COMPILED, MISTAKES, game_of

from tournaments.contract import ContractError, check_game
from tournaments.errors import TournamentError


@pytest.mark.parametrize(
    "name", [*MISTAKES, *(pytest.param(name, marks=pytest.mark.slow) for name in COMPILED)]
)
def test_a_mistake_is_a_line_with_the_law_the_hook_and_the_position(name):
    mistake = (MISTAKES | COMPILED)[name]
    seconds = 0.5 if "must return" in mistake.law or "not return" in mistake.law else 60.0
    with pytest.raises((ContractError, TournamentError)) as caught:
        check_game(game_of(mistake), games=3, seconds=seconds)
    first, *board = str(caught.value).split("\n")
    assert "row-of-squares" in first
    assert re.search(rf"\b{mistake.hook}\b", first)
    assert re.search(mistake.law, first)
    assert bool(board) == mistake.has_position
    assert not board or "at ply" in first or "seat" in first or mistake.hook == "start"


def test_an_interruption_ends_the_process_of_the_check(monkeypatch):
    begun, fork = [], os.fork
    monkeypatch.setattr(os, "fork", lambda: begun.append(fork()) or begun[-1])

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_game(game_of(MISTAKES["play for ever"]), report=interrupt)
    with pytest.raises(ProcessLookupError):
        os.kill(begun[0], 0)
