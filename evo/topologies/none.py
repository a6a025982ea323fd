"""No ways: islands that never meet, as so many runs side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evo.topologies.base import Topology, Way
from tournaments.options import option


@dataclass(frozen=True)
class Apart(Topology):
    """Nobody migrates."""

    name: str = option("none", "the topology")

    def ways(self, count: int) -> Iterable[Way]:
        """None."""
        return ()


TOPOLOGY = Apart
