"""What the best possible opponent does to an individual of a run, exactly.

For cat and mouse it is what :mod:`tournaments.games.cat_and_mouse.solver` says of a policy, for
dots and boxes what :mod:`tournaments.games.dots_and_boxes.best_response` says of a player. Points
are net ones: a game of cat and mouse is won by 1 to 0, so that it is worth +1 or -1; dots and
boxes counts boxes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from cluster.threads import available_threads
from evo.config.config import Config
from evo.errors import ConfigError
from evo.evaluation.exact import kept_as, surveyed
from evo.evaluation.players import as_rows, identity, player_of
from evo.genomes.base import Plan
from evo.genomes.bit_network import BitNetwork
from evo.genomes.policy_table import PolicyTable
from evo.genomes.real_network import RealNetwork
from results.format.schema import BEST_RESPONSE
from tournaments import games
from tournaments import solver as oracle
from tournaments.errors import TournamentError
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.dots_and_boxes import best_response as exploitability
from tournaments.kernels import cache
from tournaments.player import Game

CORNERS = f"{BEST_RESPONSE} from corners"
"""The opponent where a game draws its starts, and what is proved is the game from the corners."""
Announce = Callable[[str], None]


class Proof(NamedTuple):
    """What a best response does to an individual.

    Attributes:
        games: seats of which the outcome is certain.
        wins: of these those that the individual wins against whomever.
        exploitability: points a game that the best response gains on what perfect play would give,
            the mean of the individual's seats.
        plies: to the capture, in the individual's first seat; NaN: there is none.
        sentences: for each seat, or for both, what was proved.
    """

    games: int
    wins: int
    exploitability: float
    plies: float
    sentences: tuple[str, ...]


def prover_of(config: Config, threads: int | None = None) -> Pursuit | Boxes:
    """What proves the individuals of a run.

    Args:
        config: of the run.
        threads: how many share the work where it takes seconds; by default all processors.

    Raises:
        ConfigError: best responses cannot be computed in this game.
    """
    game = config.game
    if threads is not None and threads < 1:
        raise ConfigError(f"threads={threads} given; at least 1 is expected")
    if pursuit.can_solve(game):
        return Pursuit(*_with_a_start(game))
    if game.name == "dots-and-boxes" and oracle.can_solve(game):
        return Boxes(config, available_threads() if threads is None else threads)
    raise ConfigError(
        f"{game.short_spec} given; what the best opponent does can be proved for cat-and-mouse "
        "with one cat and one mouse, and for dots-and-boxes of up to 24 edges"
    )


# --- cat and mouse -------------------------------------------------------------------------------


def _with_a_start(game: Game) -> tuple[Game, str]:
    """A game from one start, and the name of the best response: drawn starts become corners."""
    if "any" not in (game.options["cat_start"], game.options["mouse_start"]):
        return game, BEST_RESPONSE
    corners = {"cat_start": "corner", "mouse_start": "corner"}
    try:
        return games.make(game.name, **{**game.options, **corners}), CORNERS
    except TournamentError as error:
        raise ConfigError(
            f"{game.short_spec} draws where it starts, and cannot be proved from the corners "
            f"instead: {error}"
        ) from None


@dataclass(frozen=True)
class Pursuit:
    """Proves policies of cat and mouse; a proof takes milliseconds.

    Attributes:
        game: what is proved.
        opponent: what the rows of ``evaluations`` call the best response.
        is_slow: whether a proof takes seconds.
    """

    game: Game
    opponent: str
    is_slow: ClassVar[bool] = False

    def games(self, plan: Plan) -> int:
        """The seats of which the outcome is certain, for each individual of a population."""
        return len(_tables(plan).encoding.seats)

    def prove(self, plan: Plan, genome: bytes, name: str, announce: Announce) -> Proof:
        """Prove an individual of a population by its packed genome; its name is for messages."""
        table = _tables(plan)
        genes = table.unpack(as_rows(genome))
        seats = table.encoding.seats
        found = [
            pursuit.best_response(
                self.game, table.encoding.policy(genes, seat), self.game.seats[seat]
            )
            for seat in seats
        ]
        won = [response.winner == response.seat for response in found]
        perfect = [self._perfect_winner == response.seat for response in found]
        lost = 2.0 * (sum(perfect) - sum(won)) / len(seats)
        plies = math.nan if found[0].plies is None else float(found[0].plies)
        sentences = tuple(f"{response} (perfect play: {self._perfect})" for response in found)
        return Proof(len(seats), sum(won), lost, plies, sentences)

    @cached_property
    def _perfect_plies(self) -> int | None:
        return pursuit.plies_from(self.game.start())

    @property
    def _perfect(self) -> str:
        return "never" if self._perfect_plies is None else str(self._perfect_plies)

    @property
    def _perfect_winner(self) -> int:
        """The seat that wins where both play perfectly, under the game's end rule."""
        plies = self._perfect_plies
        return 0 if plies is not None and plies <= pursuit.plies_allowed(self.game) else 1


def _tables(plan: Plan) -> PolicyTable:
    assert isinstance(plan.genome, PolicyTable)  # cat and mouse offers no other genomes
    return plan.genome


# --- dots and boxes ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Boxes:
    """Proves networks of dots and boxes, as :class:`Pursuit` does policies.

    A network may draw among its best edges, so what it gets is known in the mean alone, and no
    outcome is certain. What a network is guaranteed is kept in the cache folder.
    """

    config: Config
    threads: int
    opponent: ClassVar[str] = BEST_RESPONSE
    is_slow: ClassVar[bool] = True

    @property
    def game(self) -> Game:
        return self.config.game

    def games(self, plan: Plan) -> int:
        """None is certain."""
        return 0

    def prove(self, plan: Plan, genome: bytes, name: str, announce: Announce) -> Proof:
        """See :meth:`Pursuit.prove`."""
        assert isinstance(plan.genome, BitNetwork | RealNetwork)
        game, measured = self.game, player_of(self.config, [genome], name)
        path = kept_as("guaranteed", game.spec, identity(measured))
        content = cache.load(path)
        if content is None:
            announce(f"computing the best response to {name}")
            found = exploitability.best_response(surveyed(measured, self.threads), self.threads)
            content = found.guaranteed.astype("<f8").tobytes()
            cache.store(path, content)
        return _of_boxes(game, np.frombuffer(content, dtype="<f8"))


def _of_boxes(game: Game, guaranteed: np.ndarray) -> Proof:
    value = oracle.position_value(game.start())
    found = exploitability.Exploitability(game, "it", guaranteed, value, np.zeros(0, np.int8))
    return Proof(0, 0, found.exploitability, math.nan, (str(found),))


Prover = Pursuit | Boxes
"""Whatever proves the individuals of a run."""
