"""How a tournament goes: which round comes next, and when it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from evo.errors import ConfigError
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import Ledger, Meeting
from tournaments.kernels.rng import generator
from tournaments.schedules.pairings import (
    Knockout,
    Pair,
    gauntlet,
    in_order,
    round_robin,
    swiss_pairs,
    swiss_rounds,
)

KNOCKOUTS = {"single-elimination": 1, "double-elimination": 2}
"""After how many lost matches a player is out."""
REPEATED = ("round-robin", "gauntlet")
"""Schedules that can be gone through again for more games."""
SCHEDULES = (*REPEATED, "swiss", *KNOCKOUTS)
MOST_PASSES = 100
"""How often these are gone through at most, unless told otherwise."""
EXTRA = 3
"""How often a match of a knock-out is prolonged, by as many games again, before lots are drawn."""


@dataclass(frozen=True)
class Plan:
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
        if self.games < 2 or self.games % 2:
            raise ConfigError(
                f"games={self.games} given; an even number from 2 is expected, a match is two games"
            )
        if self.schedule not in SCHEDULES:
            raise ConfigError(
                f"schedule {self.schedule!r} given; one of {', '.join(SCHEDULES)} is expected"
            )
        self._check("rounds", ("swiss",))
        self._check("challengers", ("gauntlet",))
        for name in ("stop_within", "most_games"):
            self._check(name, (*REPEATED, "swiss"))

    def _check(self, name: str, schedules: Sequence[str]) -> None:
        """Refuse a setting that is not above 0, or that the schedule does not have."""
        value = getattr(self, name)
        if value is None:
            return
        if self.schedule not in schedules:
            raise ConfigError(
                f"{name}={value} given with schedule {self.schedule}; it goes with "
                f"{' or '.join(schedules)}"
            )
        if not value > 0:
            raise ConfigError(f"{name}={value} given; a number above 0 is expected")

    @property
    def matches(self) -> int:
        """Of a pair that meets, in a round."""
        return self.games // 2

    def first_round(self, players: int) -> int:
        """Games of the first round of so many players."""
        if self.schedule == "gauntlet":
            return self.games * (players - (self.challengers or 1))
        return self.games * (players // 2)

    def check_players(self, players: int) -> None:
        """Refuse what does not go with so many players."""
        if self.challengers is not None and self.challengers >= players:
            raise ConfigError(
                f"challengers={self.challengers} given; there are {players} players, so at most "
                f"{players - 1} are expected"
            )
        first = self.first_round(players)
        if self.most_games is not None and self.most_games < first:
            raise ConfigError(
                f"most_games={self.most_games:,} given; the first round alone is {first:,} games: "
                "give more, or fewer games a pair"
            )


@dataclass
class Contest:
    """A tournament on its way.

    Attributes:
        plan: what kind it is.
        names: the players.
        ledger: their games.
        report: told (meetings played, how many are foreseen, games) after each part of a round.
        anchor: the player whose rating is 0.
        places: what a knock-out comes to.
        stopped: why it is over, in words; empty before.
        meetings: played so far.
    """

    plan: Plan
    names: list[str]
    ledger: Ledger
    report: Callable[[int, int, int], None]
    anchor: int | None = None
    places: list[int] | None = None
    stopped: str = ""
    meetings: int = 0
    _used: dict[Pair, int] = field(default_factory=dict)

    def table(self) -> CrossTable:
        """What has come of it so far."""
        rules = self.ledger.entrants.game
        roles = rules.seats if rules.rules.has_roles else ()
        met = dict(self.ledger.met)
        return CrossTable(self.names, met, roles, self.anchor, self.places, self.stopped)

    def run(self) -> CrossTable:
        """Play it to its end."""
        if self.plan.schedule in KNOCKOUTS:
            self._knockout(KNOCKOUTS[self.plan.schedule])
        elif self.plan.schedule == "swiss":
            self._swiss()
        else:
            self._repeated()
        return self.table()

    def _repeated(self) -> None:
        """A round-robin or a gauntlet, once or until the intervals are narrow."""
        wide = np.ones(len(self.names), dtype=bool)
        for number in count():
            for pairs in self._rounds():
                chosen = [(i, j) for i, j in pairs if wide[i] or wide[j]]
                if not self._fits(chosen):
                    return
                self._play(chosen)
            wide = self._wide()
            if self._is_over(wide):
                return
            if self.plan.stop_within is None:
                self.stopped = "all who were to meet have met"
                return
            if number + 1 == MOST_PASSES:
                self.stopped = f"all have met {MOST_PASSES} times, and intervals are still wider"
                return

    def _rounds(self) -> Iterator[list[Pair]]:
        if self.plan.schedule == "gauntlet":
            return gauntlet(len(self.names), self.plan.challengers or 1)
        return round_robin(len(self.names))

    def _swiss(self) -> None:
        players = len(self.names)
        rounds = self.plan.rounds or swiss_rounds(players)
        won, points = np.zeros((2, players), dtype=np.int64)  # both in halves
        met: set[Pair] = set()
        rested: set[int] = set()
        for number in range(rounds):
            scores = won * (4 * self.plan.games * rounds + 1) + points
            rng = generator(self.plan.seed, "tournament/swiss", number)
            pairs = swiss_pairs(scores, met, rng, rested)
            if not self._fits(pairs):
                return
            for (i, j), counts in zip(pairs, self._play(pairs), strict=True):
                lead = lead_of(counts)
                won[[i, j]] += 1 + np.sign([lead, -lead])
                points[[i, j]] += self.plan.games + np.array([lead, -lead])
            resting = set(range(players)) - {player for pair in pairs for player in pair}
            won[list(resting)] += 2  # a round's rest is a match won
            rested |= resting
            met |= set(pairs)
            if self._is_over(self._wide()):
                return
        self.stopped = f"{rounds} rounds were played"

    def _knockout(self, losses: int) -> None:
        players = len(self.names)
        order = generator(self.plan.seed, "tournament/order").permutation(players)
        knockout = Knockout([int(player) for player in order], losses)
        while pairs := knockout.pairs():
            met = [in_order(*pair) for pair in pairs]
            leads = dict.fromkeys(met, 0)
            for _ in range(1 + EXTRA):
                tied = [pair for pair in met if leads[pair] == 0]
                for pair, counts in zip(tied, self._play(tied), strict=True):
                    leads[pair] = lead_of(counts)
            lots = generator(self.plan.seed, "tournament/lots", knockout.rounds)
            lot = lots.integers(2, size=len(met))
            winners = [
                pair[0 if (leads[pair] or 1 - 2 * int(lot[number])) > 0 else 1]
                for number, pair in enumerate(met)
            ]
            knockout.enter(winners)
        self.places = knockout.places()
        self.stopped = "one player was left"

    def _play(self, pairs: Sequence[Pair]) -> list[np.ndarray]:
        """Play a round, each pair's next matches."""
        if not pairs:
            return []
        meetings = []
        for pair in pairs:
            first = self._used.get(pair, 0)
            self._used[pair] = first + self.plan.matches
            meetings.append(Meeting(*pair, first, self._used[pair]))
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
        players = len(self.names)
        if self.plan.schedule in KNOCKOUTS:
            return KNOCKOUTS[self.plan.schedule] * (players - 1)
        if self.plan.schedule == "swiss":
            return (self.plan.rounds or swiss_rounds(players)) * (players // 2)
        challengers = self.plan.challengers or 1
        once = players * (players - 1) // 2
        once = challengers * (players - challengers) if self.plan.schedule == "gauntlet" else once
        if self.plan.stop_within is None:
            return once
        most = self.plan.most_games
        return once * MOST_PASSES if most is None else most // self.plan.games

    def _fits(self, pairs: Sequence[Pair]) -> bool:
        """Whether a round may be begun; if not, it is over."""
        most = self.plan.most_games
        if most is None or self.ledger.games + self.plan.games * len(pairs) <= most:
            return True
        self.stopped = f"another round would go beyond {most:,} games"
        return False

    def _wide(self) -> np.ndarray:
        """Which intervals are not yet as narrow as they are to be, bool ``[P]``."""
        if self.plan.stop_within is None:
            return np.ones(len(self.names), dtype=bool)
        return self.table().ratings.half_widths > self.plan.stop_within

    def _is_over(self, wide: np.ndarray) -> bool:
        if self.plan.stop_within is None or wide.any():
            return False
        self.stopped = f"each interval is within {self.plan.stop_within:g} points to each side"
        return True


def lead_of(counts: np.ndarray) -> int:
    """Games that the first of two players won more than the second."""
    return int(counts[:, 0].sum() - counts[:, 2].sum())
