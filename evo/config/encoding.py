"""The encoding for a game and a learner, and its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evo import genomes
from tournaments import options as fields
from tournaments.errors import ConfigError, nearest, shown
from tournaments.game import Game


def encoding_options(name: str, options: Mapping[str, Any], game: Game, learner: Any) -> Any:
    """Return the options of a run's encoding of players.

    The default is the first encoding that fits game and learner.

    Args:
        name: of the encoding; empty: by default.
        options: values for its fields.
        game: the game that the encoded players play.
        learner: the options of the learner.

    Raises:
        ConfigError: the encoding does not fit.
    """
    every = genomes.fitting(game, name)
    able = {
        key: each
        for key, each in every.items()
        if (each.values, each.programs) == (learner.by_reward, learner.programs)
        and (each.real_weights or not learner.real_weights)
    }
    if not able:
        has_genes = any(not (each.values or each.programs) for each in every.values())
        raise ConfigError(_why_none(has_genes, game, learner))
    name = name or next(iter(able))
    if name in every and name not in able:
        takes = "values of actions" if learner.by_reward else "real weights"
        takes = "programs" if learner.programs else takes
        wanted = f"genome.encoding={next(iter(able))}"
        if every[name].values:
            takes, wanted = "no values of actions", "learner=q-learning"
        if every[name].programs:
            takes, wanted = "no programs", "learner=program-search"
        raise ConfigError(
            f"genome.encoding={name!r} and learner={learner.name!r} given; {learner.name} takes "
            f"{takes}: set {wanted}, or leave the encoding out"
        )
    if name not in able:
        raise ConfigError(
            f"genome.encoding={shown(name)} given{nearest(name, able)}; "
            f"{' or '.join(map(repr, able))} is expected for {game.name}"
        )
    others = fields.owners("encoding", name, lambda: every, "genome.encoding")
    return fields.checked(able[name], "genome.", {**options, "encoding": name}, ConfigError, others)


def _why_none(has_genes: bool, game: Game, learner: Any) -> str:
    """Return why no encoding of players fits a game and a learner, as an error message.

    ``has_genes`` says whether the game has an encoding whose genes are not values of actions.
    """
    given = f"learner={learner.name!r} given; it takes"
    if learner.by_reward:
        return (
            f"{given} a table with a row for each position, and {game.short_spec} has too many: "
            "choose a smaller board, or another learner"
        )
    if has_genes:
        return (
            f"{given} networks of real weights, and {game.name} shows networks nothing: take "
            "another learner, such as genetic"
        )
    return (
        f"{game.short_spec} offers neither inputs for networks nor policy tables, so nothing can "
        f"evolve by {learner.name}; its players can meet in evo tournament"
    )
