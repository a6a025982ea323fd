"""Dots and boxes by a straight C loop, compiled for one board: the yardstick for one core.

Compiled with fast-math: its results are like those of the package, not equal bit by bit. In float32
it plays other moves at times, so that is no peer but a mark of what float64 costs.
Needs `gcc`; `available()` tells.
"""

import ctypes
import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import JOBS, POPULATION, Results, check, random_networks

FLAGS = ("-O3", "-march=native", "-fPIC")
INSTALL = "install gcc"
"""What it takes."""
ALIGNMENT = 64
"""Bytes, as `c_loop.c` expects of an array of networks."""


Outcomes = Callable[[NDArray[np.uint64]], NDArray[np.int16]]
"""Plays a game a seed; int16 [M, 1, 2] or [M, 1, 4]: the score of each seat; plies, a measure."""


def available() -> bool:
    """Whether the C compiler `gcc` is on the path."""
    return shutil.which("gcc") is not None


class Loop:
    """One job on one board: a population of random networks and a stream of random numbers.

    Raises ValueError for an unknown job, RuntimeError where the compiler is absent or fails.
    """

    def __init__(self, job: str, rows: int, cols: int, seed: int = 0, real: str = "double") -> None:
        check(job, rows, cols)
        library = _library(rows, cols, real)
        self._function = library["play_" + job.replace("-", "_")]
        self._networks = _laid_out(library, random_networks(rows, cols, seed))
        self._stream = np.array([seed], dtype=np.uint64)

    def play(self, matches: int) -> Results:
        """Play matches of two games between random pairs; results are those of the first kind."""
        results = np.zeros(3, dtype=np.int64)
        self._function(
            ctypes.c_void_p(self._networks.ctypes.data),
            ctypes.c_int(POPULATION),
            ctypes.c_int64(matches),
            ctypes.c_void_p(self._stream.ctypes.data),
            ctypes.c_void_p(results.ctypes.data),
        )
        won, drawn, lost = results.tolist()
        return won, drawn, lost


def _library(rows: int, cols: int, real: str) -> ctypes.CDLL:
    """Compile the C file for one board and `double` or `float`, and load it."""
    board = (f"-DROWS={rows}", f"-DCOLUMNS={cols}", f"-DREAL={real}")
    return compiled("c_loop.c", "-ffast-math", *board)


EXACT = "-ffp-contract=off"
"""An option of the compiler: fused operations would play other games."""


def job_of(library: ctypes.CDLL, job: str, columns: int, *numbers: ctypes.c_int) -> Outcomes:
    """Return a function from seeds, one per game, to the outcomes of a job, int16 [M, 1, columns].

    The C function takes the seeds, their number, these numbers, and room for the outcomes.
    """
    function = library[f"play_{job}"]

    def play(seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        seeds = np.ascontiguousarray(seeds)
        outcomes = np.empty((len(seeds), 1, columns), dtype=np.int16)
        function(
            ctypes.c_void_p(seeds.ctypes.data),
            ctypes.c_int64(len(seeds)),
            *numbers,
            ctypes.c_void_p(outcomes.ctypes.data),
        )
        return outcomes

    return play


@functools.cache
def compiled(name: str, *options: str) -> ctypes.CDLL:
    """Compile a C file of this folder with these options and `FLAGS`, and load it.

    Raises RuntimeError where the compiler is absent or fails.
    """
    if not available():
        raise RuntimeError("gcc is not on the path; install it, or leave the C loop out")
    source = Path(__file__).with_name(name)
    with tempfile.TemporaryDirectory() as folder:  # which may go once the library is loaded
        objects, library = Path(folder) / "loop.o", Path(folder) / "loop.so"
        _run("gcc", *FLAGS, *options, "-c", str(source), "-o", str(objects))
        # Linked without fast-math: with it, older GCC adds start-up code that makes the thread that
        # loads the library flush subnormal numbers to zero, in numpy and compiled kernels too.
        _run("gcc", "-shared", str(objects), "-o", str(library), "-lm")
        return ctypes.CDLL(str(library))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")


def _laid_out(library: ctypes.CDLL, weights: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the networks in the order that the C loops read, at an aligned address."""
    library.network_bytes.restype = ctypes.c_int64
    count = len(weights) * library.network_bytes()
    room = np.empty(count + ALIGNMENT, dtype=np.uint8)
    skipped = -room.ctypes.data % ALIGNMENT
    networks = room[skipped : skipped + count]
    weights = np.ascontiguousarray(weights)
    library.lay_out(
        ctypes.c_void_p(weights.ctypes.data),
        ctypes.c_int(len(weights)),
        ctypes.c_void_p(networks.ctypes.data),
    )
    return networks


def main() -> None:
    """Print a quick look: each job on 3x3 and 5x5 boxes."""
    from benchmarks.report import emit
    from benchmarks.timing import games_per_second

    for size in (3, 5):
        for job in JOBS:
            loop = Loop(job, size, size)
            won, drawn, lost = loop.play(5_000)
            rate = games_per_second(loop.play, 1.0)
            score = (won + drawn / 2) / (won + drawn + lost)
            emit(f"c-loop/{job}/{size}x{size}", rate, "games/s", threads=1, first_score=score)


if __name__ == "__main__":
    if available():
        main()
    else:
        print("gcc is not on the path: the C loop is left out")
