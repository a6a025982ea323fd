"""Learners that others wrote, held to what every learner is while a run goes on."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evo.config.config import Config
from evo.learners import LEARNERS
from evo.population import EvaluatedGeneration, Generation
from tournaments.arena.strangers import form, hook, wrong
from tournaments.errors import TournamentError
from tournaments.schemes import Contest

HOOKS = {
    "first": "first()",
    "contest": "contest(generation)",
    "judge": "judge(generation, contest, tally)",
    "next": "next(parents)",
    "is_done": "is_done(evaluated)",
}
"""Those that every learner has, as they are called."""


class Guarded:
    """A learner whose hooks are named where they raise, or give what they may not."""

    def __init__(self, config: Config, learner: Any) -> None:
        """
        Raises:
            TournamentError: a hook is missing, or generation 0 is another when made again.
        """
        self._config, self._learner = config, learner
        for name, call in HOOKS.items():
            if not callable(getattr(learner, name, None)):
                raise self._wrong(f"its {type(learner).__name__} has no {call}", "write it")
        if _bits(self.first()) != _bits(self.first()):
            raise self._wrong(
                "first() gave another generation at its second call",
                "take all randomness from tournaments.kernels.rng, by the seed of the problem",
            )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of a learner that is being unpickled, and has nothing yet
            raise AttributeError(name)
        offer = getattr(self._learner, name)
        return partial(self._called, name, offer) if name in HOOKS else offer

    def _called(self, name: str, offer: Any, *arguments: Any) -> Any:
        call = HOOKS[name]
        with hook(LEARNERS, self._config.learner.name, call):
            made = offer(*arguments)
            if name in ("first", "next"):
                number = arguments[0].number + 1 if arguments else 0
                self._check_generation(call, made, number)
            elif name == "judge":
                self._check_judged(call, made, arguments[0])
            elif name == "contest" and not isinstance(made, Contest):
                raise self._wrong(f"{call} gave {form(made)}", "give a Contest of a scheme")
        return made

    def _check_generation(self, call: str, made: Any, number: int) -> None:
        if not isinstance(made, Generation) or made.number != number:
            given = f"generation {made.number}" if isinstance(made, Generation) else form(made)
            raise self._wrong(
                f"{call} gave {given}", f"give an evo.population.Generation of number {number}"
            )
        for population in made.populations:
            wanted = (len(population.ids), self._config.plan(population.name).genome.num_genes)
            genes, name = population.genes, population.name
            if genes.shape != wanted or genes.dtype.kind not in "uif":
                given = form(genes)
                raise self._wrong(
                    f"{call} gave genes {given} of {name}", f"give numbers {list(wanted)}"
                )

    def _check_judged(self, call: str, made: Any, generation: Generation) -> None:
        if not isinstance(made, EvaluatedGeneration) or made.number != generation.number:
            raise self._wrong(f"{call} gave {form(made)}", "give an EvaluatedGeneration.of(...)")
        for each in made.populations:
            for what in ("raw_fitness", "fitness"):
                values, wanted = np.asarray(getattr(each, what)), (len(each.population),)
                if values.dtype.kind != "f" or values.shape != wanted:
                    given = form(values)
                    raise self._wrong(f"{call} gave {what} {given}", f"give float64 {list(wanted)}")

    def _wrong(self, what: str, mend: str = "mend it") -> TournamentError:
        return wrong(LEARNERS, self._config.learner.name, what, mend)


def _bits(generation: Generation) -> list[bytes]:
    return [each.genes.tobytes() for each in generation.populations]
