"""What a study hands to ``evo reproduce``, and how one that judges claims comes to that."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.page import Announce, checked_settings, columns_of, write_page
from tournaments.options import as_options


@dataclass(frozen=True)
class Reproduction:
    """What came of a study.

    Attributes:
        record: the JSON object; ``settings`` and ``seconds`` are among its keys.
        lines: the report for people.
        arrays: what ``NAME.npy`` holds, by name, such as policies.
        tables: columns of equal length of ``NAME.parquet``, by name.
        draw: draws the pictures into a folder and returns their paths; None: there are none.
    """

    record: Mapping[str, Any]
    lines: Sequence[str]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    draw: Callable[[Path], list[Path]] | None = None


Record = Mapping[str, Any]


@dataclass(frozen=True)
class JudgedStudy:
    """A study that measures, judges claims by that, and says both in a report and on a page.

    Attributes:
        name: of the study.
        measure: (settings, announce) -> the record, in which ``claims`` are named tuples.
        lines: the report for people, by the record.
        page: the paragraphs of the page, by the record.
        tables: lists of the record that are kept as tables.
        draw: draws the pictures into a folder; None: there are none.
        draw_page: draws those of the page; None: all of them.
        even: numbers of games among the settings that are played as matches of two.
    """

    name: str
    measure: Callable[[Any, Announce], Record]
    lines: Callable[[Record], Iterable[str]]
    page: Callable[[Record], Iterable[str]]
    tables: Sequence[str] = ()
    draw: Callable[[Record, Path], list[Path]] | None = None
    draw_page: Callable[[Record, Path], object] | None = None
    even: Sequence[str] = ()

    def reproduce(self, settings: Any, announce: Announce) -> Reproduction:
        """Measure all of it, and write the page if it was asked for.

        Raises:
            ConfigError: a setting that cannot be.
        """
        settings = checked_settings(settings, self.even)
        begun = time.perf_counter()
        record = dict(self.measure(settings, announce))
        record["claims"] = [claim._asdict() for claim in record["claims"]]
        record |= {"seconds": time.perf_counter() - begun, "settings": as_options(settings)}
        if settings.page:
            self._write_page(settings.page, record)
        tables = {name: columns_of(record[name]) for name in self.tables}
        draw = partial(self.draw, record) if self.draw else None
        return Reproduction(record, tuple(self.lines(record)), tables=tables, draw=draw)

    def _write_page(self, file: str, record: Record) -> None:
        draw = self.draw_page or self.draw
        figures = f"figures/{self.name}"
        into = (lambda folder: draw(record, folder / figures)) if draw else None
        write_page(file, self.page(record), into)
