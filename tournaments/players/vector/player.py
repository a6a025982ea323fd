"""Vectors as players: of an evolved genome, or of a file.

A player holds the numbers of one seat, or of both: of a game with roles the file then has those of
the first seat and then those of the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, Export, Kind, only_seat
from tournaments.players.files import read_array
from tournaments.players.vector.encoding import VectorEncoding, Vectors


@dataclass(frozen=True)
class VectorGenomes:
    """Genomes that stand for vectors; a :class:`tournaments.player.Representation`."""

    encoding: VectorEncoding

    plays_variants: ClassVar[bool] = False

    @property
    def kind(self) -> Kind:
        return self.encoding.rules.kind

    @property
    def seats(self) -> tuple[int, ...]:
        return self.encoding.seats

    def parameters(self, genomes: np.ndarray) -> Vectors:
        """Packed genomes, ``[N, B]``, as the kernels take them.

        Raises:
            TournamentError: rows of another width, or numbers beyond the limit.
        """
        return self.encoding.vectors(self.encoding.decode(genomes))

    def player(self, game: Game, genomes: Sequence[bytes], name: str) -> CompiledPlayer:
        """See :meth:`tournaments.player.Representation.player`."""
        seat = only_seat(game, self.seats, genomes)
        return player(
            game, weights=_numbers(genomes), form=self.encoding.form, seat=seat, name=name
        )

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """The numbers of each seat, one after the other."""
        numbers = _numbers(genomes)
        said = [f"file={file}"]
        if self.encoding.form != next(iter(game.rules.vectors)):
            said.append(f"form={self.encoding.form}")
        if seat := only_seat(game, self.seats, genomes):
            said.append(f"seat={seat}")
        note = f"; they play as vector:{','.join(said)}"
        return Export(numbers, f"{numbers.size} numbers", note)

    def program(self, game: Game, genomes: Sequence[bytes], name: str) -> str:
        """The text of a program of this name that goes by these numbers.

        Raises:
            TournamentError: the game's form offers none.
        """
        programs = self.encoding.rules.programs
        if name not in programs:
            offered = ", ".join(programs) or "nothing else"
            raise TournamentError(
                f"{name} given; {self.encoding.form} of {game.name} becomes {offered}, a run of a "
                "game whose vectors become it is expected"
            )
        return programs[name](game, _numbers(genomes))


def _numbers(genomes: Sequence[bytes]) -> np.ndarray:
    """The numbers of packed genomes, one after the other, float64."""
    return np.frombuffer(b"".join(genomes), dtype="<f4").astype(np.float64)


def player(
    game: Game,
    *,
    file: str | Path | None = None,
    weights: Sequence[float] | np.ndarray | None = None,
    form: str = "",
    seat: str = "",
    name: str = "vector",
) -> CompiledPlayer:
    """A player that goes by numbers.

    Args:
        game: what it plays.
        file: ``.npy`` or ``.json`` with the numbers.
        weights: the numbers, in place of a file.
        form: one of the game's; by default its first.
        seat: whose numbers they are; empty: of all seats, one after the other.
        name: what tables of results call it; by default the file.

    Raises:
        TournamentError: the file cannot be read, or holds no such numbers.
    """
    if (weights is None) == (file is None):
        raise TournamentError(
            f"a vector player takes a file: vector:file=FILE.npy,seat={game.seats[0]}, or a run "
            "folder for its champion"
        )
    if file is not None:
        weights = read_array(Path(str(file)), "a file of a vector", "a vector")
        name = str(file) if name == "vector" else name
    row = _checked_numbers(np.asarray(weights), name)
    if seat and seat not in game.seats:
        raise unknown(f"seat of {game.name}", seat, game.seats)
    form = form or next(iter(game.rules.vectors))
    seats = (game.seats.index(seat),) if seat else (0, 1)
    vectors = _split(game, form, seats, row, name)
    options = {"weights": row, "form": form, "seat": seat, "name": name}
    kind = game.rules.vectors[form].kind
    return CompiledPlayer(name, kind, game, vectors, maker=player, options=options, seats=seats)


def _checked_numbers(numbers: np.ndarray, name: str) -> np.ndarray:
    if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
        raise TournamentError(f"{name}: holds something other than finite numbers")
    return numbers.astype(np.float64).reshape(-1)


def _split(game: Game, form: str, seats: tuple[int, ...], row: np.ndarray, name: str) -> Vectors:
    """The numbers of each seat."""
    roles = [(seat,) for seat in seats] if game.rules.has_roles else [(0, 1)]
    encodings = [VectorEncoding(game, form, held, np.inf) for held in roles]
    widths = [encoding.num_genes for encoding in encodings]
    if len(row) != sum(widths):
        raise TournamentError(
            f"{name}: holds {len(row)} numbers; {' and '.join(map(str, encodings))} are expected"
        )
    parts = np.split(row[None], np.cumsum(widths)[:-1], axis=1)
    if len(parts) == 2:
        return Vectors(*map(np.ascontiguousarray, parts))
    return encodings[0].vectors(parts[0])


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """A player of random numbers of each form."""
    roles = [(0,), (1,)] if game.rules.has_roles else [(0, 1)]
    for form in game.rules.vectors:
        width = sum(VectorEncoding(game, form, held, np.inf).num_genes for held in roles)
        numbers = generator(0, "contract").standard_normal(width)
        yield player(game, weights=numbers, form=form, name=form)
