"""The rule that decides which snapshots of a run are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from results.format.metadata import KEEP


@dataclass(frozen=True)
class Retention:
    """A rule that selects snapshots to keep, given the newest snapshot.

    It depends on nothing else, so a run keeps the same snapshots however often it was interrupted.
    The first and the newest snapshot are always kept. A snapshot off the interval is kept only
    while it is the newest.

    Attributes:
        interval: generations from one snapshot to the next.
        every: keep every n-th snapshot on the interval; 0: none by this rule.
        last: also keep the newest n snapshots on the interval. If both are 0, all are kept.
    """

    interval: int
    every: int = 0
    last: int = 0

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Retention:
        """Return the rule for keeping snapshots that a run's configuration states.

        A missing field counts as 0.
        """
        kept = (config.get(name, 0) for name in KEEP)
        return cls(config["snapshot_interval"], *kept)

    def stays(self, generation: int, newest: int) -> bool:
        """Whether the snapshot of ``generation`` is kept while that of ``newest`` is the newest."""
        number, off_interval = divmod(generation, self.interval)
        if generation in (0, newest):
            return True
        stays_for_good = number % self.every == 0 if self.every else not self.last
        is_recent = number > newest // self.interval - self.last
        return not off_interval and (stays_for_good or is_recent)

    def outlived(self, generation: int, before: int | None) -> set[int]:
        """Return which snapshots are to be removed after a new snapshot is written.

        Args:
            generation: generation of the new snapshot.
            before: generation of the newest snapshot before it; None for the first snapshot.

        Returns:
            The generations of the snapshots to remove.
        """
        leaving = (generation // self.interval - self.last) * self.interval
        return {old for old in (leaving, before or 0) if not self.stays(old, generation)}

    def for_good(self, newest: int) -> range:
        """Return the generations up to ``newest`` whose snapshots are never removed."""
        if not self.every and self.last:
            return range(1)
        return range(0, newest + 1, self.interval * (self.every or 1))
