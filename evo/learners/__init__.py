"""Learners: algorithms that make one generation from the previous one. One learner per file."""

from __future__ import annotations

from tournaments.registry import Registry

LEARNERS = Registry(
    what="learner",
    package="evo.learners",
    attribute="LEARNER",
    group="evo.learners",
    shared=frozenset({"base", "by_reward", "by_scheme", "climbing", "measures", "strategy"}),
    base="evo.learners.base:LearnerOptions",
)
"""Each learner as the dataclass of its options: a subclass of
:class:`evo.learners.base.LearnerOptions`."""
