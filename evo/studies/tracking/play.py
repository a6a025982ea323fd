"""What a team sees and hears of an enemy in a game, as a record for the tracker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evo.studies.tracking.pieces import Case
from tournaments import games, players
from tournaments.arena.match import play_game
from tournaments.game import Game
from tournaments.games.capture_the_flag.observed import cell_of_agent, graph_of_board, observation
from tournaments.games.capture_the_flag.tracking.record import record_of
from tournaments.kernels.rng import seeds_of
from tournaments.player import CompiledPlayer, compiled

OPPONENTS = ("random", "hungry", "team")
"""Blue teams; their first agent is tracked."""
OWN, ENEMY = 0, 1
"""Red watches blue's first agent."""


def case_of_game(team: str, seed: int, number: int, plies: int) -> Case:
    """Blue's first agent in a game of red's ``team`` against another."""
    own = seeds_of(seed, "tracking in games", number, np.arange(1)).tolist()[0]
    game = games.make("capture-the-flag", maze=1 + number, moves=plies)
    graph = graph_of_board(game.board)
    way, observations = [cell_of_agent(game.start(), ENEMY)], []
    for state, _, _ in play_game(game, _at_speed("team", game), _at_speed(team, game), own):
        observations.append(observation(state, OWN, ENEMY))
        way.append(cell_of_agent(state, ENEMY))
    return Case(graph, np.array(way, dtype=np.int16), record_of(observations, graph))


def _at_speed(name: str, game: Game) -> CompiledPlayer:
    player = compiled(players.make(name, game))
    assert player is not None
    return replace(player, at_speed=True)
