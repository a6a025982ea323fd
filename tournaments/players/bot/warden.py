"""Who ends programs when the process that started them is gone, by ``kill -9`` as well.

A shell in a session of its own reads on a pipe which programs are at work. The pipe ends when the
process ends, however that ends, and the shell kills those that are left.
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
    """The shell of one process; threads share it."""

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
        """A program is at work: its process group is killed when this process ends."""
        self._say(f"+ {group}\n")

    def leave(self, group: int) -> None:
        """A program has been killed, and its number may soon be that of another."""
        self._say(f"- {group}\n")

    def _say(self, line: str) -> None:
        with contextlib.suppress(OSError):  # somebody has killed or stopped the shell
            os.write(self._pipe, line.encode())


def _dismiss(popen: subprocess.Popen[bytes]) -> None:
    """End the shell, which has nobody to watch."""
    assert popen.stdin is not None
    popen.stdin.close()
    popen.wait()


@cache
def _warden_of(process: int) -> Warden:
    return Warden()


def warden() -> Warden:
    """That of this process; a process that was forked off has one of its own."""
    return _warden_of(os.getpid())
