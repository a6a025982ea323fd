"""Q-learning: a value for each position and action, learned from rewards while playing.

C. Watkins, "Learning from Delayed Rewards" (1989). The defaults are those of J. Bakhshi and M.
Budriunas, "Q-learning for Fox and Hounds Board Game" (2012). An action is judged at the pupil's
next turn. The reward is the change of its lead in between. The value of the new position is the
value of its best action.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evo.learners.by_reward import (
    ETA,
    GAMMA,
    RewardOptions,
    begin,
    count_visit,
    explore_or_best,
    improve,
    room_for_notes,
)
from tournaments.arena.training import LearningKind
from tournaments.kernels.hooks import legal
from tournaments.kernels.linker import kernel
from tournaments.options import option
from tournaments.players.value_table import best_of, row_of


@kernel
def learn(board, state, reward, parameters, row, memory, stream):
    """Learn by Q-learning from the reward of the last action, and choose the next action.

    The value of the last action moves towards the reward plus the discounted best value of the
    present position. The hook is called on each turn of the side and at the end of the game.

    Args:
        board: constants of the game.
        state: the position.
        reward: gain of the side's lead since its last turn.
        parameters: the table of values and the rates.
        row: row of the table.
        memory: the side's last action.
        stream: random numbers.

    Returns:
        The action; -1 at the end of the game.
    """
    last = memory.last[0]
    if state[0] < 0:
        if last >= 0 and parameters.numbers[ETA] > 0.0:
            improve(parameters, row, last, reward)
        return np.int64(-1)
    count = legal(board, state, memory.actions)
    place = row_of(board, state, parameters)
    best, ties = best_of(parameters, row, place, count)
    column = explore_or_best(parameters, row, place, count, best, ties, stream)
    if parameters.numbers[ETA] > 0.0:
        count_visit(parameters, row, place, count, memory)
        if last >= 0:
            improve(parameters, row, last, reward + parameters.numbers[GAMMA] * best)
    memory.last[0] = place + column
    return np.int64(memory.actions[column])


@dataclass(frozen=True)
class QLearningOptions(RewardOptions):
    """Q-learning (Watkins 1989): a table of the values of actions, learned from rewards.

    A generation is a number of turns, from which individual i of each role learns by itself: each
    value moves towards the reward, and what the best action of its next position is worth. The
    reward is what its lead has gained. Then the scheme's games are played, without exploration.
    """

    kind: ClassVar[LearningKind] = LearningKind(learn, begin, room_for_notes)
    name: str = option("q-learning")


LEARNER = QLearningOptions
