"""How long a command takes to start: `python -m benchmarks.startup`.

One JSON object a line for each case: seconds of processor time of a whole process up to what is
named, its wall time, and what lies above a bare interpreter (`--help`) or above importing numpy,
numba and pyarrow (a run). The least of several processes counts, the cases taking turns. Where
kernels must be compiled there is one process, as it takes long. `main-job` is the whole of `evo
run`, `tournament` one of four fixed players and a network.
"""

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cluster
import evo
import results
import tournaments
from benchmarks.report import emit, machine

TELL = "import json, time; print(json.dumps([time.process_time(), time.time()]), flush=True)"
BARE, IMPORTS = TELL, f"import numpy, numba, pyarrow\n{TELL}"
HELP = f"""
from evo.cli.main import main
try:
    main(["--help"])
except SystemExit:
    {TELL}
"""
RUN = f"""
import os, sys
from evo.cli import main as cli, progress
def first(display, state):
    {TELL}
    os._exit(0)
progress.Display.generation = first
cli.main(["run", "--threads", "1", "--out", sys.argv[1]])
"""
WHOLE = """
import sys
from evo.cli.main import main
assert main({arguments}) == 0
"""
MAIN_JOB = WHOLE.format(arguments='["run", "--out", sys.argv[1]]') + TELL
PLAYERS = "level-0 level-1 level-2 optimal NET.npy"
TOURNAMENT = (
    WHOLE.format(arguments=f"'tournament dots-and-boxes {PLAYERS} --games 200'.split()") + TELL
)
NETWORK = (
    WHOLE.format(arguments='["run", "--generations", "5", "--out", sys.argv[1]]')
    + 'assert main(["export", sys.argv[1], "NET.npy"]) == 0\n'
    + TELL
)


@dataclass
class Case:
    """A process to be measured.

    Attributes:
        script: prints what it took, as `TELL` does, on the last line.
        above: the case whose time is taken off.
        variables: of its environment, beside ours.
        least: least processor and wall time so far, in seconds.
    """

    script: str
    above: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    least: tuple[float, float] = (float("inf"), float("inf"))

    def measure(self, folder: Path) -> None:
        """Run the process once."""
        out = tempfile.mkdtemp(dir=folder) + "/run"
        command = [sys.executable, "-c", self.script, out]
        installed = {"PYTHONPATH": str(folder / "installed"), "PYTHONDONTWRITEBYTECODE": "1"}
        options: dict[str, Any] = {
            "cwd": folder,  # the packages are taken from PYTHONPATH alone
            "env": {**os.environ, **installed, **self.variables},
            "stderr": subprocess.DEVNULL,
        }
        started = time.time()
        ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, **options)
        processor, now = json.loads(ended.stdout.splitlines()[-1])
        self.least = min(self.least, (processor, now - started))


def main() -> None:
    """Print each case."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=5)
    repeats = options.parse_args().repeats
    emit("machine", 1, "machine", **machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        quick, slow = cases(folder)
        Case(NETWORK, variables=quick["main-job"].variables).measure(folder)
        for case in slow.values():
            case.measure(folder)
        for name in ("first-generation", "main-job", "tournament"):  # to fill the cache
            quick[name].measure(folder)
        for _ in range(repeats):
            for case in quick.values():
                case.measure(folder)
        tell({**quick, **slow})


def cases(folder: Path) -> tuple[dict[str, Case], dict[str, Case]]:
    """Those that need no compiler once the cache is filled, and those that do."""
    kept = {"EVO_CACHE_DIR": str(folder / "kept")}
    (folder / "file").touch()
    nowhere = {"EVO_CACHE_DIR": str(folder / "file" / "cache")}
    read_only = {**kept, "PYTHONPATH": str(folder / "read-only")}
    install(folder / "installed", folder / "read-only")
    quick = {
        "python": Case(BARE),
        "imports": Case(IMPORTS),
        "help": Case(HELP, "python"),
        "first-generation": Case(RUN, "imports", kept),
        "first-generation-read-only-install": Case(RUN, "imports", read_only),
        "main-job": Case(MAIN_JOB, "imports", kept),
        "tournament": Case(TOURNAMENT, "imports", kept),
    }
    slow = {
        "main-job-empty-cache": Case(MAIN_JOB, "imports", {"EVO_CACHE_DIR": str(folder / "m")}),
        "tournament-empty-cache": Case(TOURNAMENT, "imports", {"EVO_CACHE_DIR": str(folder / "t")}),
        "first-generation-empty-cache": Case(RUN, "imports", {"EVO_CACHE_DIR": str(folder / "e")}),
        "first-generation-no-cache": Case(RUN, "imports", nowhere),
    }
    return quick, slow


def install(usual: Path, read_only: Path) -> None:
    """Copy the packages, with bytecode as an installer leaves it, and without any."""
    for package in (cluster, evo, results, tournaments):
        source = Path(package.__path__[0])
        for folder in (usual, read_only):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(source, folder / source.name, ignore=ignored)
    compileall.compile_dir(usual, quiet=1)


def tell(measured: Mapping[str, Case]) -> None:
    """Print what was measured."""
    for name, case in measured.items():
        processor, wall = case.least
        fields: dict[str, Any] = {"case": name, "wall": wall}
        if case.above:
            fields |= {"above": case.above, "more": processor - measured[case.above].least[0]}
        emit("startup", processor, "s", **fields)


if __name__ == "__main__":
    main()
