"""Games a second, beside a straight C loop and OpenSpiel: `python -m benchmarks.games`.

One JSON object a line. Each of our figures on one thread is followed by the peers' for the same job
and board, and by the ratios to them, measured in the same run.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import JOBS, c_loop, games_per_second, openspiel_peer, random_networks
from benchmarks.report import emit, machine
from cluster import Entrants, LocalEvaluator
from tournaments import games, players
from tournaments.encoding import Encoding, layers_for
from tournaments.players.network import NetworkGenomes
from tournaments.rng import generator, match_seeds

BOARDS = ((3, 3), (5, 5))
OURS = ("random", "level-1-network", "network")


def arena_player(
    job: str, rows: int, cols: int, evaluator: LocalEvaluator
) -> Callable[[int], object]:
    """A function that plays a number of matches of a job in our arena."""
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    encoding = Encoding(layers_for(game))
    genomes = encoding.encode(random_networks(rows, cols))
    panel = [players.make(kind, game) for kind in JOBS[job] if kind != "network"]
    entrants = Entrants(game, tuple(panel), NetworkGenomes(encoding), genomes)
    rng = generator(0, "benchmark")

    def play(matches: int) -> object:
        pairs = np.empty((matches, 2), dtype=np.int32)
        fixed = -1
        for side, kind in enumerate(JOBS[job]):
            if kind == "network":
                pairs[:, side] = rng.integers(0, len(genomes), matches)
            else:
                pairs[:, side], fixed = fixed, fixed - 1
        return evaluator.play(entrants, pairs, match_seeds(0, "benchmark", 0, matches))

    return play


def main() -> None:
    """Print every job on every board, ours and the peers'."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=1.0, help="a measurement lasts")
    seconds = options.parse_args().seconds
    emit("machine", 1, "machine", **machine())
    for rows, cols in BOARDS:
        for job in OURS:
            measure(job, rows, cols, seconds)


def measure(job: str, rows: int, cols: int, seconds: float) -> None:
    """One job on one board: ours on one thread and on all, then the peers and the ratios."""
    board: dict[str, Any] = {"job": job, "board": f"{rows}x{cols}"}
    rates = {}
    everything = LocalEvaluator()
    for evaluator in (LocalEvaluator(threads=1), everything):
        play = arena_player(job, rows, cols, evaluator)
        play(1)  # compiles
        rates[evaluator.threads] = games_per_second(play, seconds)
        threads = evaluator.threads
        emit("games", rates[threads], "games/s", threads=threads, by="evo-tournaments", **board)
    for name, peer in (("c", c_loop), ("open_spiel", openspiel_peer)):
        if not peer.available():
            reason = "gcc is missing" if name == "c" else "pip install '.[peers]'"
            emit("games", 0.0, "games/s", by=name, left_out=reason, **board)
            continue
        rate = peer.games_per_second(job, rows, cols, seconds)
        emit("games", rate, "games/s", by=name, **board)
        emit("games-ratio", rates[1] / rate, f"times {name}", **board)


if __name__ == "__main__":
    main()
