"""A star: an island in the middle that sends to all others and hears from each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evo.topologies.base import Topology, Way, both
from tournaments.options import option


@dataclass(frozen=True)
class Star(Topology):
    """Island 0 sends to all others, and each of them to island 0."""

    name: str = option("star", "the topology")

    def ways(self, count: int) -> Iterable[Way]:
        """Between island 0 and each other, both ways."""
        return both((0, island) for island in range(1, count))


TOPOLOGY = Star
