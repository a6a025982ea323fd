"""Curves of islands, and the section about them: fitness, diversity and migrations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from evo.config.config import Config
from evo.evaluation.findings import Analysis
from evo.pages import blocks
from evo.pages.blocks import Block
from results import Run
from results.format.islands import ALL, role_and_island

if TYPE_CHECKING:
    from results import DataFrame

GAMES, GAMES_PLAYED = "games played", "games_played"
"""Label and column of the horizontal axis."""
MOST_ISLANDS = 12
"""Maximum number of islands with a line each; more are shown by their mean and a band."""
COLOURS = 7
"""Number of coloured lines; further islands have the same colours, dashed."""
MOST_ROUTES = 500
"""Maximum number of routes in the table of migrations."""
BAND = "The line is the mean of the islands, the band goes from the lowest to the highest island."


def is_on_islands(rows: DataFrame) -> bool:
    """Return whether the populations of rows are on islands."""
    return any(role_and_island(str(name))[1] is not None for name in rows["population"].unique())


def by_role(rows: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    """Yield the rows of the islands of each role, with their number in the column ``island``."""
    places = [role_and_island(str(name)) for name in rows["population"]]
    placed = rows.assign(
        _role=[role for role, _ in places], island=[int(each or 0) for _, each in places]
    )
    for role, part in placed.groupby("_role", sort=False):
        yield str(role), part


def island_lines(rows: DataFrame, column: str) -> list[Block]:
    """Return a line per island, or the mean of the islands with a band if there are many."""
    islands = list(rows.groupby("island", sort=True))
    if len(islands) <= MOST_ISLANDS:
        return [
            blocks.line(
                f"island {number}" + (" (dashed)" if place >= COLOURS else ""),
                part[GAMES_PLAYED],
                part[column],
                dashed=place >= COLOURS,
            )
            for place, (number, part) in enumerate(islands)
        ]
    each = rows.groupby(GAMES_PLAYED)[column].agg(["mean", "min", "max"]).reset_index()
    name = f"mean of {len(islands)} islands"
    return [blocks.line(name, *(each[k] for k in (GAMES_PLAYED, "mean", "min", "max")))]


def islands_blocks(
    run: Run, config: Config, analysed: Callable[[], Analysis] | None
) -> Iterator[Block]:
    """Yield the section of the islands of a run.

    Args:
        run: the run.
        config: its configuration.
        analysed: returns the analysis of the run. None: diversity is shown island by island alone.
    """
    islands = config.islands
    assert islands is not None
    for role, rows in by_role(run.generations):
        of = "" if role == ALL else f" of {role}"
        for title, column in (("Best raw fitness", "best"), ("Diversity", "diversity")):
            name = f"islands-{column}-{role}"
            lines = island_lines(rows, column)
            note = BAND if islands.count > MOST_ISLANDS else ""
            yield blocks.curves(f"{title}{of}", (GAMES, title.lower()), lines, name, note=note)
    together = None if analysed is None else analysed().islands
    for population, rows in () if together is None else together.groupby("population", sort=False):
        of = "" if population == ALL else f" of {population}"
        yield blocks.curves(
            f"Diversity{of} within islands and together",
            (GAMES, "diversity"),
            [
                blocks.line("on an island, mean", rows[GAMES_PLAYED], rows["within"]),
                blocks.line("all islands together", rows[GAMES_PLAYED], rows["together"]),
            ],
            f"islands-together-{population}",
        )
    yield from _migrations(run, config)


def _migrations(run: Run, config: Config) -> Iterator[Block]:
    """Yield the topology in words, the generations of the migrations, and a table of the routes."""
    islands = config.islands
    assert islands is not None
    options, name = islands.options, islands.topology.name
    how = (type(islands.topology).__doc__ or "").partition("\n")[0]
    last = 0 if run.generations.empty else int(run.generations["generation"].max())
    due = [each for each in range(options.every, last, options.every) if islands.is_due(each)]
    if not islands.ways:
        yield blocks.text(f"{islands.count} islands, topology {name}. {how}")
        return
    shown = ", ".join(map(str, due if len(due) <= 10 else [*due[:5], "...", *due[-2:]]))
    when = f"{len(due):,} migrations so far" + (f", after generations {shown}" if due else "")
    yield blocks.text(
        f"{islands.count} islands, topology {name}. {how}",
        f"Every {options.every} generations an island sends {options.migrants} of each population "
        f"(choice: {options.choose}) along each of its routes, in place of {options.replace} "
        f"individuals: {when}.",
    )
    ways = np.array(islands.ways[:MOST_ROUTES])
    sent = options.migrants * len(config.populations) * len(due)
    columns = {"from island": "d", "to island": "d", "individuals so far": "d"}
    yield blocks.table(columns, ([*way, sent] for way in ways), "migrations")
    if len(islands.ways) > MOST_ROUTES:
        yield blocks.text(f"The first {MOST_ROUTES} of {len(islands.ways):,} routes.")
