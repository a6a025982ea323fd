"""Measuring snapshots of a run against fixed opponents, with intervals."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cluster import Evaluator, evaluator_or_threads
from evo.config import config as configuration
from evo.config.config import Config, Plan
from evo.errors import ConfigError
from evo.evaluation import players as naming
from evo.evaluation.exact import Exactly, exactly
from evo.evaluation.proofs import Prover, prover_of
from evo.evaluation.task import Opponent, Piece, can_meet
from results import Run, open_run
from results.folder.evaluations import Measurement
from results.format.schema import BEST_RESPONSE
from tournaments.errors import TournamentError
from tournaments.player import CompiledPlayer, Game, Player

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
class Asked:
    """What is to be measured.

    Attributes:
        opponents: names, files or run folders; ``best-response`` is no player but a proof.
        games: of each individual against each opponent; even, as a match is two.
        best: how many of the fittest individuals of each snapshot; None: all.
        best_by: so many games, measured before, say who is fittest against each opponent; None: the
            fitness of the run does.
        every: take each k-th snapshot from the first on, and the newest.
        generations: these snapshots instead.
    """

    opponents: Sequence[str]
    games: int = 300
    best: int | None = None
    every: int = 1
    generations: Sequence[int] | None = None
    best_by: int | None = None

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
        if self.best_by == self.games:
            raise ConfigError(
                f"games={self.games} and best_by={self.best_by} given; who was chosen by games is "
                "measured by others: give another number of games"
            )


def evaluate(
    path: str | Path,
    opponents: Sequence[str] | None = None,
    games: int = 300,
    *,
    best: int | None = None,
    best_by: int | None = None,
    every: int = 1,
    generations: Sequence[int] | None = None,
    evaluator: Evaluator | None = None,
    threads: int | None = None,
    exact: bool = False,
    report: Callable[[int, int, int], None] = lambda done, total, games: None,
    announce: Callable[[str], None] = lambda line: None,
) -> DataFrame:
    """Play snapshots of a run against opponents and append what comes of it to ``evaluations/``.

    What has been measured before, with as many games, is not played again, so the same call goes on
    where an interrupted one stopped. Each individual's games depend on the run's seed, the
    generation, the opponent, the number of games and the individual alone.

    Args:
        path: the run's folder.
        opponents: as for :func:`evo.evaluation.players.named`; by default random play, levels 1
            and 2 and perfect play, as far as they play the game. ``best-response`` stands for what
            :func:`evo.prove` finds. One that holds a single seat meets those of the other.
        games, best, best_by, every, generations: see :class:`Asked`. Measurements of different
            numbers of games draw from different streams: none says anything of the luck of another.
        evaluator, threads: where matches are played; by default threads of this process.
        exact: compute what comes of all games, in place of playing some: see
            :mod:`evo.evaluation.exact`. Takes seconds for each individual and opponent, threads of
            this process, and no games.
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
    asked = Asked(names, games, best, every, generations, best_by)
    chosen: dict[str, Opponent] = dict(_named(name, config, threads) for name in asked.opponents)
    if exact:
        chosen |= _exactly(chosen, config, threads)
    pieces = list(_pieces(run, config, asked, chosen))
    for line in _of_one_seat(chosen, game):
        announce(line)
    with evaluator_or_threads(evaluator, threads) as players:
        for number, piece in enumerate(pieces):
            played = piece.measure_missing(run, players, announce)
            report(number + 1, len(pieces), played)
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
        players.make("optimal", game)  # says why it cannot
    except TournamentError as error:
        return f"perfect play is left out: {error}"
    return ""


def _exactly(
    chosen: Mapping[str, Opponent], config: Config, threads: int | None
) -> dict[str, Exactly]:
    """The players among opponents as ones whose games are computed; proofs are exact as it is."""
    if threads is not None and threads < 1:
        raise ConfigError(f"threads={threads} given; at least 1 is expected")
    players = {
        name: opponent
        for name, opponent in chosen.items()
        if not isinstance(opponent, Prover | Exactly)
    }
    return exactly(players, config, threads) if players else {}


def _named(name: str, config: Config, threads: int | None) -> tuple[str, Player | Prover]:
    """An opponent, after the name of its rows."""
    if name != BEST_RESPONSE:
        return naming.named(name, config.game)
    prover = prover_of(config, threads)
    return prover.opponent, prover


def _pieces(
    run: Run, config: Config, asked: Asked, chosen: Mapping[str, Opponent]
) -> Iterator[Piece]:
    for generation in _generations(run, asked):
        for plan in config.populations:
            fitness = run.population(generation, plan.name)["fitness"].to_numpy()
            whose = "" if len(config.populations) == 1 else plan.name
            for name, opponent in chosen.items():
                if not can_meet(opponent, plan, config):
                    continue
                games = _games(opponent, plan, asked)
                label, seed = _label(name, opponent), run.info["seed"]
                measurement = Measurement(generation, name, games, seed, label, whose)
                worth = fitness
                if asked.best_by is not None and not isinstance(opponent, Prover):
                    worth = _wins(run, replace(measurement, games=asked.best_by), len(fitness))
                rows = np.sort(np.argsort(-worth, kind="stable")[: asked.best])
                yield Piece(config, plan, measurement, rows, opponent)


def _wins(run: Run, asked: Measurement, individuals: int) -> np.ndarray:
    """The games that each individual won in a measurement of all, int64 ``[N]``.

    Raises:
        ConfigError: some have not been measured.
    """
    found = run.evaluations_of([(asked, np.arange(individuals))])
    if len(found) < individuals:
        raise ConfigError(
            f"best_by={asked.games} given, but {len(found)} of {individuals} individuals of "
            f"generation {asked.generation} have met {asked.opponent} in that many games; measure "
            f"all first: evo evaluate {run.path} --opponents {asked.opponent} --games {asked.games}"
        )
    return found["wins"].to_numpy(np.int64)


def _games(opponent: Opponent, plan: Plan, asked: Asked) -> int:
    """What stands under ``games`` of each individual."""
    if isinstance(opponent, Prover):
        return opponent.games(plan)
    return 0 if isinstance(opponent, Exactly) else asked.games


def _of_one_seat(chosen: Mapping[str, Opponent], game: Game) -> Iterator[str]:
    """A line for each opponent that holds one seat alone."""
    for name, opponent in chosen.items():
        if isinstance(opponent, CompiledPlayer) and len(opponent.seats) == 1:
            mine, others = game.seats[opponent.seats[0]], game.seats[1 - opponent.seats[0]]
            yield f"{name} plays the {mine} only, so it meets the population {others} alone"


def _generations(run: Run, asked: Asked) -> list[int]:
    if asked.generations is not None:
        unknown = sorted(set(asked.generations) - set(run.snapshots))
        if unknown:
            nearest = sorted(sorted(run.snapshots, key=lambda one: abs(one - unknown[0]))[:3])
            raise ConfigError(
                f"{run.path} holds no snapshot of generation {unknown[0]}; the nearest are "
                f"{', '.join(map(str, nearest))} of {len(run.snapshots)}"
            )
        return sorted(set(asked.generations))
    return sorted({*run.snapshots[:: asked.every], run.snapshots[-1]})


def _label(opponent: str, player: Opponent) -> str:
    """An opponent's name as a file may be called.

    A player that is more than its name (a run's champion, a file) adds the digest of what it is.
    """
    plain = "".join(char if char in LABEL_CHARACTERS else "-" for char in opponent)
    plain = plain[-60:].strip("-.")
    if isinstance(player, Prover):
        return plain
    if isinstance(player, Exactly):
        return _label(opponent, player.player)
    if plain == opponent == naming.identity(player):
        return plain
    digest = hashlib.sha256(f"{opponent}/{naming.identity(player)}".encode()).hexdigest()
    return f"{plain or 'player'}-{digest[:10]}"
