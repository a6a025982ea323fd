"""``evo compact``: a run in fewer files, and with fewer snapshots."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, run_folder
from tournaments.options import option


@dataclass(frozen=True)
class CompactRequest(Request):
    """Which snapshots of a run stay."""

    run: str = run_folder()
    keep_every: int | None = option(
        None, "each K-th snapshot stays, from now on (0: none by this)", metavar="K"
    )
    keep_last: int | None = option(None, "and the N newest")


def _compact(request: CompactRequest, execution: Execution) -> int:
    from results.writer.compact import compact

    sizes = compact(request.run, request.keep_every, request.keep_last)
    rows = [
        {
            "when": when,
            **asdict(size),
            "bytes_a_generation": size.part_bytes / max(1, size.generations),
            "snapshot_bytes_a_generation": size.snapshot_bytes / max(1, size.generations),
        }
        for when, size in zip(("before", "after"), sizes, strict=True)
    ]
    numbers = dict.fromkeys([*asdict(sizes[0])], ",d")
    shares = {"bytes_a_generation": ",.1f", "snapshot_bytes_a_generation": ",.1f"}
    print_rows(rows, {"when": "", **numbers, **shares}, execution.json)
    return 0


COMMAND = command_of(CompactRequest, _compact, rank=17)
