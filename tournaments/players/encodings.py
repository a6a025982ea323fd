"""Shared parts of genome encodings: rows of real numbers, seats of a game, files of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.player import CompiledPlayer, Representation, player_of


class RealNumbers(Representation):
    """Genomes of real numbers: float32, little-endian, four bytes a gene, within a limit.

    Attributes:
        limit: the greatest gene, of either sign.
    """

    limit: float

    @property
    def most(self) -> float:
        """The greatest float32 number within the limit of the genes."""
        limit = np.float32(self.limit)
        within = float(limit) <= self.limit  # numpy would round the other side to float32 first
        return float(limit if within else np.nextafter(limit, np.float32(0.0)))

    def nearest(self, numbers: np.ndarray) -> np.ndarray:
        """Return finite real numbers as the nearest float32 within the limit."""
        return np.clip(numbers, -self.most, self.most).astype(np.float32)

    def checked(self, numbers: np.ndarray) -> np.ndarray:
        """Return numbers as float32 genes after a check that they are within the limit.

        See :meth:`tournaments.player.Representation.checked`.

        Raises:
            TournamentError: a number is beyond the limit or is no number.
        """
        genes = numbers.astype(np.float32)
        if not (np.abs(genes) <= self.most).all():  # is False for NaN, too
            raise TournamentError(
                f"a genome has weights beyond its limit, +-{self.limit:g}, or that are no numbers"
            )
        return genes


class SeatNumbers(Representation):
    """Genomes that hold the numbers of one seat or of both, one seat after the other.

    Attributes:
        game: the game that is played.
        seats: the seats whose numbers a genome holds: ``(0,)``, ``(1,)``, or ``(0, 1)``. In a game
            with roles, ``(0, 1)`` has the first seat's numbers, then the second's. In other games
            both seats share the same numbers.
    """

    game: Game
    label: ClassVar[str] = ""

    @property
    def owners(self) -> tuple[int, ...]:
        """The seats with genes of their own. In games without roles, both seats share them."""
        return self.seats if self.game.rules.has_roles else self.seats[:1]

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of genes of each seat that has genes of its own."""
        raise NotImplementedError

    @property
    def num_genes(self) -> int:
        """The number of genes of a genome."""
        return sum(self.widths)

    @property
    def begins(self) -> list[int]:
        """Index of each seat's first gene in a genome, or -1 if the seat has no genes."""
        begins, starts = [-1, -1], np.cumsum([0, *self.widths]).tolist()
        for place, seat in enumerate(self.seats):
            begins[seat] = starts[place % len(self.owners)]
        return begins

    def from_outside(self, numbers: np.ndarray) -> np.ndarray:
        """Return the numbers of a file as genes after a check.

        Numbers that are never read may be wrong.
        """
        return self.checked(numbers)

    def hint(self, size: int) -> str:
        """Return a sentence that names the encodings with ``size`` genes, or an empty text."""
        return ""

    def for_game(self, game: Game) -> Representation:
        """Return the same encoding of genomes for another game.

        See :meth:`tournaments.player.Representation.for_game`.
        """
        return self if game == self.game else replace(self, game=game)  # type: ignore[type-var]

    def __str__(self) -> str:
        seats = " and the ".join(self.game.seats[seat] for seat in self.seats)
        return f"a {self.label} for the {seats} of {self.game.short_spec}"


def player_of_numbers(
    game: Game,
    file: str,
    numbers: np.ndarray,
    seat: str,
    encodings: Callable[[tuple[int, ...]], Iterable[SeatNumbers]],
    name: str = "",
) -> CompiledPlayer:
    """Return the player that the numbers of a file encode, by the encoding that fits.

    Args:
        game: the game that is played.
        file: the name of the file.
        numbers: an array of any shape.
        seat: the seat that the numbers are for; empty: the seat whose encoding fits.
        encodings: (seats) -> the possible encodings of the numbers of these seats.
        name: name of the player; by default the file.

    Raises:
        TournamentError: no encoding fits, or encodings of several seats fit.
    """
    if seat and seat not in game.seats:
        raise unknown(f"seat of {game.name}", seat, game.seats)
    whose: list[tuple[int, ...]] = [(0,), (1,), (0, 1)] if game.rules.has_roles else [(0, 1)]
    if seat:
        whose = [(game.seats.index(seat),)]
    row, known = numbers.reshape(1, -1), [one for seats in whose for one in encodings(seats)]
    fitting = [encoding for encoding in known if encoding.num_genes == row.size]
    if not fitting:
        first = {one.seats: one for one in reversed(known)}
        wanted = " or ".join(f"{one.num_genes:,} ({one})" for one in reversed(first.values()))
        raise TournamentError(
            f"{file}: holds {row.size:,} {known[0].unit}; {wanted} are expected"
            f"{known[0].hint(row.size)}"
        )
    found: dict[tuple[int, ...], tuple[SeatNumbers, np.ndarray]] = {}
    refused: dict[tuple[str, tuple[int, ...]], str] = {}  # one error per kind and seats
    for encoding in fitting:
        try:
            found.setdefault(encoding.seats, (encoding, encoding.from_outside(row)))
        except TournamentError as error:
            refused.setdefault((encoding.kind.name, encoding.seats), f"{file}: {error}")
    if not found:
        raise TournamentError("; ".join(refused.values()))
    if len(found) > 1:
        raise TournamentError(
            f"{file}: holds numbers that either seat could play; say whose they are: "
            f"{known[0].offer}={file},seat={game.seats[0]}"
        )
    ((encoding, row),) = found.values()
    return player_of(game, representation=encoding, numbers=row, name=name or file)
