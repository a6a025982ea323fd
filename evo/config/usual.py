"""The default learner, encoding and scheme of a game that is given alone.

They follow from what the game declares, by the first of :data:`RULES` that suits the game, and
never from its name. A third-party game is served in the same way. ``usual.toml`` says what each
rule sets, and why. ``python -m benchmarks.defaults`` measures the champions, see
``docs/which-learner.md``. No run is ended or sized by a clock.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from evo import genomes
from evo.config.tables import merge, named_table
from tournaments import games, players
from tournaments.game import Game
from tournaments.players.network import layers_for
from tournaments.registry import parse_spec
from tournaments.solver.retrograde import has_solution
from tournaments.solver.states import states_of

TEXT = Path(__file__).with_suffix(".toml")
SAID = ("scheme", "learner", "genome", "islands", "start")
"""Fields that define how players evolve. If any of them is given, no defaults are chosen."""
BY_ITSELF = 1_000_000
"""Most rows of a table for which self-play tries nearly every action in a minute."""
BY_TEACHER = 4_000_000
"""Most rows of a table that learns in a minute to beat random play."""
MOST_BYTES = 200_000_000
"""Most bytes of positions for which the positions are counted."""
PLIES = 12_000
"""Plies of the longest games of a match, over all matches of an individual and an opponent."""
MANY_WEIGHTS = 1_000
"""Fewest weights for which networks share the weights that a mirror maps onto each other."""
FEW_NUMBERS = 100
"""Most numbers for which an evolution strategy keeps all covariances."""
SLOWER = 20
"""Divisor of the number of games of a run whose rules are plain Python."""
PAGE = "docs/which-learner.md"


class Rule(NamedTuple):
    """A rule for games with a capability.

    Attributes:
        name: the table of ``usual.toml`` with the fields of the configuration.
        suits: whether the rule suits a game.
        more: the fields that depend on the game.
    """

    name: str
    suits: Callable[[Game], bool]
    more: Callable[[Game], dict[str, Any]] = lambda game: {}


def usual(given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return a table with the learner and the scheme that suit its game, and a line about them.

    Args:
        given: a table that names a game. If it also defines how players evolve, it is returned
            unchanged, and the line is empty.

    Raises:
        ConfigError, TournamentError: there is no such game.
    """
    if any(key in given for key in SAID):
        return dict(given), ""
    name, options = named_table(given, "game")
    game = games.make(name, **options)
    game.check_first_position()
    rule = next(rule for rule in RULES if rule.suits(game))
    text = tomllib.loads(TEXT.read_text(encoding="utf-8"))[rule.name]
    line = (
        f"{game.name}: {text['way']}, since {text['why']} ({PAGE}); --learner and --scheme take "
        "others"
    )
    fields = text["fields"]
    if given.get("games") and "generations" not in given:  # which would end the run earlier
        fields = {name: value for name, value in fields.items() if name != "generations"}
    if game.is_interpreted and "games" in fields:
        fields = {**fields, "games": fields["games"] // SLOWER}
    return merge(merge(fields, rule.more(game)), given), line


def opponents_of(game: Game) -> list[str]:
    """Return the fixed opponents, by name, that a game recommends for training on this machine."""
    named = game.rules.opponents
    return [name for name in named if players.is_named(parse_spec(name)[0], game)]


def _has_rows(most: int) -> Callable[[Game], bool]:
    """Return a predicate: whether a game's table of values has at most ``most`` rows."""

    def suits(game: Game) -> bool:
        if "value-table" not in genomes.fitting(game):
            return False
        if game.rules.states is not None or game.rules.solver is not None:
            return max(states_of(game).rows) <= most
        return has_solution(game, min(most, MOST_BYTES // (2 * game.state_size)))

    return suits


def _takes(encoding: str) -> Callable[[Game], bool]:
    """Return a predicate: whether an encoding can represent players of a game."""
    return lambda game: encoding in genomes.fitting(game)


def _has_opponents(game: Game) -> bool:
    """Return whether a game recommends fixed opponents, and one population can meet them all."""
    return not game.rules.has_roles and bool(opponents_of(game))


def _has_two_moves(game: Game) -> bool:
    """Return whether a repeated game has two moves, so that there are only 32 memory-one tables."""
    return game.rules.stage is not None and len(game.rules.stage.moves) == 2


def _against_opponents(game: Game) -> dict[str, Any]:
    matches = max(2, PLIES // game.most_plies)
    return {"scheme": {"opponents": opponents_of(game), "matches": matches}}


def _numbers(game: Game) -> dict[str, Any]:
    form = next(iter(game.rules.vectors.values()))
    method = "cma" if len(form.names(game, 0)) <= FEW_NUMBERS else "sep-cma"
    return {**_against_opponents(game), "learner": {"method": method, "sigma": form.spread}}


def _symmetry(game: Game) -> dict[str, Any]:
    """Return the encoding's option that weights of a large network are shared by a game's mirror.

    The result is empty for small networks, and for games without a mirror.

    Networks that share weights learn more.
    """
    assert game.rules.network is not None
    weights = sum(a * b for a, b in pairwise(layers_for(game)))
    shares = game.rules.network.symmetries is not None and weights >= MANY_WEIGHTS
    return {"genome": {"symmetry": True}} if shares else {}


RULES = (
    Rule("rows-for-self-play", _has_rows(BY_ITSELF)),
    Rule("rows-for-a-teacher", _has_rows(BY_TEACHER)),
    Rule("two-moves", lambda g: _has_two_moves(g) and _has_opponents(g), _against_opponents),
    Rule(
        "numbers-and-opponents", lambda g: _takes("real-vector")(g) and _has_opponents(g), _numbers
    ),
    Rule("numbers", _takes("real-vector")),
    Rule("networks", _takes("real-network"), _symmetry),
    Rule("tables", lambda game: bool(game.rules.tables)),
    Rule("other", lambda game: True),
)
"""The rules by falling priority. The last one suits every game."""
