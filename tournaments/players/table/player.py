"""Tables as players: of an evolved genome, or of a file made elsewhere.

A table looks its action up and draws nothing. There is a kind for each form of table that a game
offers (:mod:`tournaments.players.table.encoding`). A player holds the table of one seat, or of
both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.kernels import memoryless
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, Export, Kind, only_seat
from tournaments.players.files import read_array
from tournaments.players.table.encoding import TableEncoding, Tables
from tournaments.rules import TableForm


@cache
def kind_of(form: TableForm) -> Kind:
    """The kind of player that a form of table makes; it has the form's name."""
    return Kind(
        form.name,
        form.choose,
        begin=form.begin or memoryless.begin,
        watch=form.watch or memoryless.watch,
        memory=form.memory or memoryless.no_memory,
        draws=False,
        by_row=("tables",),
    )


@dataclass(frozen=True)
class TableGenomes:
    """Genomes that stand for tables; a :class:`tournaments.player.Representation`.

    Attributes:
        encoding: of the genomes.
        are_checked: whether rows were looked at before, as those are that evolution hands over.
    """

    encoding: TableEncoding
    are_checked: bool = False

    plays_variants: ClassVar[bool] = True

    @property
    def kind(self) -> Kind:
        return kind_of(self.encoding.rules)

    @property
    def seats(self) -> tuple[int, ...]:
        return self.encoding.seats

    def parameters(self, genomes: np.ndarray) -> Tables:
        """Packed genomes, ``[N, B]`` of uint8 or int8, as tables.

        Raises:
            TournamentError: rows of another width, or an action that is not legal.
        """
        tables = genomes.view(np.int8) if self.are_checked else self.encoding.checked(genomes)
        return Tables(tables, self.encoding.layout)

    def player(self, game: Game, genomes: Sequence[bytes], name: str) -> CompiledPlayer:
        """See :meth:`tournaments.player.Representation.player`."""
        seats = self.seats if len(genomes) == 1 else tuple(range(len(genomes)))
        encoding = replace(self.encoding, seats=seats)
        return player(game, genome=b"".join(genomes), encoding=encoding, name=name)

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """The actions of each seat, one after the other, in the shape that the form has."""
        encoding, form = self.encoding, self.encoding.rules
        genes = np.frombuffer(b"".join(genomes), dtype=np.int8)
        seats = genes.size // encoding.genes_a_seat
        shape = form.shape(game)
        shaped = genes.reshape((seats, *shape) if seats > 1 else shape) if shape else genes
        usual = {name: values[0] for name, values in form.options.items()}
        said = {name: one for name, one in encoding.options.items() if one != usual[name]}
        if seat := only_seat(game, self.seats, genomes):
            said["seat"] = seat
        options = [f"file={file}", *(f"{name}={value}" for name, value in said.items())]
        spec = f"table:{','.join(options)}"
        is_plain = not said and game.rules.network is None  # else a file is one of weights
        note = f"; they play as {file if is_plain else spec}"
        return Export(shaped, f"{genes.size:,} actions", note)


# --- by name -----------------------------------------------------------------------------------


def player(
    game: Game,
    *,
    file: str | Path | None = None,
    genome: bytes | np.ndarray | None = None,
    encoding: TableEncoding | Mapping[str, Any] | None = None,
    seat: str = "",
    name: str = "table",
    **options: str,
) -> CompiledPlayer:
    """A table from a genome with its encoding, or from a file.

    Args:
        game: what it plays.
        file: ``.npy`` or ``.json`` with whole numbers of any shape: the table of a seat, or of the
            first seat and then of the second.
        genome: a packed genome, in place of a file; it takes an encoding.
        encoding: of the genome, or the description of one (:meth:`TableEncoding.spec`).
        seat: whose table the file holds; by default the one seat of which it is legal.
        name: what tables of results call it; by default the file.
        options: of the form, such as ``far`` of a window-table.

    Raises:
        TournamentError: the file cannot be read, or holds no table for this game.
    """
    if (genome is None) == (file is None) or (genome is None) != (encoding is None):
        raise TournamentError(
            "a table player takes a file, or a genome with its encoding: "
            f"table:file=FILE.npy,seat={game.seats[0]}, or a run folder for its champion"
        )
    if file is not None:
        path = Path(str(file))
        words = {option: str(value) for option, value in options.items()}
        held, tables = _fitting(game, str(path), _read(path), seat, words)
        return _player(game, held, tables, str(path) if name == "table" else name)
    if seat or options:
        raise TournamentError(f"{seat or options!r} given; the encoding of a genome says that")
    held = encoding if isinstance(encoding, TableEncoding) else TableEncoding.from_spec(encoding)  # type: ignore[arg-type]
    row = np.frombuffer(genome, dtype=np.int8) if isinstance(genome, bytes) else np.asarray(genome)
    # The same form for this game: tables that fit are taken, others are refused by their width.
    encoding = TableEncoding(game, held.form, held.seats, held.options)
    return _player(game, encoding, row[None], name)


def _player(game: Game, encoding: TableEncoding, rows: np.ndarray, name: str) -> CompiledPlayer:
    genomes = TableGenomes(encoding)
    tables = genomes.parameters(rows)
    options = {"genome": tables.tables[0], "encoding": encoding}
    return CompiledPlayer(
        name, genomes.kind, game, tables, maker=player, options=options, seats=encoding.seats
    )


def _read(path: Path) -> np.ndarray:
    """The whole numbers of a file, in one row, ``[1, G]``."""
    numbers = read_array(path, "a file of a table", "a table")
    if numbers.dtype.kind not in "iu":
        raise TournamentError(f"{path}: holds {numbers.dtype}; a table has whole numbers, actions")
    return numbers.reshape(1, -1)


def _fitting(
    game: Game, where: str, row: np.ndarray, seat: str, options: Mapping[str, str]
) -> tuple[TableEncoding, np.ndarray]:
    """The encoding that a row from outside is of, and the row, int8 ``[1, G]``, as it takes it."""
    if seat and seat not in game.seats:
        raise unknown(f"seat of {game.name}", seat, game.seats)
    encodings = list(_encodings(game, seat, options))
    as_wide: dict[tuple[Any, ...], TableEncoding] = {}
    for encoding in encodings:
        if encoding.num_genes == row.shape[1]:  # in options alone differ those after the defaults
            as_wide.setdefault((encoding.form, encoding.seats), encoding)
    found, refused = [], []
    for encoding in as_wide.values() or encodings[:1]:
        try:
            found.append((encoding, encoding.from_outside(row)))
        except TournamentError as error:
            refused.append(f"{where}: {error}")
    if not found:
        raise TournamentError("; ".join(refused))
    seats = {encoding.seats for encoding, _ in found}
    if len(seats) > 1:
        raise TournamentError(
            f"{where}: holds a table that either seat could play; say whose it is: "
            f"table:file={where},seat={game.seats[0]}"
        )
    return found[0]


def _encodings(game: Game, seat: str, options: Mapping[str, str]) -> Iterator[TableEncoding]:
    """Every encoding that a file for this game may be of."""
    each = [(0,), (1,), (0, 1)] if game.rules.has_roles else [(0, 1)]
    whose = [(game.seats.index(seat),)] if seat else each
    refused = None
    some = False
    for form in game.rules.tables.values():
        names = [*form.options, *(name for name in options if name not in form.options)]
        values = [(options[name],) if name in options else form.options[name] for name in names]
        for seats, chosen in product(whose, product(*values)):
            try:
                yield TableEncoding(game, form.name, seats, dict(zip(names, chosen, strict=True)))
                some = True
            except TournamentError as error:  # of boards, or with options, that others take
                refused = error
    if refused is not None and not some:
        raise refused


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """A random pair of tables of each form that this board has."""
    for form in game.rules.tables:
        try:
            encoding = TableEncoding(game, form, (0, 1))
        except TournamentError:
            continue  # a form for other boards
        (genome,) = encoding.random(1, generator(0, "contract"))
        yield player(game, genome=genome, encoding=encoding, name=form)
