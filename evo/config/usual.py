"""The learner and the scheme of a game of which a user says nothing else.

What suits a game follows from what it offers; measured by ``python -m benchmarks.defaults``, see
``docs/which-learner.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evo import genomes
from evo.config.tables import DEFAULT_LEARNER, DEFAULT_SCHEME, merge, named_table
from tournaments import games
from tournaments.game import Game
from tournaments.solver.retrograde import has_solution, may_have_solution

SAID = ("scheme", "learner", "genome", "islands", "start")
"""Fields that say how players evolve: with one of them given, nothing is chosen."""
BY_REALS: dict[str, Any] = {
    "population": 101,
    "scheme": {"name": "direct", "opponent": "random"},
    "genome": {"encoding": "real-network", "initial": 0.5},
    "learner": {"name": "openai-es"},
}
"""For a game that shows networks its positions."""
BY_TABLES: dict[str, Any] = {
    "games": 2_000_000,
    "snapshot_interval": 500,
    "scheme": {"name": "direct", "opponent": "random", "matches": 1},
}
"""For a game of policy tables alone."""
FEW_POSITIONS = 20_000
"""Up to which a table of all of them is learned in seconds."""
BY_VALUES: dict[str, Any] = {
    "population": 4,
    "generations": 20,
    "scheme": {"name": "direct", "opponent": "random"},
    "learner": {"name": "q-learning"},
}
"""For a game with few positions, of which nothing is hidden."""
PAGE = "docs/which-learner.md"


def usual(given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A table with the learner and the scheme that suit its game, and in a line what they are, why.

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
    changes, by, why = _choice(game, given)
    line = f"{game.name}: {by}, since {why} ({PAGE}); --learner and --scheme take others"
    return merge(changes, given), line


def _choice(game: Game, given: Mapping[str, Any]) -> tuple[dict[str, Any], str, str]:
    """What is laid under a table, what that is in words, and why."""
    if _has_few_positions(game):
        why = "it has so few positions that a table of them all is learned in seconds"
        return BY_VALUES, "q-learning of 4 tables, measured against random", why
    unchanged = f"{DEFAULT_LEARNER} under {DEFAULT_SCHEME}"
    if "real-network" in genomes.fitting(game):
        why = "networks play it, and such runs ended with the strongest of them"
        return BY_REALS, "openai-es under direct against random", why
    if game.rules.tables:
        why = "its players are tables, and many small tests bred the best of them"
        return BY_TABLES, f"{DEFAULT_LEARNER} under direct against random, a match each", why
    return {}, unchanged, "it shows networks nothing"


def _has_few_positions(game: Game) -> bool:
    fits = not game.rules.has_roles and "value-table" in genomes.fitting(game)
    return fits and may_have_solution(game) and has_solution(game, FEW_POSITIONS)
