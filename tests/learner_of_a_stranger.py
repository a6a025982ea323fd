"""A learner by reward as the package of somebody else offers it: SARSA, all there is to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evo.learners.by_reward import (
    GAMMA,
    RewardOptions,
    begin,
    explore_or_best,
    improve,
    room_for_notes,
)
from tournaments.arena.training import LearningKind
from tournaments.kernels.hooks import legal
from tournaments.kernels.linker import kernel
from tournaments.options import option
from tournaments.players.value_table import best_of, row_of, value_at


@kernel
def learn(board, state, reward, parameters, row, memory, stream):
    """Update the value of the last action from the value of the next action."""
    last = memory.last[0]
    if state[0] < 0:
        if last >= 0:
            improve(parameters, row, last, reward)
        return np.int64(-1)
    count = legal(board, state, memory.actions)
    place = row_of(board, state, parameters)
    best, ties = best_of(parameters, row, place, count)
    column = explore_or_best(parameters, row, place, count, best, ties, stream)
    if last >= 0:
        value = value_at(parameters, row, place + column)
        improve(parameters, row, last, reward + parameters.numbers[GAMMA] * value)
    memory.last[0] = place + column
    return np.int64(memory.actions[column])


@dataclass(frozen=True)
class SarsaOptions(RewardOptions):
    """SARSA (Rummery and Niranjan 1994)."""

    kind: ClassVar[LearningKind] = LearningKind(learn, begin, room_for_notes)
    name: str = option("sarsa")


LEARNER = SarsaOptions
