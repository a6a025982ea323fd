"""``evo doctor``: whether this machine, and every node of a cluster, plays the same."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import ClassVar

from evo.cli.console import print_rows
from evo.cli.options import EXIT_FAILED, command_of
from evo.execution import Execution
from evo.requests.base import REPORTS, Request, flag

COLUMNS = {
    "where": "",
    "processors": "d",
    "round_trip_ms": ".2f",
    "store_mb_s": ",.0f",
    "chunk_seconds": ".2f",
    "bytes": "",
    "plays_with": "",
}


@dataclass(frozen=True)
class DoctorRequest(Request):
    """See whether this machine, and every node of a cluster, plays the same.

    Play a chunk of matches in this process by one thread and by all, and on each node of a Ray
    cluster, and compare the bytes; compare versions and sources; measure the way to each node.
    The exit status is 0 only where all agree, else 1, with a line that says what to mend.

    Attributes:
        ray: look at every node of the Ray cluster at ADDRESS, or of one that is started here, too
    """

    execution: ClassVar = (*REPORTS, "json")

    ray: str | None = flag(None, metavar="ADDRESS", nargs="?")


def _examine(request: DoctorRequest, execution: Execution) -> int:
    from cluster import doctor

    findings = [doctor.examine_here()]
    if request.ray is not None:
        findings += doctor.examine_nodes(request.ray or None, findings[0])
    print_rows(map(asdict, findings), COLUMNS, execution.json)
    ill = [finding for finding in findings if finding.mend]
    for finding in ill:
        print(f"evo: {finding.where}: {finding.mend}", file=sys.stderr)
    if not ill and not execution.json:
        print("\nall agree: the same versions, the same bytes")
    return EXIT_FAILED if ill else 0


COMMAND = command_of(DoctorRequest, _examine, rank=4, group="what there is")
