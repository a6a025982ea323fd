"""What crashes and refusals of the system cost: `python -m benchmarks.crashes`, for a nightly job.

Two parts, each of which ends with a line of its own; `kills` or `calls` alone asks for one.

kills: 500 SIGKILLs at drawn moments (`--seed`), spread over every learner, every scheme and a
tournament. Each is a small piece of work that is killed, begun again, killed... until it is done;
then its folder is compared with that of one that nothing disturbed.

calls: the unmodified command `evo`, under `strace -f -e inject`: each call that changes the disk
(fsync, rename, mkdir, unlink, ftruncate, write) fails in turn, once or for good, with EIO, ENOSPC,
EDQUOT or EROFS, or the process is killed at it. A status of 0 must go with all that was promised;
otherwise the work is begun again and must end in the undisturbed bytes. Without strace, or where
it may not trace, a line says so and the part is left out.

Faults are printed with what repeats them, and make the exit status 1.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.crashes.calls import inject_at_calls
from benchmarks.crashes.kills import kill_at_random
from benchmarks.crashes.tally import Tally
from benchmarks.report import emit


def main() -> None:
    """Do both parts, or the one that is named."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("part", nargs="?", choices=("kills", "calls"), help="default: both")
    options.add_argument("--kills", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--seconds", type=float, default=7200, help="of each part, at most")
    options.add_argument("--each", type=int, default=1, help="inject at each so many calls alone")
    options.add_argument("--only", default="", help="work whose name holds this")
    chosen = options.parse_args()
    faults = 0
    for name, part in (("kills", kill_at_random), ("calls", inject_at_calls)):
        if chosen.part in (None, name):
            tally = Tally(chosen.seconds)
            with tempfile.TemporaryDirectory() as folder:
                part(Path(folder), chosen, tally)
            faults += len(tally.faults)
            seconds = time.monotonic() - tally.started
            done = "cut short" if tally.is_late() else "done"
            emit(name, len(tally.faults), "faults", seconds=seconds, end=done, **tally.counts)
    sys.exit(min(1, faults))


if __name__ == "__main__":
    main()
