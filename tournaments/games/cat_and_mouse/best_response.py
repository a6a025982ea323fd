"""What the best possible opponent does to policy tables of cat and mouse, exactly.

Points are net ones: a game is won by 1 to 0, so that it is worth +1 or -1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from tournaments.errors import TournamentError
from tournaments.exact import Announce, Proof
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver
from tournaments.player import CompiledPlayer
from tournaments.players.table import TableEncoding


@dataclass(frozen=True)
class PursuitBestResponses:
    """Best responses to tables in one game; a :class:`tournaments.exact.BestResponses`.

    Attributes:
        game: what is computed.
        start: ``corners`` where the game that was asked for draws its starts: as a best response
            is one from a start, that game is computed from the corners.
    """

    game: Game
    start: str
    is_certain: ClassVar[bool] = True
    is_slow: ClassVar[bool] = False

    def proof(self, player: CompiledPlayer, announce: Announce) -> Proof:
        """See :meth:`tournaments.exact.BestResponses.proof`; it takes milliseconds."""
        encoding, genome = _table(player)
        responses = [
            solver.best_response(self.game, encoding.policy(genome, seat), self.game.seats[seat])
            for seat in player.seats
        ]
        perfect = solver.plies_from(self.game.start())
        wins = sum(response.winner == response.seat for response in responses)
        perfect_wins = player.seats.count(solver.winner_after(self.game, perfect))
        lost = 2.0 * (perfect_wins - wins) / len(responses)
        plies = math.nan if responses[0].plies is None else float(responses[0].plies)
        shown = "never" if perfect is None else perfect
        sentences = tuple(f"{response} (perfect play: {shown})" for response in responses)
        return Proof(len(responses), wins, lost, plies, sentences)


def best_responses(game: Game, threads: int) -> PursuitBestResponses:
    """Those of a game; one thread is enough.

    Raises:
        TournamentError: more than one cat or mouse, or corners on which nobody can start.
    """
    solver.check_solvable(game)
    if "any" not in (game.options["cat_start"], game.options["mouse_start"]):
        return PursuitBestResponses(game, "")
    corners = {"cat_start": "corner", "mouse_start": "corner"}
    try:
        return PursuitBestResponses(Game(game.rules, {**game.options, **corners}), "corners")
    except TournamentError as error:
        raise TournamentError(
            f"{game.short_spec} draws where it starts, and cannot be proved from the corners "
            f"instead: {error}"
        ) from None


def _table(player: CompiledPlayer) -> tuple[TableEncoding, Any]:
    """What a table player is made of."""
    encoding = (player.options or {}).get("representation")
    if not isinstance(encoding, TableEncoding):
        raise TournamentError(
            f"player {player.name!r} has no table, and best responses of cat-and-mouse are to "
            "tables"
        )
    return encoding, player.parameters.tables[player.row]
