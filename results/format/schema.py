"""The tables of a run and of a tournament, as ``schema.toml`` beside this file declares them.

A run folder holds ``run.json`` and folders of Parquet files, each folder one table. Every column is
declared once: its type, whether it may be null, and its meaning. ``docs/schema.md`` is checked
against the declaration.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from results.errors import ResultsError, shown

SCHEMA_VERSION = 3
"""The version of the layout of runs."""
BEST_RESPONSE = "best-response"
"""The opponent in rows of ``evaluations`` with exactly proved results.

If the result is about a variant of the run's game, the variation follows after a blank.
"""
FORFEIT, QUARANTINE = "forfeit", "quarantine"
"""The verdicts in ``faults``: a game was lost, or all later games of a player, too."""
AND = "+"
"""Stands between the names of several players of a contest."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: the name in the table.
        type: the Arrow type; None for the genome, whose width in bytes is known only to the run.
        description: the meaning.
        nullable: whether values may be null.
    """

    name: str
    type: pa.DataType | None
    description: str
    nullable: bool = False

    @cached_property
    def dtype(self) -> np.dtype:
        """The numpy type of this column of a table: object for text, uint8 for genomes."""
        return np.dtype(np.uint8 if self.type is None else self.type.to_pandas_dtype())

    @cached_property
    def limits(self) -> tuple[int, int] | None:
        """The lowest and the highest value of this column if it holds integers, else None."""
        if self.dtype.kind not in "iu":
            return None
        limits = np.iinfo(self.dtype)
        return int(limits.min), int(limits.max)


_DECLARED = tomllib.loads(Path(__file__).with_name("schema.toml").read_text(encoding="utf-8"))


def _column(table: str, name: str) -> Column:
    declared = _DECLARED[table][name]
    if isinstance(declared, str):
        return _column(declared, name)
    (kind, _, null), description = declared[0].partition(" or "), declared[1]
    arrow_type = None if kind == "bytes" else pa.type_for_alias(kind)
    return Column(name, arrow_type, description, bool(null))


COLUMNS = {
    table: tuple(_column(table, name) for name in names) for table, names in _DECLARED.items()
}
"""The columns of each table, by the name of its folder or file."""
ISLAND = Column("island", pa.int32(), "Number of the island, from 0; only in runs with islands.")
"""The column after the population in all tables of a run with islands."""
SOURCE = Column(
    "source", pa.string(), "The text of the program; only in runs that evolve programs.", True
)
"""The last column of the snapshots of a run that evolves programs."""
OPTIONAL = {column.name: column for column in (ISLAND, SOURCE)}
"""The columns that only some runs have, by name."""


def are_computed(opponents: Iterable[str]) -> np.ndarray:
    """Return which of the names of opponents denote a computed best response, bool [N]."""
    names = (str(opponent).partition(" ")[0] for opponent in opponents)
    return np.array([name == BEST_RESPONSE for name in names], dtype=bool)


@cache
def arrow_schema(table: str, genome_bytes: int = 0, more: tuple[str, ...] = ()) -> pa.Schema:
    """Return the pyarrow schema of a table of runs or tournaments, by the table's name.

    ``genome_bytes`` is B, the width of the genome column, which only ``snapshots`` needs. ``more``
    names optional columns of the table.
    """
    schema = pa.schema([_field(column, genome_bytes) for column in COLUMNS[table]])
    return as_in(schema, more)


def as_in(schema: pa.Schema, names: Iterable[str]) -> pa.Schema:
    """Return the schema of a table as a file with columns of these names has it.

    Only some files have the optional columns.
    """
    present = optional_in(names)
    if ISLAND.name in present:
        schema = schema.insert(schema.get_field_index("population") + 1, _field(ISLAND))
    return schema.append(_field(SOURCE)) if SOURCE.name in present else schema


def _field(column: Column, genome_bytes: int = 0) -> pa.Field:
    return pa.field(
        column.name,
        pa.binary(genome_bytes) if column.type is None else column.type,
        nullable=column.nullable,
        metadata={"description": column.description},
    )


def optional_in(columns: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the optional columns among the names of columns."""
    present = set(columns)
    return tuple(name for name in OPTIONAL if name in present)


def check_columns(given: set[Any], expected: set[Any], source: object) -> None:
    """Raise ResultsError if a file has other columns than expected.

    Columns are given by their names, or by tuples that begin with the name. ``source`` names the
    file in the message.
    """
    if given != expected:
        strange = {each if isinstance(each, str) else each[0] for each in given ^ expected}
        names = shown(", ".join(sorted(strange)))
        raise ResultsError(
            f"{source} is not a file of this run: its columns differ in {names}; move it out of "
            "the folder"
        )
