"""Teams by name, with weights set by hand, and teams of any numbers, which evolve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tournaments.game import Game
from tournaments.games.capture_the_flag.agents.beliefs import begin, watch
from tournaments.games.capture_the_flag.agents.choice import choose
from tournaments.games.capture_the_flag.agents.memory import NAMES, Memory, memory
from tournaments.options import as_options, checked, option, spec_of
from tournaments.player import CompiledPlayer, Kind
from tournaments.players.vector import Vectors
from tournaments.rules import PlayerOffer, VectorForm


def believe(memory: Memory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the columns and rows of the squares and the probability of an enemy on each.

    Two enemies are summed. The probabilities are even if the team does not track enemies.
    """
    return memory.columns, memory.rows, np.minimum(memory.belief.sum(axis=0), 1.0)


KIND = Kind("team", choose, begin, watch, memory, by_row=("first", "second"), believe=believe)
FORM = VectorForm(
    "team",
    "two agents by weights on the maze's graph, each an attacker or a defender",
    lambda game, seat: NAMES,
    KIND,
    spread=2.0,
)
ROLES = {"team": (1.0, -1.0), "attackers": (1.0, 1.0), "defenders": (-1.0, -1.0)}
"""By name of a player the roles of its agents: above 0 attackers, else defenders."""


@dataclass(frozen=True)
class Options:
    """The options of a team of capture the flag: its weights, and switches of its methods."""

    ghost: float = option(8.0, "costs near an enemy ghost", -64.0, 64.0)
    ghost_fade: float = option(0.5, "how fast they fade, a step", 0.0, 64.0)
    pacman: float = option(0.5, "less cost near an enemy pac-man", -64.0, 64.0)
    pacman_fade: float = option(0.5, "how fast it fades, a step", 0.0, 64.0)
    friend: float = option(1.0, "costs near the friend", -64.0, 64.0)
    friend_fade: float = option(0.5, "how fast they fade, a step", 0.0, 64.0)
    behind: float = option(30.0, "costs behind a pac-man that is chased", -64.0, 64.0)
    ahead: float = option(0.5, "less cost ahead of it", -64.0, 64.0)
    beta: float = option(10.0, "how much enemies are held to explore", 0.0, 64.0)
    whim: float = option(2.0, "steps in 100 that are drawn", 0.0, 64.0)
    tracker: int = option(1, "0: enemies out of sight are not known at all", 0, 1)
    noise: int = option(1, "0: noisy distances are not used", 0, 1)
    sight: int = option(1, "0: that an enemy is not seen is not used", 0, 1)
    deeds: int = option(1, "0: that a dot is gone is not used", 0, 1)
    heading: int = option(1, "0: pac-men are followed, not headed off", 0, 1)
    soft: int = option(1, "0: hard rules in place of weighed ways", 0, 1)


def player(name: str, game: Game, **given: Any) -> CompiledPlayer:
    """Return a team of capture the flag with preset weights, of which some may be replaced.

    Args:
        name: the preset, such as ``team`` or ``attackers``.
        game: the game to play.
        **given: weights and pieces of play that replace the preset, fields of :class:`Options`.

    Raises:
        TournamentError: an option that does not exist or is out of range.
    """
    chosen = checked(Options, f"{name}: ", given)
    numbers = np.array([[*ROLES[name], *map(float, as_options(chosen).values())]])
    return CompiledPlayer(
        spec_of(name, chosen),
        KIND,
        game,
        Vectors(numbers, numbers),
        maker=partial(player, name),
        options=as_options(chosen),
    )


OFFERS = {
    "team": PlayerOffer("an attacker and a defender; beta=10 heading=1", partial(player, "team")),
    "attackers": PlayerOffer("two attackers", partial(player, "attackers")),
    "defenders": PlayerOffer("two defenders", partial(player, "defenders")),
}
