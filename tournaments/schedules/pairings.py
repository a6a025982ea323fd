"""Who plays whom next in a tournament: rounds made one at a time, from how things stand.

Players are numbers 0..P-1, a pair is a tuple of two of them, and a round a list of pairs in which
each player comes once at most, but for a gauntlet. Nothing here plays or remembers a game: the same
standings give the same pairs, so a tournament is gone on with by going through its rounds again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from tournaments.errors import TournamentError

Pair = tuple[int, int]


def round_robin(players: int) -> Iterator[list[Pair]]:
    """Everybody against everybody in P - 1 rounds, or P where one has to rest in each.

    The circle method: one player stays, the others move on by one place after each round.
    """
    seats = players + players % 2  # the last is nobody where the number is odd
    for number in range(seats - 1):
        circle = [0, *(1 + (place + number) % (seats - 1) for place in range(seats - 1))]
        folded = zip(circle[: seats // 2], reversed(circle[seats // 2 :]), strict=True)
        yield [in_order(a, b) for a, b in folded if max(a, b) < players]


def gauntlet(players: int, challengers: int = 1) -> Iterator[list[Pair]]:
    """The first so many against everybody else, each of them in a round of its own.

    Raises:
        TournamentError: nobody is left to be met, or nobody meets them.
    """
    if not 0 < challengers < players:
        raise TournamentError(
            f"challengers={challengers} given; from 1 to {players - 1} of {players} are expected"
        )
    for challenger in range(challengers):
        yield [(challenger, other) for other in range(challengers, players)]


def swiss_rounds(players: int) -> int:
    """Rounds of a Swiss tournament unless told otherwise: those of a knock-out, and two."""
    return min((players - 1).bit_length() + 2, players - 1 + players % 2)


def swiss_pairs(
    scores: Sequence[float] | np.ndarray,
    met: Collection[Pair],
    rng: np.random.Generator,
    rested: Collection[int] = (),
) -> list[Pair]:
    """A round of a Swiss tournament: neighbours in the standings who have not met yet.

    Of an odd number the lowest who has not rested yet rests. Where those who are left at the bottom
    have met, they change opponents with a pair above them; where no such change helps, they meet
    again.

    Args:
        scores: points so far, ``[P]``; equal ones are ordered at random.
        met: pairs that have met, the smaller number first.
        rng: decides between players of equal score.
        rested: who had no opponent in a round before.
    """
    shuffled = rng.permutation(len(scores))
    standing = [
        int(one) for one in shuffled[np.argsort(-np.asarray(scores)[shuffled], kind="stable")]
    ]
    if len(standing) % 2:
        lowest = next((one for one in reversed(standing) if one not in rested), standing[-1])
        standing.remove(lowest)
    return [in_order(a, b) for a, b in pairing(standing, met)]


def pairing(ranked: list[int], met: Collection[Pair]) -> list[Pair]:
    """Pair an even number of players from the top, each with the next that it has not met.

    As long as nobody has met half of all, none meet twice: where the last ones are left with
    somebody they met, one pair can always be opened to mend it.

    Args:
        ranked: from the first to the last.
        met: who has met, the lower number first.
    """
    following = [*range(1, len(ranked) + 1)]  # the next in rank that has no partner yet
    taken = [False] * len(ranked)
    pairs = []
    for place, player in enumerate(ranked):
        if taken[place]:
            continue
        before, other = place, following[place]
        nearest = other
        while other < len(ranked) and not _new(player, ranked[other], met):
            before, other = other, following[other]
        if other == len(ranked):
            before, other = place, nearest
        taken[other] = True
        following[before] = following[other]
        pairs.append((player, ranked[other]))
    for number, pair in enumerate(pairs):
        if not _new(*pair, met):
            _mend(pairs, number, met)
    return pairs


def _new(one: int, other: int, met: Collection[Pair]) -> bool:
    return in_order(one, other) not in met


def _mend(pairs: list[Pair], number: int, met: Collection[Pair]) -> None:
    """Exchange partners with the pair nearest in rank where that makes two new pairs, in place."""
    one, other = pairs[number]
    for near in sorted(range(len(pairs)), key=lambda place: abs(place - number)):
        first, second = pairs[near]
        if near == number:
            continue
        for third, fourth in ((first, second), (second, first)):
            if _new(one, third, met) and _new(other, fourth, met):
                pairs[near], pairs[number] = (one, third), (other, fourth)
                return


class Knockout:
    """Single elimination, or double: who has lost so many matches is out.

    Those with as many losses as each other are a bracket and meet in its order; who loses comes to
    the end of the next bracket. Once each bracket is down to one player these meet, and if the one
    that had not lost loses, they meet again. Where the first bracket is no power of two, its first
    players rest in its first round; in others of an odd number the first rests, and comes last.

    Attributes:
        players: P.
        rounds: how many have been played.
    """

    def __init__(self, order: Sequence[int], losses: int = 1) -> None:
        """
        Args:
            order: of the first round, a permutation of 0..P-1: neighbours meet.
            losses: after how many a player is out: 1, or 2.
        """
        self.players = len(order)
        self.rounds = 0
        self._brackets: list[list[int]] = [list(order), *([] for _ in range(losses - 1))]
        self._out: list[list[int]] = []

    def pairs(self) -> list[Pair]:
        """Those who meet in this round; none when one player is left.

        The first of a pair is the one that comes first in its bracket, or has lost less.
        """
        if all(len(bracket) <= 1 for bracket in self._brackets):
            left = [player for bracket in self._brackets for player in bracket]
            return [(left[0], left[1])] if len(left) > 1 else []
        meeting = (bracket[self._resting(bracket) :] for bracket in self._brackets)
        return [pair for one in meeting for pair in zip(one[::2], one[1::2], strict=True)]

    def enter(self, winners: Sequence[int]) -> None:
        """Take the winner of each pair of this round, in their order.

        Raises:
            TournamentError: one of them did not play in its place.
        """
        pairs = self.pairs()
        if len(pairs) != len(winners) or any(
            one not in pair for one, pair in zip(winners, pairs, strict=True)
        ):
            raise TournamentError(
                f"winners {list(winners)} of the pairs {pairs} given; one of each is expected"
            )
        losers = {a if one == b else b for one, (a, b) in zip(winners, pairs, strict=True)}
        before = self._brackets
        falling: list[int] = []
        self._brackets = []
        for bracket in before:
            rest = self._resting(bracket) if len(bracket) > 1 else 0
            order = bracket if self.rounds == 0 else bracket[rest:] + bracket[:rest]
            self._brackets.append([one for one in order if one not in losers] + falling)
            falling = [one for one in order if one in losers]
        self._out.append(falling)
        self.rounds += 1

    def places(self) -> list[int]:
        """The place of each player, from 1; those who go out in the same round share one."""
        places = [1] * self.players
        still = self.players
        for out in self._out:
            still -= len(out)
            for player in out:
                places[player] = still + 1
        return places

    def _resting(self, bracket: list[int]) -> int:
        """How many of a bracket, from its first on, have no opponent in this round."""
        if self.rounds == 0 and bracket:
            return 2 ** (len(bracket) - 1).bit_length() - len(bracket)
        return len(bracket) % 2


def in_order(a: int, b: int) -> Pair:
    """A pair, the smaller number first."""
    return (a, b) if a < b else (b, a)
