"""Which encoding goes with a game and a learner, and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evo import genomes
from tournaments import options as fields
from tournaments.errors import ConfigError, nearest, shown
from tournaments.game import Game


def encoding_options(name: str, options: Mapping[str, Any], game: Game, learner: Any) -> Any:
    """The options of the encoding: by default of the first that fits the game and the learner.

    Args:
        name: of the encoding; empty: by default.
        options: values for its fields.
        game: whose players are written down.
        learner: the options of the learner.

    Raises:
        ConfigError: they do not go together.
    """
    every = genomes.fitting(game, name)
    able = {key: each for key, each in every.items() if each.values == learner.by_reward}
    _check_values(name, every, game, learner)
    if not able:
        raise ConfigError(
            f"{game.name} offers neither inputs for networks nor policy tables, so nothing can "
            "evolve; its players can meet in evo tournament"
        )
    if learner.real_weights:
        real = {key: encoding for key, encoding in able.items() if encoding.real_weights}
        _check_real(name, able, real, game, learner.name)
        able = real
    name = name or next(iter(able))
    if name not in able:
        raise ConfigError(
            f"genome.encoding={shown(name)} given{nearest(name, able)}; "
            f"{' or '.join(map(repr, able))} is expected for {game.name}"
        )
    others = fields.owners("encoding", name, lambda: every, "genome.encoding")
    return fields.checked(able[name], "genome.", {**options, "encoding": name}, ConfigError, others)


def _check_values(name: str, every: Mapping[str, Any], game: Game, learner: Any) -> None:
    """Refuse values of actions without a learner by reward, and such a learner without them."""
    values = [key for key, encoding in every.items() if encoding.values]
    if learner.by_reward and not values:
        raise ConfigError(
            f"learner={learner.name!r} given; it takes a table with a row for each position, and "
            f"{game.short_spec} has too many: choose a smaller board, or another learner"
        )
    if name in every and every[name].values != learner.by_reward:
        wanted = f"genome.encoding={values[0]}" if learner.by_reward else "learner=q-learning"
        raise ConfigError(
            f"genome.encoding={name!r} and learner={learner.name!r} given; the values of actions "
            f"are what learners by reward learn, and these alone: set {wanted}"
        )


def _check_real(
    name: str, able: Mapping[str, Any], real: Mapping[str, Any], game: Game, learner: str
) -> None:
    """Refuse a learner of real weights where there are none."""
    if not real:
        raise ConfigError(
            f"learner={learner!r} given; it takes networks of real weights, and {game.name} shows "
            "networks nothing: take another learner, such as genetic"
        )
    if name in able and name not in real:
        raise ConfigError(
            f"genome.encoding={name!r} and learner={learner!r} given; it takes real weights: set "
            f"genome.encoding={next(iter(real))}, or leave the encoding out"
        )
