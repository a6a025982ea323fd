"""A study as documents: its claims, its report, its page and its figures, each a file."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.claims import EXPLANATION, judged, load_claims
from evo.studies.kept import as_data
from evo.studies.page import columns_of, rendered
from evo.studies.settings import Announce, checked_settings, command_of
from results.folder.files import atomic_write, make_folder
from tournaments.errors import ConfigError
from tournaments.options import as_options

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Reproduction:
    """The results of a study, as ``evo reproduce`` prints and writes them.

    Attributes:
        record: the JSON object; ``settings`` and ``seconds`` are among its keys.
        lines: the report for people.
        arrays: the content of ``NAME.npy``, by name, such as policies.
        tables: columns of equal length of ``NAME.parquet``, by name.
        draw: draws the pictures into a folder and returns their paths; None: there are none.
    """

    record: Record
    lines: Sequence[str]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    draw: Callable[[Path], list[Path]] | None = None


@dataclass(frozen=True)
class Evidence:
    """The measurements of a study.

    Attributes:
        record: the data of the JSON file; its lists of rows are tables of the report and the page.
        values: what else claims are judged by and figures are drawn from, such as curves.
        arrays: the content of ``NAME.npy``, by name.
        tables: the content of ``NAME.parquet``, by name: rows, or columns. Without rows there is no
            file.
    """

    record: Record
    values: Any = None
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    tables: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyReport:
    """A study whose folder holds its documents.

    ``report.md`` is the template of the report, ``page.md`` that of the page, ``claims.toml`` has
    the claims, and ``plot.py`` a function ``draw(evidence, folder)`` that draws the figures and
    returns their paths; ``draw_page``, if it has one, draws those of the page. All but the report
    may be absent. See :func:`evo.studies.page.rendered` and :class:`evo.studies.claims.Claim`.

    Attributes:
        package: dotted name of the folder.
        settings: a dataclass of :func:`evo.studies.settings.setting` fields.
        measure: (settings, announce) -> the evidence.
        texts: (evidence) -> more values of the templates, such as sentences and arranged rows.
        figures: folder of the page's figures, beside the page; empty: ``figures/NAME``.
    """

    package: str
    settings: type
    measure: Callable[[Any, Announce], Evidence]
    texts: Callable[[Evidence], Record] = lambda evidence: {}
    figures: str = ""

    @property
    def name(self) -> str:
        """The name of the study on the command line of ``evo reproduce``."""
        return self.package.rpartition(".")[2].replace("_", "-")

    @property
    def has_claims(self) -> bool:
        """Whether the study has claims, in a file of its folder."""
        return (files(self.package) / "claims.toml").is_file()

    def reproduce(
        self, settings: Any = None, announce: Announce = lambda line: None
    ) -> Reproduction:
        """Run the study: measure, judge the claims, and write the page if asked for.

        Args:
            settings: an instance of :attr:`settings`; None: the defaults.
            announce: is called with a line of progress.

        Raises:
            ConfigError: a setting is wrong.
        """
        settings = settings or self.settings()
        begun, command = time.perf_counter(), command_of(self.name, settings)
        settings = checked_settings(settings)
        page = getattr(settings, "page", "")
        if page and Path(page).is_dir():
            raise ConfigError(f"page={page!r} given, a folder; the name of a file is expected")
        evidence = self.measure(settings, announce)
        record = {**evidence.record, "settings": as_options(settings)}
        evidence = replace(evidence, record=record)
        if self.has_claims and "claims" not in record:
            record["claims"] = judged(load_claims(self.package), evidence)
        record["seconds"] = time.perf_counter() - begun
        values = {"command": command, "explanation": EXPLANATION, **record, **self.texts(evidence)}
        draw = self._plot("draw")
        if page:
            self._write_page(Path(page), evidence, values)
        return Reproduction(
            as_data(record),
            self._document("report.md", values).splitlines(),
            evidence.arrays,
            {
                name: rows if isinstance(rows, Mapping) else columns_of(rows)
                for name, rows in evidence.tables.items()
                if rows
            },
            partial(draw, evidence) if draw else None,
        )

    def _document(self, name: str, values: Record) -> str:
        return rendered((files(self.package) / name).read_text(encoding="utf-8"), values)

    def _plot(self, name: str) -> Callable[[Evidence, Path], list[Path]] | None:
        """Return a function of the study's module ``plot``.

        The module is imported late: matplotlib is slow.
        """
        if not (files(self.package) / "plot.py").is_file():
            return None
        return getattr(import_module(f"{self.package}.plot"), name, None)

    def _write_page(self, file: Path, evidence: Evidence, values: Record) -> None:
        make_folder(file.parent)
        if draw := self._plot("draw_page") or self._plot("draw"):
            draw(evidence, file.parent / (self.figures or f"figures/{self.name}"))
        atomic_write(file, f"{self._document('page.md', values)}\n".encode())
