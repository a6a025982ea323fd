"""``evo export``: a champion as a file that can be used as a player, or as a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class ExportRequest(Request):
    """Write a champion to a file that can be used as a player.

    The file contains the weights or the policy tables of the champion or, in a run with a
    population per role, of the champion of each role. With --program pelita, the file is a Python
    program instead: a team for capture the flag, to be played with the package pelita. In a run
    that evolves programs, the file is the program. Without a file, all programs of the newest
    generation are written into a new folder.

    Attributes:
        run: folder of the run, or its address
        file: file to be written: .npy or .json, or .py with --program; of programs also a folder
            (default: RUN-programs)
        program: write a program of this format, such as pelita for capture the flag
        generation: generation of the champion (default: the newest)
        population: population of the champion, such as cat or mouse (default: all populations)
    """

    execution: ClassVar = ("trust",)

    run: str = argument("RUN")
    file: str | None = argument("FILE", None, nargs="?")
    program: str | None = flag(None, metavar="NAME")
    generation: int | None = flag(None, metavar="G")
    population: str | None = flag(None, metavar="NAME")


def _export(request: ExportRequest, execution: Execution) -> int:
    from evo.evaluation.export import export

    which = request.generation, request.population, execution.trust
    about = export(request.run, request.file, *which, program=request.program)
    print(about if request.file is None else f"{request.file}: {about}")
    return 0


COMMAND = command_of(ExportRequest, _export, rank=5, group="your own")
