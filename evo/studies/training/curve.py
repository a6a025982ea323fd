"""Networks trained by back-propagation to play as level 1 does: figure 5 of the study of 1998.

Weaver and Bossomaier 1998, sections 3.7 and 4.3. Games of level 1 against random play are recorded,
networks learn from them which moves complete boxes, and play random play and level 1 in the course
of it. The source says "initially random networks" and not how random. Nothing matters as much, so
networks begin with weights of several widths: small ones, as is the custom, and up to those of a
random genome, +-64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cluster.threads import LocalEvaluator, available_threads
from evo.studies.page import Announce
from evo.studies.training.backpropagation import Examples, Rule
from evo.studies.training.networks import FixedOpponents, Task, train_all
from evo.studies.training.positions import Positions, quiet, record
from tournaments import games, players
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import one_of, option
from tournaments.players.network import layers_for

OPPONENTS = ("level-0", "level-1")
SAFE = 0.1
"""The target of a move that draws no third side, where no move completes a box."""


@dataclass(frozen=True)
class TrainingOptions:
    """How networks are trained; the defaults follow the source where it says anything."""

    sets: int = option(10, "training sets", low=1, high=1000)
    networks: int = option(30, "networks that are trained, of each width", low=1, high=10_000)
    training_games: int = option(
        200, "games of level 1 against random play in a set", low=2, high=10**5
    )
    teacher: str = one_of(
        "level-1",
        "whose moves are taught; level-2: also 0.1 for what draws no third side",
        ("level-1", "level-2"),
    )
    widths: str = option(
        "0.5+8+64", "widths of the first weights, drawn evenly from -width to +width"
    )
    epochs: int = option(300, "times that a network sees its set", low=1, high=10**6)
    checkpoints: int = option(12, "times that networks are measured after 0 epochs", 1, 10_000)
    learning_rate: float = option(0.1, "of back-propagation", low=1e-9, high=100)
    momentum: float = option(0.0, "share of a change that is made again", low=0, high=0.999)
    batch: int = option(1, "positions between two changes; 0: a whole set", low=0, high=10**9)
    games: int = option(600, "games of each network against each opponent; even", low=2, high=10**7)
    again: int = option(
        10_000, "fresh games of the best network of each checkpoint; even", low=2, high=10**7
    )
    seed: int = option(1, "of everything", low=0, high=2**62)
    threads: int = option(0, "threads; 0: all processors", low=0, high=1024)


def widths_of(settings: TrainingOptions) -> list[float]:
    """The widths as numbers.

    Raises:
        ConfigError: they are none, or not between 0 and 64.
    """
    try:
        widths = [float(text) for text in settings.widths.split("+")]
    except ValueError:
        widths = []
    if not widths or not all(0 < width <= 64 for width in widths) or len(set(widths)) < len(widths):
        raise ConfigError(
            f"widths={settings.widths!r} given; different numbers above 0 and up to 64 are "
            "expected, with a + between them, as in 0.5+8+64"
        )
    return widths


def stops_of(settings: TrainingOptions) -> list[int]:
    """Epochs at which networks are measured: 0, then ever farther apart, and the last."""
    places = np.arange(settings.checkpoints + 1) / settings.checkpoints
    stops = np.rint(settings.epochs * places * places).astype(int)
    return np.unique(stops).tolist()


@dataclass(frozen=True)
class Point:
    """All networks of one width at one checkpoint, against one opponent.

    Attributes:
        width: of the first weights.
        epoch: how often networks have seen their sets.
        opponent: whom they met.
        mean, deviation: win rate over the networks, and its standard deviation.
        best: the highest win rate, biased upwards, being the best of many estimates.
        network: whose it is, the first of equals.
        again, again_low, again_high: what it wins of fresh games, and the 95% interval of that.
    """

    width: float
    epoch: int
    opponent: str
    mean: float
    deviation: float
    best: float
    network: int
    again: float
    again_low: float
    again_high: float


class OfWidth(NamedTuple):
    """The networks whose first weights have one width.

    Attributes:
        curve: their points.
        first, last: their weights before training and at the end, float32 ``[networks, W]``.
        seconds: of one processor, that training took.
    """

    curve: list[Point]
    first: np.ndarray
    last: np.ndarray
    seconds: float


@dataclass(frozen=True, eq=False)
class Training:
    """The training sets, what is learned of them, and whom networks meet."""

    settings: TrainingOptions
    sets: list[Positions]
    examples: list[Examples]
    opponents: FixedOpponents
    threads: int
    announce: Announce

    @classmethod
    def of(cls, settings: TrainingOptions, announce: Announce) -> Training:
        """Record the training sets; whoever asks for it closes it."""
        game = games.make("dots-and-boxes")
        threads = settings.threads or available_threads()
        sets = recorded(settings, game, settings.training_games, settings.sets)
        examples = [part.examples() for part in sets]
        if settings.teacher == "level-2":
            every = recorded(settings, game, settings.training_games, settings.sets, every=True)
            examples = [
                with_quiet(part, quiet(game, other))
                for part, other in zip(examples, every, strict=True)
            ]
        met = tuple(players.make(name, game) for name in OPPONENTS)
        evaluator = LocalEvaluator(threads)
        opponents = FixedOpponents(game, layers_for(game), met, evaluator, settings.seed)
        return cls(settings, sets, examples, opponents, threads, announce)

    def close(self) -> None:
        """End the threads of the evaluator."""
        self.opponents.evaluator.close()

    def rule(self, width: float) -> Rule:
        """How weights change that begin within a width."""
        settings = self.settings
        return Rule(settings.learning_rate, settings.momentum, settings.batch, width)

    def of_width(self, width: float) -> OfWidth:
        """Train all networks of a width, and play them at every checkpoint."""
        settings, stops = self.settings, stops_of(self.settings)
        self.announce(f"{settings.networks} networks with first weights within +-{width:g}")
        tasks = [
            Task(self.examples[index % settings.sets], self.rule(width), index)
            for index in range(settings.networks)
        ]
        weights, seconds = self.train(tasks, stops)
        flat = weights.swapaxes(0, 1).reshape(-1, weights.shape[2])
        wins = self.opponents.wins(flat, settings.games, "figure 5")
        curve = self._curve(width, flat, wins.reshape(len(stops), settings.networks, -1))
        return OfWidth(curve, weights[:, 0], weights[:, -1], seconds)

    def train(self, tasks: Sequence[Task], stops: Sequence[int]) -> tuple[np.ndarray, float]:
        """See :func:`evo.studies.training.networks.train_all`."""
        return train_all(self.opponents.layers, tasks, stops, self.settings.seed, self.threads)

    def _curve(self, width: float, weights: np.ndarray, wins: np.ndarray) -> list[Point]:
        """The points of a width: weights ``[stops * N, W]``, wins ``[stops, N, opponents]``."""
        from results.statistics import wilson

        settings, points = self.settings, []
        stops, networks = wins.shape[:2]
        for place, opponent in enumerate(OPPONENTS):
            best = wins[:, :, place].argmax(axis=1)  # the first of equals
            rows = np.arange(stops) * networks + best
            again = self.opponents.wins(weights, settings.again, "figure 5, again", rows)[:, place]
            ends = np.column_stack(wilson(again, settings.again)).tolist()
            for stop, epoch in enumerate(stops_of(settings)):
                rates = wins[stop, :, place] / settings.games
                measured = float(rates.mean()), float(rates.std()), float(rates.max())
                fresh = int(again[stop]) / settings.again, *ends[stop]
                points.append(Point(width, epoch, opponent, *measured, int(best[stop]), *fresh))
        return points


def recorded(
    settings: TrainingOptions, game: Game, number: int, sets: int, every: bool = False
) -> list[Positions]:
    """The first training sets, of so many games each: fewer are the first of more."""
    return [
        record(game, number, settings.seed, "training games", index, every=every)
        for index in range(sets)
    ]


def with_quiet(usual: Examples, others: Examples) -> Examples:
    """Positions with a completing move, and quiet ones with what level 2 would play there."""
    others = others._replace(targets=SAFE * others.targets)
    return Examples(*(np.concatenate(both) for both in zip(usual, others, strict=True)))
