"""The processors that this process may use, and the threads of libraries in its workers."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "ARROW_IO_THREADS",
    ),
    "1",
)
"""Variables of a worker, which has one processor: libraries would start a thread for each."""


def available_threads() -> int:
    """Return the number of processors that this process may use, at least 1.

    Batch systems bind a process to processors, containers limit its time.
    """
    try:
        bound = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every platform
        bound = os.cpu_count() or 1
    return max(1, math.ceil(min(bound, time_limit())))


def time_limit(
    groups: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> float:
    """Return the limit of processor time, in seconds per second, of this process's control group.

    The limit is the least of the control group and the groups above it, of version 2 or 1; infinite
    if no group sets a limit.

    Args:
        groups: folder of the control groups.
        own: file that names the group of this process.
    """
    limits = [math.inf]
    with suppress(OSError):
        for line in own.read_text(encoding="utf-8").splitlines():
            _, controllers, name = line.split(":", 2)
            if controllers and "cpu" not in controllers.split(","):
                continue
            top = groups / controllers if controllers else groups
            place = top / name.lstrip("/")
            for folder in (place, *place.parents):
                if folder.is_relative_to(top):
                    limits.append(_limit_in(folder))
    return min(limits)


def _limit_in(group: Path) -> float:
    """Return the limit of processor time in seconds per second that a control group sets."""
    with suppress(OSError, ValueError, ZeroDivisionError):
        if (group / "cpu.max").is_file():
            quota, period = (group / "cpu.max").read_text(encoding="utf-8").split()
        else:
            quota = (group / "cpu.cfs_quota_us").read_text(encoding="utf-8").strip()
            period = (group / "cpu.cfs_period_us").read_text(encoding="utf-8")
        if quota not in ("max", "-1"):
            return int(quota) / int(period)
    return math.inf


@contextmanager
def variables(values: Mapping[str, str]) -> Iterator[None]:
    """Return a context in which environment variables have these values, and restore them after."""
    before = {name: os.environ[name] for name in values if name in os.environ}
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            os.environ.pop(name, None)
        os.environ.update(before)
