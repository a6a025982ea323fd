"""``run.json``, the description of a run. It is written last, and marks a folder as a run."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from results.errors import ResultsError, shown
from results.folder.files import (
    LOCK_NAME,
    Place,
    exists,
    is_folder,
    links_in,
    place_of,
    read_json,
    write_json,
)
from results.folder.recording import FOLDER
from results.folder.snapshots import MANIFEST, snapshot_name
from results.folder.status import STATUS_FILE
from results.format.metadata import KEEP, check_info, run_metadata
from results.format.schema import SCHEMA_VERSION

RUN_FILE = "run.json"
CONTENT = {
    *(RUN_FILE, MANIFEST, "snapshots", "generations", "lineage", "evaluations", "faults"),
    FOLDER,
    *("plots", "analysis", STATUS_FILE),
}
"""The names of the files and folders that are written into the folder of a run."""
MOST = 2**31 - 1
"""Maximum number of bytes of a genome, and of generations."""
_POPULATION = re.compile(r"\w[\w .-]{0,80}")
_FIELDS = {"seed": int, "config": dict, "genome": dict, "versions": dict}


def holds_run(folder: str | os.PathLike[str] | Place) -> bool:
    """Whether a folder is the folder of a run."""
    return exists(place_of(folder) / RUN_FILE)


def read_info(run: Place) -> dict[str, Any]:
    """Return the checked content of ``run.json``, the description of a run, from its folder.

    Raises:
        ResultsError: no folder, no run, unreadable, or of another schema version; or a file or a
            folder of the run is a link to elsewhere.
    """
    path = run / RUN_FILE
    try:
        info = read_json(path)
    except OSError as error:
        raise _not_a_run(run) from error
    _check_info(path, info)
    _refuse_links(run)
    return info


def _refuse_links(run: Place) -> None:
    """Raise if a file or folder of a run, or its lock, is a link to outside the folder."""
    for name in {*CONTENT, LOCK_NAME}.intersection(links_in(run)):
        raise ResultsError(
            f"{run / name} is a link, but all files of a run must be in its folder; "
            "replace the link by the file that it leads to"
        )


def check_same_run(
    run: Place, info: Mapping[str, Any], texts: Mapping[str, str], remedy: str = ""
) -> None:
    """Raise if ``run.json`` was changed since a snapshot was written.

    Args:
        run: the run folder.
        info: the content of ``run.json``.
        texts: the metadata of the snapshot; empty if there is no snapshot.
        remedy: the end of the message.

    Raises:
        ResultsError: the configuration or the description of the genomes was changed.
    """
    if texts and not run_metadata(info).items() <= texts.items():
        raise ResultsError(
            f"{run / RUN_FILE}: the configuration was changed since "
            f"{snapshot_name(int(texts['generation']))} was written; put it back as it was{remedy}"
        )


def write_info(run: Place, info: Mapping[str, Any]) -> None:
    """Write ``run.json`` atomically. numpy numbers in it become plain ones.

    Raises:
        ResultsError: a value is not JSON (NaN and infinities included), or the system refused.
    """
    _check_info(run / RUN_FILE, info)
    write_json(run / RUN_FILE, info)


def is_count(value: Any, least: int) -> bool:
    """Whether ``value`` is a whole number (no bool) of at least ``least``."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) >= least


def _check_info(path: Place, info: Any) -> None:
    check_info(path, info, SCHEMA_VERSION, _FIELDS)
    seed, config_seed = info["seed"], info["config"].get("seed", info["seed"])
    if seed != config_seed:
        raise ResultsError(
            f"{path} has seed = {seed} and config.seed = {shown(config_seed)}; the two must be one "
            "number: put back what was changed"
        )
    _check_count(path, "config.snapshot_interval", info["config"].get("snapshot_interval"))
    for name in KEEP:
        _check_count(path, f"config.{name}", info["config"].get(name, 0), 0)
    _check_genome(path, info["genome"])
    _check_tables(path, "layouts", info.get("layouts", {}))


def _check_genome(path: Place, genome: dict[str, Any]) -> None:
    widest = genome.get("bytes")
    _check_count(path, "genome.bytes", widest)
    populations = genome.get("populations", {})
    _check_tables(path, "genome.populations", populations)
    for name in populations:
        if not _POPULATION.fullmatch(name):
            raise ResultsError(
                f"{path} has a population {shown(name)}; expected are letters, digits, blanks and "
                "- _ . (at most 81)"
            )
    widths = {name: spec.get("bytes") for name, spec in populations.items()}
    for name, width in widths.items():
        _check_count(path, f"genome.populations.{name}.bytes", width)
    if widths and max(widths.values()) != widest:
        raise ResultsError(
            f"{path} has genome.bytes = {widest}; expected is the width of the widest of its "
            f"populations, {max(widths.values())}"
        )


def _check_tables(path: Place, name: str, value: Any) -> None:
    if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
        raise ResultsError(f"{path} has {name}; expected is a table of tables")


def _check_count(path: Place, name: str, value: Any, least: int = 1) -> None:
    if not is_count(value, least) or value > MOST:
        raise ResultsError(
            f"{path} has {shown(name)} = {shown(value)}; expected is a whole number from {least} "
            f"to {MOST}"
        )


def _not_a_run(run: Place) -> ResultsError:
    if is_folder(run):
        return ResultsError(
            f"{run} is not a run: it holds no {RUN_FILE}; give the folder that evo run --out made"
        )
    what = "is a file, not a folder" if exists(run) else "does not exist"
    return ResultsError(f"{run} {what}; give the folder that evo run --out made")
