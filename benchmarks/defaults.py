"""The strength of default runs: `python -m benchmarks.defaults [--quick] [--only GAME...]`.

Each game is evolved by what `evo run --game X` takes, from several run seeds. The champion of each
run plays 1,000 games against an opponent, by seeds that no run is trained on, and in mazes that no
game of training draws. A row a bar and role: the median of the runs, the lower end of its 95%
interval, and the processor time of a run, kernels compiled.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import evo
from evo.config.usual import usual
from evo.evaluation.export import export
from evo.evaluation.players import champion, player
from results.statistics import wilson
from tournaments import games, play_matches

MCTS = "mcts:playouts=50"


class Bar(NamedTuple):
    """A measure that the champion of a default run is to reach.

    Attributes:
        measure: a name of :data:`MEASURES`, ``rank`` or ``rewards``.
        seat: seat whose games count; empty: both seats.
        played: games in which the champion is measured; none: the game of the run.
    """

    game: str
    measure: str
    opponent: str
    least: float
    seat: str = ""
    played: tuple[str, ...] = ()


FOUR, DILEMMA = "connect-four:rows=4,cols=5", "iterated-prisoners-dilemma"
OTHER_MAZES = tuple(f"capture-the-flag:maze={1000 + number}" for number in range(20))
BARS = (
    Bar("fox-and-hounds", "won", "random", 0.95, "hounds"),
    Bar("fox-and-hounds", "won", "optimal", 0.9, "hounds"),
    Bar("fox-and-hounds", "won", "random", 0.95, "fox"),
    Bar("cat-trap", "rewards", "shortest-path", 0.0, "cat"),
    Bar("cat-trap", "won", "random", 0.95, "blocker"),
    Bar("cat-trap", "won", "shortest-path", 0.5, "blocker"),
    Bar("karate", "net", "win-stay-lose-shift", 0.0),
    Bar("karate", "net", "random", 0.0),
    Bar("karate", "net", "markov:order=1", 0.0),
    Bar(DILEMMA, "rank", "the classics", 4),
    Bar(f"{DILEMMA}:noise=0.05", "rank", "the classics", 4),
    Bar("capture-the-flag", "won", "hungry", 0.8, played=OTHER_MAZES),
    Bar("capture-the-flag", "won", "team", 0.5, played=OTHER_MAZES),
    Bar("set", "points", "taker", 0.55),
    Bar(FOUR, "won", "random", 0.85),
    Bar(FOUR, "won", MCTS, 0.4),
    Bar("connect-four", "won", "random", 0.9),
    Bar("nim", "points", "optimal", 0.5),
    Bar("tic-tac-toe", "points", "optimal", 0.5),
    Bar("tic-tac-toe", "points", "random", 0.9),
    Bar("dots-and-boxes", "points", "random", 0.9),
    Bar("dots-and-boxes", "points", MCTS, 0.7),
    Bar("cat-and-mouse", "won", "random", 0.77, "cat"),
    Bar("cat-and-mouse", "won", "random", 0.95, "mouse"),
)
MEASURES = {
    "won": lambda own, other: own > other,
    "points": lambda own, other: (own > other) + 0.5 * (own == other),
    "net": lambda own, other: own - other,
}
"""By name what a game is worth, of the scores of both."""
REWARDS = tuple(f"planner:reward={number}" for number in range(1, 5))
HELD_OUT = 1_000_003
"""The seed of the games by which champions are measured."""


def measured(path: Path, bar: Bar, number: int) -> tuple[float, float, float]:
    """Return what a champion reaches of a bar, the lower 95% bound of it, and the bar."""
    if bar.measure == "rank":
        return _rank(path, bar, number)
    specs = bar.played or (bar.game,)
    own: Any = champion(path)
    if bar.played:  # its numbers, which play any maze
        own = str(path / "champion.npy")
        export(path, own)
    some = [_games(own, spec, bar, number // len(specs)) for spec in specs]
    worth, low = _interval(np.concatenate(some), bar.measure)
    if bar.measure != "rewards":
        return worth, low, bar.least
    rivals = [_games(name, bar.game, bar, number).mean() for name in REWARDS]
    return worth, low, max(rivals)


def _games(who: Any, spec: str, bar: Bar, number: int) -> np.ndarray:
    """Return what each game of a player is worth, in the seats that count."""
    game = games.parse(spec)
    seats = [game.seats.index(bar.seat)] if bar.seat else [0, 1]
    made = player(who, game) if isinstance(who, str) else who
    record = play_matches(game, made, bar.opponent, max(1, number // len(seats)), seed=HELD_OUT)
    worth = MEASURES.get(bar.measure, MEASURES["won"])
    scores = record.outcomes.astype(np.float64)  # game s of a match has the player in seat s
    return np.concatenate([worth(scores[:, s, s], scores[:, s, 1 - s]) for s in seats])


def _interval(values: np.ndarray, measure: str) -> tuple[float, float]:
    """Return a mean and the lower end of its 95% interval."""
    if measure in ("won", "rewards"):
        return float(values.mean()), float(wilson(values.sum(), len(values))[0])
    return float(values.mean()), float(values.mean() - 1.96 * values.std() / sqrt(len(values)))


def _rank(path: Path, bar: Bar, number: int) -> tuple[float, float, float]:
    """Return the place of a champion among the classics by its mean score against all of them."""
    game = games.parse(bar.game)
    field = game.rules.opponents
    each = max(1, number // (2 * len(field)))

    def score(player: Any) -> float:
        played = [play_matches(game, player, name, each, seed=HELD_OUT) for name in field]
        return mean(one.outcomes[:, [0, 1], [0, 1]].mean() for one in played)

    own = score(champion(path, game))
    place = 1 + sum(score(name) > own + 1e-9 for name in field)
    return place, place, bar.least


def print_bars(only: Sequence[str], seeds: int, number: int, changes: Mapping[str, Any]) -> None:
    """Print the table of all bars of some games, a row as soon as it is known."""
    print("| game | role | against | measure | bar | median | low | reached | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for game in dict.fromkeys(bar.game for bar in BARS):
        if game.partition(":")[0] not in only:
            continue
        bars = [bar for bar in BARS if bar.game == game]
        found: dict[Bar, list[tuple[float, float, float]]] = {bar: [] for bar in bars}
        seconds = []
        for seed in range(1, seeds + 1):
            with TemporaryDirectory() as folder:
                path, before = Path(folder) / "run", time.process_time()
                evo.run(path, usual({"game": game, "seed": seed, **changes})[0], threads=2)
                seconds.append(time.process_time() - before)
                for bar in bars:
                    found[bar].append(measured(path, bar, number))
        for bar in bars:
            print(bar_row(bar, found[bar], min(seconds)), flush=True)


def bar_row(bar: Bar, found: Sequence[tuple[float, float, float]], seconds: float) -> str:
    """Return the row of a bar: the run of median worth."""
    worth, low, least = sorted(found)[len(found) // 2]
    is_reached = {"rank": worth <= least, "net": worth > least}.get(bar.measure, worth >= least)
    form = "{:.1f}" if bar.measure in ("net", "rank") else "{:.1%}"
    shown = [form.format(value) for value in (least, worth, low)]
    cells = [bar.game, bar.seat, bar.opponent, bar.measure, *shown]
    return f"| {' | '.join([*cells, 'yes' if is_reached else 'no', f'{seconds:.0f}'])} |"


def main() -> None:
    """Print the table, a game after the other."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = list(dict.fromkeys(bar.game.partition(":")[0] for bar in BARS))
    options.add_argument("--measure", type=int, default=1000, help="games against each opponent")
    options.add_argument("--seeds", type=int, default=5, help="runs of each game")
    options.add_argument("--only", nargs="+", default=known, choices=known)
    options.add_argument("--quick", action="store_true", help="1 generation, 20 games, 1 run")
    asked = options.parse_args()
    if asked.quick:
        print_bars(asked.only, 1, 20, {"generations": 1})
    else:
        print_bars(asked.only, asked.seeds, asked.measure, {})


if __name__ == "__main__":
    main()
