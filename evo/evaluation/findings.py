"""The result of ``evo analyse``: numbers as frames, and diagnoses in words."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.population import ALL
from results import Run
from tournaments.analysis.diagnoses import Diagnosis
from tournaments.errors import counted

if TYPE_CHECKING:
    from results import DataFrame
    from results.folder.files import Place

FOLDER = "analysis"
"""Name of the folder of the numbers, in the run's folder."""
WIDTH = 100


@dataclass(frozen=True, eq=False)
class Analysis:
    """The analysis of one run: scores, opponents, diagnoses.

    Attributes:
        run: the analysed run.
        generations: the generations of the champions, rising.
        games: number of games per pair of champions.
        seed: seed of these games.
        scores: champions against champions, one row per (population, generation,
            opponent_generation). The other columns are ``games``, ``wins``, ``draws``, ``score``,
            ``score_first`` and ``score_second``. The last two are the scores in each seat, NaN in
            a seat that the role does not hold. With roles, the opponent is the champion of the
            other role. Without roles, no champion meets itself. At tables of S > 2 seats,
            ``wins`` and ``draws`` count the S-1 placings of each game.
        opponents: champions against fixed opponents, one row per (population, opponent,
            generation). The other columns are ``games_played`` (by the run), ``kind``, ``games``,
            ``score``, ``score_first`` and ``score_second``. ``kind`` is ``held-out``,
            ``training``, ``perfect``, ``run`` (the master tournament) or ``past`` (the mean
            against all earlier champions, NaN for the first champion).
        diagnoses: the diagnoses that follow from the numbers.
        islands: diversity of the islands, see
            :func:`evo.evaluation.island_diversity.diversity_of_islands`. None for a run without
            islands.
        seats: number of seats of the game.
    """

    run: Run
    generations: list[int]
    games: int
    seed: int
    scores: DataFrame
    opponents: DataFrame
    diagnoses: list[Diagnosis]
    islands: DataFrame | None = None
    seats: int = 2

    def __repr__(self) -> str:
        """Return a short text on the analysis: path, newest generation and first verdicts."""
        whole = [f"{each.about}: {each.verdict}" for each in self.diagnoses if not each.population]
        said = "; ".join(whole[:4]) or f"{len(self.diagnoses)} diagnoses"
        return f"<analysis of {self.run.path}, up to generation {self.generations[-1]}: {said}>"

    @property
    def records(self) -> list[dict[str, Any]]:
        """The diagnoses of the run as rows: subject, population, verdict, text, numbers."""
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
        """The report on the run, line by line."""
        first, last, count = self.generations[0], self.generations[-1], len(self.generations)
        whose = f"generations {first} to {last}" if count > 1 else f"generation {first}"
        what = f"the champions of {counted(count, 'snapshot')}, {whose}"
        lines = [f"{self.run.path}: {what}, {self.games:,} games a pair", ""]
        for diagnosis in self.diagnoses:
            whose = f" ({diagnosis.population})" if diagnosis.population else ""
            lines.append(f"{diagnosis.about}{whose}: {diagnosis.verdict}")
            lines += [f"    {line}" for line in textwrap.wrap(diagnosis.text, WIDTH - 4)]
        return lines

    def save(self, folder: str | Path | None = None) -> list[Place]:
        """Write the analysis of the run: pictures (PNG and SVG) and numbers (JSON and Parquet).

        Args:
            folder: folder of all files. By default the pictures are written to ``RUN/plots`` and
                the numbers to ``RUN/analysis``.

        Returns:
            The paths of the files.

        Raises:
            ResultsError: a file cannot be written.
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
            self.run, self.scores, self.opponents, dominant, pictures, self.islands, self.seats
        )
        return [*written, *drawn]
