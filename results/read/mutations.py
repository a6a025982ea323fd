"""The calls of the mutator of a run that evolves programs, and the chains of its texts."""

from __future__ import annotations

import difflib
import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from results.errors import ResultsError
from results.folder.files import Place
from results.folder.recording import (
    FOLDER,
    MUTATIONS,
    PROGRAMS,
    Recording,
    digest_of_parents,
)
from results.format.islands import on_island, role_and_island

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {
    "request": "int32",
    "generation": "int32",
    "island": "Int32",
    "population": "string",
    "individual": "int32",
    "attempt": "int32",
    "outcome": "string",
    "seconds": "float64",
    "cost": "float64",
    "note": "string",
    "what": "string",
    "source": "string",
}
"""The columns of the calls of a mutator, and their types in a frame."""
FAILED = ("error", "late")
"""The outcomes of calls without a child."""
LOST = "lost"
"""The outcome of a call whose answer was lost in a crash, so that it was repeated."""
P = ParamSpec("P")
T = TypeVar("T")
_PLACE = ("request", "generation", "island", "population", "individual", "parents", "attempt")
_CHILD = ("generation", "population", "individual", "parents")


def _checked(read: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function that reads records, so that records without the expected fields are refused.

    Anyone can write a record whose name is right.
    """

    @functools.wraps(read)
    def checked(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return read(*arguments, **named)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ResultsError):
                raise
            raise ResultsError(
                f"the folder {FOLDER} of the run has a record of another form ({error!r}); restore "
                "the folder from a copy"
            ) from None

    return checked


@_checked
def calls_of(run: Place) -> list[dict[str, Any]]:
    """Return the calls of a run's mutator in the order of their places, as records.

    A call without an answer is lost: the run ended before its answer was on the disk.

    Raises:
        ResultsError: a record is damaged.
    """
    asked: Counter[tuple[Any, ...]] = Counter()
    calls = []
    for record in Recording(run).of(MUTATIONS):
        whole = {name: record.get(name) for name in ("generation", "island")}
        for kind in ("asked", "answers"):
            for each in record.get(kind, ()):
                name = on_island(each["population"], whole["island"])
                call = {**whole, **each, "population": name}
                asked[_place(call)] += 1 if kind == "asked" else -1
                if kind == "answers":
                    calls.append(call)
    for place, count in asked.items():
        lost = dict(zip(_PLACE, place, strict=True), outcome=LOST)
        calls += [lost] * count
    return sorted(calls, key=lambda call: tuple(map(_sortable, _place(call))))


def _place(call: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(call[name] for name in _PLACE)


def _sortable(value: Any) -> Any:
    return -1 if value is None else value


@_checked
def mutations_of(run: Place) -> pd.DataFrame:
    """Return the calls of a run's mutator as a frame with the :data:`COLUMNS`."""
    import pandas as pd

    frame = pd.DataFrame(calls_of(run), columns=list(COLUMNS))
    return frame.astype(COLUMNS)


def summary_of(calls: Sequence[Mapping[str, Any]]) -> str:
    """Return the number of calls of a mutator, their failures and their cost, as a sentence."""
    outcomes = Counter(call["outcome"] for call in calls)
    cost = sum(call.get("cost") or 0.0 for call in calls)
    parts = [f"{len(calls):,} calls of the mutator", f"{outcomes['child']:,} children"]
    if failed := sum(outcomes[each] for each in FAILED):
        parts.append(f"{failed:,} failed")
    if outcomes[LOST]:
        parts.append(f"{outcomes[LOST]:,} asked twice, since their answers were lost in a crash")
    return ", ".join([*parts, *([f"cost {cost:,.4g}"] if cost else [])])


@_checked
def recorded_texts(run: Place) -> list[str]:
    """Return the texts of all programs of a run: those of generation 0, and all children.

    Snapshots may not hold all of them.

    Raises:
        ResultsError: a record is damaged.
    """
    first = [
        text
        for record in Recording(run).of(PROGRAMS)
        for texts in record.values()
        for text in texts
    ]
    children = (call["source"] for call in calls_of(run) if call["outcome"] == "child")
    return [*first, *children]


@_checked
def add_texts(family: pd.DataFrame, rows: pd.DataFrame, run: Place) -> None:
    """Add the text of each program, and its changes, to an individual and its ancestors.

    An individual that is no child of the mutator has the text of its first parent. Without a
    recording, nothing is added.

    Args:
        family: the ancestors by generation and id, see ``results.read.run.Run.lineage``. It gets
            the columns ``source`` and ``diff``, the changes to the first parent in unified format.
        rows: the table ``lineage`` of the run, each id once.
        run: the folder of the run.
    """
    first = Recording(run).of(PROGRAMS)
    if not first:
        return
    children = {}
    for call in calls_of(run):
        if call["outcome"] == "child":
            key = tuple(call[name] for name in _CHILD)
            children[key] = call["source"]
    place = rows.groupby(["generation", "population"])["id"].rank().astype(int) - 1
    individuals = dict(zip(rows["id"].tolist(), place.tolist(), strict=True))
    texts: dict[int, str] = {}
    diffs = []
    for row in family.to_dict("records"):
        number = row["id"]
        parents = [row[name] for name in ("parent_a", "parent_b") if row[name] in texts]
        before = texts[parents[0]] if parents else ""
        if row["generation"] == 0:
            role = first[0][role_and_island(row["population"])[0]]
            texts[number] = role[individuals[number] % len(role)]
        else:
            digest = digest_of_parents([texts[parent] for parent in parents])
            key = row["generation"], row["population"], individuals[number], digest
            texts[number] = children.get(key, before)
        lines = before.splitlines(), texts[number].splitlines()
        names = (str(parents[0]), str(number)) if parents else ("", "")
        diffs.append(
            "\n".join(difflib.unified_diff(*lines, *names, lineterm="")) if parents else ""
        )
    family["source"] = [texts[int(number)] for number in family["id"]]
    family["diff"] = diffs
    for name in ("source", "diff"):
        family[name] = family[name].astype("string")
