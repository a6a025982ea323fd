"""Golden playthroughs: one text file a registered game. Write them anew, on purpose only, by

    python -m tests.golden_update

and look at the difference before it is committed: it is a change of the rules, of the text board or
of the random streams, and the latter changes every published result.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tournaments import games, players
from tournaments.arena.match import play_game
from tournaments.game import Game
from tournaments.kernels.rng import opening_seed

FOLDER = Path(__file__).parent / "golden"

PLAYTHROUGHS = {
    "capture-the-flag": [
        ("capture-the-flag:maze=small,moves=60", "level-0", "level-0"),
        ("capture-the-flag:maze=3,width=14,height=7,dots=4,moves=40", "team", "hungry"),
    ],
    "cat-and-mouse": [
        ("cat-and-mouse:rows=4,cols=3", "level-0", "level-0"),
        ("cat-and-mouse:rows=3,cols=4,first=mouse,obstacles=1:1,end=move-limit", *["level-0"] * 2),
        ("cat-and-mouse:rows=3,cols=4,cats=2,mice=2,cat_steps=2", "level-0", "level-0"),
    ],
    "dots-and-boxes": [
        ("dots-and-boxes", "level-0", "level-0"),
        ("dots-and-boxes:rows=2,cols=3", "level-2", "level-1"),
    ],
    "iterated-prisoners-dilemma": [
        ("iterated-prisoners-dilemma:rounds=6,noise=0.2", "tit-for-tat", "joss"),
    ],
    "karate": [
        ("karate:rounds=4", "level-0", "level-0"),
        ("karate:rounds=12", "markov", "win-stay-lose-shift"),
    ],
}
"""Which games are shown: (game, first player, second player). Any other game: its default board,
random play."""


def playthroughs(name: str) -> str:
    """The text of a game's golden file."""
    chosen = PLAYTHROUGHS.get(name, [(name, "level-0", "level-0")])
    return "\n".join(line for game, a, b in chosen for line in _lines(games.parse(game), a, b))


def _lines(game: Game, a: str, b: str, seed: int = 1) -> Iterator[str]:
    yield f"# {game.spec}, {a} against {b}, seed {seed}"
    yield f"actions: {game.num_actions}, seats: {', '.join(game.seats)}"
    yield f"\n{game.start(opening_seed(seed, 0))}\n"
    made = players.make(a, game), players.make(b, game)
    for ply, (state, seat, action) in enumerate(play_game(game, *made, seed=seed)):
        called = game.rules.describe(game.board, action)
        yield f"## ply {ply}: {game.seats[seat]} plays {action}, {called}"
        yield f"seat to move: {state.seat_to_move}, scores: {list(state.scores)}"
        yield f"legal: {state.legal_actions()}"
        yield f"\n{state}\n"
    yield f"returns: {list(state.returns())}\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in games.names():
        (FOLDER / f"{name}.txt").write_text(playthroughs(name), encoding="utf-8")
        print(f"written: {FOLDER / name}.txt")


if __name__ == "__main__":
    main()
