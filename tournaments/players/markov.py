"""``markov``, for every repeated game: predict the opponent from its last moves, and respond."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tournaments.game import Game
from tournaments.options import as_options, checked, option, spec_of
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


@dataclass(frozen=True)
class MarkovOptions:
    """Options of a player that predicts.

    Attributes:
        order: number of last moves of the opponent on which its next move is assumed to depend
        level: 1 models the opponent, 2 models a modeller of itself, 3 models a player of level 2;
            0 is random
        beta: moves are played in proportion to exp(beta * expected score); best: the best
        prior: the start of each count
        threshold: how often a run of moves must have been seen before it counts
        net: the weight of the opponent's score: 0 plays for its own, 1 for net points
        counts: a file of counts of earlier opponents, in whose shares the prior is spread
    """

    order: int = option(2, low=0, high=MOST_ORDER)
    level: int = option(1, low=0, high=MOST_LEVEL)
    beta: float = option(0.5, low=0, high=1e6)
    prior: float = option(1.0, low=0, high=1e6)
    threshold: float = option(0.0, low=0, high=1e6)
    net: float = option(0.0, low=0, high=1)
    counts: str = option("")


def player(game: Game, **given: Any) -> CompiledPlayer:
    """Return the player ``markov`` of a repeated game, which predicts the opponent's moves.

    ``given`` are the options of :class:`MarkovOptions`.

    Raises:
        TournamentError: a number is out of bounds, or the file holds no counts.
    """
    is_best = given.get("beta") == "best"
    numbers = {name: value for name, value in given.items() if name != "beta" or not is_best}
    record: Any = checked(MarkovOptions, "markov: ", numbers)
    record = replace(record, beta="best") if is_best else record
    options = as_options(record)
    values = [float(BEST if options[name] == "best" else options[name]) for name in NAMES]
    counts = options["counts"]
    learnt = learnt_prior(game, counts) if counts else np.ones(cells(game.num_actions))
    numbers_of_kernels = Numbers(np.array([values]), learnt)
    name = spec_of("markov", record)
    return CompiledPlayer(name, KIND, game, numbers_of_kernels, maker=player, options=options)


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """Yield players ``markov`` of different levels, to be checked in the game."""
    yield player(game)
    yield player(game, level=2, order=4, threshold=2.0, beta=2.0)
    yield player(game, level=3, order=1, beta="best", net=1.0)


PLAYER = PlayerOffer(
    "predicts the other's moves: markov:order=2,beta=0.5,prior=1,level=1",
    player,
    lambda game: game.rules.stage is not None,
    samples=samples,
)
