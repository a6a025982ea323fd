"""The unmodified command line, each of whose calls to the system fails, or is its last."""

import argparse
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.crashes.tally import MOST_SECONDS, Tally
from benchmarks.crashes.work import PLAYERS, differing, run_content, tournament_content

CALLS = (
    "fsync",
    "rename",
    "renameat",
    "renameat2",
    "mkdir",
    "mkdirat",
    "unlink",
    "unlinkat",
    "ftruncate",
    "write",
)
ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS")
RUN = ["--game", "dots-and-boxes:rows=2,cols=2", "--population", "8", "--scheme", "round-robin"]
RUN += ["--generations", "3", "--set", "snapshot_interval=2", "--seed", "3", "--threads", "1"]


@dataclass(frozen=True)
class Command:
    """A command line that goes on where it was stopped.

    Attributes:
        prepare: makes the folder in which it starts.
        arguments: of ``evo``, by the state of the folder.
    """

    name: str
    prepare: Callable[[Path], object]
    arguments: Callable[[Path], list[str]]
    content: Callable[[Path], dict[str, Any]]


def commands() -> Iterator[Command]:
    """Yield a new run, an extended run, an evaluation and a tournament."""

    def run(path: Path) -> list[str]:
        if (path / "run" / "run.json").exists():
            return ["resume", str(path / "run"), "--threads", "1"]
        return ["run", *RUN, "--out", str(path / "run")]

    def longer(path: Path) -> list[str]:
        return ["resume", str(path / "run"), "--generations", "6", "--threads", "1"]

    def measure(path: Path) -> list[str]:
        how = ["--opponents", "random", "level-0", "--games", "4", "--threads", "1"]
        return ["evaluate", str(path / "run"), *how]

    def play(path: Path) -> list[str]:
        how = ["--games", "10", "--schedule", "swiss", "--rounds", "2", "--threads", "1"]
        folder = ["--out", str(path / "tournament")]
        return ["tournament", "dots-and-boxes:rows=2,cols=2", *PLAYERS, *how, *folder]

    def begun(path: Path) -> None:
        subprocess.run(evo_command(run(path)), check=True, capture_output=True)

    def nothing(path: Path) -> None:
        return

    yield Command("run", nothing, run, lambda path: run_content(path / "run"))
    yield Command("resume", begun, longer, lambda path: run_content(path / "run"))
    yield Command("evaluate", begun, measure, lambda path: run_content(path / "run"))
    yield Command("tournament", nothing, play, tournament_content)


def evo_command(arguments: list[str]) -> list[str]:
    """Return the command line of a process of ``evo``."""
    return [sys.executable, "-B", "-m", "evo", *arguments]


def inject_at_calls(folder: Path, chosen: argparse.Namespace, tally: Tally) -> None:
    """Let each call of each command fail, and kill the process at each."""
    refusal = why_no_strace()
    if refusal:
        print(f"calls: left out, {refusal}", flush=True)
        return
    for command in commands():
        if chosen.only not in command.name:
            continue
        start, straight = folder / f"{command.name}-start", folder / f"{command.name}-straight"
        start.mkdir()
        command.prepare(start)
        shutil.copytree(start, straight)
        numbers = calls_of(command, straight)
        wanted = command.content(straight)
        print(f"{command.name}: {numbers}", flush=True)
        for place, (call, number, way) in enumerate(injections(numbers)):
            if tally.is_late():
                return
            if place % chosen.each:
                continue
            path = folder / f"{command.name}-{place}"
            shutil.copytree(start, path)
            inject(command, path, f"{call}:{way}:when={number}", wanted, tally)
            shutil.rmtree(path, ignore_errors=True)


def why_no_strace() -> str:
    """Why there is nothing to trace by, or nothing."""
    if shutil.which("strace") is None:
        return "as strace is not installed"
    tried = subprocess.run(["strace", "-f", "true"], capture_output=True)
    return "" if tried.returncode == 0 else "as strace may not trace here"


def traced(options: list[str], arguments: list[str]) -> list[str]:
    """Return a command line of ``evo`` under strace. With --seccomp-bpf no signal is injected."""
    return ["strace", "-f", "-qq", *options, *evo_command(arguments)]


def calls_of(command: Command, path: Path) -> dict[str, int]:
    """How often the busiest thread of a command makes each call; strace counts by thread."""
    log = path.with_suffix(".strace")
    options = ["-e", f"trace={','.join(f'?{call}' for call in CALLS)}", "-o", str(log)]
    subprocess.run(traced(options, command.arguments(path)), check=True, capture_output=True)
    made = Counter(re.findall(r"^(\d+) +(\w+)\(", log.read_text(errors="replace"), re.MULTILINE))
    log.unlink()
    return {
        call: max(n for (_, name), n in made.items() if name == call)
        for call in CALLS
        if any(name == call for _, name in made)
    }


def injections(numbers: dict[str, int]) -> Iterator[tuple[str, str, str]]:
    """Each call, from the first to the last: an error once or for good in turn, and a kill."""
    errors = itertools.cycle(ERRORS)
    for call, most in numbers.items():
        for number in range(1, most + 1):
            yield call, f"{number}{'+' * (number % 2)}", f"error={next(errors)}"
            yield call, str(number), "signal=SIGKILL"


def inject(
    command: Command, path: Path, injection: str, wanted: dict[str, Any], tally: Tally
) -> None:
    """Run a command with a fault, then without one until it is done; compare."""
    name, call = f"{command.name} {injection}", injection.partition(":")[0]
    options = ["-e", f"trace={call}", "-e", f"inject={injection}", "-o", "/dev/null"]
    status, told = outcome(traced(options, command.arguments(path)))
    is_kill = "signal=" in injection
    tally.counts["killed" if is_kill and status else "refused" if status else "survived"] += 1
    if status == 0 and is_kill:
        tally.fault(f"{name}: was not killed")
    elif "Traceback" in told and call != "write":  # which standard error is written by, too
        tally.fault(f"{name}: {told.strip().splitlines()[-1]}")
    if status != 0:
        status, told = outcome(evo_command(command.arguments(path)))
        if status:
            tally.fault(f"{name}: going on ended with {status}: {told.strip()[-300:]}")
            return
    try:
        names = differing(command.content(path), wanted)
    except Exception as error:
        names = [f"{type(error).__name__}: {error}"]
    if names:
        tally.fault(f"{name}: {', '.join(names)} not as undisturbed")


def outcome(command: list[str]) -> tuple[int, str]:
    """Exit status and standard error of a command; one that hangs is killed."""
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            told = process.communicate(timeout=MOST_SECONDS)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return 1, f"no end in {MOST_SECONDS} s"
    return process.returncode, told
