"""What is kept of a published study: its numbers as JSON, Parquet and ``.npy``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from results.folder.files import Place, atomic_write, make_folder, npy, write_json
from results.format.tables import encode
from results.report import plain


def write_study(
    folder: Place,
    record: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    tables: Mapping[str, Mapping[str, Any]],
) -> list[Place]:
    """Write ``result.json``, a ``NAME.npy`` an array and a ``NAME.parquet`` a table.

    Each file is written whole or not at all; one that is there is replaced.

    Args:
        folder: made where it is missing.
        record: what JSON takes, and numpy values.
        arrays: of any shape and type.
        tables: columns of equal length by name.

    Returns:
        The paths of the files.

    Raises:
        ResultsError: the system refused, or a value has no place in JSON.
    """
    record = plain(record)
    contents = {f"{name}.npy": npy(array) for name, array in arrays.items()}
    contents |= {f"{name}.parquet": encode(pa.table(dict(tables[name]))) for name in tables}
    make_folder(folder)
    write_json(folder / "result.json", record, ascii_alone=False)
    for name, content in contents.items():
        atomic_write(folder / name, content)
    return [folder / name for name in ("result.json", *contents)]
