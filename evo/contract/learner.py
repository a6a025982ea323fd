"""The laws that every learner keeps, as a check for its author.

::

    import evo

    evo.check_learner("./mine.py", game="nim")

Each law is a function in a table. The function raises :class:`tournaments.contract.ContractError`
with the text of the law if the law is broken. The check adds the name of the learner.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cluster.threads import LocalEvaluator
from evo.config.config import Config, from_dict
from evo.config.tables import named_table
from evo.evolution.checkpoint import columns, restored
from evo.evolution.guarded import guarded_learner
from evo.evolution.loop import trained
from evo.genomes.guarded import are_same
from evo.learners import LEARNERS
from evo.learners.base import Learner
from evo.population import NO_PARENT, EvaluatedGeneration, Generation, Population
from results.writer.checkpoint import LastSnapshot
from tournaments.contract.schemes import play_rounds, random_results
from tournaments.guard import ContractError, Plugin, laws_of_plugin
from tournaments.kernels.rng import generator

POPULATION, GENERATIONS = 6, 4
"""Numbers of individuals and generations in the check of a learner."""


@dataclass(frozen=True)
class LearnerTrial:
    """A learner on trial, with the generations that it has made.

    Attributes:
        config: configuration of the learner.
        plugin: the plugin whose hooks are called.
        course: the generations of the trial, each before and after its matches.
        bits: results of :func:`_bits` for these generations, at the time when they were made.
    """

    config: Config
    plugin: Plugin
    course: list[tuple[Generation, EvaluatedGeneration]]
    bits: list[tuple[Any, Any]]

    def learner(self) -> Learner:
        """Return a new instance of the tried learner."""
        return guarded_learner(self.config, self.config.problem(), self.plugin)

    def play(self, generations: int) -> LearnerTrial:
        """Evolve generations with the tried learner; chance decides their matches."""
        learner, evaluator = self.learner(), LocalEvaluator(threads=1)
        course: list[tuple[Generation, EvaluatedGeneration]] = []
        bits: list[tuple[Any, Any]] = []
        for number in range(generations):
            made = learner.next(course[-1][1]) if number else learner.first()
            made = trained(learner, made, evaluator)
            before = _bits(made)
            judged = self._judged(learner, made)
            course.append((made, judged))
            bits.append((before, _bits(judged)))
        return replace(self, course=course, bits=bits)

    def _judged(self, learner: Learner, generation: Generation) -> EvaluatedGeneration:
        contest, total = learner.contest(generation), len(generation)
        rng = generator(self.config.seed, "contract", generation.number)
        results = random_results(rng, total + len(self.config.panel_names), contest.games)
        rounds, counter = play_rounds(contest, results, total)
        individuals, matches = self.config.learner.size(self.config.problem())
        if sum(map(len, rounds)) > matches or max(map(len, _living(generation))) > individuals:
            raise ContractError(
                f"size() must give the most individuals of a population, and matches of a "
                f"generation; it gives {individuals} and {matches}"
            )
        return learner.judge(generation, contest, counter.tally)


def check_learner(
    learner: str | Mapping[str, Any], generations: int = GENERATIONS, **options: Any
) -> None:
    """Check the laws of a learner over some generations whose matches are decided by chance.

    Args:
        learner: name of the learner or path of its file, perhaps with options behind it; or the
            table of a configuration, with ``name``.
        generations: number of generations.
        options: other fields of a configuration: ``game`` (by default nim), ``genome``,
            ``scheme``, ``population``, ``seed``.

    Raises:
        ContractError: a law is broken. The message says which.
        ConfigError, TournamentError: there is no such learner or game, or the learner does not fit
            the game.
    """
    name, _ = named_table({"learner": learner}, "learner")
    given = {"game": "nim", "learner": learner, **options}
    if not LEARNERS.load(name).arranges_matches:
        given = {"population": POPULATION, **given}
    config, plugin = from_dict(given), Plugin(LEARNERS.what, name)
    with laws_of_plugin(plugin):
        trial = LearnerTrial(config, plugin, [], []).play(generations)
        for law in LEARNER_LAWS:
            law(trial)


def _living(generation: Generation) -> list[Population]:
    return [each for each in generation.populations if not each.is_archive]


def _bits(generation: Generation | EvaluatedGeneration) -> list[Any]:
    """Return the content of a learner's generation in a form that is compared bit for bit."""
    parts: list[Any] = [generation.number, repr(generation.state)]
    for each in generation.populations:
        population = each if isinstance(each, Population) else each.population
        arrays = [population.genes, population.ids, population.parents]
        if not isinstance(each, Population):
            arrays += [each.raw_fitness, each.fitness]
        parts += [population.name, *((array.dtype.str, array.tobytes()) for array in arrays)]
    return parts


def repeats(trial: LearnerTrial) -> None:
    again = trial.play(len(trial.course))
    for number, (bits, others) in enumerate(zip(trial.bits, again.bits, strict=True)):
        if bits != others:
            raise ContractError(
                f"the same seed must give the same generations, but generation {number} "
                "differs: take all randomness from tournaments.kernels.rng, by problem.seed"
            )


def goes_on_from_snapshots(trial: LearnerTrial) -> None:
    """Check that a learner's ``next()`` needs no more than a snapshot.

    A resumed run has only the last snapshot.
    """
    for (_, judged), (expected, _) in zip(trial.course, trial.bits[1:], strict=False):
        try:
            state = json.loads(json.dumps(judged.state))
        except TypeError as error:
            raise ContractError(f"the state of a generation must be JSON: {error}") from None
        kept: dict[str, Any] = columns(trial.config, [judged])
        kept["population"] = np.full(len(kept["id"]), kept["population"], dtype=object)
        (parents,) = restored(trial.config, LastSnapshot(judged.number, 0, kept, state))
        learner = trial.learner()
        following = trained(learner, learner.next(parents), LocalEvaluator(threads=1))
        if _bits(following) != expected:
            raise ContractError(
                "next() must depend on the problem and its parents alone, as a snapshot keeps "
                f"them, but generation {following.number} of a resumed run differs: keep "
                "everything else that matters in the state of the generation"
            )


def leaves_generations(trial: LearnerTrial) -> None:
    for (made, judged), bits in zip(trial.course, trial.bits, strict=True):
        if (_bits(made), _bits(judged)) != bits:
            raise ContractError("judge() and next() must not change the generation they are given")


def judges_what_played(trial: LearnerTrial) -> None:
    for played, judged in trial.course:
        ids = [each.ids.tolist() for each in played.populations]
        if ids != [each.population.ids.tolist() for each in judged.populations]:
            raise ContractError("judge() must give the individuals that played, in their order")


def numbers_individuals(trial: LearnerTrial) -> None:
    known = {NO_PARENT: b""}
    for _, judged in trial.course:
        for each in judged.living:
            population = each.population
            if not known.keys() >= set(population.parents.ravel().tolist()):
                raise ContractError("parents must be ids of earlier generations, or -1")
            genes = dict(zip(population.ids.tolist(), map(bytes, population.genes), strict=False))
            if len(genes) < len(population) or min(genes) < 0:
                raise ContractError("each individual must have an id of its own, from 0")
            if any(known.get(number, row) != row for number, row in genes.items()):
                raise ContractError("an id must stand for the same genes in all generations")
            known |= genes


def writes_children(trial: LearnerTrial) -> None:
    """Check that the encoding preserves the genes of children that a learner makes."""
    for _, judged in trial.course:
        for each in judged.living:
            genome, genes = trial.config.plan(each.population.name).genome, each.population.genes
            if not are_same(genome.unpack(genome.pack(genes)), genes):
                raise ContractError(
                    f"next() must give genes that come back from a snapshot: {genome.rule}; those "
                    f"of generation {judged.number} come back changed"
                )


def says_when_it_is_done(trial: LearnerTrial) -> None:
    reason = trial.learner().is_done(trial.course[-1][1])
    if not isinstance(reason, str):
        raise ContractError(f"is_done() must give a text, empty for no reason, not {reason!r}")


LEARNER_LAWS = (
    leaves_generations,
    judges_what_played,
    repeats,
    numbers_individuals,
    writes_children,
    goes_on_from_snapshots,
    says_when_it_is_done,
)
"""The laws of a learner, as checks of the generations of a trial."""
