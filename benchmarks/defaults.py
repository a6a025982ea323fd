"""Which learner under which scheme: `python -m benchmarks.defaults [--quick]`.

Each way evolves players of each game from several seeds for the same number of games; `evo
evaluate` then plays the champion of the last generation. A table of Markdown, a row a way:

* random, mcts: points against random play, and against tree search of 50 playouts;
* last: points against the last yardstick of the game, perfect play where that is known;
* seconds: of evolution, without compiling.

Points are games won, and half of those drawn; in brackets the games won alone. Where the seats have
roles they are the mean of both. What does not go with a game is left out, and so is whoever a game
that hides does not let look ahead. Learning by reward is not compared: it counts turns, not games.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import evo
from evo.config.config import from_dict
from evo.population import ARCHIVE
from tournaments import games, players
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game

GAMES = {
    "dots-and-boxes": "dots-and-boxes:rows=3,cols=3",
    "connect-four": "connect-four:rows=4,cols=5",
    "tic-tac-toe": "tic-tac-toe",
    "nim": "nim:heaps=3-4-5",
    "fox-and-hounds": "fox-and-hounds",
    "cat-and-mouse": "cat-and-mouse",
    "karate": "karate:rounds=20",
    "iterated-prisoners-dilemma": "iterated-prisoners-dilemma:rounds=20",
}
"""By the names of `--only`."""
DIRECT = {"name": "direct", "opponent": "random"}
ODD: dict[str, Any] = {"learner": "openai-es", "population": 101}
WAYS: dict[str, dict[str, Any]] = {
    "genetic, antibody-antigen": {},
    "genetic, hall-of-fame": {"scheme": "hall-of-fame"},
    "genetic, direct": {"scheme": DIRECT},
    "genetic, direct, matches=1": {"scheme": {**DIRECT, "matches": 1}},
    "evolution-strategy, direct": {"learner": "evolution-strategy", "scheme": DIRECT},
    "openai-es, antibody-antigen": {**ODD, "scheme": "antibody-antigen"},
    "openai-es, hall-of-fame": {**ODD, "scheme": "hall-of-fame"},
    "openai-es, direct": {**ODD, "scheme": DIRECT},
    "openai-es, direct, initial=0.5": {**ODD, "scheme": DIRECT, "genome": {"initial": 0.5}},
    "hill-climbing": {"learner": "hill-climbing"},
}
MCTS = "mcts:playouts=50"


class Found(NamedTuple):
    """What a run ended with: its games, its seconds, and by opponent (points, games won)."""

    games: int
    seconds: float
    shares: Mapping[str, tuple[float, float]]


def main() -> None:
    """Print a table a game."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--games", type=int, default=300_000, help="of a run")
    options.add_argument("--measure", type=int, default=1000, help="games against each opponent")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--only", nargs="+", default=list(GAMES), choices=GAMES)
    options.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    options.add_argument("--quick", action="store_true", help="2,000 games, 20 measured, 1 seed")
    asked = options.parse_args()
    if asked.quick:
        asked.games, asked.measure, asked.seeds = 2000, 20, 1
    for name in asked.only:
        game = games.parse(GAMES[name])
        print(f"\n{game.short_spec}, {asked.games:,} games, seeds: {asked.seeds}\n")
        print("| learner, scheme | random | mcts | last | seconds |\n|---|---|---|---|---|")
        for way in asked.ways:
            runs = list(runs_of(game, way, asked.games, asked.seeds, asked.measure))
            if runs:
                print(row(game, way, runs), flush=True)


def runs_of(game: Game, way: str, most: int, seeds: int, measure: int) -> Iterator[Found]:
    """A run for each seed; none where the way does not go with the game."""
    table = {"game": game.spec, **WAYS[way], "games": most, "snapshot_interval": 1_000_000}
    try:
        from_dict(table)
    except (ConfigError, TournamentError):
        return
    for seed in range(1, seeds + 1):
        with TemporaryDirectory() as folder:
            yield _run(Path(folder) / "run", game, {**table, "seed": seed}, measure)


def _run(path: Path, game: Game, table: Mapping[str, Any], measure: int) -> Found:
    run = evo.run(path, table)
    rows = evo.evaluate(
        path, opponents_of(game), measure, best=1, generations=[run.snapshots[-1]]
    ).to_dict("records")
    rows = [row for row in rows if not row["population"].endswith(ARCHIVE)]
    shares = {}
    for opponent in opponents_of(game):
        theirs = [row for row in rows if row["opponent"] == opponent]
        won = mean(row["wins"] / row["games"] for row in theirs)
        drawn = mean(row["draws"] / row["games"] for row in theirs)
        shares[opponent] = won + drawn / 2.0, won
    return Found(run.games_played, run.generations["total_seconds"].sum(), shares)


def opponents_of(game: Game) -> list[str]:
    """Random play, tree search where it plays, and the last yardstick."""
    names = ["random", MCTS, players.yardsticks(game)[-1]]
    return [name for name in dict.fromkeys(names) if _plays(name, game)]


def _plays(name: str, game: Game) -> bool:
    try:
        players.make(name, game)
    except TournamentError:
        return False
    return True


def row(game: Game, way: str, runs: Sequence[Found]) -> str:
    """The means of the runs of one way."""
    cells = [way]
    for opponent in ("random", MCTS, players.yardsticks(game)[-1]):
        shares = [run.shares[opponent] for run in runs if opponent in run.shares]
        points, won = (mean(values) for values in zip(*shares, strict=True)) if shares else (0, 0)
        cells.append(f"{points:.1%} ({won:.1%})" if shares else "")
    cells.append(f"{mean(run.seconds for run in runs):.1f}")
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
