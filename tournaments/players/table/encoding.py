"""Genomes that are tables: an action for each situation that a form of table tells apart.

A gene is a situation, an allele an action that is legal there; a genome is the table of one seat,
or a *pair*: the first seat's table, then the second's. A game says by
:class:`tournaments.rules.TableForm` what its tables are (``Rules.tables``); :class:`TableEncoding`
is a form chosen for a game, with all that evolution needs to know of it. Only legal alleles are
ever played: rows are looked at before.

Letters: N genomes, G genes, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game, parse
from tournaments.rules import TableForm

MOST_GENES = 16_000_000
"""Of a seat."""
NO_ALLELE = -1
"""What fills a gene's row of alleles up."""


class Tables(NamedTuple):
    """Tables as the kernels of their form take them.

    Attributes:
        tables: int8 ``[N, G]``, actions.
        layout: int64: for each of the two seats where its table begins in a row, -1 where there is
            none; then the form's own constants.
    """

    tables: np.ndarray
    layout: np.ndarray


@dataclass(frozen=True)
class TableEncoding:
    """A form of table chosen for a game: what genomes are, and what they stand for.

    Attributes:
        game: what is played.
        form: the name of one of the game's forms.
        seats: whose tables a genome holds: ``(0,)``, ``(1,)``, or ``(0, 1)`` for a pair.
        options: of the form; those not given take their defaults.

    Raises:
        TournamentError: the game has no such form, or the form no such option.
    """

    game: Game
    form: str
    seats: tuple[int, ...]
    options: Mapping[str, str] = field(default_factory=dict, hash=False)

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
        """The form itself."""
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
    def num_genes(self) -> int:
        return self.genes_a_seat * len(self.owners)

    @property
    def owners(self) -> tuple[int, ...]:
        """The seats that have a table of their own in a genome; seats that are alike share one."""
        return self.seats if self.game.rules.has_roles else self.seats[:1]

    @property
    def num_bytes(self) -> int:
        """A gene takes a byte."""
        return self.num_genes

    @cached_property
    def alleles(self) -> np.ndarray:
        """The legal actions of each gene, rising, int8 ``[G, A]``; the rest of a row is -1.

        A gene that is never read has the one allele 0.
        """
        return np.concatenate(
            [_alleles(self.rules.legal(self.game, seat, self.options)) for seat in self.owners]
        )

    @cached_property
    def counts(self) -> np.ndarray:
        """How many alleles each gene has, int64 ``[G]``, from 1."""
        return np.count_nonzero(self.alleles != NO_ALLELE, axis=1)

    @cached_property
    def layout(self) -> np.ndarray:
        """See :class:`Tables`."""
        begins = [-1, -1]
        for place, seat in enumerate(self.seats):
            begins[seat] = place % len(self.owners) * self.genes_a_seat
        return np.array([*begins, *self.rules.constants(self.options)], dtype=np.int64)

    def random(self, individuals: int, rng: np.random.Generator) -> np.ndarray:
        """Tables of any legal alleles, each as likely as the others, int8 ``[N, G]``."""
        genomes = np.empty((individuals, self.num_genes), dtype=np.int8)
        for row in genomes:  # one at a time: the numbers drawn are eight times as large
            row[:] = self.alleles[np.arange(self.num_genes), rng.integers(self.counts)]
        return genomes

    def checked(self, genomes: np.ndarray) -> np.ndarray:
        """Genomes, or packed rows of them, int8 ``[N, G]``.

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
            raise self._of_another_width(genomes.shape[1])
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

    def _of_another_width(self, genes: int) -> TournamentError:
        forms = self.game.rules.tables.values()
        one = [form.fits(self.game, genes) for form in forms]
        pair = [] if genes % 2 else [form.fits(self.game, genes // 2) for form in forms]
        fitting = [f"a {what}" for what in one if what]
        fitting += [f"a pair, each a {what}" for what in pair if what]
        size = [
            str(self.game.options[side]) for side in ("rows", "cols") if side in self.game.options
        ]
        where = f", on {'x'.join(size)} cells," if size else ""
        return TournamentError(
            f"{genes} genes given; {self}{where} has {self.num_genes}"
            + (f". So many fit {', or '.join(fitting)}" if fitting else "")
        )

    def _illegal(self, gene: int, action: int) -> TournamentError:
        place, number = divmod(gene, self.genes_a_seat)
        alleles = self.alleles[gene, : self.counts[gene]].tolist()
        where = self.rules.describe(self.game, number, self.options)
        return TournamentError(
            f"action {action} given as gene {gene} of {self}: for the "
            f"{self.game.seats[self.seats[place]]} with {where} it must be one of {alleles}"
        )

    def from_outside(self, tables: np.ndarray) -> np.ndarray:
        """:meth:`checked` for tables made elsewhere: genes that are never read become 0.

        Raises:
            TournamentError: as :meth:`checked`.
        """
        tables = np.array(tables)
        if tables.ndim == 2 and tables.shape[1] == self.num_genes:
            tables[:, self.never_read] = 0
        return self.checked(tables)

    @cached_property
    def never_read(self) -> np.ndarray:
        """Which genes no situation of any game reads, bool ``[G]``."""
        legal = [self.rules.legal(self.game, seat, self.options) for seat in self.owners]
        return np.logical_not(np.concatenate(legal).any(axis=1))

    def policy(self, genome: np.ndarray, seat: int | str) -> np.ndarray:
        """A seat's table as :func:`tournaments.games.cat_and_mouse.solver.best_response` takes it.

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
            raise TournamentError(f"seat={seat!r} given; a genome here is {self}")
        (row,) = self.checked(np.asarray(genome).reshape(1, -1))
        begin = self.layout[int(number)]
        table = row[begin : begin + self.genes_a_seat]
        return self.rules.policy(self.game, int(number), table, self.options)

    def spec(self) -> dict[str, Any]:
        """What a reader of the genomes needs to decode them; JSON takes it."""
        return {
            "encoding": self.form,
            "game": self.game.spec,
            "seats": [self.game.seats[seat] for seat in self.seats],
            "genes": self.num_genes,
            "bytes": self.num_bytes,
            **self.options,
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> TableEncoding:
        """The encoding that :meth:`spec` describes.

        Raises:
            TournamentError: a description of no table, or of one with another number of genes.
        """
        rest = dict(spec)
        try:
            game, form = parse(rest.pop("game")), rest.pop("encoding")
            seats = tuple(game.seats.index(seat) for seat in rest.pop("seats"))
            genes, _ = rest.pop("genes"), rest.pop("bytes")
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, TournamentError):
                raise
            raise TournamentError(
                f"{dict(spec)!r} describes no table ({error}): encoding, game, seats, genes and "
                "bytes are expected"
            ) from None
        encoding = cls(game, form, seats, rest)
        if genes != encoding.num_genes:
            raise TournamentError(f"genes={genes} given; {encoding} has {encoding.num_genes}")
        return encoding

    def __str__(self) -> str:
        seats = " and the ".join(self.game.seats[seat] for seat in self.seats)
        chosen = "".join(f", {name}={value}" for name, value in self.options.items())
        return f"a {self.form}{chosen}, for the {seats} of {self.game.short_spec}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.form, self.seats, dict(self.options))


def _alleles(legal: np.ndarray) -> np.ndarray:
    """Of bool ``[G, A]`` the places of what is true, int8 ``[G, A]``; 0 where nothing is."""
    alleles = np.full(legal.shape, NO_ALLELE, dtype=np.int8)
    filled = np.zeros(len(legal), dtype=np.int64)
    for action in range(legal.shape[1]):
        genes = np.flatnonzero(legal[:, action])
        alleles[genes, filled[genes]] = action
        filled[genes] += 1
    alleles[filled == 0, 0] = 0
    return alleles
