"""The protocol of whatever plays the matches of a generation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tournaments.arena import Field, compiled_already
from tournaments.schedules import Groups, Matches
from tournaments.scoring import Played
from tournaments.types import Game, Player, Representation


class ClusterError(RuntimeError):
    """Matches could not be played where they were asked to be."""


CLOSED = "this evaluator is closed; make another"
CLOSED_MEANWHILE = "this evaluator was closed while its matches were played; make another"


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

    def need_no_compiler(self, groups: Groups) -> bool:
        """Whether matches between these groups take no compiler: nothing is decoded to know it."""
        kind = None if self.representation is None else self.representation.kind
        return compiled_already(Field(self.game, kind, panel=self.panel), groups)


class Evaluator(Protocol):
    """Plays matches. The outcomes depend on the arguments alone, never on who plays them where."""

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """Play every match once, in parts that come in any order.

        Args:
            entrants: the population and the panel.
            matches: who meets whom, by which seeds, in how many games.
        """
        ...

    def close(self) -> None:
        """Let go of threads, actors and connections."""
        ...


def all_outcomes(evaluator: Evaluator, entrants: Entrants, matches: Matches) -> np.ndarray:
    """The outcomes of all matches in the order of the schedule, int16 ``[M, games, 2]``.

    For schedules that fit in memory; what counts as it goes takes the parts of
    :meth:`Evaluator.play` as they come.
    """
    outcomes = np.empty((len(matches), matches.games, 2), dtype=np.int16)
    count = 0
    for played in evaluator.play(entrants, matches):
        outcomes[played.first : played.first + len(played.outcomes)] = played.outcomes
        count += len(played.outcomes)
    check_all_played(evaluator, matches, count)
    return outcomes


def check_all_played(evaluator: Evaluator, matches: Matches, count: int) -> None:
    """Refuse an evaluator that gave fewer matches than there are, or more."""
    if count != len(matches):
        raise ClusterError(
            f"{type(evaluator).__name__} played {count} of {len(matches)} matches; its `play` must "
            "give every match once"
        )
