"""How long it takes to compute what comes of games: `python -m benchmarks.exact_play`.

One JSON object a line for each player: the seconds to ask what it draws from in every edge set; and
for each pair of players: the seconds that their meeting takes after that, and what comes of it to
the first of the two. Kernels are compiled, and the game solved, before. The levels of the study
meet each other by

    python -m benchmarks.exact_play --players level-0 level-1 level-2 optimal box-completion-network
"""

import argparse
import time

from benchmarks.exploitability import player
from benchmarks.report import emit, machine
from cluster.processors import available_threads
from tournaments import games
from tournaments.game import Game
from tournaments.games.dots_and_boxes.edge_sets import Surveyed, survey
from tournaments.games.dots_and_boxes.exact_play import meet
from tournaments.solver import table as oracle


def main() -> None:
    """Survey each player, and let each pair meet."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--players", nargs="+", default=["network", "level-1"], help="network: a random one"
    )
    options.add_argument("--rows", type=int, default=3)
    options.add_argument("--cols", type=int, default=3)
    options.add_argument("--threads", type=int, default=available_threads())
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    game = games.make("dots-and-boxes", rows=chosen.rows, cols=chosen.cols)
    oracle.values(game)
    surveyed = [survey_of(name, game, chosen.threads) for name in chosen.players]
    pairs = [(one, two) for one in surveyed for two in surveyed]
    meet(player("level-0", small()), player("level-1", small()))  # compiles
    for one, two in pairs:
        measure(one, two, chosen.threads)


def small() -> Game:
    """Return a small board, on which all work is quick."""
    return games.make("dots-and-boxes", rows=1, cols=1)


def survey_of(name: str, game: Game, threads: int) -> Surveyed:
    """Ask a player what it draws from, and print what it took."""
    survey(player(name, small()))  # compiles
    started = time.perf_counter()
    found = survey(player(name, game), threads)
    seconds = time.perf_counter() - started
    emit("survey", seconds, "s", threads=threads, board=board_of(game), player=found.name)
    return found


def measure(one: Surveyed, two: Surveyed, threads: int) -> None:
    """Let two players meet and print what it took and what came of it."""
    started = time.perf_counter()
    found = meet(one, two, threads)
    seconds = time.perf_counter() - started
    result = {
        "won": f"{found.win_rate:.4%}",
        "drawn": f"{found.draw_rate:.4%}",
        "won_by_seat": [f"{share:.4%}" for share in found.wins],
        "margins": [f"{net:+.4f}" for net in found.margins],
        "regret": f"{found.regret:.4f}",
        "optimal_share": f"{found.optimal_share:.4%}",
    }
    who = {"board": board_of(one.game), "player": one.name, "opponent": two.name}
    emit("meeting", seconds, "s", threads=threads, **who, **result)


def board_of(game: Game) -> str:
    """Such as 3x3."""
    return "x".join(str(game.options[side]) for side in ("rows", "cols"))


if __name__ == "__main__":
    main()
