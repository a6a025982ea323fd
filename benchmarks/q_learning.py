"""Q-learning of fox and hounds beside a C loop: `python -m benchmarks.q_learning`.

Turns a minute on one thread, both sides learning from nothing, and the ratio to C, the median of
rounds by processor time of the thread. Both learn from the same games, and a value that differs
ends the benchmark. Compilation is left out of every figure.
"""

import argparse
import ctypes
import statistics
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import c_loop
from benchmarks.report import emit, machine
from evo.learners.q_learning import QLearningOptions
from tournaments import games
from tournaments.arena.training import Lesson, Pupil
from tournaments.players.value_table import INITIAL, ValueEncoding

GAME = games.make("fox-and-hounds")
SEED = 1


class Rates(NamedTuple):
    """Exploration, learning rate, and what a reward is worth a turn later."""

    epsilon: float = 0.1
    eta: float = 0.5
    gamma: float = 0.99


RATES = Rates()


class Tables(NamedTuple):
    """The values of the fox and of the hounds, float32; NaN: never tried."""

    fox: NDArray[np.float32]
    hounds: NDArray[np.float32]


def empty_tables() -> Tables:
    """Tables in which nothing was tried."""
    sizes = (ValueEncoding(GAME, (seat,)).num_genes for seat in range(2))
    return Tables(*(np.full(size, np.nan, dtype=np.float32) for size in sizes))


def our_learning(tables: Tables, turns: int) -> NDArray[np.int64]:
    """Learn into the tables until so many turns are over, with the game in hand.

    Returns turns, games, games won by the fox and by the hounds, positions seen by each.
    """
    pupils = []
    for seat, table in enumerate(tables):
        held = ValueEncoding(GAME, (seat,)).from_numbers(table[None])
        numbers = np.array([held.numbers[INITIAL], *RATES])
        pupils.append(Pupil(QLearningOptions.kind, held._replace(numbers=numbers)))
    a, b = pupils
    lesson = Lesson(GAME, a, b, 0, False, SEED, turns, np.zeros(4, dtype=np.int64))
    learned = lesson.run()
    visited = [int(side.visited[0]) for side in (learned.a.memory, learned.b.memory)]
    return np.array([*learned.counts, *visited])


def their_learning(tables: Tables, turns: int) -> NDArray[np.int64]:
    """Learn by a plain C loop on 8x8 squares, with the package's draws and numbers of states."""
    counts = np.zeros(6, dtype=np.int64)
    c_loop.compiled("q_learning_loop.c", c_loop.EXACT).q_learn(
        *(ctypes.c_void_p(table.ctypes.data) for table in tables),
        *map(ctypes.c_double, RATES),
        ctypes.c_uint64(SEED),
        ctypes.c_int64(turns),
        ctypes.c_void_p(counts.ctypes.data),
    )
    return counts


def check_equal(turns: int) -> None:
    """Raise RuntimeError where a count or a value differs."""
    ours, theirs = empty_tables(), empty_tables()
    counts = our_learning(ours, turns), their_learning(theirs, turns)
    if not np.array_equal(*counts):
        raise RuntimeError(f"counts differ: ours {counts[0]}, C's {counts[1]}")
    for name, our, their in zip(GAME.seats, ours, theirs, strict=True):
        differing = np.flatnonzero(our.view(np.uint32) != their.view(np.uint32))
        both_new = np.isnan(our[differing]) & np.isnan(their[differing])
        if not both_new.all():
            place = differing[~both_new][0]
            raise RuntimeError(f"value {place} of the {name}: {our[place]}, C's {their[place]}")


def turns_a_minute(learning: object, turns: int) -> float:
    """Of one call, by processor time of this thread."""
    tables = empty_tables()
    begun = time.thread_time()
    counts = learning(tables, turns)  # type: ignore[operator]
    return 60.0 * int(counts[0]) / (time.thread_time() - begun)


def main() -> None:
    """Print the rates and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a million turns a round, 3 rounds")
    parser.add_argument("--json", action="store_true", help="JSON objects in place of sentences")
    options = parser.parse_args()
    turns, rounds = (1_000_000, 3) if options.quick else (5_000_000, 7)
    our_learning(empty_tables(), 1)
    peers = [our_learning]
    if c_loop.available():
        check_equal(1_000_000)
        peers.append(their_learning)
    rates = [[turns_a_minute(peer, turns) for peer in peers] for _ in range(rounds)]
    ours = statistics.median(each[0] for each in rates)
    ratio = statistics.median(each[0] / each[-1] for each in rates)
    if options.json:
        emit("machine", 1, "machine", **machine())
        emit("q-learning-turns", ours, "turns/min", game=GAME.spec)
        if len(peers) > 1:
            emit("q-learning-ratio", ratio, "times c", game=GAME.spec)
        else:
            emit("q-learning-ratio", 0.0, "times c", left_out=c_loop.INSTALL)
        return
    print(f"{ours / 1e6:,.0f} million turns a minute on one thread, both sides learning")
    if len(peers) > 1:
        print(f"{ratio:.2f} of C, by the same games and to the same values")
    else:
        print(f"c is left out: {c_loop.INSTALL}")


if __name__ == "__main__":
    main()
