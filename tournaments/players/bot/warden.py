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

    def note(self, sign: str, group: int) -> None:
        """Register (``+``) or unregister (``-``) a process group of a program with the watchdog.

        A registered group is killed when this process ends. A group that has ended is unregistered,
        because the system may reuse its number.
        """
        with contextlib.suppress(OSError):  # the shell may have been killed or stopped
            os.write(self._pipe, f"{sign} {group}\n".encode())


def _dismiss(popen: subprocess.Popen[bytes]) -> None:
    """End the shell that runs as a watchdog of programs."""
    assert popen.stdin is not None
    popen.stdin.close()
    popen.wait()


@cache
def _warden_of(process: int) -> Warden:
    return Warden()


def warden() -> Warden:
    """Return the watchdog of this process, which kills programs when the process ends.

    A forked process gets a new one.
    """
    return _warden_of(os.getpid())
