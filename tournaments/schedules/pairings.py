"""The rounds of tournaments and schemes, made one at a time.

Players are numbers 0..P-1, a pair is two of them, and in a round each player comes once at most,
but for a gauntlet. Nothing here plays a game: the same results give the same pairs, so a tournament
goes on by going through its rounds again.
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


def most_rounds(players: int) -> int:
    """Rounds after which everybody can have met everybody, where no two meet twice."""
    return players - 1 + players % 2


def swiss_rounds(players: int) -> int:
    """Rounds of a Swiss tournament unless a user says: those of a knock-out, and two."""
    return min((players - 1).bit_length() + 2, most_rounds(players))


class SwissPairing:
    """A Swiss tournament: neighbours in rank meet who have not met yet, and nobody rests twice.

    Of an odd number one rests, which counts as a match won. Where those who are left at the bottom
    have met, they change opponents with a pair above them; where no such change helps, they meet
    again.

    Attributes:
        results: int64 ``[P, 3]``, how many matches each player lost, drew and won.
    """

    def __init__(self, players: int, lowest_rests: bool = False) -> None:
        """
        Args:
            players: P.
            lowest_rests: whether the lowest in rank who has not rested yet rests; else it is who
                is left without an opponent that it has not met.
        """
        self.results = np.zeros((players, 3), dtype=np.int64)
        self._lowest_rests = lowest_rests
        self._met: set[Pair] = set()
        self._pairs = np.empty((0, 2), dtype=np.int32)

    def pairs(self, rng: np.random.Generator, tie_break: np.ndarray | None = None) -> np.ndarray:
        """The next round, int32 ``[M, 2]``, the higher in rank of each pair first.

        Args:
            rng: decides between players of equal score.
            tie_break: orders players that have done as well in matches, ``[P]``.
        """
        nobody = len(self.results)
        pairs = self._paired(self._ranked(rng, tie_break), nobody)
        self._met.update(in_order(*pair) for pair in pairs)
        resting = [min(pair) for pair in pairs if nobody in pair]
        self.results[resting, 2] += 1
        met = [pair for pair in pairs if nobody not in pair]
        self._pairs = np.array(met, dtype=np.int32).reshape(-1, 2)
        return self._pairs

    def _ranked(self, rng: np.random.Generator, tie_break: np.ndarray | None) -> list[int]:
        half_points = self.results @ (0, 1, 2)
        shuffled = rng.permutation(len(self.results))
        keys = (half_points,) if tie_break is None else (tie_break, half_points)
        order = np.lexsort([-key[shuffled] for key in keys])  # which keeps the order of equals
        ranked: list[int] = shuffled[order].tolist()
        return ranked

    def _paired(self, ranked: list[int], nobody: int) -> list[Pair]:
        if len(ranked) % 2 == 0:
            return pairing(ranked, self._met)
        if not self._lowest_rests:
            return pairing([*ranked, nobody], self._met)
        fresh = (player for player in reversed(ranked) if (player, nobody) not in self._met)
        lowest = next(fresh, ranked[-1])
        ranked.remove(lowest)
        return [*pairing(ranked, self._met), (lowest, nobody)]

    def enter(self, verdicts: np.ndarray) -> None:
        """Take what the first player made of each match of this round: +1, 0 or -1, ``[M]``."""
        a, b = self._pairs.T
        np.add.at(self.results, (a, 1 + verdicts), 1)
        np.add.at(self.results, (b, 1 - verdicts), 1)


def pairing(ranked: list[int], met: Collection[Pair]) -> list[Pair]:
    """Pair an even number of players from the top, each with the next that it has not met.

    As long as nobody has met half of all, none meet twice: where the last ones are left with
    somebody they met, one pair can always be opened to mend it.

    Args:
        ranked: from the first to the last.
        met: who has met, the lower number first.
    """
    left, pairs = ranked[::-1], []
    while left:
        player, nearest = left.pop(), len(left) - 1
        places = range(nearest, -1, -1)
        place = next((each for each in places if _new(player, left[each], met)), nearest)
        pairs.append((player, left.pop(place)))
    for number, pair in enumerate(pairs):
        if not _new(*pair, met):
            _mend(pairs, number, met)
    return pairs


def _new(player: int, other: int, met: Collection[Pair]) -> bool:
    return in_order(player, other) not in met


def _mend(pairs: list[Pair], number: int, met: Collection[Pair]) -> None:
    """Exchange partners with the pair nearest in rank where that makes two new pairs, in place."""
    player, other = pairs[number]
    for near in sorted(range(len(pairs)), key=lambda place: abs(place - number)):
        first, second = pairs[near]
        if near == number:
            continue
        for third, fourth in ((first, second), (second, first)):
            if _new(player, third, met) and _new(other, fourth, met):
                pairs[near], pairs[number] = (player, third), (other, fourth)
                return


class Knockout:
    """Single elimination, or double: who has lost so many matches is out.

    Those with as many losses as each other are a bracket and meet in its order; who loses comes to
    the end of the next bracket. Once each bracket is down to one player these meet, and if the one
    that had not lost loses, they meet again. Where the first bracket is no power of two, its first
    players rest in its first round; in others of an odd number the first rests, and comes last.

    Attributes:
        rounds: how many have been played.
        survived: int64 ``[P]``, after how many rounds each player was not out.
    """

    def __init__(self, order: Sequence[int] | np.ndarray, losses: int = 1) -> None:
        """
        Args:
            order: of the first round, a permutation of 0..P-1: neighbours meet.
            losses: after how many a player is out: 1, or 2.
        """
        self.rounds = 0
        self.survived = np.zeros(len(order), dtype=np.int64)
        nobody = np.empty(0, dtype=np.int32)
        self._brackets = [np.array(order, dtype=np.int32), *[nobody] * (losses - 1)]

    def shuffle(self, rng: np.random.Generator) -> None:
        """Put those who have not lost into random order, of which the last rest, not the first."""
        bracket = rng.permutation(np.sort(self._brackets[0]))
        self._brackets[0] = np.roll(bracket, self._resting(bracket))

    def pairs(self) -> np.ndarray:
        """Return the pairs of this round, int32 ``[M, 2]``; none when one player is left.

        The first of a pair is the one that comes first in its bracket, or has lost less.
        """
        if all(len(bracket) <= 1 for bracket in self._brackets):
            left = np.concatenate(self._brackets)
            return left[: len(left) // 2 * 2].reshape(-1, 2)
        meeting = [bracket[self._resting(bracket) :] for bracket in self._brackets]
        return np.concatenate(meeting).reshape(-1, 2)

    def enter(self, winners: Sequence[int] | np.ndarray) -> None:
        """Take the winner of each pair of this round, in their order.

        Raises:
            TournamentError: one of them did not play in its place.
        """
        pairs, won = self.pairs(), np.asarray(winners, dtype=np.int64)
        if len(pairs) != len(won) or not (pairs == won[:, None]).any(axis=1).all():
            raise TournamentError(
                f"winners {won.tolist()} of the pairs {pairs.tolist()} given; one of each is "
                "expected"
            )
        lost = np.zeros(len(self.survived), dtype=bool)
        lost[pairs.sum(axis=1) - won] = True
        before, self._brackets = self._brackets, []
        falling = np.empty(0, dtype=np.int32)
        for bracket in before:
            if self.rounds:
                bracket = np.roll(bracket, -self._resting(bracket))
            self._brackets.append(np.concatenate([bracket[~lost[bracket]], falling]))
            falling = bracket[lost[bracket]]
        self.rounds += 1
        for bracket in self._brackets:
            self.survived[bracket] += 1

    def places(self) -> list[int]:
        """The place of each player, from 1; those who go out in the same round share one."""
        places = 1 + np.searchsorted(np.sort(-self.survived), -self.survived)
        return places.tolist()

    def _resting(self, bracket: np.ndarray) -> int:
        """Return how many players at the head of a bracket have no opponent in this round."""
        if self.rounds == 0 and len(bracket):
            return 2 ** (len(bracket) - 1).bit_length() - len(bracket)
        return len(bracket) % 2


def in_order(a: int, b: int) -> Pair:
    """A pair, the smaller number first."""
    return (a, b) if a < b else (b, a)
