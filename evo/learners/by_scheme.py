"""The common part of learners whose matches are arranged by a scheme."""

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
"""Largest share of the best fitness by which equal fitness may differ, from the order of
additions."""
ARCHIVES, KEPT = "archives", "kept"
"""What a state holds where a scheme keeps individuals: by population, by part, rows of its archive;
and, once the generation has been judged, what is to be kept in the next one, as rows of the
population and of the archive after it."""


class ByScheme:
    """The methods of a :class:`evo.learners.base.Learner` that depend on a scheme."""

    def __init__(self, problem: Problem) -> None:
        assert problem.scheme is not None
        self.problem = problem
        self.scheme = problem.scheme

    def first_populations(self, purpose_of: Callable[[Plan], str]) -> tuple[Population, ...]:
        """Return the populations of generation 0, without parents.

        Genes are those of :meth:`evo.learners.base.Problem.start_genes`.
        """
        size, populations = self.problem.population, []
        for plan in self.problem.plans:
            genes = self.problem.start_genes(plan, size, purpose_of(plan))
            populations.append(Population(0, genes, lineage(size), plan.name))
        return with_ids(populations, 0)

    def contest(self, generation: Generation) -> Contest:
        """Return the matches of a generation as the scheme arranges them."""
        sizes = tuple(len(group) for group in generation.populations if not group.is_archive)
        parts = generation.state.get(ARCHIVES, ())
        archives = tuple(tuple(map(tuple, part)) for part in parts)
        seats = len(self.problem.game.seats)
        return self.scheme.contest(sizes, self.problem.seed, generation.number, archives, seats)

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """Return a generation with the points that the scheme gives, and the fitness from them.

        The generation's state lists the rows that the scheme keeps in its archives.
        """
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
        """Return the fitness for selection, float64 ``[N]``.

        Fitness is the points above 0, or above the worst if that is negative, with the scheme's
        bonus, scaled. Strategies, which use only the ranks
        of the points, override this method.
        """
        least = min(points.min(), 0.0)  # scores may be negative, and fitness may not
        return linear_scaling(points - least + self.scheme.bonus, self.scheme.best_share)

    def following(
        self,
        parents: EvaluatedGeneration,
        children: Sequence[Population],
        state: Mapping[str, Any] | None = None,
    ) -> Generation:
        """Return the next generation of these children, with the archives that the scheme keeps.

        Args:
            parents: the generation before.
            children: the populations, in their order.
            state: the state of the learner.
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
        """Return an empty text as the reason to stop: this learner never stops by itself."""
        return ""


def _archive(parents: EvaluatedGeneration, name: str, rows: list[int]) -> Population:
    """Return the next archive of a population from rows of the parents, unchanged.

    Rows beyond the population are those of its archive before.
    """
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
    """Scale raw fitness so that the best takes a share of the next generation (Goldberg 1989, 77).

    ``f' = a f + b`` keeps the mean, and gives the best ``best_share * N`` times the mean. If that
    would make the worst negative, the steepest line through the mean that keeps the worst at zero
    is used, and the best takes less. Equal fitness is not changed, nor is fitness that differs by
    rounding alone.

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
