"""A graph of the user's: the ways, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from evo.topologies.base import Topology, Way
from tournaments.errors import ConfigError
from tournaments.options import option

_EDGE = re.compile(r"(\d{1,9})(-|>)(\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class Graph(Topology):
    """The ways that the user names."""

    name: str = option("graph", "the topology")
    edges: tuple[str, ...] = option(
        (), 'its ways: "0>1" from island 0 to island 1, "0-1" between them, both ways'
    )

    def ways(self, count: int) -> Iterable[Way]:
        """Those that are named.

        Raises:
            ConfigError: no edge, one that is none, or one of an island that there is not.
        """
        if not self.edges:
            raise ConfigError(
                "islands.topology='graph' given without edges; a list such as "
                'edges = ["0>1", "1-2"] is expected'
            )
        return [way for edge in self.edges for way in _ways(edge, count)]


def _ways(edge: str, count: int) -> Iterable[Way]:
    match = _EDGE.fullmatch(edge)
    ends = (int(match[1]), int(match[3])) if match else (0, 0)
    if match is None or max(ends) >= count or ends[0] == ends[1]:
        raise ConfigError(
            f"islands.topology.edges: {edge!r} given; two different islands from 0 to {count - 1} "
            'are expected, as in "0>1" (from the one to the other) or "0-1" (both ways)'
        )
    return [ends] if match[2] == ">" else [ends, ends[::-1]]


TOPOLOGY = Graph
