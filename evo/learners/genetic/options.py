"""The options of the genetic algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from evo.learners.base import LearnerOptions
from tournaments.code_files import file_of_function
from tournaments.options import option, table

AUTO = "auto"
"""Stands for the mutation that goes with the genomes."""


@dataclass(frozen=True)
class GeneticOptions(LearnerOptions):
    """The genetic algorithm (Weaver and Bossomaier 1998, section 3.5).

    An operator is one of ours by name, or any function that DEAP's toolbox could hold, by dotted
    name or by file: ``deap.tools.selRoulette``, ``deap.tools.cxBlend`` with ``crossover_options =
    { alpha = 0.5 }``, ``myops.py:select``.
    """

    starts_from_all: ClassVar[bool] = True
    name: str = option("genetic", "the learner")
    selection: str = option(
        "proportional", "who reproduces: proportional, stochastic-universal, tournament, truncation"
    )
    selection_options: dict[str, Any] = table("arguments of the selection operator")
    crossover: str = option(
        "single-point", "how two parents are joined: single-point, two-point, uniform"
    )
    crossover_options: dict[str, Any] = table("arguments of the crossover operator")
    crossover_probability: float = option(0.6, "share of the pairs that are joined", 0.0, 1.0)
    mutation: str = option(
        AUTO,
        "how an individual is changed; auto: bit-flip for networks of bits, gaussian for real "
        "weights, reset for tables",
    )
    mutation_options: dict[str, Any] = table("arguments of the mutation operator")
    mutation_probability: float = option(
        0.00072, "probability that a gene changes; the study used 0.00072 and 0.005", 0.0, 1.0
    )
    elites: int = option(1, "best individuals that are reproduced unchanged", low=0)

    @property
    def code_files(self) -> tuple[str, ...]:
        """Of operators: of ``myops.py:select``, and of ``myops.select`` where it stands here."""
        names = self.selection, self.crossover, self.mutation
        return tuple(dict.fromkeys(filter(None, map(file_of_function, names))))

    @property
    def in_words(self) -> str:
        return f"{self.name} ({self.selection}, {self.mutation_probability:g})"

    @property
    def has_arguments(self) -> bool:
        """Whether any operator is given arguments of its own."""
        return bool(self.selection_options or self.crossover_options or self.mutation_options)
