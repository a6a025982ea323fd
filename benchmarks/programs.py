"""Evolved programs whose function a contest calls: `python -m benchmarks.programs`.

Twelve programs play a round-robin of two games in one thread, with five calls a game and program.
Three ways take turns: in the process of the match, which is not for programs that nobody has read;
in processes that play many games; in a new process for each game. One JSON object a line for each
way, for programs that import nothing and for programs that import numpy: games a second, and how
many times that of new processes it is. Medians count.
"""

import argparse
import time
from statistics import median

from benchmarks.report import emit, machine
from cluster import LocalEvaluator
from tournaments import Competition, contest
from tournaments.players import programs
from tournaments.players.programs import EvolvedPlayer, ProgramText

PLAYERS = 12
TEXTS = {"nothing": "", "numpy": "import numpy\n"}
WAYS = {"here": (False, 1), "kept": (True, programs.MOST_GAMES), "new": (True, 1)}
"""Whether the functions are confined, and the number of games that a process plays."""


def main() -> None:
    """Print each way."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=5)
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    for imports, text in TEXTS.items():
        played = [{way: games_a_second(text, way) for way in WAYS} for _ in range(chosen.repeats)]
        for way in WAYS:
            ratio = median(rates[way] / rates["new"] for rates in played)
            rate = median(rates[way] for rates in played)
            emit("programs", rate, "games/s", way=way, imports=imports, ratio=ratio)


def games_a_second(text: str, way: str) -> float:
    """Return the rate of a round-robin of programs that begin with a text, in one of the ways."""
    is_confined, programs.MOST_GAMES = WAYS[way]
    players = [
        EvolvedPlayer(
            f"program {number}",
            ProgramText(f"{text}def act(call):\n    return {number}\n", ".py"),
            f"program@{number}",
            function="act",
            is_confined=is_confined,
        )
        for number in range(PLAYERS)
    ]
    competition = Competition(contest(duel), evaluator=LocalEvaluator(1))
    begun = time.perf_counter()
    fitness = competition.evaluate(players).fitness
    seconds = time.perf_counter() - begun
    assert fitness.tolist() == sorted(fitness)
    return PLAYERS * (PLAYERS - 1) / seconds


def duel(players, seed):
    """Return the sums of what each program returns."""
    return [float(sum(player(call) for call in range(5))) for player in players]


if __name__ == "__main__":
    main()
