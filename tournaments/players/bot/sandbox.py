"""Isolation of third-party programs: resource limits, and namespaces if the system has them."""

from __future__ import annotations

import math
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tournaments.options import option

NAMESPACES = {
    "processes and network": "--user --map-current-user --net --pid --fork --kill-child "
    "--mount-proc",
    "network": "--user --map-current-user --net",
}
"""Namespaces that isolate a program, with the options of ``unshare``, the strictest first."""
MOST_PROCESSES = 64
"""Limit of processes and threads, if they are counted separately from the user's."""
FILE_BLOCKS = 131_072
"""Largest file that a program can write, in blocks of 512 bytes: 64 MiB."""
MOST = 1_000_000
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""Environment variables that are passed to a program. Other variables may hold secrets."""
LAUNCHER = """ulimit -c 0; ulimit -f {blocks}; ulimit -S -t {cpu}; ulimit -H -t {cpu_hard}
ulimit -v {memory} || echo "no limit of memory on this system" >&2
{processes}
"$@"
exit $?"""


@dataclass(frozen=True)
class ProgramLimits:
    """Limits of a program. The message of a fault names the limit that was exceeded.

    Attributes:
        seconds: seconds for a move
        game_seconds: seconds for all moves of a game; as many of processor time
        start: seconds that a process may take to start, beside those of its first move
        memory: MiB of addresses
        output: bytes of an answer
        per: a process plays one game, or up to a hundred of a tournament, one after the other
    """

    seconds: float = option(5.0, low=0.01, high=MOST)
    game_seconds: float = option(60.0, low=0.01, high=MOST)
    start: float = option(10.0, low=0, high=MOST)
    memory: int = option(2048, low=16, high=MOST)
    output: int = option(65_536, low=16, high=MOST)
    per: str = option("game", known=("game", "tournament"))


@cache
def own_namespaces() -> str:
    """Return the namespaces in which this system can isolate programs.

    It is a key of :data:`NAMESPACES`, or an empty text.
    """
    for name, options in NAMESPACES.items():
        trial = ["unshare", *options.split(), "true"]
        try:
            if subprocess.run(trial, capture_output=True, timeout=10, check=False).returncode == 0:
                return name
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return ""


def launched(words: tuple[str, ...], limits: ProgramLimits, games: int) -> list[str]:
    """Return the command line that starts a player's program under its limits.

    Args:
        words: the command line of the program.
        limits: the limits.
        games: number of games that the process may play. Its processor time covers all of them.
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
    """Return the environment variables of a player's program.

    Python's hash seed is fixed, so that the order of sets is reproducible.
    """
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    return {**kept, "PYTHONHASHSEED": "0"}
