"""The games of a tournament: what is in its folder, and the playing of what is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from cluster import Entrants, Evaluator
from cluster.evaluator import check_all_played
from cluster.referee import Referee, named
from evo.evaluation.players import Participant
from results.folder.tournament import TournamentWriter
from tournaments.arena.outcomes import results_of_a
from tournaments.game import Game
from tournaments.schedules.base import Matches
from tournaments.schedules.combined import STRETCHES, Stretch, Stretches

PART_MATCHES = 10_000
"""Matches after which a part is written: what a crash may cost."""


class PairMatches(NamedTuple):
    """Two players, the smaller number first, and the matches that they are to have played: those
    from number ``first`` up to ``last`` of all that they ever play."""

    i: int
    j: int
    first: int
    last: int


class PlayedStretch(NamedTuple):
    """A stretch of matches that was played, and int64 ``[2, 3]``: wins, draws and losses of player
    i in the first seat, and in the second."""

    first: int
    last: int
    counts: np.ndarray


class Ledger:
    """All games of a tournament, each played once, or read where they were played before.

    A pair's matches are numbered, and each is seeded by the tournament's seed, the two players and
    its number alone. A tournament that goes on takes the same rounds again from the first one; what
    its folder holds is not played again, and counts only once its round has come, so that the
    tournament comes to the same decisions.

    Attributes:
        met: the counts of each pair so far, as :class:`evo.tournaments.cross_table.CrossTable` has
            them.
        games: in all, so far.
        rounds: how many have begun so far.
    """

    def __init__(
        self,
        game: Game,
        participants: Sequence[Participant],
        seed: int,
        evaluator: Evaluator,
        writer: TournamentWriter | None = None,
        referee: Referee | None = None,
    ) -> None:
        self.met: dict[tuple[int, int], np.ndarray] = {}
        self.games = 0
        self.rounds = 0
        self.entrants = Entrants(game, tuple(participant.player for participant in participants))
        self._participants = participants
        self._seed = seed
        self._evaluator = evaluator
        self._writer = writer
        self._referee = referee or Referee()
        self._rows: dict[tuple[int, int], list[PlayedStretch]] = {}
        if writer is not None:
            self._take(writer.pairs)

    def round(
        self,
        meetings: Sequence[PairMatches],
        report: Callable[[int], None] = lambda games: None,
    ) -> list[np.ndarray]:
        """Play what is missing of a round.

        Args:
            meetings: each pair once.
            report: called with the games of each part that was played.

        Returns:
            Of each meeting the wins, draws and losses of player i, int64 ``[2, 3]``.
        """
        self.rounds += 1
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

    def _gaps(self, meetings: Sequence[PairMatches]) -> Iterator[PairMatches]:
        """The matches that have not been played, in stretches that a part has room for."""
        for meeting in meetings:
            first = meeting.first
            held = sorted(self._rows.get(meeting[:2], []), key=lambda row: row.first)
            for row in [*held, PlayedStretch(meeting.last, meeting.last, np.zeros(0))]:
                until = min(row.first, meeting.last)
                for start in range(first, until, PART_MATCHES):
                    yield meeting._replace(first=start, last=min(start + PART_MATCHES, until))
                first = max(first, row.last)

    def _play(self, part: Sequence[PairMatches]) -> int:
        """Play a part and write it; how many games it was."""
        order = [self._order(meeting.i, meeting.j) for meeting in part]
        stretches = [
            Stretch(-1 - a, -1 - b, self._purpose(a, b), gap.first, gap.last - gap.first)
            for gap, (a, b) in zip(part, order, strict=True)
        ]
        schedule = Stretches.of(stretches, self._seed)
        counts = self._referee.settled(lambda: self._counted(schedule))
        self._referee.flush()
        self._keep(part, order, counts)
        return 2 * len(schedule)

    def _counted(self, schedule: Stretches) -> np.ndarray:
        """Play all stretches: wins, draws and losses of each by seat, int64 ``[S, 2, 3]``."""
        matches, count = Matches(schedule, self._seed, STRETCHES), 0
        counts = np.zeros((len(schedule.ends), 2, 3), dtype=np.int64)
        who = named([participant.name for participant in self._participants])
        for played in self._referee.play(self._evaluator, self.entrants, matches, who):
            verdicts = 1 - results_of_a(played.outcomes).astype(np.int64)  # as columns of counts
            places = np.arange(played.first, played.first + len(verdicts))
            which = np.searchsorted(schedule.ends, places, side="right")
            cells = (2 * which[:, None] + (0, 1)) * 3 + verdicts  # a holds seat g in game g
            counts += np.bincount(cells.reshape(-1), minlength=counts.size).reshape(counts.shape)
            count += len(verdicts)
        check_all_played(self._evaluator, matches, count)
        return counts

    def _keep(
        self, part: Sequence[PairMatches], order: Sequence[tuple[int, int]], counts: np.ndarray
    ) -> None:
        if self._writer is not None:
            played = zip(part, order, counts, strict=True)
            self._writer.add_pairs([self._row(*meeting, self.rounds) for meeting in played])
        for meeting, (a, _), made in zip(part, order, counts, strict=True):
            mine = made if a == meeting.i else made[::-1, ::-1]
            row = PlayedStretch(meeting.first, meeting.last, mine)
            self._rows.setdefault(meeting[:2], []).append(row)

    def _row(
        self, meeting: PairMatches, order: tuple[int, int], counts: np.ndarray, number: int
    ) -> dict[str, Any]:
        wins, draws, losses = counts.sum(axis=0).tolist()
        first = counts[0].tolist()
        return {
            "round": number,
            "player": self._participants[order[0]].name,
            "opponent": self._participants[order[1]].name,
            "first_match": meeting.first,
            "games": wins + draws + losses,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            **dict(zip(("wins_first", "draws_first", "losses_first"), first, strict=True)),
        }

    def _take(self, pairs: dict[str, np.ndarray]) -> None:
        """Remember what was played before."""
        numbers = {who.name: number for number, who in enumerate(self._participants)}
        totals = np.stack([pairs[name] for name in ("wins", "draws", "losses")], axis=1)
        firsts = [pairs[f"{name}_first"] for name in ("wins", "draws", "losses")]
        counts = np.stack([np.stack(firsts, axis=1), totals - np.stack(firsts, axis=1)], axis=1)
        names = zip(pairs["player"].tolist(), pairs["opponent"].tolist(), strict=True)
        for index, (player, opponent) in enumerate(names):
            if player not in numbers or opponent not in numbers:
                continue  # of who has left a league
            a, b = numbers[player], numbers[opponent]
            mine = counts[index] if a < b else counts[index, ::-1, ::-1]
            first = int(pairs["first_match"][index])
            row = PlayedStretch(first, first + int(pairs["games"][index]) // 2, mine)
            self._rows.setdefault((min(a, b), max(a, b)), []).append(row)

    def _count(self, meeting: PairMatches) -> np.ndarray:
        """The counts of a meeting, which from now on are part of :attr:`met`.

        Stretches count where they begin, so each counts once, whatever rounds they were played in.
        """
        held = self._rows.get(meeting[:2], [])
        mine = [row.counts for row in held if meeting.first <= row.first < meeting.last]
        made = sum(mine, np.zeros((2, 3), dtype=np.int64))
        if mine:
            before = self.met.get(meeting[:2])
            self.met[meeting[:2]] = made if before is None else before + made
        self.games += int(made.sum())
        return made

    def _order(self, i: int, j: int) -> tuple[int, int]:
        """Entrants a and b of a pair, whatever the order in which the players were named."""
        return (i, j) if self._participants[i].order <= self._participants[j].order else (j, i)

    def _purpose(self, a: int, b: int) -> str:
        return f"tournament/{self._participants[a].identity}/{self._participants[b].identity}"
