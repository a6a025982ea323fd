"""``planner`` of the cat trap: value iteration with a finite horizon, for either seat.

After Chawla, Zertucheserna and Zhu, "Solving the cat trap game" (2021), algorithm 1. A position in
which the cat is to move is worth to it

    U(s) = max over its steps a of the mean over s' of R(s') + gamma U(s')

where s' is the board after the step and one of the tiles that the blocker may block, and R(s') is a
pseudo-reward: +100 for an escape, -100 where the cat is trapped, else a number of free tiles beside
the cat, distance to the rim, or both. Of the blocker's tiles the ``num_states`` count that leave
the cat with the least R, each as likely as the others; -1: all of them do.

Where the text is silent this is taken from it:

* P weighs R as well as U, so that a reward is that of a move, however many tiles count.
* ``max_depth`` rounds of step and block are looked at. After them the board stays as it is and the
  cat goes on alone (``beyond=board``), as it does at once with ``max_depth`` 0; or nothing counts
  any more (``beyond=nothing``). On a board that stays, utilities are repeated from 0 until the
  largest change is below epsilon (1 - gamma) / gamma; rounds make no circle and need no repetition.
* An escape ends a line, and so does a trap; ``ends=0`` gives both their pseudo-reward alone.
* Of tiles that leave the cat with equal R those with lower numbers count first.
* Let f be the free tiles beside the cat of 6, and d its steps to the rim on an empty board, of h in
  the middle. Reward 1 is f, reward 2 is 1 - d / h, reward 3 the mean of both, and reward 4 gives
  reward 2 the weight 1 - d / (h + 1) and the rest to reward 1. ``scale`` multiplies them.
* Steps whose worth differs by less than 1e-9 are equal, and drawn from.

``by=authors`` plans as the authors' program does, see :mod:`tournaments.games.cat_trap.rays`; then
``ends``, ``scale`` and ``beyond`` say nothing, and gamma was 0.85, epsilon 0.1.

A planning blocker blocks the tile after which R + gamma U, as the cat sees it, is least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.cat_trap.board import SIZE
from tournaments.games.cat_trap.planning import KIND, Settings
from tournaments.games.cat_trap.rays import ESCAPES, TRAPS
from tournaments.games.cat_trap.rules import WAYS
from tournaments.options import as_options, checked, option, spec_of
from tournaments.player import CompiledPlayer

BEYOND, SOURCES = ("nothing", "board"), ("text", "authors")
REWARDS = 4


@dataclass(frozen=True)
class Options:
    """Options of a planner.

    Attributes:
        max_depth: rounds of step and block; 0: the board as it is; -1, by=authors: one round alone
        num_states: blocks that count, the worst for the cat; -1: all
        reward: number of the pseudo-reward
        gamma: weight of a reward one round later
        epsilon: exactness of utilities
        ends: worth of an escape, 0: as its pseudo-reward
        scale: factor of pseudo-rewards
        beyond: worth of positions after the rounds
        by: source of rewards and utilities
        version: version of the authors' program; the versions treat ends differently
    """

    max_depth: int = option(0, low=-1, high=6)
    num_states: int = option(-1, low=-1, high=225)
    reward: int = option(REWARDS, low=1, high=REWARDS)
    gamma: float = option(0.9, low=0.0, high=0.999)
    epsilon: float = option(0.001, low=1e-9, high=1e3)
    ends: float = option(100.0, low=0.0, high=1e6)
    scale: float = option(1.0, low=1e-6, high=1e6)
    beyond: str = option("board", known=BEYOND)
    by: str = option("text", known=SOURCES)
    version: int = option(3, low=1, high=3)


def weights_of(reward: int, half: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a pseudo-reward of the planner of cat trap as weights by distance from the rim.

    Args:
        reward: the number of the pseudo-reward, from 1.
        half: the largest distance from the rim, h.

    Returns:
        The weight of a free tile beside the cat, and of the cat's place, float64 ``[h + 1]`` each.
    """
    distance = np.arange(half + 1)
    near = 1.0 - distance / half
    share = (0.0 * near, 1.0 + 0.0 * near, 0.5 + 0.0 * near, 1.0 - distance / (half + 1))[
        reward - 1
    ]
    return (1.0 - share) / WAYS, share * near


def settings_of(chosen: Options, free: np.ndarray, place: np.ndarray) -> Settings:
    """Return the settings of N planners of cat trap from the options of a user.

    Args:
        chosen: the options.
        free: the reward of a free tile beside the cat by distance from the rim, ``[N, h + 1]``.
        place: the reward of the cat's place by distance from the rim, ``[N, h + 1]``.
    """
    gamma = chosen.gamma
    change = chosen.epsilon * (1.0 - gamma) / gamma if gamma > 0.0 else chosen.epsilon
    rounds, ends = chosen.max_depth, (chosen.ends, -chosen.ends)
    is_theirs = chosen.by == "authors"
    if is_theirs:
        rounds = chosen.max_depth + 1 if chosen.max_depth > 0 else abs(chosen.max_depth)
        ends = ESCAPES[chosen.version - 1], TRAPS[chosen.version - 1]
    return Settings(
        np.array([rounds]),
        np.array([chosen.num_states]),
        np.array([0 if is_theirs else BEYOND.index(chosen.beyond)]),
        np.array([gamma, change, *ends]),
        np.ascontiguousarray(free, dtype=np.float64),
        np.ascontiguousarray(place, dtype=np.float64),
        np.array([chosen.version if is_theirs else 0, chosen.reward]),
    )


def player(game: Game, **given: int | float | str) -> CompiledPlayer:
    """Return a planner of cat trap for either seat; ``given`` are fields of :class:`Options`.

    Raises:
        TournamentError: an option that does not exist or is out of range.
    """
    chosen = checked(Options, "planner: ", given)
    if chosen.num_states == 0:
        raise TournamentError("planner: num_states=0 given; -1 for all, or 1 or more is expected")
    if chosen.max_depth < 0 and chosen.by == "text":
        raise TournamentError("planner: max_depth=-1 given; 0 or more is expected, or by=authors")
    free, place = weights_of(chosen.reward, int(game.board[SIZE]) // 2)
    settings = settings_of(chosen, chosen.scale * free[None], chosen.scale * place[None])
    name = spec_of("planner", chosen)
    return CompiledPlayer(name, KIND, game, settings, maker=player, options=as_options(chosen))
