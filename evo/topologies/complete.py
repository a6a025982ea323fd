"""Complete: each island sends to all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

from evo.topologies.base import Topology, Way
from tournaments.options import option


@dataclass(frozen=True)
class Complete(Topology):
    """Each island sends to all others."""

    name: str = option("complete", "the topology")

    def ways(self, count: int) -> Iterable[Way]:
        """From each to each."""
        return permutations(range(count), 2)


TOPOLOGY = Complete
