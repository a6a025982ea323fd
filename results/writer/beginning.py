"""The check of the path of a new run, and the folders of a run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from results.errors import ResultsError
from results.folder import evaluations, generations, runfile, snapshots
from results.folder.files import LOCK_NAME, Place, exists, is_folder, names_in, read_file

_FOLDERS = (snapshots.FOLDER, generations.FOLDER, evaluations.FOLDER)
_WITH_LINEAGE = (*_FOLDERS, generations.LINEAGE)


def refuse_taken(run: Place) -> None:
    """Raise if a new run cannot be created at a path, because something is there.

    Leftovers of a crash inside ``RunWriter.create`` are accepted.

    Raises:
        ResultsError: the path is a file, holds a run (the message has the command that resumes it),
            or holds something else.
    """
    if not exists(run):
        return
    if not is_folder(run):
        raise ResultsError(f"{run} is a file; a run needs a folder of its own: choose another path")
    if exists(run / runfile.RUN_FILE):
        raise ResultsError(f"{run} holds a run; go on with: evo resume {shlex.quote(str(run))}")
    foreign = [name for name in names_in(run) if not _is_our_beginning(run, name)]
    if foreign:
        raise ResultsError(
            f"{run} is not empty and not a run (it holds {min(foreign)}); choose another path"
        )


def folders_of(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the folders of a run with this configuration, one per table."""
    return _WITH_LINEAGE if generations.has_lineage(config) else _FOLDERS


def _is_our_beginning(run: Place, name: str) -> bool:
    if name in _WITH_LINEAGE:
        return is_folder(run / name) and not names_in(run / name)
    if name == snapshots.MANIFEST:
        return not is_folder(run / name) and not read_file(run / name)
    ours = name.startswith(".write-") and name.endswith(".tmp")
    return name == LOCK_NAME or ours
