"""``evo export``: a champion as a file that plays wherever a player is named, or elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class ExportRequest(Request):
    """Write a champion to a file, which plays wherever a player is named.

    Write the weights of a champion, or its policy tables, to a file, which plays wherever a
    player is named. Where there is a population a role, the file holds the champion of each,
    unless one is named. --program pelita writes a team of capture the flag as one Python file,
    which the package pelita plays.

    Attributes:
        run: folder of the run, or its address
        file: to be written: .npy or .json; a program: .py
        program: write a program, such as pelita for capture the flag
        generation: (default: the newest)
        population: such as cat or mouse (default: all there are)
    """

    execution: ClassVar = ("trust",)

    run: str = argument("RUN")
    file: str = argument("FILE")
    program: str | None = flag(None, metavar="NAME")
    generation: int | None = flag(None, metavar="G")
    population: str | None = flag(None, metavar="NAME")


def _export(request: ExportRequest, execution: Execution) -> int:
    from evo.evaluation.export import export

    which = request.generation, request.population, execution.trust
    about = export(request.run, request.file, *which, program=request.program)
    print(f"{request.file}: {about}")
    return 0


COMMAND = command_of(ExportRequest, _export, rank=5, group="your own")
