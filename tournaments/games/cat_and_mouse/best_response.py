"""What the best possible opponent does to policy tables of cat and mouse, exactly.

Points are net ones: a game is won by 1 to 0, so that it is worth +1 or -1.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver
from tournaments.player import CompiledPlayer
from tournaments.players.table.encoding import TableEncoding
from tournaments.solver.exact import Announce, BestResponses, Proof


def best_responses(game: Game, threads: int) -> BestResponses:
    """Return the best responses to tables in one game; one thread is enough.

    A best response is one from a start. The best responses in a game that draws its starts are
    therefore those in the same game from the corners.

    Raises:
        TournamentError: more than one cat or mouse, or corners on which nobody can start.
    """
    solver.check_solvable(game)
    if "any" not in (game.options["cat_start"], game.options["mouse_start"]):
        return BestResponses(partial(_proof, game), is_certain=True)
    corners = {"cat_start": "corner", "mouse_start": "corner"}
    try:
        from_corners = Game(game.rules, {**game.options, **corners})
    except TournamentError as error:
        raise TournamentError(
            f"{game.short_spec} draws where it starts, and cannot be proved from the corners "
            f"instead: {error}"
        ) from None
    return BestResponses(partial(_proof, from_corners), "corners", is_certain=True)


def _proof(game: Game, player: CompiledPlayer, announce: Announce) -> Proof:
    """Return the proof about a table; it takes milliseconds."""
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
    """What a table player is made of."""
    options = player.options or {}
    if "encoding" not in options:
        raise TournamentError(
            f"player {player.name!r} has no table, and best responses of cat-and-mouse are to "
            "tables"
        )
    return options["encoding"], options["genome"]
