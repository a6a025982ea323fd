"""``evo compact``: a run with fewer files and fewer snapshots."""

from __future__ import annotations

from dataclasses import dataclass

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class CompactRequest(Request):
    """Merge the files of a long run, and remove snapshots.

    Merge the files of the per-generation table, as a run also does while it is in progress. With
    --keep-every or --keep-last, also remove all snapshots except the first, the newest, every K-th
    and the N newest; this rule is stored in run.json and applies to later snapshots, too.

    Attributes:
        run: folder of the run, or its address, such as s3://bucket/runs/x (docs/storage.md)
        keep_every: keep every K-th snapshot (0: none by this rule)
        keep_last: keep the N newest snapshots
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
