"""A study that counts, in one file: its own report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evo.studies import Study
from evo.studies.report import Reproduction


@dataclass(frozen=True)
class CountSettings:
    """How far to count."""

    last: int = field(default=2, metadata={"doc": "the last number"})


class Counting:
    """Counts as far as it is told."""

    settings = CountSettings

    @staticmethod
    def reproduce(settings: CountSettings, announce: Callable[[str], None]) -> Reproduction:
        """Count."""
        announce("counting")
        return Reproduction({"counted": [*range(settings.last + 1)]}, ["counted"])


STUDY = Study("counts", "counting:Counting")
