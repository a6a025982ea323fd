"""``evo compact``: a run in fewer files, and with fewer snapshots."""

from __future__ import annotations

from dataclasses import dataclass

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class CompactRequest(Request):
    """Make few files of a long run, and remove snapshots that need not stay.

    Make one file of many of the per-generation table, as a run does by itself as it goes on, and
    remove all snapshots but the first, the newest, each K-th and the N newest, which stands in
    run.json from then on. Without --keep-every and --keep-last no snapshot is removed.

    Attributes:
        run: folder of the run, or its address
        keep_every: each K-th snapshot stays, from now on (0: none by this)
        keep_last: and the N newest
    """

    run: str = argument("RUN")
    keep_every: int | None = flag(None, metavar="K")
    keep_last: int | None = flag(None)


def _compact(request: CompactRequest, execution: Execution) -> int:
    from results.writer.compact import compact

    sizes = compact(request.run, request.keep_every, request.keep_last)
    rows = [
        {
            "when": when,
            **size,
            "bytes_a_generation": size["part_bytes"] / max(1, size["generations"]),
            "snapshot_bytes_a_generation": size["snapshot_bytes"] / max(1, size["generations"]),
        }
        for when, size in zip(("before", "after"), sizes, strict=True)
    ]
    numbers = dict.fromkeys(sizes[0], ",d")
    shares = {"bytes_a_generation": ",.1f", "snapshot_bytes_a_generation": ",.1f"}
    print_rows(rows, {"when": "", **numbers, **shares}, execution.json)
    return 0


COMMAND = command_of(CompactRequest, _compact, rank=5, group="make")
