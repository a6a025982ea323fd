"""What individuals of a run make of their games against named players, exactly: nothing is played.

It is what :mod:`tournaments.games.dots_and_boxes.exact_play` says of dots and boxes. What came of
a meeting is kept in the cache folder, so that nothing is computed twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import tournaments
from cluster.threads import available_threads
from evo.config.config import Config
from evo.errors import ConfigError
from evo.evaluation.players import identity, player_of
from tournaments import solver as oracle
from tournaments.games.dots_and_boxes import edge_sets, exact_play
from tournaments.games.dots_and_boxes.edge_sets import Surveyed
from tournaments.games.dots_and_boxes.exact_play import Meeting
from tournaments.kernels import cache
from tournaments.kernels.sources import sources_digest
from tournaments.player import CompiledPlayer, Player

Announce = Callable[[str], None]


@dataclass
class Meetings:
    """Individuals of a run against some players, whose candidates are asked for once.

    Attributes:
        config: of the run.
        players: the opponents, by the names of their rows.
        threads: how many share the work.
    """

    config: Config
    players: Mapping[str, CompiledPlayer]
    threads: int
    _surveyed: dict[str, Surveyed] = field(default_factory=dict)
    _found: dict[tuple[str, str], Meeting] = field(default_factory=dict)

    def of(self, genome: bytes, name: str, opponent: str, announce: Announce) -> Meeting:
        """What an individual, by its packed genome, makes of its games against an opponent.

        Its name is for messages. All opponents are met at once, as what takes longest is to find
        out what the individual does.
        """
        measured = player_of(self.config, [genome], name)
        mine = identity(measured)
        for other in self.players:
            if (mine, other) not in self._found:
                self._found[mine, other] = self._meeting(measured, other, announce)
        return replace(self._found[mine, opponent], player=name)

    def _meeting(self, measured: CompiledPlayer, opponent: str, announce: Announce) -> Meeting:
        game, other = self.config.game, self.players[opponent]
        path = kept_as("met", game.spec, identity(measured), identity(other))
        content = cache.load(path)
        if content is not None:
            figures = np.frombuffer(content, dtype="<f8").reshape(2, -1)
            return Meeting(game, measured.name, opponent, figures)
        announce(f"computing the games of {measured.name} against {opponent}")
        player = surveyed(measured, self.threads)
        if opponent not in self._surveyed:
            self._surveyed[opponent] = edge_sets.survey(other, self.threads)
        found = exact_play.meet(player, self._surveyed[opponent], self.threads)
        cache.store(path, found.figures.astype("<f8").tobytes())
        return replace(found, opponent=opponent)


@dataclass(frozen=True)
class Exactly:
    """One of the opponents of :class:`Meetings`, whose games are computed."""

    name: str
    meetings: Meetings

    @property
    def player(self) -> CompiledPlayer:
        """The opponent itself."""
        return self.meetings.players[self.name]

    def meet(self, genome: bytes, name: str, announce: Announce) -> Meeting:
        """See :meth:`Meetings.of`."""
        return self.meetings.of(genome, name, self.name, announce)


def exactly(
    players: Mapping[str, Player], config: Config, threads: int | None = None
) -> dict[str, Exactly]:
    """Opponents, by the names of their rows, as ones whose games are computed.

    Args:
        players: the opponents.
        config: of the run.
        threads: how many share the work; by default all processors.

    Raises:
        ConfigError, TournamentError: the game, the run's genomes or an opponent cannot be measured
            exactly; before any work.
    """
    if not is_known_exactly(config):
        raise ConfigError(
            f"{config.game.short_spec} given; games can be computed in place of playing them for "
            "dots-and-boxes of up to 24 edges. Leave exact out, and they are played"
        )
    for plan in config.populations:
        if plan.genome.representation.kind.candidates is None:
            raise ConfigError(
                f"the run evolves players of the kind {plan.genome.representation.kind.name}, "
                "which does not tell what it draws from; leave exact out, and games are played"
            )
    chosen = {name: edge_sets.checked(player) for name, player in players.items()}
    meetings = Meetings(config, chosen, available_threads() if threads is None else threads)
    return {name: Exactly(name, meetings) for name in chosen}


def is_known_exactly(config: Config) -> bool:
    """Whether the games of a run can be computed."""
    return config.game.name == "dots-and-boxes" and oracle.can_solve(config.game)


def columns_of(meetings: list[Meeting]) -> dict[str, np.ndarray]:
    """The columns of ``evaluations`` that tell what came of meetings, one row each."""
    none = np.zeros(len(meetings), dtype=np.int32)
    rate = np.array([found.win_rate for found in meetings])
    by_seat = {
        f"{name}_{seat}": np.array([getattr(found, of)[place] for found in meetings])
        for name, of in (("win_rate", "wins"), ("margin", "net_boxes"))
        for place, seat in enumerate(("first", "second"))
    }
    names = ("draw_rate", "margin", "regret", "optimal_share")
    return {
        **dict.fromkeys(("games", "wins", "draws", "losses"), none),
        **dict.fromkeys(("win_rate", "win_rate_low", "win_rate_high"), rate),
        **{name: np.array([getattr(found, name) for found in meetings]) for name in names},
        **by_seat,
    }


# --- what is asked for more than once ------------------------------------------------------------

_newest: dict[str, Surveyed] = {}


def surveyed(player: CompiledPlayer, threads: int) -> Surveyed:
    """What a player draws from in every edge set; that of the last one is kept (64 MB on 3x3)."""
    key = f"{player.game.spec} {identity(player)}"
    found = _newest.get(key)
    if found is None:
        found = edge_sets.survey(player, threads)
        _newest.clear()
        _newest[key] = found
    return replace(found, name=player.name)


def kept_as(kind: str, *of: str) -> Path:
    """The file of the cache folder for what was found out about something by this code."""
    digest = hashlib.sha256(" ".join([*of, sources_digest(tournaments)]).encode()).hexdigest()
    return cache.cache_folder() / "proved" / f"{digest[:32]}.{kind}"
