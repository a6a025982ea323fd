"""The generation loop: a run is an archipelago of one or more islands.

Each island plays a *stretch* of generations, up to the next migration or snapshot. An island needs
nothing from outside for that, so a stretch is one piece of work for one worker, a thread or a Ray
actor, which returns the rows and the last generation. The only island of a run without a table
``[islands]`` plays stretches of one generation in this thread, and its matches are shared among the
workers. Its files have no column ``island``, plain names of populations and ids without gaps.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np

from cluster import Evaluator, LocalEvaluator
from cluster.evaluator import ClusterError, all_done, faults_of
from cluster.faults import RESUME, MatchLost
from cluster.referee import EntrantIdentity, Referee, WhoIs
from evo.config.config import Config
from evo.evolution.checkpoint import columns, lineage_columns, restored, stacked, state_of
from evo.evolution.migration import migrations
from evo.evolution.start import learner_of
from evo.learners.base import Learner
from evo.population import ALL, EvaluatedGeneration, Generation, Migrants
from results.format.islands import on_island, role_and_island
from results.format.metadata import UNLIMITED
from results.format.schema import QUARANTINE
from results.writer.writer import RunWriter
from tournaments.arena.entrants import Entrants, Genomes, Mixture, population_of
from tournaments.arena.outcomes import Played
from tournaments.errors import void_games
from tournaments.kernels.compilation import compilation
from tournaments.schedules.base import Matches

PARTS = {
    "vary": "selection, crossover and mutation, or turns that are learned from",
    "schedule": "who meets whom",
    "decode": "players made of genomes",
    "play": "the games",
    "score": "fitness, and games won and lost",
    "record": "diversity and the rows of the generation",
    "write": "snapshots handed to the writer, waiting for it where it is behind",
    "report": "progress shown, of the generation before",
}
"""The parts of a generation's time, in their order."""
EVALUATION = ("schedule", "decode", "play", "score")
"""The parts that make up ``evaluate_seconds``."""
BETWEEN = ("record", "write", "report")
"""The parts that make up ``write_seconds``, of the generations of the stretch before."""
REACHED = "the last generation was reached"
"""Why a run is over when it has reached its generations or games."""
POPULATIONS = ("population", "opponent_population")
"""Columns of the table ``faults`` that name populations."""
Report = Callable[["Progress"], None]
Stop = Callable[[], bool]


class PopulationSummary(NamedTuple):
    """A population of a generation: best and mean raw fitness, and diversity, 0 to 1."""

    name: str
    best: float
    mean: float
    diversity: float


@dataclass
class Progress:
    """The report of a generation.

    Attributes:
        generation, generations: number of the generation, and of the last one.
        games_played: since generation 0.
        games: played in this generation.
        populations: of this generation, without archives; on islands the best of each role, and the
            means of means and diversities.
        seconds: duration of this generation.
        parts: of these seconds, by :data:`PARTS`.
        faults: how many chunks and workers were lost, repeated, overdue and so on until now, see
            :class:`cluster.faults.Faults`; empty for threads.
        games_end: number of games that ends the run; 0: a number of generations ends it.
    """

    generation: int
    generations: int
    games_played: int
    games: int
    populations: tuple[PopulationSummary, ...]
    seconds: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)
    games_end: int = 0


# --- one generation -----------------------------------------------------------------------------


def trained(learner: Learner, generation: Generation, evaluator: Evaluator) -> Generation:
    """Return a generation after its individuals have learned, if the learner trains individuals."""
    train = getattr(learner, "train", None)
    return train(generation, evaluator) if train else generation


def evaluate(
    config: Config,
    learner: Learner,
    evaluator: Evaluator,
    generation: Generation,
    clock: Clock,
    referee: Referee | None = None,
) -> tuple[EvaluatedGeneration, int]:
    """Play the matches of a generation, and return it with its fitness and the number of games.

    Args:
        config: configuration of the run.
        learner: arranges and judges the matches.
        evaluator: plays the matches.
        generation: the individuals.
        clock: records the times of the parts.
        referee: records faults of players; None: a fault ends the run.
    """
    referee = referee or Referee()

    def count() -> tuple[EvaluatedGeneration, int]:
        contest = learner.contest(generation)
        clock.lap("schedule")
        players, who = entrants(config, generation), who_is(config, generation)
        clock.lap("decode")

        def play(matches: Matches) -> Iterator[Played]:
            yield from referee.play(evaluator, players, matches, who)
            clock.lap("play")
            clock.move("play", "decode", getattr(evaluator, "decode_seconds", 0.0))

        void = referee.void
        counter = contest.play(config.seed, len(generation), play, clock.lap)
        if (void := referee.void - void) and void == counter.games:
            raise void_games("all", counter.games, config.game.name, referee.first_void)
        judged = learner.judge(generation, contest, counter.tally)
        clock.lap("score")
        return judged, counter.games

    return referee.play_until_verdicts_settle(count)


def who_is(config: Config, generation: Generation) -> WhoIs:
    """Return a function from an entrant's number to its identity in the table ``faults``.

    Entrants are individuals of the generation, or fixed opponents.
    """
    parts = list(zip(generation.parts(), generation.populations, strict=True))

    def who(entrant: int) -> EntrantIdentity:
        if entrant < 0:
            return EntrantIdentity(config.panel_names[-entrant - 1])
        part, population = next(pair for pair in parts if entrant < pair[0].stop)
        row, kind = entrant - part.start, population.name
        packed = config.plan(kind).genome.pack(population.genes[row : row + 1])
        name = f"{'individual' if kind == ALL else kind} {row}"
        return EntrantIdentity(name, kind, int(population.ids[row]), packed.tobytes())

    return who


def entrants(config: Config, generation: Generation) -> Entrants:
    """Return the individuals of a generation and the fixed opponents as evaluators take them."""
    by_plan = groupby(generation.populations, lambda population: config.plan(population.name))
    groups: list[Genomes | Mixture] = []
    first = 0  # a population and its archive have one encoding, and are one group
    for (_, genome), alike in by_plan:
        packed = [genome.pack(population.genes) for population in alike]
        rows = packed[0] if len(packed) == 1 else np.concatenate(packed)
        groups.append(population_of(genome.representation, config.game, rows, first))
        first += len(rows)
    return Entrants(config.game, config.panel, tuple(groups))


# --- some generations of one island -------------------------------------------------------------


class IslandGeneration(NamedTuple):
    """The report of a worker about a generation of an island.

    Attributes:
        rows: of the table ``generations``, without the run's games and the times between stretches.
        games: played.
        parts: seconds that the generation took, by :data:`PARTS`.
        faults: rows of the table ``faults`` that the run's referee does not know yet.
        forfeits: games that were lost by a fault, likewise.
        lineage: the columns of that table, if the run keeps it.
    """

    rows: list[dict[str, Any]]
    games: int
    parts: Mapping[str, float]
    faults: Sequence[dict[str, Any]] = ()
    forfeits: int = 0
    lineage: dict[str, Any] | None = None


@dataclass
class Stretch:
    """Consecutive generations of an island: a :class:`cluster.evaluator.Work`.

    Attributes:
        config: of the island.
        island: its number; None: the only island of a run without a table ``[islands]``.
        islands: number of islands.
        last: the last generation of the stretch.
        present: the generation before the stretch; None: the stretch begins with generation 0.
        migrants: that arrive before the stretch, by population.
        referee: forfeits faults. That of a numbered island is its own, see
            :meth:`cluster.referee.Referee.elsewhere`.
        learner: of the island; it is not sent to other processes, which make their own.
    """

    config: Config
    island: int | None
    islands: int
    last: int
    present: EvaluatedGeneration | None = None
    migrants: Mapping[str, Migrants] = field(default_factory=dict)
    referee: Referee = field(default_factory=Referee)
    learner: Learner | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "learner": None}

    def run(
        self, evaluator: Evaluator | None = None
    ) -> tuple[EvaluatedGeneration, list[IslandGeneration]]:
        """Evolve an island for some generations, by default in the calling thread.

        Returns:
            The last generation, and the report of each generation.
        """
        learner, evaluator = self.learner or learner_of(self.config), evaluator or LocalEvaluator(1)
        clock, present, reports = Clock(), self.present, list[IslandGeneration]()
        while present is None or present.number < self.last:
            generation = trained(learner, self._next(learner, present), evaluator)
            clock.lap("vary")
            present, games = evaluate(
                self.config, learner, evaluator, generation, clock, self.referee
            )
            reports.append(self._report(present, games, clock))
        return present, reports

    def witness(self, result: tuple[EvaluatedGeneration, list[IslandGeneration]]) -> bytes:
        """Return a digest of the evolved generations, by which results of workers are compared.

        Seconds are left out, since they depend on the worker. See :class:`cluster.evaluator.Work`.
        """
        digest = hashlib.blake2b()
        for each in result[0].populations:
            for array in (each.population.ids, each.population.genes, each.raw_fitness):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.digest()

    def _next(self, learner: Any, present: EvaluatedGeneration | None) -> Generation:
        if present is None:
            made = learner.first()
        elif present is self.present and self.migrants:
            made = learner.next_with(present, self.migrants)
        else:
            made = learner.next(present)
        return made if self.island is None else self._numbered(made, self.island)

    def _numbered(self, made: Generation, island: int) -> Generation:
        """Return a generation whose individuals have ids that no other island uses.

        Individuals of archives have such ids already.
        """
        populations = (
            each if each.is_archive else replace(each, ids=each.ids * self.islands + island)
            for each in made.populations
        )
        return replace(made, populations=tuple(populations))

    def _report(self, present: EvaluatedGeneration, games: int, clock: Clock) -> IslandGeneration:
        rows = _rows_of(self.config, present, clock.parts, self.island)
        faults, forfeits = self._faults()
        lineage = lineage_columns(present, self.island) if self.config.run.lineage else None
        clock.lap("record")
        return IslandGeneration(rows, games, clock.turn(), faults, forfeits, lineage)

    def _faults(self) -> tuple[list[dict[str, Any]], int]:
        """Take the faults that the island's referee recorded, with the names of the run.

        Returns:
            The rows of ``faults``, and the number of forfeited games; none without islands.
        """
        if self.island is None:
            return [], 0
        faults = self.referee.noted()
        for row in faults:
            for name in POPULATIONS:
                row[name] = row[name] and on_island(str(row[name]), self.island)
        forfeits, self.referee.forfeits = self.referee.forfeits, 0
        return faults, forfeits


def _rows_of(
    config: Config, present: EvaluatedGeneration, parts: Mapping[str, float], island: int | None
) -> list[dict[str, Any]]:
    """Return rows of the table ``generations`` on a generation, one for each population.

    Each has an equal part of the time. Columns that are known between stretches alone are missing.
    """
    living = present.living
    return [
        {
            "generation": present.number,
            "population": on_island(population.name, island),
            **({} if island is None else {"island": island}),
            "best": float(np.maximum.reduce(raw_fitness)),
            "mean": _mean(raw_fitness),
            "std": _deviation(raw_fitness),
            "diversity": config.plan(population.name).genome.diversity(population.genes),
            "evaluate_seconds": sum(parts[part] for part in EVALUATION) / len(living),
            "vary_seconds": parts["vary"] / len(living),
        }
        for population, raw_fitness in ((each.population, each.raw_fitness) for each in living)
    ]


def _mean(values: np.ndarray) -> float:
    """Return the mean of an array, in less time than ``values.mean()`` for a handful of values."""
    return float(np.add.reduce(values) / len(values))


def _deviation(values: np.ndarray) -> float:
    """Return the standard deviation of an array, the same as ``values.std()``."""
    apart = values - _mean(values)
    return math.sqrt(_mean(apart * apart)) if len(values) > 1 else 0.0


# --- all islands --------------------------------------------------------------------------------


@dataclass
class Archipelago:
    """The islands of a run, with their present generation.

    Attributes:
        config: of the run.
        learners: one for each island.
        evaluator: plays the matches.
        writer: writes rows and snapshots, and has the last snapshot, if there is one.
        referee: forfeits faults of players; by default the run ends with the first fault.
        present: the generation of each island; empty before generation 0.
        games_played: since generation 0.
    """

    config: Config
    learners: Sequence[Learner]
    evaluator: Evaluator
    writer: RunWriter
    referee: Referee = field(default_factory=Referee)

    def __post_init__(self) -> None:
        last, self.islands = self.writer.last, self.config.islands
        self.present = restored(self.config, last) if last else []
        self.games_played = last.games_played if last else 0
        self._clock = Clock()
        self._seconds_between = 0.0

    def evolve(self, report: Report = lambda progress: None, stop: Stop = lambda: False) -> str:
        """Evolve all islands of the run from the last snapshot, or from nothing, to the end.

        The last generation has the number that the configuration gives, or is the first generation
        to reach its number of games.

        Args:
            report: called after each stretch with the progress of each of its generations.
            stop: called after each stretch. If it returns true, the loop writes a snapshot and
                ends.

        Returns:
            Why the run is over: :data:`REACHED` or the learner's reason; empty if it was stopped.
        """
        clock, over = self._clock, self._why_over()
        while not over:
            generations = self._play()
            clock.lap("play")
            stopping = stop()
            reports = list(self._record(generations))
            clock.lap("record")
            over = self._why_over()
            self._write(is_last=stopping or bool(over))
            clock.lap("write")
            self._book(reports, generations)
            for progress in reports:
                report(progress)
            clock.lap("report")
            if stopping:
                break
        self.writer.flush()
        return over

    @property
    def number(self) -> int:
        """The number of the run's present generation; -1 before generation 0."""
        return self.present[0].number if self.present else -1

    def _why_over(self) -> str:
        """Return why the run is over, or an empty text.

        A run with islands is over when the learners of all islands are done. Until then every
        island continues. Learners are asked only at generations where islands may meet.
        """
        if not self.present:
            return ""
        number, islands = self.number, self.islands
        interval = self.config.run.snapshot_interval
        if islands is None or islands.is_due(number) or number % interval == 0:
            pairs = zip(self.learners, self.present, strict=True)
            reasons = [learner.is_done(present) for learner, present in pairs]
            if all(reasons):
                where = "" if islands is None else " on all islands"
                return f"{reasons[0]}{where} at generation {number}"
        return REACHED if self.config.run.is_over(number, self.games_played) else ""

    def _end(self) -> int:
        """Return the last generation of the run's next stretch, which is played without a pause.

        A stretch ends with a snapshot, a migration or the run. If games end the run, the stretch
        ends no later than the games can be reached.
        """
        run, number, islands = self.config.run, self.number, self.islands
        if islands is None or number < 0:
            return number + 1
        intervals = [run.snapshot_interval]
        if islands.ways:
            intervals.append(islands.options.every)
        ends = [run.generations, *((number // each + 1) * each for each in intervals)]
        if run.games:
            most = islands.total(lambda kind: kind.learner.size(kind.problem())[1])
            left = run.games - self.games_played
            ends.append(number + max(1, -(-left // (most * self.config.games_a_match))))
        return min(ends)

    def _play(self) -> list[tuple[IslandGeneration, ...]]:
        """Evolve all islands for the next stretch of generations, and return each one's reports."""
        end = self._end()
        if self.islands is None or self.referee.recording is not None:  # which one process writes
            results = self._by_matches(end)
        else:
            try:
                results = all_done(self.evaluator, self._stretches(end))
            except MatchLost as lost:
                if self.referee.is_strict:
                    raise self._lost(lost, end) from lost
                results = self._by_matches(end)
        self.present = [present for present, _ in results]
        return list(zip(*(reports for _, reports in results), strict=True))

    def _stretches(self, end: int) -> list[Stretch]:
        """Return the next stretch of generations of each island, up to generation ``end``."""
        numbers, count = self.config.island_numbers, len(self.learners)
        present: Sequence[EvaluatedGeneration | None] = self.present or [None] * count
        arriving: Sequence[Mapping[str, Migrants]] = [{}] * count
        if self.islands is not None and self.islands.is_due(self.number):
            arriving = migrations(self.islands, self.config.seed, self.present)
        parts = zip(self.config.of_islands, numbers, self.learners, present, arriving, strict=True)
        return [
            Stretch(config, number, count, end, before, migrants, self._referee(number), learner)
            for config, number, learner, before, migrants in parts
        ]

    def _referee(self, island: int | None) -> Referee:
        """Return the referee of faults on an island; that of the run, if there are no islands."""
        if island is None:
            return self.referee
        return self.referee.elsewhere(partial(_as_on, island), island)

    def _by_matches(self, end: int) -> list[tuple[EvaluatedGeneration, list[IslandGeneration]]]:
        """Evolve the islands up to generation ``end``, one by one; workers share the matches.

        So a match that no worker survives is found, and its culprit is quarantined. All islands
        then play anew, without that player from its generation on. The first culprit of all islands
        counts, which does not depend on the island whose worker was lost first.

        Raises:
            MatchLost: of a match for which no player is to blame.
        """
        while True:
            results = [stretch.run(self.evaluator) for stretch in self._stretches(end)]
            rows = [row for _, reports in results for each in reports for row in each.faults]
            culprits = [row for row in rows if row["verdict"] == QUARANTINE]
            if not culprits:
                return results
            self.referee.take([min(culprits, key=lambda row: row["generation"])])

    def _lost(self, lost: MatchLost, end: int) -> ClusterError:
        """Return the error for an island whose stretch no worker survives.

        Faults are not forfeited in this run. ``end`` is the last generation of the stretch.
        """
        return ClusterError(
            f"island {lost.match} loses every worker in its generations {self.number + 1} to {end} "
            f"({lost.why}); one of its players ends its process or never answers. --faults forfeit "
            f"finds and quarantines the one; once it is mended, {RESUME}"
        )

    def _record(self, generations: Sequence[Sequence[IslandGeneration]]) -> Iterator[Progress]:
        """Pass the rows of a stretch of generations to the writer, and yield each one's progress.

        The progress has no times yet. ``generations`` holds the reports of all islands, by
        generation.
        """
        between = self._seconds_between + self._clock.parts["report"]
        first = self.number - len(generations) + 1
        for number, of_islands in enumerate(generations, first):
            for each in of_islands:
                self.referee.take(each.faults)
                self.referee.forfeits += each.forfeits
            games = sum(each.games for each in of_islands)
            self.games_played += games
            rows = list(chain.from_iterable(each.rows for each in of_islands))
            for row in rows:
                row["games_played"] = self.games_played
                row["write_seconds"] = between / len(generations) / len(rows)
                row["total_seconds"] = sum(
                    row[f"{part}_seconds"] for part in ("evaluate", "vary", "write")
                )
                self.writer.generation(row)
            if lineages := [each.lineage for each in of_islands if each.lineage is not None]:
                self.writer.lineage(stacked(lineages), number)
            run = self.config.run
            last = run.last_generation(number, self.games_played)
            games_end = run.games if run.generations == UNLIMITED else 0
            summaries = _summaries([each.rows for each in of_islands])
            faults = faults_of(self.evaluator)
            if self.referee.forfeits:
                faults["forfeits"] = self.referee.forfeits
            reached = number, last, self.games_played, games
            yield Progress(*reached, summaries, faults=faults, games_end=games_end)

    def _write(self, is_last: bool) -> None:
        """Pass a snapshot of the present generation to the writer, if one is due.

        One is due at the last generation, and at each interval.
        """
        number = self.number
        if is_last or number % self.config.run.snapshot_interval == 0:
            self.referee.flush()
            kept, state = columns(self.config, self.present), state_of(self.config, self.present)
            lost = self.referee.written(number)
            self.writer.snapshot(kept, number, self.games_played, state, lost)
        if number == 0:
            self.writer.flush()  # a full disk is reported at once, and the run can be opened

    def _book(
        self, reports: Sequence[Progress], generations: Sequence[Sequence[IslandGeneration]]
    ) -> None:
        """Set the seconds in the progress of each generation of a stretch.

        Each generation has an equal part of the stretch's time, and of the time between stretches.
        """
        spent, count = self._clock.turn(), len(reports)
        for progress, of_islands in zip(reports, generations, strict=True):
            parts = _scaled([each.parts for each in of_islands], spent["play"] / count)
            for part in BETWEEN:
                parts[part] += spent[part] / count
            progress.parts, progress.seconds = parts, sum(parts.values())
        self._seconds_between = sum(
            progress.parts[part] for progress in reports for part in ("record", "write")
        )


def _as_on(island: int, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a row of the run's table ``faults`` with the names of populations within an island.

    Return None for individuals of other islands.
    """
    names = {name: role_and_island(row[name]) for name in POPULATIONS if row[name]}
    if any(number != island for _, number in names.values()) and row["verdict"] != QUARANTINE:
        return None
    return {**row, **{name: own for name, (own, _) in names.items()}}


def _summaries(islands: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[PopulationSummary, ...]:
    """Return for each role the best fitness of all islands, and the mean fitness and diversity.

    ``islands`` are the rows of each island in the table ``generations``.
    """
    return tuple(
        PopulationSummary(
            role_and_island(of_role[0]["population"])[0],
            max(row["best"] for row in of_role),
            sum(row["mean"] for row in of_role) / len(of_role),
            sum(row["diversity"] for row in of_role) / len(of_role),
        )
        for of_role in zip(*islands, strict=True)
    )


def _scaled(islands: Sequence[Mapping[str, float]], seconds: float) -> dict[str, float]:
    """Return the seconds of each part of a generation, from the times of the islands' workers.

    Their sum is ``seconds``, their proportions are those of the workers. A single island returns
    its parts as they are.
    """
    if len(islands) == 1:
        return dict(islands[0])
    sums = {part: sum(parts[part] for parts in islands) for part in PARTS}
    whole = sum(sums.values())
    return {part: of_part * seconds / whole if whole else 0.0 for part, of_part in sums.items()}


@dataclass
class Clock:
    """Times of the parts of a generation, without the time of compiling kernels."""

    _lap: float = field(default_factory=compilation.clock)
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))

    def lap(self, part: str) -> None:
        """Add the time since the last call to a part of the generation."""
        now = compilation.clock()
        self.parts[part] += now - self._lap
        self._lap = now

    def move(self, source: str, target: str, seconds: float) -> None:
        """Move seconds from one part of the generation to another."""
        self.parts[source] -= seconds
        self.parts[target] += seconds

    def turn(self) -> dict[str, float]:
        """Return the seconds of each part of the generation that ends here; begin the next one."""
        parts, self.parts = self.parts, dict.fromkeys(PARTS, 0.0)
        return parts
