"""What learners share that leave it to a scheme who meets whom."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from evo.genomes.base import Plan
from evo.learners.base import Contest, Problem
from evo.population import ARCHIVE, EvaluatedGeneration, Generation, Population, lineage, with_ids
from tournaments.arena.outcomes import Tally
from tournaments.schemes.base import carried, kept_rows

ROUNDING = 1e-9
"""Fitness that differs by this share of the best is equal: points were added in another order."""
ARCHIVES, KEPT = "archives", "kept"
"""What a state holds where a scheme keeps individuals: by population, by part, rows of its archive;
and, once the generation has been judged, what is to be kept in the next one, as rows of the
population and of the archive after it."""


class ByScheme:
    """The half of a :class:`evo.learners.base.Learner` that a scheme decides."""

    def __init__(self, problem: Problem) -> None:
        assert problem.scheme is not None
        self.problem = problem
        self.scheme = problem.scheme

    def first_populations(self, purpose_of: Callable[[Plan], str]) -> tuple[Population, ...]:
        """Return the populations of generation 0, without parents; see
        :meth:`evo.learners.base.Problem.start_genes`."""
        size, populations = self.problem.population, []
        for plan in self.problem.plans:
            genes = self.problem.start_genes(plan, size, purpose_of(plan))
            populations.append(Population(0, genes, lineage(size), plan.name))
        return with_ids(populations, 0)

    def contest(self, generation: Generation) -> Contest:
        """The scheme's matches."""
        sizes = tuple(len(group) for group in generation.populations if not group.is_archive)
        parts = generation.state.get(ARCHIVES, ())
        archives = tuple(tuple(map(tuple, part)) for part in parts)
        return self.scheme.contest(sizes, self.problem.seed, generation.number, archives)

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """The scheme's points, the fitness that they make, and whom the scheme keeps."""
        raw = self.scheme.raw_fitness(contest, len(generation))
        fitness, starts = np.zeros(len(raw)), list[int]()
        for population, part in zip(generation.populations, generation.parts(), strict=True):
            if not population.is_archive:
                fitness[part] = self.fitness(raw[part])
                starts.append(part.start)
        state = dict(generation.state)
        if kept := contest.scoring.kept():
            state[KEPT] = kept_rows(kept, starts)
        return EvaluatedGeneration.of(generation, raw, fitness, tally, state)

    def fitness(self, points: np.ndarray) -> np.ndarray:
        """What selection sees of a population's points, float64 ``[N]``: with the scheme's bonus,
        scaled. A strategy, which takes nothing but ranks of it, has another."""
        return linear_scaling(points + self.scheme.bonus, self.scheme.best_share)

    def following(
        self,
        parents: EvaluatedGeneration,
        children: Sequence[Population],
        state: Mapping[str, Any] | None = None,
    ) -> Generation:
        """The generation of these children, with the archives that the scheme has kept.

        Args:
            parents: the generation before.
            children: the populations, in their order.
            state: what the learner carries along.
        """
        number, state = parents.number + 1, state or {}
        born = with_ids(children, number)
        if KEPT not in parents.state:
            return Generation(number, born, state)
        populations, archives = list[Population](), list[list[list[int]]]()
        for child, parts in zip(born, parents.state[KEPT], strict=True):
            rows, archive = carried(parts)
            archives.append(archive)
            populations.append(child)
            if rows:
                populations.append(_archive(parents, child.name, rows))
        return Generation(number, tuple(populations), {ARCHIVES: archives, **state})

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """It never has enough."""
        return ""


def _archive(parents: EvaluatedGeneration, name: str, rows: list[int]) -> Population:
    """Rows of a population and of the archive that followed it, as they were."""
    living, before = parents.by_name[name], parents.by_name.get(name + ARCHIVE)
    kept = np.array(rows)
    size = len(living.population)
    old = kept >= size
    columns = {}
    for field in ("genes", "parents", "ids"):
        columns[field] = getattr(living.population, field)[np.where(old, 0, kept)]
        if before is not None:  # which is small: the population is not copied as a whole
            columns[field][old] = getattr(before.population, field)[kept[old] - size]
    return Population(parents.number + 1, name=name + ARCHIVE, **columns)


def linear_scaling(raw: np.ndarray, best_share: float) -> np.ndarray:
    """Raw fitness scaled so that the best takes a share of the next generation (Goldberg 1989, 77).

    ``f' = a f + b`` keeps the mean, and gives the best ``best_share * N`` times the mean. Where
    that would make the worst negative, the line through the mean is as steep as leaves the worst at
    zero, so the best takes less. Equal fitness stays as it is; so does what differs by rounding
    alone.

    Args:
        raw: float64 ``[N]``, none negative.
        best_share: 0 to 1; 0 or less than an equal share: not scaled.
    """
    factor = best_share * len(raw)
    mean, best, worst = math.fsum(raw) / len(raw), raw.max(), raw.min()  # fsum: in no order
    if factor <= 1.0 or best - worst <= ROUNDING * best:
        return raw.copy()
    if worst > (factor * mean - best) / (factor - 1.0):
        slope = (factor - 1.0) * mean / (best - mean)
        offset = mean * (best - factor * mean) / (best - mean)
    else:
        slope = mean / (mean - worst)
        offset = -worst * mean / (mean - worst)
    return np.maximum(slope * raw + offset, 0.0)
