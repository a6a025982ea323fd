"""Encodings: the genes, the variation and the players of individuals. One encoding per file."""

from __future__ import annotations

from typing import Any

from tournaments.code_files import is_code
from tournaments.game import Game
from tournaments.guard import Hook, call_hook
from tournaments.registry import Registry

ENCODINGS = Registry(
    what="encoding",
    package="evo.genomes",
    attribute="GENOME",
    group="evo.genomes",
    shared=frozenset({"base", "guarded", "policy_table", "reals"}),
    base="evo.genomes.base:EncodingOptions",
)
"""Each encoding as the dataclass of its options: a subclass of
:class:`evo.genomes.base.EncodingOptions`."""


def fitting(game: Game, wanted: str = "") -> dict[str, Any]:
    """Return the encodings that can represent players of a game, by name.

    An encoding from a file by path is included if it is ``wanted``.
    """
    names = [*ENCODINGS.names(), *([wanted] if is_code(wanted) else [])]
    encodings = {name: ENCODINGS.load(name) for name in names}
    return {
        name: encoding
        for name, encoding in encodings.items()
        if call_hook(ENCODINGS.plugin(name), Hook("fits(game)"), encoding.fits, game)
    }
