"""Players that say when they are asked, so that somebody else knows whose turn it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tournaments.game import State
from tournaments.kernels.rng import Stream
from tournaments.player import Forgetful, Player, SeatedPlayer

RULES = -1
"""In place of a seat: it is the rules' turn."""


@dataclass(frozen=True)
class Announced:
    """A player whose turns are announced before it takes them, by its seat, and after.

    Attributes:
        player: who is asked.
        say: is given the seat before each call, and ``RULES`` after one that returned.
    """

    player: Player
    say: Callable[[int], None]

    @property
    def name(self) -> str:
        return self.player.name

    def choose(self, state: State, rng: Stream) -> int:
        """See :class:`tournaments.player.Player`."""
        return self.player.choose(state, rng)

    def sit(self, state: State, seat: int) -> Seated:
        """See :func:`tournaments.player.sit_down`."""
        self.say(seat)
        offer = getattr(self.player, "sit", None)
        seated = Forgetful(self.player) if offer is None else offer(state, seat)
        self.say(RULES)
        return Seated(seated, seat, self.say)


class Seated:
    """An announced player at a seat; a :class:`tournaments.player.SeatedPlayer`."""

    def __init__(self, player: SeatedPlayer, seat: int, say: Callable[[int], None]) -> None:
        self.name = player.name
        self._player, self._seat, self._say = player, seat, say

    def choose(self, state: State, rng: Stream) -> int:
        """See :class:`tournaments.player.SeatedPlayer`."""
        return self._announced(self._player.choose, state, rng)

    def watch(self, state: State, action: int) -> None:
        """See :class:`tournaments.player.SeatedPlayer`."""
        self._announced(self._player.watch, state, action)

    def _announced(self, call: Callable[..., Any], *given: Any) -> Any:
        self._say(self._seat)
        answer = call(*given)
        self._say(RULES)
        return answer
