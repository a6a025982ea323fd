"""Islands: a stretch of generations of each is one piece of work, and migrants move in between.

A stretch goes from one migration, or snapshot, to the next. An island needs nothing from outside
for it, so it is played by one worker, a thread or a Ray actor, that hands back its rows and its
last generation.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from cluster import Evaluator, LocalEvaluator
from cluster.evaluator import ClusterError, all_done, faults_of
from cluster.faults import RESUME, MatchLost
from cluster.referee import Referee
from evo.config.config import Config
from evo.evolution import loop
from evo.evolution.checkpoint import (
    columns_of_islands,
    lineage_columns,
    restored_islands,
    state_of_islands,
)
from evo.evolution.loop import PARTS, REACHED, Clock, PopulationSummary, Progress
from evo.evolution.migration import migrations
from evo.evolution.start import learner_of
from evo.learners.base import Learner
from evo.population import EvaluatedGeneration, Generation, Migrants
from results.format.islands import on_island, role_and_island
from results.format.schema import QUARANTINE
from results.writer.writer import RunWriter

POPULATIONS = ("population", "opponent_population")
"""Columns of the table ``faults``."""
Report = Callable[[Progress], None]
Stop = Callable[[], bool]


def evolve(
    config: Config,
    learners: Sequence[Learner],
    evaluator: Evaluator,
    writer: RunWriter,
    report: Report = lambda progress: None,
    stop: Stop = lambda: False,
    referee: Referee | None = None,
) -> str:
    """:func:`evo.evolution.loop.evolve`, on islands where the configuration has any.

    There ``stop`` is asked after each stretch, and once it says yes the run ends with that.

    Args:
        config, evaluator, writer, report, stop, referee: as there.
        learners: of each island; of a run without islands its only one.
    """
    if config.islands is None:
        return loop.evolve(config, learners[0], evaluator, writer, report, stop, referee)
    islands = _Archipelago(config, learners, writer, referee or Referee())
    return islands.evolve(evaluator, report, stop)


class Played(NamedTuple):
    """A generation of an island as its worker tells of it.

    Attributes:
        rows: of the table ``generations``.
        summaries: of its populations.
        games: played.
        parts: of the seconds that it took, by :data:`evo.evolution.loop.PARTS`.
        faults: rows of the table ``faults``.
        forfeits: games that were lost by a fault.
        lineage: the columns of that table, where the run has it.
    """

    rows: list[dict[str, Any]]
    summaries: tuple[PopulationSummary, ...]
    games: int
    parts: Mapping[str, float]
    faults: Sequence[dict[str, Any]] = ()
    forfeits: int = 0
    lineage: Mapping[str, np.ndarray] | None = None


@dataclass
class Stretch:
    """Some generations of an island: a :class:`cluster.evaluator.Work`.

    Attributes:
        config: of the island.
        island, islands: its number, and how many there are.
        last: the generation that it ends with.
        present: the one that it goes on from; None: it begins.
        migrants: that come to it before, by population.
        referee: what becomes of faults.
    """

    config: Config
    island: int
    islands: int
    last: int
    present: EvaluatedGeneration | None = None
    migrants: Mapping[str, Migrants] = field(default_factory=dict)
    referee: Referee = field(default_factory=Referee)

    def run(self, evaluator: Evaluator | None = None) -> tuple[EvaluatedGeneration, list[Played]]:
        """The last generation, and what there is to tell of each; by default played by this
        thread."""
        learner, evaluator = learner_of(self.config), evaluator or LocalEvaluator(1)
        clock, present, told = Clock(), self.present, list[Played]()
        while present is None or present.number < self.last:
            generation = loop.trained(learner, self._next(learner, present), evaluator)
            clock.lap("vary")
            present, games = loop.evaluate(
                self.config, learner, evaluator, generation, clock, self.referee
            )
            told.append(self._told(present, games, clock))
        return present, told

    def witness(self, result: tuple[EvaluatedGeneration, list[Played]]) -> bytes:
        """What is the same whoever plays the island, which seconds are not: see
        :class:`cluster.evaluator.Work`."""
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
        return self._numbered(made)

    def _numbered(self, made: Generation) -> Generation:
        """The generation with ids that no other island has; those of archives have them already."""
        populations = (
            each if each.is_archive else replace(each, ids=each.ids * self.islands + self.island)
            for each in made.populations
        )
        return replace(made, populations=tuple(populations))

    def _told(self, present: EvaluatedGeneration, games: int, clock: Clock) -> Played:
        progress = loop.progress_of(self.config, present, 0, games)
        rows = list(loop.rows_of(self.config, present, progress, clock.parts, 0.0))
        for row in rows:
            row["population"] = on_island(str(row["population"]), self.island)
            row["island"] = self.island
        faults = self.referee.noted()
        for row in faults:
            for name in POPULATIONS:
                row[name] = row[name] and on_island(str(row[name]), self.island)
        lineage = lineage_columns(present, self.island) if self.config.run.lineage else None
        clock.lap("record")
        forfeits, self.referee.forfeits = self.referee.forfeits, 0
        return Played(rows, progress.populations, games, clock.turn(), faults, forfeits, lineage)


class _Archipelago:
    """All islands of a run, and how far they are."""

    def __init__(
        self, config: Config, learners: Sequence[Learner], writer: RunWriter, referee: Referee
    ) -> None:
        assert config.islands is not None
        self.config = config
        self.islands = config.islands
        self.learners = learners
        self.configs = [config.island(number) for number in range(self.islands.count)]
        self.writer, self.referee = writer, referee
        self.present: list[EvaluatedGeneration] = []
        self.games_played = 0
        if writer.last is not None:
            self.present = restored_islands(config, writer.last)
            self.games_played = writer.last.games_played
        self._writing = 0.0

    def evolve(self, evaluator: Evaluator, report: Report, stop: Stop) -> str:
        """See :func:`evolve`."""
        while not self._why_over():
            started = time.perf_counter()
            told = self._play(evaluator)
            stopping = stop()
            seconds = time.perf_counter() - started
            reports = list(self._record(told, seconds))
            self._keep(stopping)
            for progress in reports:
                progress.faults = {**faults_of(evaluator), **self.referee.counts()}
                report(progress)
            self._writing = time.perf_counter() - started - seconds
            if stopping:
                break
        self.writer.flush()
        return self._why_over()

    @property
    def number(self) -> int:
        """The generation that all islands are at; -1: none yet."""
        return self.present[0].number if self.present else -1

    def _why_over(self) -> str:
        """Why there is nothing more to do, or nothing; islands that have enough go on as long as
        others have not, and all of them are asked where they may meet."""
        if not self.present:
            return ""
        if self._is_between():
            pairs = zip(self.learners, self.present, strict=True)
            reasons = [learner.is_done(present) for learner, present in pairs]
            if all(reasons):
                return f"{reasons[0]} on all islands at generation {self.number}"
        return REACHED if self.config.run.is_over(self.number, self.games_played) else ""

    def _is_between(self) -> bool:
        interval = self.config.run.snapshot_interval
        return self.number % interval == 0 or self.islands.is_due(self.number)

    def _end(self) -> int:
        """The generation that the next stretch ends with: the next snapshot, migration or last one,
        by games no later than they can be reached."""
        run, number = self.config.run, self.number
        if number < 0:
            return 0
        intervals = [run.snapshot_interval]
        if self.islands.ways:
            intervals.append(self.islands.options.every)
        ends = [run.generations, *((number // each + 1) * each for each in intervals)]
        if run.games:
            most = self.islands.total(lambda kind: kind.learner.size(kind.problem())[1])
            left = run.games - self.games_played
            ends.append(number + max(1, -(-left // (most * self.config.games_a_match))))
        return min(ends)

    def _play(self, evaluator: Evaluator) -> list[list[Played]]:
        """Play the next stretch on all islands; for each what there is to tell."""
        end = self._end()
        try:
            results = all_done(evaluator, self._stretches(end))
        except MatchLost as lost:
            if self.referee.is_strict:
                raise self._lost(lost, end) from lost
            results = self._by_matches(evaluator, end)
        self.present = [present for present, _ in results]
        return [told for _, told in results]

    def _stretches(self, end: int) -> list[Stretch]:
        """The next stretch of each island."""
        count = self.islands.count
        arriving: Sequence[Mapping[str, Migrants]] = [{}] * count
        if self.islands.is_due(self.number):
            arriving = migrations(self.islands, self.config.seed, self.present)
        return [
            Stretch(
                self.configs[number],
                number,
                count,
                end,
                self.present[number] if self.present else None,
                arriving[number],
                self.referee.elsewhere(partial(_as_on, number)),
            )
            for number in range(count)
        ]

    def _by_matches(
        self, evaluator: Evaluator, end: int
    ) -> list[tuple[EvaluatedGeneration, list[Played]]]:
        """Play the next stretch of one island after another, the matches shared among workers.

        So is a match found that no worker survives, and its culprit quarantined. All islands are
        then played anew, without that player from its generation on. The first culprit of all
        islands counts, which does not depend on the island whose worker was lost first.

        Raises:
            MatchLost: of a match for which no player is to blame.
        """
        while True:
            results = [stretch.run(evaluator) for stretch in self._stretches(end)]
            rows = [row for _, told in results for played in told for row in played.faults]
            culprits = [row for row in rows if row["verdict"] == QUARANTINE]
            if not culprits:
                return results
            self.referee.take([min(culprits, key=lambda row: row["generation"])])

    def _lost(self, lost: MatchLost, end: int) -> ClusterError:
        """The error where no worker survives an island, and faults are not forfeited."""
        return ClusterError(
            f"island {lost.match} loses every worker in its generations {self.number + 1} to {end} "
            f"({lost.why}); one of its players ends its process or never answers. --faults forfeit "
            f"finds and quarantines the one; once it is mended, {RESUME}"
        )

    def _record(self, told: list[list[Played]], seconds: float) -> Iterator[Progress]:
        """Hand the rows of a stretch to the writer, and give what there is to report of each
        generation."""
        generations = list(zip(*told, strict=True))
        first = self.number - len(generations) + 1
        own, writing = seconds / len(generations), self._writing / len(generations)
        for number, of_islands in enumerate(generations, first):
            for played in of_islands:
                self.referee.take(played.faults)
                self.referee.forfeits += played.forfeits
            games = sum(played.games for played in of_islands)
            self.games_played += games
            rows = list(chain.from_iterable(played.rows for played in of_islands))
            for row in rows:
                row["games_played"] = self.games_played
                row["write_seconds"] = writing / len(rows)
                row["total_seconds"] += row["write_seconds"]
                self.writer.generation(row)
            lineage = [played.lineage for played in of_islands if played.lineage is not None]
            if lineage:
                names = list(lineage[0])
                stacked = {name: np.concatenate([each[name] for each in lineage]) for name in names}
                self.writer.lineage(stacked, number)
            last = self.config.run.last_generation(number, self.games_played)
            summaries = _summaries([played.summaries for played in of_islands])
            parts = _shared([played.parts for played in of_islands], own)
            yield Progress(number, last, self.games_played, games, summaries, own, parts)

    def _keep(self, stopping: bool) -> None:
        """Hand over a snapshot, where one is due."""
        number = self.number
        is_last = stopping or bool(self._why_over())
        if is_last or number % self.config.run.snapshot_interval == 0:
            self.referee.flush()
            kept = columns_of_islands(self.config, self.present)
            state = state_of_islands(self.present)
            lost = self.referee.written(number)
            self.writer.snapshot(kept, number, self.games_played, state, lost)
        if number == 0:
            self.writer.flush()  # what the disk refuses is told at once, and the run can be opened


def _as_on(island: int, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """A row of the table ``faults`` as an island has it; None: it is of another's individuals."""
    names = {name: role_and_island(row[name]) for name in POPULATIONS if row[name]}
    if any(number != island for _, number in names.values()) and row["verdict"] != QUARANTINE:
        return None
    return {**row, **{name: own for name, (own, _) in names.items()}}


def _summaries(islands: list[tuple[PopulationSummary, ...]]) -> tuple[PopulationSummary, ...]:
    """Of each role the best of all islands, and the means of their means and diversities."""
    return tuple(
        PopulationSummary(
            of_role[0].name,
            max(summary.best for summary in of_role),
            float(np.mean([summary.mean for summary in of_role])),
            float(np.mean([summary.diversity for summary in of_role])),
        )
        for of_role in zip(*islands, strict=True)
    )


def _shared(islands: list[Mapping[str, float]], seconds: float) -> dict[str, float]:
    """The seconds that a generation took, as its parts share the time of all workers."""
    sums = {part: sum(parts[part] for parts in islands) for part in PARTS}
    whole = sum(sums.values())
    return {part: of_part * seconds / whole if whole else 0.0 for part, of_part in sums.items()}
