"""What a population costs in each of the ways to give it: `python -m benchmarks.competition`.

The same networks on 2x2 boxes, everybody against everybody: as genomes, and as a list of their
individuals, of arrays of weights, of names of files, and of players that were made before. One JSON
object a line for each way: seconds of processor time of a generation, and how many times that of
genomes it is. The ways take turns; medians count.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import POPULATION, random_networks
from benchmarks.report import emit, machine
from tournaments import Competition, Genomes, games
from tournaments.game import Game
from tournaments.players import as_players
from tournaments.players.network import Encoding, layers_for


def main() -> None:
    """Print each way."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--players", type=int, default=60, choices=range(2, POPULATION + 1))
    options.add_argument("--repeats", type=int, default=30)
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    game = games.make("dots-and-boxes", rows=2, cols=2)
    weights = random_networks(2, 2)[: chosen.players]
    with tempfile.TemporaryDirectory() as folder:
        competitions = {
            way: (Competition(game), given) for way, given in ways(game, weights, folder).items()
        }
        played = [turn(competitions) for _ in range(chosen.repeats + 1)][1:]  # the first compiles
    for way in competitions:
        seconds = statistics.median(times[way] for times in played)
        ratio = statistics.median(times[way] / times["genomes"] for times in played)
        emit("competition", seconds, "s", way=way, ratio=ratio, players=chosen.players)


def ways(game: Game, weights: np.ndarray, folder: str) -> dict[str, Any]:
    """Return the networks ``[N, W]`` in each form, by its name."""
    encoding = Encoding(layers_for(game))
    genomes = Genomes(encoding, encoding.encode(weights))
    files = [str(Path(folder) / f"{number}.npy") for number in range(len(weights))]
    arrays = list(encoding.decode(genomes.packed))
    for file, array in zip(files, arrays, strict=True):
        np.save(file, array)
    given = {"individuals": [*genomes], "arrays": arrays, "files": files}
    return {"genomes": genomes, **given, "players": as_players(arrays, game)}


def turn(competitions: dict[str, tuple[Competition, Any]]) -> dict[str, float]:
    """Seconds of processor time of a generation of each way, whose fitness must be the same."""
    seconds, fitness = {}, []
    for way, (competition, given) in competitions.items():
        begun = time.process_time()
        fitness.append(competition.evaluate(given).fitness)
        seconds[way] = time.process_time() - begun
    assert all(np.array_equal(each, fitness[0]) for each in fitness), "other networks were played"
    return seconds


if __name__ == "__main__":
    main()
