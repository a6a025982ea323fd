"""What the study of the tracker lets one choose, and what it measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evo.studies.page import Announce
from evo.studies.tracking.pieces import VARIANTS, Table, by_beta, measure
from tournaments.options import option

USUAL = {"mazes": (200, 6), "steps": (300, 60)}
"""Numbers of the study where none are given, and of a quick one."""


@dataclass(frozen=True)
class Settings:
    """What the study lets one choose."""

    quick: bool = option(False, "few mazes and short records: some seconds")
    mazes: int = option(0, "mazes, each with an agent of each kind; 0: 200, quick 6", 0, 10**5)
    steps: int = option(0, "moves of an agent; 0: 300, quick 60", 0, 10**5)
    seed: int = option(1, "of mazes, agents and noise", 0, 2**62)
    page: str = option("", "file of the page that is to be written")

    def usual(self, name: str) -> int:
        """A number that was given, or its default."""
        return int(getattr(self, name)) or USUAL[name][self.quick]


def measure_pieces(settings: Settings, announce: Announce) -> Table:
    """Each piece of the tracker, and each beta, on the same agents."""
    numbers = settings.seed, settings.usual("mazes"), settings.usual("steps")
    return measure(VARIANTS | by_beta(), *numbers, announce)


def betas_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of :func:`.pieces.by_beta`, with the beta and what it is alone with."""
    return [
        row | {"pieces": row["tracker"].split()[0], "beta": float(row["tracker"].split()[1])}
        for row in rows
        if row["tracker"] in by_beta()
    ]
