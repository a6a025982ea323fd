"""What hill climbing and annealing share: rounds, turns, archives and ranked measures.

Kennedy, "Using Optimization to Solve Adversarial Problems", first study, with what its author lists
as missing. Each side has an *incumbent*. A round is a generation: the incumbent of the side that
learns (row 0 of its population) and variants of it play the same games against the same opponents;
one of them is *accepted* as the incumbent. What a round has decided stands in the state of its
generation, which is kept with the snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from evo.config import Config
from evo.errors import ConfigError
from evo.genome import Genome
from evo.learners.contest import Contest
from evo.learners.measures import Measures
from evo.options import HillClimbingOptions
from evo.population import (
    ARCHIVE,
    NO_PARENT,
    Evaluated,
    EvaluatedGeneration,
    Generation,
    Population,
    numbered,
)
from tournaments.rng import generator
from tournaments.role_schedules import Challenges
from tournaments.scoring import Tally


class Acceptance(Protocol):
    """Which of the challengers is the incumbent from now on."""

    def accepted(self, measures: Measures, generation: int) -> int:
        """A row of the challengers; 0 is the incumbent."""


@dataclass(frozen=True)
class Turn:
    """What a round hands on to the next: the state of a generation.

    Attributes:
        learning: the side whose round it is.
        rounds: that it has learned in a row, without winning all games.
        without_gain: rounds since a variant of each side was better, by side.
        stuck: rounds since any side gained.
        accepted: the row that was accepted in this round.
        then: the side whose round is next.
    """

    learning: int = 0
    rounds: int = 0
    without_gain: tuple[int, ...] = (0, 0)
    stuck: int = 0
    accepted: int = 0
    then: int = 0

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Turn:
        """The turn that a state tells of."""
        return cls(**{**state, "without_gain": tuple(state["without_gain"])})

    def state(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**vars(self), "without_gain": list(self.without_gain)}


class Climbing:
    """The rounds of a learner, but for what is accepted."""

    def __init__(self, config: Config, acceptance: Acceptance) -> None:
        assert isinstance(config.learner, HillClimbingOptions)
        self.config = config
        self.options = config.learner
        self.acceptance = acceptance
        self.plans = config.populations

    # --- making a generation ------------------------------------------------------------------

    def first(self) -> Generation:
        """A random incumbent of each side, and variants of the first side's."""
        incumbents = [
            plan.genome.random(1, generator(self.config.seed, f"initial/{plan.name}"))
            for plan in self.plans
        ]
        nobody = [NO_PARENT] * len(self.plans)
        return self._round(0, Turn(), incumbents, nobody, [None] * len(self.plans))

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """The accepted incumbents, variants of the one whose side learns, and the archives."""
        before = Turn.of(parents.state)
        turn = Turn(
            learning=before.then,
            rounds=before.rounds if before.then == before.learning else 0,
            without_gain=before.without_gain,
            stuck=before.stuck,
        )
        incumbents, ids, archives = [], [], []
        for side, plan in enumerate(self.plans):
            population = self._of(parents, plan.name).population
            row = before.accepted if side == before.learning else 0
            incumbents.append(population.genes[row : row + 1])
            ids.append(int(population.ids[row]))
            archives.append(self._archive(parents, before, side, row))
        return self._round(parents.number + 1, turn, incumbents, ids, archives)

    def _round(
        self,
        number: int,
        turn: Turn,
        incumbents: list[np.ndarray],
        parents: list[int],
        archives: list[Population | None],
    ) -> Generation:
        stride = self.options.candidates + len(self.plans)
        first, populations = number * stride, list[Population]()
        for side, plan in enumerate(self.plans):
            genes = incumbents[side]
            if side == turn.learning:
                stream = generator(self.config.seed, f"variants/{plan.name}", number)
                variants = self._variants(plan.genome, genes, turn.without_gain[side], stream)
                genes = np.concatenate([genes, variants])
            lineage = np.full((len(genes), 2), NO_PARENT, dtype=np.int64)
            lineage[:, 0] = parents[side]
            ids = numbered(first, len(genes))
            first += len(genes)
            populations.append(Population(number, genes, lineage, plan.name, ids))
            archive = archives[side]
            if archive is not None:
                populations.append(archive)
        return Generation(number, tuple(populations), turn.state())

    def _variants(
        self, genome: Genome, incumbent: np.ndarray, without_gain: int, rng: np.random.Generator
    ) -> np.ndarray:
        """So many variants, each with some genes changed; a gene drawn twice changes once."""
        options = self.options
        genes = np.repeat(incumbent, options.candidates, axis=0)
        most = options.changes
        if options.jump_after:
            jumps = min(without_gain // options.jump_after, 30)
            most = min(most << jumps, max(options.most_changes, most))
        counts = np.full(len(genes), most)
        if options.changes_drawn:
            counts = rng.integers(1, most + 1, len(genes))
        genome.change(genes, np.repeat(np.arange(len(genes)), counts), rng)
        return genes

    def _archive(
        self, parents: EvaluatedGeneration, before: Turn, side: int, row: int
    ) -> Population | None:
        """The newest of those that a side has put forward: one more where its turn has ended.

        Where there is one side, whose turn never ends: where its incumbent is another one.
        """
        if not self.options.archive:
            return None
        name = self.plans[side].name
        kept = parents.named(name + ARCHIVE)
        parts = [kept.population] if kept else []
        alone = len(self.plans) == 1
        if before.learning == side and (row > 0 if alone else before.then != side):
            parts.append(self._of(parents, name).population)
        if not parts:
            return None
        rows = [slice(None)] * len(parts)
        if len(parts) == 2 or not kept:
            new = 0 if alone else row
            rows[-1] = slice(new, new + 1)
        joined = [
            np.concatenate(
                [getattr(part, field)[here] for part, here in zip(parts, rows, strict=True)]
            )
            for field in ("genes", "parents", "ids")
        ]
        genes, lineage, ids = (column[-self.options.archive :] for column in joined)
        return Population(parents.number + 1, genes, lineage, name + ARCHIVE, ids)

    def _of(self, generation: EvaluatedGeneration, name: str) -> Evaluated:
        found = generation.named(name)
        assert found is not None
        return found

    # --- a round ------------------------------------------------------------------------------

    def contest(self, generation: Generation) -> Contest:
        """Every challenger against every opponent, in the same games."""
        side = Turn.of(generation.state).learning
        starts = {
            population.name: (part.start, part.stop)
            for population, part in zip(generation.populations, generation.parts(), strict=True)
        }
        other = self.plans[len(self.plans) - 1 - side].name
        opponents: list[int] = []
        if self.options.current:
            opponents.append(starts[other][0])
        opponents += range(*starts.get(other + ARCHIVE, (0, 0)))
        opponents += [-1 - number for number in range(len(self.config.panel))]
        alone = len(self.plans) == 1
        schedule = Challenges(
            *starts[self.plans[side].name],
            np.array(opponents, dtype=np.int32),
            self.options.games,
            side,
            0 if alone else 1 - side,
        )
        measures = Measures(schedule, self.options.measures, 2 if alone else 1, len(generation))
        seeds_of = 0 if self.options.same_games else generation.number
        return Contest(schedule, measures, seeds_of, measures.games, measured=True)

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """Accept one of the challengers, and say whose turn is next."""
        measures = contest.scoring
        assert isinstance(measures, Measures)
        raw = tally.wins / np.maximum(tally.games, 1)
        turn = self._turn(Turn.of(generation.state), measures, generation.number)
        fitness = raw.copy()
        rows = slice(measures.schedule.first, measures.schedule.last)
        fitness[rows] = measures.ranks()
        fitness[rows.start + turn.accepted] += 0.5  # of equals, it is the champion
        return EvaluatedGeneration.of(generation, raw, fitness, tally, turn.state())

    def _turn(self, turn: Turn, measures: Measures, number: int) -> Turn:
        """The turn as the round leaves it."""
        side, options = turn.learning, self.options
        accepted = self.acceptance.accepted(measures, number)
        gained = measures.compare(accepted, 0) > 0
        without_gain = list(turn.without_gain)
        without_gain[side] = 0 if gained else without_gain[side] + 1
        rounds = turn.rounds + 1
        is_over = measures.wins_all(accepted) or 0 < options.turn_after <= rounds
        return Turn(
            learning=side,
            rounds=rounds,
            without_gain=tuple(without_gain),
            stuck=0 if gained else turn.stuck + 1,
            accepted=accepted,
            then=len(self.plans) - 1 - side if is_over else side,
        )

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Whether nothing has improved for so many rounds."""
        rounds = self.options.stop_after
        if not rounds or Turn.of(evaluated.state).stuck < rounds:
            return ""
        return f"no gain in {rounds} rounds"


def check(config: Config) -> None:
    """Refuse what cannot climb.

    Raises:
        ConfigError: no opponents, or unknown measures.
    """
    options = config.learner
    if not (options.current or options.archive or options.panel):
        raise ConfigError(
            "learner.current=false, archive=0 and no panel given; somebody must be played against: "
            "set one of them"
        )
    if not options.current and not options.panel:
        raise ConfigError(
            "learner.current=false and no panel given; the archive is empty in the first rounds: "
            "set learner.current=true, or name players in learner.panel"
        )
    Measures.check(options.measures)
