"""``evo resume``: continue a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evo.cli.commands.run import evolve
from evo.cli.console import program, quoted
from evo.cli.options import command_of, flags_of
from evo.execution import Execution
from evo.requests.evolution import ResumeFlags
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from results.folder.files import Place


def _refuse_changes(request: ResumeFlags, path: Place) -> None:
    """Raise if a flag of ``evo resume`` would change the run's setup, which requires a new run."""
    given = [
        f"--{item.name} {quoted(value)}"
        for item in flags_of(ResumeFlags)
        if item.metadata.get("hidden")
        for value in getattr(request, item.name)
    ]
    if given:
        words = " ".join(given)
        raise ConfigError(
            f"{words} given, but only the end of a run can be changed (--generations, --games); "
            "to change more, start a new run of the same game from the individuals of this run: "
            f"{program()} run --set start={quoted(path)} {words}"
        )


def _resume(request: ResumeFlags, execution: Execution) -> int:
    from evo.evolution import runs
    from results.folder.files import place_of
    from results.folder.runfile import read_info

    path = place_of(request.run)
    read_info(path)
    _refuse_changes(request, path)
    return evolve(execution, path, lambda shared: runs.resume(request, shared))


COMMAND = command_of(ResumeFlags, _resume, rank=2, group="make")
