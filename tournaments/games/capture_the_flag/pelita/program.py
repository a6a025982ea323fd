"""A team as one Python file that pelita plays: kernels, what they need, and numbers."""

from __future__ import annotations

import inspect
import re
from types import CodeType

import numpy as np

from tournaments.game import Game
from tournaments.games.capture_the_flag import board, maze
from tournaments.games.capture_the_flag.agents import memory
from tournaments.games.capture_the_flag.pelita import side
from tournaments.kernels.linker import link_several
from tournaments.players.vector import Vectors

LINE = "# --- one side of a game "
KERNELS = (
    side.choose,
    side.estimate,
    side.begin_evidence,
    side.count_visits,
    side.place,
    side.predict,
    side.update,
    side.weigh_position,
    side.weigh_unseen,
)
FUNCTIONS = (
    Vectors,
    board.cells_of,
    board.neighbours_of,
    maze.distances,
    memory.Memory,
    memory.dots_of,
    memory.steps_of,
    memory.memory,
)
HEAD = '''"""A team for pelita (2.7), written by evo-tournaments: it goes by evolved numbers.

Play it by ``pelita TEAM.py``. It tracks enemies by Bayes' rule and goes by shortest ways on the
weighted graph of the maze; all of it is below, and numpy is all that it needs.
"""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

TEAM_NAME = "evo tournaments"
'''
TAIL = '''
def move(bot, state):
    """The next square of a bot; ``state`` lives as long as the game."""
    if "side" not in state:
        state["side"] = PelitaSide(bot, NUMBERS)
    return state["side"].step(bot)
'''


def program(game: Game, numbers: np.ndarray) -> str:
    """The text of the file.

    Args:
        game: of which the team is; its maze does not matter.
        numbers: float64 ``[G]``, see :data:`.agents.memory.NAMES`.
    """
    kernels, names = link_several(KERNELS, game.hooks)
    given = "".join(
        f"    {number!r},  # {name}\n"
        for name, number in zip(memory.NAMES, numbers.tolist(), strict=True)
    )
    own = LINE + inspect.getsource(side).split(LINE)[1].rstrip() + "\n"
    parts = [
        HEAD,
        f"NUMBERS = [\n{given}]",
        "# --- kernels, as they are linked " + "-" * 66,
        kernels,
        "\n".join(
            f"{kernel.__name__} = {name}" for kernel, name in zip(KERNELS, names, strict=True)
        ),
        "# --- what they need " + "-" * 80,
        _constants(own),
        *(inspect.getsource(function).rstrip() + "\n" for function in FUNCTIONS),
        own,
        TAIL.lstrip(),
    ]
    return "\n\n".join(parts)


def _constants(own: str) -> str:
    """The numbers that functions and side take from their modules, but for those of ``own``."""
    constants: dict[str, object] = {}
    for function in (*FUNCTIONS, *vars(side.PelitaSide).values()):
        if inspect.isfunction(function):
            for name in _names(function.__code__):
                value = function.__globals__.get(name)
                if isinstance(value, int | tuple) and not re.search(rf"^{name} = ", own, re.M):
                    assert constants.setdefault(name, value) == value, name
    return "\n".join(f"{name} = {value!r}" for name, value in sorted(constants.items()))


def _names(code: CodeType) -> set[str]:
    """The globals that a function names, its inner ones with it."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))
