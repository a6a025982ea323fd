"""What is computed of players in place of playing them: what it looks like, whatever the game.

What takes long to compute is kept in the cache folder, under the digest of the code that computed
it.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from tournaments.kernels import cache
from tournaments.kernels.sources import sources_digest
from tournaments.player import CompiledPlayer, Player

Announce = Callable[[str], None]
"""Is given a line on what takes a while."""


class Proof(NamedTuple):
    """What a best response does to a player, by what counts in the game (``Rules.objective``).

    Attributes:
        games: seats of which the outcome is certain.
        wins: of these those that the player wins against whomever.
        exploitability: net wins or net points a game that the best response gains on what perfect
            play would give, the mean of the player's seats.
        plies: to the end, in the player's first seat; NaN: there is none, or none is counted.
        sentences: for each seat, or for both, what was found.
    """

    games: int
    wins: int
    exploitability: float
    plies: float
    sentences: tuple[str, ...]


class BestResponses(Protocol):
    """What the best possible opponent does to players of one game."""

    @property
    def start(self) -> str:
        """Where the games begin that are computed, such as ``corners``; empty: where all do."""

    @property
    def is_certain(self) -> bool:
        """Whether the outcome is certain in each seat of a player, and not known in the mean."""

    @property
    def is_slow(self) -> bool:
        """Whether a player takes seconds."""

    def proof(self, player: CompiledPlayer, announce: Announce) -> Proof:
        """What a best response does to a player, in each seat that it holds.

        Raises:
            TournamentError: it is not known what the player does.
        """


class Meeting(Protocol):
    """What a player makes of all its games against another, each seat counting the same.

    Arrays are float64 ``[2]``, by the player's seat; shares are of games, margins in points,
    regret in net wins or net points, by what counts in the game (``Rules.objective``).
    """

    @property
    def wins(self) -> np.ndarray: ...

    @property
    def margins(self) -> np.ndarray:
        """Points more than the other."""

    @property
    def win_rate(self) -> float: ...

    @property
    def draw_rate(self) -> float: ...

    @property
    def margin(self) -> float: ...

    @property
    def regret(self) -> float:
        """What a move loses against perfect play, in the mean; NaN: not known."""

    @property
    def optimal_share(self) -> float:
        """Share of the moves that lose nothing; NaN: not known."""

    def sentence(self, player: str, opponent: str) -> str:
        """What came of it, the two called so."""


class Meetings(Protocol):
    """What comes of games between players of one game."""

    def checked(self, player: Player) -> CompiledPlayer:
        """The player, if it is known what it does; asked before any work.

        Raises:
            TournamentError: it is not.
        """

    def meeting(self, player: CompiledPlayer, other: CompiledPlayer, announce: Announce) -> Meeting:
        """What a player makes of its games against another."""


def columns_of(found: list[Meeting]) -> dict[str, np.ndarray]:
    """The columns of ``evaluations`` that say what came of meetings, one row each."""
    none = np.zeros(len(found), dtype=np.int32)
    rate = np.array([meeting.win_rate for meeting in found])
    by_seat = {
        f"{name}_{seat}": np.array([getattr(meeting, of)[place] for meeting in found])
        for name, of in (("win_rate", "wins"), ("margin", "margins"))
        for place, seat in enumerate(("first", "second"))
    }
    names = ("draw_rate", "margin", "regret", "optimal_share")
    return {
        **dict.fromkeys(("games", "wins", "draws", "losses"), none),
        **dict.fromkeys(("win_rate", "win_rate_low", "win_rate_high"), rate),
        **{name: np.array([getattr(meeting, name) for meeting in found]) for name in names},
        **by_seat,
    }


# --- what is computed once -----------------------------------------------------------------------


def kept(kind: str, of: tuple[str, ...], compute: Callable[[], np.ndarray]) -> np.ndarray:
    """Numbers, float64 in one row, that were computed about something by this code.

    Args:
        kind: what they are, a word.
        of: what they are about.
        compute: makes them, where they are not in the cache folder.
    """
    code = sources_digest(sys.modules[__package__])
    digest = hashlib.sha256(" ".join([*of, code]).encode()).hexdigest()
    path = cache.cache_folder() / "proved" / f"{digest[:32]}.{kind}"
    content = cache.load(path)
    if content is None:
        content = compute().astype("<f8").tobytes()
        cache.store(path, content)
    return np.frombuffer(content, dtype="<f8")
