"""Kept runs: the first half of a few runs, and the checksums of the whole. Make them anew by

    python -m tests.kept_runs_update

on purpose only, as a changed byte is a change of results: of the laws by which generations are made
and matches arranged, or of the random streams.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import evo
from evo.cli.main import main as run_command

FOLDER = Path(__file__).parent / "data" / "kept-runs"
COMMANDS = {
    "networks": "--game dots-and-boxes:rows=2,cols=2 --scheme antibody-antigen --population 12 "
    "--set snapshot_interval=4 --generations 8",
    "roles": "--game cat-and-mouse:rows=4,cols=4 --scheme antibody-antigen --population 12 "
    "--set snapshot_interval=4 --generations 8",
    "climbing": "--game cat-and-mouse:rows=4,cols=4,end=move-limit,cat_start=any,mouse_start=any "
    "--learner hill-climbing --set snapshot_interval=20 --set learner.candidates=5 "
    "--set learner.games=4 --set learner.turn_after=5 --set learner.archive=2 --generations 40",
    "strategy": "--game dots-and-boxes:rows=2,cols=2 --learner openai-es --scheme hall-of-fame "
    "--population 11 --set snapshot_interval=4 --generations 8",
}
"""The first half of each run, but for its seed, threads and folder."""
ENDS = {"networks": 16, "roles": 16, "climbing": 80, "strategy": 16}
"""The last generation of each whole run."""


def update(name: str) -> None:
    """Write the first half of a run, and the checksums of its snapshots after the second half."""
    kept = FOLDER / name
    sys.argv = [
        "evo",
        "run",
        *COMMANDS[name].split(),
        *f"--seed 3 --threads 1 --out {name}".split(),
    ]
    assert run_command(sys.argv[1:]) == 0
    evo.resume(name, ENDS[name], threads=1)
    snapshots = sorted(Path(name, "snapshots").glob("*.parquet"))
    lines = [f"{digest(file)}  {file.relative_to(name)}\n" for file in snapshots]
    (FOLDER / f"{name}.sha256").write_text("".join(lines), encoding="utf-8")
    shutil.rmtree(name)
    assert run_command(sys.argv[1:]) == 0
    shutil.rmtree(kept)
    shutil.copytree(name, kept, ignore=shutil.ignore_patterns(".*", "status.json"))


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in COMMANDS:
            update(name)


if __name__ == "__main__":
    main()
