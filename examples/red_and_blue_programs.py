"""Red and blue populations of programs against each other, as OpenEvolve's issue 311 asks for.

Each match runs two programs in a process of its own, within the limits of bots. A language model
would take the place of ``changed``.
"""

import random
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import tournaments

MATCH = f"{sys.executable} {Path(__file__).parent}/programs/match.py {{0}} {{1}} {{seed}}"
FIRST = "def act(x):\n    return 0.5 * x + 0.1 * x * x\n"


def changed(text, rng):
    """Return a program with one of its numbers changed."""
    at = rng.choice([*re.finditer(r"\d+\.\d+", text)])
    number = abs(float(at[0]) + rng.gauss(0, 0.3))
    return f"{text[: at.start()]}{number:.2f}{text[at.end() :]}"


def main(population=6, generations=5):
    rng = random.Random(1)
    contest = tournaments.contest(MATCH, ("red", "blue"))
    competition = tournaments.Competition(contest, seed=1, faults="forfeit")
    sides = [[changed(FIRST, rng) for _ in range(population)] for _ in contest.seats]
    for generation in range(generations):
        with TemporaryDirectory() as folder:
            files = [[Path(folder, f"{s}-{n}") for n in range(population)] for s in contest.seats]
            for group, texts in zip(files, sides, strict=True):
                for file, text in zip(group, texts, strict=True):
                    file.write_text(text)
            fitness = competition.evaluate(*([*map(str, group)] for group in files)).fitness
        ranked = [
            [text for _, text in sorted(zip(-points, texts, strict=True))]
            for points, texts in zip(fitness, sides, strict=True)
        ]
        best = " against ".join(texts[0].split("return ")[1].strip() for texts in ranked)
        print(f"generation {generation}: {best}")
        halves = [texts[: population // 2] for texts in ranked]
        sides = [half + [changed(text, rng) for text in half] for half in halves]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))  # POPULATION GENERATIONS
