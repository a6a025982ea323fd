"""A team as a single Python file for pelita: kernels, their dependencies, and parameters."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from string import Template

import numpy as np

from tournaments.game import Game
from tournaments.games.capture_the_flag.agents import memory
from tournaments.games.capture_the_flag.pelita import side
from tournaments.kernels.linker import link_several

TEMPLATE = Path(__file__).with_name("team.txt")
LINE = "# --- one side of a game "
KERNELS = [value for value in vars(side).values() if hasattr(value, "__kernel__")]
FUNCTIONS = memory.Memory, memory.memory


def program(game: Game, numbers: np.ndarray) -> str:
    """Return the text of a Python file that plays a team of capture the flag in pelita.

    Args:
        game: a game that the team plays; its maze does not matter.
        numbers: the numbers of the team, float64 ``[G]``, see :data:`.agents.memory.NAMES`.
    """
    kernels, names = link_several(KERNELS, game.hooks)
    given = "".join(
        f"    {number!r},  # {name}\n"
        for name, number in zip(memory.NAMES, numbers.tolist(), strict=True)
    )
    functions = "\n\n\n".join(inspect.getsource(function).rstrip() for function in FUNCTIONS)
    own = LINE + inspect.getsource(side).split(LINE)[1].rstrip()
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        numbers=given,
        kernels=kernels,
        names="\n".join(
            f"{kernel.__name__} = {name}" for kernel, name in zip(KERNELS, names, strict=True)
        ),
        constants=_constants(own),
        functions=functions,
        side=own,
    )


def _constants(own: str) -> str:
    """Return assignments of the module constants that an exported team's code reads.

    ``own`` is the part of the code that is copied as it is; constants that it assigns are left out.
    """
    constants: dict[str, object] = {}
    for function in filter(inspect.isfunction, (*FUNCTIONS, *vars(side.PelitaSide).values())):
        for name in set(re.findall(r"\w+", inspect.getsource(function))):
            value = function.__globals__.get(name)
            if isinstance(value, int | tuple) and not re.search(rf"^{name} = ", own, re.M):
                assert constants.setdefault(name, value) == value, name
    return "\n".join(f"{name} = {value!r}" for name, value in sorted(constants.items()))
