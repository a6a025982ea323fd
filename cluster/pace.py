"""The number of matches per call: enough to keep a worker busy for a while.

A short call spends more time on the hand-over than on playing. A long call leaves the other workers
idle at the end, and a lost worker costs many matches. So the length of a call follows from the
measured speed. The first calls are short, to measure the speed. The last calls share the remaining
matches, so that all workers end together.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field

from tournaments.arena.entrants import Entrants
from tournaments.schedules.base import Matches

LONGEST = 0.5  # seconds of a call: half of a noticeable wait
TRIAL = 16  # matches of the first calls of a kind, whose speed is not known
FADING = 0.9  # factor of the best speed after each call
WORTH_SHARING = 0.001  # seconds; shorter work ends before another thread has begun


@dataclass
class Pace:
    """Speeds measured so far, in matches a second of one worker.

    Attributes:
        shortest: least duration of a call in seconds, if there are enough matches.
        handing: seconds that it takes to hand out a call.
    """

    shortest: float
    handing: float = 0.0
    _speeds: dict[Hashable, float] = field(default_factory=dict)
    _best: dict[Hashable, float] = field(default_factory=dict)

    def measured(self, what: Hashable, matches: int, seconds: float) -> None:
        """Record the speed at which a worker played matches.

        A slower call than before counts half, since it may have loaded kernels or waited. A call
        that was too long counts whole.

        Args:
            what: which kind of matches, see :func:`kind_of`.
            matches: number of matches of the call.
            seconds: duration of the call.
        """
        speed = matches / max(seconds, 1e-9)
        before = self._speeds.get(what, speed)
        self._speeds[what] = speed if seconds > LONGEST else max(speed, (before + speed) / 2)
        self._best[what] = max(speed, self._best.get(what, 0.0) * FADING)

    def is_short(self, what: Hashable, total: int) -> bool:
        """Return whether ``total`` matches of kind ``what`` are too few to be shared among workers.

        Such matches take less time than sending them to the workers.
        """
        return total < self._speeds.get(what, 0.0) * WORTH_SHARING

    def expected(self, what: Hashable, matches: int) -> float | None:
        """Return the expected seconds for ``matches`` matches of kind ``what``.

        None means that no speed is known. The estimate uses the best recent speed, since a delayed
        call says nothing about speed.
        """
        best = self._best.get(what)
        return matches / best if best else None

    def length(self, what: Hashable, left: int, total: int, workers: int) -> int:
        """Return how many matches a worker is sent in its next call.

        It is half of a worker's share of the remaining matches, within ``shortest`` and
        ``LONGEST``, or a worker's share of all matches if that is less than ``shortest``. If
        handing out calls is the limit, a call lasts as long as it takes to hand each worker one
        call. If there are more workers than the schedule needs, the length minimises the sum of
        handing out and playing, and some workers get no call.

        Args:
            what: which kind of matches, see :func:`kind_of`.
            left: number of matches that are not handed out yet.
            total: number of all matches.
            workers: number of workers that share the matches.
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
    """A schedule that is cut into calls as workers ask for more matches.

    Attributes:
        total: matches in all.
        workers: number of workers that share the matches.
        kind: which kind of matches, see :func:`kind_of`.
        chunk: matches a call; None: as many as the speed measured so far suggests.
        place: the first match that is not handed out yet.
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
        """Return the range of matches for the next call of a worker; empty if none are left."""
        left, first = self.total - self.place, self.place
        if left:
            length = self.chunk or self.pace.length(self.kind, left, self.total, self.workers)
            self.place += min(length, left)
        return slice(first, self.place)


def kind_of(entrants: Entrants, matches: Matches) -> Hashable:
    """Return the kind of matches, a key: the game, the fixed opponents and the games per match.

    Matches of one kind are about equally fast.
    """
    panel = tuple(player.name for player in entrants.panel)
    return entrants.game.spec, panel, matches.schedule.groups, matches.games
