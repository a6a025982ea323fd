"""The same games and races at equal numbers of games: `python -m benchmarks.racing [--quick]`.

Networks evolve against random play, on three games, with few matches for each individual. Four
ways share the games of a run: plain; the same games for all individuals of a generation; a race for
the best; both. A table of Markdown, a row a game and way: the share of 1,000 other games that the
last champion wins against random play, the median of the seeds with the least and the greatest,
and the median after a quarter and a half of the games.
"""

import argparse
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import evo

GAMES = ("tic-tac-toe", "dots-and-boxes:rows=2,cols=2", "connect-four:rows=5,cols=5")
PLAIN: dict[str, Any] = {"name": "direct", "opponent": "random"}
WAYS: dict[str, dict[str, Any]] = {
    "plain": {"matches": 6},
    "same games": {"matches": 6, "same_games": True},
    "race": {"matches": 3, "race": 10, "race_rounds": 5},
    "both": {"matches": 3, "race": 10, "race_rounds": 5, "same_games": True},
}
"""The fields of the scheme; 50 individuals play 300 matches a generation in each."""
POPULATION, MATCHES = 50, 300


def rates(folder: Path, game: str, way: str, seed: int, generations: int) -> list[float]:
    """Return the win rates of the champions after a quarter, half and all of the generations."""
    settings = {"game": game, "scheme": PLAIN | WAYS[way], "seed": seed, "population": POPULATION}
    quarter = generations // 4
    evo.run(folder, settings, generations=generations, snapshot_interval=quarter)
    rows = evo.evaluate(folder, opponents=["random"], games=1000, best=1, every=1)
    by_generation = rows.set_index("generation")["win_rate"]
    return [float(by_generation[at]) for at in (quarter, 2 * quarter, generations)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two seeds and few generations")
    is_quick = parser.parse_args().quick
    seeds, generations = (range(1, 3), 8) if is_quick else (range(1, 16), 80)
    print(f"{generations} generations of {2 * MATCHES} games, {len(seeds)} seeds\n")
    print(
        "| game | way | a quarter | half | all | least | greatest |\n|---|---|---|---|---|---|---|"
    )
    for game in GAMES:
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                made = [
                    rates(Path(folder, str(seed)), game, way, seed, generations) for seed in seeds
                ]
            quarter, half, last = zip(*made, strict=True)
            numbers = (median(quarter), median(half), median(last), min(last), max(last))
            print(f"| {game} | {way} | {' | '.join(f'{each:.3f}' for each in numbers)} |")


if __name__ == "__main__":
    main()
