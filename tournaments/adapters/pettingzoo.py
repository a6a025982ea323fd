"""Adapter for the environments of PettingZoo, such as ``pettingzoo:connect_four_v3``.

The text after the colon is a module of ``pettingzoo.classic``. Positions are those of
:mod:`tournaments.adapters.history`; the first actions are the bytes of the seed of ``reset``. An
environment cannot be copied in general. It plays on from the last position that it led to, and is
made anew from its seed and actions for any other position. See Terry et al., "PettingZoo: Gym for
Multi-Agent Reinforcement Learning", NeurIPS 2021.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from pkgutil import iter_modules, resolve_name
from typing import Any

import numpy as np

from tournaments.adapters import not_installed
from tournaments.adapters.history import Foreign, Histories, board_of
from tournaments.errors import TournamentError, shown, unknown
from tournaments.rules import Rules

CLASSIC = "pettingzoo.classic"
SEED_BYTES = 4
BYTES = [(byte, 1 / 256) for byte in range(256)]
"""Chance outcomes of a byte of the seed: (byte, probability)."""
MOST_PLIES = 2_000
POINTS = 100
"""Points of a reward of 1."""
KEPT = 2_000
"""Number of cached positions. Observations may be large."""


class Play:
    """An environment in play. Its agents are seats by their order.

    Attributes:
        rewards: the total reward of each seat.
        seen: the last observation of each seat.
        seat: the seat to move, -1 when the environment is done.
        legal: the actions that the mask of the seat to move allows.
    """

    def __init__(self, make: Callable[[], Any], played: tuple[int, ...]) -> None:
        self._environment = make()
        self._environment.reset(seed=int.from_bytes(played[:SEED_BYTES]) >> 1)  # of 31 bits
        self._agents: list[str] = list(self._environment.possible_agents)
        self.rewards = [0.0] * len(self._agents)
        self.seen = [np.zeros(0)] * len(self._agents)
        self._reach_turn()
        for action in played[SEED_BYTES:]:
            self.step(action)

    def step(self, action: int) -> None:
        """Step the agent to move, then agents that are done."""
        self._environment.step(action)
        self._reach_turn()

    def _reach_turn(self) -> None:
        environment, self.seat, self.legal = self._environment, -1, list[int]()
        while environment.agents:
            masks: dict[str, Any] = {}
            for agent in environment.agents:
                seen: Any = environment.observe(agent)
                masks[agent] = environment.infos[agent].get("action_mask")
                if isinstance(seen, dict):
                    masks[agent] = seen.get("action_mask", masks[agent])
                    seen = seen.get("observation")
                self.seen[self._agents.index(agent)] = np.array(seen)
            _, reward, is_over, is_cut, _ = environment.last(observe=False)
            seat = self._agents.index(environment.agent_selection)
            self.rewards[seat] += reward
            if not (is_over or is_cut):
                self.seat = seat
                self.legal = np.flatnonzero(masks[environment.agent_selection]).tolist()
                return
            environment.step(None)


class Position:
    """A position of an environment, with the methods of a state of OpenSpiel."""

    def __init__(self, make: Callable[[], Any], played: tuple[int, ...] = ()) -> None:
        self._make, self._played = make, played
        self._seat, self._legal, self._rewards = -1, list[int](), [0.0, 0.0]
        self._seen: list[np.ndarray] = []
        self._plays: list[Play] = []
        """The environment at this position, until a clone of the position steps it."""

    def clone(self) -> Position:
        other = Position(self._make)
        vars(other).update(vars(self))
        return other

    def apply_action(self, action: int) -> None:
        played, plays = (*self._played, action), self._plays
        self._played, self._plays = played, []
        if self.is_chance_node():
            return
        try:
            play = plays.pop()  # one operation: threads may share the position
            play.step(action)
        except IndexError:
            play = Play(self._make, played)
        self._plays.append(play)
        self._seat, self._legal, self._seen = play.seat, play.legal, play.seen.copy()
        self._rewards = play.rewards.copy()

    def is_chance_node(self) -> bool:
        return len(self._played) < SEED_BYTES

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return BYTES

    def is_terminal(self) -> bool:
        return not self.is_chance_node() and self._seat < 0

    def current_player(self) -> int:
        return self._seat

    def legal_actions(self) -> list[int]:
        return [byte for byte, _ in BYTES] if self.is_chance_node() else self._legal

    def returns(self) -> list[float]:
        return [math.floor(POINTS * reward + 0.5) for reward in self._rewards]

    def tensor(self, seat: int) -> np.ndarray:
        return self._seen[seat].ravel()

    def information_state_string(self, seat: int) -> str:
        seen = self._seen[seat]
        numbers = (seen.astype(np.int8) if seen.dtype == bool else seen).tolist()
        legal = {"legal": self._legal} if seat == self._seat else {}
        return json.dumps({"observation": numbers, **legal})

    def __str__(self) -> str:
        return self.information_state_string(max(0, self._seat))


@lru_cache
def _foreign(text: str) -> Foreign:
    """Return the environment of a board's text as :class:`Histories` take it."""
    make = resolve_name(text)
    environment = make()
    return Foreign(
        first=partial(Position, make),
        num_actions=max(
            int(environment.action_space(each).n) for each in environment.possible_agents
        ),
        most_played=SEED_BYTES + MOST_PLIES,
        most_plies=MOST_PLIES,
        draws=True,
        hides=True,
        tensor=Position.tensor,
    )


_HISTORIES = Histories(_foreign, KEPT)
HOOKS = start, legal, play, view, encode = _HISTORIES.hooks(__name__, "pettingzoo")


def _misfit(make: Callable[[], Any]) -> str:
    """Return why an environment cannot be played here, or an empty text."""
    from gymnasium.spaces import Discrete
    from pettingzoo import AECEnv

    environment = make()
    if not isinstance(environment, AECEnv):
        return "whose agents do not act in turn"
    agents = environment.possible_agents
    if len(agents) != 2:
        return f"an environment of {len(agents)} agents"
    if not all(isinstance(environment.action_space(agent), Discrete) for agent in agents):
        return "whose actions are not numbered (Discrete)"
    play = Play(make, (0,) * SEED_BYTES)
    if len({seen.shape for seen in play.seen if seen.dtype.kind in "biuf"}) != 1:
        return "whose agents do not both see an array of numbers, of one shape"
    return "" if play.legal else "which has no action mask"


def rules_of_maker(make: Callable[[], Any], name: str = "") -> Rules:
    """Return the rules of an environment, see :func:`tournaments.adapters.environment_rules`.

    ``name`` is what messages call the environment; by default the name of ``make``.
    """
    text = f"{getattr(make, '__module__', '')}:{getattr(make, '__qualname__', '')}"
    if not re.fullmatch(r"[\w.]+:[\w.]+", text, re.ASCII):
        raise TournamentError(
            f"{shown(make)} given; a function or class of a module that makes an environment is "
            "expected"
        )
    if misfit := _misfit(make):
        raise TournamentError(
            f"{name or text} given, {misfit}; environments of two agents that act in turn (AEC) "
            "with an action mask are expected"
        )
    return _HISTORIES.rules(
        text,
        HOOKS,
        name="pettingzoo",
        summary="an environment of PettingZoo: pettingzoo:connect_four_v3",
        options={},
        board=lambda **given: board_of(text),
    )


@lru_cache
def rules_of(game: str) -> Rules:
    """Return the rules of an environment of ``pettingzoo.classic``.

    Raises:
        TournamentError: PettingZoo is not installed, or the environment does not exist or is
            unsuitable.
    """
    try:
        files = [file.name for file in iter_modules(import_module(CLASSIC).__path__)]
        known = [name for name in files if re.search(r"_v\d+$", name)]
        if game not in known:
            raise unknown("environment of PettingZoo", game, known)
        make = import_module(f"{CLASSIC}.{game}").env
    except ImportError as error:
        raise not_installed("PettingZoo", error) from None
    return replace(rules_of_maker(make, f"pettingzoo:{game}"), options={"game": game})


ADAPTER = rules_of
