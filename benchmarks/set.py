"""The solvers of Set, and games of it: `python -m benchmarks.set`.

One row for each of the three solvers: tables of twelve cards a second, compiled and as the Python
program of the article has them, and the median of the ratios of turns that the two take. Then games
a second of each player against random play, in the arena, on one thread. Times are of the
processor; compilation is left out of every figure.
"""

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from benchmarks import Results
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Comparison, Plan, Play, compare, games_per_second
from cluster import Entrants
from evo.studies.set import in_python
from evo.studies.set.study import tables_at_random
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.games.set import solvers
from tournaments.kernels.linker import build
from tournaments.kernels.rng import match_seeds

PLAYERS = ("random", "all-different-first", "alike-first", "spoiler")
PLAN, QUICK_PLAN = Plan(0.2, 9, time.thread_time), Plan(0.02, 3, time.thread_time)
TABLES = 20_000


def check_equal(tables: NDArray[np.int8]) -> None:
    """RuntimeError where two solvers differ on a table."""
    for number, cards in enumerate(tables):
        expected = solvers.find_sets(cards, "triples").tolist()
        for name, solver in in_python.SOLVERS.items():
            slow = sorted(map(list, solver(cards)))
            fast = solvers.find_sets(cards, name).tolist()
            if not expected == slow == fast:
                raise RuntimeError(f"table {number}: {name} finds {fast} and {slow}: {expected}")


def compiled(name: str, tables: NDArray[np.int8]) -> Play:
    """Return a function that solves two tables per match by a compiled solver."""
    count = build(solvers.count_sets_of, {"solve": solvers.SOLVERS[name]})
    found, room = solvers.room_for(tables)
    counts = np.zeros(len(tables), dtype=np.int64)

    def play(matches: int) -> Results:
        for _ in range(0, 2 * matches, len(tables)):
            count(tables, found, room, counts)
        return -(-2 * matches // len(tables)) * len(tables), 0, 0

    return play


def plain(name: str, tables: NDArray[np.int8]) -> Play:
    """Return a function that solves two tables per match by the article's solver in Python."""
    solver = in_python.SOLVERS[name]

    def play(matches: int) -> Results:
        for number in range(2 * matches):
            solver(tables[number % len(tables)])
        return 2 * matches, 0, 0

    return play


def arena(name: str) -> Play:
    """Games of a player against random play, both seats."""
    game = games.make("set")
    entrants = Entrants(game, [players.make(each, game) for each in (name, "random")])

    def play(matches: int) -> Results:
        pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))
        play_pairs(entrants, pairs, match_seeds(0, "benchmark", 0, matches), 2)
        return 2 * matches, 0, 0

    return play


def options() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short turns, few of them")
    parser.add_argument("--json", action="store_true", help="JSON objects in place of a table")
    return parser.parse_args()


def show_solver(name: str, ratio: Comparison, as_json: bool) -> None:
    """Print what was measured of a solver."""
    if as_json:
        emit("set-tables", ratio.ours, "tables/s", solver=name)
        emit("set-ratio", ratio.ratio, "times python", solver=name)
    else:
        rates = f"{ratio.ours:,.0f}", f"{ratio.theirs:,.0f}", f"{ratio.ratio:,.0f}"
        emit_row("solver", name, "", *rates, "")


def main() -> None:
    """Print every solver and player."""
    chosen = options()
    plan = QUICK_PLAN if chosen.quick else PLAN
    tables = tables_at_random(TABLES)
    check_equal(tables[:20])
    if chosen.json:
        emit("machine", 1, "machine", **machine())
    else:
        emit_row("what", "who", "", "ours/s", "Python/s", "ratio", "")
    for name in solvers.SOLVERS:
        show_solver(name, compare(compiled(name, tables), plain(name, tables), plan), chosen.json)
    for name in PLAYERS:
        rate = games_per_second(arena(name), 10 * plan.seconds)
        if chosen.json:
            emit("set-games", rate, "games/s", player=name, opponent="random")
        else:
            emit_row("games", name, "random", f"{rate:,.0f}", "", "", "")


if __name__ == "__main__":
    main()
