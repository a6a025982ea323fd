"""What every learner is: options, checked against a problem, and a law that makes generations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from evo.genomes.base import Plan
from evo.population import EvaluatedGeneration, Generation
from tournaments.arena.outcomes import Tally
from tournaments.game import Game
from tournaments.kernels.rng import generator
from tournaments.schemes import Contest, Scheme

FirstGenes = Callable[[Plan, int], np.ndarray | None]
"""(population, count) -> genes ``[count, G]`` of the fittest of the run that a run starts from, in
the order of their rows; None where it starts from nothing."""


def from_nothing(plan: Plan, count: int) -> None:
    """:data:`FirstGenes` of a run that starts from no other."""


@dataclass(frozen=True)
class Problem:
    """What a learner is to solve: all that it sees of a configuration.

    Attributes:
        seed: of the run.
        game: what is played.
        plans: the populations.
        population: individuals of each, where a scheme says who meets whom.
        scheme: who meets whom; None where the learner says it.
        panel: the names of the fixed opponents of the scheme or the learner.
        first_genes: of the individuals that a run starts from.
        read_from: the folder that names operators, see :mod:`evo.learners.genetic.operators`;
            empty: a user does, and wishes to run them.
    """

    seed: int
    game: Game
    plans: tuple[Plan, ...]
    population: int
    scheme: Scheme | None
    panel: tuple[str, ...] = ()
    first_genes: FirstGenes = from_nothing
    read_from: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of individuals of each population under a scheme."""
        return (self.population,) * len(self.plans)

    def start_genes(self, plan: Plan, count: int, purpose: str) -> np.ndarray:
        """Return genes ``[count, G]`` of the run that is started from; without such a run random
        ones, from the stream of a purpose."""
        genes = self.first_genes(plan, count)
        if genes is None:
            genes = plan.genome.random(count, generator(self.seed, purpose))
        return genes


@dataclass(frozen=True)
class LearnerOptions:
    """What the options of a learner offer; a subclass declares them and is its file's ``LEARNER``.

    Attributes:
        name: as users type it; each subclass gives its own.
        law: raised by one when the same seed gives other generations.
        arranges_matches: whether the learner says who meets whom, and there is no scheme. Its
            options then name the fixed opponents, ``panel``.
        real_weights: whether it takes genomes of real weights alone.
        by_reward: whether it takes values of actions alone, which no other learner takes.
        starts_from_all: whether it takes as many individuals of the run that it starts from as it
            has; else the champion.
    """

    law: ClassVar[int] = 1
    arranges_matches: ClassVar[bool] = False
    real_weights: ClassVar[bool] = False
    by_reward: ClassVar[bool] = False
    starts_from_all: ClassVar[bool] = False
    name: str

    @property
    def code_files(self) -> tuple[str, ...]:
        """The Python files, from the current folder, whose functions the options name."""
        return ()

    @property
    def in_words(self) -> str:
        """The learner in a few words, with what distinguishes it from others of its name."""
        return self.name

    def checked(self, problem: Problem) -> Any:
        """These options, complete, once they fit the problem; nothing that they name is called.

        Raises:
            ConfigError: they do not fit.
        """
        return self

    def size(self, problem: Problem) -> tuple[int, int]:
        """Individuals of each population, and matches of a generation."""
        assert problem.scheme is not None
        return problem.population, problem.scheme.num_matches(problem.sizes)

    def room_for_migrants(self, problem: Problem) -> int:
        """How many individuals of other islands a population can take in at once.

        A learner that takes any offers ``next_with(parents, migrants)``: its next generation, where
        ``migrants``, a :class:`evo.population.Migrants` by the name of a population, take part.
        """
        return 0

    def learner(self, problem: Problem) -> Learner:
        """The learner itself.

        Raises:
            ConfigError: what the options name cannot be had, or does not work.
        """
        raise NotImplementedError


class Learner(Protocol):
    """Makes one generation of another. What it knows stands in generations, which are kept.

    One whose individuals learn while they play offers ``train(generation, evaluator)``, too: a
    generation after that, with the evaluator's threads or actors to share the work among. One that
    has room for migrants offers ``next_with``, see :meth:`LearnerOptions.room_for_migrants`.
    """

    def first(self) -> Generation:
        """Generation 0."""

    def contest(self, generation: Generation) -> Contest:
        """The matches of a generation."""

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """What came of them, once all have been played."""

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """The next generation; it depends on the problem and on its parents alone."""

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Why there is nothing more to learn, in a few words; nothing where there is."""
