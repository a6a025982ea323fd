"""``evo export``: a champion as a file that plays wherever a player is named, or elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from evo.cli.options import Command
from evo.execution import Execution
from evo.requests.base import Request, run_folder
from tournaments.options import REQUIRED, option


@dataclass(frozen=True)
class ExportRequest(Request):
    """Which champion is written, and to which file."""

    execution: ClassVar = ("trust",)

    run: str = run_folder()
    file: str = option(
        REQUIRED,
        "to be written: .npy or .json; a program: .py",
        argument=True,
        metavar="FILE",
    )
    program: str | None = option(
        None, "write a program, such as pelita for capture the flag", metavar="NAME"
    )
    generation: int | None = option(None, "(default: the newest)", metavar="G")
    population: str | None = option(
        None, "such as cat or mouse (default: all there are)", metavar="NAME"
    )


def _export(request: ExportRequest, execution: Execution) -> int:
    from evo.evaluation.export import export, export_program

    which = request.generation, request.population, execution.trust
    if request.program is None:
        about = export(request.run, request.file, *which)
    else:
        about = export_program(request.run, request.file, request.program, *which)
    print(f"{request.file}: {about}")
    return 0


COMMAND = Command(
    "write a champion to a file, which plays wherever a player is named",
    ExportRequest,
    _export,
    "Write the weights of a champion, or its policy tables, to a file, which plays wherever a "
    "player is named. Where there is a population a role, the file holds the champion of each, "
    "unless one is named. --program pelita writes a team of capture the flag as one Python file, "
    "which the package pelita plays.",
    rank=14,
)
