"""Which snapshots of a run stay, once there are newer ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from results.format.metadata import KEEP


@dataclass(frozen=True)
class Retention:
    """A rule by the newest snapshot alone, so that a run keeps the same ones however often it was
    interrupted.

    The first and the newest snapshot always stay, one off the interval as long as it is the newest.

    Attributes:
        interval: generations from one snapshot to the next.
        every: of the snapshots on the interval each so many-th stays, 0: none by this.
        last: and so many of the newest on the interval. Where both are 0 all stay.
    """

    interval: int
    every: int = 0
    last: int = 0

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Retention:
        """The rule of a run's configuration, in which a field that is not there is 0."""
        kept = (config.get(name, 0) for name in KEEP)
        return cls(config["snapshot_interval"], *kept)

    def stays(self, generation: int, newest: int) -> bool:
        """Whether a snapshot stays beside the newest one."""
        number, off_interval = divmod(generation, self.interval)
        if generation in (0, newest):
            return True
        stays_for_good = number % self.every == 0 if self.every else not self.last
        is_recent = number > newest // self.interval - self.last
        return not off_interval and (stays_for_good or is_recent)

    def outlived(self, generation: int, before: int | None) -> set[int]:
        """The generations that stay no longer because of this one; ``before`` was the newest."""
        leaving = (generation // self.interval - self.last) * self.interval
        return {old for old in (leaving, before or 0) if not self.stays(old, generation)}

    def for_good(self, newest: int) -> range:
        """The generations up to the newest whose snapshots no newer one removes."""
        if not self.every and self.last:
            return range(1)
        return range(0, newest + 1, self.interval * (self.every or 1))
