"""Positions in the terminal: emoji if the game and the terminal support them, else text."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from tournaments.game import Game, State


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether a stream, by default the output, is a terminal that takes control sequences."""
    return (stream or sys.stdout).isatty() and os.environ.get("TERM", "dumb") != "dumb"


def shows_emoji() -> bool:
    """Whether the output is a terminal that takes UTF-8."""
    return is_terminal() and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def picture(state: State, with_emoji: bool) -> str:
    """Return a position as text, or as emoji if they are wanted and the game has them."""
    rules = state.game.rules
    if with_emoji and rules.emoji is not None:
        return rules.emoji(state.game.board, state.array)
    return board_text(state)


def with_rulers(picture: str, game: Game) -> str:
    """Add the labels of rows and columns to a board's picture, if the game has such labels."""
    if game.rules.rulers is None:
        return picture
    top, left = game.rules.rulers(game.board)
    margin = _margin(left)
    lines = picture.split("\n")
    ruled = [f"{label:<{margin}}{line}" for label, line in zip(left, lines, strict=False)]
    return "\n".join(line.rstrip() for line in [" " * margin + top, *ruled, *lines[len(left) :]])


def without_rulers(text: str, game: Game) -> str:
    """Remove the labels of rows and columns from a board as text, if it has any."""
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
    """Return the width of the row labels of a board. It is 0 if the labels are empty."""
    longest = max(map(len, left))
    return longest + 2 if longest else 0


def board_text(state: State) -> str:
    """Return a position as a text board, without the placements that only its parser needs."""
    return str(state).partition("\nseen:")[0]
