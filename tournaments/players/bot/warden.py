"""A watchdog that kills programs when their parent process ends, even by ``kill -9``.

The watchdog is a shell in its own session. It reads the process groups of running programs from a
pipe. The pipe closes when the parent process ends, and the shell kills the remaining programs.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import weakref
from functools import cache

SCRIPT = """cd /; trap '' HUP INT TERM; held=
while read -r sign group; do
    others=
    for each in $held; do [ "$each" = "$group" ] || others="$others $each"; done
    held=$others
    if [ "$sign" = + ]; then held="$held $group"; fi
done
for group in $held; do kill -9 "-$group" 2>/dev/null; done"""


class Warden:
    """The watchdog shell of one process, shared by its threads."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            ["sh", "-c", SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,
        )
        assert self._popen.stdin is not None
        self._pipe = self._popen.stdin.fileno()
        os.set_blocking(self._pipe, False)
        weakref.finalize(self, _dismiss, self._popen)

    def watch(self, group: int) -> None:
        """Register a process group, which is killed when this process ends."""
        self._say(f"+ {group}\n")

    def leave(self, group: int) -> None:
        """Unregister a process group that has been killed. The system may reuse its number."""
        self._say(f"- {group}\n")

    def _say(self, line: str) -> None:
        with contextlib.suppress(OSError):  # the shell may have been killed or stopped
            os.write(self._pipe, line.encode())


def _dismiss(popen: subprocess.Popen[bytes]) -> None:
    """End the shell."""
    assert popen.stdin is not None
    popen.stdin.close()
    popen.wait()


@cache
def _warden_of(process: int) -> Warden:
    return Warden()


def warden() -> Warden:
    """Return the watchdog of this process. A forked process gets a new one."""
    return _warden_of(os.getpid())
