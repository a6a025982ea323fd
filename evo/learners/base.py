"""The interface of learners: options, the problem to solve, and the learner itself."""

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
"""Function (population, count) -> genes ``[count, G]`` of the fittest individuals of the run that
is started from, in the order of their rows; None without such a run."""


def from_nothing(plan: Plan, count: int) -> None:
    """Return None instead of first genes, for a run that starts from no other run."""


@dataclass(frozen=True)
class Problem:
    """The part of a configuration that a learner sees.

    Attributes:
        seed: of the run.
        game: the game that is played.
        plans: the populations.
        population: individuals of each population, if a scheme arranges the matches.
        scheme: the scheme that arranges the matches; None if the learner arranges them.
        panel: the names of the fixed opponents of the scheme or the learner.
        first_genes: genes of the individuals that a run starts from.
        read_from: the folder that names operators, see :mod:`evo.learners.genetic.operators`;
            empty: the user names them and wants them to run.
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
        """The number of individuals of each population, if a scheme arranges the matches."""
        return (self.population,) * len(self.plans)

    def start_genes(self, plan: Plan, count: int, purpose: str) -> np.ndarray:
        """Return the genes of a population's first individuals, ``[count, G]``.

        They are those of the run that this run starts from. Without such a run, they are random,
        from the stream named ``purpose``.
        """
        genes = self.first_genes(plan, count)
        if genes is None:
            genes = plan.genome.random(count, generator(self.seed, purpose))
        return genes


@dataclass(frozen=True)
class LearnerOptions:
    """Base class of the options of a learner. The ``LEARNER`` of a learner's file is a subclass.

    Each field is declared by :func:`tournaments.options.option` and described under ``Attributes:``
    in the docstring of its class. A subclass sets the default of ``name`` to its own name.

    Attributes:
        name: the name of the learner
        law: number to raise by one when the same seed gives other generations.
        arranges_matches: whether the learner arranges the matches, in place of a scheme. Its
            options then name the fixed opponents, ``panel``.
        real_weights: whether the learner takes only genomes of real weights.
        by_reward: whether the learner takes only values of actions, which no other learner takes.
        programs: whether the learner takes only programs, which no other learner takes.
        starts_from_all: whether the learner takes as many individuals as possible from the run
            that it starts from; otherwise it takes the champion.
    """

    law: ClassVar[int] = 1
    arranges_matches: ClassVar[bool] = False
    real_weights: ClassVar[bool] = False
    by_reward: ClassVar[bool] = False
    programs: ClassVar[bool] = False
    starts_from_all: ClassVar[bool] = False
    name: str

    @property
    def code_files(self) -> tuple[str, ...]:
        """The Python files whose functions these options name, relative to the current folder."""
        return ()

    @property
    def in_words(self) -> str:
        """Return a short description that distinguishes this learner from others of its name."""
        return self.name

    def checked(self, problem: Problem) -> Any:
        """Return the learner's options, completed, if they fit the problem of a run.

        No function that the options name is called.

        Raises:
            ConfigError: the options do not fit.
        """
        return self

    def size(self, problem: Problem) -> tuple[int, int]:
        """Return the number of individuals of each population, and of matches per generation."""
        assert problem.scheme is not None
        return problem.population, problem.scheme.num_tables(problem.sizes, len(problem.game.seats))

    def room_for_migrants(self, problem: Problem) -> int:
        """Return how many individuals of other islands a population can take in at once.

        A learner that takes migrants offers ``next_with(parents, migrants)``, which returns the
        next generation. ``migrants`` maps the name of a population to its
        :class:`evo.population.Migrants`.
        """
        return 0

    def learner(self, problem: Problem) -> Learner:
        """Return the learner that has these options, for the problem of a run.

        Raises:
            ConfigError: a function that the options name cannot be loaded, or does not work.
        """
        raise NotImplementedError


class Learner(Protocol):
    """A learner, which makes each generation from the one before and keeps no state of its own.

    All that a learner knows is in the generations, which are saved.

    A learner whose individuals learn while they play also offers ``train(generation, evaluator)``.
    It returns the generation after the training, and may share the work among the threads or actors
    of the evaluator. A learner with room for migrants also offers ``next_with``, see
    :meth:`LearnerOptions.room_for_migrants`. A learner whose children come from outside offers
    ``prepare(is_new, is_replay)``, which raises if something is missing, and ``bind(records,
    island, is_replay)``, which passes the recording of the run.
    """

    def first(self) -> Generation:
        """Return generation 0 of the run."""

    def contest(self, generation: Generation) -> Contest:
        """Return the matches that a generation has to play, and how they are scored."""

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """Return a generation with the fitness of its individuals, after its matches.

        ``contest`` scored the matches, ``tally`` has each individual's wins, draws and losses.
        """

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """Return the generation that follows evaluated parents.

        It depends on the problem and on the parents alone.
        """

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Return why learning is over after a generation, in a few words; empty if it goes on."""
