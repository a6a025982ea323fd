"""The course of a tournament: the pairs of each round, and the end of the tournament."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple

import numpy as np

from evo.requests.tournaments import TournamentRequest
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import Ledger, PairMatches
from tournaments.kernels.rng import generator
from tournaments.schedules.pairings import (
    Knockout,
    Pair,
    SwissPairing,
    gauntlet,
    in_order,
    most_rounds,
    round_robin,
    swiss_rounds,
)

MOST_PASSES = 100
"""Maximum number of passes through a round-robin or a gauntlet."""
EXTRA = 3
"""Maximum number of extensions of a tied knock-out match before lots are drawn.

Each extension has as many games as the match.
"""
Rounds = Generator[list[Pair], list[int], str]
"""A generator of rounds, which yields the pairs of each round.

It is sent the lead of the first player of each pair (games won minus games lost), and returns the
reason for the end of the tournament.
"""


def check_players(request: TournamentRequest, players: int) -> None:
    """Raise if an option is not valid for the number of players.

    Raises:
        OptionError: the first option that is not valid.
    """
    if request.challengers is not None and request.challengers >= players:
        words = f"; there are {players} players, so at most {players - 1} are expected"
        request.refuse("challengers", words)
    most = most_rounds(players)
    if request.rounds is not None and request.rounds > most:
        request.refuse(
            "rounds",
            f"; after {most} rounds each of {players} players has met every other: give {most} or "
            "fewer, and more games a pair",
        )
    first = request.games * SCHEDULES[request.schedule].first_round(request, players)
    if request.most_games is not None and request.most_games < first:
        words = f"; the first round alone is {first:,} games: give more, or fewer games a pair"
        request.refuse("most_games", words)


@dataclass
class RatedTournament:
    """A tournament in progress.

    Attributes:
        request: the request, with the schedule and its options.
        ledger: the games of the players.
        report: called with (meetings played, meetings foreseen, games) after each part of a round.
        anchor: number of the player whose rating is 0.
        places: places of a knock-out tournament. None for other schedules.
        stopped: reason for the end, in words. Empty during the tournament.
        meetings: number of meetings played so far.
    """

    request: TournamentRequest
    ledger: Ledger
    report: Callable[[int, int, int], None]
    anchor: int | None = None
    places: list[int] | None = None
    stopped: str = ""
    meetings: int = 0
    _used: dict[Pair, int] = field(default_factory=dict)

    @property
    def form(self) -> Form:
        """The form of the tournament's schedule."""
        return SCHEDULES[self.request.schedule]

    @property
    def players(self) -> int:
        """Number of players."""
        return len(self.ledger.names)

    def table(self) -> CrossTable:
        """Return the cross table of the games so far."""
        table = self.ledger.table(dict(self.ledger.met))
        return replace(table, anchor=self.anchor, places=self.places, stopped=self.stopped)

    def run(self) -> CrossTable:
        """Play the tournament to its end and return the cross table."""
        rounds, most = self.form.rounds(self), self.request.most_games
        try:
            pairs = next(rounds)
            while most is None or self.ledger.games + self.request.games * len(pairs) <= most:
                counts = self._play(pairs)
                pairs = rounds.send([self._lead(met) for met in counts])
            self.stopped = f"another round would go beyond {most:,} games"
        except StopIteration as over:
            self.stopped = over.value
        return self.table()

    def _lead(self, counts: np.ndarray) -> int:
        """Return the lead of the first player of a pair: games won minus games lost.

        A pair that repeats its games plays fewer games. Its lead is scaled up to the number of
        games of the other pairs.
        """
        wins, _, losses = counts.sum(axis=0).tolist()
        return (wins - losses) * self.request.games // max(1, int(counts.sum()))

    def repeated(self, once: Callable[[], Iterator[list[Pair]]]) -> Rounds:
        """Yield the rounds of a schedule once, or repeatedly until the intervals are narrow."""
        wide = np.ones(self.players, dtype=bool)
        for number in count(1):
            before = self.ledger.games
            for pairs in once():
                yield [(i, j) for i, j in pairs if wide[i] or wide[j]]
            if self.request.stop_within is None:
                return "all who were to meet have met"
            wide = self._wide(self.request.stop_within)
            if not wide.any():
                return self._narrow
            if self.ledger.games == before:
                return "all games that are left would be the same again"
            if number == MOST_PASSES:
                return f"all have met {MOST_PASSES} times, and intervals are still wider"
        raise AssertionError("endless")

    def swiss(self) -> Rounds:
        """Yield the rounds of a Swiss tournament.

        Neighbours in rank meet. The rank is by matches won, then by points.
        """
        rounds = num_rounds(self.request, self.players)
        pairing = SwissPairing(self.players, lowest_rests=True)
        points = np.zeros(self.players, dtype=np.int64)  # in halves
        for number in range(rounds):
            rng = generator(self.request.seed, "tournament/swiss", number)
            pairs = pairing.pairs(rng, points)
            leads = np.array((yield [in_order(*pair) for pair in pairs.tolist()]), dtype=np.int64)
            leads[pairs[:, 0] > pairs[:, 1]] *= -1
            pairing.enter(np.sign(leads))
            np.add.at(points, pairs, self.request.games + leads[:, None] * (1, -1))
            if (
                self.request.stop_within is not None
                and not self._wide(self.request.stop_within).any()
            ):
                return self._narrow
        return f"{rounds} rounds were played"

    def knockout(self, losses: int) -> Rounds:
        """Yield the rounds of a knock-out tournament.

        A player is eliminated after ``losses`` lost matches. A tied match is extended, and then
        decided by lot.
        """
        order = generator(self.request.seed, "tournament/order").permutation(self.players)
        knockout = Knockout(order, losses)
        while len(pairs := knockout.pairs()):
            met = [in_order(*pair) for pair in pairs.tolist()]
            leads = dict.fromkeys(met, 0)
            for _ in range(1 + EXTRA):
                if tied := [pair for pair in met if leads[pair] == 0]:
                    leads.update(zip(tied, (yield tied), strict=True))
            lots = generator(self.request.seed, "tournament/lots", knockout.rounds)
            lot = 1 - 2 * lots.integers(2, size=len(met))
            knockout.enter(
                [
                    pair[0 if (leads[pair] or lot[number]) > 0 else 1]
                    for number, pair in enumerate(met)
                ]
            )
        self.places = knockout.places()
        return "one player was left"

    def _play(self, pairs: Sequence[Pair]) -> list[np.ndarray]:
        """Play the next matches of each pair of a round."""
        if not pairs:
            return []
        meetings = []
        for pair in pairs:
            first = self._used.get(pair, 0)
            self._used[pair] = first + self.request.matches
            meetings.append(PairMatches(*pair, first, self._used[pair]))
        done, foreseen, games = self.meetings, self._foreseen(), self.request.games * len(pairs)
        played = 0

        def report(more: int) -> None:
            nonlocal played
            played += more
            so_far = done + len(pairs) * played // games
            self.report(so_far, max(foreseen, so_far), more)

        counts = self.ledger.round(meetings, report)
        self.meetings += len(pairs)
        return counts

    def _foreseen(self) -> int:
        """Return the number of meetings of the tournament, or an upper bound."""
        request = self.request
        once = self.form.meetings(request, self.players)
        if request.stop_within is None or not self.form.repeats:
            return once
        if request.most_games is None:
            return once * MOST_PASSES
        return request.most_games // request.games

    def _wide(self, within: float) -> np.ndarray:
        """Return which players' rating intervals are still too wide, bool ``[P]``."""
        return self.table().ratings.half_widths > within

    @property
    def _narrow(self) -> str:
        return f"each interval is within {self.request.stop_within:g} points to each side"


class Form(NamedTuple):
    """The form of a schedule.

    Attributes:
        rounds: function that returns the rounds of a tournament.
        meetings: function that returns the maximum number of meetings in one pass, given the
            request and the number of players.
        first_round: function that returns the number of meetings in the first round.
        repeats: whether the schedule can be repeated for more games.
    """

    rounds: Callable[[RatedTournament], Rounds]
    meetings: Callable[[TournamentRequest, int], int]
    first_round: Callable[[TournamentRequest, int], int] = lambda request, players: players // 2
    repeats: bool = False


def num_rounds(request: TournamentRequest, players: int) -> int:
    """Return the number of rounds of a Swiss tournament."""
    return request.rounds or swiss_rounds(players)


SCHEDULES = {
    "round-robin": Form(
        lambda tournament: tournament.repeated(lambda: round_robin(tournament.players)),
        lambda request, players: players * (players - 1) // 2,
        repeats=True,
    ),
    "gauntlet": Form(
        lambda tournament: tournament.repeated(
            lambda: gauntlet(tournament.players, tournament.request.first_players)
        ),
        lambda request, players: request.first_players * (players - request.first_players),
        lambda request, players: players - request.first_players,
        repeats=True,
    ),
    "swiss": Form(
        RatedTournament.swiss,
        lambda request, players: num_rounds(request, players) * (players // 2),
    ),
    "single-elimination": Form(
        lambda tournament: tournament.knockout(1), lambda request, players: players - 1
    ),
    "double-elimination": Form(
        lambda tournament: tournament.knockout(2), lambda request, players: 2 * (players - 1)
    ),
}
"""The form of each schedule, by name."""
