"""Exact results of individuals of a run, computed by the solvers of the game without playing.

See :mod:`tournaments.solver.exact`. The best response to an individual, and its results against a
player, are computed once and cached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cluster.processors import available_threads
from evo.config.config import Config
from evo.evaluation.task import Announce, MeasuredRows, Opponent, Sample, Where
from evo.genomes.base import Plan
from evo.requests.evaluation import EvaluateRequest
from results.format.schema import BEST_RESPONSE
from tournaments import players
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.player import CompiledPlayer, Player, identity
from tournaments.solver.every_game import best_responses, meetings
from tournaments.solver.exact import BestResponses, Meeting, Meetings, Proof, columns_of

# --- best responses ------------------------------------------------------------------------------


@dataclass(frozen=True)
class BestOpponent(Opponent):
    """The best possible opponent of each individual."""

    responses: BestResponses
    _proofs: dict[str, Proof] = field(default_factory=dict)

    def games(self, plan: Plan, request: EvaluateRequest) -> int:
        """Return the number of seats in which the outcome of a best response is certain.

        It is the number of games in the results.
        """
        return len(plan.genome.representation.seats) if self.responses.is_certain else 0

    def measure(self, sample: Sample, where: Where, announce: Announce) -> Iterator[MeasuredRows]:
        """Compute the best response to each individual and yield the results as rows.

        If a computation takes seconds, each row is yielded separately, so that an interruption
        loses little.
        """
        for part in sample.rows[:, None] if self.responses.is_slow else [sample.rows]:
            proofs = [self.proof(sample.individual(row), announce) for row in part]
            games, wins, exploitability, plies, _ = zip(*proofs, strict=True)
            columns = {
                "games": np.array(games, dtype=np.int32),
                "wins": np.array(wins, dtype=np.int32),
                "draws": np.zeros(len(part), dtype=np.int32),
                "losses": np.subtract(games, wins, dtype=np.int32),
                "exploitability": np.array(exploitability),
                "plies": np.array(plies),
            }
            yield MeasuredRows(part, columns, 0)

    def proof(self, player: CompiledPlayer, announce: Announce) -> Proof:
        """Return the best response to an individual with its proof. The result is cached."""
        who = identity(player)
        if who not in self._proofs:
            self._proofs[who] = self.responses.proof(player, announce)
        return self._proofs[who]


def best_opponent(config: Config, threads: int | None = None) -> BestOpponent:
    """Return the best possible opponent of the individuals of a run.

    If the game draws its starting position, the opponent's name includes the start.

    Args:
        config: configuration of the run.
        threads: number of threads for long computations. By default all processors are used.

    Raises:
        ConfigError, TournamentError: best responses cannot be computed in this game.
    """
    config.game.check_has_positions()
    try:
        responses = best_responses(config.game, threads or available_threads())
    except TournamentError as error:
        raise ConfigError(f"{config.game.short_spec} given; {error}") from None
    where = f" from {responses.start}" if responses.start else ""
    return BestOpponent(f"{BEST_RESPONSE}{where}", None, responses)


# --- meetings ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ComputedOpponent(Opponent):
    """A player whose games against individuals are computed.

    The longest step is to compute the policy of an individual. For this reason an individual meets
    all players at once.

    Attributes:
        meetings: the solver.
        players: the players that an individual meets, by the names of their rows.
        known: results so far, by the identity of the individual and the name of the player.
    """

    meetings: Meetings
    players: dict[str, CompiledPlayer]
    known: dict[tuple[str, str], Meeting]

    def games(self, plan: Plan, request: EvaluateRequest) -> int:
        """Return the number of games that are played for computed results: 0."""
        return 0

    def measure(self, sample: Sample, where: Where, announce: Announce) -> Iterator[MeasuredRows]:
        """Compute each individual's results against this opponent, and yield them one by one.

        Each computation takes seconds.
        """
        for row in sample.rows:
            meeting = self.meeting(sample.individual(row), announce)
            yield MeasuredRows(np.array([row]), columns_of([meeting]), 0)

    def meeting(self, player: CompiledPlayer, announce: Announce) -> Meeting:
        """Return the computed results of an individual against this opponent. They are cached."""
        who = identity(player)
        for name, other in self.players.items():
            if (who, name) not in self.known:
                self.known[who, name] = self.meetings.meeting(player, other, announce)
        return self.known[who, self.name]


def computable(names: Sequence[str], game: Game, threads: int | None = None) -> list[str]:
    """Return the players of a game with an exactly known policy, by name.

    All players are returned if no policy is known, so that the later error explains why.
    """
    try:
        offered = meetings(game, threads or available_threads())
    except TournamentError:
        return list(names)

    def is_known(name: str) -> bool:
        try:
            offered.checked(players.make(name, game))
        except TournamentError:
            return False
        return True

    return list(filter(is_known, names)) or list(names)


def computed(
    opponents: Mapping[str, Player], config: Config, threads: int | None = None
) -> list[ComputedOpponent]:
    """Return opponents in evaluations whose games are computed instead of played.

    Args:
        opponents: the players by name.
        config: configuration of the run.
        threads: as for :func:`best_opponent`.

    Raises:
        ConfigError, TournamentError: meetings cannot be computed in this game, or not against one
            of the players. The error is raised before any work.
    """
    try:
        offered = meetings(config.game, threads or available_threads())
    except TournamentError as error:
        raise ConfigError(
            f"{config.game.short_spec} given; {error}. Leave exact out, and games are played"
        ) from None
    several = {name: replace(offered.checked(each), name=name) for name, each in opponents.items()}
    known: dict[tuple[str, str], Meeting] = {}
    return [ComputedOpponent(*item, offered, several, known) for item in opponents.items()]
