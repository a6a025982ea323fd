"""Genomes that are numbers by which a kind of player goes.

A game says by :class:`tournaments.rules.VectorForm` which kinds it has (``Rules.vectors``);
:class:`VectorEncoding` is a form chosen for a game and a seat, with all that evolution needs to
know of it. In a game with roles a genome is of one seat, else of both.

Letters: N genomes, G genes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.players.reals import RealNumbers
from tournaments.rules import VectorForm


class Vectors(NamedTuple):
    """The numbers of each seat as the kernels of their kind take them, float64 ``[N, G]``.

    Of a seat that the players do not hold there are none, ``[N, 0]``.
    """

    first: np.ndarray
    second: np.ndarray


@dataclass(frozen=True)
class VectorEncoding(RealNumbers):
    """A form of vector chosen for a game: float32 genes.

    Attributes:
        game: what is played.
        form: the name of one of the game's forms.
        seats: whose numbers a genome holds: ``(0,)`` or ``(1,)`` of a game with roles, else
            ``(0, 1)``.
        limit: the greatest gene, of either sign.

    Raises:
        TournamentError: the game has no such form.
    """

    game: Game
    form: str
    seats: tuple[int, ...]
    limit: float

    def __post_init__(self) -> None:
        if not self.game.rules.vectors:
            raise TournamentError(f"{self.game.name} offers no vectors (Rules.vectors)")
        if self.form not in self.game.rules.vectors:
            raise unknown(f"vector of {self.game.name}", self.form, self.game.rules.vectors)
        _ = self.names  # refuses a game that has no such numbers, before any work

    @property
    def rules(self) -> VectorForm:
        """The form itself."""
        return self.game.rules.vectors[self.form]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each number is called."""
        return self.rules.names(self.game, self.seats[0])

    @property
    def num_genes(self) -> int:
        return len(self.names)

    def vectors(self, genes: np.ndarray) -> Vectors:
        """Genes ``[N, G]`` as the kernels take them."""
        numbers = np.ascontiguousarray(genes, dtype=np.float64)
        none = np.zeros((len(numbers), 0))
        return Vectors(*(numbers if seat in self.seats else none for seat in (0, 1)))

    def spec(self) -> dict[str, Any]:
        """What a reader of the genomes needs to decode them."""
        return {
            "encoding": "real-vector",
            "form": self.form,
            "names": list(self.names),
            "limit": self.limit,
            "bytes": self.num_bytes,
        }

    def __str__(self) -> str:
        who = self.game.seats[self.seats[0]] if len(self.seats) == 1 else self.game.name
        return f"{self.num_genes} numbers of {self.form} for {who}"
