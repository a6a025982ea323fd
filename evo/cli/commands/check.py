"""``evo check``: a check of an encoding, a learner or a scheme against its contract."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.cli.console import coloured
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class CheckRequest(Request):
    """Check an encoding, a learner or a scheme against its contract.

    Run the object and compare its behaviour with the contract for its kind. The exit status is 0 if
    the object keeps every law of the contract. Otherwise the status is 1, and a line names the
    broken law.

    Attributes:
        sort: kind of object: genome, learner or scheme
        name: name of the object, or its Python file, such as ./mine.py or ./mine.py:Mine
        game: game whose players evolve in the check
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
    print(request.sort, request.name, coloured("keeps the contract"))
    return 0


COMMAND = command_of(CheckRequest, _check, rank=4, group="your own")
