"""The experiments run: tables of values that learn, and their worth after each phase.

A phase is 100,000 turns of each pair; then the pairs play without learning, once with the fox's
exploration at 0 and once with the hounds'. All pairs of a cell, one per seed, learn in a
single population. The final play of a pair is evaluated exactly, over all positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from cluster import LocalEvaluator
from evo.config.config import Config, from_dict
from evo.genomes.base import Plan
from evo.population import Generation
from evo.studies.fox_and_hounds.experiments import (
    BY_NAME,
    CELLS,
    GAME,
    LEAST,
    PHASE,
    PUBLISHED,
    ROLES,
    Cell,
    FoxAndHoundsSettings,
)
from evo.studies.kept import kept
from evo.studies.settings import Announce
from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.game import Game
from tournaments.kernels.hooks import state_number
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import match_seeds
from tournaments.player import CompiledPlayer
from tournaments.solver.every_game import graph_meetings, graph_responses
from tournaments.solver.graph import Graph
from tournaments.solver.retrograde import solution
from tournaments.solver.states import states_of

COUNTED = 20
"""Phases from one count of the ends seen to the next, in experiment 5."""
PROVED = ("2-high", "5-low-low", "5-low-high", "5-high-low", "5-high-high", "adaptive", "least")
"""Cells whose hounds are measured exactly."""


@dataclass(frozen=True, eq=False)
class LearningCourse:
    """Results of a cell after each of K phases, the first of no turns, of S pairs.

    Attributes:
        cell: the parameters.
        turns: int64 [K].
        wins: by role, float64 [K, S]: share of the games that the role wins without exploration.
        visited: by role, int64 [K, S]: positions of its own turns that the role has seen.
        ends: float64 [K, S], ends of games seen; NaN where they are not counted.
        games: int64 [S], games learned from.
        worth: exact worth of the final tables; None: not computed.
    """

    cell: Cell
    turns: np.ndarray
    wins: Mapping[str, np.ndarray]
    visited: Mapping[str, np.ndarray]
    ends: np.ndarray
    games: np.ndarray
    worth: HoundsWorth | None = None

    def seen(self, role: str) -> np.ndarray:
        """Return the positions that each pair has seen of a role, as the source counts them.

        The result is float64 [K, S]: by phase and pair, with ends of games.
        """
        return self.visited[role] + self.ends

    def late(self, role: str) -> np.ndarray:
        """Return each pair's mean share of games won by a role in the last quarter, float64 [S]."""
        return self.wins[role][-max(1, len(self.turns) // 4) :].mean(axis=0)

    def unsteadiness(self, role: str) -> np.ndarray:
        """Return the standard deviation of each pair's wins in the last quarter, float64 [S]."""
        return self.wins[role][-max(2, len(self.turns) // 4) :].std(axis=0)

    def turns_until(self, role: str, share: float) -> np.ndarray:
        """Return the turns until a role wins a share of each pair's games, float64 [S].

        The number is infinite for pairs that never win the share.
        """
        reached = self.wins[role] >= share
        first = self.turns[reached.argmax(axis=0)].astype(np.float64)
        return np.where(reached.any(axis=0), first, np.inf)


Tables = Mapping[str, np.ndarray]
"""By role, the values of the pairs of a cell, float32 ``[S, V]``."""


def run_cells(
    settings: FoxAndHoundsSettings, yardstick: GameYardstick, announce: Announce
) -> Iterator[LearningCourse]:
    """Yield the learning courses of all cells of the experiments with fox and hounds.

    They are read from the folder of finished courses, or run now. The tables of the cells that
    others go on with are kept until the end.
    """
    tables: dict[tuple[str, str], np.ndarray] = {}
    needed = {(name, role) for cell in CELLS for role, name in cell.starts.items()}

    def run(cell: Cell) -> dict[str, np.ndarray]:
        for role, name in cell.starts.items():
            if (name, role) not in tables:  # its course was kept, but not its tables
                run(BY_NAME[name])
        starts = {role: tables[name, role] for role, name in cell.starts.items()}
        announce(f"experiment {cell.name}: {cell.in_words}")
        count_ends = yardstick.ends.count if cell.experiment == 5 else None
        columns, learned = _learned(cell, settings, starts, count_ends)
        for role in ROLES:
            if (cell.name, role) in needed:
                tables[cell.name, role] = learned[role]
        if cell.name in PROVED:
            announce(f"experiment {cell.name}, exactly")
            columns |= yardstick.of(pairs_of(cell, learned, settings))._asdict()
        return columns

    numbers = settings.seeds, settings.turns, settings.phase, settings.games, settings.exact
    of_roles = [f"{what}_{role}" for what in ("wins", "visited") for role in ROLES]
    for cell in CELLS:
        what = map(repr, (cell, *numbers, settings.game.spec, settings.seed))
        laws = config_of(cell, settings).laws
        proved = HoundsWorth._fields if cell.name in PROVED else ()
        names = ("turns", "games", "ends", *of_roles, *proved)
        columns = kept(settings.runs, cell.name, (*what, laws), names, partial(run, cell))
        yield _course(cell, columns)


def _course(cell: Cell, columns: Mapping[str, np.ndarray]) -> LearningCourse:
    wins, visited = (
        {role: columns[f"{what}_{role}"] for role in ROLES} for what in ("wins", "visited")
    )
    worth = (
        HoundsWorth(*(columns[name] for name in HoundsWorth._fields)) if "lost" in columns else None
    )
    turns, ends, games = (columns[name] for name in ("turns", "ends", "games"))
    return LearningCourse(cell, turns, wins, visited, ends, games, worth)


def published_courses() -> dict[str, LearningCourse]:
    """Return the published learning courses of fox and hounds, by the name of the cell.

    Each is that of a single pair.
    """
    rows = pd.read_csv(PUBLISHED, comment="#").groupby("cell", sort=False)
    courses = {}
    for name, phases in rows:
        turns, none = phases["phase"].to_numpy() * PHASE, np.zeros((len(phases), 1))
        wins = {role: phases[[role]].to_numpy() / 100 for role in ROLES}
        seen = {role: phases[[f"seen_{role}"]].to_numpy() for role in ROLES}
        courses[str(name)] = LearningCourse(BY_NAME[str(name)], turns, wins, seen, none, none[0])
    return courses


def config_of(cell: Cell, settings: FoxAndHoundsSettings) -> Config:
    """Return the configuration by which fox and hounds of a cell of the experiments learn."""
    rates = {role: getattr(cell, role)._asdict() for role in ROLES}
    learner = {"name": "q-learning", "turns": settings.phase, "roles": rates}
    return from_dict(
        {
            "game": {"name": GAME, **settings.game.options},
            "learner": {**learner, "adaptive": cell.adaptive, "least_epsilon": LEAST.epsilon},
            "scheme": {"name": "direct", "opponent": "random"},
            "population": settings.seeds,
            "seed": settings.seed,
        }
    )


def _learned(
    cell: Cell,
    settings: FoxAndHoundsSettings,
    starts: Tables,
    count_ends: Callable[[Tables], np.ndarray] | None,
) -> tuple[dict[str, np.ndarray], Tables]:
    """Let the pairs of a cell learn, and measure them after each phase.

    Args:
        cell: the cell of the experiments.
        settings: settings of the study.
        starts: tables of values at the beginning, by role.
        count_ends: counts the ends that pairs have seen; None: they are not counted.

    Returns:
        The columns of the learning course, and the final tables by role.
    """
    config = config_of(cell, settings)

    def first_genes(plan: Plan, count: int) -> np.ndarray | None:
        return starts[plan.name][:count].copy() if plan.name in starts else None

    learner = config.learner.learner(config.problem(first_genes))
    generation, rows = learner.first(), []
    with closing(LocalEvaluator(settings.workers)) as evaluator:
        phases = max(1, round(cell.share * settings.turns / settings.phase))
        for phase in range(phases + 1):
            # The same tables learn on, phase after phase: nothing of an earlier one is needed.
            generation = Generation(phase, generation.populations, generation.state)
            generation = learner.train(generation, evaluator)
            ends = np.full(settings.seeds, np.nan)
            if count_ends and (phase % COUNTED == 0 or phase == phases):
                ends = count_ends({each.name: each.genes for each in generation.populations})
            rows.append({**_measured(config, cell, generation, settings), "ends": ends})
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    columns["games"] = np.array(generation.state["learning"][ROLES[0]]["games"])
    return columns, {each.name: each.genes for each in generation.populations}


def _measured(
    config: Config, cell: Cell, generation: Generation, settings: FoxAndHoundsSettings
) -> dict[str, np.ndarray]:
    """Measure fox and hounds after a phase of learning.

    Each role plays without exploration against the other role with exploration.

    Returns:
        The turns learned from, and by role the positions seen and the share of games won.
    """
    populations = []
    for greedy in (True, False):
        for population in generation.populations:
            genome = config.plan(population.name).genome
            epsilon = 0.0 if greedy else getattr(cell, population.name).epsilon
            packed = genome.pack(population.genes)
            populations.append(Genomes(replace(genome.representation, epsilon=epsilon), packed))
    entrants, seeds = Entrants(config.game, (), populations), settings.seeds
    rows = np.repeat(np.arange(seeds, dtype=np.int32), settings.games)
    columns = {"turns": np.array(generation.number * settings.phase)}
    for seat, role in enumerate(ROLES):
        groups = (0, 3) if seat == 0 else (2, 1)
        pairs = np.stack([rows + group * seeds for group in groups], axis=1).astype(np.int32)
        draws = match_seeds(settings.seed, f"study {role}", generation.number, len(pairs))
        outcomes = play_pairs(entrants, pairs, draws, 1, (groups,))[:, 0]
        won = outcomes[:, seat] > outcomes[:, 1 - seat]
        columns[f"wins_{role}"] = won.reshape(seeds, settings.games).mean(axis=1)
        visited = generation.state["learning"][role]["visited"]
        columns[f"visited_{role}"] = np.array(visited)
    return columns


# --- ends of games -------------------------------------------------------------------------------


@kernel
def number_rows(board, graph, states, rows):
    """Fill ``rows`` with the row of each position of fox and hounds in its mover's table."""
    for number in range(rows.size):
        if graph.states[number, 0] >= 0:
            rows[number] = state_number(board, states.states, states.slots, graph.states[number])


class Ends:
    """The ends of a game and the actions that lead to them, for counting the ends that pairs saw.

    The source counts an end as a position that both roles have seen. An end was seen if an action
    that leads to it was tried, which the tables of values record.
    """

    def __init__(self, game: Game, graph: Graph) -> None:
        states, rows = states_of(game), np.zeros(len(graph.states), dtype=np.int64)
        build(number_rows, game.hooks)(game.board, graph, states, rows)
        edges = np.flatnonzero(graph.movers[graph.after] < 0)
        before = np.searchsorted(graph.first, edges, side="right") - 1
        seats, columns = graph.movers[before], edges - graph.first[before]
        places = rows[before] * np.array(states.most_legal)[seats] + columns
        found, ends = np.unique(graph.after[edges], return_inverse=True)
        self.number = len(found)
        self._places = {role: places[seats == seat] for seat, role in enumerate(ROLES)}
        self._ends = {role: ends[seats == seat] for seat, role in enumerate(ROLES)}

    def count(self, tables: Tables) -> np.ndarray:
        """Return how many different final positions of fox and hounds each pair has reached.

        The result is float64 ``[S]``. A final position counts if the fox or the hounds of the pair
        have tried an action that leads to it, so that their table has a value of the action.

        Args:
            tables: the tables of values by role, a row per pair.
        """
        seen = np.zeros((len(tables[ROLES[0]]), self.number), dtype=np.bool_)
        for role in ROLES:
            for row, values in zip(seen, tables[role], strict=True):
                row[self._ends[role][~np.isnan(values[self._places[role]])]] = True
        return seen.sum(axis=1).astype(np.float64)


# --- exactly -------------------------------------------------------------------------------------


class HoundsWorth(NamedTuple):
    """The exact worth of players of a cell, or of a rival.

    Attributes:
        fox, hounds: shares of the games won against random play in that role, [S].
        lost: points a game that the best fox takes from the hounds, 0 to 2, [S]; 0: the hounds win
            against any fox.
    """

    fox: np.ndarray
    hounds: np.ndarray
    lost: np.ndarray

    @property
    def sure(self) -> int:
        """Number of the hounds, among those measured, that win against any fox."""
        return int((self.lost <= 1e-9).sum())


class GameYardstick:
    """Exact measurements of players, by the solution of the game."""

    def __init__(self, game: Game) -> None:
        self.game, self.solution = game, solution(game)
        self.random, self.ends = players.make("random", game), Ends(game, self.solution.graph)
        self._meetings = graph_meetings(game, self.solution)
        self._responses = graph_responses(game, self.solution)

    @property
    def positions(self) -> tuple[int, int]:
        """Number of positions of the fox and of the hounds that can occur, ends of games too."""
        movers = self.solution.graph.movers
        fox, hounds = (int((movers == seat).sum()) + self.ends.number for seat in range(2))
        return fox, hounds

    @property
    def lead(self) -> int:
        """The gain of the fox under best play: -1, as the hounds win."""
        return int(self.solution.leads[0])

    def random_wins(self) -> float:
        """Return the share of games that a random fox wins against random hounds."""
        random = self._meetings.checked(self.random)
        return float(self._meetings.meeting(random, random, _silent).wins[0])

    def of(self, pairs: Iterator[tuple[CompiledPlayer, CompiledPlayer]]) -> HoundsWorth:
        """Return the exact worth of pairs of a fox and hounds, by the solution of the game."""
        random = self._meetings.checked(self.random)
        rows = []
        for fox, hounds in pairs:
            met = [self._meetings.meeting(each, random, _silent) for each in (fox, hounds)]
            lost = self._responses.proof(hounds, _silent).exploitability
            rows.append((met[0].win_rate, met[1].win_rate, lost))
        return HoundsWorth(*np.array(rows).reshape(-1, 3).T)


def _silent(line: str) -> None:
    return


def pairs_of(
    cell: Cell, tables: Tables, settings: FoxAndHoundsSettings
) -> Iterator[tuple[CompiledPlayer, CompiledPlayer]]:
    """Yield the first learned pairs of a cell as players: a fox and hounds each."""
    config = config_of(cell, settings)
    for row in range(min(settings.exact, settings.seeds)):
        yield pair_of(config, {role: tables[role][row : row + 1] for role in ROLES})


def pair_of(
    config: Config, genes: Mapping[str, np.ndarray]
) -> tuple[CompiledPlayer, CompiledPlayer]:
    """Return the players of a fox and of hounds, made of the genes ``[1, G]`` of each role."""
    made = []
    for plan in config.populations:
        genome = plan.genome.pack(genes[plan.name]).tobytes()
        made.append(plan.genome.representation.player(config.game, [genome], plan.name))
    return made[0], made[1]
