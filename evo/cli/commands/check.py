"""``evo check``: whether an encoding, a learner or a scheme keeps the laws of its sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class CheckRequest(Request):
    """Check that an encoding, a learner or a scheme keeps its laws.

    Try an encoding, a learner or a scheme, and compare all that it does with what is expected of
    its sort. The status is 0 where all laws hold, and 1 where one is broken, with a line that
    names the law.

    Attributes:
        sort: what to check: genome, learner or scheme
        name: its name, or its file, such as ./mine.py or ./mine.py:Mine
        game: whose players evolve
    """

    execution: ClassVar = ()

    sort: str = argument("SORT", known=("genome", "learner", "scheme"))
    name: str = argument("NAME")
    game: str = flag("nim")


def _check(request: CheckRequest, execution: Execution) -> int:
    from evo.contract import check_genome, check_learner
    from tournaments import schemes
    from tournaments.contract import check_scheme
    from tournaments.registry import parse_spec

    if request.sort == "genome":
        check_genome(request.name, request.game)
    elif request.sort == "learner":
        check_learner(request.name, game=request.game)
    else:
        name, given = parse_spec(request.name)
        check_scheme(schemes.make(name, **given))
    print(f"{request.sort} {request.name} keeps the contract")
    return 0


COMMAND = command_of(CheckRequest, _check, rank=4, group="your own")
