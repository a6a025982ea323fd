"""What several tests do to runs: stop, kill, damage, count and compare them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
from numpy._core import _multiarray_umath as multiarray
from processes import ROOT

from cluster import LocalEvaluator
from results import open_run


def without_vectors() -> dict[str, str]:
    """Variables of a process whose kernels, numpy and C library use no newer instructions.

    Exponentials and logarithms of numpy and of the C library do come out otherwise by them.
    """
    features = multiarray.__cpu_features__
    found = [name for name in multiarray.__cpu_dispatch__ if features.get(name)]
    return {
        "NUMBA_CPU_NAME": "generic",
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX2_Usable,-FMA_Usable",
    }


def snapshot_bytes(path: Path) -> dict[str, bytes]:
    """Every file of ``snapshots/``, and the list of digests."""
    files = [*(path / "snapshots").iterdir(), path / "snapshots.sha256"]
    return {file.name: file.read_bytes() for file in sorted(files)}


GAMES = 8 * 7


def assert_same_run(path: Path, reference: Path, generations: int, games: int = GAMES) -> None:
    """The same snapshots to the byte, each generation once, and games counted from the start."""
    found, wanted = snapshot_bytes(path), snapshot_bytes(reference)
    assert sorted(found) == sorted(wanted)
    assert [name for name in found if found[name] != wanted[name]] == []
    assert not list(path.rglob("*.tmp"))
    table, uninterrupted = open_run(path).generations, open_run(reference).generations
    populations = table["population"].nunique()
    expected = [number for number in range(generations + 1) for _ in range(populations)]
    assert table["generation"].tolist() == expected
    as_files = pd.read_parquet(path / "generations")["generation"]
    assert sorted(as_files) == expected
    assert table["games_played"].tolist() == [games * (number + 1) for number in expected]
    for column in ("population", "best", "mean", "std", "diversity"):
        assert table[column].tolist() == uninterrupted[column].tolist(), column


class Stopping:
    """Threads that send this process signals in the middle of the n-th generation they play."""

    def __init__(self, generation: int, signals: list[int]) -> None:
        self.inner = LocalEvaluator(2)
        self.left, self.signals = generation, signals

    def play(self, entrants, matches):
        if self.left == 0:
            for number in self.signals:
                signal.raise_signal(number)
        self.left -= 1
        return self.inner.play(entrants, matches)

    def close(self) -> None:
        self.inner.close()


KILLS = '''
"""Fork a process that evolves, kill it, and again until the run is done; print what happened."""
import json, os, random, signal, sys
from pathlib import Path
from benchmarks.crashes.child import status_of
from benchmarks.crashes.work import run_work  # all imports before the forks
from evo.evolution import runs
from results.storage import system

folder, options, plan = Path(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
run_work("", options).warm()

class Fuse:
    """Kills the process just before the n-th call that changes something on the disk."""
    def __init__(self, calls):
        self.left = calls
        for name in ("write", "fsync", "replace", "unlink", "mkdir", "truncate"):
            setattr(system, name, self.around(getattr(system, name)))
    def around(self, function):
        def call(*arguments, **keywords):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **keywords)
        return call

def attempt(path, fuse=None, delay=None):
    """True when the run was done, False when it was killed."""
    def work():
        if fuse is not None:
            Fuse(fuse)
        if (path / "run.json").exists():
            runs.resume(path, threads=1)
        else:
            runs.run(path, options, threads=1)
    status = status_of(work, delay)
    assert not status, status
    return status is not None

def at_each_call():
    """Killed at the n-th call of the run, then at some call of the resumed run, then let go."""
    calls = 1
    while not attempt(folder / str(calls), fuse=calls):
        attempt(folder / str(calls), fuse=1 + calls * 5 % 17)
        assert attempt(folder / str(calls))
        calls += 1
    print(calls - 1, flush=True)

def at_random(seed):
    """Killed after random times until the run is done; seconds to finish grow, so it ends."""
    draw, kills, longest = random.Random(seed), 0, 0.02
    while not attempt(folder / str(seed), delay=draw.random() * longest):
        kills += 1
        longest *= 1.1
    print(kills, flush=True)

at_each_call() if plan == "each" else [at_random(seed) for seed in plan]
'''


def killed(folder: Path, options: dict, plan: object) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", KILLS, folder, json.dumps(options), json.dumps(plan)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        check=True,
    )
    return [int(line) for line in done.stdout.split()]


def flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


class Interpreted:
    """Lessons by the interpreter, so that nothing is compiled for them; matches as ever."""

    def __init__(self) -> None:
        self._inner = LocalEvaluator(1)
        self.play = self._inner.play

    def work(self, pieces):
        return [piece.run(compiled=False) for piece in pieces]

    def close(self) -> None:
        self._inner.close()


class Counting:
    """One thread, how many matches it has played, by which seeds; it may fail after some calls."""

    def __init__(self, fails_after: int | None = None) -> None:
        self.inner, self.matches, self.calls = LocalEvaluator(1), 0, 0
        self.seeds: set[int] = set()
        self.fails_after = fails_after

    def play(self, entrants, matches):
        if self.calls == self.fails_after:
            raise KeyboardInterrupt
        self.calls += 1
        self.matches += len(matches)
        self.seeds.update(matches.part(0, len(matches))[1].tolist())
        return self.inner.play(entrants, matches)

    def close(self) -> None:
        self.inner.close()
