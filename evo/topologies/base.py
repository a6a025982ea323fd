"""What every topology is: options, and the ways between islands that follow from their number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from tournaments.errors import ConfigError

MOST_WAYS = 1_000_000
Way = tuple[int, int]
"""(from, to): migrants go from the one island to the other."""


@dataclass(frozen=True)
class Topology:
    """A topology; a subclass declares its options and is its file's ``TOPOLOGY``.

    Attributes:
        name: as users type it; each subclass gives its own.
    """

    name: str

    def ways(self, count: int) -> Iterable[Way]:
        """The ways between islands 0 to count - 1.

        Those of an island to itself, and those that come twice, are left out by
        :func:`distinct_ways`.

        Raises:
            ConfigError: the topology is not one of so many islands.
        """
        raise NotImplementedError


def distinct_ways(topology: Topology, count: int) -> tuple[Way, ...]:
    """The ways of a topology, once each, ordered by where they lead and where they come from.

    Raises:
        ConfigError: as of :meth:`Topology.ways`, or more of them than can be.
    """
    given = list(islice(topology.ways(count), MOST_WAYS + 1))
    if len(given) > MOST_WAYS:
        raise ConfigError(
            f"islands.count={count} and islands.topology={topology.name!r} given; that makes more "
            f"than {MOST_WAYS:,} ways: take fewer islands, or another topology"
        )
    ways = {way for way in given if way[0] != way[1]}
    return tuple(sorted(ways, key=lambda way: (way[1], way[0])))


def both(ways: Iterable[Way]) -> Iterable[Way]:
    """Each way, and the way back."""
    for source, target in ways:
        yield source, target
        yield target, source
