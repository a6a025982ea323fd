"""Calls of a mutator, side by side and recorded.

Each request has a place: its generation, population and individual. An answer is on the disk before
it is used, and a child takes the place of its request. The order of the answers has no effect. So a
run is resumed, and replayed, to the same bytes although its mutator would answer differently.

A record of a generation of an island has ``asked``, the calls that begin; ``answers``, the calls
that ended; and ``given_up``, the requests whose parent takes the place of a child. A record of the
end has the generation in which the budget was spent.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evo.learners.program_search.mutator import (
    MOST_TOLD,
    MutatorError,
    MutatorLate,
    child_of,
    cost_of,
    hide_secrets,
    mutator_of,
    secrets_of,
)
from results.folder.recording import MUTATIONS, Recording, digest_of_parents
from tournaments.errors import TournamentError, counted, storable
from tournaments.guard import raised

SLOWEST = 3600.0
"""Maximum pause before a call is repeated, in seconds."""


class Request(NamedTuple):
    """A request for a child.

    Attributes:
        number: the number of the request in the run, from 1.
        population: the name of the population.
        individual: the row that the child takes.
        parents: the texts of the parents.
        content: returns the request as JSON types.
    """

    number: int
    population: str
    individual: int
    parents: tuple[str, ...]
    content: Callable[[], dict[str, Any]]

    @property
    def place(self) -> dict[str, Any]:
        """The population, the row and a digest of the parents, which identify the request."""
        digest = digest_of_parents(self.parents)
        return {"population": self.population, "individual": self.individual, "parents": digest}

    @property
    def key(self) -> tuple[Any, ...]:
        """The values of :attr:`place`."""
        return _key(self.place)


class Waiting(NamedTuple):
    """A request that waits for its call.

    Attributes:
        due: the time from which it may be called.
        number: the number of the request.
        attempt: the number of the attempt, from 0.
        request: the request.
    """

    due: float
    number: int
    attempt: int
    request: Request


class Running(NamedTuple):
    """A running call: what waited for it, and the time when it began."""

    waiting: Waiting
    began: float


@dataclass
class Calls:
    """The calls of the mutator of an island's learner.

    Attributes:
        options: the options of the learner.
        check: function that raises a TournamentError for a text that is no valid program.
        read_from: the folder of an untrusted run; empty: the user names the mutator.
        records: the recording of the run.
        island: the number of the island; None: the run has no islands.
        is_replay: whether every answer has to be in the recording.
    """

    options: Any
    check: Callable[[str], None]
    read_from: str
    records: Recording = field(default_factory=Recording)
    island: int | None = None
    is_replay: bool = False
    _number: int = 0
    _position: int = 0
    _ends: list[Mapping[str, Any]] = field(default_factory=list)
    _books: dict[int, GenerationRecords] = field(
        default_factory=lambda: defaultdict(GenerationRecords)
    )
    _spent: dict[int, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def prepare(self) -> None:
        """Raise ConfigError if the mutator cannot be called."""
        self._mutate = mutator_of(self.options.mutator, self.options.environment, self.read_from)
        self._secrets = secrets_of(self.options.environment)

    def children(
        self, generation: int, requests: Sequence[Request]
    ) -> tuple[list[str | None], str]:
        """Return the child of each request, and why the calls end with this generation, or "".

        A child is None if the mutator failed at it, or the budget was spent before.

        Args:
            generation: the number of the children's generation.
            requests: the requests of all populations of the island.

        Raises:
            TournamentError: the mutator failed at all requests; or an answer is not recorded, and
                this is a replay.
        """
        self._catch_up()
        book = self._books[generation]
        left = [each for each in requests if not book.has(each)]
        if left and not self._why_over(generation):
            if self.is_replay:
                raise TournamentError(
                    f"the child {left[0].individual} of {left[0].population} in generation "
                    f"{generation} is not in the recording; a run whose recording is whole can be "
                    "replayed"
                )
            self._ask(generation, left)
        if not (self.is_replay or self._why_over(generation)):
            self._end_if_spent(generation, generation)
        return [book.children.get(each.key) for each in requests], self._why_over(generation)

    def _catch_up(self) -> None:
        """Count the records that were added since the last call, on all islands."""
        history = self.records.history(MUTATIONS)
        for record in history[self._position :]:
            is_own = record["island"] == self.island
            if "why" in record:
                self._ends += [record] * is_own
                continue
            if is_own:
                self._books[record["generation"]].take(record)
            spent = self._spent[record["generation"]]
            spent["calls"] += len(record.get("asked", ()))
            for answer in record.get("answers", ()):
                spent["seconds"] += answer["seconds"]
                spent["cost"] += answer.get("cost", 0.0)
        self._position = len(history)

    def _add(self, stem: str, generation: int, content: Mapping[str, Any]) -> None:
        record = {"generation": generation, "island": self.island, **content}
        self.records.add(f"{MUTATIONS}{stem}", record)
        self._catch_up()

    def _why_over(self, generation: int) -> str:
        """Return why the island's calls have ended by a generation; empty if they have not."""
        ends = (end["why"] for end in self._ends if end["generation"] <= generation)
        return next(ends, "")

    def _end_if_spent(self, generation: int, until: float = math.inf) -> bool:
        """Record the end of the budget if it is spent; return whether it is.

        ``until`` is the last generation whose calls count.
        """
        options, spent = self.options, Counter[str]()
        for number, part in self._spent.items():
            if number <= until:
                spent.update(part)
        for name in ("calls", "seconds", "cost"):
            limit = getattr(options, f"budget_{name}")
            if 0 < limit <= spent[name]:
                words = f"{limit:,g} of cost" if name == "cost" else counted(limit, name[:-1])
                why = f"the mutator's budget of {words} is spent"
                self._add(f"end-{self.island or 0:03d}", generation, {"why": why})
                return True
        return False

    # --- asking -----------------------------------------------------------------------------------

    def _ask(self, generation: int, requests: Sequence[Request]) -> None:
        """Call the mutator for each request, with retries, until all are answered or given up."""
        if not hasattr(self, "_mutate"):
            self.prepare()
        self._done: queue.Queue[Any] = queue.Queue()
        waiting = [Waiting(0.0, request.number, 0, request) for request in requests]
        running, failed, what = dict[int, Running](), list[Request](), ""
        while waiting or running:
            if waiting and self._end_if_spent(generation):
                waiting.clear()
            waiting, wake = self._start_ready(generation, waiting, running)
            answers = []
            for (_, number, attempt, request), answer in self._ended(running, wake):
                place = {"request": number, **request.place, "attempt": attempt}
                answers.append({**place, **answer})
                if "source" in answer:
                    continue
                what = answer["what"]
                if attempt < self.options.retries:
                    pause = min(self.options.pause * 2.0**attempt, SLOWEST)
                    due = time.monotonic() + pause
                    waiting.append(Waiting(due, number, attempt + 1, request))
                else:
                    failed.append(request)
            if answers:
                self._write(generation, {"answers": answers})
        if failed and not self._books[generation].children and len(failed) == len(requests):
            raise TournamentError(
                f"the mutator failed at all {len(failed)} requests of generation {generation}, the "
                f"last time because it {what}; mend it, and go on by evo resume"
            )
        if failed:
            self._write(generation, {"given_up": [each.place for each in failed]})

    def _start_ready(
        self, generation: int, waiting: list[Waiting], running: dict[int, Running]
    ) -> tuple[list[Waiting], float]:
        """Begin calls, as many as may run side by side and the budget allows.

        Returns:
            The requests that go on waiting, and the time of the next thing to do.
        """
        options, now = self.options, time.monotonic()
        room = options.at_once - len(running)
        if options.budget_calls:
            made = sum(part["calls"] for part in self._spent.values())
            room = min(room, options.budget_calls - made)
        ready = sorted(each for each in waiting if each.due <= now)[: max(0, room)]
        if ready:
            contents = [each.request.content() for each in ready]
            asked = [
                {"request": each.number, **each.request.place, "attempt": each.attempt}
                for each in ready
            ]
            self._write(generation, {"asked": asked})
            for each, content in zip(ready, contents, strict=True):
                began = time.monotonic()
                call = self._begin({**content, "attempt": each.attempt})
                running[call] = Running(each, began)
        left = [each for each in waiting if each not in ready]
        ends = [call.began + options.seconds for call in running.values()]
        return left, min([*ends, *(each.due for each in left if room > len(ready))], default=now)

    def _write(self, generation: int, content: Mapping[str, Any]) -> None:
        number = self._books[generation].size
        self._add(f"{generation:06d}-{self.island or 0:03d}-{number:06d}", generation, content)

    def _begin(self, content: dict[str, Any]) -> int:
        """Start a call in a thread of its own and return its number."""
        done, seconds = self._done, self.options.seconds
        self._number += 1
        number = self._number

        def call() -> None:
            try:
                done.put((number, self._mutate(content, seconds), None))
            except BaseException as error:
                done.put((number, None, error))

        threading.Thread(target=call, daemon=True, name="mutator").start()
        return number

    def _ended(
        self, running: dict[int, Running], wake: float
    ) -> Iterator[tuple[Waiting, dict[str, Any]]]:
        """Yield the calls that have ended until a time, each with its answer as a record.

        Return after the first ones. A call that takes too long has ended, too. Its thread is left
        behind.
        """
        ended = []
        try:
            ended.append(self._done.get(timeout=max(0.0, wake - time.monotonic())))
            while True:
                ended.append(self._done.get_nowait())
        except queue.Empty:
            pass
        now = time.monotonic()
        ended += [
            (number, None, MutatorLate())
            for number, call in running.items()
            if now - call.began >= self.options.seconds
        ]
        for number, answer, error in ended:
            if number in running:
                waited, began = running.pop(number)
                yield waited, self._as_record(answer, error, now - began)

    def _as_record(
        self, answer: Any, error: BaseException | None, seconds: float
    ) -> dict[str, Any]:
        """Return an answer, or the error of a call, as a record."""
        passed = {"seconds": round(seconds, 3)}
        try:
            if error is not None:
                raise error
            child = child_of(answer, self.check, self._secrets)
            return {"outcome": "child", **child._asdict(), **passed}
        except MutatorLate:
            limit = counted(self.options.seconds, "second")
            return {"outcome": "late", "what": f"gave no answer within {limit}", **passed}
        except MutatorError as failure:
            what = str(failure)
        except BaseException as failure:
            what = raised(failure)
        what = storable(hide_secrets(self._secrets, what)[:MOST_TOLD])
        cost = cost_of(answer.get("cost")) if isinstance(answer, Mapping) else None
        return {"outcome": "error", "what": what, **passed, "cost": cost or 0.0}


class GenerationRecords:
    """The records of a generation of an island.

    Attributes:
        children: the children by the keys of their requests.
        given_up: the keys of requests at which the mutator failed.
        size: the number of records.
    """

    def __init__(self) -> None:
        self.children: dict[tuple[Any, ...], str] = {}
        self.given_up: set[tuple[Any, ...]] = set()
        self.size = 0

    def take(self, record: Mapping[str, Any]) -> None:
        """Add a record."""
        self.size += 1
        for answer in record.get("answers", ()):
            if "source" in answer:
                self.children.setdefault(_key(answer), answer["source"])
        self.given_up |= {_key(place) for place in record.get("given_up", ())}

    def has(self, request: Request) -> bool:
        """Return whether a request was answered or given up."""
        return request.key in self.children or request.key in self.given_up


def _key(place: Mapping[str, Any]) -> tuple[Any, ...]:
    return place["population"], place["individual"], place["parents"]
