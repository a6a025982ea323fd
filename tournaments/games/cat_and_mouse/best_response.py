"""Exact best responses to policy tables of cat and mouse.

Points are net points: a game is won by 1 to 0, and is worth +1 or -1.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver
from tournaments.player import CompiledPlayer
from tournaments.players.table import TableEncoding
from tournaments.solver.exact import Announce, BestResponses, Proof


def best_responses(game: Game, threads: int) -> BestResponses:
    """Return the best responses to policy tables in one game of cat and mouse.

    One thread is always used. A best response belongs to a start. For a game that draws its starts,
    the best responses are computed for the same game from the corners.

    Raises:
        TournamentError: more than one cat or mouse, or corners on which no piece can start.
    """
    solver.check_solvable(game)
    if "any" not in (game.options["cat_start"], game.options["mouse_start"]):
        return BestResponses(partial(_proof, game), is_certain=True)
    corners = {"cat_start": "corner", "mouse_start": "corner"}
    try:
        from_corners = Game(game.rules, {**game.options, **corners})
    except TournamentError as error:
        raise TournamentError(
            f"{game.short_spec} draws its start, and best responses cannot be computed from the "
            f"corners instead: {error}"
        ) from None
    return BestResponses(partial(_proof, from_corners), "corners", is_certain=True)


def _proof(game: Game, player: CompiledPlayer, announce: Announce) -> Proof:
    """Compute the best responses to a policy table of cat and mouse, for each of its seats."""
    encoding, genome = _table(player)
    responses = [
        solver.best_response(game, encoding.policy(genome, seat), game.seats[seat])
        for seat in player.seats
    ]
    perfect = solver.plies_from(game.start())
    wins = sum(response.winner == response.seat for response in responses)
    perfect_wins = player.seats.count(solver.winner_after(game, perfect))
    lost = 2.0 * (perfect_wins - wins) / len(responses)
    plies = math.nan if responses[0].plies is None else float(responses[0].plies)
    shown = "never" if perfect is None else perfect
    sentences = tuple(f"{response} (perfect play: {shown})" for response in responses)
    return Proof(len(responses), wins, lost, plies, sentences)


def _table(player: CompiledPlayer) -> tuple[TableEncoding, Any]:
    """Return the encoding and the genes of a player of cat and mouse that follows a table."""
    encoding = (player.options or {}).get("representation")
    if not isinstance(encoding, TableEncoding):
        raise TournamentError(
            f"player {player.name!r} follows no table; best responses of cat-and-mouse are "
            "computed against tables: give a position-table or a window-table"
        )
    return encoding, player.parameters.tables[player.row]
