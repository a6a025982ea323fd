"""Matches of two players, by the seeds of a study."""

from __future__ import annotations

import numpy as np

from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.game import Game
from tournaments.player import Player


def play_two(
    game: Game, players: tuple[Player, Player], seeds: np.ndarray, games_a_match: int
) -> np.ndarray:
    """Play a match for each seed, and return the scores, float64 ``[matches, games, players]``.

    The first player has the first seat in the first game of a match, and the seats are swapped
    after each game.
    """
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (len(seeds), 1))
    scores = play_pairs(Entrants(game, players), pairs, seeds, games_a_match).astype(np.float64)
    scores[:, 1::2] = scores[:, 1::2, ::-1]
    return scores


def share_won(scores: np.ndarray) -> float:
    """Return the share of games of :func:`play_two` that the first player wins, draws half."""
    return float((1 + np.sign(scores[..., 0] - scores[..., 1])).mean() / 2)
