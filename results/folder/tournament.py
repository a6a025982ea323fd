"""The folder of a tournament: the matches that were played, in parts, and the ratings.

    TOURNAMENT/
      tournament.json          game, players, seed, schedule, versions
      pairs/part-000001-DIGEST.parquet    one row a pair and stretch of its matches
      ratings.parquet          one row a player
      history.parquet          one row a submission and night, of a league
      .seed                    a secret seed, until the games are over and tournament.json has it

Each file is written atomically, so no game is lost or counted twice.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from results.errors import DamagedError, ResultsError, shown
from results.folder import faults
from results.folder.files import (
    Place,
    atomic_write,
    exists,
    is_folder,
    lock_run,
    make_folder,
    names_in,
    place_of,
    read_json,
    remove,
    sweep_temporaries,
    write_json,
)
from results.folder.parquet import parquet_files, read_folder, read_part, write_part
from results.format import tables
from results.format.limits import count_in
from results.format.metadata import check_info
from results.format.tables import frame_of, joined
from results.storage.base import released_on_error

if TYPE_CHECKING:
    import pandas as pd

TOURNAMENT_FILE = "tournament.json"
SECRET_FILE = ".seed"
TOURNAMENT_VERSION = 1
"""The version of the layout of these folders."""
PAIRS, TABLES, RATINGS, HISTORY = "pairs", "tables", "ratings", "history"
LEAGUE_FILES = ("index.html", "league.csv")
"""The files that ``evo league`` writes into the folder, the page first."""
_PART = re.compile(r"part-(\d{6,10})(?:-[0-9a-f]{16})?\.parquet")
_FIELDS = {"game": str, "games": int, "schedule": str, "players": dict}


def holds_tournament(folder: str | os.PathLike[str] | Place) -> bool:
    """Whether a folder is the folder of a tournament."""
    return exists(place_of(folder) / TOURNAMENT_FILE)


def open_tournament(path: str | os.PathLike[str]) -> Tournament:
    """Return the tournament in the folder ``path``.

    Raises:
        ResultsError: no folder, no tournament, or a tournament of another version.
    """
    return Tournament(place_of(path))


class Tournament:
    """A reader of a tournament's folder. Each access reads the files again.

    Attributes:
        path: the folder.
        info: the content of ``tournament.json``.
    """

    def __init__(self, path: Place) -> None:
        """Read ``tournament.json``; see ``open_tournament``."""
        self.path = path
        self.info = read_tournament_info(path)

    def _repr_html_(self) -> str:
        return import_module("results.plots.notebook").html_of_tournament(self)

    def __repr__(self) -> str:
        """Return the call that opens this tournament, as text."""
        return f"open_tournament({str(self.path)!r})"

    @property
    def pairs(self) -> pd.DataFrame:
        """The table ``pairs``: a row per pair of players and part of its matches, as played.

        Of games of more than two players, a row per pair with all games that it shared.
        """
        rows = tables.table_of_rows(PAIRS, pairs_of_tables(self._table_rows()))
        return frame_of(joined(PAIRS, [_pairs(self.path), rows]))

    @property
    def tables(self) -> pd.DataFrame:
        """The table ``tables``: a row per player and game of more than two players."""
        return frame_of(joined(TABLES, read_folder(self.path / TABLES)))

    def _table_rows(self) -> list[dict[str, Any]]:
        return joined(TABLES, read_folder(self.path / TABLES)).to_pylist()

    @property
    def ratings(self) -> pd.DataFrame:
        """The table ``ratings``: a row per player, the best first; no rows before the end.

        Raises:
            ResultsError: the file is damaged or of another tournament, or the system refused.
        """
        try:
            table = read_part(RATINGS, self.path / f"{RATINGS}.parquet").table
            check_rated(self.path, table)
            return frame_of(table)
        except FileNotFoundError:
            return frame_of(joined(RATINGS, []))

    @property
    def history(self) -> pd.DataFrame:
        """The table ``history`` of a league: a row per submission and night.

        Raises:
            ResultsError: the file is damaged.
        """
        return frame_of(_history(self.path))

    @property
    def faults(self) -> pd.DataFrame:
        """The table ``faults`` of the tournament: a row per game that a player lost by a fault."""
        return faults.faults_of(self.path)

    @property
    def cross_table(self) -> pd.DataFrame:
        """The cross table: share of the points of the row's player against the column's player.

        NaN marks pairs that did not meet.

        Raises:
            ResultsError: there are games of unknown players, or a part is damaged.
        """
        rows = self.by_player()
        points, games = rows["wins"] + rows["draws"] / 2, rows[["wins", "draws", "losses"]]
        return self._shares(rows.assign(points=points, games=games.sum(axis=1)))

    @property
    def wins_by_seat(self) -> dict[str, pd.DataFrame]:
        """The share of games that each player won in the ``first`` seat, and in the ``second``.

        Each cell is the share won by the row's player against the column's. NaN marks pairs that
        did not meet.

        Raises:
            ResultsError: as for :attr:`cross_table`.
        """
        rows = self.by_player()
        rows, in_first = rows.assign(games=rows["games"] // 2), rows["wins_first"]
        return {
            "first": self._shares(rows.assign(points=in_first)),
            "second": self._shares(rows.assign(points=rows["wins"] - in_first)),
        }

    def by_player(self) -> pd.DataFrame:
        """Return the rows of ``pairs`` of a tournament, and each again with the players swapped.

        Raises:
            ResultsError: as for :attr:`cross_table`.
        """
        import pandas as pd

        rows = self.pairs
        if strange := {*rows["player"], *rows["opponent"]} - self.info["players"].keys():
            raise ResultsError(
                f"{self.path / PAIRS} has games of {shown(min(strange))}, who is not among the "
                f"players in {TOURNAMENT_FILE}; move what is of another tournament away"
            )
        swapped = {"player": "opponent", "opponent": "player", "wins": "losses", "losses": "wins"}
        in_first = rows["losses"] - rows["losses_first"]  # which the player lost in the second
        return pd.concat([rows, rows.rename(columns=swapped).assign(wins_first=in_first)])

    def _shares(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the points per game of each player (row) against each other player (column).

        ``rows`` are games of pairs of players, each from the side of its player.
        """
        names = list(self.info["players"])
        sums = rows.groupby(["player", "opponent"])[["points", "games"]].sum().astype(float)
        shares = (sums["points"] / sums["games"]).unstack()
        return shares.reindex(index=names, columns=names).rename_axis(index=None, columns=None)


class TournamentWriter:
    """A writer of a tournament's folder, which holds the folder's lock until it is closed.

    Attributes:
        path: the folder.
        info: the content of ``tournament.json``; None if it has not been written yet.
        pairs: the columns of the table ``pairs`` when the writer was opened.
        tables: the rows of the table ``tables`` at that time.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Create the folder of a tournament if it is missing, and lock it for writing.

        Raises:
            ResultsError: the folder holds other files, another process writes it, or a part is
                damaged.
        """
        self.path = place_of(path)
        has_info = exists(self.path / TOURNAMENT_FILE)
        if not has_info and is_folder(self.path) and _strange(self.path):
            raise ResultsError(
                f"{self.path} holds {_strange(self.path)[0]}, but no {TOURNAMENT_FILE}; give a new "
                "folder, or that of a tournament"
            )
        make_folder(self.path / PAIRS)
        self._lock = lock_run(self.path)
        with released_on_error(self._lock):
            sweep_temporaries([self.path, self.path / PAIRS, self.path / TABLES])
            self.info = read_tournament_info(self.path) if has_info else None
            self.pairs = tables.columns_of(_pairs(self.path))
            self.tables = joined(TABLES, read_folder(self.path / TABLES)).to_pylist()
            files = [*parquet_files(self.path / PAIRS), *parquet_files(self.path / TABLES)]
            self._part = max(map(_number, files), default=0)

    def write_info(self, info: Mapping[str, Any]) -> None:
        """Write ``tournament.json``, the description. Raise ResultsError if the system refuses."""
        self.info = {"schema_version": TOURNAMENT_VERSION, **info}
        write_json(self.path / TOURNAMENT_FILE, self.info)

    @property
    def secret_seed(self) -> int | None:
        """The secret seed of the tournament's unfinished games; None without such games.

        Setting it stores the seed in a file that only its owner can read, so that an interrupted
        tournament can go on. Setting it to None removes the file.

        Raises:
            ResultsError: the file is damaged, or the system refused.
        """
        file = self.path / SECRET_FILE
        if not exists(file):
            return None
        seed = read_json(file)
        if not isinstance(seed, int):
            raise ResultsError(f"{file} holds {shown(seed)}; a whole number is expected: remove it")
        return seed

    @secret_seed.setter
    def secret_seed(self, seed: int | None) -> None:
        file = self.path / SECRET_FILE
        if seed is None:
            remove([file])
            return
        mask = os.umask(0o077)  # a temporary file, too, is its owner's alone
        try:
            write_json(file, seed)
        finally:
            os.umask(mask)

    def add_pairs(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows of the table ``pairs`` of a tournament into a new file.

        They are on the disk when this returns.
        """
        self._add(PAIRS, rows)

    def add_tables(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows of the table ``tables``, all of each group, into a new file.

        They are on the disk when this returns.
        """
        make_folder(self.path / TABLES)
        self._add(TABLES, rows)

    def _add(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        self._part += 1
        table = tables.table_of_rows(name, rows)
        data = tables.encode(table, {"schema_version": str(TOURNAMENT_VERSION)})
        write_part(self.path / name, f"part-{self._part:06d}", data)

    def write_ratings(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Replace the table ``ratings`` of a tournament by these rows."""
        texts = {"schema_version": str(TOURNAMENT_VERSION), PAIRS: _parts_text(self.path)}
        data = tables.encode(tables.table_of_rows(RATINGS, rows), texts)
        atomic_write(self.path / f"{RATINGS}.parquet", data)

    @property
    def history(self) -> pa.Table:
        """The table ``history``, which is empty before the first night of a league.

        Raises:
            ResultsError: the file is damaged, or the system refused.
        """
        return _history(self.path)

    def add_to_history(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows to the table ``history``. A rank of None is stored as null."""
        new = [{**row, "rank": row["rank"] or -1} for row in rows]
        table = joined(HISTORY, [self.history, tables.table_of_rows(HISTORY, new)])
        atomic_write(self.path / f"{HISTORY}.parquet", tables.encode(table))

    def close(self) -> None:
        """Release the lock of the tournament's folder. A second call does nothing."""
        self._lock.release()


def _history(path: Place) -> pa.Table:
    try:
        return read_part(HISTORY, path / f"{HISTORY}.parquet").table
    except FileNotFoundError:
        return joined(HISTORY, [])


def read_tournament_info(path: Place) -> dict[str, Any]:
    """Return the checked content of ``tournament.json``, from the folder of a tournament.

    Raises:
        ResultsError: the file is missing, or its content is not valid.
    """
    file = path / TOURNAMENT_FILE
    try:
        info = read_json(file)
    except OSError as error:
        raise ResultsError(
            f"{path} holds no {TOURNAMENT_FILE}; give the folder that evo tournament --out made"
        ) from error
    check_info(file, info, TOURNAMENT_VERSION, _FIELDS)
    return info


def _pairs(path: Place) -> pa.Table:
    """Return all rows of the table ``pairs`` of a tournament, in the order of writing."""
    return joined(PAIRS, read_folder(path / PAIRS))


def pairs_of_tables(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of ``pairs`` that follow from rows of ``tables``, one per pair of players.

    A player won a game against another one if its score is greater. Results by seat are 0.
    """
    games: dict[tuple[str, int, int], list[tuple[str, float]]] = {}
    for row in rows:
        at = row["group"], row["match"], row["game"]
        score = float("nan") if row["score"] is None else row["score"]
        games.setdefault(at, []).append((row["player"], score))
    counts: dict[tuple[str, str], list[int]] = {}
    for of_game in games.values():
        for (player, own), (opponent, other) in combinations(sorted(of_game), 2):
            met = counts.setdefault((player, opponent), [0, 0, 0, 0])
            for place, is_so in enumerate((True, own > other, own == other, own < other)):
                met[place] += is_so
    names = ("games", "wins", "draws", "losses")
    in_seats = dict.fromkeys(("first_match", "wins_first", "draws_first", "losses_first"), 0)
    return [
        {"round": 1, "player": a, "opponent": b, **in_seats, **dict(zip(names, met, strict=True))}
        for (a, b), met in sorted(counts.items())
    ]


def _number(part: Place) -> int:
    match = _PART.fullmatch(part.name)
    return int(match[1]) if match else -1


def _strange(path: Place) -> list[str]:
    """Return the names of files that keep a folder from becoming that of a new tournament."""
    has_games = parquet_files(path / PAIRS) or parquet_files(path / TABLES)
    ours = set() if has_games else {PAIRS, TABLES, faults.FOLDER}
    names = set(names_in(path)) - ours
    return sorted(name for name in names if name[0] != ".")


def _parts_text(path: Place, count: int | None = None) -> str:
    """Return a text that identifies files of a tournament's ``pairs``: their number and a digest.

    The digest is that of the names of the first ``count`` files (None: of all).
    """
    files = [*parquet_files(path / PAIRS), *parquet_files(path / TABLES)]
    names = [part.name for part in files][:count]
    return f"{len(names)} {hashlib.sha256(' '.join(names).encode()).hexdigest()}"


def check_rated(path: Place, ratings: pa.Table) -> None:
    """Raise DamagedError if the ratings in a tournament's folder were computed from other games."""
    text = tables.metadata_of(ratings).get(PAIRS, "")
    if text != _parts_text(path, count_in(text.partition(" ")[0])):
        raise DamagedError(
            f"{path / RATINGS}.parquet has ratings from other games than those in {PAIRS}/; the "
            "same evo tournament writes it again"
        )
