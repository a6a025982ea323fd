"""A command: ``evo snapshots RUN``."""

from __future__ import annotations

from dataclasses import dataclass

from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class SnapshotsRequest(Request):
    """List the newest snapshots of a run.

    Attributes:
        run: folder of the run
        last: number of snapshots to list
    """

    run: str = argument("RUN")
    last: int = flag(3, low=1)


def _list(request: SnapshotsRequest, execution: Execution) -> int:
    from results import open_run

    print(*open_run(request.run).snapshots[-request.last :])
    return 0


COMMAND = command_of(SnapshotsRequest, _list)
