"""Processes that tests start: each answers Ctrl-C, and ends with its test however that ends."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
"""The checkout."""


def begin(command: Sequence[str | os.PathLike[str]], **options: Any) -> subprocess.Popen[str]:
    """A process in a group of its own, with the default handler of SIGINT.

    Where this process ignores SIGINT, as in the background of a shell, a program that it starts
    would ignore it too; a handler of Python's is none that a program can inherit.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, text=True, start_new_session=True, **options)
    finally:
        signal.signal(signal.SIGINT, before)


def end(process: subprocess.Popen[str]) -> None:
    """Kill a process and what it started, as far as they are there."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
