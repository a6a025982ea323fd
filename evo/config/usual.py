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

SAID = ("scheme", "learner", "genome", "islands", "start")
"""Fields that say how players evolve: with one of them given, nothing is chosen."""
BY_REALS: dict[str, Any] = {
    "population": 101,
    "scheme": {"name": "direct", "opponent": "random"},
    "genome": {"encoding": "real-network", "initial": 0.5},
    "learner": {"name": "openai-es"},
}
"""For a game that shows networks its positions."""
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
    if "real-network" in genomes.fitting(game) and not _is_repeated(game):
        return merge(BY_REALS, given), (
            f"{name}: openai-es under direct against random, since networks play it, and such runs "
            f"ended with the strongest of them ({PAGE}); --learner and --scheme take others"
        )
    return dict(given), (
        f"{name}: {DEFAULT_LEARNER} under {DEFAULT_SCHEME}, since {_why_not(game)} ({PAGE}); "
        "--learner and --scheme take others"
    )


def _is_repeated(game: Game) -> bool:
    """Whether it is played in rounds: beating random play there is no sign of strength."""
    return game.rules.stage is not None


def _why_not(game: Game) -> str:
    if _is_repeated(game):
        return "what beats random play in rounds is beaten by all others"
    return "it shows networks nothing"
