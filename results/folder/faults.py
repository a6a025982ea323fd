"""The table ``faults`` of a run or a tournament: games that were lost by a fault of a player.

Rows are never removed. A row is written once: a process that replays a generation after a crash
finds the rows that were written before.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from results.folder.files import Place, make_folder
from results.folder.parquet import read_folder, write_part
from results.format import tables
from results.format.limits import count_in
from results.format.metadata import FAULTS as COUNT
from results.format.tables import frame_of, joined

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "faults"
KEY = ("purpose", "generation", "match", "game", "verdict", "match_seed", "player", "opponent")
"""The columns that identify a row and order the table."""
MOST_ROWS, MOST_TEXT = 4_000, 32 << 20
"""Maximum number of rows per file, and of characters of genomes per file."""


def write_faults(folder: Place, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of table ``faults`` into ``faults/`` of a run or a tournament.

    Without rows, nothing is written. The rows are on the disk when this returns.

    Raises:
        ResultsError: bad columns, or the system refused.
    """
    if not rows:
        return
    make_folder(folder / FOLDER)
    longest = max(len(row["genome"]) + len(row["opponent_genome"]) for row in rows)
    step = max(1, min(MOST_ROWS, MOST_TEXT // max(1, longest)))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        stem = f"{part[0]['generation']:06d}-{part[-1]['generation']:06d}"
        write_part(folder / FOLDER, stem, tables.encode(tables.table_of_rows(FOLDER, part)))


def read_faults(folder: Place) -> pa.Table:
    """Return the table ``faults`` of a run or a tournament: the games that were lost by a fault.

    Without files, the table is empty.

    Raises:
        ResultsError: a file is damaged, or the system refused.
    """
    return joined(FOLDER, read_folder(folder / FOLDER))


def is_of_evolution(purpose: str) -> bool:
    """Whether matches of this purpose evolve a run, rather than measure it."""
    return purpose.startswith("matches")


def lost_rows(run: Place, texts: Mapping[str, str]) -> str:
    """Return a message if a run lacks rows of ``faults`` that a snapshot counts, else "".

    Args:
        run: the folder of the run.
        texts: the metadata of the snapshot.
    """
    count = count_in(texts.get(COUNT, ""))
    if not count:
        return ""
    keys = {tuple(row.values()) for row in read_faults(run).select(KEY).to_pylist()}
    last = int(texts["generation"])
    lost = count - sum(is_of_evolution(key[0]) and key[1] <= last for key in keys)
    if lost <= 0:
        return ""
    return (
        f"it lacks {lost:,} of the {count:,} games that were lost by faults up to "
        f"generation {last}; put its files back, or remove {run / 'snapshots'} and "
        f"{run / 'snapshots.sha256'}, and evo resume {shlex.quote(str(run))} plays the run again"
    )


def faults_of(folder: Place) -> pd.DataFrame:
    """Return the table ``faults`` of a run or a tournament as a frame, in order, each row once.

    Games that evolved the run come before games that measured it. Rows are numbered from 0.
    """
    frame = frame_of(read_faults(folder)).drop_duplicates(list(KEY))
    later = ~frame["purpose"].map(is_of_evolution).astype(bool)
    keys = ["later", "generation", *(name for name in KEY if name != "generation")]
    order = frame.assign(later=later).sort_values(keys, kind="stable")
    return order.drop(columns="later").reset_index(drop=True)
