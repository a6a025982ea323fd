"""The learner ``program-search``: programs whose children come from a mutator.

The fittest individuals survive. Each other place of the next generation is a request to the
mutator, with parents that won tournaments. The recording of the run holds the answers, see
:mod:`evo.learners.program_search.calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np

from evo.genomes.program import ProgramGenes
from evo.learners.base import Learner, LearnerOptions, Problem
from evo.learners.by_scheme import ByScheme
from evo.learners.genetic.learner import stream_of, with_migrants
from evo.learners.genetic.selection import LARGEST_TOURNAMENT, elite_rows, tournament
from evo.learners.program_search.calls import Calls, Request
from evo.learners.program_search.lost_games import Loss, Reports, WatchedScoring, text_of_game
from evo.learners.program_search.mutator import EDITS
from evo.population import (
    Evaluated,
    EvaluatedGeneration,
    Generation,
    Migrants,
    Population,
    lineage,
    with_ids,
)
from results.folder.recording import PROGRAMS, Recording
from tournaments import players
from tournaments.arena.outcomes import Tally
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator
from tournaments.named_files import named_by
from tournaments.options import option
from tournaments.player import Player
from tournaments.players.programs import remember, text_of
from tournaments.schemes import Contest

ENDED = "ended"
"""Key of the state of a generation: why the calls of the mutator have ended."""
SHOWN = 3
"""Maximum number of lost games, and of faults, of a parent in a request."""


@dataclass(frozen=True)
class ProgramSearchOptions(LearnerOptions):
    """A population of programs. Children come from a mutator, such as a language model.

    Calls of the mutator are recorded, so that a run is resumed and replayed to the same bytes
    although the mutator answers differently each time.

    Attributes:
        mutator: a function FILE.py:NAME, or the command line of a program, which gets a request and
            returns a child; edits: this project's own, which changes numbers and lines
        children: children of a generation; the fittest others survive; 0: all but one
        tournament_size: individuals of which the fittest is a parent
        crossover_probability: share of requests with two parents
        at_once: calls of the mutator that run side by side
        seconds: time limit of a call, in seconds
        retries: how often a failed call is repeated before the parent takes the place of the child
        pause: seconds before the first repetition of a call, doubled before each further one
        budget_calls: calls after which the run ends; 0: no limit
        budget_seconds: seconds of all calls after which the run ends; 0: no limit
        budget_cost: sum of the costs that the mutator reports, after which the run ends; 0: no
            limit
        replays: lost games of a parent that are played again to show them as text
        environment: names of variables of the environment, such as API keys, that are passed to a
            program; their values are never written
    """

    programs: ClassVar[bool] = True
    starts_from_all: ClassVar[bool] = True
    name: str = option("program-search")
    mutator: str = option(EDITS)
    children: int = option(0, low=0)
    tournament_size: int = option(3, low=1, high=LARGEST_TOURNAMENT)
    crossover_probability: float = option(0.25, low=0.0, high=1.0)
    at_once: int = option(4, low=1, high=1000)
    seconds: float = option(600.0, above=0, high=1e6)
    retries: int = option(2, low=0, high=100)
    pause: float = option(1.0, low=0.0, high=3600.0)
    budget_calls: int = option(0, low=0)
    budget_seconds: float = option(0.0, low=0.0)
    budget_cost: float = option(0.0, low=0.0)
    replays: int = option(1, low=0, high=SHOWN)
    environment: tuple[str, ...] = option(())

    def checked(self, problem: Problem) -> Any:
        """Return these options if the population has room for the children.

        Raises:
            ConfigError: the population is too small.
        """
        if problem.population < 2 or self.children >= problem.population:
            raise ConfigError(
                f"learner.children={self.children} and population={problem.population} given; at "
                "least one individual survives: give fewer children, or a larger population"
            )
        return self

    def room_for_migrants(self, problem: Problem) -> int:
        """Return how many individuals of a population migrants may replace: all but one."""
        return problem.population - 1

    def learner(self, problem: Problem) -> Learner:
        """Return a :class:`ProgramSearch` with these options, for the problem of a run."""
        return ProgramSearch(problem, self)


class ProgramSearch(ByScheme):
    """A learner whose children come from a mutator. A scheme arranges the matches."""

    def __init__(self, problem: Problem, options: ProgramSearchOptions) -> None:
        super().__init__(problem)
        self.options = options
        suffix = self._genome(0).representation.suffix
        self.calls = Calls(options, suffix, problem.read_from)
        self._has_texts = True

    def _genome(self, place: int) -> ProgramGenes:
        genome = self.problem.plans[place].genome
        assert isinstance(genome, ProgramGenes)
        return genome

    def prepare(self, is_new: bool) -> None:
        """Raise if the mutator cannot be called or, for a new run, if a first program is missing.

        Raises:
            ConfigError: the message says which.
        """
        self._genome(0).representation.check_trusted()
        self.calls.prepare()
        if not is_new:
            return
        for place in range(len(self.problem.plans)):
            has_first = self._genome(place).files or self._started(place) is not None
            if self.problem.game.rules.contest is not None and not has_first:
                raise ConfigError(
                    "no genome.files given; the first programs are expected for a contest, such as "
                    "--set 'genome.files=[\"first.py\"]'"
                )
            self._first_texts(place)

    def bind(self, records: Recording, island: int | None, is_replay: bool) -> None:
        """Record calls of the mutator, and take recorded answers.

        Args:
            records: the recording of the run.
            island: the number of the island; None: the run has no islands.
            is_replay: whether every answer has to be in the recording.
        """
        self.calls.records, self.calls.island, self.calls.is_replay = records, island, is_replay

    def first(self) -> Generation:
        """Return generation 0: the first programs in turn, or those of the run to start from.

        The recording holds their texts, so that a run can be replayed without their files.
        """
        plans, size = self.problem.plans, self.problem.population
        recorded = self.calls.records.of(PROGRAMS)
        if recorded:
            texts = recorded[0]
        else:
            texts = {plan.name: self._first_texts(place) for place, plan in enumerate(plans)}
            self.calls.records.add(PROGRAMS, texts)
        populations = [
            Population(
                0, self._genome(place).genes_of(texts[plan.name], size), lineage(size), plan.name
            )
            for place, plan in enumerate(plans)
        ]
        return Generation(0, with_ids(populations, 0))

    def _first_texts(self, place: int) -> list[str]:
        started, genome = self._started(place), self._genome(place)
        return genome.first_texts() if started is None else genome.sources(started)

    def _started(self, place: int) -> np.ndarray | None:
        """Return the genes of the run that this run starts from; None without such a run."""
        return self.problem.first_genes(self.problem.plans[place], self.problem.population)

    def contest(self, generation: Generation) -> Contest:
        """Return the matches of a generation. Their scoring also collects lost games."""
        contest = super().contest(generation)
        scoring: Any = WatchedScoring(contest, self.problem.seed)
        return contest._replace(scoring=scoring)

    def judge(self, generation: Generation, contest: Contest, tally: Tally) -> EvaluatedGeneration:
        """Return a generation with its fitness, and with its lost games and faults as state."""
        watched: Any = contest.scoring
        contest = contest._replace(scoring=watched.scoring)
        evaluated = super().judge(generation, contest, tally)
        state = {**evaluated.state, **watched.state(SHOWN)}
        return EvaluatedGeneration(evaluated.number, evaluated.populations, state)

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """Return the next generation: the fittest individuals, and children of the mutator."""
        return self.next_with(parents, {})

    def next_with(
        self, parents: EvaluatedGeneration, migrants: Mapping[str, Migrants]
    ) -> Generation:
        """Return the :meth:`next` generation, with migrants among the parents.

        Raises:
            TournamentError: the mutator failed at all requests, or a replay lacks an answer.
        """
        drawn, requests, reports = [], list[Request](), Reports(parents)
        for own in parents.living:
            joined = with_migrants(own, migrants.get(own.population.name))
            rows, pairs = self._drawn(joined)
            drawn.append((joined, rows, pairs))
            requests += self._requests(reports, joined, len(requests), pairs)
        answers, why_over = self.calls.children(parents.number + 1, requests)
        children, first = [], 0
        for joined, rows, pairs in drawn:
            texts = answers[first : first + len(pairs)]
            first += len(pairs)
            children.append(_children(parents.number + 1, joined, rows, pairs, texts))
        return self.following(parents, children, {ENDED: why_over} if why_over else {})

    def _drawn(self, parents: Evaluated) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows of the survivors, and the parents of each child as rows, ``[C, 2]``.

        The second parent is -1 if there is only one.
        """
        name, number = parents.population.name, parents.population.generation + 1
        count = self.options.children or self.problem.population - 1
        survivors = elite_rows(parents.fitness, self.problem.population - count)
        rng = generator(self.problem.seed, stream_of("parents of programs", name), number)
        drawn = tournament(parents.fitness, 2 * count, rng, self.options.tournament_size)
        pairs = drawn.reshape(count, 2)
        is_crossed = rng.random(count) < self.options.crossover_probability
        pairs[~is_crossed | (pairs[:, 0] == pairs[:, 1]), 1] = -1
        return survivors, pairs

    def _requests(
        self, reports: Reports, own: Evaluated, before: int, pairs: np.ndarray
    ) -> list[Request]:
        """Return the requests for children of a population.

        Args:
            reports: the lost games and the faults of the parents' generation.
            own: the population, with its migrants.
            before: number of requests of other populations in this generation.
            pairs: the parents of each child, ``[C, 2]``.
        """
        population = own.population
        name, number = population.name, population.generation + 1
        rng = generator(self.problem.seed, stream_of("seeds of the mutator", name), number)
        seeds = rng.integers(1 << 32, size=len(pairs)).tolist()
        about_parent = cache(partial(self._about_parent, reports, own))
        requests, first = [], self.problem.population - len(pairs)
        each_generation = len(pairs) * len(self.problem.plans)
        for place, (pair, seed) in enumerate(zip(pairs.tolist(), seeds, strict=True)):
            rows = [row for row in pair if row >= 0]
            texts = tuple(text_of(population.genes[row].tobytes()) for row in rows)
            request = each_generation * (number - 1) + before + place + 1
            about = {
                "request": request,
                "game": self.problem.game.spec,
                "generation": number,
                "population": name,
                "individual": first + place,
                "seed": seed,
                "suffix": self.calls.suffix,
            }

            def content(about: dict[str, Any] = about, rows: list[int] = rows) -> dict[str, Any]:
                return {**about, "parents": [about_parent(row) for row in rows]}

            requests.append(Request(request, name, first + place, texts, content))
        return requests

    # --- what a request says of a parent ----------------------------------------------------------

    def _about_parent(self, reports: Reports, own: Evaluated, row: int) -> dict[str, Any]:
        """Return what a request says of a parent, as JSON types."""
        population, number = own.population, int(own.population.ids[row])
        lost = enumerate(reports.lost_by(number))
        return {
            "id": number,
            "source": text_of(population.genes[row].tobytes()),
            "score": float(own.raw_fitness[row]),
            **{name: int(values[row]) for name, values in vars(own.tally).items()},
            "faults": reports.faults_of(number),
            "lost": [self._about_loss(reports, loss, place) for place, loss in lost],
        }

    def _about_loss(self, reports: Reports, loss: Loss, place: int) -> dict[str, Any]:
        """Return what a request says of a lost game of a parent, as JSON types.

        ``place`` is the number of the game among those of the parent.
        """
        game = self.problem.game
        members = [self._member(reports, entrant) for entrant in loss.members]
        opponents = [
            {"name": name, "source": source, "score": score}
            for other, ((name, source, _), score) in enumerate(
                zip(members, loss.scores, strict=True)
            )
            if other != loss.place
        ]
        text = ""
        if place < self.options.replays and self._has_texts:
            text = text_of_game(game, [make() for *_, make in members], loss.seed, loss.game)
            self._has_texts = bool(text) or game.rules.contest is None
        return {
            "seat": game.seats[(loss.place + loss.game) % len(game.seats)],
            "score": loss.scores[loss.place],
            "opponents": opponents,
            "text": text,
        }

    def _member(
        self, reports: Reports, entrant: int
    ) -> tuple[str, str | None, Callable[[], Player]]:
        """Return the name of an entrant of a match, its text, and a function that makes it.

        The text is None for a fixed opponent.
        """
        problem = self.problem
        if entrant < 0:
            name = problem.panel[-entrant - 1]

            def make() -> Player:
                with named_by(problem.read_from):
                    return players.make(name, problem.game)

            return name, None, make
        name, digest = reports.entrants[entrant]
        made = self._genome(0).representation
        return name, text_of(digest), lambda: made.player(problem.game, [digest], name)

    def is_done(self, evaluated: EvaluatedGeneration) -> str:
        """Return that the budget of the mutator is spent, as the reason to stop; else nothing."""
        return str(evaluated.state.get(ENDED, ""))


def _children(
    number: int,
    parents: Evaluated,
    survivors: np.ndarray,
    pairs: np.ndarray,
    texts: list[str | None],
) -> Population:
    """Return the next population: survivors, then children.

    Args:
        number: of the generation.
        parents: the population before.
        survivors: rows of the parents that survive.
        pairs: the parents of each child as rows, ``[C, 2]``; -1 for no second parent.
        texts: the text of each child; None: its first parent takes its place.
    """
    population = parents.population
    rows = np.concatenate([survivors, pairs[:, 0]])
    genes, ancestry = population.genes[rows], lineage(len(rows))
    ancestry[:, 0] = population.ids[rows]
    for place, ((_, second), text) in enumerate(
        zip(pairs.tolist(), texts, strict=True), len(survivors)
    ):
        if text is not None:
            genes[place] = np.frombuffer(remember(text), dtype=np.uint8)
            if second >= 0:
                ancestry[place, 1] = population.ids[second]
    return Population(number, genes, ancestry, population.name)
