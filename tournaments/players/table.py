"""``table``: policy tables, an action for each situation that a form of table distinguishes.

A gene is a situation, an allele is an action that is legal there. A genome is the table of one
seat, or a *pair*: the first seat's table, then the second's. A game describes its tables by
:class:`tournaments.rules.TableForm` (``Rules.tables``). :class:`TableEncoding` is a form chosen for
a game. Only legal alleles are ever played, because rows are checked before. A table looks its
action up and draws no random number. Each form is a kind of player.

Letters: N genomes, G genes, A actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.kernels import memoryless
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, Kind, Representation, player_of
from tournaments.players.encodings import SeatNumbers, player_of_numbers
from tournaments.players.files import read_array
from tournaments.rules import PlayerOffer, TableForm

MOST_GENES = 16_000_000
"""The greatest number of genes of a seat."""
NO_ALLELE = -1
"""Padding of a gene's row of alleles."""


class Tables(NamedTuple):
    """Policy tables in the form that kernels read.

    Attributes:
        tables: int8 ``[N, G]``, actions.
        layout: int64: for each of the two seats where its table begins in a row, -1 where there is
            none; then the form's own constants.
    """

    tables: np.ndarray
    layout: np.ndarray


@cache
def kind_of(form: TableForm) -> Kind:
    """Return the kind of player of a form of policy table. The kind has the form's name."""
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
class TableEncoding(SeatNumbers):
    """A form of policy table for a game: the genomes, and the players that they stand for.

    Attributes:
        game: what is played.
        form: the name of one of the game's forms.
        seats: whose tables a genome holds: ``(0,)``, ``(1,)``, or ``(0, 1)`` for a pair.
        options: of the form; those not given take their defaults.
        is_checked: whether rows are legal already, as those of evolution are.

    Raises:
        TournamentError: the game has no such form, or the form no such option.
    """

    game: Game
    form: str
    seats: tuple[int, ...]
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    is_checked: bool = field(default=False, compare=False)

    dtype: ClassVar[np.dtype[Any]] = np.dtype(np.int8)
    numbers: ClassVar[str] = "policies"
    plays_variants: ClassVar[bool] = True
    offer: ClassVar[str] = "table:file"
    unit: ClassVar[str] = "actions"

    def __post_init__(self) -> None:
        forms = self.game.rules.tables
        if not forms:
            raise TournamentError(f"{self.game.name} offers no tables (Rules.tables)")
        if self.form not in forms:
            raise unknown(f"table of {self.game.name}", self.form, forms)
        if self.seats not in ((0,), (1,), (0, 1)):
            raise TournamentError(
                f"seats={self.seats!r} given; (0,), (1,) or, for a pair of tables, (0, 1) is "
                "expected"
            )
        known = self.rules.options
        for name, value in self.options.items():
            if name not in known:
                raise unknown(f"option of {self.form}", name, known)
            if value not in known[name]:
                raise unknown(f"{name} of {self.form}", value, known[name])
        defaults = {name: values[0] for name, values in known.items()}
        object.__setattr__(self, "options", {**defaults, **self.options})
        _ = self.genes_a_seat  # refuses a game that has no such table, before any work

    @property
    def rules(self) -> TableForm:
        """The form of policy table that the game offers under this name."""
        return self.game.rules.tables[self.form]

    @cached_property
    def genes_a_seat(self) -> int:
        genes = self.rules.num_genes(self.game, self.options)
        if genes > MOST_GENES:
            raise TournamentError(
                f"a {self.form} for {self.game.spec} has {genes:,} genes a seat; at most "
                f"{MOST_GENES:,} are taken: choose a smaller board or fewer pieces"
            )
        return genes

    @property
    def label(self) -> str:  # type: ignore[override]
        """Name of the form of policy table with its options, for messages."""
        return self.form + "".join(f", {name}={value}," for name, value in self.options.items())

    @property
    def kind(self) -> Kind:
        """The kind of player of policy tables.

        See :attr:`tournaments.player.Representation.kind`.
        """
        return kind_of(self.rules)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of genes of each seat's policy table.

        See :attr:`tournaments.players.encodings.SeatNumbers.widths`.
        """
        return (self.genes_a_seat,) * len(self.owners)

    @cached_property
    def alleles(self) -> np.ndarray:
        """The legal actions of each gene of a policy table, rising, int8 ``[G, A]``.

        The rest of a row is -1. A gene that is never read has the one allele 0.
        """
        return np.concatenate(
            [_alleles(self.rules.legal(self.game, seat, self.options)) for seat in self.owners]
        )

    @cached_property
    def counts(self) -> np.ndarray:
        """Number of legal actions of each gene of a policy table, int64 ``[G]``, at least 1."""
        return np.count_nonzero(self.alleles != NO_ALLELE, axis=1)

    def parameters(self, genomes: np.ndarray) -> Tables:
        """Return the tables of packed genomes as the parameters that kernels read.

        See :meth:`tournaments.player.Representation.parameters`.
        """
        return self.from_numbers(genomes.view(np.int8) if self.is_checked else self.decode(genomes))

    def genes(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes of policy tables as actions, int8 ``[N, G]``."""
        return self.checked(genomes)  # which says what rows of another width would fit

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes of policy tables as actions, int8 ``[N, G]``.

        See :meth:`tournaments.player.Representation.decode`.
        """
        return self.genes(genomes)

    def from_numbers(self, numbers: np.ndarray) -> Tables:
        """Return policy tables, int8 ``[N, G]``, as the parameters that kernels read."""
        layout = np.array([*self.begins, *self.rules.constants(self.options)], dtype=np.int64)
        return Tables(numbers, layout)

    def for_game(self, game: Game) -> Representation:
        """Return the same form of policy tables for a game, in which other actions may be legal."""
        return replace(self, game=game, is_checked=False)

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Return random policy tables, int8 ``[N, G]``: any legal actions, equally likely."""
        genomes = np.empty((individuals, self.num_genes), dtype=np.int8)
        for row in genomes:  # one at a time: the numbers drawn are eight times as large
            row[:] = self.alleles[np.arange(self.num_genes), rng.integers(self.counts)]
        return genomes

    def checked(self, genomes: np.ndarray) -> np.ndarray:
        """Return genomes of policy tables, or packed rows of them, as int8 ``[N, G]`` if legal.

        Raises:
            TournamentError: rows of another width (the message says what such a row fits), or an
                action that is not legal where it stands.
        """
        genomes = np.asarray(genomes)
        if genomes.ndim != 2 or genomes.dtype.kind not in "iu":
            raise TournamentError(
                f"genomes of shape {genomes.shape}, {genomes.dtype}, given; rows of "
                f"{self.num_genes} whole numbers are expected"
            )
        if genomes.shape[1] != self.num_genes:
            raise TournamentError(
                f"{genomes.shape[1]} genes given; {self} has {self.num_genes}"
                f"{self.hint(genomes.shape[1])}"
            )
        if genomes.dtype == np.uint8:  # as rows are packed
            genomes = genomes.view(np.int8)
        legal = np.zeros(genomes.shape, dtype=bool)
        for allele in self.alleles.T:
            legal |= genomes == allele
        legal &= genomes != NO_ALLELE
        if not legal.all():
            row, gene = (int(number) for number in np.argwhere(~legal)[0])
            raise self._illegal(gene, int(genomes[row, gene]))
        return genomes.astype(np.int8, order="C")

    def hint(self, size: int) -> str:
        """Return a sentence that names the forms of policy table with ``size`` genes.

        See :meth:`tournaments.players.encodings.SeatNumbers.hint`.
        """
        forms = self.game.rules.tables.values()
        fitting = [f"a {what}" for form in forms if (what := form.fits(self.game, size))]
        if size % 2 == 0:
            pairs = (form.fits(self.game, size // 2) for form in forms)
            fitting += [f"a pair, each a {what}" for what in pairs if what]
        return f". So many fit {', or '.join(fitting)}" if fitting else ""

    def _illegal(self, gene: int, action: int) -> TournamentError:
        place, number = divmod(gene, self.genes_a_seat)
        alleles = self.alleles[gene, : self.counts[gene]].tolist()
        where = self.rules.describe(self.game, number, self.options)
        return TournamentError(
            f"action {action} given as gene {gene} of {self}: for the "
            f"{self.game.seats[self.seats[place]]} with {where} it must be one of {alleles}"
        )

    def from_outside(self, tables: np.ndarray) -> np.ndarray:
        """Return policy tables made elsewhere after :meth:`checked`; genes never read become 0.

        Raises:
            TournamentError: as :meth:`checked`.
        """
        tables = np.array(tables)
        if tables.ndim == 2 and tables.shape[1] == self.num_genes:
            tables[:, self.never_read] = 0
        return self.checked(tables)

    @cached_property
    def never_read(self) -> np.ndarray:
        """Which genes of a policy table no situation of any game reads, bool ``[G]``."""
        legal = [self.rules.legal(self.game, seat, self.options) for seat in self.owners]
        return np.logical_not(np.concatenate(legal).any(axis=1))

    def policy(self, genome: np.ndarray, seat: int | str) -> np.ndarray:
        """Return a seat's policy table in the form that the exact play of the game takes.

        For cat and mouse see :func:`tournaments.games.cat_and_mouse.solver.best_response`.

        Args:
            genome: one genome, ``[G]``.
            seat: 0 or 1, or its name.

        Returns:
            int8 ``[cells, cells]``.

        Raises:
            TournamentError: as :meth:`checked`; the genome has no table of this seat, or the game
                has more than two pieces.
        """
        number = self.game.seats.index(seat) if seat in self.game.seats else seat
        if number not in self.seats:
            raise TournamentError(f"seat={seat!r} given; the genome, {self}, has no such table")
        (row,) = self.checked(np.asarray(genome).reshape(1, -1))
        begin = self.begins[int(number)]
        table = row[begin : begin + self.genes_a_seat]
        return self.rules.policy(self.game, int(number), table, self.options)

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json``."""
        return {
            "encoding": self.form,
            "game": self.game.spec,
            "seats": [self.game.seats[seat] for seat in self.seats],
            "genes": self.num_genes,
            "bytes": self.num_bytes,
            **self.options,
        }

    def file_options(self, game: Game, file: str) -> dict[str, Any]:
        """Return the options with which a player reads an exported table: those of its form.

        Options with their default value are left out. See
        :meth:`tournaments.player.Representation.file_options`.
        """
        usual = self.rules.options
        return {name: one for name, one in self.options.items() if one != usual[name][0]}

    def is_named_by_file(self, game: Game) -> bool:
        """Return whether the name of a file without options is a policy table in this game.

        It is a network in games that have networks.
        """
        return game.rules.network is None

    def shaped(self, numbers: np.ndarray) -> np.ndarray:
        """Return the actions of each seat's policy table in the shape that the form has."""
        shape = self.rules.shape(self.game)
        owners = (len(self.owners),) if len(self.owners) > 1 else ()
        return numbers.reshape(*owners, *shape) if shape else numbers


def _alleles(legal: np.ndarray) -> np.ndarray:
    """Return the legal actions of each gene, rising, int8 ``[G, A]``, from bool ``[G, A]``.

    The rest of a row is -1. A gene without legal actions has the allele 0.
    """
    alleles = np.full(legal.shape, NO_ALLELE, dtype=np.int8)
    filled = np.zeros(len(legal), dtype=np.int64)
    for action in range(legal.shape[1]):
        genes = np.flatnonzero(legal[:, action])
        alleles[genes, filled[genes]] = action
        filled[genes] += 1
    alleles[filled == 0, 0] = 0
    return alleles


# --- by name -----------------------------------------------------------------------------------


def player(
    game: Game, *, file: str | Path, seat: str = "", name: str = "", **options: str
) -> CompiledPlayer:
    """Return a player that follows the policy table of a file.

    Args:
        game: the game that is played.
        file: ``.npy`` or ``.json`` with whole numbers of any shape: the table of a seat, or of the
            first seat and then of the second.
        seat: the seat whose table the file holds; by default the one seat of which it is legal.
        name: name of the player; by default the file.
        options: options of the form, such as ``far`` of a window-table.

    Raises:
        TournamentError: the file cannot be read, or holds no table for this game.
    """
    numbers = read_array(Path(file), "a file of a table", "a table")
    if numbers.dtype.kind not in "iu":
        raise TournamentError(f"{file}: holds {numbers.dtype}; a table has whole numbers, actions")
    words = {option: str(value) for option, value in options.items()}
    return player_of_numbers(
        game, str(file), numbers, seat, lambda seats: _encodings(game, seats, words), name
    )


def _encodings(
    game: Game, seats: tuple[int, ...], options: Mapping[str, str]
) -> Iterator[TableEncoding]:
    """Yield every encoding that a file of policy tables of these seats may have."""
    refused, some = None, False
    for form in game.rules.tables.values():
        names = [*form.options, *(name for name in options if name not in form.options)]
        values = [(options[name],) if name in options else form.options[name] for name in names]
        for chosen in product(*values):
            try:
                yield TableEncoding(game, form.name, seats, dict(zip(names, chosen, strict=True)))
                some = True
            except TournamentError as error:  # of boards, or with options, that others take
                refused = error
    if refused is not None and not some:
        raise refused


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """Yield players with random policy tables, one of each form that this game has."""
    for form in game.rules.tables:
        try:
            encoding = TableEncoding(game, form, (0, 1))
        except TournamentError:
            continue  # a form for other boards
        genomes = encoding.random(1, generator(0, "contract"))
        yield player_of(game, representation=encoding, numbers=genomes, name=form)


PLAYER = PlayerOffer(
    "an evolved table or a file of one: table:file=FILE.npy,seat=cat",
    player,
    lambda game: bool(game.rules.tables),
    of_file="file",
    samples=samples,
)
