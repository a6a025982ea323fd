"""How a program of somebody's is held: limits of the system, and namespaces where it has them."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tournaments.options import one_of, option

NAMESPACES = {
    "processes and network": "--user --map-current-user --net --pid --fork --kill-child "
    "--mount-proc",
    "network": "--user --map-current-user --net",
}
"""What a program may get of its own, as the options of ``unshare``; the most first."""
MOST_PROCESSES = 64
"""And threads, where they are counted apart from those of the user."""
FILE_BLOCKS = 131_072
"""Of 512 bytes, of a file that it writes: 64 MiB."""
MOST = 1_000_000
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""Variables that a program is given; others may hold secrets."""
LAUNCHER = """ulimit -c 0; ulimit -f {blocks}; ulimit -S -t {cpu}; ulimit -H -t {cpu_hard}
ulimit -v {memory} || echo "no limit of memory on this system" >&2
{processes}
"$@"
exit $?"""


@dataclass(frozen=True)
class ProgramLimits:
    """What a program may take; the message of a fault names the limit that was broken."""

    seconds: float = option(5.0, "seconds for a move", 0.01, MOST)
    game_seconds: float = option(
        60.0, "seconds for all moves of a game; as many of processor time", 0.01, MOST
    )
    start: float = option(
        10.0, "seconds that a process may take to start, beside those of its first move", 0, MOST
    )
    memory: int = option(2048, "MiB of addresses", 16, MOST)
    output: int = option(65_536, "bytes of an answer", 16, MOST)
    per: str = one_of(
        "game",
        "a process plays one game, or up to a hundred of a tournament, one after the other",
        ("game", "tournament"),
    )


@cache
def own_namespaces() -> str:
    """What programs get of their own on this machine: a key of :data:`NAMESPACES`, or nothing."""
    for name, options in NAMESPACES.items():
        trial = ["unshare", *options.split(), "true"]
        try:
            if subprocess.run(trial, capture_output=True, timeout=10, check=False).returncode == 0:
                return name
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return ""


def launched(words: tuple[str, ...], limits: ProgramLimits, games: int) -> list[str]:
    """The command that starts a program under its limits.

    Args:
        games: how many the process may play; its processor time is for so many.
    """
    namespaces = own_namespaces()
    cpu = math.ceil(limits.start + limits.game_seconds * games)
    counted = f"ulimit -u {MOST_PROCESSES} 2>/dev/null || ulimit -p {MOST_PROCESSES} 2>/dev/null"
    script = LAUNCHER.format(
        blocks=FILE_BLOCKS,
        cpu=cpu,
        cpu_hard=cpu + 2,
        memory=int(limits.memory * 1024),
        processes=counted if namespaces else ":",
    )
    apart = ["unshare", *NAMESPACES[namespaces].split()] if namespaces else []
    return [*apart, "sh", "-c", script, "sh", *words]


def environment() -> Mapping[str, str]:
    """The variables of a program; sets of Python's have the same order in each process."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "PYTHONHASHSEED": "0"}
