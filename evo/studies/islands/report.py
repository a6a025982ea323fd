"""What ``evo reproduce islands`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.intervals import median_interval
from evo.studies.islands.claims import judge
from evo.studies.islands.study import APART, CELLS, GAMES, ONE, Settings, measure
from evo.studies.page import Announce, last_lines, markdown_table, text_table, what_holds
from evo.studies.reproduction import JudgedStudy
from tournaments.errors import ConfigError

__all__ = ["Settings", "reproduce"]

FIGURES = "figures/islands"
COLUMNS = {
    "game": "",
    "cell": "",
    "generations": ",.0f",
    "strength": ".1%",
    "low": ".1%",
    "high": ".1%",
    "within": ".3f",
    "together": ".3f",
}


def _record(settings: Settings, announce: Announce) -> Mapping[str, Any]:
    if settings.population % settings.islands:
        raise ConfigError(
            f"population={settings.population} and islands={settings.islands} given; a population "
            "that islands divide is expected"
        )
    rows = measure(settings, announce)
    return {"runs": rows, "cells": _cells(rows), "claims": judge(rows)}


def _draw(record: Mapping[str, Any], folder: Path) -> list[Path]:
    from evo.studies.islands.plot import plot_cells  # late: matplotlib takes a second

    return plot_cells(record["runs"], folder)


def _cells(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A row a game and cell: medians over seeds, that of the strength with its interval."""
    cells = []
    for game in GAMES:
        for cell in CELLS:
            own = [row for row in rows if (row["game"], row["cell"]) == (game, cell)]
            strength = median_interval([row["strength"] for row in own])
            medians = {
                name: float(np.median([row[name] for row in own]))
                for name in ("generations", "within", "together")
            }
            cells.append(
                {
                    "game": game,
                    "cell": cell,
                    "strength": strength.middle,
                    "low": strength.low,
                    "high": strength.high,
                    **medians,
                }
            )
    return cells


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    usual = Settings(**record["settings"]).usual
    yield f"Runs of {usual('games'):,} games; medians over {usual('seeds')} seeds"
    yield from text_table(record["cells"], COLUMNS)
    yield from last_lines(record, "What is claimed")


def _times_as_many(record: Mapping[str, Any]) -> float:
    """Generations of islands, in those of one population."""
    generations = {row["cell"]: row["generations"] for row in record["cells"]}
    return float(generations[APART] / generations[ONE])


# --- the page ----------------------------------------------------------------------------------


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    settings = Settings(**record["settings"])
    each = settings.population // settings.islands
    yield "# Islands, or one population?"
    yield (
        f"Do [islands](../islands.md) help at equal games? One population of "
        f"{settings.population} (a role) against {settings.islands} islands of {each}, which "
        "never meet, or whose best individual migrates in a ring or to all others, every 10 or 50 "
        f"generations. Each run has {settings.usual('games'):,} games on all islands together. "
        "The scheme is antibody-antigen, in which the games of a generation grow with the square "
        f"of a population: islands have {_times_as_many(record):.1f} times as many generations. "
        "This page is written by"
    )
    yield from what_holds("islands", record, Settings())
    yield (
        "Intervals are of the median difference over seeds, by order statistics: 95% or more "
        "where there are six seeds. "
        f"{len(record['claims'])} claims are judged: one in forty that are false holds by luck."
    )
    yield "## The cells"
    yield (
        "`strength` is the share of games that the run's player wins, a draw counting half: of "
        "islands the champion with the most points at home, in cat and mouse one of each role. In "
        "dots and boxes (3x3) it meets `level-0`; in cat and mouse (5x5, drawn starts) the cat "
        "meets `random`, the mouse `greedy`, and `strength` is the mean of both. "
        f"{settings.usual('held_out'):,} games of each role; nobody evolves against them. "
        "`within` is the diversity of a population, `together` that of all islands' individuals "
        f"as one. Medians over {settings.usual('seeds')} seeds, 95% intervals."
    )
    yield f"![Share of games won, a dot a run]({FIGURES}/strength.svg)"
    yield markdown_table(
        ("game", "cell", "generations", "strength", "within", "together"),
        [
            (
                row["game"],
                row["cell"],
                f"{row['generations']:,.0f}",
                f"{row['strength']:.1%} ({row['low']:.1%} to {row['high']:.1%})",
                f"{row['within']:.3f}",
                f"{row['together']:.3f}",
            )
            for row in record["cells"]
        ],
    )
    yield f"![Diversity of all individuals together, a dot a run]({FIGURES}/together.svg)"


reproduce = JudgedStudy("islands", _record, _lines, _page, tables=("cells",), draw=_draw).reproduce
