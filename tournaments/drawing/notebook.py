"""Positions, games and players as HTML for notebooks: static, so that no script must run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jinja2 import Environment

from tournaments.drawing.film import svg
from tournaments.drawing.scenes import draw_text
from tournaments.drawing.shapes import MARGIN, Film, Scene
from tournaments.errors import TournamentError

if TYPE_CHECKING:
    from tournaments.game import Game, State
    from tournaments.player import CompiledPlayer

CARD = Environment(autoescape=True).from_string(
    """<div style="font-family: sans-serif; max-width: 40em">
{% for line in lines %}<div>{{ line }}</div>
{% endfor %}{{ picture | safe }}</div>"""
)
"""Lines of text and a picture."""
PIXELS = 30
"""Size of a cell of a board in pixels."""


def html_of_state(state: State) -> str:
    """Return a position as HTML: who is to move or how the game ended, and the board."""
    game = state.game
    words = "over, scores " + " to ".join(map(str, state.scores))
    if not state.is_over:
        words = f"{game.seats[state.seat_to_move]} to move"
    return _card([f"{game.short_spec}: {words}"], state)


def html_of_game(game: Game) -> str:
    """Return a game as HTML: its name and summary, its seats, and the first position."""
    lines = [f"{game.short_spec}: {game.rules.summary}", f"seats: {', '.join(game.seats)}"]
    return _card(lines, game.start())


def html_of_player(player: CompiledPlayer) -> str:
    """Return a player as HTML: its name and kind, its game, and the seats that it plays."""
    seats = " and ".join(player.game.seats[seat] for seat in player.seats)
    line = f"{player.name}, a player of the kind {player.kind.name}"
    return _card([line, f"plays {player.game.short_spec} as {seats}"], None)


def _card(lines: Sequence[str], state: State | None) -> str:
    """Return lines and the picture of a position as HTML. Texts are escaped."""
    picture = ""
    if state is not None:
        try:
            drawing = (state.game.rules.draw or draw_text)([Scene(state, -1, -1, ())])
            width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
            picture = svg(Film(width, height, drawing.frames), PIXELS)
        except TournamentError as error:
            lines = [*lines, f"no picture: {error}"]
    return CARD.render(lines=lines, picture=picture)
