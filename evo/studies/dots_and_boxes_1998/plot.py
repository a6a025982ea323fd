"""Figures 3 and 4 of Weaver and Bossomaier (1998)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from evo.studies.dots_and_boxes_1998.study import NAME
from evo.studies.report import Evidence
from results.folder.files import make_folder
from results.plots.style import copy_small
from results.plots.sweep import plot_best


def draw(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the win rate of each population's best over the games, and return the paths."""
    return plot_best(evidence.values, folder, figure_name)


def figure_name(name: str) -> str:
    """Return the file name of a figure of ``results.plots.sweep.plot_best`` in this study."""
    name = name.replace("best-level-0", "figure-3").replace("best-level-1", "figure-4")
    return name.replace("mutation_probability=", "rate-")


def draw_page(evidence: Evidence, folder: Path) -> list[Path]:
    """Draw the small pictures for the page of the study into a folder, and return the paths."""
    make_folder(folder)
    paths = []
    with TemporaryDirectory() as whole:
        for path in draw(evidence, Path(whole)):
            if path.suffix == ".png":
                paths.append(folder / f"{NAME}-{path.name}")
                copy_small(path, paths[-1])
    return paths
