"""What a team sees and hears of an enemy in a game, as a record for the tracker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evo.studies.tracking.pieces import Case, graph_of_maze
from tournaments import games, players
from tournaments.arena.match import play_game
from tournaments.game import Game
from tournaments.games.capture_the_flag.board import (
    HEARD,
    MOVER,
    PLACE,
    SENT,
    Options,
    make_maze,
)
from tournaments.games.capture_the_flag.maze import AGENTS
from tournaments.kernels.rng import seeds_of
from tournaments.player import CompiledPlayer, compiled
from tournaments.tracking.record import Observation, record_of

OPPONENTS = ("random", "hungry", "team")
"""Blue teams; their first agent is tracked."""
OWN, ENEMY = 0, 1
"""Red watches blue's first agent."""


def case_of_game(team: str, seed: int, number: int, plies: int) -> Case:
    """Blue's first agent in a game of red's ``team`` against another."""
    own = seeds_of(seed, "tracking in games", number, np.arange(1)).tolist()[0]
    game = games.make("capture-the-flag", maze=1 + number, moves=plies)
    maze = make_maze(Options(maze=1 + number))
    graph = graph_of_maze(maze)
    way, observations = [maze.starts[ENEMY]], []
    for state, _, _ in play_game(game, _at_speed("team", game), _at_speed(team, game), own):
        observations.append(observed(state.view(OWN).array))
        way.append(int(state.array[PLACE + ENEMY]))
    return Case(graph, np.array(way, dtype=np.int16), record_of(observations, graph))


def observed(seen: np.ndarray) -> Observation:
    """What red knows of the enemy after a move, by red's view."""
    agents = range(OWN, AGENTS, 2)
    return Observation(
        watchers=tuple(int(seen[PLACE + agent]) for agent in agents),
        noisy=tuple(int(seen[HEARD + 2 * agent + ENEMY // 2]) for agent in agents),
        seen=int(seen[PLACE + ENEMY]),
        moved=(int(seen[MOVER]) - 1) % AGENTS == ENEMY,
        home=bool(int(seen[SENT]) >> ENEMY & 1),
    )


def _at_speed(name: str, game: Game) -> CompiledPlayer:
    player = compiled(players.make(name, game))
    assert player is not None
    return replace(player, at_speed=True)
