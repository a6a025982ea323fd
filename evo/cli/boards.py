"""Positions in the terminal: emoji where the game has them and the terminal can, else text."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tournaments.game import Game, State


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


def with_rulers(picture: str, game: Game) -> str:
    """A picture with what its rows and columns are called, where people name actions by these."""
    if game.rules.rulers is None:
        return picture
    top, left = game.rules.rulers(game.board)
    margin = _margin(left)
    lines = picture.split("\n")
    ruled = [f"{label:<{margin}}{line}" for label, line in zip(left, lines, strict=False)]
    return "\n".join(line.rstrip() for line in [" " * margin + top, *ruled, *lines[len(left) :]])


def without_rulers(text: str, game: Game) -> str:
    """A text board that may have been copied with its rulers, without them."""
    lines = text.split("\n")
    if game.rules.rulers is None:
        return text
    top, left = game.rules.rulers(game.board)
    if lines[0].split() != top.split():
        return text
    margin = _margin(left)
    return "\n".join(
        [*(line[margin:] for line in lines[1 : len(left) + 1]), *lines[len(left) + 1 :]]
    )


def _margin(left: list[str]) -> int:
    """Columns of the terminal that the labels of rows take; none where they are empty."""
    longest = max(map(len, left))
    return longest + 2 if longest else 0


def board_text(state: State) -> str:
    """The text board, without the placements that a parser needs and nobody reads."""
    return str(state).partition("\nseen:")[0]
