"""Environments of PettingZoo as contests: agents are seats, total rewards are scores.

Both kinds of environments are supported: agents that act in turn (AEC) and agents that act at the
same time (parallel). An environment is used by its methods alone, so this module does not import
PettingZoo. See Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning", NeurIPS
2021.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from tournaments.arena.clock import Turns
from tournaments.arena.match import answer_of
from tournaments.errors import Disqualified, PlayerFault, TournamentError, shown
from tournaments.guard import Hook, Plugin, call_hook
from tournaments.kernels.rng import generator

MOST_AGENTS = 8
"""Maximum number of agents."""
KEPT = 16
"""Number of simulators whose environments are kept for the next game."""
EXPECTED = "a function (observation, legal, rng) -> action"
MAKE = Hook("cannot be made: it")


@dataclass(frozen=True)
class EnvironmentSimulator:
    """A simulator that plays a game of a PettingZoo environment.

    It is pickled with the function that makes the environment, never with an environment.

    Attributes:
        make: the function without arguments that makes the environment.
        agents: the agent of each seat.
    """

    make: Callable[[], Any]
    agents: tuple[Any, ...]

    def __call__(self, players: list[Any], seed: int) -> list[float]:
        """Play a game and return the sum of the rewards of each agent.

        An environment plays one game at a time. It is kept for the next game, unless this one is
        not finished.

        Raises:
            Disqualified: a player is no function, raises an exception or chooses an illegal action.
            TournamentError: the agents of the game are not those of the contest.
        """
        seated = {
            agent: _SeatedPlayer(agent, seat, player, generator(seed, "environment", 0, seat))
            for seat, (agent, player) in enumerate(zip(self.agents, players, strict=True))
        }
        idle = idle_environments(self)
        try:
            environment = idle.pop()  # one operation: threads share the list
        except IndexError:
            environment = made(self.make)
        play = _play_in_turn if hasattr(environment, "agent_iter") else _play_parallel
        totals = play(environment, seated, seed)
        idle.append(environment)
        return [totals[agent] for agent in self.agents]


@lru_cache(maxsize=KEPT)
def idle_environments(simulator: EnvironmentSimulator) -> list[Any]:
    """Return the environments of a simulator that play no game at present, in this process."""
    return []


def made(make: Callable[[], Any]) -> Any:
    """Call a user's function and return the environment that it makes.

    Raises:
        TournamentError: the function raises an exception.
    """
    name = getattr(make, "__name__", type(make).__name__)
    try:
        return call_hook(Plugin("environment", name), MAKE, make)
    except TournamentError as error:
        if not isinstance(error.__cause__, ImportError):
            raise
        raise TournamentError(
            f"environment {name!r}: a package cannot be imported ({error.__cause__}); install it, "
            "or PettingZoo by pip install 'evo-tournaments[peers]'"
        ) from None


def agents_of(environment: Any) -> tuple[Any, ...]:
    """Return the agents of an environment.

    Raises:
        TournamentError: the object is no environment, or it has fewer than two agents or too many.
    """
    agents = getattr(environment, "possible_agents", None)
    if agents is None:
        raise TournamentError(
            f"{shown(environment)} was made; a PettingZoo environment with possible_agents is "
            "expected"
        )
    if not 2 <= len(agents) <= MOST_AGENTS:
        raise TournamentError(
            f"environment with {len(agents)} agents given; 2 to {MOST_AGENTS} agents are expected"
        )
    return tuple(agents)


def _start(environment: Any, seated: Mapping[Any, _SeatedPlayer], seed: int) -> Any:
    """Reset an environment, and return the result of its ``reset``.

    Raises:
        TournamentError: the agents of the game are not those of the contest.
    """
    first = environment.reset(seed=seed)
    if {*environment.agents} != {*seated}:
        raise TournamentError(
            f"the environment started with the agents {list(environment.agents)}; {[*seated]} are "
            "expected in every game"
        )
    return first


def _play_in_turn(
    environment: Any, seated: Mapping[Any, _SeatedPlayer], seed: int
) -> dict[Any, float]:
    """Play a game of an AEC environment, and return the sum of the rewards of each agent.

    An agent that is done makes a last step without an action, as the API demands.
    """
    totals = dict.fromkeys(seated, 0.0)
    _start(environment, seated, seed)
    for agent in environment.agent_iter():
        observation, reward, is_over, is_cut, info = environment.last()
        totals[agent] += float(reward)
        action = None
        if not (is_over or is_cut):
            action = seated[agent].choose(environment.action_space(agent), observation, info)
        environment.step(action)
    return totals


def _play_parallel(
    environment: Any, seated: Mapping[Any, _SeatedPlayer], seed: int
) -> dict[Any, float]:
    """Play a game of a parallel environment, and return the sum of the rewards of each agent.

    An agent that is done gets no further action, even if the environment still lists it.
    """
    totals = dict.fromkeys(seated, 0.0)
    observations, infos = _start(environment, seated, seed)
    live, done = [*environment.agents], set[Any]()
    while live:
        actions = {
            agent: seated[agent].choose(
                environment.action_space(agent), observations[agent], infos.get(agent)
            )
            for agent in live
        }
        observations, rewards, are_over, are_cut, infos = environment.step(actions)
        for agent, reward in rewards.items():
            totals[agent] += float(reward)
        done |= {agent for agent in live if are_over.get(agent) or are_cut.get(agent)}
        live = [agent for agent in environment.agents if agent not in done]
    return totals


@dataclass(frozen=True)
class _SeatedPlayer:
    """A player that acts for an agent in one game.

    Attributes:
        agent: the agent.
        seat: the seat of the agent.
        player: the user's function.
        rng: the random numbers of this game and seat.
    """

    agent: Any
    seat: int
    player: Any
    rng: np.random.Generator

    def __post_init__(self) -> None:
        if not callable(self.player):
            raise Disqualified(self.seat, f"is {shown(self.player)}; {EXPECTED} is expected")

    def choose(self, space: Any, observation: Any, info: Any) -> Any:
        """Return the action that the player chooses, after a check that it is legal.

        The player gets a copy of the observation, so that it cannot change the environment.

        Raises:
            Disqualified: the player raises an exception or chooses an illegal action.
            TournamentError: the agent has no legal action.
        """
        legal = legal_actions(space, observation, info)
        if legal is not None and not len(legal):
            raise TournamentError(f"the action mask of agent {self.agent!r} has no legal action")
        given = deepcopy(observation), legal, self.rng
        try:
            call = self.seat, str(self.agent), Turns(), _action, self.player, given, space
            action, why = answer_of(*call)
        except PlayerFault as fault:
            what = f"agent {self.agent!r} {fault.what}"
            is_late = fault.cause == "late"  # which does not repeat, so the cause must be known
            raise Disqualified(
                self.seat, what, fault.cause if is_late else "disqualified"
            ) from fault
        if why:
            raise Disqualified(self.seat, f"agent {self.agent!r} {why}")
        return action


def legal_actions(space: Any, observation: Any, info: Any) -> np.ndarray | None:
    """Return the legal actions of an agent in ascending order.

    Args:
        space: the agent's action space.
        observation: the agent's observation. The value of ``action_mask``, if any, is the mask.
        info: the agent's info, which may hold ``action_mask`` instead.

    Returns:
        An array of whole numbers: the actions that the mask allows, or all actions of a
        ``Discrete`` space without a mask. None: the space is not ``Discrete``.
    """
    if not (hasattr(space, "n") and hasattr(space, "start")):  # MultiBinary has n, but no start
        return None
    masks = [each.get("action_mask") for each in (observation, info) if isinstance(each, Mapping)]
    mask = next((mask for mask in masks if mask is not None), np.ones(int(space.n)))
    return int(space.start) + np.flatnonzero(mask)


def _action(
    player: Callable[..., Any], given: tuple[Any, np.ndarray | None, Any], space: Any
) -> tuple[Any, str]:
    """Call a player, and return its action and an empty text, or why the action is illegal."""
    legal = given[1]
    if legal is not None:
        allowed = legal.tolist()  # the player may change its array
        action = player(*given)
        with suppress(TypeError):
            if index(action) in allowed:
                return index(action), ""
        return None, f"chose {shown(action)}; one of the legal actions {allowed} is expected"
    action = player(*given)
    if getattr(space, "shape", None) is not None:
        is_real = np.dtype(space.dtype).kind == "f"  # else a Box of float32 refuses float64
        action = np.array(action, dtype=space.dtype if is_real else None)
    fits = space.contains(action)
    return action, "" if fits else f"chose {shown(action)}; an action of {space} is expected"
