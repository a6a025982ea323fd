"""The reader of a run folder: pandas frames, also while the run is being written.

A reader takes no lock and writes nothing. If a writer removes a file between listing and reading
(a snapshot off the interval, rows to be computed again), the reader lists the folder again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from results.errors import ResultsError, shown
from results.folder import evaluations, faults, generations, runfile, snapshots
from results.folder.evaluations import Measurement
from results.folder.files import Place, place_of
from results.folder.inventory import (
    DAMAGED,
    MISSING,
    FileFinding,
    Inventory,
    copies,
    missing_rows,
    strange_parts,
    take_inventory,
    warn_of,
)
from results.folder.parquet import again, read_parts, unlike
from results.format import tables
from results.format.genomes import are_programs, decode_population, evolving
from results.format.limits import count_in
from results.format.metadata import UNLIMITED
from results.format.schema import SOURCE
from results.format.tables import frame_of, joined, newest_rows
from results.read.lineage import descent
from results.read.mutations import add_texts, mutations_of
from results.read.settings import game_of, name_of
from results.statistics import fittest

if TYPE_CHECKING:
    import pandas as pd

_MEASUREMENT = ["generation", "population", "individual", "opponent", "seed", "games"]
"""The columns that identify a row of ``evaluations``."""


def open_run(path: str | os.PathLike[str] | Run, trust: bool = False) -> Run:
    """Return the run in the folder ``path``. A ``Run`` is returned unchanged.

    With ``trust``, a changed ``run.json`` is accepted.

    Raises:
        ResultsError: no folder, no run, ``run.json`` unreadable, of another schema version, or
            changed since the newest snapshot was written.

    Warns:
        MissingWarning: a snapshot, or its line in the list of digests, is missing or damaged.
    """
    if isinstance(path, Run):
        return path
    run = Run(place_of(path), trust)
    warn_of(run.path, again(run.look_over))
    return run


class Run:
    """A reader of one run folder. Each access reads the newest state of a run in progress.

    Attributes:
        path: the run folder.
        info: the content of ``run.json``.
    """

    def __init__(self, path: Place, trust: bool = False) -> None:
        """Read ``run.json`` of a run's folder; see ``open_run``."""
        self.path = path
        self.info: dict[str, Any] = runfile.read_info(path)
        self._trust = trust
        self._kept: tuple[int, str | None, pa.Table] | None = None  # the snapshot last read
        self._evolving: list[str] = []
        self._on_text: Callable[[str], object] | None = None

    def look_over(self) -> list[FileFinding]:
        """Check ``run.json`` against the newest readable snapshot, and return the missing files."""
        found = self.inventory()
        newest = self._kept = found.newest_readable(self.genome["bytes"])
        self._check_same({} if newest is None else tables.metadata_of(newest[2]))
        unread = found.there[-1:] if newest is None else [g for g in found.there if g > newest[0]]
        names = map(snapshots.snapshot_name, unread[-1:])
        detail = "it cannot be read: evo verify says why"
        return [*found.findings(), *(FileFinding(name, DAMAGED, detail) for name in names)]

    def inventory(self) -> Inventory:
        """Return which snapshots of the run are present and which are missing."""
        return take_inventory(self.path, self.config)

    def _repr_html_(self) -> str:
        return import_module("results.plots.notebook").html_of_run(self)

    def __repr__(self) -> str:
        """Return a line of text with the run's path, settings and newest generation."""
        parts = [game_of(self.config), *(name_of(self.config, n) for n in ("scheme", "learner"))]
        what = ", ".join(part for part in parts if part)
        where, end = "new", self.config.get("generations")
        with suppress(ResultsError, OSError):  # it was moved since, or is damaged
            if there := self.inventory().there:
                where = f"generation {there[-1]} of {end}"
                if end == UNLIMITED:
                    games = f"{self.games_played:,} of {self.config['games']:,} games"
                    where = f"generation {there[-1]}, {games}"
        return f"<run {self.path}: {what or 'a run'}, seed {self.info['seed']}, {where}>"

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the run, from ``run.json``."""
        return self.info["config"]

    @property
    def genome(self) -> dict[str, Any]:
        """The description of the run's encoding or encodings; see ``genomes.spec_of``."""
        return self.info["genome"]

    @property
    def layouts(self) -> dict[str, Any]:
        """The layouts by which the genomes of each population are decoded.

        See ``genomes.decode_genomes``.
        """
        return self.info.get("layouts", {})

    @property
    def has_relative_fitness(self) -> bool:
        """Whether fitness depends on the other individuals of its generation."""
        return self.info.get("relative_fitness") is True

    @property
    def has_islands(self) -> bool:
        """Whether the populations evolve on islands, with a separate population on each."""
        return "islands" in self.config

    @property
    def populations(self) -> list[str]:
        """The names of the run's evolving populations, in their order, without archives.

        Raises:
            ResultsError: they are not in ``run.json`` and there is no snapshot yet.
        """
        if "populations" in self.genome:
            return list(self.genome["populations"])
        if not self._evolving:  # which stays as it is
            self._evolving = evolving(self._table(None).column("population").to_pylist())
        return list(self._evolving)

    @property
    def snapshots(self) -> list[int]:
        """The generations of the run with a snapshot, ascending.

        Warns:
            MissingWarning: a snapshot that should exist is missing.
        """
        found = self.inventory()
        warn_of(self.path, found.findings())
        return found.there

    @property
    def games_played(self) -> int:
        """The number of games of the run up to its newest snapshot.

        Raises:
            ResultsError: as ``population``, or the snapshot has no such number.
        """
        text = tables.metadata_of(self._table(None)).get("games_played", "")
        if (count := count_in(text)) is None:
            raise ResultsError(
                f"{self.path}: the newest snapshot has games_played={shown(text)}; a whole number "
                "is expected, so it is not of this run: evo verify looks at all of them"
            )
        return count

    @property
    def generations(self) -> pd.DataFrame:
        """The run's table ``generations``: a row per generation and population, in this order.

        Warns:
            MissingWarning: rows of generations up to the newest snapshot are missing.
            DoubledWarning: a file exists twice.
        """
        rows = self._joined(generations.FOLDER)
        return frame_of(newest_rows(rows, self._by_generation("population")))

    def _by_generation(self, *keys: str) -> list[str]:
        """Return the columns that order a table of the run: generation, island and ``keys``.

        Islands are ordered by number, not by name.
        """
        return ["generation", *(["island"] if self.has_islands else []), *keys]

    @property
    def evaluations(self) -> pd.DataFrame:
        """The run's table ``evaluations``: a row per (generation, individual, opponent).

        A measurement that was written twice appears once.

        Warns:
            DoubledWarning: a file exists twice.
        """
        frame = frame_of(self._joined(evaluations.FOLDER))
        once = frame.drop_duplicates([name for name in frame if name != "evaluate_seconds"])
        keys = self._by_generation(*_MEASUREMENT[1:4])
        return once.sort_values(keys, kind="stable").reset_index(drop=True)

    @property
    def faults(self) -> pd.DataFrame:
        """The run's table ``faults``: a row per game that a player lost by a fault.

        The rows are numbered as in ``evo watch RUN --fault``.

        Warns:
            MissingWarning: rows are missing.
        """
        newest = self.inventory().newest_readable(self.genome["bytes"])
        texts = {} if newest is None else tables.metadata_of(newest[2])
        if lost := faults.lost_rows(self.path, texts):
            warn_of(self.path, [FileFinding(faults.FOLDER, MISSING, lost)])
        return faults.faults_of(self.path)

    def _joined(self, table: str) -> pa.Table:
        return joined(table, self.parts(table), self.has_islands)

    def parts(self, table: str) -> list[pa.Table]:
        """Return a run's stored rows of table ``generations``, ``lineage`` or ``evaluations``.

        Of identical files, only one is read. A row may occur in several of the other files.

        Warns:
            MissingWarning, DoubledWarning: as ``generations`` and ``evaluations``.
        """
        if table == evaluations.FOLDER:
            parts = read_parts(self.path / table)
            warn_of(self.path, copies(parts))
            return [part.table for part in unlike(parts)]
        before = self.inventory().there
        parts, files = generations.read_parts(self.path, table)
        rows = [part.table for part in parts]
        # A writer that goes back drops rows, and before them the snapshots.
        newest = min(max(before, default=-1), max(self.inventory().there, default=-1))
        missing = missing_rows(self.path, table, generations.numbers_of(rows), newest)
        warn_of(self.path, [*missing, *strange_parts(table, files)])
        return rows

    def evaluations_of(self, asked: Sequence[tuple[Measurement, np.ndarray]]) -> pd.DataFrame:
        """Return the rows of ``evaluations`` of given measurements and individuals.

        ``asked`` holds pairs (measurement, individuals int [K]). The rows are in the order of the
        pairs, and by individual. Games that were written twice appear once.
        """
        table, rows = evaluations.FOLDER, []
        for measurement, individuals in asked:
            parts = evaluations.measured(self.path, measurement)
            theirs = joined(table, parts, self.has_islands)
            once = newest_rows(theirs, ["individual", "population"])
            wanted = pa.array(individuals.tolist(), pa.int32())
            rows.append(once.filter(pc.is_in(once.column("individual"), value_set=wanted)))
        return frame_of(joined(table, rows, self.has_islands))

    def lineage(self, id: int | None = None) -> pd.DataFrame:
        """Return an individual of the run and all its ancestors, back to generation 0.

        Args:
            id: of the individual; None: the champion of the newest snapshot.

        Returns:
            A row per individual, by generation and id: the columns of table ``lineage``, parents as
            Int64, NA for none; ``operator`` (``start``, ``mutation`` or ``crossover``, by the
            number of parents; with one parent it may be an unchanged copy); and
            ``is_first_line``: whether the individual is reached by first parents alone. The id of
            an individual that survived several generations has a row in the first of them. For
            programs also ``source``, the text, and ``diff``, its changes to the first parent.

        Raises:
            ResultsError: the run keeps no lineage, there is no such individual, or a file is
                damaged.
        """
        if not generations.has_lineage(self.config):
            raise ResultsError(
                f"{self.path} keeps no lineage, only the parents in its snapshots; start a run "
                "with --set lineage=true"
            )
        rows = joined(generations.LINEAGE, self.parts(generations.LINEAGE), self.has_islands)
        family = descent(rows, int(self.champion()["id"]) if id is None else id)
        if are_programs(self.layouts):
            add_texts(family, frame_of(newest_rows(rows, ["id"])), self.path)
        return family

    @property
    def mutations(self) -> pd.DataFrame:
        """The calls of the mutator of a run that evolves programs, a row each, by their places.

        The columns are ``request`` (its number in the run), ``generation``, ``island``,
        ``population``, ``individual`` (the row of the child), ``attempt`` (from 0), ``outcome``
        (``child``, ``error``, ``late``, or ``lost`` for a call that was repeated since its answer
        was lost in a crash), ``seconds``, ``cost``, ``note``, ``what`` (the error), and ``source``
        (the text of the child).

        Raises:
            ResultsError: a record is damaged.
        """
        return mutations_of(self.path)

    def population(self, generation: int | None = None, name: str | None = None) -> pd.DataFrame:
        """Return the population of a snapshot (None: the newest), a row per individual.

        The columns are those of table ``snapshots``.

        ``genome`` holds bytes objects. ``parent_a`` and ``parent_b`` are Int64, NA for none. With
        ``name``, only that population is returned, numbered from 0. None: all, archives included.

        Raises:
            ResultsError: there is no such snapshot (the nearest are named) or population, or it is
                damaged.
        """
        return frame_of(self._table(generation, name))

    def weights(self, generation: int | None = None, population: str | None = None) -> np.ndarray:
        """Return the decoded networks of a snapshot, float64 [N, W].

        The rows correspond to those of ``population(generation, population)``.

        Raises:
            ResultsError: as ``population``; or the genomes are tables, or networks of several
                sizes and no population was named.
        """
        return self._decoded(generation, population, "weights")

    def policies(self, generation: int | None = None, population: str | None = None) -> np.ndarray:
        """Return the decoded policy tables of a snapshot, int8 [N, G]: an action per gene.

        The rows correspond to those of ``population(generation, population)``.

        Raises:
            ResultsError: as ``population``; or the genomes are networks, or tables of several
                sizes and no population was named.
        """
        return self._decoded(generation, population, "policies")

    def values(self, generation: int | None = None, population: str | None = None) -> np.ndarray:
        """Return the decoded tables of values of a snapshot, float32 [N, P, A].

        P is the number of positions, A the number of legal actions of each, in their order. NaN
        marks actions that were never tried. The rows correspond to those of
        ``population(generation, population)``.

        Raises:
            ResultsError: as ``population``; or the genomes are of another kind, or tables of
                several sizes and no population was named.
        """
        return self._decoded(generation, population, "values")

    def programs(self, generation: int | None = None, population: str | None = None) -> list[str]:
        """Return the texts of the programs of a snapshot.

        They correspond to the rows of ``population(generation, population)``.

        Raises:
            ResultsError: as ``population``; or the run evolves no programs.
        """
        table = self._table(generation, population)
        if SOURCE.name not in table.column_names:
            raise ResultsError(f"{self.path} evolves no programs, so its snapshots have no texts")
        return table.column(SOURCE.name).to_pylist()

    def champion(self, generation: int | None = None, population: str | None = None) -> pd.Series:
        """Return the fittest individual of a snapshot, as a row. Ties go to the lowest individual.

        ``population`` names one of several populations. None selects the first in the snapshot. The
        name of the Series is its row in ``population(generation)``. Its ``individual`` is the row
        in ``population(generation, population)``.
        """
        table = self._table(generation)
        names = table.column("population").to_pylist()
        mask = self._is_of(table, population if population is not None else evolving(names)[0])
        frame = frame_of(table)[mask.to_numpy()]
        return frame.iloc[fittest(frame["fitness"].to_numpy(), frame["individual"].to_numpy())]

    def genomes(self, generation: int | None = None, population: str | None = None) -> np.ndarray:
        """Return the packed genomes of a snapshot, uint8 [N, B].

        The rows correspond to those of ``population(generation, population)``.

        Raises:
            ResultsError: as ``population``.
        """
        return tables.numpy_column(self._table(generation, population).column("genome"))

    def _decoded(self, generation: int | None, population: str | None, method: str) -> np.ndarray:
        table = self._table(generation, population)
        genomes = tables.numpy_column(table.column("genome"))
        names = table.column("population").to_pylist()
        return decode_population(genomes, names, self.layouts, method)

    def _table(self, generation: int | None, population: str | None = None) -> pa.Table:
        table = again(lambda: self._snapshot(generation))
        return table if population is None else table.filter(self._is_of(table, population))

    def _snapshot(self, generation: int | None) -> pa.Table:
        """Return the table of a whole snapshot (None: the newest). The last one read is cached."""
        number = generation
        digest = None if number is None else snapshots.listed_digest(self.path, number)
        if number is None or digest is None:
            number, digest = self._known(generation)
        kept = self._kept
        if kept is None or kept[:2] != (number, digest) or digest is None:
            try:
                table = snapshots.read_snapshot(self.path, number, self.genome["bytes"], digest)
            except FileNotFoundError:
                self._known(generation)  # which says what there is
                raise
            self._check_same(tables.metadata_of(table))
            self._kept = kept = number, digest, table
            self._pass_texts()
        return kept[2]

    def pass_texts(self, receive: Callable[[str], object]) -> None:
        """Call ``receive`` with the text of each program of the snapshots that are read."""
        self._on_text = receive
        self._pass_texts()

    def _pass_texts(self) -> None:
        if self._on_text and self._kept and SOURCE.name in self._kept[2].column_names:
            for text in self._kept[2].column(SOURCE.name).unique().to_pylist():
                self._on_text(text)

    def _check_same(self, texts: Mapping[str, str]) -> None:
        """Raise if ``run.json`` was changed since a snapshot was written.

        ``texts`` is its metadata.
        """
        if not self._trust:
            remedy = (
                ", or use --trust (trust=True), where the command takes it, to go by it as it is"
            )
            runfile.check_same_run(self.path, self.info, texts, remedy)

    def _is_of(self, table: pa.Table, population: str) -> pa.ChunkedArray:
        """Return which rows of a snapshot's table belong to a population, bool [N]."""
        mask = pc.equal(table.column("population"), population)
        if not pc.any(mask).as_py():
            names = list(dict.fromkeys(table.column("population").to_pylist()))
            raise ResultsError(
                f"no population {shown(repr(population))} in {self.path}; there are "
                f"{shown(', '.join(names))}"
            )
        return mask

    def _known(self, generation: int | None) -> tuple[int, str | None]:
        """Return the generation of an existing snapshot (None: the newest) and its digest.

        Raise if the run has no such snapshot; the message names the nearest.
        """
        found = self.inventory()
        warn_of(self.path, found.findings())
        there = found.there
        if not there:
            raise ResultsError(f"{self.path} holds no snapshot yet; wait for generation 0")
        number = there[-1] if generation is None else int(generation)
        if number in found.digests.keys() & found.files:
            return number, found.digests[number] or None
        nearest = sorted(sorted(there, key=lambda g: abs(g - number))[:3])
        raise ResultsError(
            f"{self.path} holds no snapshot of generation {generation}; "
            f"the nearest are {', '.join(map(str, nearest))} of {len(there)}"
        )
