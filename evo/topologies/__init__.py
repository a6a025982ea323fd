"""Which islands send migrants to which. One topology a file."""

from __future__ import annotations

from tournaments.registry import Registry

TOPOLOGIES = Registry(
    what="topology",
    package="evo.topologies",
    attribute="TOPOLOGY",
    group="evo.topologies",
    shared=frozenset({"base"}),
    base="evo.topologies.base:Topology",
)
"""Each topology as the dataclass of its options: a subclass of
:class:`evo.topologies.base.Topology`."""
