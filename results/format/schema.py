"""The tables of a run, column by column; ``docs/schema.md`` is checked against this file.

A run folder holds ``run.json`` and folders of Parquet files, each folder one table. Every
column is declared here once with its type, whether it may be null, and what it means.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from results.errors import ResultsError, shown

SCHEMA_VERSION = 3
"""The version of the layout of runs."""
BEST_RESPONSE = "best-response"
"""The opponent of rows of ``evaluations`` that tell what was proved, exactly.

Where that was about a variant of the run's game, what varies follows after a blank.
"""


@dataclass(frozen=True)
class Column:
    """One column of a table: its name, Arrow type, meaning, and whether it may be null.

    ``type`` is None for the genome, whose width in bytes is known only to the run.
    """

    name: str
    type: pa.DataType | None
    description: str
    nullable: bool = False


_INT32, _INT64, _FLOAT64, _STRING = pa.int32(), pa.int64(), pa.float64(), pa.string()

_GENERATION = Column("generation", _INT32, "Number of the generation; the first is 0.")
_POPULATION = Column(
    "population",
    _STRING,
    "Name of the population; a game whose seats have roles has one population a role.",
)
ISLAND = Column("island", _INT32, "Number of the island, from 0; only in runs with islands.")
"""The column that all tables of a run with islands have after the population."""
_INDIVIDUAL = Column("individual", _INT32, "Row of the individual in its population, from 0.")
_ID = Column("id", _INT64, "Number of the individual, unique in the run and never used again.")

SNAPSHOTS = (
    _GENERATION,
    _POPULATION,
    _INDIVIDUAL,
    _ID,
    Column("parent_a", _INT64, "id of the first parent; null when there is none.", True),
    Column("parent_b", _INT64, "id of the second parent; null without one (no crossover).", True),
    Column("genome", None, "The genome, packed into the B bytes that run.json describes."),
    Column("fitness", _FLOAT64, "What selection saw: scaled, with the bonus."),
    Column("raw_fitness", _FLOAT64, "The points that the scheme gave."),
    Column("games", _INT32, "Games the individual played in this generation."),
    Column("wins", _INT32, "Games of these that it won."),
    Column("draws", _INT32, "Games of these that were drawn."),
    Column("losses", _INT32, "Games of these that it lost."),
)
"""One row an individual of a generation that is kept."""

GENERATIONS = (
    _GENERATION,
    _POPULATION,
    Column("games_played", _INT64, "Games of the run up to and with this generation."),
    Column("best", _FLOAT64, "Highest raw fitness of the population."),
    Column("mean", _FLOAT64, "Mean raw fitness of the population."),
    Column("std", _FLOAT64, "Standard deviation of the raw fitness (divisor N)."),
    Column(
        "diversity",
        _FLOAT64,
        "Mean share of genes (bits, entries of a table) in which two individuals differ, 0..1; of "
        "real weights their spread over that of random ones.",
    ),
    Column(
        "evaluate_seconds", _FLOAT64, "Wall-clock time of decoding, games and scoring, in seconds."
    ),
    Column("vary_seconds", _FLOAT64, "Time of selection, crossover and mutation, in seconds."),
    Column(
        "write_seconds",
        _FLOAT64,
        "Seconds that recording and handing over the generation before this one took.",
    ),
    Column("total_seconds", _FLOAT64, "Sum of the three, in seconds."),
)
"""One row a generation and population."""


def _computed(name: str, description: str) -> Column:
    """A column of evaluations that games do not tell."""
    return Column(name, _FLOAT64, f"{description}; null where games were played.", True)


EVALUATIONS = (
    _GENERATION,
    _POPULATION,
    _INDIVIDUAL,
    _ID,
    Column(
        "opponent",
        _STRING,
        "The fixed opponent, as named; a run with @generation, a weights file or a package's "
        "player with @digest.",
    ),
    Column("games", _INT32, "Games played against it, the seats alternating."),
    Column("wins", _INT32, "Games of these that the individual won."),
    Column("draws", _INT32, "Games of these that were drawn."),
    Column("losses", _INT32, "Games of these that it lost."),
    Column("win_rate", _FLOAT64, "wins / games, 0..1."),
    Column("win_rate_low", _FLOAT64, "Lower end of the 95% Wilson interval of the win rate."),
    Column("win_rate_high", _FLOAT64, "Upper end of the 95% Wilson interval of the win rate."),
    Column("seed", _INT64, "Seed of these games."),
    Column("evaluate_seconds", _FLOAT64, "Wall-clock time of these games, in seconds."),
    Column(
        "exploitability",
        _FLOAT64,
        "Net wins a game (net points where the game counts points), mean over its seats, that a "
        "best response gains on what perfect play would give; null against other opponents.",
        True,
    ),
    Column(
        "plies",
        _FLOAT64,
        "Plies to the capture against a best response, of a pair by its cat; null where there is "
        "none, and against other opponents.",
        True,
    ),
    _computed("draw_rate", "Share of all games that are drawn, 0..1"),
    _computed("margin", "Net points a game (dots and boxes: boxes), mean over both seats"),
    *(
        Column(
            f"win_rate_{seat}",
            _FLOAT64,
            f"Share of the games won in the {seat} seat, 0..1; null for an individual that never "
            "held it, and where games were not counted so.",
            True,
        )
        for seat in ("first", "second")
    ),
    _computed("margin_first", "Net points a game in the first seat"),
    _computed("margin_second", "Net points a game in the second seat"),
    _computed(
        "regret",
        "Net wins (net points where the game counts points) that a move loses against perfect "
        "play, mean over the individual's moves in these games",
    ),
    _computed("optimal_share", "Share of the individual's moves that lose nothing so, 0..1"),
)
"""One row a (generation, individual, opponent)."""

LINEAGE = (
    _GENERATION,
    _POPULATION,
    _ID,
    *(column for column in SNAPSHOTS if column.name in ("parent_a", "parent_b", "raw_fitness")),
)
"""One row an individual of each generation, in runs with ``lineage = true``; archives left out."""

TABLES = {
    "snapshots": SNAPSHOTS,
    "generations": GENERATIONS,
    "evaluations": EVALUATIONS,
    "lineage": LINEAGE,
}
"""The columns of each table, by the name of its folder."""

_FIRST = "in which it held the first seat"

PAIRS = (
    Column("round", _INT32, "Round of the tournament in which they were played, from 1."),
    Column("player", _STRING, "One of the two players, as named."),
    Column("opponent", _STRING, "The other."),
    Column("first_match", _INT64, "Number of the first of these matches among those of the pair."),
    Column("games", _INT64, "Games of these matches, two each, the seats swapped."),
    Column("wins", _INT64, "Games of these that the player won."),
    Column("draws", _INT64, "Games of these that were drawn."),
    Column("losses", _INT64, "Games of these that the player lost."),
    Column("wins_first", _INT64, f"Games that the player won {_FIRST}."),
    Column("draws_first", _INT64, f"Games drawn {_FIRST}."),
    Column("losses_first", _INT64, f"Games that the player lost {_FIRST}."),
)
"""One row a pair and stretch of its matches."""

RATINGS = (
    Column("rank", _INT32, "By rating, from 1; after a knock-out the place reached."),
    Column("player", _STRING, "The player, as named."),
    Column(
        "rating", _FLOAT64, "Bradley-Terry rating in Elo points; the anchor's is 0, or the mean."
    ),
    Column("rating_low", _FLOAT64, "Lower end of its 95% interval."),
    Column("rating_high", _FLOAT64, "Upper end of its 95% interval."),
    Column("games", _INT64, "Games that the player played."),
    Column("wins", _INT64, "Games of these that it won."),
    Column("draws", _INT64, "Games of these that were drawn."),
    Column("losses", _INT64, "Games of these that it lost."),
    Column(
        "score",
        _FLOAT64,
        "Share of the points, a draw being half of one; null without games.",
        True,
    ),
)
"""One row a player, the best first."""

TOURNAMENT_TABLES = {"pairs": PAIRS, "ratings": RATINGS}
"""The columns of the tables of a tournament's folder; ``docs/tournaments.md`` has them."""

FORFEIT, QUARANTINE = "forfeit", "quarantine"
"""What a row of ``faults`` tells: that a game was lost, or all of a player's from then on."""

FAULTS = (
    _GENERATION,
    Column("purpose", _STRING, "What the match was for; its seed is derived from this."),
    Column("match", _INT64, "Number of the match in its schedule, from 0."),
    Column("game", _INT32, "Game of the match, from 0; the seats are swapped after each."),
    Column("seat", _INT32, "Seat of the player that lost, from 0."),
    Column("ply", _INT32, "Moves made before."),
    Column("verdict", _STRING, "forfeit: the game was lost; quarantine: all games of the player."),
    Column("cause", _STRING, "Why, in a word or two: raised, late, illegal and so on."),
    Column("what", _STRING, "What the player did, in a line."),
    Column("player", _STRING, "Who lost: a fixed opponent, as named, or an individual."),
    Column("opponent", _STRING, "Who won."),
    Column("population", _STRING, "Population of an individual that lost; empty of others."),
    Column("opponent_population", _STRING, "Likewise of who won."),
    Column("id", _INT64, "id of an individual that lost; null of others.", True),
    Column("opponent_id", _INT64, "Likewise of who won.", True),
    Column("genome", _STRING, "Genome of an individual that lost, in hexadecimal digits."),
    Column("opponent_genome", _STRING, "Likewise of who won."),
    Column("match_seed", pa.uint64(), "Seed of the match."),
)
"""One row a game that was lost by a fault, and one a player that was quarantined."""

FAULT_TABLES = {"faults": FAULTS}
"""The table that a run and a tournament have alike; ``docs/faults.md`` has its columns."""


def are_computed(opponents: Iterable[str]) -> np.ndarray:
    """Return, for names of opponents, which stand for a best response, bool [N]."""
    names = (str(opponent).partition(" ")[0] for opponent in opponents)
    return np.array([name == BEST_RESPONSE for name in names], dtype=bool)


@cache
def arrow_schema(table: str, genome_bytes: int = 0, islands: bool = False) -> pa.Schema:
    """Return the pyarrow schema of a table of ``TABLES`` or ``TOURNAMENT_TABLES``.

    ``genome_bytes`` is B, the width of the genome column, and needed for ``snapshots`` only;
    ``islands`` says whether it is a table of a run with islands.
    """
    columns = (TABLES | TOURNAMENT_TABLES | FAULT_TABLES)[table]
    schema = pa.schema([_field(column, genome_bytes) for column in columns])
    return with_islands(schema) if islands else schema


def as_in(schema: pa.Schema, names: Iterable[str]) -> pa.Schema:
    """Return the schema of a table in a file with columns of these names: in a run with islands
    there is one more."""
    return with_islands(schema) if has_islands(names) else schema


def with_islands(schema: pa.Schema) -> pa.Schema:
    """Return the schema of the same table in a run with islands."""
    return schema.insert(schema.get_field_index(_POPULATION.name) + 1, _field(ISLAND))


def _field(column: Column, genome_bytes: int = 0) -> pa.Field:
    return pa.field(
        column.name,
        pa.binary(genome_bytes) if column.type is None else column.type,
        nullable=column.nullable,
        metadata={"description": column.description},
    )


def has_islands(columns: Iterable[str]) -> bool:
    """Return whether columns of these names are those of a run with islands."""
    return ISLAND.name in columns


def check_columns(given: set[Any], expected: set[Any], source: object) -> None:
    """Raise ResultsError if a file has other columns: their names, or tuples that begin so."""
    if given != expected:
        strange = {each if isinstance(each, str) else each[0] for each in given ^ expected}
        names = shown(", ".join(sorted(strange)))
        raise ResultsError(
            f"{source} is not a file of this run: its columns differ in {names}; move it out of "
            "the folder"
        )
