"""``evo doctor``: a check that all machines of a cluster compute the same results."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

from evo.cli.console import complain, print_rows
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
    """Check that this machine and all cluster nodes compute the same results.

    Play a chunk of matches in this process, with one thread and with all, and on each node of a Ray
    cluster. Compare the results byte by byte, compare versions and sources, and measure the
    connection to each node. The exit status is 0 if everything agrees; otherwise it is 1, and a
    line says what to fix.

    Attributes:
        ray: also check every node of the Ray cluster at ADDRESS; without ADDRESS, start Ray on this
            machine and check it
    """

    execution: ClassVar = (*REPORTS, "json")

    ray: str | None = flag(None, metavar="ADDRESS", nargs="?")


def _examine(request: DoctorRequest, execution: Execution) -> int:
    from cluster import doctor

    findings = [doctor.examine_here()]
    if request.ray is not None:
        execution.announce_ray(request.ray)
        findings += doctor.examine_nodes(request.ray or None, findings[0])
    print_rows(map(asdict, findings), COLUMNS, execution.json)
    ill = [finding for finding in findings if finding.mend]
    for finding in ill:
        complain(f"{finding.where}: {finding.mend}")
    if not ill and not execution.json:
        print("\nall agree: the same versions, the same bytes")
    return EXIT_FAILED if ill else 0


COMMAND = command_of(DoctorRequest, _examine, rank=4, group="what there is")
