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
    child_of,
    mutator_of,
    secrets_of,
    without,
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


class Call(NamedTuple):
    """A running call: its request, the number of the attempt and the time when it began."""

    request: Request
    attempt: int
    began: float


@dataclass
class Calls:
    """The calls of the mutator of an island's learner.

    Attributes:
        options: the options of the learner.
        suffix: the ending of the names of the programs.
        read_from: the folder of an untrusted run; empty: the user names the mutator.
        records: the recording of the run.
        island: the number of the island; None: the run has no islands.
        is_replay: whether every answer has to be in the recording.
    """

    options: Any
    suffix: str
    read_from: str
    records: Recording = field(default_factory=Recording)
    island: int | None = None
    is_replay: bool = False
    _number: int = 0
    _position: int = 0
    _ends: list[Mapping[str, Any]] = field(default_factory=list)
    _books: dict[int, _Book] = field(default_factory=lambda: defaultdict(_Book))
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
        options = self.options
        waiting = [(0.0, request.number, request, 0) for request in requests]
        running, failed, self._done = dict[int, Call](), list[Request](), queue.Queue[Any]()
        answered, what = 0, ""
        while waiting or running:
            if waiting and self._end_if_spent(generation):
                waiting.clear()
            now = time.monotonic()
            room = options.at_once - len(running)
            if options.budget_calls:
                made = sum(part["calls"] for part in self._spent.values())
                room = min(room, options.budget_calls - made)
            ready = sorted(each for each in waiting if each[0] <= now)[:room]
            if ready:
                waiting = [each for each in waiting if each not in ready]
                asked = [
                    {"request": request.number, **request.place, "attempt": attempt}
                    for _, _, request, attempt in ready
                ]
                self._write(generation, {"asked": asked})
                for _, _, request, attempt in ready:
                    running[self._begin(request, attempt)] = Call(request, attempt, now)
            wake = min(
                [call.began + options.seconds for call in running.values()]
                + [each[0] for each in waiting if room > len(ready)],
                default=now,
            )
            answers = []
            for call, answer in self._ended(running, wake):
                place = {"request": call.request.number, **call.request.place}
                answers.append({**place, "attempt": call.attempt, **answer})
                if "source" in answer:
                    answered += 1
                    continue
                what = answer["what"]
                if call.attempt < options.retries:
                    pause = min(options.pause * 2.0**call.attempt, SLOWEST)
                    later = time.monotonic() + pause, call.request.number
                    waiting.append((*later, call.request, call.attempt + 1))
                else:
                    failed.append(call.request)
            if answers:
                self._write(generation, {"answers": answers})
        if failed and not answered and len(failed) == len(requests):
            raise TournamentError(
                f"the mutator failed at all {len(failed)} requests of generation {generation}, the "
                f"last time because it {what}; mend it, and go on by evo resume"
            )
        if failed:
            self._write(generation, {"given_up": [each.place for each in failed]})

    def _write(self, generation: int, content: Mapping[str, Any]) -> None:
        number = self._books[generation].size
        self._add(f"{generation:06d}-{self.island or 0:03d}-{number:06d}", generation, content)

    def _begin(self, request: Request, attempt: int) -> int:
        """Start a call in a thread of its own and return its number."""
        done, seconds = self._done, self.options.seconds
        self._number += 1
        number = self._number

        def call() -> None:
            try:
                answer = self._mutate({**request.content(), "attempt": attempt}, seconds)
                done.put((number, answer, None))
            except BaseException as error:
                done.put((number, None, error))

        threading.Thread(target=call, daemon=True, name="mutator").start()
        return number

    def _ended(
        self, running: dict[int, Call], wake: float
    ) -> Iterator[tuple[Call, dict[str, Any]]]:
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
        for number, answer, error in ended:
            if number in running:
                call = running.pop(number)
                yield call, self._as_record(answer, error, now - call.began)
        for number, call in list(running.items()):
            if now - call.began >= self.options.seconds:
                del running[number]
                yield call, self._as_record(None, TimeoutError(), now - call.began)

    def _as_record(
        self, answer: Any, error: BaseException | None, seconds: float
    ) -> dict[str, Any]:
        passed = {"seconds": round(seconds, 3)}
        try:
            if error is not None:
                raise error
            child = child_of(answer, self.suffix, self._secrets)
            return {"outcome": "child", "source": child.source, "note": child.note, **passed} | {
                "cost": child.cost
            }
        except TimeoutError:
            limit = counted(self.options.seconds, "second")
            return {"outcome": "late", "what": f"gave no answer within {limit}", **passed}
        except MutatorError as failure:
            what = str(failure)
        except BaseException as failure:
            what = raised(failure)
        what = storable(without(self._secrets, what)[:MOST_TOLD])
        cost = answer.get("cost") if isinstance(answer, Mapping) else 0.0
        is_cost = isinstance(cost, int | float) and 0 <= cost < math.inf
        return {"outcome": "error", "what": what, **passed, "cost": cost if is_cost else 0.0}


class _Book:
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
