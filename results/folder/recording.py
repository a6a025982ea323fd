"""The folder ``recording``: what a run learned from outside and cannot compute again.

These are outcomes of contests that do not repeat their scores, and answers of mutators. A record is
a JSON file, on the disk before the run uses it. Its name ends in a digest of its content.
"""

from __future__ import annotations

import bisect
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from results.errors import ResultsError
from results.folder.files import Place, atomic_write, json_of, make_folder, names_in, read_file

FOLDER = "recording"
MUTATIONS = "mutations-"
"""Beginning of the names of records of calls of a mutator."""
PROGRAMS = "programs"
"""Beginning of the name of the record of the first programs."""
DIGITS = 16
"""Number of hexadecimal digits of the digest in a name."""


def digest_of_parents(texts: Sequence[str]) -> str:
    """Return the digest of the texts of a child's parents, by which its request is known."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:DIGITS]


class Recording:
    """The records of a run. The folder is listed once, and its owner adds to it alone.

    Attributes:
        path: the folder of the records; None: they are kept in memory alone.
    """

    def __init__(self, run: Place | None = None) -> None:
        self.path: Any = None if run is None else run / FOLDER
        self._names: list[str] | None = None
        self._histories: dict[str, list[Any]] = {}

    def add(self, stem: str, content: Any) -> None:
        """Write a record, which is on the disk when this returns.

        Raises:
            ResultsError: the system refused.
        """
        data = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
        if self.path is not None:
            make_folder(self.path)
            name = f"{stem}-{hashlib.sha256(data).hexdigest()[:DIGITS]}.json"
            atomic_write(self.path / name, data, self.path.parent)
            place = bisect.bisect_left(self.names, name)
            if self.names[place : place + 1] != [name]:
                self.names.insert(place, name)
        for prefix, history in self._histories.items():
            if stem.startswith(prefix):
                history.append(content)

    @property
    def names(self) -> list[str]:
        """The names of the files of all records, ascending."""
        if self._names is None:
            names = [] if self.path is None else names_in(self.path)
            self._names = sorted(name for name in names if name.endswith(".json"))
        return self._names

    def of(self, prefix: str) -> list[Any]:
        """Return the records whose names begin with a text, in the order of their names.

        Raises:
            ResultsError: a record is damaged, or the system refused.
        """
        return [self.read(name) for name in self.names if name.startswith(prefix)]

    def history(self, prefix: str) -> list[Any]:
        """Return the records as :meth:`of` does, and after them the records that were added since.

        The folder is read once. The list grows as records are added.

        Raises:
            ResultsError: as of :meth:`of`.
        """
        if prefix not in self._histories:
            self._histories[prefix] = self.of(prefix)
        return self._histories[prefix]

    def read(self, name: str) -> Any:
        """Return the record in a file.

        Raises:
            ResultsError: the record is damaged, or the system refused.
        """
        data = read_file(self.path / name)
        digest = name.removesuffix(".json").rpartition("-")[2]
        try:
            if hashlib.sha256(data).hexdigest()[:DIGITS] == digest:
                return json_of(data)
            why = "its SHA-256 is not the one in its name"
        except ValueError as error:
            why = f"it is no JSON ({error})"
        raise ResultsError(
            f"{self.path / name} is damaged: {why}; restore it from a copy, or remove it, and what "
            "it records is done again"
        )

    def copy(self, other: Recording) -> None:
        """Write all records of another recording into this one."""
        make_folder(self.path)
        for name in other.names:
            other.read(name)
            atomic_write(self.path / name, read_file(other.path / name), self.path.parent)
