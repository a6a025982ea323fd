"""The results of a published study: its numbers as JSON, Parquet and ``.npy``."""

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
    """Write the results of a study into a folder: a record, arrays and tables.

    The files are ``result.json``, a ``NAME.npy`` per array and a ``NAME.parquet`` per table.
    Each is written atomically. An existing file is replaced.

    Each file is written atomically. An existing file is replaced.

    Args:
        folder: the folder to write into, created if it is missing.
        record: values that JSON can represent, and numpy values.
        arrays: arrays of any shape and type, by name.
        tables: columns of equal length by name.

    Returns:
        The paths of the files.

    Raises:
        ResultsError: the system refused, or JSON cannot represent a value.
    """
    record = plain(record)
    contents = {f"{name}.npy": npy(array) for name, array in arrays.items()}
    contents |= {f"{name}.parquet": encode(pa.table(dict(tables[name]))) for name in tables}
    make_folder(folder)
    write_json(folder / "result.json", record, ascii_alone=False)
    for name, content in contents.items():
        atomic_write(folder / name, content)
    return [folder / name for name in ("result.json", *contents)]
