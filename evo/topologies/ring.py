"""A ring: each island sends to the next, the last to the first; or to both its neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evo.topologies.base import Topology, Way, both
from tournaments.options import option


@dataclass(frozen=True)
class Ring(Topology):
    """Each island sends to the next, the last to the first."""

    name: str = option("ring", "the topology")
    both_ways: bool = option(False, "send to the island before, too")

    def ways(self, count: int) -> Iterable[Way]:
        """One, or two, from each island."""
        ways = [(island, (island + 1) % count) for island in range(count)]
        return both(ways) if self.both_ways else ways


TOPOLOGY = Ring
