"""An evaluator of OpenEvolve whose yardstick grows: ``evaluate(path) -> metrics, artifacts``.

A program meets all members of an archive, and joins it if it gets half of the points. ShinkaEvolve
calls the same by ``shinka_evaluator.py``.
"""

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import tournaments

MATCH = f"{sys.executable} {Path(__file__).parent}/programs/match.py {{0}} {{1}} {{seed}}"


def evaluate(path, archive="archive"):
    """Return the metrics of a program, and what it may learn from: faults, and who beat it."""
    Path(archive).mkdir(exist_ok=True)
    members = sorted(map(str, Path(archive).iterdir())) or [str(path)]
    contest = tournaments.contest(MATCH, limit_seconds=20)
    competition = tournaments.Competition(
        contest, "direct:matches=2", opponents=members, faults="forfeit"
    )
    result = competition.evaluate([str(path)])
    rows, faults = result.matches, result.faults["what"].unique()
    score = float((rows["wins"] + rows["draws"] / 2).sum() / max(1, rows["games"].sum()))
    if score >= 0.5 and not len(faults):
        shutil.copy(path, Path(archive, f"{len([*Path(archive).iterdir()]):04d}.py"))
    lost = rows["opponent"][rows["losses"] > rows["wins"]].unique()
    return {
        "metrics": {"combined_score": score, "opponents": float(len(members))},
        "artifacts": {"lost_to": "\n".join(map(str, lost)), "faults": "\n".join(faults)},
    }


def main(population=4, generations=3):
    with TemporaryDirectory() as folder:
        for generation in range(generations):
            program = Path(folder, "program.py")
            program.write_text(f"def act(x):\n    return x + {generation}\n")
            metrics = evaluate(program, Path(folder, "archive"))["metrics"]
            print(f"generation {generation}: {metrics}")


if __name__ == "__main__":
    main()
