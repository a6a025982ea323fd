"""Whether a seat can compute what is hidden from it: the opening, chance, or the other's draws.

Part of :func:`tournaments.contract.check.check_game`. A cheat knows its own stream, runs it
backwards and forwards, reads what its seat sees as random bits, and takes each number that it finds
for the seed of the opening and for the other seat's stream.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tournaments.game import Game, State
from tournaments.kernels.chance import STREAM_SIZE
from tournaments.kernels.rng import GAMMA, MASK, Stream, opening_seed

STEPS = 4
"""How far a cheat runs its stream backwards, and forwards."""
GAMES = 24
"""A cheat wins if it finds what is hidden by the same way in each of so many games."""


def guesses(stream: Stream, seen: State) -> Iterator[int]:
    """Yield what a cheat computes: the way of each number is its place in the order."""
    own = int(stream.state[0])
    for step in range(-STEPS, STEPS + 1):
        state = (own + step * int(GAMMA)) & MASK
        yield state
        yield Stream(state).draw()
    bits = seen.array.astype(np.uint16).astype(object)
    for place in range(len(bits) - STREAM_SIZE + 1):
        yield sum(int(word) << 16 * k for k, word in enumerate(bits[place : place + STREAM_SIZE]))


def broken_secrecy(game: Game, seed: int) -> str | None:
    """Return the law that a game breaks if a cheat can compute what is hidden from its seat."""
    for seat, name in enumerate(game.seats):
        if _ways(game, seed, seat):
            return (
                f"a seat must not know what is hidden from it; {name!r} (seat {seat}) can compute "
                "the opening, or the other seat's stream, from its own stream and what it sees: "
                "keep the seed, and the stream of chance, out of view()"
            )
    return None


def _ways(game: Game, seed: int, seat: int) -> set[int]:
    """Return the ways of computing something hidden that succeed in every game."""
    left: set[int] | None = None
    for number in range(GAMES):
        own, other = (Stream.for_seat(seed, number, each) for each in (seat, 1 - seat))
        start, another = (game.start(opening_seed(seed, each)) for each in (number, number + 1))
        seen = start.view(seat)
        is_secret = start not in (seen, another)
        left = {
            way
            for way, guess in enumerate(guesses(own, seen))
            if left is None or way in left
            if guess == int(other.state[0]) or (is_secret and game.start(guess) == start)
        }
        if not left:
            break
    return left or set()
