"""The games of a tournament: games are read from its folder, and missing games are played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from cluster import Entrants, Evaluator
from cluster.evaluator import all_done, all_outcomes
from cluster.faults import MatchLost
from cluster.referee import Referee, named
from evo.evaluation.players import Participant
from evo.tournaments.cross_table import RESULTS, CrossTable, of_opponent, tally
from results.folder.tournament import TournamentWriter
from tournaments.arena.forfeits import Patience
from tournaments.arena.outcomes import Played, count_by_seat
from tournaments.arena.repeats import Rehearsal, draws, matches_looked_at
from tournaments.game import Game
from tournaments.player import compiled
from tournaments.schedules.base import Matches
from tournaments.schedules.combined import STRETCHES, MatchStretch, Stretches
from tournaments.schedules.pairings import Pair, in_order

PART_MATCHES = 10_000
"""Number of matches per written part. A crash loses at most this number of matches."""
PROBES = 8
"""Number of equal matches of a compiled pair after which its moves are examined for repeats."""


IN_FIRST_SEAT = tuple(f"{name}_first" for name in RESULTS)
"""Names of the columns of the counts of games in the first seat."""


def pair_of(a: str, b: str) -> tuple[str, str]:
    """Return two names in order."""
    return (a, b) if a < b else (b, a)


class PairMatches(NamedTuple):
    """The matches of two players from number ``first`` up to ``last``.

    The player with the smaller number comes first. All matches of a pair are numbered.
    """

    i: int
    j: int
    first: int
    last: int


@dataclass(eq=False)
class SeededGames:
    """The games of pairs of players.

    The seed of a game depends only on the given seed, the two players and the match number.

    Attributes:
        game: the game.
        participants: the players.
        seed: seed of the games.
        evaluator: evaluator that plays the games.
        referee: referee that decides about faults.
        purpose: purpose of the games. Each purpose has its own random streams.
        entrants: the entrants, with the players as the panel.
        names: names of the players.
    """

    game: Game
    participants: Sequence[Participant]
    seed: int
    evaluator: Evaluator
    referee: Referee = field(default_factory=Referee)
    purpose: str = "tournament"

    def __post_init__(self) -> None:
        self.entrants = Entrants(self.game, tuple(each.player for each in self.participants))
        self.names = [each.name for each in self.participants]

    def order(self, i: int, j: int) -> Pair:
        """Return entrants a and b of a pair, independent of the order of the names."""
        return (i, j) if self.participants[i].order <= self.participants[j].order else (j, i)

    def matches(self, meetings: Iterable[PairMatches]) -> Matches:
        """Return the matches of some pairs, one stretch each."""
        stretches = []
        for i, j, first, last in meetings:
            a, b = self.order(i, j)
            ends = (self.participants[number].identity for number in (a, b))
            purpose = "/".join([self.purpose, *ends])
            stretches.append(MatchStretch(-1 - a, -1 - b, purpose, first, last - first))
        return Matches(Stretches.of(stretches, self.seed), self.seed, STRETCHES)

    def play(self, matches: Matches, take: Callable[[Iterable[Played]], np.ndarray]) -> np.ndarray:
        """Play matches and return the result of ``take`` for the played parts."""
        play, who = self.referee.play, named(self.names)
        return self.referee.play_until_verdicts_settle(
            lambda: take(play(self.evaluator, self.entrants, matches, who))
        )

    def repeating(self, pairs: Sequence[Pair]) -> list[bool]:
        """Return which pairs repeat their games in every match.

        See :mod:`tournaments.arena.repeats`.
        """
        repeats = [False] * len(pairs)
        if draws(self.entrants.game) or not pairs:
            return repeats
        orders = [self.order(i, j) for i, j in pairs]
        sides = [(self.entrants.panel[a], self.entrants.panel[b]) for a, b in orders]

        def matches(numbers: Sequence[int], count: int) -> Matches:
            return self.matches(PairMatches(*pairs[number], 0, count) for number in numbers)

        suspects, probed = list[int](), list[int]()
        for number, both in enumerate(sides):
            (probed if all(map(compiled, both)) else suspects).append(number)
        if probed:
            outcomes = all_outcomes(self.evaluator, self.entrants, matches(probed, PROBES))
            outcomes = outcomes.reshape(len(probed), PROBES, -1)
            are_alike = (outcomes == outcomes[:, :1]).all(axis=(1, 2))
            suspects += np.array(probed)[are_alike].tolist()
        pieces, patience = [], Patience()
        for number in suspects:
            count = matches_looked_at(sides[number])
            seeds = matches([number], count).part(0, count)[1].tolist()
            pieces.append(Rehearsal(self.entrants.game, sides[number], tuple(seeds), patience))
        while pieces:
            try:
                for number, found in zip(suspects, all_done(self.evaluator, pieces), strict=True):
                    repeats[number] = found
                break
            except MatchLost as lost:  # the match itself then shows it, and whose fault it is
                del pieces[lost.match], suspects[lost.match]
        return repeats


class PlayedStretch(NamedTuple):
    """A stretch of played matches and its counts.

    The counts are wins, draws and losses of player i, in the first seat and in the second, int64
    ``[2, 3]``.
    """

    first: int
    last: int
    counts: np.ndarray


@dataclass(eq=False)
class Ledger(SeededGames):
    """The games of a tournament. Each game is played once, or read from the tournament's folder.

    The matches of a pair are numbered. The seed of a match depends only on the tournament's seed,
    the two players and the match number. A continued tournament repeats its rounds from the first
    one. Games in the folder are not played again, and they count only when their round has come.
    The continued tournament therefore makes the same decisions.

    Attributes:
        writer: writer of the tournament's folder. None: the games are not stored.
        met: counts of each pair so far, as in :class:`evo.tournaments.cross_table.CrossTable`.
        names: names of the players, followed by former players in the folder.
        played: counts of each pair in all games of the folder, independent of the round.
        games: number of games so far.
        rounds: number of rounds begun so far.
        repeated: pairs of names, each in order, of the players that repeat their games. Such a
            pair plays one match, and this match counts.
    """

    writer: TournamentWriter | None = None
    met: dict[Pair, np.ndarray] = field(init=False, default_factory=dict)
    played: dict[Pair, np.ndarray] = field(init=False, default_factory=dict)
    games: int = field(init=False, default=0)
    rounds: int = field(init=False, default=0)
    repeated: set[tuple[str, str]] = field(init=False, default_factory=set)
    _rows: dict[Pair, list[PlayedStretch]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.writer is not None:
            self._take(self.writer.pairs)
            self.repeated = {(a, b) for a, b in (self.writer.info or {}).get("repeated", ())}

    def round(
        self,
        meetings: Sequence[PairMatches],
        report: Callable[[int], None] = lambda games: None,
    ) -> list[np.ndarray]:
        """Play the missing matches of a round.

        Args:
            meetings: the meetings, with each pair once.
            report: called with the number of games of each played part.

        Returns:
            The wins, draws and losses of player i in each meeting, int64 ``[2, 3]``.
        """
        self.rounds += 1
        self._look_for_repeats(meetings)
        part: list[PairMatches] = []
        matches = 0
        for gap in self._gaps(meetings):
            part.append(gap)
            matches += gap.last - gap.first
            if matches >= PART_MATCHES:
                report(self._play(part))
                part, matches = [], 0
        if part:
            report(self._play(part))
        return [self._count(meeting) for meeting in meetings]

    def table(self, met: Mapping[Pair, np.ndarray]) -> CrossTable:
        """Return the cross table of :attr:`met` or of :attr:`played`."""
        seats, repeated = self.entrants.game.seats, frozenset(self.repeated)
        return CrossTable(self.names, met, seats, repeated=repeated)

    def _look_for_repeats(self, meetings: Sequence[PairMatches]) -> None:
        """Find the pairs that repeat their games, among the pairs that meet for the first time."""
        new = [
            meeting
            for meeting in meetings
            if meeting[:2] not in self._rows
            and self._names(meeting) not in self.repeated
            and self.referee.quarantined.isdisjoint(self._names(meeting))
        ]
        found = self.repeating([(meeting.i, meeting.j) for meeting in new])
        more = {self._names(each) for each, repeats in zip(new, found, strict=True) if repeats}
        self.repeated |= more
        if more and self.writer is not None:
            names = sorted(map(list, self.repeated))
            self.writer.write_info({**(self.writer.info or {}), "repeated": names})

    def _names(self, meeting: PairMatches) -> tuple[str, str]:
        """Return the names of the two players in order."""
        return pair_of(self.names[meeting.i], self.names[meeting.j])

    def _gaps(self, meetings: Sequence[PairMatches]) -> Iterator[PairMatches]:
        """Yield the missing matches, in stretches of at most :data:`PART_MATCHES`."""
        for meeting in meetings:
            first = meeting.first
            if self._names(meeting) in self.repeated:
                meeting = meeting._replace(last=min(meeting.last, 1))
            held = sorted(self._rows.get(meeting[:2], []), key=lambda row: row.first)
            for row in [*held, PlayedStretch(meeting.last, meeting.last, np.zeros(0))]:
                until = min(row.first, meeting.last)
                for start in range(first, until, PART_MATCHES):
                    yield meeting._replace(first=start, last=min(start + PART_MATCHES, until))
                first = max(first, row.last)

    def _play(self, part: Sequence[PairMatches]) -> int:
        """Play a part, write it, and return the number of games."""
        matches = self.matches(part)
        ends = np.cumsum([meeting.last - meeting.first for meeting in part])
        counts = self.play(matches, lambda played: count_by_seat(played, ends))
        self.referee.flush()
        played = [
            (meeting, self.order(meeting.i, meeting.j), made)
            for meeting, made in zip(part, counts, strict=True)
        ]
        if self.writer is not None:
            self.writer.add_pairs([self._row(*each) for each in played])
        for meeting, (a, b), made in played:
            self._remember(a, b, meeting.first, meeting.last, made)
        return 2 * len(matches)

    def _row(self, meeting: PairMatches, order: Pair, counts: np.ndarray) -> dict[str, Any]:
        return {
            "round": self.rounds,
            "player": self.names[order[0]],
            "opponent": self.names[order[1]],
            "first_match": meeting.first,
            **tally(counts),
            "games": 2 * (meeting.last - meeting.first),
            **dict(zip(IN_FIRST_SEAT, counts[0].tolist(), strict=True)),
        }

    def _remember(self, a: int, b: int, first: int, last: int, counts: np.ndarray) -> None:
        """Enter a stretch of matches, with the counts of player a."""
        pair, mine = in_order(a, b), counts if a < b else of_opponent(counts)
        self._rows.setdefault(pair, []).append(PlayedStretch(first, last, mine))
        self.played[pair] = self.played.get(pair, 0) + mine

    def _take(self, pairs: dict[str, np.ndarray]) -> None:
        """Enter the matches of the tournament's folder."""
        totals = np.stack([pairs[name] for name in RESULTS], axis=1)
        firsts = np.stack([pairs[name] for name in IN_FIRST_SEAT], axis=1)
        counts = np.stack([firsts, totals - firsts], axis=1)
        numbers = {name: number for number, name in enumerate(self.names)}
        ends = zip(pairs["player"].tolist(), pairs["opponent"].tolist(), strict=True)
        for index, names in enumerate(ends):
            a, b = (numbers.setdefault(name, len(numbers)) for name in names)
            first, games = int(pairs["first_match"][index]), int(pairs["games"][index])
            self._remember(a, b, first, first + games // 2, counts[index])
        self.names = list(numbers)

    def _count(self, meeting: PairMatches) -> np.ndarray:
        """Return the counts of a meeting and add them to :attr:`met`.

        A stretch belongs to the meeting in which it begins, so that each stretch counts once. A
        pair that repeats its games has the same counts in each meeting, and only its first meeting
        is added.
        """
        held = self._rows.get(meeting[:2], [])
        is_repeated = self._names(meeting) in self.repeated
        first, last = (0, 1) if is_repeated else (meeting.first, meeting.last)
        mine = [row.counts for row in held if first <= row.first < last]
        made = sum(mine, np.zeros((2, 3), dtype=np.int64))
        if is_repeated and meeting.first > 0:
            return made
        if mine:
            before = self.met.get(meeting[:2])
            self.met[meeting[:2]] = made if before is None else before + made
        self.games += int(made.sum())
        return made
