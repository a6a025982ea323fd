"""Pairings for the rounds of tournaments and schemes, computed one round at a time.

Players are numbered 0..P-1. A pair is two players. Each player appears at most once per round,
except in a gauntlet. No games are played here: the same results lead to the same pairs, so a
tournament resumes by replaying the results of its earlier rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from tournaments.errors import TournamentError

Pair = tuple[int, int]


def round_robin(players: int) -> Iterator[list[Pair]]:
    """Yield the pairs of each round of a round-robin tournament of P players.

    There are P - 1 rounds, or P rounds with a bye if P is odd. Uses the circle method: one player
    keeps its place, and the others move on by one place after each round.
    """
    seats = players + players % 2  # with an odd number the last seat is a bye
    for number in range(seats - 1):
        circle = [0, *(1 + (place + number) % (seats - 1) for place in range(seats - 1))]
        folded = zip(circle[: seats // 2], reversed(circle[seats // 2 :]), strict=True)
        yield [in_order(a, b) for a, b in folded if max(a, b) < players]


def gauntlet(players: int, challengers: int = 1) -> Iterator[list[Pair]]:
    """Yield the pairs of one round per challenger, who meets every player who is no challenger.

    Raises:
        TournamentError: there are no challengers, or no other players.
    """
    if not 0 < challengers < players:
        raise TournamentError(
            f"challengers={challengers} given; from 1 to {players - 1} of {players} are expected"
        )
    for challenger in range(challengers):
        yield [(challenger, other) for other in range(challengers, players)]


def most_rounds(players: int) -> int:
    """Return the maximum number of rounds of a tournament in which no pair meets twice."""
    return players - 1 + players % 2


def swiss_rounds(players: int) -> int:
    """Return the default number of rounds of a Swiss tournament: two more than a knock-out."""
    return min((players - 1).bit_length() + 2, most_rounds(players))


class SwissPairing:
    """The pairing of a Swiss tournament: players of neighbouring rank meet, no pair twice.

    With an odd number of players, one player rests in each round, and no player rests twice. A rest
    counts as a won match. If the last players in rank have met before, they exchange opponents with
    a pair above them. If no exchange helps, they meet again.

    Attributes:
        results: int64 ``[P, 3]``, the numbers of matches that each player lost, drew and won.
    """

    def __init__(self, players: int, lowest_rests: bool = False) -> None:
        """Create the pairing of a Swiss tournament.

        Args:
            players: P.
            lowest_rests: whether the lowest-ranked player that has not rested yet rests. Otherwise
                the player that is left without a new opponent rests.
        """
        self.results = np.zeros((players, 3), dtype=np.int64)
        self._lowest_rests = lowest_rests
        self._met: set[Pair] = set()
        self._pairs = np.empty((0, 2), dtype=np.int32)

    def pairs(self, rng: np.random.Generator, tie_break: np.ndarray | None = None) -> np.ndarray:
        """Return the pairs of players of the next round of a Swiss tournament, int32 ``[M, 2]``.

        Each pair has the higher rank first.

        Args:
            rng: orders players of equal score.
            tie_break: a secondary score, ``[P]``, that orders players with equal match results.
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
        order = np.lexsort([-key[shuffled] for key in keys])  # lexsort is stable
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
        """Record the results of this round of a Swiss tournament.

        ``verdicts`` are those of the first player of each pair: +1, 0 or -1.
        """
        a, b = self._pairs.T
        np.add.at(self.results, (a, 1 + verdicts), 1)
        np.add.at(self.results, (b, 1 - verdicts), 1)


def pairing(ranked: list[int], met: Collection[Pair]) -> list[Pair]:
    """Pair an even number of players from the top, each with the next player it has not met.

    If the last players have met before, one pair above is split to avoid a repeated match. This
    always succeeds as long as each player has met fewer than half of all players.

    Args:
        ranked: the players from the highest rank to the lowest.
        met: the pairs that have met, the lower number first.
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
    """Split a pair of players that met before, by exchanging partners with another pair in place.

    It is the nearest pair in rank with which both new pairs have not met.

    Args:
        pairs: the pairs, in order of rank.
        number: the index of the pair to split.
        met: the pairs that have met.
    """
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
    """The pairing of a single or double elimination tournament.

    Players with the same number of losses form a bracket and meet in its order. The loser of a
    match moves to the end of the next bracket, or is out. Once each bracket has one player left,
    these players meet. If the player without a loss loses this match, they meet again.

    If the size of the first bracket is not a power of two, its first players rest in the first
    round. In any other bracket of odd size, the first player rests and moves to the end.

    Attributes:
        rounds: number of rounds played.
        survived: int64 ``[P]``, the number of rounds that each player survived.
    """

    def __init__(self, order: Sequence[int] | np.ndarray, losses: int = 1) -> None:
        """Create the pairing of a single or double elimination tournament.

        Args:
            order: the order of the first round, a permutation of 0..P-1. Neighbours meet.
            losses: number of losses after which a player is out: 1 or 2.
        """
        self.rounds = 0
        self.survived = np.zeros(len(order), dtype=np.int64)
        nobody = np.empty(0, dtype=np.int32)
        self._brackets = [np.array(order, dtype=np.int32), *[nobody] * (losses - 1)]

    def shuffle(self, rng: np.random.Generator) -> None:
        """Shuffle the players without a loss in an elimination tournament.

        The last players of the drawn order rest in this round.
        """
        bracket = rng.permutation(np.sort(self._brackets[0]))
        self._brackets[0] = np.roll(bracket, self._resting(bracket))

    def pairs(self) -> np.ndarray:
        """Return the pairs of this round of an elimination tournament, int32 ``[M, 2]``.

        There are none if one player is left. The first player of a pair comes first in its bracket,
        or has fewer losses.
        """
        if all(len(bracket) <= 1 for bracket in self._brackets):
            left = np.concatenate(self._brackets)
            return left[: len(left) // 2 * 2].reshape(-1, 2)
        meeting = [bracket[self._resting(bracket) :] for bracket in self._brackets]
        return np.concatenate(meeting).reshape(-1, 2)

    def enter(self, winners: Sequence[int] | np.ndarray) -> None:
        """Record the winner of each pair of this round of an elimination tournament.

        ``winners`` are in the order of the pairs.

        Raises:
            TournamentError: a winner is not a player of its pair.
        """
        pairs, won = self.pairs(), np.asarray(winners, dtype=np.int64)
        if len(pairs) != len(won) or not (pairs == won[:, None]).any(axis=1).all():
            raise TournamentError(
                f"winners {won.tolist()} of the pairs {pairs.tolist()} given; one player of each "
                "pair is expected"
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
        """Return the place of each player of an elimination tournament, from 1.

        Players out in the same round share a place.
        """
        places = 1 + np.searchsorted(np.sort(-self.survived), -self.survived)
        return places.tolist()

    def _resting(self, bracket: np.ndarray) -> int:
        """Return the number of players at the head of a bracket that rest in this round."""
        if self.rounds == 0 and len(bracket):
            return 2 ** (len(bracket) - 1).bit_length() - len(bracket)
        return len(bracket) % 2


def in_order(a: int, b: int) -> Pair:
    """Return a pair of players with the smaller number first."""
    return (a, b) if a < b else (b, a)
