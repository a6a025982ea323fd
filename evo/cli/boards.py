"""Positions in the terminal: emoji where the game has them and the terminal can, else text."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tournaments.game import State


def is_terminal() -> bool:
    """Whether what is printed is seen by somebody, on a terminal that can go back."""
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def shows_emoji() -> bool:
    """Whether the output is a terminal that takes UTF-8."""
    return is_terminal() and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def picture(state: State, with_emoji: bool) -> str:
    """A position, as emoji where these are wanted and the game has them."""
    rules = state.game.rules
    if with_emoji and rules.emoji is not None:
        return rules.emoji(state.game.board, state.array)
    return board_text(state)


def board_text(state: State) -> str:
    """The text board, without the placements that a parser needs and nobody reads."""
    return str(state).partition("\nseen:")[0]
