"""The common part of hill climbing and annealing: rounds, turns, archives and ranked measures.

Kennedy, "Using Optimization to Solve Adversarial Problems", first study, with the additions that
its author suggests. Each side has an *incumbent*. A round is a generation: the incumbent of the
side that learns (row 0 of its population) and variants of it play the same games against the same
opponents. One of them is *accepted* as the incumbent. In round 0 the first incumbents meet, without
variants: the loser learns first. The decisions of a round are in the state of its generation, which
is saved with the snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from evo.genomes.base import Genome
from evo.learners.base import Contest, Learner, LearnerOptions, Problem
from evo.learners.measures import KNOWN, Measures
from evo.population import (
    ARCHIVE,
    NO_PARENT,
    EvaluatedGeneration,
    Generation,
    Migrants,
    Population,
    lineage,
    numbered,
)
from tournaments.arena.outcomes import Tally
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator
from tournaments.options import option
from tournaments.schedules.pairs import Challenges


@dataclass(frozen=True)
class ClimbingOptions(LearnerOptions):
    """Rounds of variants of an incumbent.

    Each side has an incumbent. A generation is a round: variants of the incumbent of the side that
    learns, and the incumbent itself, play the same games against the same opponents. The best
    becomes the incumbent. The side learns until it wins all games, then the other side learns.
    The loser of the match between the first, random incumbents (generation 0) learns first.

    Attributes:
        candidates: variants of the incumbent in a round
        changes: genes that a variant changes
        changes_drawn: draw the number of changes of each variant, from 1 to that many
        measures: measures of which the first that differs decides who is better: wins, score
            (points, less the opponent's), plies (of games that seat 0 wins: fewer for it, more for
            seat 1), distance (the game's measure at the end: less for seat 0, more for seat 1)
        drift: accept a variant that is as good as the incumbent, too
        current: whether the incumbent of the other side is an opponent
        archive: number of earlier incumbents of the other side that are opponents, the newest of
            those with which its turns ended
        panel: players that are opponents
        games: games against each opponent (matches of two where seats are alike)
        same_games: play the games of the first round again in every round
        turn_after: rounds without winning all games after which a side gives its turn up; the other
            then learns as long, though it wins all of its own; 0: never
        jump_after: rounds without a gain after which a variant changes twice as many genes; 0:
            never
        most_changes: the largest number of changes that such jumps lead to
        stop_after: rounds without a gain of any side after which the run ends; 0: never
    """

    arranges_matches: ClassVar[bool] = True
    name: str = option("climbing")
    candidates: int = option(10, low=1, high=100_000)
    changes: int = option(1, low=1, high=1_000_000)
    changes_drawn: bool = option(False)
    measures: tuple[str, ...] = option(("wins", "plies", "distance"), known=KNOWN)
    drift: bool = option(False)
    current: bool = option(True)
    archive: int = option(0, low=0, high=100_000)
    panel: tuple[str, ...] = option(())
    games: int = option(1, low=1, high=10**6)
    same_games: bool = option(False)
    turn_after: int = option(0, low=0)
    jump_after: int = option(0, low=0)
    most_changes: int = option(64, low=1, high=1_000_000)
    stop_after: int = option(0, low=0)

    def checked(self, problem: Problem) -> Any:
        """Return these options of hill climbing if they fit the problem of a run.

        Raises:
            ConfigError: there are no opponents, a measure is unknown, or no gene can change.
        """
        if not self.current and not self.panel:
            raise ConfigError(
                "learner.current=false and no panel given; without them, there is no opponent in "
                "the first rounds: set learner.current=true, or name players in learner.panel"
            )
        if not self.measures or len(set(self.measures)) < len(self.measures):
            raise ConfigError(
                f"learner.measures={list(self.measures)} given; each of {', '.join(KNOWN)} at most "
                "once, and at least one, is expected"
            )
        for plan in problem.plans:
            if not plan.genome.can_change:
                raise ConfigError(
                    f"{problem.game.short_spec}: no gene of the {plan.name} has several alleles, "
                    "so there is nothing to climb; open the board, or take a larger one"
                )
        return self

    def room_for_migrants(self, problem: Problem) -> int:
        """Return how many migrants a population of a hill climber takes: one per variant."""
        return self.candidates

    def size(self, problem: Problem) -> tuple[int, int]:
        """Return how many individuals and matches a generation of a hill climber has.

        Individuals are the incumbent, its variants and the archive. Each challenger meets each
        opponent.
        """
        opponents = self.current + self.archive + len(self.panel)
        matches = (1 + self.candidates) * opponents * self.games
        return 1 + self.candidates + self.archive, matches

    def accepted(self, measures: Measures, generation: int, seed: int) -> int:
        """Return the row of the challenger that becomes the hill climber's next incumbent.

        That is the best variant, or the incumbent, row 0, if the variant is worse. A variant that
        is as good is accepted only with ``drift``.
        """
        best = measures.best_variant()
        verdict = measures.compare(best, 0)
        return best if verdict > 0 or (verdict == 0 and self.drift) else 0

    def learner(self, problem: Problem) -> Learner:
        """Return a :class:`Climbing` learner with these options, for the problem of a run."""
        return Climbing(problem, self)


@dataclass(frozen=True)
class Turn:
    """The state of a generation: the decisions of a round, which the next round needs.

    Attributes:
        learning: the side that learns in this round.
        rounds: of this turn so far.
        without_gain: rounds since a variant of each side was better, by side.
        stuck: rounds since any side gained.
        accepted: the row that was accepted in this round.
        then: the side that learns in the next round.
    """

    learning: int = 0
    rounds: int = 0
    without_gain: list[int] = field(default_factory=lambda: [0, 0])
    stuck: int = 0
    accepted: int = 0
    then: int = 0


class Side(NamedTuple):
    """The incumbent of a side, its genes ``[1, G]`` and its id, and the archive of the side."""

    genes: np.ndarray
    id: int
    archive: Population | None


class Climbing:
    """Rounds of variants. The options decide which variant is accepted."""

    def __init__(self, problem: Problem, options: ClimbingOptions) -> None:
        self.problem = problem
        self.options = options
        self.plans = problem.plans

    # --- making a generation ------------------------------------------------------------------

    def first(self) -> Generation:
        """Return generation 0 of a hill climber: an incumbent of each side.

        Incumbents are random, or champions of the run that is started from.
        """
        sides = []
        for plan in self.plans:
            genes = self.problem.start_genes(plan, 1, f"initial/{plan.name}")
            sides.append(Side(genes, NO_PARENT, None))
        return self._round(0, Turn(), sides)

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """Return a hill climber's next generation: incumbents, variants and archives.

        The variants are those of the incumbent that learns.
        """
        return self.next_with(parents, {})

    def next_with(
        self, parents: EvaluatedGeneration, migrants: Mapping[str, Migrants]
    ) -> Generation:
        """Return the :meth:`next` generation, with migrants in the places of the first variants.

        A migrant is accepted if it is better. Migrants to the side that does not learn in this
        round are ignored.
        """
        before = Turn(**parents.state)
        rounds = before.rounds if before.then == before.learning else 0
        turn = replace(before, learning=before.then, rounds=rounds, accepted=0, then=0)
        sides = []
        for side, plan in enumerate(self.plans):
            population = parents.by_name[plan.name].population
            row = before.accepted if side == before.learning else 0
            genes, number = population.genes[row : row + 1], int(population.ids[row])
            sides.append(Side(genes, number, self._archive(parents, side, row)))
        guests = migrants.get(self.plans[turn.learning].name)
        return self._round(parents.number + 1, turn, sides, guests)

    def _round(
        self, number: int, turn: Turn, sides: list[Side], guests: Migrants | None = None
    ) -> Generation:
        stride = self.options.candidates + len(self.plans)
        first, populations = number * stride, list[Population]()
        for side, (plan, (genes, parent, archive)) in enumerate(
            zip(self.plans, sides, strict=True)
        ):
            if number > 0 and side == turn.learning:
                stream = generator(self.problem.seed, f"variants/{plan.name}", number)
                genes = self._with_variants(plan.genome, genes, turn.without_gain[side], stream)
            size = len(genes)
            ids, ancestry = numbered(first, size), lineage(size, parent)
            first += size
            if guests is not None and side == turn.learning:
                places = slice(1, 1 + len(guests))
                genes[places], ancestry[places, 0] = guests.genes, guests.ids
            populations.append(Population(number, genes, ancestry, plan.name, ids))
            if archive is not None:
                populations.append(archive)
        return Generation(number, tuple(populations), asdict(turn))

    def _with_variants(
        self, genome: Genome, incumbent: np.ndarray, without_gain: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the genes of an incumbent and its variants, the incumbent first.

        A gene that is drawn twice for a variant changes once. After ``without_gain`` rounds without
        a better variant, more genes may change.
        """
        options = self.options
        genes = np.repeat(incumbent, 1 + options.candidates, axis=0)
        most = options.changes
        if options.jump_after:
            jumps = min(without_gain // options.jump_after, 30)
            most = min(most << jumps, max(options.most_changes, most))
        counts = np.full(options.candidates, most)
        if options.changes_drawn:
            counts = rng.integers(1, most + 1, options.candidates)
        genome.change(genes, np.repeat(np.arange(1, len(genes)), counts), rng)
        return genes

    def _archive(self, parents: EvaluatedGeneration, side: int, row: int) -> Population | None:
        """Return the archive of a side: its newest former incumbents, without the present one.

        The incumbent at the end of a side's turn stays its incumbent until its next turn begins. In
        a game with one population the turn never ends, so each replaced incumbent enters the
        archive.
        """
        name = self.plans[side].name
        kept = parents.by_name.get(name + ARCHIVE)
        if not self.options.archive:
            return None
        before, alone = Turn(**parents.state), len(self.plans) == 1
        begins = before.then == side != before.learning and parents.number > 0
        new = parents.by_name[name].population
        known = kept is not None and np.array_equal(kept.population.genes[-1], new.genes[0])
        if known or not (row > 0 if alone else begins):
            return replace(kept.population, generation=parents.number + 1) if kept else None
        columns = {}
        for name_of_column in ("genes", "parents", "ids"):
            old = [getattr(kept.population, name_of_column)] if kept else []
            column = np.concatenate([*old, getattr(new, name_of_column)[:1]])
            columns[name_of_column] = column[-self.options.archive :]
        return Population(parents.number + 1, name=name + ARCHIVE, **columns)

    # --- a round ------------------------------------------------------------------------------

    def contest(self, generation: Generation) -> Contest:
        """Return the matches of a generation: every challenger against every opponent.

        All challengers play the same games.
        """
        side = Turn(**generation.state).learning
        placed = {
            population.name: (population, part)
            for population, part in zip(generation.populations, generation.parts(), strict=True)
        }
        other = self.plans[self._other(side)].name
        opponents: list[int] = []
        if self.options.current:
            opponents.append(placed[other][1].start)
        opponents += self._archived(placed, other)
        opponents += [-1 - number for number in range(len(self.problem.panel))]
        alone, challengers = len(self.plans) == 1, placed[self.plans[side].name][1]
        schedule = Challenges(
            np.arange(challengers.start, challengers.stop),
            np.array(opponents, dtype=np.int32),
            self.options.games,
            side,
            0 if alone else 1 - side,
        )
        measures = Measures(schedule, self.options.measures, 2 if alone else 1, len(generation))
        seeds_of = 0 if self.options.same_games else generation.number
        return Contest(schedule, measures, seeds_of, measures.games, measured=True)

    def _archived(self, placed: Mapping[str, tuple[Population, slice]], side: str) -> list[int]:
        """Return the entrants of a side's archive that are opponents, by number.

        The incumbent is left out if it is an opponent anyway. ``placed`` are the populations with
        their numbers as entrants.
        """
        if side + ARCHIVE not in placed:
            return []
        archive, part = placed[side + ARCHIVE]
        same = (archive.genes == placed[side][0].genes[0]).all(axis=1)
        known = same if self.options.current else np.zeros_like(same)
        return (part.start + np.flatnonzero(~known)).tolist()

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """Accept a challenger as the next incumbent, by its games; set the side to learn next."""
        measures = contest.scoring
        assert isinstance(measures, Measures)
        raw = tally.wins / np.maximum(tally.games, 1)
        turn = Turn(**generation.state)
        if generation.number:
            turn = self._turn(turn, measures, generation.number)
        else:  # the loser of the opening learns first
            turn = replace(turn, then=self._other(turn.learning) if measures.wins_all(0) else 0)
        fitness = raw.copy()
        rows = measures.schedule.individuals
        fitness[rows] = measures.ranks()
        fitness[rows[turn.accepted]] += 0.5  # of equals, it is the champion
        return EvaluatedGeneration.of(generation, raw, fitness, tally, asdict(turn))

    def _other(self, side: int) -> int:
        """Return the number of the opposing side, or of the same side if there is only one."""
        return len(self.plans) - 1 - side

    def _turn(self, turn: Turn, measures: Measures, number: int) -> Turn:
        """Return the state of the hill climber's turns after a round of the learning side.

        Args:
            turn: the state before the round.
            measures: the results of the challengers in the round.
            number: the number of the generation.
        """
        side, options = turn.learning, self.options
        accepted = options.accepted(measures, number, self.problem.seed)
        gained = measures.compare(accepted, 0) > 0
        without_gain = list(turn.without_gain)
        without_gain[side] = 0 if gained else without_gain[side] + 1
        rounds = turn.rounds + 1
        is_over = measures.wins_all(accepted) or 0 < options.turn_after <= rounds
        return Turn(
            learning=side,
            rounds=rounds,
            without_gain=without_gain,
            stuck=0 if gained else turn.stuck + 1,
            accepted=accepted,
            then=self._other(side) if is_over else side,
        )

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Return the reason to stop if nothing has improved for ``stop_after`` rounds.

        Otherwise the text is empty.
        """
        rounds = self.options.stop_after
        if not rounds or Turn(**evaluated.state).stuck < rounds:
            return ""
        return f"no gain in {rounds} rounds (learner.stop_after={rounds})"
