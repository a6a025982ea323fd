"""The common part of learners by reward: individuals that learn while they play.

In each generation an individual first plays a number of turns, its *lessons*, and learns from them
alone. Then it plays the games of the scheme as well as it can, without learning. Each row of a
population is an independent pupil. Where roles play each other, row i of one role meets row i of
the other, so a population of thirty is thirty runs of the study. The genome of a pupil is its table
of values. The other data of its learning are in the state of the generation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from cluster.evaluator import Evaluator, all_done
from evo.genomes.value_table import ValueTable
from evo.learners.base import Learner, LearnerOptions, Problem
from evo.learners.by_scheme import ByScheme
from evo.population import EvaluatedGeneration, Generation, Population
from tournaments import players
from tournaments.arena.training import (
    GAMES,
    TURNS,
    WON_BY_A,
    WON_BY_B,
    Learned,
    LearningKind,
    Lesson,
    Pupil,
)
from tournaments.errors import ConfigError, nearest
from tournaments.game import Game
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below, stream_key
from tournaments.options import checked, option, table
from tournaments.player import CompiledPlayer, compiled, seats_of
from tournaments.players.value_table import EPSILON, column_of_best, is_due, value_at

SELF = "self"
ETA, GAMMA = 2, 3
"""Places in the ``numbers`` of a pupil's tables, after those of other tables of values."""
RATES = ("epsilon", "eta", "gamma")
COUNTED = {"turns": TURNS, "games": GAMES}
Sides = tuple[tuple[str, int], ...]
"""For each population that learns in a lesson, its name and its side: 0 or 1."""

# --- for the kernels of learners ----------------------------------------------------------------


class Notes(NamedTuple):
    """The memory of a pupil during its lessons.

    Attributes:
        actions: int16 [A], room for a list.
        last: int64 [1], index of the value of its last action; -1 before its first action.
        visited: int64 [1], number of positions that it has seen for the first time.
    """

    actions: np.ndarray
    last: np.ndarray
    visited: np.ndarray


def room_for_notes(game: Game, parameters: object) -> Notes:
    """Return the memory of a side that learns by reward: its last action and a count of visits."""
    last, visited = np.zeros((2, 1), dtype=np.int64)
    return Notes(np.zeros(game.num_actions, dtype=np.int16), last, visited)


@kernel
def begin(board, state, parameters, row, memory):
    """Begin a game for a side that learns by reward: it has played no action yet."""
    memory.last[0] = -1


@kernel
def count_visit(parameters, row, place, count, memory):
    """Count a visit of a position of which the learning side has tried no action.

    ``place`` is the first of the ``count`` columns of the position in the side's table.
    """
    for column in range(count):
        value = parameters.values[row, place + column]
        if value == value:
            return
    memory.visited[0] += 1


@kernel
def improve(parameters, row, place, target):
    """Move the value of an action in a learner's table towards a target, by the learning rate.

    ``row`` and ``place`` are the row and the column of the value.
    """
    value = value_at(parameters, row, place)
    moved = value + parameters.numbers[ETA] * (target - value)
    parameters.values[np.uint64(row), np.uint64(place)] = np.float32(moved)


@kernel
def explore_or_best(parameters, row, place, count, best, ties, stream):
    """Choose a random action in a share epsilon of turns, else one of the best by the table.

    Args:
        parameters: the table of values and the rates.
        row: row of the table.
        place: first column of the position.
        count: number of legal actions.
        best: value of the best action.
        ties: number of actions with this value.
        stream: random numbers.

    Returns:
        The number of the action among the legal ones.
    """
    if is_due(stream, parameters.numbers[EPSILON]):
        return below(stream, count)
    return column_of_best(parameters, row, place, best, below(stream, ties))


# --- options -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rates:
    """The learning rates of a pupil. Each role may have its own.

    Attributes:
        epsilon: share of the turns in which any action is played
        eta: learning rate: share of the way that a value moves to what was seen
        gamma: value of a reward one turn later
    """

    epsilon: float = option(0.1, low=0.0, high=1.0)
    eta: float = option(0.5, low=0.0, high=1.0)
    gamma: float = option(0.99, low=0.0, high=1.0)


@dataclass(frozen=True)
class RewardOptions(Rates, LearnerOptions):
    """The options that learners by reward share.

    Each of these learners inherits them and sets ``kind``.

    Attributes:
        turns: turns of both sides in a generation, which ends with the game in hand
        against: opponent of individual i in its lessons: self, which is individual i, or a player
            by name
        learns: the role that learns; the other role stays as it is; empty: both roles learn
        adaptive: share by which epsilon falls after a generation in which more than half of the
            games of its turns were won, and rises again after others, up to its first value; 0:
            epsilon stays as it is
        least_epsilon: the least value to which adaptive lowers epsilon
        roles: epsilon, eta and gamma of single roles, where they differ: {hounds = {epsilon = 0.2}}
    """

    by_reward: ClassVar[bool] = True
    starts_from_all: ClassVar[bool] = True
    kind: ClassVar[LearningKind]
    name: str = option("")
    turns: int = option(100_000, low=1, high=10**12)
    against: str = option(SELF)
    learns: str = option("")
    adaptive: float = option(0.0, low=0.0, high=0.9)
    least_epsilon: float = option(0.0, low=0.0, high=1.0)
    roles: dict[str, Any] = table()

    @property
    def in_words(self) -> str:
        return self.name if self.against == SELF else f"{self.name} against {self.against}"

    def checked(self, problem: Problem) -> Any:
        """Return these options if the roles exist and kernels can play the opponent.

        Raises:
            ConfigError: a role does not exist, or the opponent is not compiled.
        """
        names = [plan.name for plan in problem.plans]
        if self.learns and self.learns not in names:
            raise _no_role("learner.learns", self.learns, names)
        for role, rates in self.roles.items():
            if role not in names:
                raise _no_role("learner.roles", role, names)
            where = f"learner.roles.{role}"
            if not isinstance(rates, Mapping):
                raise ConfigError(f"{where}={rates!r} given; a table is expected, of {RATES}")
            checked(Rates, f"{where}.", rates, ConfigError)
        if self.against != SELF:
            opponent_of(self.against, problem.game)
        elif self.adaptive and len(names) == 1:
            raise ConfigError(
                f"learner.adaptive={self.adaptive:g} given; a table that plays itself wins as "
                "often as it loses: leave it out, or name an opponent in learner.against"
            )
        return self

    def rates_of(self, role: str) -> tuple[float, float, float]:
        """Return the exploration (epsilon), learning rate (eta) and discount (gamma) of a role.

        Epsilon is that before it adapts.
        """
        own = self.roles.get(role, {})
        epsilon, eta, gamma = (float(own.get(name, getattr(self, name))) for name in RATES)
        return epsilon, eta if self.learns in ("", role) else 0.0, gamma

    def learner(self, problem: Problem) -> Learner:
        """Return a :class:`RewardLearner` with these options, for the problem of a run."""
        return RewardLearner(problem, self)


def _no_role(field: str, given: str, names: list[str]) -> ConfigError:
    return ConfigError(
        f"{field}={given!r} given{nearest(given, names)}; one of {names} is expected"
    )


def opponent_of(name: str, game: Game) -> CompiledPlayer:
    """Return the fixed opponent of lessons in a game, by its name.

    Raises:
        ConfigError: the player takes one seat only, or chooses move by move.
        TournamentError: no player has this name.
    """
    player = compiled(players.make(name, game))
    if player is None or len(seats_of(player)) < 2:
        raise ConfigError(
            f"learner.against={name!r} given; a player that is compiled and plays both seats is "
            "expected, such as random"
        )
    return player


# --- the learner ---------------------------------------------------------------------------------


class RewardLearner(ByScheme):
    """A learner whose individuals learn from their own games. A scheme decides their fitness."""

    def __init__(self, problem: Problem, options: RewardOptions) -> None:
        super().__init__(problem)
        self.options = options
        self.plans = {plan.name: plan for plan in problem.plans}

    def first(self) -> Generation:
        """Return generation 0: tables of values of untried actions, or those of another run."""
        size, learning = self.problem.population, dict[str, Any]()
        for name in self.plans:
            zeros = {field: [0] * size for field in (*COUNTED, "won", "visited")}
            epsilon, _, _ = self.options.rates_of(name)
            learning[name] = {**zeros, "epsilon": [epsilon] * size}
        tables = self.first_populations(lambda plan: self.options.name)
        return Generation(0, tables, {LEARNING: learning})

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """Return the next generation: the same individuals, which have not learned more yet."""
        children = [
            Population(
                parents.number + 1,
                each.population.genes.copy(),  # the parents' may still be on their way to the disk
                np.stack([each.population.ids, np.full(len(each.population), -1)], axis=1),
                each.population.name,
            )
            for each in parents.living
        ]
        return self.following(parents, children, {LEARNING: parents.state[LEARNING]})

    def train(self, generation: Generation, evaluator: Evaluator) -> Generation:
        """Let each individual of a generation learn in its lessons, and return the generation.

        Generation 0 has no lessons. ``evaluator`` plays them.
        """
        if generation.number == 0:
            return generation
        seated = {each.name: each for each in generation.populations if not each.is_archive}
        lessons = list(self._lessons(generation, seated))
        learning = {
            name: {field: list(numbers) for field, numbers in fields.items()}
            for name, fields in generation.state[LEARNING].items()
        }
        pieces = [lesson.lesson for lesson in lessons]
        for lesson, learned in zip(lessons, all_done(evaluator, pieces), strict=True):
            for name, side in lesson.sides:
                values = (learned.a, learned.b)[side].parameters.values
                seated[name].genes[lesson.row] = values[0]  # of threads it is these genes
                self._note(name, learning[name], lesson, learned, side)
        state = {**generation.state, LEARNING: learning}
        return Generation(generation.number, generation.populations, state)

    def _lessons(
        self, generation: Generation, seated: Mapping[str, Population]
    ) -> Iterator[Planned]:
        """Yield the games (lessons) in which each individual of a generation learns, row by row.

        In a lesson both roles meet, or one role meets the fixed opponent. ``seated`` are the
        populations by name.
        """
        learning, names, options = generation.state[LEARNING], list(seated), self.options
        swaps = not self.problem.game.rules.has_roles
        turns = generation.number * self.options.turns
        for row in range(self.problem.population):
            pupils = [
                self._pupil(seated[name], row, learning[name]["epsilon"][row]) for name in names
            ]
            meetings: list[tuple[Pupil, Pupil, int, Sides]] = [
                (pupil, self._other, seat, ((name, 0),))
                for seat, (name, pupil) in enumerate(zip(names, pupils, strict=True))
                if options.against != SELF and options.learns in ("", name)
            ]
            if options.against == SELF:
                sides = tuple(zip(names, (0, 1), strict=False))
                meetings = [(pupils[0], pupils[-1], 0, sides)]
            for a, b, seat, sides in meetings:
                first, fields = sides[0][0], learning[sides[0][0]]
                counts = np.array([fields["turns"][row], fields["games"][row], 0, 0])
                key = stream_key(self.problem.seed, f"lessons of {first}", 0, row)
                seed = int(key[0])
                lesson = Lesson(self.problem.game, a, b, seat, swaps, seed, turns, counts)
                yield Planned(row, lesson, sides)

    def _pupil(self, population: Population, row: int, epsilon: float) -> Pupil:
        genome = self.plans[population.name].genome
        assert isinstance(genome, ValueTable)
        tables = genome.representation.from_numbers(population.genes[row : row + 1])
        _, eta, gamma = self.options.rates_of(population.name)
        numbers = np.array([genome.representation.initial, epsilon, eta, gamma])
        return Pupil(self.options.kind, tables._replace(numbers=numbers))

    @cached_property
    def _other(self) -> Pupil:
        """Return the fixed opponent that individuals meet in lessons."""
        player = opponent_of(self.options.against, self.problem.game)
        return Pupil(player.kind, player.parameters, player.row)

    def _note(
        self, name: str, fields: dict[str, list[Any]], planned: Planned, learned: Learned, side: int
    ) -> None:
        """Record what an individual did in a lesson, and its epsilon for the next one.

        Args:
            name: name of the population.
            fields: the records of the population, by name.
            planned: the lesson with the row of the individual.
            learned: the result of the lesson.
            side: the side of the individual, 0 or 1.
        """
        row, counts = planned.row, learned.counts
        games = int(counts[GAMES]) - fields["games"][row]
        won = int(counts[(WON_BY_A, WON_BY_B)[side]])
        memories = (learned.a.memory, learned.b.memory)
        plays_both_sides = self.options.against == SELF and len(self.plans) == 1
        own = memories if plays_both_sides else (memories[side],)
        for field, place in COUNTED.items():
            fields[field][row] = int(counts[place])
        fields["won"][row] = won
        fields["visited"][row] += sum(int(memory.visited[0]) for memory in own)
        fields["epsilon"][row] = self._adapted(name, fields["epsilon"][row], 2 * won > games)

    def _adapted(self, name: str, epsilon: float, is_winning: bool) -> float:
        """Return a role's epsilon for the next generation: less if it wins, else more.

        A role that does not learn keeps its epsilon. ``is_winning``: it won most of its games.
        """
        most, eta, _ = self.options.rates_of(name)
        if self.options.adaptive == 0.0 or eta == 0.0:
            return epsilon
        share = 1.0 - self.options.adaptive
        if is_winning:
            return max(min(most, self.options.least_epsilon), epsilon * share)
        return min(most, epsilon / share)


LEARNING = "learning"
"""Key of the state of learning. It holds, for each population and individual, the turns and games
of all lessons so far, the games won in the last generation, the positions seen, and epsilon of the
next generation."""


class Planned(NamedTuple):
    """A planned lesson: the row of its individuals, and the side of each population that learns."""

    row: int
    lesson: Lesson
    sides: Sides
