"""An environment of PettingZoo's that a user wrote: whoever takes the last stick of a heap wins."""

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from tournaments.adapters import environment_rules

STICKS, MOST = 11, 3


class Heap(AECEnv):
    def __init__(self):
        super().__init__()
        self.possible_agents = ["first", "second"]

    def observation_space(self, agent):
        observation = Box(0, 1, (2,), np.float32)
        return Dict({"observation": observation, "action_mask": Box(0, 1, (MOST,), np.int8)})

    def action_space(self, agent):
        return Discrete(MOST)

    def reset(self, seed=None, options=None):
        self.sticks = int(np.random.default_rng(seed).integers(STICKS // 2, STICKS + 1))
        self.agents = list(self.possible_agents)
        self.agent_selection = "first"
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent):
        mask = (np.arange(1, MOST + 1) <= self.sticks).astype(np.int8)
        shown = np.array([self.sticks / STICKS, self.sticks % (MOST + 1)], np.float32)
        return {"observation": shown, "action_mask": mask}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        other = self.possible_agents[1 - self.possible_agents.index(agent)]
        self.sticks -= int(action) + 1
        self._cumulative_rewards[agent] = 0
        self.rewards = {agent: 0.25, other: 0}  # a little for each move
        if self.sticks == 0:
            self.rewards = {agent: 1, other: -1}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other
        self._accumulate_rewards()


RULES = environment_rules(Heap)
