"""Tables of exact values of all positions of a game, by backward induction, cached on disk.

The file name in the cache folder contains the game, its options, and a digest of the solver and the
board. The file has a checksum. A table that is missing, truncated, altered or made by an older
solver is computed again.
"""

from __future__ import annotations

import hashlib
import re
import threading
from functools import lru_cache

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.kernels.cache import cache_folder, load, store
from tournaments.kernels.linker import build, link
from tournaments.rules import SolverRules


def can_solve(game: Game) -> bool:
    """Return whether the game's own solver has a table of exact values at this size."""
    try:
        num_positions(game)
    except TournamentError:
        return False
    return True


def num_positions(game: Game) -> int:
    """Return the number of positions in the game's table of exact values.

    Raises:
        TournamentError: the game cannot be solved here, or not at this size.
    """
    return _solver(game).num_positions(game.board)


def _solver(game: Game) -> SolverRules:
    if game.rules.solver is None:
        raise TournamentError(
            f"{game.name} offers no exact solution, so there is no perfect play to compare with"
        )
    return game.rules.solver


def values(game: Game) -> np.ndarray:
    """Return the exact value of each position of a game for the seat to move, int8 [positions].

    The first call takes about two seconds for 3x3 boxes.

    Raises:
        TournamentError: the game cannot be solved here; dots and boxes can up to 24 edges.
    """
    num_positions(game)
    with _lock:  # threads that ask at once wait for one answer
        return _values(game)


_lock = threading.Lock()


@lru_cache(maxsize=4)
def _values(game: Game) -> np.ndarray:
    rules = _solver(game)
    kernels = link(rules.solve, {}).text + link(rules.position, {}).text
    solver = hashlib.sha256(kernels.encode() + game.board.tobytes()).hexdigest()[:12]
    name = re.sub(r"[^\w.-]", "-", game.spec.replace("=", ""))[-100:]
    path = cache_folder() / "solved" / f"{name}-{solver}.values"
    content = load(path)
    if content is None or len(content) != num_positions(game):
        table = np.zeros(num_positions(game), dtype=np.int8)
        build(rules.solve)(game.board, table, np.zeros(game.board.size, dtype=np.int64))
        content = table.tobytes()
        store(path, content)
    return np.frombuffer(content, dtype=np.int8)


def position_value(state: State) -> int:
    """Return the net gain of the seat to move from this state on, under perfect play of both."""
    if state.is_over:
        return 0
    game = state.game
    return int(values(game)[_solver(game).position(game.board, state.array)])
