"""``mcts``, for every game: Monte Carlo tree search by upper confidence bounds (UCT).

Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006. Each playout descends the
tree by the action with the largest mean + c sqrt(ln N / n), where N counts the visits of the
position and n the visits of the action. Untried actions come first. The playout adds one position
and continues at random to the end of the game. A win counts 1, a draw 1/2. The most visited action
is played; ties are broken at random. The tree is rebuilt for each move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.arithmetic import log
from tournaments.kernels.choices import one_of_best
from tournaments.kernels.hooks import legal, play
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import CompiledPlayer, Kind, can_look_ahead
from tournaments.rules import PlayerOffer, nobody

MOST_PLAYOUTS = 100_000
MOST_NODES = 20_000_000
EXPLORATION = 1.4142135623730951


class Memory(NamedTuple):
    """The search tree, one node per position, and working memory.

    The children of a node are adjacent: ``width`` nodes from index ``first`` on.

    Attributes:
        first: int32 ``[nodes]``, index of the first child; 0 if the node has not been expanded.
        width, visits: int32 ``[nodes]``, number of children and of visits.
        gains: float64 ``[nodes]``, sum of seat 0's results of the playouts through the node.
        action: int16 ``[nodes]``, the action that leads to the node.
        path: int32, the nodes from the root to the current node of the playout.
        state, actions, worth: state array, legal actions, and value of each action.
    """

    first: np.ndarray
    width: np.ndarray
    visits: np.ndarray
    gains: np.ndarray
    action: np.ndarray
    path: np.ndarray
    state: np.ndarray
    actions: np.ndarray
    worth: np.ndarray


class Settings(NamedTuple):
    """Settings of the search: number of playouts per move, int64 [1], and c, float64 [1]."""

    playouts: np.ndarray
    exploration: np.ndarray


@kernel
def grow(board, memory, node, filled):
    """Add the children of a node, one per legal action, to the tree of a Monte Carlo tree search.

    Returns:
        The number of nodes of the tree after that.
    """
    count = legal(board, memory.state, memory.actions)
    memory.first[node] = filled
    memory.width[node] = count
    for place in range(count):
        memory.first[filled] = 0
        memory.visits[filled] = 0
        memory.gains[filled] = 0.0
        memory.action[filled] = memory.actions[place]
        filled += 1
    return filled


@kernel
def most_promising(memory, node, seat, exploration, stream):
    """Return the child of a node that a Monte Carlo tree search tries next.

    It is a random untried child, or the child with the highest upper confidence bound.
    """
    first = memory.first[node]
    untried = 0
    for place in range(memory.width[node]):
        untried += memory.visits[first + place] == 0
    if untried > 0:
        left = below(stream, untried)
        for place in range(memory.width[node]):
            if memory.visits[first + place] == 0:
                if left == 0:
                    return first + place
                left -= 1
    best = -1.0
    chosen = first
    tried = log(np.float64(memory.visits[node]))
    for place in range(memory.width[node]):
        visits = np.float64(memory.visits[first + place])
        mean = memory.gains[first + place] / visits
        bound = (mean if seat == 0 else 1.0 - mean) + exploration * np.sqrt(tried / visits)
        if bound > best:
            best = bound
            chosen = first + place
    return chosen


@kernel
def play_out(board, memory, stream):
    """Play random actions from ``memory.state`` to the end of the game.

    Returns:
        The result of seat 0: 1 for a win, 1/2 for a draw, 0 for a loss.
    """
    state = memory.state
    while state[0] >= 0:
        play(board, state, memory.actions[below(stream, legal(board, state, memory.actions))])
    return 1.0 if state[1] > state[2] else 0.0 if state[1] < state[2] else 0.5


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Return one of the actions that a Monte Carlo tree search has visited most."""
    memory.first[0] = 0
    memory.visits[0] = 0
    filled = np.int64(1)
    for _ in range(parameters.playouts[0]):
        for place in range(state.size):
            memory.state[place] = state[place]
        node = np.int64(0)
        depth = 0
        memory.path[0] = 0
        while memory.state[0] >= 0 and (memory.visits[node] > 0 or node == 0):
            if memory.first[node] == 0:
                filled = grow(board, memory, node, filled)
            seat = memory.state[0]
            node = most_promising(memory, node, seat, parameters.exploration[0], stream)
            play(board, memory.state, memory.action[node])
            depth += 1
            memory.path[depth] = node
        gain = play_out(board, memory, stream)
        for level in range(depth + 1):
            memory.visits[memory.path[level]] += 1
            memory.gains[memory.path[level]] += gain
    best = np.int64(0)
    count = memory.width[0]
    for place in range(count):
        memory.actions[place] = memory.action[memory.first[0] + place]
        memory.worth[place] = memory.visits[memory.first[0] + place]
        best = max(best, memory.worth[place])
    return one_of_best(memory.actions, memory.worth, count, best, stream)


def memory(game: Game, parameters: Settings) -> Memory:
    """Allocate the memory of a Monte Carlo tree search for one side of a game."""
    playouts = int(parameters.playouts[0])
    nodes = 1 + (playouts + 1) * game.num_actions
    first, width, visits = (np.zeros(nodes, dtype=np.int32) for _ in range(3))
    actions = np.zeros(game.num_actions, dtype=np.int16)
    return Memory(
        *(first, width, visits, np.zeros(nodes), np.zeros(nodes, dtype=np.int16)),
        path=np.zeros(playouts + 2, dtype=np.int32),
        state=np.zeros(game.state_size, dtype=np.int16),
        actions=actions,
        worth=np.zeros(game.num_actions, dtype=np.int64),
    )


KIND = Kind("mcts", choose, memory=memory)


def player(game: Game, *, playouts: int = 200, exploration: float = EXPLORATION) -> CompiledPlayer:
    """Return a player that runs ``playouts`` playouts of a tree search before each move.

    Raises:
        TournamentError: the number of playouts is out of range, or the exploration is negative.
    """
    most = min(MOST_PLAYOUTS, MOST_NODES // game.num_actions)
    if not isinstance(playouts, int) or not 1 <= playouts <= most:
        raise TournamentError(
            f"mcts: playouts={playouts!r} given; 1 to {most:,} are expected on {game.short_spec}"
        )
    if not 0 <= exploration < np.inf:
        raise TournamentError(f"mcts: exploration={exploration!r} given; 0 or more is expected")
    settings = Settings(np.array([playouts]), np.array([exploration], dtype=np.float64))
    chosen = {"playouts": playouts, "exploration": exploration}
    more = f",exploration={exploration:g}" if exploration != EXPLORATION else ""
    name = f"mcts:playouts={playouts}{more}"
    return CompiledPlayer(name, KIND, game, settings, maker=player, options=chosen)


PLAYER = PlayerOffer(
    "Monte Carlo tree search (UCT); playouts=200", player, can_look_ahead, samples=nobody
)
