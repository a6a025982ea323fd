"""What the best possible opponent does to a policy of cat and mouse."""

from __future__ import annotations

from typing import Any

import numpy as np

from tournaments import games
from tournaments.errors import TournamentError
from tournaments.games.cat_and_mouse.solver import best_response


def proof_of(policy: np.ndarray, seat: str, **board: Any) -> dict[str, Any] | None:
    """What the best possible opponent does to a table of cat and mouse, int8 ``[cells, cells]``.

    Plies to the capture, None: never, and a statement; nothing where the board, options of the
    game, is too large for it.
    """
    try:
        game = games.make("cat-and-mouse", **board)
    except TournamentError:  # the studies take larger boards than the game does
        return None
    proof = best_response(game, policy, seat)
    return {"plies": proof.plies, "statement": str(proof)}
