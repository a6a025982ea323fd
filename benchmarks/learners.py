"""What each option of the climbing learners changes: `python -m benchmarks.learners [--quick]`.

On 4x4 cells both questions have an answer: with the mouse first a cat can catch every mouse, with
the cat first a mouse can escape every cat. Each learner climbs on both boards, from several seeds,
for the same number of games; then exact play
(`tournaments.games.cat_and_mouse.solver.best_response`) says what the best possible opponent does
to the incumbent. A table of Markdown, a row a learner:

* proved: runs whose incumbent wins from the corners against anybody;
* placements: the share of those from which it wins against anybody, where one can: the mean of
  the runs, and the standard deviation between them;
* plies: the median of those in which the best cat catches the mouse, or the cat every mouse;
* random, greedy: games won against these, from the corners.

Each option is set alone, beside `games=5` from starts that are drawn.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from statistics import mean, median, stdev
from typing import Any, NamedTuple

import numpy as np

from cluster import LocalEvaluator
from cluster.evaluator import all_outcomes
from cluster.processors import available_threads
from evo.config import config as configuration
from evo.evolution.loop import Clock, evaluate
from evo.evolution.start import learner_of
from evo.genomes.base import Plan
from evo.population import EvaluatedGeneration
from tournaments import games, players
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.game import Game
from tournaments.games.cat_and_mouse.solver import NEVER, best_response, plies_to_capture
from tournaments.schedules.base import Matches
from tournaments.schedules.combined import Placed
from tournaments.schedules.pairs import against_panel

BOARDS = {
    "cat": {"rows": 4, "cols": 4, "first": "mouse"},
    "mouse": {"rows": 4, "cols": 4, "first": "cat"},
}
"""By the side that can win: a board on which it can."""
DRAWN = {"cat_start": "any", "mouse_start": "any"}
PANEL = ["random", "greedy"]
YARDSTICKS = ("random", "greedy")
YARDSTICK_GAMES = 200
BASE: dict[str, Any] = {"name": "hill-climbing", "games": 5}
ONE: dict[str, Any] = {"candidates": 1, "changes": 5}
"""With ten variants the best is hardly ever worse than the incumbent, so annealing has no say.

Annealing takes what is as good, too: it is to be compared with drift.
"""
VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "games=1, from the corners": {"games": 1},
    "games=1": {"games": 1},
    "games=20": {"games": 20},
    "same_games": {"same_games": True},
    "drift": {"drift": True},
    "changes=5": {"changes": 5},
    "changes=5, drawn": {"changes": 5, "changes_drawn": True},
    "candidates=2": {"candidates": 2},
    "candidates=40": {"candidates": 40},
    "jump_after=20": {"jump_after": 20},
    "turn_after=20": {"turn_after": 20},
    "archive=1": {"archive": 1},
    "archive=8": {"archive": 8},
    "panel": {"panel": PANEL},
    "panel, not current": {"panel": PANEL, "current": False},
    "measures=wins": {"measures": ["wins"]},
    "measures=wins,distance,plies": {"measures": ["wins", "distance", "plies"]},
    "stop_after=20": {"stop_after": 20},
    "one variant": ONE,
    "one variant, drift": {**ONE, "drift": True},
    "one variant, annealing 0.05": {**ONE, "name": "annealing", "temperature": 0.05},
    "one variant, annealing 0.2": {**ONE, "name": "annealing", "temperature": 0.2},
    "one variant, annealing 0.2, half_life=200": {
        **ONE, "name": "annealing", "temperature": 0.2, "half_life": 200.0,
    },
}  # fmt: skip


class Found(NamedTuple):
    """What a run ended with.

    Attributes:
        is_proved: whether the incumbent wins from the corners against anybody.
        placements: the share of those from which it does, where one can.
        plies: to the capture by the best opponent; None: never.
        games: that were played.
        rates: games won against each of the yardsticks.
    """

    is_proved: bool
    placements: float
    plies: int | None
    games: int
    rates: tuple[float, ...]


def main() -> None:
    """Print a row for each learner on each board."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--games", type=int, default=60_000, help="of a run")
    options.add_argument("--seeds", type=int, default=6)
    options.add_argument("--only", nargs="+", default=list(VARIANTS), choices=VARIANTS)
    options.add_argument("--processes", type=int, default=available_threads())
    options.add_argument("--quick", action="store_true", help="2,000 games, 2 seeds")
    chosen = options.parse_args()
    if chosen.quick:
        chosen.games, chosen.seeds = 2000, 2
    print("| side | learner | proved | placements | plies | games | random | greedy |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    with ProcessPoolExecutor(chosen.processes) as pool:
        for side in BOARDS:
            for name in chosen.only:
                asked = repeat(side), repeat(name), range(1, chosen.seeds + 1)
                print(
                    row(side, name, list(pool.map(climb, *asked, repeat(chosen.games)))), flush=True
                )


def row(side: str, name: str, found: Sequence[Found]) -> str:
    """Return the row of a learner's runs on one board."""
    caught = [one.plies for one in found if one.plies is not None]
    shares = [one.placements for one in found]
    cells = [
        side,
        name,
        f"{sum(one.is_proved for one in found)} of {len(found)}",
        f"{mean(shares):.2f} ± {stdev(shares):.2f}",
        f"{median(caught):g}" if caught else "",
        f"{median(one.games for one in found):,.0f}",
        *(f"{mean(rates):.2f}" for rates in zip(*(one.rates for one in found), strict=True)),
    ]
    return f"| {' | '.join(cells)} |"


def climb(side: str, name: str, seed: int, most_games: int) -> Found:
    """One run, and what exact play and the yardsticks say of its incumbent."""
    starts = {} if "corners" in name else DRAWN
    board = {"name": "cat-and-mouse", **BOARDS[side], **starts}
    config = configuration.from_dict(
        {"game": board, "seed": seed, "learner": BASE | VARIANTS[name]}
    )
    learner, evaluator = learner_of(config), LocalEvaluator(1)
    present, played = evaluate(config, learner, evaluator, learner.first(), Clock())
    while played < most_games and not learner.is_done(present):
        present, more = evaluate(config, learner, evaluator, learner.next(present), Clock())
        played += more
    game, genes = games.make("cat-and-mouse", **BOARDS[side]), incumbent(present, side)
    proved, placements, plies = proof(game, side, config.plan(side), genes)
    return Found(proved, placements, plies, played, rates(game, side, config.plan(side), genes))


def incumbent(present: EvaluatedGeneration, side: str) -> np.ndarray:
    """Return the genes with which a side continues, uint8 `[1, G]`."""
    population = present.by_name[side]
    assert population is not None
    seat = list(BOARDS).index(side)
    accepted = present.state["accepted"] if present.state["learning"] == seat else 0
    return population.population.genes[accepted : accepted + 1]


def proof(game: Game, side: str, plan: Plan, genes: np.ndarray) -> tuple[bool, float, int | None]:
    """Whether it wins from the corners, the share of placements, plies to the capture."""
    seat = list(BOARDS).index(side)
    policy = plan.genome.representation.policy(genes[0], seat)
    found, best = best_response(game, policy, side), plies_to_capture(game)
    can = (best != NEVER) & (best > 0) if seat == 0 else best == NEVER
    does = (found.table != NEVER) == (seat == 0)
    return found.winner == seat, float(does[can].mean()), found.plies


def rates(game: Game, side: str, plan: Plan, genes: np.ndarray) -> tuple[float, ...]:
    """Return the share of games from the corners that a table wins against each yardstick."""
    panel = tuple(players.make(name, game) for name in YARDSTICKS)
    entrants = Entrants(game, panel, (Genomes(plan.genome.representation, genes),))
    seat, number = list(BOARDS).index(side), len(panel)
    against = against_panel(np.zeros(1, dtype=np.int64), YARDSTICK_GAMES, number)
    schedule = Placed(against, seat, (0, -1), (0, 0))
    outcomes = all_outcomes(
        LocalEvaluator(1), entrants, Matches(schedule, 1, "yardsticks", games=1)
    )
    return tuple(outcomes[:, 0, seat].reshape(number, -1).mean(axis=1).tolist())


if __name__ == "__main__":
    main()
