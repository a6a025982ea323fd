"""Networks trained by back-propagation to play as level 1 does: figure 5, and what explains it.

Weaver and Bossomaier 1998, sections 3.7, 4.3 and 5.2. Games of level 1 against random play are
recorded, networks learn from them which moves complete boxes, and play random play and level 1 in
the course of it. The source says "initially random networks" and not how random. Nothing matters as
much, so networks begin with weights of several widths: small ones, as is the custom, and up to
those of a random genome, +-64.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cluster.threads import LocalEvaluator, available_threads
from evo.errors import ConfigError
from evo.studies.dots_and_boxes_supervised.backpropagation import Assessment, Examples, Rule, assess
from evo.studies.dots_and_boxes_supervised.measured import Ground, Task, train_all
from evo.studies.dots_and_boxes_supervised.positions import Positions, quiet, record
from evo.studies.dots_and_boxes_supervised.result import Point, Result, Trained, Variant
from evo.studies.dots_and_boxes_supervised.variants import Different, Sets, variants, with_quiet
from tournaments import games, players
from tournaments.game import Game
from tournaments.options import as_options, checked, one_of, option
from tournaments.players.network.bits import layers_for

OPPONENTS = ("level-0", "level-1")
GAME = "dots-and-boxes"
UNSEEN_GAMES = 1000
"""Whose positions nobody learns from."""
RANDOM_MATCHES = 100_000
"""Of random play against level 1: what "no better than random play" means."""


@dataclass(frozen=True)
class Settings:
    """What the study lets one choose; the defaults follow the source where it says anything."""

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
    explained_by: int = option(5, "networks of each variant that explains; 0: none", 0, 10_000)
    explained_epochs: int = option(100, "epochs of a variant", low=1, high=10**6)
    seed: int = option(1, "of everything", low=0, high=2**62)
    threads: int = option(0, "threads; 0: all processors", low=0, high=1024)


QUICK = Settings(networks=10, epochs=60, checkpoints=6, games=300, again=2000, explained_by=0)
"""The study in seconds: what it comes to, roughly."""


def measure(settings: Settings, announce: Callable[[str], None] = lambda line: None) -> Result:
    """Train networks and play them; the result depends on the settings alone, but for times.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = validated(settings)
    study = _study(settings, announce)
    try:
        parts = [study.of_width(width) for width in widths_of(settings)]
        explained = tuple(study.variants())
        random = study.random_play()
    finally:
        study.ground.evaluator.close()
    return Result(
        curve=tuple(point for part in parts for point in part.curve),
        networks=tuple(row for part in parts for row in part.networks),
        variants=explained,
        weights=np.array([part.weights for part in parts]),
        positions=tuple(map(len, study.sets)),
        left_out=tuple(one.left_out for one in study.sets),
        random=random,
        random_third_sides=_random_third_sides(study.quiet),
        training_seconds={
            width: part.seconds for width, part in zip(widths_of(settings), parts, strict=True)
        },
    )


def validated(settings: Settings) -> Settings:
    """The settings, after every one of them was looked at.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = checked(Settings, "", as_options(settings), ConfigError)
    widths_of(settings)
    for name in ("games", "again"):
        if getattr(settings, name) % 2:
            raise ConfigError(
                f"{name}={getattr(settings, name)} given; an even number is expected, a match is "
                "two games"
            )
    return settings


def widths_of(settings: Settings) -> list[float]:
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


def stops_of(settings: Settings) -> list[int]:
    """Epochs at which networks are measured: 0, then ever farther apart, and the last."""
    places = np.arange(settings.checkpoints + 1) / settings.checkpoints
    stops = np.rint(settings.epochs * places * places).astype(int)
    return np.unique(stops).tolist()


# --- the parts -----------------------------------------------------------------------------------


class _OfWidth(NamedTuple):
    """What came of the networks of one width."""

    curve: list[Point]
    networks: list[Trained]
    weights: np.ndarray
    seconds: float


@dataclass(frozen=True, eq=False)
class _Study:
    """What all parts share: the training sets, positions never learned from, and the players.

    ``examples`` are what is learned of the sets. Of the positions never learned from ``unseen``
    have a completing move, and ``quiet`` have none.
    """

    settings: Settings
    sets: list[Positions]
    examples: list[Examples]
    unseen: Examples
    quiet: Examples
    ground: Ground
    threads: int
    announce: Callable[[str], None]

    def rule(self, width: float) -> Rule:
        asked = self.settings
        return Rule(asked.learning_rate, asked.momentum, asked.batch, width)

    def of_width(self, width: float) -> _OfWidth:
        """Train all networks of a width, and play them at every checkpoint."""
        asked, stops = self.settings, stops_of(self.settings)
        self.announce(f"{asked.networks} networks with first weights within +-{width:g}")
        tasks = [
            Task(self.examples[index % asked.sets], self.rule(width), index)
            for index in range(asked.networks)
        ]
        weights, seconds = self._trained(tasks, stops)
        flat = weights.swapaxes(0, 1).reshape(-1, weights.shape[2])
        wins = self.ground.wins(flat, asked.games, "figure 5")
        curve = self._curve(width, flat, wins.reshape(len(stops), asked.networks, -1))
        networks = self._networks(width, weights[:, 0], weights[:, -1])
        return _OfWidth(curve, networks, weights[:, -1], seconds)

    def _trained(self, tasks: Sequence[Task], stops: Sequence[int]) -> tuple[np.ndarray, float]:
        return train_all(self.ground.layers, tasks, stops, self.settings.seed, self.threads)

    def _curve(self, width: float, weights: np.ndarray, wins: np.ndarray) -> list[Point]:
        """The points of a width: weights ``[stops * N, W]``, wins ``[stops, N, opponents]``."""
        from results.read.curves import wilson

        asked, found = self.settings, []
        stops, networks = wins.shape[:2]
        for place, opponent in enumerate(OPPONENTS):
            chosen = wins[:, :, place].argmax(axis=1)  # the first of equals
            rows = np.arange(stops) * networks + chosen
            again = self.ground.wins(weights, asked.again, "figure 5, again", rows)[:, place]
            ends = np.column_stack(wilson(again, asked.again)).tolist()
            for stop, epoch in enumerate(stops_of(asked)):
                rates = wins[stop, :, place] / asked.games
                measured = float(rates.mean()), float(rates.std()), float(rates.max())
                fresh = int(again[stop]) / asked.again, *ends[stop]
                found.append(Point(width, epoch, opponent, *measured, int(chosen[stop]), *fresh))
        return found

    def _networks(self, width: float, first: np.ndarray, last: np.ndarray) -> list[Trained]:
        asked, rows = self.settings, []
        real = self.ground.wins(last, asked.games, "at the end") / asked.games
        grid = self.ground.wins_on_grid(last, asked.games, "at the end") / asked.games
        for index in range(asked.networks):
            its = index % asked.sets
            seen, begun = self._assessed(last[index]), self._assessed(first[index])
            rates = *real[index].tolist(), *grid[index].tolist()
            third_sides = 1.0 - assess(self.ground.layers, self.quiet, last[index]).best_moves
            known = seen.error, seen.best_moves, third_sides, begun.slope
            rows.append(Trained(width, index, its, len(self.examples[its].inputs), *known, *rates))
        return rows

    def _assessed(self, weights: np.ndarray) -> Assessment:
        return assess(self.ground.layers, self.unseen, weights)

    def variants(self) -> list[Variant]:
        """Few networks of each width, with one thing different at a time."""
        if not self.settings.explained_by:
            return []
        found, epochs = [], self.settings.explained_epochs
        sets = _sets_of_variants(self.settings, self.ground.game)
        for width in widths_of(self.settings):
            self.announce(f"variants with first weights within +-{width:g}")
            every = variants(sets, self.rule(width), epochs)
            found += [self._variant(width, one) for one in every]
        return found

    def _variant(self, width: float, given: Different) -> Variant:
        asked, sets, number = self.settings, given.sets, self.settings.explained_by
        tasks = [Task(sets[index % len(sets)], given.rule, index) for index in range(number)]
        weights = self._trained(tasks, [given.epochs])[0][:, 0]
        rates = self.ground.wins(weights, asked.games, "variants") / asked.games
        known = np.array([self._assessed(one)[:2] for one in weights]).mean(axis=0).tolist()
        ends = np.column_stack([rates.mean(axis=0), rates.max(axis=0)]).ravel().tolist()
        shown = len(sets[0].inputs), given.epochs
        return Variant(given.name, width, *shown, *known, *ends)

    def random_play(self) -> tuple[float, float, float]:
        """What random play wins against level 1, with its 95% interval."""
        import tournaments
        from results.read.curves import wilson

        game = self.ground.game
        a, b = (players.make(name, game) for name in OPPONENTS)
        met = tournaments.play_matches(game, a, b, RANDOM_MATCHES, self.settings.seed)
        low, high = wilson(met.wins, met.games)
        return met.win_rate, float(low), float(high)


def _study(settings: Settings, announce: Callable[[str], None]) -> _Study:
    game = games.make(GAME)
    threads = settings.threads or available_threads()
    sets = _recorded(settings, game, settings.training_games, settings.sets)
    unseen = [
        record(game, UNSEEN_GAMES, settings.seed, "games never learned from", every=every)
        for every in (False, True)
    ]
    examples = unseen[0].examples(), quiet(game, unseen[1])
    opponents = tuple(players.make(name, game) for name in OPPONENTS)
    ground = Ground(game, layers_for(game), opponents, LocalEvaluator(threads), settings.seed)
    taught = [one.examples() for one in sets]
    if settings.teacher == "level-2":
        every = _recorded(settings, game, settings.training_games, settings.sets, every=True)
        taught = [
            with_quiet(one, quiet(game, other)) for one, other in zip(taught, every, strict=True)
        ]
    return _Study(settings, sets, taught, *examples, ground, threads, announce)


def _recorded(
    settings: Settings, game: Game, number: int, sets: int, every: bool = False
) -> list[Positions]:
    """The first training sets, of so many games each: fewer are the first of more."""
    return [
        record(game, number, settings.seed, "training games", index, every=every)
        for index in range(sets)
    ]


def _sets_of_variants(settings: Settings, game: Game) -> Sets:
    usual, number = settings.training_games, min(settings.sets, settings.explained_by)
    sizes = max(2, usual // 4), usual, 4 * usual
    fewer, same, more = (_recorded(settings, game, size, number) for size in sizes)
    every = _recorded(settings, game, usual, number, every=True)
    return Sets(fewer, same, more, every, [quiet(game, one) for one in every])


def _random_third_sides(positions: Examples) -> float:
    return 1.0 - float((positions.targets.sum(axis=1) / positions.worth.sum(axis=1)).mean())
