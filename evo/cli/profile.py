"""The time per generation, by part."""

from __future__ import annotations

from typing import Any

from evo.evolution.loop import PARTS, Progress

COLUMNS = {"part": "", "milliseconds": ".3f", "share": ".1%", "about": ""}


class Profile:
    """The total time of the parts of generations.

    The first generation is excluded, because it may load or compile kernels.

    Attributes:
        first: the first generation. None until it has been played.
        generations: number of added generations.
        games: number of games in the added generations.
    """

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(PARTS, 0.0)
        self.first: Progress | None = None
        self.generations = 0
        self.games = 0

    def take(self, progress: Progress) -> None:
        """Add the times of a generation to the profile of a run."""
        if self.first is None:
            self.first = progress
            return
        for part, seconds in progress.parts.items():
            self._seconds[part] += seconds
        self.generations += 1
        self.games += progress.games

    @property
    def seconds(self) -> float:
        """Total time of the generations in the profile, in seconds."""
        return sum(self._seconds.values())

    def rows(self) -> list[dict[str, Any]]:
        """Return the profile as rows: one per part of a generation, and one for the sum.

        The columns are the part, its mean time per generation in milliseconds, its share, and a
        description.
        """
        if not self.generations:
            return []
        parts = [(part, self._seconds[part], about) for part, about in PARTS.items()]
        parts.append(("all", self.seconds, f"a generation, mean of {self.generations:,}"))
        return [
            {
                "part": part,
                "milliseconds": 1000 * seconds / self.generations,
                "share": seconds / self.seconds,
                "about": about,
            }
            for part, seconds, about in parts
        ]

    def summary(self) -> str:
        """Return a line on the speed of a run: generations and games per second."""
        if not self.generations:
            return "no profile: only the first generation was played"
        generations, games = self.generations / self.seconds, self.games / self.seconds
        shown = f"{generations:,.0f}" if generations >= 100 else f"{generations:.3g}"
        return f"{shown} generations/s, {games:,.0f} games/s"
