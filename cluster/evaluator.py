"""The protocol of whatever plays the matches of a generation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tournaments.arena import Field, compiled_already
from tournaments.types import Game, Player, Representation

LEAST_CHUNK = 64
"""Matches in the smallest chunk that is worth handing over."""


class ClusterError(RuntimeError):
    """Matches could not be played where they were asked to be."""


@dataclass(frozen=True)
class Entrants:
    """Everybody who takes part, as sent to where matches are played.

    Attributes:
        game: what is played.
        panel: the fixed opponents, entrants -1, -2 and so on.
        representation: what the genomes stand for, None where there is no population.
        genomes: packed rows, ``[N, B]``.
    """

    game: Game
    panel: tuple[Player, ...] = ()
    representation: Representation | None = None
    genomes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.uint8))

    def decode(self) -> Field:
        """The entrants ready to play, genomes decoded: done once where they are used."""
        if self.representation is None:
            return Field(self.game, panel=self.panel)
        parameters = self.representation.parameters(self.genomes)
        return Field(self.game, self.representation.kind, parameters, self.panel)

    def are_compiled(self, pairs: np.ndarray) -> bool:
        """Whether a schedule takes no compiler: a matter of kinds, so nothing is decoded."""
        kind = None if self.representation is None else self.representation.kind
        return compiled_already(Field(self.game, kind, panel=self.panel), pairs)


class Evaluator(Protocol):
    """Plays matches. The outcomes depend on the arguments alone, never on who plays them where."""

    def play(
        self, entrants: Entrants, pairs: np.ndarray, seeds: np.ndarray, games: int = 2
    ) -> np.ndarray:
        """Play a schedule.

        Args:
            entrants: the population and the panel.
            pairs: int32 ``[M, 2]``.
            seeds: uint64 ``[M]``.
            games: games a match.

        Returns:
            int16 ``[M, games, 2]``, the score of each seat in each game.
        """
        ...

    def close(self) -> None:
        """Let go of threads, actors and connections."""
        ...


def chunks(matches: int, workers: int, size: int | None = None) -> Iterator[slice]:
    """Cut a schedule into pieces for workers: four each, so that none waits long for the last."""
    length = size or max(LEAST_CHUNK, -(-matches // (4 * workers)))
    return (slice(first, min(first + length, matches)) for first in range(0, matches, length))
