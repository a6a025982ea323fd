"""Where the time of a generation goes: `python -m benchmarks.generation`.

One JSON object a line for each game, scheme and part, then generations and games a second, and how
much of the time games were played. Games with roles evolve two populations. Whole runs are
made in a temporary folder, with snapshots every 10 generations; the time is that of the whole loop,
from the end of one generation to that of the next.
"""

import argparse
import tempfile
from pathlib import Path

import evo
from benchmarks.report import emit, machine
from cluster.processors import available_threads
from evo.cli.profile import Profile

SCHEMES = ("antibody-antigen", "direct", "round-robin")
FLAG = "capture-the-flag:maze=3,width=18,height=9,dots=8,moves=300"
GAMES = {
    "dots-and-boxes": SCHEMES,
    "cat-and-mouse": SCHEMES[:1],
    "fox-and-hounds": SCHEMES[:1],
    "cat-trap": SCHEMES[:1],
    "karate": SCHEMES[:1],
    "iterated-prisoners-dilemma": SCHEMES[:1],
    FLAG: SCHEMES[:1],
    "set": SCHEMES[:1],
}
"""Game -> the schemes that are measured where none are named."""
GENOMES = {
    "karate": {"encoding": "real-vector"},
    "iterated-prisoners-dilemma": {"encoding": "memory-one"},
}
"""Game -> what evolves, where that is not the game's usual genome."""
GENERATIONS = {FLAG: 50}
"""Of a game that takes long; of any other 2,000."""


def main() -> None:
    """Print the mean time of each part of a generation under each scheme."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--schemes", nargs="+", choices=SCHEMES)
    options.add_argument("--generations", type=int, help="default: 2,000, fewer of long games")
    options.add_argument("--population", type=int, default=100)
    options.add_argument("--games", nargs="+", default=list(GAMES))
    options.add_argument("--threads", type=int, default=available_threads())
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    for game in chosen.games:
        for scheme in chosen.schemes or GAMES.get(game, SCHEMES):
            with tempfile.TemporaryDirectory() as folder:
                measure(game, scheme, Path(folder), chosen)


def measure(game: str, scheme: str, folder: Path, chosen: argparse.Namespace) -> None:
    """One game under one scheme: the parts, then generations and games a second."""
    profile = Profile()
    size = {"population": chosen.population, "scheme": scheme, "game": game}
    size |= {"genome": GENOMES[game]} if game in GENOMES else {}
    generations = chosen.generations or GENERATIONS.get(game, 2000)
    evo.run(folder / "warm-up", generations=1, threads=chosen.threads, **size)
    evo.run(
        folder / "run",
        generations=generations,
        threads=chosen.threads,
        report=profile.take,
        **size,
    )
    for row in profile.rows():
        share = {"part": row["part"], "share": row["share"]}
        emit("generation", row["milliseconds"], "ms", threads=chosen.threads, **share, **size)
    for name, amount in (("generations", profile.generations), ("games", profile.games)):
        rate = amount / profile.seconds
        emit(f"{name}-a-second", rate, f"{name}/s", threads=chosen.threads, **size)


if __name__ == "__main__":
    main()
