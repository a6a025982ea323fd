"""``vector``: players that go by numbers, of a kind that the game offers.

A game says by :class:`tournaments.rules.VectorForm` which kinds it has (``Rules.vectors``).

Letters: N genomes, G genes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, Kind, player_of
from tournaments.players.encodings import RealNumbers, SeatNumbers, player_of_numbers
from tournaments.players.files import read_array
from tournaments.rules import PlayerOffer, VectorForm


class Vectors(NamedTuple):
    """The numbers of each seat as kernels of their kind read them, float64 ``[N, G]``.

    An array of a seat that the players do not hold is empty, ``[N, 0]``.
    """

    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True)
class VectorEncoding(SeatNumbers, RealNumbers):
    """A form of vector for a game: genomes of float32 numbers.

    Attributes:
        game: the game that is played.
        form: the name of one of the game's forms.
        seats: the seats whose numbers a genome holds.
        limit: the greatest gene, of either sign.

    Raises:
        TournamentError: the game has no such form.
    """

    game: Game
    form: str
    seats: tuple[int, ...]
    limit: float = np.inf

    offer: ClassVar[str] = "vector:file"

    def __post_init__(self) -> None:
        if not self.game.rules.vectors:
            raise TournamentError(f"{self.game.name} offers no vectors (Rules.vectors)")
        if self.form not in self.game.rules.vectors:
            raise unknown(f"vector of {self.game.name}", self.form, self.game.rules.vectors)
        _ = self.names  # refuses a game that has no such numbers, before any work

    @property
    def rules(self) -> VectorForm:
        """The form of vector that the game offers under this name."""
        return self.game.rules.vectors[self.form]

    @property
    def kind(self) -> Kind:
        """The kind of player of these vectors.

        See :attr:`tournaments.player.Representation.kind`.
        """
        return self.rules.kind

    @property
    def label(self) -> str:  # type: ignore[override]
        """Name of the form of vector, for messages."""
        return f"{self.form} vector"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each number of a vector."""
        return tuple(name for seat in self.owners for name in self.rules.names(self.game, seat))

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of genes of each seat's vector.

        See :attr:`tournaments.players.encodings.SeatNumbers.widths`.
        """
        return tuple(len(self.rules.names(self.game, seat)) for seat in self.owners)

    def from_numbers(self, numbers: np.ndarray) -> Vectors:
        """Return vectors of numbers, float64 ``[N, G]``, as the parameters that kernels read."""
        parts = np.split(numbers, np.cumsum(self.widths)[:-1], axis=1)
        held = [numbers[:, :0]] * 2
        for place, seat in enumerate(self.seats):
            held[seat] = parts[place % len(parts)]
        return Vectors(*map(np.ascontiguousarray, held))

    def from_outside(self, numbers: np.ndarray) -> np.ndarray:
        """Return the numbers of a vector made elsewhere as float64 after a check.

        See :meth:`tournaments.players.encodings.SeatNumbers.from_outside`.
        """
        if numbers.dtype.kind not in "iuf" or not np.isfinite(numbers).all():
            raise TournamentError("holds something other than finite numbers")
        return numbers.astype(np.float64)

    def file_options(self, game: Game, file: str) -> dict[str, Any]:
        """Return the options with which a player reads an exported vector: its form.

        Nothing is needed for the game's first form. See
        :meth:`tournaments.player.Representation.file_options`.
        """
        return {} if self.form == next(iter(self.game.rules.vectors)) else {"form": self.form}

    def program(self, game: Game, genomes: Sequence[bytes], name: str) -> str:
        """Return the text of a program, such as ``pelita``, that plays by evolved vectors.

        ``genomes`` are packed, one a role.

        Raises:
            TournamentError: the game's form offers no such program.
        """
        programs = self.rules.programs
        if name not in programs:
            offered = ", ".join(programs) or "no program"
            raise TournamentError(
                f"{name} given; {self.form} vectors of {game.name} can be exported "
                f"as {offered}; name that, or a run of another game"
            )
        numbers = np.frombuffer(b"".join(genomes), dtype="<f4").astype(np.float64)
        return programs[name](game, numbers)

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json``."""
        return {
            "encoding": "real-vector",
            "form": self.form,
            "names": list(self.names),
            "limit": self.limit,
            "bytes": self.num_bytes,
        }


def player(
    game: Game,
    *,
    file: str | Path | None = None,
    weights: Sequence[float] | np.ndarray | None = None,
    form: str = "",
    seat: str = "",
    name: str = "",
) -> CompiledPlayer:
    """Return a player whose kernels go by a vector of numbers.

    Args:
        game: the game that is played.
        file: ``.npy`` or ``.json`` with the numbers.
        weights: the numbers, in place of a file.
        form: a form of vector that the game offers; by default its first.
        seat: the seat whose numbers they are; by default that one, or both, that they fit.
        name: name of the player; by default the file.

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
    chosen = form or next(iter(game.rules.vectors))
    return player_of_numbers(
        game,
        str(file or name or "vector"),
        np.asarray(weights),
        seat,
        lambda seats: [VectorEncoding(game, chosen, seats)],
        name,
    )


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """Yield players with random vectors, one of each form that the game offers."""
    for form in game.rules.vectors:
        encoding = VectorEncoding(game, form, (0, 1))
        numbers = generator(0, "contract").standard_normal((1, encoding.num_genes))
        yield player_of(game, representation=encoding, numbers=numbers, name=form)


PLAYER = PlayerOffer(
    "evolved numbers or a file of them: vector:file=FILE.npy,seat=cat",
    player,
    lambda game: bool(game.rules.vectors),
    of_file="file",
    samples=samples,
)
