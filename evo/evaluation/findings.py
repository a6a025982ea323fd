"""What ``evo analyse`` finds: numbers as frames, and what they mean in words."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.population import ALL
from results import Run
from tournaments.analysis.diagnoses import Diagnosis
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from results import DataFrame

FOLDER = "analysis"
"""Where the numbers go, in the run's folder."""
WIDTH = 100

Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Analysis:
    """What is known of the course of a run.

    Attributes:
        run: that was analysed.
        generations: whose champions played, rising.
        games: of each pair of champions.
        seed: of these games.
        contests: columns of :attr:`scores`.
        against: columns of :attr:`opponents`.
        diagnoses: what it all means.
    """

    run: Run
    generations: list[int]
    games: int
    seed: int
    contests: Columns
    against: Columns
    diagnoses: list[Diagnosis]

    @property
    def scores(self) -> DataFrame:
        """One row a (population, generation, opponent_generation): champions against champions.

        Columns: those, ``games``, ``wins``, ``draws`` and ``score``. Where there are roles, the
        opponent is the champion of the other one; else no champion meets itself.
        """
        from results import DataFrame

        return DataFrame(dict(self.contests))

    def matrix(self, population: str | None = None) -> np.ndarray:
        """The scores of a population's champions, by default the first one's, float64 ``[G, G]``.

        The row against the column, in the order of ``generations``; NaN on the diagonal unless
        there are roles.

        Raises:
            ConfigError: there is no such population.
        """
        rows = self.scores
        names = list(dict.fromkeys(rows["population"]))
        if population is not None and population not in names:
            raise ConfigError(f"no population {population!r} given; there are {', '.join(names)}")
        size = len(self.generations)
        found = np.full((size, size), np.nan)
        mine = rows[rows["population"] == (population or names[0])] if names else rows
        keys = ("generation", "opponent_generation")
        places = [np.searchsorted(self.generations, mine[key]) for key in keys]
        found[tuple(places)] = mine["score"]
        return found

    @property
    def opponents(self) -> DataFrame:
        """One row a (population, opponent, generation): against opponents that stay the same.

        Columns: those, ``games_played`` (by the run), ``kind`` (``held-out``, ``training``,
        ``perfect``; ``run`` is the master tournament and ``past`` the mean against all earlier
        champions, NaN for the first), ``games`` and ``score``.
        """
        from results import DataFrame

        return DataFrame(dict(self.against))

    @property
    def records(self) -> list[dict[str, Any]]:
        """One row a diagnosis: what it is about, the verdict, the text and its numbers."""
        return [
            {
                "about": one.about,
                "population": one.population or ALL,
                "verdict": one.verdict,
                "text": one.text,
                **one.numbers,
            }
            for one in self.diagnoses
        ]

    @property
    def lines(self) -> list[str]:
        """The report, line by line."""
        first, last, count = self.generations[0], self.generations[-1], len(self.generations)
        whose = f"generations {first} to {last}" if count > 1 else f"generation {first}"
        what = f"the champions of {count} snapshot{'s' * (count != 1)}, {whose}"
        found = [f"{self.run.path}: {what}, {self.games:,} games a pair", ""]
        for one in self.diagnoses:
            about = f"{one.about} ({one.population})" if one.population else one.about
            found.append(f"{about}: {one.verdict}")
            found += textwrap.wrap(one.text, WIDTH, initial_indent="    ", subsequent_indent="    ")
        return found

    def save(self, folder: str | Path | None = None) -> list[Path]:
        """Write pictures (PNG and SVG) and numbers (JSON and Parquet); the paths of the files.

        Args:
            folder: of all of them; by default the pictures go to ``RUN/plots``, the numbers to
                ``RUN/analysis``.

        Raises:
            ResultsError: the system refused.
        """
        from results.folder.bundle import write_study
        from results.plots.progress import plot_progress

        pictures = Path(folder) if folder is not None else self.run.path / "plots"
        numbers = Path(folder) if folder is not None else self.run.path / FOLDER
        tables = {"contests": self.contests, "opponents": self.against}
        record = {"games": self.games, "seed": self.seed, "diagnoses": self.records}
        written = write_study(numbers, record, {}, tables)
        dominant = [one.numbers["dominant"] for one in self.diagnoses if one.about == "dominance"]
        drawn = plot_progress(self.run, self.scores, self.opponents, dominant[0], pictures)
        return [*written, *drawn]
