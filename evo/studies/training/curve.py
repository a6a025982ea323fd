"""Networks trained by back-propagation to play as level 1 does: figure 5 of the study of 1998.

Weaver and Bossomaier 1998, sections 3.7 and 4.3. Games of level 1 against random play are recorded,
networks learn from them which moves complete boxes, and play random play and level 1 in the course
of it. The source says "initially random networks" and not how random. Nothing matters as much, so
networks begin with weights of several widths: small ones, as is the custom, and up to those of a
random genome, +-64.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cluster.evaluator import all_outcomes
from cluster.processors import available_threads
from cluster.threads import LocalEvaluator
from evo.studies.intervals import share_interval
from evo.studies.settings import Announce, setting
from evo.studies.training.backpropagation import Examples, UpdateRule, trained
from evo.studies.training.positions import Positions, quiet, record
from tournaments import games, players
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.outcomes import results_of_a
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import option
from tournaments.players.network.encodings import Encoding, RealEncoding
from tournaments.players.network.weights import layers_for
from tournaments.schedules.base import Matches
from tournaments.schedules.pairs import against_panel

OPPONENTS = ("level-0", "level-1")
SAFE = 0.1
"""The target of a move that draws no third side, where no move completes a box."""


@dataclass(frozen=True)
class TrainingOptions:
    """Options of the training; the defaults follow the source where it says anything.

    Attributes:
        sets: training sets
        networks: networks that are trained, of each width
        training_games: games of level 1 against random play in a set
        teacher: whose moves are taught; level-2: also 0.1 for what draws no third side
        widths: widths of the first weights, drawn evenly from -width to +width
        epochs: times that a network sees its set
        checkpoints: times that networks are measured after 0 epochs
        learning_rate: learning rate of back-propagation
        momentum: share of a change that is made again
        batch: positions between two changes; 0: a whole set
        games: games of each network against each opponent; even
        again: fresh games of the best network of each checkpoint; even
        seed: seed of everything
        threads: threads; 0: all processors
    """

    sets: int = setting(10, low=1, high=1000)
    networks: int = setting(30, low=1, high=10_000)
    training_games: int = setting(200, low=2, high=10**5)
    teacher: str = option("level-1", known=("level-1", "level-2"))
    widths: str = option("0.5+8+64")
    epochs: int = setting(300)
    checkpoints: int = setting(12, low=1, high=10_000)
    learning_rate: float = option(0.1, low=1e-9, high=100)
    momentum: float = option(0.0, low=0, high=0.999)
    batch: int = setting(1, low=0, high=10**9)
    games: int = setting(600, low=2, high=10**7, even=True)
    again: int = setting(10_000, low=2, high=10**7, even=True)
    seed: int = setting(1, low=0, high=2**62)
    threads: int = setting(0, low=0, high=1024)


def widths_of(settings: TrainingOptions) -> list[float]:
    """Return the widths of first weights in the settings as numbers.

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
    """Return the epochs at which networks in training are measured: 0, ever farther apart, last."""
    places = np.arange(settings.checkpoints + 1) / settings.checkpoints
    stops = np.rint(settings.epochs * places * places).astype(int)
    return np.unique(stops).tolist()


class OfWidth(NamedTuple):
    """The networks whose first weights have one width.

    Attributes:
        curve: a row for each opponent and checkpoint, see :meth:`Training.of_width`.
        first, last: their weights before training and at the end, float32 ``[networks, W]``.
        seconds: of one processor, that training took.
    """

    curve: list[dict[str, Any]]
    first: np.ndarray
    last: np.ndarray
    seconds: float

    def of(self, opponent: str) -> list[dict[str, Any]]:
        """Return the learning curve of the networks against one opponent, as rows."""
        return [point for point in self.curve if point["opponent"] == opponent]


GREATEST = 4096.0
"""Trained weights beyond it, of either sign, are cut off; few come near."""


def train_all(
    layers: Sequence[int],
    examples: Sequence[Examples],
    rule: UpdateRule,
    stops: Sequence[int],
    seed: int,
    threads: int,
) -> tuple[np.ndarray, float]:
    """Train a network on each set of examples, each network in a thread of its own.

    Returns:
        Weights float32 ``[networks, stops, W]``, as they can be written down, and seconds of CPU.
    """
    for weights in trained(layers, examples[0], rule, [0], seed):  # compiled before time is taken
        assert np.isfinite(weights).all()
    encoding = RealEncoding(tuple(layers), GREATEST)

    def train_one(number: int) -> tuple[np.ndarray, float]:
        begun = time.thread_time()
        weights = list(trained(layers, examples[number], rule, stops, seed, number))
        return encoding.nearest(np.array(weights)), time.thread_time() - begun

    with ThreadPoolExecutor(threads) as pool:
        weights, seconds = zip(*pool.map(train_one, range(len(examples))), strict=True)
    return np.array(weights), sum(seconds)


class Training:
    """The training sets, and the opponents by which networks are measured; close it when done.

    Attributes:
        settings: how networks are trained.
        announce: called with a line of progress.
        game: dots and boxes on 3x3 boxes.
        sets: the positions of each set.
        examples: the training examples of each set.
        opponents: the players that networks meet, K.
        train: :func:`train_all` of some examples, by an update rule, up to some stops.
        real, grid: how trained networks are written down, and the encoding of the study's genome.
    """

    def __init__(self, settings: TrainingOptions, announce: Announce) -> None:
        """Prepare training: record the training sets, and make the opponents."""
        self.settings, self.announce = settings, announce
        self.game = game = games.make("dots-and-boxes")
        self.sets = recorded(settings, game, settings.training_games, settings.sets)
        self.examples = [part.completing.examples() for part in self.sets]
        if settings.teacher == "level-2":
            quiet_sets = (quiet(game, part) for part in self.sets)
            self.examples = list(map(with_quiet, self.examples, quiet_sets))
        self.opponents = tuple(players.make(name, game) for name in OPPONENTS)
        self.real, self.grid = RealEncoding(layers_for(game), GREATEST), Encoding(layers_for(game))
        threads = settings.threads or available_threads()
        self._evaluator = LocalEvaluator(threads)
        self.train = partial(train_all, self.real.layers, seed=settings.seed, threads=threads)

    def close(self) -> None:
        """End the threads that play games of trained networks."""
        self._evaluator.close()

    def rule(self, width: float) -> UpdateRule:
        """Return the training rule for first weights drawn between -width and +width."""
        settings = self.settings
        return UpdateRule(settings.learning_rate, settings.momentum, settings.batch, width)

    def of_width(self, width: float) -> OfWidth:
        """Train all networks with first weights of a width, and play them at every checkpoint.

        ``mean`` and ``deviation`` are of the win rates of the networks, ``best`` is the highest of
        them, biased upwards as the best of many estimates, and ``network`` the first that has it.
        ``again`` is its win rate in fresh games, with a 95% interval.
        """
        settings, stops = self.settings, stops_of(self.settings)
        self.announce(f"{settings.networks} networks with first weights within +-{width:g}")
        examples = [self.examples[index % settings.sets] for index in range(settings.networks)]
        weights, seconds = self.train(examples, self.rule(width), stops)
        flat = weights.swapaxes(0, 1).reshape(-1, weights.shape[2])
        wins = self.wins(self.real, flat, settings.games, "figure 5")
        curve = self._curve(width, flat, wins.reshape(len(stops), settings.networks, -1))
        return OfWidth(curve, weights[:, 0], weights[:, -1], seconds)

    def _curve(self, width: float, weights: np.ndarray, wins: np.ndarray) -> list[dict[str, Any]]:
        """Return the learning curve of networks with first weights of a width, as rows.

        ``weights`` is ``[stops * N, W]``, ``wins`` int64 ``[stops, N, K]``.
        """
        settings, points = self.settings, []
        for place, opponent in enumerate(OPPONENTS):
            best = wins[:, :, place].argmax(axis=1)  # the first of equals
            rows = np.arange(len(wins)) * settings.networks + best
            again = self.wins(self.real, weights, settings.again, "figure 5, again", rows)
            for stop, epoch in enumerate(stops_of(settings)):
                rates = wins[stop, :, place] / settings.games
                points.append(
                    {
                        "width": width,
                        "epoch": epoch,
                        "opponent": opponent,
                        "mean": float(rates.mean()),
                        "deviation": float(rates.std()),
                        "best": float(rates.max()),
                        "network": int(best[stop]),
                        **share_interval(int(again[stop, place]), settings.again).columns("again"),
                    }
                )
        return points

    def wins(
        self,
        encoding: RealEncoding | Encoding,
        weights: np.ndarray,
        games: int,
        purpose: str,
        rows: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return how many games trained networks win against each opponent.

        The seats are swapped after each game.

        Args:
            encoding: encoding of the networks. Weights are rounded to its grid.
            weights: float32 ``[N, W]``.
            games: number of games of each network against each opponent; even.
            purpose: name of the random streams: two calls with one purpose play the same games.
            rows: the networks that play, ``[R]``, each in the games of its row; None: all.

        Returns:
            int64 ``[R, K]``.
        """
        rows = np.arange(len(weights)) if rows is None else rows
        genomes = Genomes(encoding, encoding.encode(weights))
        entrants = Entrants(self.game, self.opponents, (genomes,))
        schedule = against_panel(rows, games // 2, len(self.opponents))
        matches = Matches(schedule, self.settings.seed, purpose)
        outcomes = all_outcomes(self._evaluator, entrants, matches)
        results = results_of_a(outcomes).reshape(len(rows), len(self.opponents), -1)
        return np.count_nonzero(results == 1, axis=2)


def recorded(settings: TrainingOptions, game: Game, number: int, sets: int) -> list[Positions]:
    """Record training sets of positions from games of dots and boxes, of ``number`` games each.

    A smaller number of sets gives the first of a greater one.
    """
    return [record(game, number, settings.seed, "training games", index) for index in range(sets)]


def with_quiet(usual: Examples, others: Examples) -> Examples:
    """Join examples of completing moves with examples of quiet positions, in which level 2 moves.

    Targets of the quiet positions are scaled.
    """
    others = others._replace(targets=SAFE * others.targets)
    return Examples(*(np.concatenate(both) for both in zip(usual, others, strict=True)))
