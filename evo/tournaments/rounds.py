"""How a tournament goes: which round comes next, and when it is over."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

import numpy as np

from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import Ledger, PairMatches
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator
from tournaments.options import check_games
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
"""How often a round-robin or a gauntlet is gone through at most."""
EXTRA = 3
"""How often a match of a knock-out is prolonged, by as many games again, before lots are drawn."""
Rounds = Generator[list[Pair], list[int], str]
"""Gives the pairs of each round, takes how many more games the first of each won than the second,
and returns why the tournament is over."""


@dataclass(frozen=True)
class TournamentPlan:
    """What kind of tournament it is.

    Attributes:
        games: of each pair that meets, in a round; even, as a match is two.
        seed: of the tournament.
        schedule: one of :data:`SCHEDULES`.
        rounds: of a Swiss tournament; None: those of a knock-out, and two.
        challengers: how many of the players, from the first on, run a gauntlet.
        stop_within: Elo points; play on until no 95% interval is wider than this to each side.
        most_games: a round that would go beyond so many games in all is not begun.
    """

    games: int = 1000
    seed: int = 1
    schedule: str = "round-robin"
    rounds: int | None = None
    challengers: int | None = None
    stop_within: float | None = None
    most_games: int | None = None

    def __post_init__(self) -> None:
        check_games(self.games)
        if self.schedule not in SCHEDULES:
            raise ConfigError(
                f"schedule {self.schedule!r} given; one of {', '.join(SCHEDULES)} is expected"
            )
        for name in ("rounds", "challengers", "stop_within", "most_games"):
            self._check(name)

    def _check(self, name: str) -> None:
        """Refuse a setting that is not above 0, or that the schedule does not have."""
        value = getattr(self, name)
        if value is None:
            return
        if name not in self.form.settings:
            able = [schedule for schedule, form in SCHEDULES.items() if name in form.settings]
            raise ConfigError(
                f"{name}={value} given with schedule {self.schedule}; it goes with "
                f"{' or '.join(able)}"
            )
        if not value > 0:
            raise ConfigError(f"{name}={value} given; a number above 0 is expected")

    @property
    def form(self) -> Form:
        """What its schedule comes to."""
        return SCHEDULES[self.schedule]

    @property
    def matches(self) -> int:
        """Of a pair that meets, in a round."""
        return self.games // 2

    def check_players(self, players: int) -> None:
        """Refuse what does not go with so many players."""
        if self.challengers is not None and self.challengers >= players:
            raise ConfigError(
                f"challengers={self.challengers} given; there are {players} players, so at most "
                f"{players - 1} are expected"
            )
        most = most_rounds(players)
        if self.rounds is not None and self.rounds > most:
            raise ConfigError(
                f"rounds={self.rounds} given; after {most} rounds each of {players} players has "
                f"met every other: give {most} or fewer, and more games a pair"
            )
        first = self.games * self.form.first_round(self, players)
        if self.most_games is not None and self.most_games < first:
            raise ConfigError(
                f"most_games={self.most_games:,} given; the first round alone is {first:,} games: "
                "give more, or fewer games a pair"
            )

    def num_rounds(self, players: int) -> int:
        """Rounds of a Swiss tournament of so many players."""
        return self.rounds or swiss_rounds(players)


@dataclass
class RatedTournament:
    """A tournament on its way.

    Attributes:
        plan: what kind it is.
        names: the players.
        ledger: their games.
        report: called with (meetings played, how many are foreseen, games) after each part of a
            round.
        anchor: the player whose rating is 0.
        places: those of a knock-out; None for others.
        stopped: why it is over, in words; empty before.
        meetings: played so far.
    """

    plan: TournamentPlan
    names: list[str]
    ledger: Ledger
    report: Callable[[int, int, int], None]
    anchor: int | None = None
    places: list[int] | None = None
    stopped: str = ""
    meetings: int = 0
    _used: dict[Pair, int] = field(default_factory=dict)

    @property
    def players(self) -> int:
        """How many take part."""
        return len(self.names)

    def table(self) -> CrossTable:
        """Who scored what against whom so far."""
        seats, met = self.ledger.entrants.game.seats, dict(self.ledger.met)
        repeated = frozenset(self.ledger.repeated)
        return CrossTable(
            self.names, met, seats, self.anchor, self.places, self.stopped, repeated=repeated
        )

    def run(self) -> CrossTable:
        """Play it to its end."""
        rounds, most = self.plan.form.rounds(self), self.plan.most_games
        try:
            pairs = next(rounds)
            while most is None or self.ledger.games + self.plan.games * len(pairs) <= most:
                counts = self._play(pairs)
                pairs = rounds.send([self._lead(met) for met in counts])
            self.stopped = f"another round would go beyond {most:,} games"
        except StopIteration as over:
            self.stopped = over.value
        return self.table()

    def _lead(self, counts: np.ndarray) -> int:
        """Return how many more games the first of a pair won than the second, of as many games as
        all pairs play: one that repeats its games plays fewer."""
        wins, _, losses = counts.sum(axis=0).tolist()
        return (wins - losses) * self.plan.games // max(1, int(counts.sum()))

    def repeated(self, once: Callable[[], Iterator[list[Pair]]]) -> Rounds:
        """Rounds that are gone through once, or again until the intervals are narrow."""
        wide = np.ones(self.players, dtype=bool)
        for number in count(1):
            before = self.ledger.games
            for pairs in once():
                yield [(i, j) for i, j in pairs if wide[i] or wide[j]]
            if self.plan.stop_within is None:
                return "all who were to meet have met"
            wide = self._wide(self.plan.stop_within)
            if not wide.any():
                return self._narrow
            if self.ledger.games == before:
                return "all games that are left would be the same again"
            if number == MOST_PASSES:
                return f"all have met {MOST_PASSES} times, and intervals are still wider"
        raise AssertionError("endless")

    def swiss(self) -> Rounds:
        """Neighbours in rank, by matches won and then by points."""
        rounds = self.plan.num_rounds(self.players)
        pairing = SwissPairing(self.players, lowest_rests=True)
        points = np.zeros(self.players, dtype=np.int64)  # in halves
        for number in range(rounds):
            rng = generator(self.plan.seed, "tournament/swiss", number)
            pairs = pairing.pairs(rng, points)
            leads = np.array((yield [in_order(*pair) for pair in pairs.tolist()]), dtype=np.int64)
            leads[pairs[:, 0] > pairs[:, 1]] *= -1
            pairing.enter(np.sign(leads))
            np.add.at(points, pairs, self.plan.games + leads[:, None] * (1, -1))
            if self.plan.stop_within is not None and not self._wide(self.plan.stop_within).any():
                return self._narrow
        return f"{rounds} rounds were played"

    def knockout(self, losses: int) -> Rounds:
        """Who has lost so many matches is out; a tie is prolonged, then decided by lot."""
        order = generator(self.plan.seed, "tournament/order").permutation(self.players)
        knockout = Knockout(order, losses)
        while len(pairs := knockout.pairs()):
            met = [in_order(*pair) for pair in pairs.tolist()]
            leads = dict.fromkeys(met, 0)
            for _ in range(1 + EXTRA):
                if tied := [pair for pair in met if leads[pair] == 0]:
                    leads.update(zip(tied, (yield tied), strict=True))
            lots = generator(self.plan.seed, "tournament/lots", knockout.rounds)
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
        """Play a round, each pair's next matches."""
        if not pairs:
            return []
        meetings = []
        for pair in pairs:
            first = self._used.get(pair, 0)
            self._used[pair] = first + self.plan.matches
            meetings.append(PairMatches(*pair, first, self._used[pair]))
        done, foreseen, games = self.meetings, self._foreseen(), self.plan.games * len(pairs)
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
        """How many meetings there will be, or will be at most."""
        plan = self.plan
        once = plan.form.meetings(plan, self.players)
        if plan.stop_within is None or not plan.form.repeats:
            return once
        return once * MOST_PASSES if plan.most_games is None else plan.most_games // plan.games

    def _wide(self, within: float) -> np.ndarray:
        """Which intervals are not yet as narrow as they are to be, bool ``[P]``."""
        return self.table().ratings.half_widths > within

    @property
    def _narrow(self) -> str:
        return f"each interval is within {self.plan.stop_within:g} points to each side"


class Form(NamedTuple):
    """How a schedule goes.

    Attributes:
        settings: the fields of a plan that go with it.
        rounds: its rounds.
        meetings: how many there are at most, gone through once, of a plan and so many players.
        first_round: how many of them are in the first round.
        repeats: whether it can be gone through again for more games.
    """

    settings: tuple[str, ...]
    rounds: Callable[[RatedTournament], Rounds]
    meetings: Callable[[TournamentPlan, int], int]
    first_round: Callable[[TournamentPlan, int], int] = lambda plan, players: players // 2
    repeats: bool = False


LIMITS = ("stop_within", "most_games")
SCHEDULES = {
    "round-robin": Form(
        LIMITS,
        lambda tournament: tournament.repeated(lambda: round_robin(tournament.players)),
        lambda plan, players: players * (players - 1) // 2,
        repeats=True,
    ),
    "gauntlet": Form(
        ("challengers", *LIMITS),
        lambda tournament: tournament.repeated(
            lambda: gauntlet(tournament.players, tournament.plan.challengers or 1)
        ),
        lambda plan, players: (plan.challengers or 1) * (players - (plan.challengers or 1)),
        lambda plan, players: players - (plan.challengers or 1),
        repeats=True,
    ),
    "swiss": Form(
        ("rounds", *LIMITS),
        RatedTournament.swiss,
        lambda plan, players: plan.num_rounds(players) * (players // 2),
    ),
    "single-elimination": Form(
        (), lambda tournament: tournament.knockout(1), lambda plan, players: players - 1
    ),
    "double-elimination": Form(
        (), lambda tournament: tournament.knockout(2), lambda plan, players: 2 * (players - 1)
    ),
}
"""Name -> how it goes."""
