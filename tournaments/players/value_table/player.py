"""Tables of values as players: of a genome that has learned, or of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, Export, Kind, only_seat
from tournaments.players.files import read_array
from tournaments.players.value_table.encoding import KEPT, ValueEncoding, ValueTables
from tournaments.players.value_table.play import EXPLORING, KIND

FEW_VALUES = 1_000_000
"""Of a table that a test may fill."""


@dataclass(frozen=True)
class ValueGenomes:
    """Genomes that stand for tables of values; a :class:`tournaments.player.Representation`.

    Attributes:
        encoding: of the genomes.
        epsilon: the share of turns in which any action is played.
    """

    encoding: ValueEncoding
    epsilon: float = 0.0

    plays_variants: ClassVar[bool] = False

    @property
    def kind(self) -> Kind:
        return EXPLORING if self.epsilon else KIND

    @property
    def seats(self) -> tuple[int, ...]:
        return self.encoding.seats

    def parameters(self, genomes: np.ndarray) -> ValueTables:
        """Packed genomes, uint8 ``[N, B]``, as tables."""
        return self.encoding.tables(genomes.view(KEPT), self.epsilon)

    def player(self, game: Game, genomes: Sequence[bytes], name: str) -> CompiledPlayer:
        """See :meth:`tournaments.player.Representation.player`."""
        return player(game, genome=b"".join(genomes), encoding=self._of(genomes), name=name)

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """The values of one seat, or of both, ``[V]``."""
        encoding = self._of(genomes)
        values = np.frombuffer(b"".join(genomes), dtype=KEPT)
        said = {"file": file}
        if seat := only_seat(game, self.seats, genomes):
            said["seat"] = seat
        if encoding.initial:
            said["initial"] = f"{encoding.initial:g}"
        options = ",".join(f"{name}={value}" for name, value in said.items())
        note = f"; they play as value-table:{options}"
        return Export(values, f"{values.size:,} values", note)

    def _of(self, genomes: Sequence[bytes]) -> ValueEncoding:
        """The encoding of one genome, or of one a role."""
        seats = self.seats if len(genomes) == 1 else tuple(range(len(genomes)))
        return replace(self.encoding, seats=seats)


def player(
    game: Game,
    *,
    file: str | Path | None = None,
    genome: bytes | None = None,
    encoding: ValueEncoding | None = None,
    seat: str = "",
    initial: float = 0.0,
    epsilon: float = 0.0,
    name: str = "value-table",
) -> CompiledPlayer:
    """A table of values from a genome with its encoding, or from a file.

    Args:
        game: what it plays.
        file: ``.npy`` or ``.json`` with numbers of any shape: the table of a seat, or of the first
            seat and then of the second; NaN: never tried.
        genome: a packed genome, in place of a file; it takes an encoding.
        encoding: of the genome.
        seat: whose table the file holds; by default the one that has as many values.
        initial: what an action of the file is worth that was never tried.
        epsilon: the share of turns in which any action is played, 0 to 1.
        name: what tables of results call it; by default the file.

    Raises:
        TournamentError: the file cannot be read, or holds no table for this game.
    """
    if (genome is None) == (file is None) or (genome is None) != (encoding is None):
        raise TournamentError(
            "a value-table player takes a file, or a genome with its encoding: "
            f"value-table:file=FILE.npy,seat={game.seats[0]}, or a run folder for its champion"
        )
    if not (isinstance(epsilon, int | float) and 0.0 <= epsilon <= 1.0):
        raise TournamentError(f"epsilon={epsilon!r} given; a value from 0 to 1 is expected")
    if file is not None:
        values = read_array(Path(str(file)), "a file of values", "a table").reshape(1, -1)
        if values.dtype.kind != "f":
            raise TournamentError(f"{file}: holds {values.dtype}; values are real numbers")
        encoding = _fitting(game, str(file), values.shape[1], seat, float(initial))
        name = str(file) if name == "value-table" else name
    else:
        assert genome is not None
        assert encoding is not None
        if game.spec != encoding.game.spec:
            raise TournamentError(f"{encoding} given; it cannot play {game.spec}")
        values = np.frombuffer(genome, dtype=KEPT)[None]
    values = encoding.checked(values).copy()
    genomes = ValueGenomes(encoding, float(epsilon))
    options = {"genome": values.tobytes(), "encoding": encoding, "epsilon": epsilon}
    return CompiledPlayer(
        name,
        genomes.kind,
        game,
        encoding.tables(values, genomes.epsilon),
        maker=player,
        options=options,
        seats=encoding.seats,
    )


def _fitting(game: Game, where: str, size: int, seat: str, initial: float) -> ValueEncoding:
    """The encoding of a file of so many values."""
    if seat and seat not in game.seats:
        raise unknown(f"seat of {game.name}", seat, game.seats)
    whose: list[tuple[int, ...]] = [(0,), (1,), (0, 1)] if game.rules.has_roles else [(0, 1)]
    if seat:
        whose = [(game.seats.index(seat),)]
    encodings = [ValueEncoding(game, seats, initial) for seats in whose]
    able = [encoding for encoding in encodings if encoding.num_values == size]
    if len(able) == 1:
        return able[0]
    if able:
        raise TournamentError(
            f"{where}: holds a table that either seat could play; say whose it is: "
            f"value-table:file={where},seat={game.seats[0]}"
        )
    sizes = " or ".join(f"{encoding.num_values:,} ({encoding})" for encoding in encodings)
    raise TournamentError(f"{where}: holds {size:,} values; {sizes} are expected")


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """A random table of both seats, where the game numbers its positions and they are few."""
    if game.rules.states is None and game.rules.solver is None:
        return
    encoding = ValueEncoding(game, (0, 1))
    if encoding.num_values <= FEW_VALUES:
        values = generator(0, "contract").standard_normal(encoding.num_values).astype(KEPT)
        yield player(game, genome=values.tobytes(), encoding=encoding)
