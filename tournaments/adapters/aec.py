"""A game as a PettingZoo environment in which one agent acts at a time (AEC).

Each seat is an agent. The observation is the seat's view of the state, int16 numbers in the layout
of the rules, or the inputs of the game's networks, int8 numbers, and a mask of the legal actions.
The reward at the end of the game is +1, 0 or -1. See Terry et al., "PettingZoo: Gym for Multi-Agent
Reinforcement Learning", NeurIPS 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game, State
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.rng import opening_seed
from tournaments.options import seed_of
from tournaments.players.network import layers_for

LIMITS = np.iinfo(np.int16)
OBSERVATIONS = ("state", "inputs")
BEGIN = "no game is being played; call reset() first"


class GameEnvironment(AECEnv):
    """A game as an environment, made by :func:`tournaments.adapters.to_pettingzoo`.

    ``reset(seed)`` begins like the first game of the match with this seed. Without a seed, it uses
    the previous seed plus 1, or 0 at first. The same seed and actions give the same game.
    """

    def __init__(
        self, game: Game, render_mode: str | None = None, observations: str = "state"
    ) -> None:
        super().__init__()
        if observations not in OBSERVATIONS:
            raise unknown("kind of observations", observations, OBSERVATIONS)
        if render_mode not in (None, "ansi"):
            raise TournamentError(f"render_mode={render_mode!r} given; 'ansi' or None is expected")
        self.game = game
        self._inputs = layers_for(game)[0] if observations == "inputs" else 0
        self.render_mode = render_mode
        self.metadata = {"name": game.spec, "render_modes": ["ansi"], "is_parallelizable": False}
        self.possible_agents = list(game.seats)
        self.agents: list[str] = []
        self.observation_spaces = {agent: self._shown_space() for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(game.num_actions) for agent in self.possible_agents}
        self._seed = -1

    def _shown_space(self) -> Dict:
        bounds: Any = LIMITS.min, LIMITS.max, (self.game.state_size,), np.int16
        if self._inputs:
            bounds = -MOST_SHOWN, MOST_SHOWN, (self._inputs,), np.int8
        return Dict(
            {
                "observation": Box(*bounds),
                "action_mask": Box(0, 1, (self.game.num_actions,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> Dict:
        """Return the observation space of a seat."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the action space of a seat."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. ``options`` are ignored."""
        self._seed = self._seed + 1 if seed is None else seed_of(seed)
        self.state_of_game: State = self.game.start(opening_seed(self._seed, 0))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._plies = 0
        self.agent_selection = self._mover()

    def _mover(self) -> str:
        return self.possible_agents[max(0, self.state_of_game.seat_to_move)]

    def step(self, action: int | None) -> None:
        """Play an action of the seat to move.

        Raises:
            IllegalAction: the mask excludes the action. The game is unchanged.
            TournamentError: no game has begun, or all agents have left it.
        """
        if not self.agents:
            raise TournamentError(BEGIN)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.state_of_game.play(action)  # type: ignore[arg-type]  # None is illegal
        self._plies += 1
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.agent_selection = self._mover()
        if self.state_of_game.is_over:
            gained = self.state_of_game.returns()
            self.rewards = dict(zip(self.possible_agents, gained, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(agent)]
        elif self._plies >= self.game.most_plies:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return the observation of a seat. The mask is zero if another seat is to move.

        Raises:
            TournamentError: no game has begun.
        """
        if not hasattr(self, "state_of_game"):
            raise TournamentError(BEGIN)
        seat, state = self.possible_agents.index(agent), self.state_of_game
        mask = np.zeros(self.game.num_actions, dtype=np.int8)
        if state.seat_to_move == seat and not self.truncations.get(agent, False):
            mask[state.legal_actions()] = 1
        seen = state.view(seat).array
        if self._inputs:
            assert self.game.rules.network is not None
            inputs = np.zeros(self._inputs)
            self.game.rules.network.encode(self.game.board, seen, inputs)
            seen = inputs.astype(np.int8)
        return {"observation": seen, "action_mask": mask}

    def render(self) -> str | None:
        """Return the text board in the mode ``ansi``, else None."""
        return str(self.state_of_game) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing. PettingZoo requires the method in environments with :meth:`render`."""
