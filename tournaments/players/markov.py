"""``markov``, for every repeated game: predicts the other's moves by its last ones, and answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.player import CompiledPlayer
from tournaments.repeated.counts import learnt_prior
from tournaments.repeated.markov import (
    BEST,
    KIND,
    MOST_LEVEL,
    MOST_ORDER,
    NAMES,
    Numbers,
    cells,
)
from tournaments.rules import PlayerOffer

BOUNDS = {
    "order": (0, MOST_ORDER),
    "level": (0, MOST_LEVEL),
    "beta": (0, 1e6),
    "prior": (0, 1e6),
    "threshold": (0, 1e6),
    "net": (0, 1),
}


def player(
    game: Game,
    *,
    order: int = 2,
    level: int = 1,
    beta: float | str = 0.5,
    prior: float = 1.0,
    threshold: float = 0.0,
    net: float = 0.0,
    counts: str = "",
) -> CompiledPlayer:
    """A player that predicts.

    Args:
        game: a repeated one.
        order: how many last moves of the other its next one is taken to depend on, 0 to 4.
        level: 1 models the other, 2 a modeller of itself, 3 one that models that; 0 is random.
        beta: moves are played in proportion to exp(beta * expected score); ``best``: the best one.
        prior: what each count begins from.
        threshold: how often a run of moves must have been seen before it counts.
        net: the weight of the other's score: 0 plays for its own, 1 for net points.
        counts: a file of counts of earlier opponents (``evo evaluate --counts``), in whose shares
            the prior is spread.

    Raises:
        TournamentError: a number beyond its bounds, or a file of something else.
    """
    given: dict[str, Any] = {
        "order": order,
        "level": level,
        "beta": BEST if beta == "best" else beta,
        "prior": prior,
        "threshold": threshold,
        "net": net,
    }
    options: dict[str, Any] = {**given, "beta": beta, "counts": counts}
    for name, value in given.items():
        low, high = BOUNDS[name]
        is_whole = name not in ("order", "level") or isinstance(value, int)
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and is_whole
        if not is_number or not (low <= value <= high or value == BEST):
            what = "a whole number" if name in ("order", "level") else "a number"
            raise TournamentError(
                f"markov: {name}={options[name]} given; {what} from {low} to {high:g}"
                f"{' or best' if name == 'beta' else ''} is expected"
            )
    learnt = learnt_prior(game, counts) if counts else np.ones(cells(game.num_actions))
    numbers = np.array([[float(given[name]) for name in NAMES]])
    said = {name: value for name, value in options.items() if value != DEFAULTS[name]}
    spec = "markov" + ":" * bool(said) + ",".join(f"{key}={value}" for key, value in said.items())
    return CompiledPlayer(spec, KIND, game, Numbers(numbers, learnt), maker=player, options=options)


DEFAULTS: dict[str, Any] = dict(player.__kwdefaults__ or {})


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """One of each level."""
    yield player(game)
    yield player(game, level=2, order=4, threshold=2.0, beta=2.0)
    yield player(game, level=3, order=1, beta="best", net=1.0)


PLAYER = PlayerOffer(
    "predicts the other's moves: markov:order=2,beta=0.5,prior=1,level=1",
    player,
    lambda game: game.rules.stage is not None,
    samples=samples,
)
