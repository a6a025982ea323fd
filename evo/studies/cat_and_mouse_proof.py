"""Proofs of the best response to a policy of cat and mouse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tournaments import games
from tournaments.errors import TournamentError
from tournaments.games.cat_and_mouse.solver import best_response


def proof_of(policy: np.ndarray, seat: str, **board: Any) -> dict[str, Any] | None:
    """Prove the best response to a table of cat and mouse, ``[cells, cells]``.

    Args:
        policy: int8 ``[cells, cells]``.
        seat: the player of the table.
        board: options of the game.

    Returns:
        ``plies`` to the capture (None: never) and a ``statement``; None where the board is too
        large for the game.
    """
    try:
        game = games.make("cat-and-mouse", **board)
    except TournamentError:  # the studies take larger boards than the game does
        return None
    proof = best_response(game, policy, seat)
    return {"plies": proof.plies, "statement": str(proof)}


def proof_lines(proofs: Mapping[str, Mapping[str, Any] | None]) -> list[str]:
    """Return a line of text for each proof about a table of cat and mouse.

    ``proofs`` are the proofs by name; None: not computed.
    """
    none = "not computed: so many cells are too many for the game"
    return [f"{name:<5}  {proof['statement'] if proof else none}" for name, proof in proofs.items()]
