"""Outcomes of matches that do not repeat: written before they count.

These are matches of contests whose simulators return other scores each time, and of evolved
programs. A match that is in the recording of its run is not played again. So a run is resumed, and
replayed, to the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cluster.evaluator import Evaluator
from results.folder.recording import Recording
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import Forfeit
from tournaments.arena.outcomes import Played
from tournaments.errors import TournamentError
from tournaments.schedules.base import Matches
from tournaments.schedules.combined import ScheduleSlice

WRITE_SECONDS = 2.0
"""Seconds of matches that a crash may cost: outcomes are written so often."""


@dataclass
class RecordedEvaluator:
    """An evaluator that plays the matches that are not recorded, and records them.

    Attributes:
        inner: plays matches.
        recording: the recording of the run.
        island: the number of the island; None: the run has no islands.
        is_replay: whether every match has to be in the recording.
    """

    inner: Evaluator
    recording: Recording
    island: int | None = None
    is_replay: bool = False
    _written: float = 0.0

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Yield the recorded outcomes of matches, then play and record the others.

        Raises:
            TournamentError: a match is not recorded, and this is a replay.
        """
        stem, place, total = _stem(matches, self.island), 0, len(matches)
        is_real = entrants.game.rules.contest is not None
        known = sorted(self.recording.of(stem), key=lambda record: record["first"])
        self._written = time.monotonic()
        for record in known:
            if record["first"] < place:
                continue  # the same matches again, after a crash
            yield from self._played(entrants, matches, stem, place, record["first"])
            played = _of_record(record, matches, is_real)
            place = played.first + len(played.pairs)
            yield played
        yield from self._played(entrants, matches, stem, place, total)

    def _played(
        self, entrants: Entrants, matches: Matches, stem: str, first: int, last: int
    ) -> Iterator[Played]:
        """Play matches first..last-1, and yield their outcomes once they are recorded."""
        if first == last:
            return
        if self.is_replay:
            raise TournamentError(
                f"match {first} of {matches.purpose} in generation {matches.generation} is not in "
                f"{self.recording.path}; a run whose recording is whole can be replayed"
            )
        waiting = list[Played]()
        part = replace(matches, schedule=ScheduleSlice(matches.schedule, first, last))
        for played in self.inner.play(entrants, part):
            forfeits = [each._replace(match=first + each.match) for each in played.forfeits]
            waiting.append(played._replace(first=first + played.first, forfeits=forfeits))
            if time.monotonic() - self._written >= WRITE_SECONDS:
                yield from self._recorded(stem, waiting)
                waiting.clear()
        yield from self._recorded(stem, waiting)

    def _recorded(self, stem: str, waiting: list[Played]) -> list[Played]:
        """Write played matches, one record for each stretch, and return them."""
        for played in _joined(waiting):
            self.recording.add(f"{stem}{played.first:010d}", _as_record(played))
        self._written = time.monotonic()
        return list(waiting)

    def close(self) -> None:
        """Do nothing: the evaluator that plays is closed by its owner."""


def _stem(matches: Matches, island: int | None) -> str:
    where = "" if island is None else f"island-{island}-"
    return f"outcomes-{matches.generation:06d}-{where}{matches.purpose.replace('/', '.')}-"


def _joined(parts: list[Played]) -> list[Played]:
    """Return parts of matches in their order, those next to one another joined."""
    joined = list[Played]()
    for part in sorted(parts, key=lambda each: each.first):
        if joined and joined[-1].first + len(joined[-1].pairs) == part.first:
            before = joined.pop()
            part = Played(
                before.first,
                np.concatenate([before.pairs, part.pairs]),
                np.concatenate([before.outcomes, part.outcomes]),
                [*before.forfeits, *part.forfeits],
            )
        joined.append(part)
    return joined


def _as_record(played: Played) -> dict[str, Any]:
    scores = played.outcomes.astype(object)
    if played.outcomes.dtype.kind == "f":
        scores[np.isnan(played.outcomes)] = None
    return {
        "first": played.first,
        "scores": scores.tolist(),
        "faults": [list(each) for each in played.forfeits],
    }


def _of_record(record: dict[str, Any], matches: Matches, is_real: bool) -> Played:
    outcomes = np.array(record["scores"], dtype=np.float64 if is_real else np.int16)
    first = record["first"]
    faults = [Forfeit(*each)._replace(pair=tuple(each[6])) for each in record["faults"]]
    return Played(first, matches.schedule.pairs(first, first + len(outcomes)), outcomes, faults)
