"""Moves a second by compiled rules beside interpreted ones: `python -m benchmarks.moves`.

A game of a stranger's in a file, by its `State`, and `set` by PettingZoo: random play, the same
moves by both, in turns, by processor time. What compiling takes is left out. One JSON object each.
"""

import argparse
from dataclasses import replace
from typing import Any

from benchmarks import Results
from benchmarks.report import emit
from benchmarks.timing import Plan, Play, compare
from tournaments import adapters, games
from tournaments.game import Game
from tournaments.kernels.rng import Stream

OTHELLO = "./tests/othello_of_a_stranger.py"


def by_state(game: Game) -> Play:
    """Return a function that plays a number of pairs of random moves."""
    state, stream = game.start(), Stream(1)

    def play(pairs: int) -> Results:
        nonlocal state
        for _ in range(2 * pairs):
            state = game.start() if state.is_over else state
            state.play(stream.choice(state.legal_actions()))
        return 2 * pairs, 0, 0

    return play


def by_pettingzoo(game: Game) -> Play:
    """Likewise, by steps of an environment."""
    environment, stream = adapters.to_pettingzoo(game), Stream(1)

    def play(pairs: int) -> Results:
        for _ in range(2 * pairs):
            if not environment.agents:
                environment.reset()
            shown, _, over, cut, _ = environment.last()
            legal = shown["action_mask"].nonzero()[0].tolist()
            environment.step(None if over or cut else stream.choice(legal))
        return 2 * pairs, 0, 0

    return play


def main() -> None:
    """Command line: `python -m benchmarks.moves [--quick]`."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="shorter turns")
    plan = Plan(0.05, 3) if options.parse_args().quick else Plan(0.5, 7)
    cases = ("State", OTHELLO, by_state), ("PettingZoo", "set", by_pettingzoo)
    for by, spec, player in cases:
        game = games.parse(spec)
        fast, slow = player(game), player(replace(game, at_speed=False))
        while game.moves.compiled is None:
            fast(100)
        found = compare(fast, slow, plan)
        of: dict[str, Any] = {"game": game.name, "by": by}
        emit("moves", found.ours, "moves/s", rules="compiled", **of)
        emit("moves", found.theirs, "moves/s", rules="interpreted", **of)
        emit("moves", found.ratio, "ratio", **of)


if __name__ == "__main__":
    main()
