"""Work in a forked child, which may be killed in the middle of it."""

import os
import signal
import time
import traceback
from collections.abc import Callable

from benchmarks.crashes.tally import MOST_SECONDS


def status_of(work: Callable[[], object], delay: float | None = None) -> int | None:
    """Do work in a child, killed after a delay; its exit status, None where SIGKILL ended it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(MOST_SECONDS)  # which ends it
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    if delay is not None:
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return None if status == -signal.SIGKILL else status
