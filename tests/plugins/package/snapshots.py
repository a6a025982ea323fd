"""A command: ``evo snapshots RUN``."""

from __future__ import annotations

from dataclasses import dataclass

from evo.cli.options import Command
from evo.execution import Execution
from evo.requests.base import Request, run_folder
from tournaments.options import option


@dataclass(frozen=True)
class SnapshotsRequest(Request):
    """Whose snapshots are listed, and how many."""

    run: str = run_folder()
    last: int = option(3, "so many snapshots", low=1)


def _list(request: SnapshotsRequest, execution: Execution) -> int:
    from results import open_run

    print(*open_run(request.run).snapshots[-request.last :])
    return 0


COMMAND = Command("list the newest snapshots of a run", SnapshotsRequest, _list)
