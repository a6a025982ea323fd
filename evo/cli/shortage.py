"""Messages for a shortage of memory or threads, which is not a fault of the program."""

from __future__ import annotations

import resource

LEAST_BYTES = 900 << 20
"""Minimum address space to load and compile libraries, in bytes."""


def too_little() -> str:
    """Return a line that says that the memory limit is too low for the program, else ""."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or most >= LEAST_BYTES:
        return ""
    return (
        f"memory is short: this process may have {most >> 20} MiB (ulimit -v), and at least "
        f"{LEAST_BYTES >> 20} MiB are needed; raise the limit"
    )


def is_shortage(error: BaseException) -> bool:
    """Whether an error means that the system refused memory or a thread."""
    return isinstance(error, MemoryError) or "can't start new thread" in str(error)


def shortage(error: BaseException) -> str:
    """Return a line on an error of the system: what is short, what the limit is, what to do."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    limit = (
        "" if most == resource.RLIM_INFINITY else f"; this process may have {most / 2**30:.1f} GiB"
    )
    what = "memory" if isinstance(error, MemoryError) else "memory or the number of threads"
    return (
        f"{what} is short ({str(error).partition(chr(10))[0] or type(error).__name__}){limit} "
        "(ulimit -v, ulimit -u): raise the limit, or use a smaller population or --threads 1"
    )
