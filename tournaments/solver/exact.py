"""Exact results that are computed instead of played: data structures for all games.

Slow results are kept in the cache folder, under the digest of the code that computed them.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tournaments.kernels import cache
from tournaments.kernels.sources import sources_digest
from tournaments.player import CompiledPlayer, Player

Announce = Callable[[str], None]
"""Callback that receives a line of text on each slow step."""


class Proof(NamedTuple):
    """The result of a best response to a player, by the objective of the game.

    Attributes:
        games: number of seats whose outcome is certain.
        wins: number of these seats in which the player beats every opponent.
        exploitability: net wins or net points per game that the best response gains beyond perfect
            play (``Rules.objective``), the mean of the player's seats.
        plies: plies to the end, in the player's first seat; NaN if endless or not counted.
        sentences: description of the result, for each seat or for both.
    """

    games: int
    wins: int
    exploitability: float
    plies: float
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class BestResponses:
    """The computation of best responses to players of one game.

    Attributes:
        proof: (player, announce) -> the :class:`Proof` of the best response to a player, in each
            seat of the player. Raises TournamentError if the player's choices are unknown.
        start: where the computed games begin, such as ``corners``; empty: where all games begin.
        is_certain: whether the outcome in each seat of a player is certain, not only its mean.
        is_slow: whether the proof of one player takes seconds.
    """

    proof: Callable[[CompiledPlayer, Announce], Proof]
    start: str = ""
    is_certain: bool = False
    is_slow: bool = False


@dataclass(frozen=True, eq=False)
class Meeting:
    """The expected results of a player against an opponent, with equal weight for both seats.

    Attributes:
        wins, draws: shares of the games, float64 ``[2]``, by the player's seat.
        margins: difference of the points, float64 ``[2]``, by the player's seat.
        words: the sentence, with ``{player}`` and ``{opponent}`` in place of the names.
        regret: mean loss of a move against perfect play, in net wins or net points by the objective
            of the game (``Rules.objective``); NaN: not known.
        optimal_share: share of the moves that lose nothing; NaN: not known.
    """

    wins: np.ndarray
    draws: np.ndarray
    margins: np.ndarray
    words: str
    regret: float = math.nan
    optimal_share: float = math.nan

    @property
    def win_rate(self) -> float:
        """Share of the games that the player wins, over both seats."""
        return float(self.wins.mean())

    @property
    def draw_rate(self) -> float:
        """Share of the games drawn between player and opponent, over both seats."""
        return float(self.draws.mean())

    @property
    def margin(self) -> float:
        """Net points of the player per game, over both seats."""
        return float(self.margins.mean())

    def sentence(self, player: str, opponent: str) -> str:
        """Return the result of the meeting in words, with the names of player and opponent."""
        return self.words.format(player=player, opponent=opponent)


@dataclass(frozen=True)
class Meetings:
    """The computation of exact results between players of one game.

    Attributes:
        checked: player -> the compiled player, if its choices are known; raises TournamentError
            otherwise. It is called before any work.
        meeting: (player, other, announce) -> the :class:`Meeting` of the two.
    """

    checked: Callable[[Player], CompiledPlayer]
    meeting: Callable[[CompiledPlayer, CompiledPlayer, Announce], Meeting]


def from_leads(leads: np.ndarray, chances: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the wins, draws and margins of a :class:`Meeting`, from the chances of final leads.

    Args:
        leads: whole numbers ``[L]``, the leads of the player at the end of a game.
        chances: float64 ``[2, L]``, the probability of each lead, by the player's seat.
    """
    wins, draws = (
        np.array([min(1.0, math.fsum(row[np.sign(leads) == sign])) for row in chances])
        for sign in (1, 0)
    )
    return wins, draws, np.array([math.fsum(row) for row in chances * leads])


def columns_of(found: list[Meeting]) -> dict[str, np.ndarray]:
    """Return the columns of the table ``evaluations`` for exact results, a row per meeting."""
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


# --- cached results ------------------------------------------------------------------------------


def kept(kind: str, of: tuple[str, ...], compute: Callable[[], np.ndarray]) -> np.ndarray:
    """Return computed numbers from the cache folder, or compute and store them, float64 ``[n]``.

    Numbers that another version of :mod:`tournaments` computed are not used.

    Args:
        kind: a word for the numbers, used as the suffix of the file.
        of: texts that identify the inputs of the computation.
        compute: computes the numbers.
    """
    code = sources_digest(sys.modules["tournaments"])
    digest = hashlib.sha256(" ".join([*of, code]).encode()).hexdigest()
    path = cache.cache_folder() / "proved" / f"{digest[:32]}.{kind}"
    content = cache.load(path)
    if content is None:
        content = compute().astype("<f8").tobytes()
        cache.store(path, content)
    return np.frombuffer(content, dtype="<f8")
