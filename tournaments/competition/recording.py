"""What a competition passes to a recorder: individuals with ids and parents, and faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from tournaments.arena.forfeits import FORFEIT
from tournaments.arena.outcomes import Tally
from tournaments.competition.members import Members
from tournaments.competition.result import Result
from tournaments.errors import TournamentError, shown
from tournaments.schemes.base import purpose_of

NO_PARENT = -1
MOST_PARENTS = 2


class Recorder(Protocol):
    """The protocol of recorders, such as ``results.Recorder``."""

    path: Path
    saved: dict[str, Any] | None

    def begin(self, info: Mapping[str, Any]) -> None:
        """Check, before a generation is played, that it can be recorded."""

    def record(
        self,
        populations: Mapping[str, Mapping[str, np.ndarray]],
        generation: int,
        games: int,
        state: Mapping[str, Any],
        lost: Sequence[Mapping[str, Any]],
    ) -> None:
        """Write a generation."""


class Lineage(NamedTuple):
    """The ids of a population, int64 ``[N]``, and their parents, int64 ``[N, 2]``, -1 for none."""

    ids: np.ndarray
    parents: np.ndarray


def lineages_of(ids: Any, parents: Any, sizes: Sequence[int], first: int) -> list[Lineage]:
    """Return the ids and the parents of each population.

    Args:
        ids: whole numbers, one per individual; for two populations a pair of these. None: numbers
            from ``first`` on.
        parents: of each individual None, an id, or up to two ids; for two populations a pair.
        sizes: the number of individuals of each population.
        first: the first id that was never used.

    Raises:
        TournamentError: too few or too many ids or parents, no ids, or an id that occurs twice.
    """
    starts = first + np.concatenate([[0], np.cumsum(sizes)])
    own = [
        [range(start, start + size) for start, size in zip(starts.tolist(), sizes, strict=False)]
        if ids is None
        else _by_population("ids", ids, sizes),
        [[None] * size for size in sizes]
        if parents is None
        else _by_population("parents", parents, sizes),
    ]
    lineages = [
        Lineage(
            np.array([_numbers("ids", each, 1)[0] for each in of_ids], np.int64),
            np.array([_numbers("parents", each, MOST_PARENTS) for each in of_parents], np.int64),
        )
        for of_ids, of_parents in zip(*own, strict=True)
    ]
    every = np.concatenate([each.ids for each in lineages])
    if len(np.unique(every)) < len(every) or every.min() < 0:
        raise TournamentError(
            f"ids={shown(ids)} given; whole numbers from 0 are expected, each once in a generation"
        )
    return lineages


def _by_population(name: str, given: Any, sizes: Sequence[int]) -> Sequence[Sequence[Any]]:
    """Return an argument as one sequence per population."""
    try:
        parts = [list(part) for part in ([given] if len(sizes) == 1 else given)]
        if [*map(len, parts)] == [*sizes]:
            return parts
    except TypeError:
        pass
    counts = " and ".join(map(str, sizes))
    raise TournamentError(f"{name}={shown(given)} given; {counts} are expected, one an individual")


def _numbers(name: str, given: Any, most: int) -> tuple[int, ...]:
    """Return None, an id, or several ids as ``most`` numbers, filled up with -1."""
    try:
        several = () if given is None else tuple(given) if np.ndim(given) else (given,)
        numbers = tuple(map(index, several))
    except TypeError:
        numbers = (NO_PARENT,) * (most + 1)
    if len(numbers) > most:
        raise TournamentError(
            f"{name}=[..., {shown(given)}, ...] given; ids are expected, whole numbers, at most "
            f"{most} an individual"
        )
    return (*numbers, *(NO_PARENT,) * (most - len(numbers)))


def columns_of(
    side: Members, lineage: Lineage, fitness: np.ndarray, tally: Tally
) -> dict[str, Any]:
    """Return a population as columns of the table ``snapshots`` (``docs/schema.md``)."""
    return {
        "id": lineage.ids,
        "parent_a": lineage.parents[:, 0],
        "parent_b": lineage.parents[:, 1],
        "genome": side.packed,
        "fitness": fitness,
        "raw_fitness": fitness,
        **vars(tally),
    }


def lost_games(
    result: Result, populations: Mapping[str, Mapping[str, np.ndarray]]
) -> list[dict[str, Any]]:
    """Return the faults of a generation as rows of the table ``faults``."""
    if not result.has_faults:  # without pandas
        return []
    names = [result.names] if len(populations) == 1 else result.names
    known = {
        (population, name): (int(number), genome.tobytes().hex())
        for own, (population, columns) in zip(names, populations.items(), strict=True)
        for name, number, genome in zip(own, columns["id"], columns["genome"], strict=True)
    }
    rows: list[dict[str, Any]] = result.faults.to_dict("records")  # type: ignore[assignment]
    for row in rows:
        number = row.pop("round")
        row |= {"purpose": purpose_of(number), "verdict": FORFEIT}
        for prefix, name in (("", "player"), ("opponent_", "opponent")):
            key = row[f"{prefix}population"], row[name]
            row[f"{prefix}id"], row[f"{prefix}genome"] = known.get(key, (NO_PARENT, ""))
    return rows
