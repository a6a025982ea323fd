"""Measuring snapshots of a run against fixed opponents, with intervals."""

from __future__ import annotations

import hashlib
import string
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cluster import Entrants, Evaluator, LocalEvaluator
from cluster.evaluator import Genomes, check_all_played
from evo import config as configuration
from evo import opponents as naming
from evo.config import Config
from evo.errors import ConfigError
from results import Run, open_run
from results.evaluations import Measurement, measured_individuals, write_evaluation
from tournaments.errors import TournamentError
from tournaments.oracle import num_positions
from tournaments.role_schedules import Placed
from tournaments.schedules import AgainstPanel, Matches, Schedule
from tournaments.scoring import GameCounter
from tournaments.types import Game, Player

if TYPE_CHECKING:
    from results import DataFrame

LABEL_CHARACTERS = frozenset(string.ascii_letters + string.digits + "-.")
MOST_GAMES = 2_000_000_000
"""As many as are counted in 32 bits."""
DEFAULT_OPPONENTS = (
    ("level-0", "level-1", "level-2", "optimal"),
    ("random", "greedy", "optimal"),
    ("random", "", "optimal"),
)
"""The first of these whose second member plays the game."""


@dataclass(frozen=True)
class Plan:
    """What is to be measured.

    Attributes:
        opponents: names, files or run folders.
        games: of each individual against each opponent; even, as a match is two.
        best: how many of the fittest individuals of each snapshot; None: all.
        every: take each k-th snapshot from the first on, and the newest.
        generations: these snapshots instead.
    """

    opponents: Sequence[str]
    games: int = 300
    best: int | None = None
    every: int = 1
    generations: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if not self.opponents:
            raise ConfigError("no opponents given; name at least one, such as level-1")
        if self.games < 2 or self.games % 2:
            raise ConfigError(
                f"games={self.games} given; an even number from 2 is expected, a match is two games"
            )
        if self.games > MOST_GAMES:
            raise ConfigError(f"games={self.games:,} given; at most {MOST_GAMES:,} are expected")
        for name, value in (("best", self.best), ("every", self.every)):
            if value is not None and value < 1:
                raise ConfigError(f"{name}={value} given; at least 1 is expected")


def evaluate(
    path: str | Path,
    opponents: Sequence[str] | None = None,
    games: int = 300,
    *,
    best: int | None = None,
    every: int = 1,
    generations: Sequence[int] | None = None,
    evaluator: Evaluator | None = None,
    threads: int | None = None,
    report: Callable[[int, int, int], None] = lambda done, total, games: None,
    announce: Callable[[str], None] = lambda line: None,
) -> DataFrame:
    """Play snapshots of a run against opponents and append what comes of it to ``evaluations/``.

    What has been measured before, with as many games, is not played again, so the same call goes on
    where an interrupted one stopped. Each individual's games depend on the run's seed, the
    generation, the opponent, the number of games and the individual alone.

    Args:
        path: the run's folder.
        opponents: as for :func:`evo.opponents.named`; by default random play, levels 1 and 2 and
            perfect play, as far as they play the game.
        games, best, every, generations: see :class:`Plan`.
        evaluator, threads: where matches are played; by default threads of this process.
        report: told (pieces done, pieces in all, games played for it) after each piece, one
            snapshot against one opponent.
        announce: told in a line what takes a while.

    Returns:
        The rows of ``evaluations`` that this call asked for, those found included.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    run = open_run(path)
    run.population()  # there must be one
    config = configuration.of_run(run.config, run.genome, run.path)
    game = config.game
    names = list(opponents) if opponents is not None else default_opponents(game)
    plan = Plan(names, games, best, every, generations)
    chosen = dict(naming.named(name, game) for name in plan.opponents)
    pieces = list(_pieces(run, config, plan, chosen))
    own = LocalEvaluator(threads) if evaluator is None else None
    try:
        for number, piece in enumerate(pieces):
            report(number + 1, len(pieces), piece.play_missing(run, evaluator or own, announce))
    finally:
        if own is not None:
            own.close()
    return run.evaluations_of([(piece.asked, piece.rows) for piece in pieces])


def default_opponents(game: Game) -> list[str]:
    """The usual yardsticks, as far as they play a game."""
    from tournaments import players

    able = players.names(game)
    usual = next(names for names in DEFAULT_OPPONENTS if names[1] in able or not names[1])
    return [name for name in usual if name in able]


def without_perfect_play(game: Game) -> str:
    """Why there is no perfect play among the yardsticks, or nothing where there is."""
    from tournaments import players

    if "optimal" in players.names(game):
        return ""
    try:
        num_positions(game)
    except TournamentError as error:
        return f"perfect play is left out: {error}"
    return ""


@dataclass(frozen=True)
class _Piece:
    """One snapshot against one opponent: played, written and skipped as a whole."""

    config: Config
    name: str  # of the population
    asked: Measurement
    rows: np.ndarray
    player: Player

    def play_missing(
        self, run: Run, evaluator: Evaluator | None, announce: Callable[[str], None]
    ) -> int:
        """Play and write what is not there yet; the number of games played."""
        asked = self.asked
        missing = np.setdiff1d(self.rows, measured_individuals(run.path, asked))
        if not len(missing):
            return 0
        assert evaluator is not None
        started = time.perf_counter()
        population = run.population(asked.generation, self.name)
        entrants = self._entrants(population)
        schedule = self._schedule(missing)
        purpose = f"evaluation/{naming.identity(self.player)}/{asked.games}"
        if not entrants.need_no_compiler(schedule.groups):
            announce(f"compiling kernels for {asked.opponent} (once; they are kept)")
        counter = GameCounter(len(population))
        games = 1 if self.seat is not None else 2
        matches = Matches(schedule, asked.seed, purpose, asked.generation, games)
        for played in evaluator.play(entrants, matches):
            counter.take(played)
        check_all_played(evaluator, matches, counter.games // matches.games)
        counted = counter.tally
        players, count = population.iloc[missing], len(missing)
        columns = {
            "generation": np.full(count, asked.generation, dtype=np.int32),
            "population": np.full(count, self.name),
            "individual": players["individual"].to_numpy(),
            "id": players["id"].to_numpy(),
            "opponent": np.full(count, asked.opponent),
            "games": counted.games[missing],
            "wins": counted.wins[missing],
            "draws": counted.draws[missing],
            "losses": counted.losses[missing],
            "seed": np.full(count, asked.seed, dtype=np.int64),
            "evaluate_seconds": np.full(count, (time.perf_counter() - started) / count),
        }
        write_evaluation(run.path, f"{asked.prefix}{_who(missing, len(population))}", columns)
        return count * asked.games

    @property
    def seat(self) -> int | None:
        """The seat of the population's role; None: it plays both."""
        names = [plan.name for plan in self.config.populations]
        return names.index(self.name) if len(names) > 1 else None

    def _schedule(self, rows: np.ndarray) -> Schedule:
        """Each individual in so many matches: of two games, or of one in its own seat."""
        if self.seat is None:
            return AgainstPanel(rows, self.asked.games // 2)
        return Placed(AgainstPanel(rows, self.asked.games), self.seat, (0, -1), (0, 0))

    def _entrants(self, population: DataFrame) -> Entrants:
        genome = self.config.plan(self.name).genome
        rows = np.frombuffer(b"".join(population["genome"]), dtype=np.uint8)
        packed = genome.pack(genome.unpack(rows.reshape(len(population), -1)))
        return Entrants(self.config.game, (self.player,), (Genomes(genome.representation, packed),))


def _who(rows: np.ndarray, individuals: int) -> str:
    """A name for a set of individuals: all, or the digest of their numbers."""
    if len(rows) == individuals:
        return "all"
    return f"{len(rows)}-{hashlib.sha256(rows.astype(np.int64).tobytes()).hexdigest()[:10]}"


def _pieces(run: Run, config: Config, plan: Plan, chosen: Mapping[str, Player]) -> Iterator[_Piece]:
    for generation in _generations(run, plan):
        for name in (plan.name for plan in config.populations):
            population = run.population(generation, name)
            order = np.argsort(-population["fitness"].to_numpy(), kind="stable")
            rows = np.sort(order[: plan.best])
            for opponent, player in chosen.items():
                label, seed = _label(opponent, player), run.info["seed"]
                whose = "" if len(config.populations) == 1 else name
                asked = Measurement(generation, opponent, plan.games, seed, label, whose)
                yield _Piece(config, name, asked, rows, player)


def _generations(run: Run, plan: Plan) -> list[int]:
    if plan.generations is not None:
        unknown = sorted(set(plan.generations) - set(run.snapshots))
        if unknown:
            nearest = sorted(sorted(run.snapshots, key=lambda one: abs(one - unknown[0]))[:3])
            raise ConfigError(
                f"{run.path} holds no snapshot of generation {unknown[0]}; the nearest are "
                f"{', '.join(map(str, nearest))} of {len(run.snapshots)}"
            )
        return sorted(set(plan.generations))
    return sorted({*run.snapshots[:: plan.every], run.snapshots[-1]})


def _label(opponent: str, player: Player) -> str:
    """An opponent's name as a file may be called.

    A player that is more than its name (a run's champion, a file) adds the digest of what it is.
    """
    plain = "".join(char if char in LABEL_CHARACTERS else "-" for char in opponent)
    plain = plain[-60:].strip("-.")
    if plain == opponent == naming.identity(player):
        return plain
    digest = hashlib.sha256(f"{opponent}/{naming.identity(player)}".encode()).hexdigest()
    return f"{plain or 'player'}-{digest[:10]}"
