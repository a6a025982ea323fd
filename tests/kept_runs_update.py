"""Kept runs: the first half of a few runs, and the checksums of the whole. Make them anew by

    python -m tests.kept_runs_update

on purpose only, as a changed byte is a change of results: of the laws by which generations are made
and matches arranged, or of the random streams.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import evo
from evo.cli.main import main as run_command

FOLDER = Path(__file__).parent / "data" / "kept-runs"
ENDS = {"networks": 16, "roles": 16, "climbing": 80, "strategy": 16}
"""The last generation of each whole run; ``run.json`` has the command of its first half."""


def update(name: str) -> None:
    """Write the first half of a run, and the checksums of its snapshots after the second half."""
    kept = FOLDER / name
    _, *command = json.loads((kept / "run.json").read_text(encoding="utf-8"))["command"]
    assert run_command(command) == 0
    evo.resume(name, ENDS[name], threads=1)
    snapshots = sorted(Path(name, "snapshots").glob("*.parquet"))
    lines = [f"{digest(file)}  {file.relative_to(name)}\n" for file in snapshots]
    (FOLDER / f"{name}.sha256").write_text("".join(lines), encoding="utf-8")
    shutil.rmtree(name)
    assert run_command(command) == 0
    shutil.rmtree(kept)
    shutil.copytree(name, kept, ignore=shutil.ignore_patterns(".*", "status.json"))


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in ENDS:
            update(name)


if __name__ == "__main__":
    main()
