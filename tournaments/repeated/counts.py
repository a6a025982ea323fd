"""Counts of earlier opponents' moves, by the moves before, as a prior for the next game.

A file of counts is JSON: ``{"version": 1, "game": "karate", "moves": [...], "games": 3, "counts":
[[...], ...]}``, for each order k from 0 to 4 the counts of each run of k moves and each move after
it. A run is a base-A number, and its last move is the lowest digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tournaments.arena.match import play_game
from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.named_files import read_named_json
from tournaments.player import Player
from tournaments.repeated.markov import MOST_ORDER, cells
from tournaments.repeated.rules import FIRST, NONE
from tournaments.repeated.scripted import stage_of

VERSION = 1


def count_moves(moves: Sequence[int], actions: int) -> np.ndarray:
    """Return how often each move of a player followed each run of its last moves, int64 ``[C]``.

    Args:
        moves: the player's moves in one repeated game.
        actions: the number of possible moves.
    """
    counts = np.zeros(cells(actions), dtype=np.int64)
    by_order = split_by_order(counts, actions)
    for place, move in enumerate(moves):
        run = 0
        for order in range(min(MOST_ORDER, place) + 1):
            if order:
                run += moves[place - order] * actions ** (order - 1)
            by_order[order][run, move] += 1
    return counts


def split_by_order(counts: np.ndarray, actions: int) -> list[np.ndarray]:
    """Return the counts of moves after runs of k moves, for each k, as views ``[runs, A]``.

    ``actions`` is the number of possible moves, A.
    """
    ends = np.cumsum([actions ** (order + 1) for order in range(MOST_ORDER)])
    return [part.reshape(-1, actions) for part in np.split(counts, ends)]


def moves_against(game: Game, player: Player, other: Player, seed: int) -> list[int]:
    """Return the moves that a player carries out in the first seat of a repeated game.

    ``other`` is in the second seat; ``seed`` is that of the match.
    """
    moves = []
    for state, seat, _ in play_game(game, player, other, seed):
        if seat == 1 and state.array[FIRST] != NONE:
            moves.append(int(state.array[FIRST]))
    return moves


def written(game: Game, games: Iterable[Sequence[int]]) -> dict[str, Any]:
    """Return the content of a file of counts of players' moves in games of a repeated game.

    Args:
        game: the game.
        games: the moves of one player in each game.
    """
    counted = [count_moves(moves, game.num_actions) for moves in games]
    total = sum(counted, np.zeros(cells(game.num_actions), dtype=np.int64))
    return {
        "version": VERSION,
        "game": game.name,
        "moves": list(stage_of(game).moves),
        "games": len(counted),
        "counts": [part.ravel().tolist() for part in split_by_order(total, game.num_actions)],
    }


def learnt_prior(game: Game, file: str | Path) -> np.ndarray:
    """Return the prior for the moves of an opponent that a file of counts gives, float64 ``[C]``.

    Its mean is 1 after each run of moves. The shares are those of the counts of the run, plus one
    observation of what a shorter run says. So a run that was never seen is as the shorter one.

    Raises:
        TournamentError: the file holds no counts of this game.
    """
    actions = game.num_actions
    prior, shares = [], np.full((1, actions), 1.0 / actions)
    for counts in split_by_order(_read(game, file), actions):
        # The oldest move of a run weighs most, so a longer run has the shorter one as remainder.
        expected = np.resize(shares, counts.shape)
        shares = (counts + expected) / (counts.sum(axis=1)[:, None] + 1.0)
        prior.append((actions * shares).ravel())
    return np.concatenate(prior)


def _read(game: Game, file: str | Path) -> np.ndarray:
    command = f"evo evaluate {game.name} --counts"
    expected = f"a file of counts of {game.name}, as {command} writes it, is expected"
    try:
        content = read_named_json(str(file))
        version, name, parts = content["version"], content["game"], content["counts"]
        flat = [number for part in parts for number in part]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TournamentError(
            f"{file} given ({error or type(error).__name__}); {expected}"
        ) from None
    is_whole = all(type(number) is int and 0 <= number < 2**53 for number in flat)
    moves = list(stage_of(game).moves)
    is_of_game = (version, name, content.get("moves")) == (VERSION, game.name, moves)
    if not is_of_game or not is_whole or len(flat) != cells(game.num_actions):
        raise TournamentError(f"{file} given, which holds none; {expected}")
    return np.array(flat, dtype=np.int64)
