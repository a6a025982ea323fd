"""What ``evo analyse`` finds: numbers as frames, and what they mean in words."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.population import ALL
from results import Run
from tournaments.analysis.diagnoses import Diagnosis

if TYPE_CHECKING:
    from results import DataFrame
    from results.folder.files import Place

FOLDER = "analysis"
"""Where the numbers go, in the run's folder."""
WIDTH = 100


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of the course of a run.

    Attributes:
        run: that was analysed.
        generations: whose champions played, rising.
        games: of each pair of champions.
        seed: of these games.
        scores: champions against champions, one row a (population, generation,
            opponent_generation), with ``games``, ``wins``, ``draws``, ``score``, and
            ``score_first`` and ``score_second``, of the games in each seat: NaN in one that a role
            does not hold. Where there are roles, the opponent is the champion of the other one;
            else no champion meets itself.
        opponents: champions against opponents that stay the same, one row a (population, opponent,
            generation), with ``games_played`` (by the run), ``kind`` (``held-out``, ``training``,
            ``perfect``; ``run`` is the master tournament and ``past`` the mean against all earlier
            champions, NaN for the first), ``games``, ``score``, ``score_first`` and
            ``score_second``.
        diagnoses: what it all means.
        islands: of a run with islands their diversity, see
            :func:`evo.evaluation.island_diversity.diversity_of_islands`; else None.
    """

    run: Run
    generations: list[int]
    games: int
    seed: int
    scores: DataFrame
    opponents: DataFrame
    diagnoses: list[Diagnosis]
    islands: DataFrame | None = None

    def __repr__(self) -> str:
        """What was looked at, and the verdicts on the run as a whole."""
        whole = [f"{each.about}: {each.verdict}" for each in self.diagnoses if not each.population]
        said = "; ".join(whole[:4]) or f"{len(self.diagnoses)} diagnoses"
        return f"<analysis of {self.run.path}, up to generation {self.generations[-1]}: {said}>"

    @property
    def records(self) -> list[dict[str, Any]]:
        """One row a diagnosis: what it is about, the verdict, the text and its numbers."""
        return [
            {
                "about": diagnosis.about,
                "population": diagnosis.population or ALL,
                "verdict": diagnosis.verdict,
                "text": diagnosis.text,
                **diagnosis.numbers,
            }
            for diagnosis in self.diagnoses
        ]

    @property
    def lines(self) -> list[str]:
        """The report, line by line."""
        first, last, count = self.generations[0], self.generations[-1], len(self.generations)
        whose = f"generations {first} to {last}" if count > 1 else f"generation {first}"
        what = f"the champions of {count} snapshot{'s' * (count != 1)}, {whose}"
        lines = [f"{self.run.path}: {what}, {self.games:,} games a pair", ""]
        for diagnosis in self.diagnoses:
            whose = f" ({diagnosis.population})" if diagnosis.population else ""
            lines.append(f"{diagnosis.about}{whose}: {diagnosis.verdict}")
            lines += [f"    {line}" for line in textwrap.wrap(diagnosis.text, WIDTH - 4)]
        return lines

    def save(self, folder: str | Path | None = None) -> list[Place]:
        """Write pictures (PNG and SVG) and numbers (JSON and Parquet); the paths of the files.

        Args:
            folder: of all of them; by default the pictures go to ``RUN/plots``, the numbers to
                ``RUN/analysis``.

        Raises:
            ResultsError: the system refused.
        """
        from results.folder.bundle import write_study
        from results.folder.files import place_of
        from results.plots.progress import plot_progress

        pictures = place_of(folder) if folder is not None else self.run.path / "plots"
        numbers = place_of(folder) if folder is not None else self.run.path / FOLDER
        frames = {"contests": self.scores, "opponents": self.opponents}
        if self.islands is not None:
            frames["islands"] = self.islands
        tables = {
            name: {str(column): frame[column].to_numpy() for column in frame}
            for name, frame in frames.items()
        }
        record = {"games": self.games, "seed": self.seed, "diagnoses": self.records}
        written = write_study(numbers, record, {}, tables)
        dominant = {
            each.population: each.numbers["dominant"]
            for each in self.diagnoses
            if each.about == "dominance"
        }
        drawn = plot_progress(
            self.run, self.scores, self.opponents, dominant, pictures, self.islands
        )
        return [*written, *drawn]
