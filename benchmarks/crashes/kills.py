"""Work that is killed at drawn moments, again and again, until it is done."""

import argparse
import itertools
import random
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.crashes.child import status_of
from benchmarks.crashes.tally import Tally
from benchmarks.crashes.work import Work, all_work, differing


def kill_at_random(folder: Path, chosen: argparse.Namespace, tally: Tally) -> None:
    """Kill pieces of work at drawn moments until there were enough kills."""
    works = [work for work in all_work() if chosen.only in work.name]
    for number, work in enumerate(works):
        share = chosen.kills * (number + 1) // len(works) - chosen.kills * number // len(works)
        work.warm()
        base = folder / work.name.replace(" ", "-")
        base.mkdir()
        started = time.monotonic()
        if not in_child(partial(work.begin, base / "straight"), None, tally):
            tally.fault(f"{work.name}: cannot be done undisturbed")
            continue
        longest = time.monotonic() - started
        draw, kills, attempt = random.Random(f"{chosen.seed} {work.name}"), 0, 0
        while kills < share and not tally.is_late():
            attempt += 1
            path = base / str(attempt)
            kills += killed_until_done(work, path, draw, longest, share - kills, tally)
            compare(work, path, base / "straight", f"{work.name}, attempt {attempt}", tally)
            shutil.rmtree(path, ignore_errors=True)
        tally.counts["kills"] += kills
        tally.counts["pieces"] += attempt
        print(f"{work.name}: {kills} kills, {attempt} times done", flush=True)


def killed_until_done(
    work: Work, path: Path, draw: random.Random, longest: float, most: int, tally: Tally
) -> int:
    """Begin again and again; how often the work was killed."""
    for kills in itertools.count():
        path.mkdir(exist_ok=True)
        delay = draw.random() * longest if kills < most else None
        if in_child(lambda: work.begin(path), delay, tally):
            return kills
    raise AssertionError


def in_child(work: Callable[[], object], delay: float | None, tally: Tally) -> bool:
    """Do work in a child, killed after a delay; whether it was done. One that fails is a fault."""
    status = status_of(work, delay)
    if status:
        tally.fault(f"a process that went on ended with {status}")
    return status is not None


def compare(work: Work, path: Path, straight: Path, name: str, tally: Tally) -> None:
    """Note what differs from work that nothing disturbed; in a child, as readers start threads."""

    def check() -> None:
        if names := differing(work.content(path), work.content(straight)):
            print(f"{name}: {', '.join(names)} differ", flush=True)
            raise SystemExit(1)

    before = len(tally.faults)
    in_child(check, None, tally)
    if len(tally.faults) > before:
        tally.fault(f"{name} is not what it is undisturbed")
