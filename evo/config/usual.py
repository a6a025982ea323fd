"""The learner, the encoding and the scheme of a game that is given alone.

They follow from what the game declares, by the first rule of :data:`RULES` that suits it, and never
from its name. A third-party game is chosen for in the same way. ``python -m benchmarks.defaults``
measures the champions, see ``docs/which-learner.md``. No run is ended or sized by a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from evo import genomes
from evo.config.tables import DEFAULT_LEARNER, DEFAULT_SCHEME, merge, named_table
from tournaments import games, players
from tournaments.game import Game
from tournaments.players.network import layers_for
from tournaments.registry import parse_spec
from tournaments.solver.retrograde import has_solution
from tournaments.solver.states import states_of

SAID = ("scheme", "learner", "genome", "islands", "start")
"""Fields that say how players evolve: with one of them given, nothing is chosen."""
BY_ITSELF = 1_000_000
"""Rows up to which a table that plays itself tries nearly every action in a minute."""
BY_TEACHER = 4_000_000
"""Rows up to which a table learns in a minute to beat random play."""
MOST_BYTES = 200_000_000
"""Bytes of the positions up to which they are counted."""
PLIES = 12_000
"""Plies of the longest games of a match, over all matches of an individual and an opponent."""
MANY_WEIGHTS = 1_000
"""Weights from which networks share those that a mirror of the game maps onto each other."""
FEW_NUMBERS = 100
"""Numbers up to which an evolution strategy keeps all covariances."""
PAGE = "docs/which-learner.md"

AGAINST_RANDOM = {"name": "direct", "opponent": "random"}
BY_SCORE = {"score": 1, "two_wins": 0, "one_win": 0}
"""Points of ``direct`` for what a player earns, whatever its opponent earns."""
BREEDING = {"name": "genetic", "selection": "truncation", "crossover": "uniform"}


class Rule(NamedTuple):
    """The fields of a configuration for games with a capability; both in words, too."""

    suits: Callable[[Game], bool]
    changes: Callable[[Game], dict[str, Any]]
    way: str
    why: str


def usual(given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return a table with the learner and the scheme that suit its game, and a line about them.

    Args:
        given: a table that names a game; one that says how players evolve stays as it is, and the
            line is empty.

    Raises:
        ConfigError, TournamentError: there is no such game.
    """
    if any(key in given for key in SAID):
        return dict(given), ""
    name, options = named_table(given, "game")
    game = games.make(name, **options)
    game.check_first_position()
    rule = next(rule for rule in RULES if rule.suits(game))
    line = f"{game.name}: {rule.way}, since {rule.why} ({PAGE}); --learner and --scheme take others"
    return merge(rule.changes(game), given), line


def opponents_of(game: Game) -> list[str]:
    """Return the fixed opponents that a game names and that play it here."""
    named = game.rules.opponents
    return [name for name in named if players.is_named(parse_spec(name)[0], game)]


def _has_rows(most: int) -> Callable[[Game], bool]:
    """Return whether a game has a table of values with at most so many rows."""

    def suits(game: Game) -> bool:
        if "value-table" not in genomes.fitting(game):
            return False
        if game.rules.states is not None or game.rules.solver is not None:
            return max(states_of(game).rows) <= most
        return has_solution(game, min(most, MOST_BYTES // (2 * game.state_size)))

    return suits


def _takes(encoding: str) -> Callable[[Game], bool]:
    """Return whether players of a game can be written down so."""
    return lambda game: encoding in genomes.fitting(game)


def _has_opponents(game: Game) -> bool:
    """Whether the game names fixed opponents, and one population meets them all."""
    return not game.rules.has_roles and bool(opponents_of(game))


def _has_two_moves(game: Game) -> bool:
    """Whether a repeated game has two moves, so that 32 memory-one tables are all there are."""
    return game.rules.stage is not None and len(game.rules.stage.moves) == 2


def _by_rewards(against: str, turns: int) -> dict[str, Any]:
    return {
        "population": 2,
        "generations": 60,
        "snapshot_interval": 30,
        "scheme": {**AGAINST_RANDOM, "matches": 100},
        "learner": {"name": "q-learning", "against": against, "turns": turns},
    }


def _against_opponents(game: Game) -> dict[str, Any]:
    matches = max(2, PLIES // game.most_plies)
    return {"name": "direct", "opponents": opponents_of(game), "matches": matches}


def _memory_one(game: Game) -> dict[str, Any]:
    return {
        "population": 32,
        "generations": 30,
        "genome": {"encoding": "memory-one"},
        "scheme": {**_against_opponents(game), **BY_SCORE},
        "learner": {**BREEDING, "mutation_probability": 0.1},
    }


def _numbers(game: Game) -> dict[str, Any]:
    form = next(iter(game.rules.vectors.values()))
    method = "cma" if len(form.names(game, 0)) <= FEW_NUMBERS else "sep-cma"
    return {
        "population": 25,
        "generations": 30,
        "genome": {"encoding": "real-vector"},
        "scheme": _against_opponents(game),
        "learner": {"name": "evolution-strategy", "method": method, "sigma": form.spread},
    }


def _networks(game: Game) -> dict[str, Any]:
    """Return the way of networks; large ones learn more from a game with shared weights."""
    assert game.rules.network is not None
    layers = layers_for(game)
    weights = sum(a * b for a, b in pairwise(layers))
    if game.rules.network.symmetries is None or weights < MANY_WEIGHTS:
        return BY_NETWORKS
    return merge(BY_NETWORKS, {"genome": {"symmetry": True}})


BY_ONE_ANOTHER: dict[str, Any] = {
    "population": 24,
    "generations": 60,
    "genome": {"encoding": "real-vector"},
    "scheme": {"name": "round-robin"},
    "learner": {**BREEDING, "mutation_probability": 0.2},
}
BY_NETWORKS: dict[str, Any] = {
    "population": 101,
    "games": 2_000_000,
    "scheme": AGAINST_RANDOM,
    "genome": {"encoding": "real-network", "initial": 0.5},
    "learner": {"name": "openai-es"},
}
BY_TABLES: dict[str, Any] = {
    "games": 2_000_000,
    "snapshot_interval": 500,
    "scheme": {**AGAINST_RANDOM, "matches": 1},
}

RULES = (
    Rule(
        _has_rows(BY_ITSELF),
        lambda game: _by_rewards("self", 500_000),
        "q-learning of tables that play themselves",
        "its positions are numbered, and so few that a table of them all is learned in seconds",
    ),
    Rule(
        _has_rows(BY_TEACHER),
        lambda game: _by_rewards("random", 1_000_000),
        "q-learning of tables against random",
        "its positions can be counted, and are too many to be learned by self-play",
    ),
    Rule(
        lambda game: _has_two_moves(game) and _has_opponents(game),
        _memory_one,
        "genetic memory-one tables, by points against the opponents that it names",
        "it has two moves, and what a player earns by them depends on the answers",
    ),
    Rule(
        lambda game: _takes("real-vector")(game) and _has_opponents(game),
        _numbers,
        "evolution-strategy of numbers, by wins over the opponents that it names",
        "its players go by a few numbers",
    ),
    Rule(
        _takes("real-vector"),
        lambda game: BY_ONE_ANOTHER,
        "genetic numbers under round-robin",
        "its players go by a few numbers, and it names no opponents for them",
    ),
    Rule(
        _takes("real-network"),
        _networks,
        "openai-es under direct against random",
        "networks play it, and such runs ended with the strongest of them",
    ),
    Rule(
        lambda game: bool(game.rules.tables),
        lambda game: BY_TABLES,
        f"{DEFAULT_LEARNER} under direct against random, a match each",
        "its players are tables, and many small tests bred the best of them",
    ),
    Rule(
        lambda game: True,
        lambda game: {},
        f"{DEFAULT_LEARNER} under {DEFAULT_SCHEME}",
        "it declares nothing of the kinds that other learners take",
    ),
)
"""By falling priority; the last one suits every game."""
