"""Players of contests: any objects that the simulator of a contest takes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tournaments import code_files
from tournaments.arena.entrants import Individual
from tournaments.errors import TournamentError, nearest, shown
from tournaments.game import Game
from tournaments.named_files import read_named
from tournaments.player import ContestPlayer, Export, Kind
from tournaments.players.encodings import RealNumbers
from tournaments.players.objects import digest_of, is_text
from tournaments.rules import VectorForm

DIGITS = 16
"""Number of hexadecimal digits of an identity."""


def no_kernel(*arguments: Any) -> Any:
    """Raise, because contests and their players have no kernels."""
    raise AssertionError


CONTEST_FORM = VectorForm(
    "contest", "numbers that a contest gets", lambda game, seat: (), Kind("vector", no_kernel)
)
"""The form of the numbers of players of contests, whose number the user gives."""


@dataclass(frozen=True)
class ContestVectors(RealNumbers):
    """Genomes of float32 numbers that a contest gets as they are.

    Attributes:
        seats: the seats that the players can take.
        length: the number of numbers of each seat.
        limit: the greatest number, of either sign.
    """

    seats: tuple[int, ...]
    length: int
    limit: float

    @property
    def kind(self) -> Kind:
        """The kind of player of these numbers. It has no kernels."""
        return CONTEST_FORM.kind

    @property
    def num_genes(self) -> int:
        """The number of genes of a genome."""
        return self.length

    def from_numbers(self, numbers: np.ndarray) -> np.ndarray:
        """Return numbers, float64 ``[N, G]``, as a simulator gets them: it cannot change them."""
        numbers.flags.writeable = False
        return numbers

    def player(self, game: Game, genomes: Sequence[bytes], name: str) -> ContestPlayer:
        """Return the player of a genome, or of a genome per role.

        See :meth:`tournaments.player.Representation.player`.
        """
        packed = b"".join(genomes)
        rows = np.frombuffer(packed, dtype=np.uint8).reshape(len(genomes), -1)
        things = tuple(self.parameters(rows))
        who = f"vector@{hashlib.sha256(packed).hexdigest()[:DIGITS]}"
        if len(genomes) == 1:
            return ContestPlayer(name, things[0], who, seats=self.seats)
        return ContestPlayer(name, things, who, by_seat=things)

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """Return the content of a file with the numbers of a genome.

        Raises:
            TournamentError: one genome per role is given.
        """
        if len(genomes) > 1:
            raise TournamentError("a file holds the numbers of one role: name it by --population")
        numbers = self.decode(np.frombuffer(genomes[0], dtype=np.uint8)[None])[0]
        return Export(numbers, f"{numbers.size:,} numbers")

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json``."""
        return {
            "encoding": "real-vector",
            "length": self.length,
            "limit": self.limit,
            "bytes": self.num_bytes,
        }


def contest_player(thing: Any) -> ContestPlayer:
    """Return an object as a player of a contest.

    Args:
        thing: an object, which the simulator gets as it is. A text is the path of a file, and the
            simulator gets that path. A text ``FILE.py:NAME`` is the object of that name in a Python
            file. An individual of genomes is its array of numbers.

    Raises:
        TournamentError: there is no such file or object.
    """
    if isinstance(thing, ContestPlayer):
        return thing
    if isinstance(thing, Individual):
        return ContestPlayer(f"individual {thing.row}", thing.genomes.parameters[thing.row])
    if not is_text(thing):
        name = getattr(thing, "name", None) or getattr(thing, "__name__", None)
        label = name if isinstance(name, str) else type(thing).__name__
        return ContestPlayer(label.strip("<>"), thing, f"{label}@{digest_of(thing)[:DIGITS]}")
    text = str(thing)
    if code_files.names_thing(text):
        return _of_code(text)
    try:
        content = read_named(text)
    except (OSError, ValueError) as error:
        folder = Path(text).parent
        known = os.listdir(folder) if folder.is_dir() else []
        raise TournamentError(
            f"player {shown(text)}: {getattr(error, 'strerror', error)}"
            f"{nearest(Path(text).name, known)}; the path of a file, or FILE.py:NAME is expected"
        ) from None
    return ContestPlayer(text, text, f"file@{hashlib.sha256(content).hexdigest()[:DIGITS]}")


def _of_code(text: str) -> ContestPlayer:
    """Return the object that a text ``FILE.py:NAME`` names as a player."""
    file = code_files.read(text)
    held, wanted = vars(code_files.module_of(file)), text.rpartition(":")[2]
    if wanted not in held:
        raise TournamentError(
            f"player {text!r}: the file has no {wanted}{nearest(wanted, held)}; an object of it is "
            "expected"
        )
    return ContestPlayer(text, held[wanted], f"{wanted}@{file.whole[:DIGITS]}")
