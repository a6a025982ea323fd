"""How many matches a call takes: as many as keep a worker busy for a while.

A call too short pays more for handing over than for playing; one too long leaves the other workers
idle at the end, and a lost worker with much to be played again. So the length of a call follows
from the speed measured so far. The first calls are short ones, to learn it; the last share what
remains, so that all workers end together.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

from tournaments.arena.entrants import Entrants
from tournaments.schedules.base import Matches

LONGEST = 0.5  # seconds of a call: half of what would be felt as a wait
TRIAL = 16  # matches of the first calls of a kind, whose speed is not known
FADING = 0.9  # what is left of the best speed after each call
WORTH_SHARING = 0.001  # seconds; what takes less is over before another thread has begun


@dataclass
class Pace:
    """Speeds measured so far, in matches a second of one worker.

    Attributes:
        shortest: seconds that a call should take at least where there is enough to play.
        handing: seconds that a call takes of whoever hands it out.
    """

    shortest: float
    handing: float = 0.0
    _speeds: dict[Hashable, float] = field(default_factory=dict)
    _best: dict[Hashable, float] = field(default_factory=dict)

    def measured(self, what: Hashable, matches: int, seconds: float) -> None:
        """Take note of a call.

        A slower one than before counts half: it may have had to load kernels, or to wait. One that
        was too long already counts whole.
        """
        speed = matches / max(seconds, 1e-9)
        before = self._speeds.get(what, speed)
        self._speeds[what] = speed if seconds > LONGEST else max(speed, (before + speed) / 2)
        self._best[what] = max(speed, self._best.get(what, 0.0) * FADING)

    def is_short(self, what: Hashable, total: int) -> bool:
        """Whether so many matches are played sooner than shared."""
        return total < self._speeds.get(what, 0.0) * WORTH_SHARING

    def expected(self, what: Hashable, matches: int) -> float | None:
        """Seconds that so many matches should take; None where no speed is known.

        That is by the best speed of late: a call whose worker was held up tells nothing.
        """
        best = self._best.get(what)
        return matches / best if best else None

    def length(self, what: Hashable, left: int, total: int, workers: int) -> int:
        """Matches of the next call.

        Half of a worker's share of what is left, within ``shortest`` and ``LONGEST``; where a share
        of all is less than that, such a share. Where handing out would be the limit, calls are as
        long as it takes to hand each worker one; with more workers than the schedule is worth, as
        long as makes the sum of handing out and playing least, and some workers get none.

        Args:
            what: which kind of matches, see :func:`kind_of`.
            left: how many nobody has yet.
            total: how many there are.
            workers: among how many they are shared.
        """
        speed, share = self._speeds.get(what), -(-total // workers)
        if speed is None:
            return min(TRIAL, share)
        least, most = min(speed * self.shortest, share), speed * LONGEST
        all_handed = speed * self.handing * workers  # while a call is played, each gets one
        least = max(least, min(all_handed, math.sqrt(self.handing * total * speed)))
        return max(1, math.ceil(min(max(left / (2 * workers), least), most)))


@dataclass
class Cut:
    """A schedule as the calls that it is played in, cut off as workers ask for more.

    Attributes:
        total: matches in all.
        workers: among how many they are shared.
        kind: which kind of matches, see :func:`kind_of`.
        chunk: matches a call; None: as many as the speed measured so far suggests.
        place: the first match that nobody has.
    """

    total: int
    workers: int
    pace: Pace
    kind: Hashable
    chunk: int | None
    place: int = 0

    @property
    def is_left(self) -> bool:
        return self.place < self.total

    def next(self) -> slice:
        """The matches of the next call; none where all have been handed out."""
        left, first = self.total - self.place, self.place
        if left:
            length = self.chunk or self.pace.length(self.kind, left, self.total, self.workers)
            self.place += min(length, left)
        return slice(first, self.place)


def kind_of(entrants: Entrants, matches: Matches) -> Hashable:
    """Matches of one kind are about equally fast."""
    panel = tuple(player.name for player in entrants.panel)
    return entrants.game.spec, panel, matches.schedule.groups, matches.games
