"""Who takes part in a tournament: players as named, and the champions of many snapshots at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from evo.errors import ConfigError
from evo.evaluation import players as naming
from results import open_run
from tournaments.player import Game, Player
from tournaments.players import sources_of

_MANY = re.compile(r"(?P<folder>.+)@(?:all|every-(?P<every>[0-9]+))")


class Entry(NamedTuple):
    """One who takes part: what tables call it, the player, and what it is whatever it is called."""

    name: str
    player: Player
    identity: str

    @property
    def order(self) -> tuple[bool, str, str]:
        """Decides which of two is entrant a, whatever the order in which they are named.

        What evolved comes first, as in evaluations: the kernels are then those compiled for them.
        """
        return "@" not in self.identity, self.identity, self.name


def entries(specs: Sequence[str], game: Game) -> list[Entry]:
    """The players of a tournament, in the order given.

    Args:
        specs: as for :func:`evo.evaluation.players.player`; ``RUN@all`` stands for the champions
            of all snapshots of a run, ``RUN@every-K`` for those of each K-th and of the newest. A
            champion that is still the same as in the snapshot before takes part once.
        game: what they are to play.

    Raises:
        ConfigError: fewer than two, one of them twice, or every-0.
        TournamentError, ResultsError: there is no such player, or it does not play this.
    """
    found = [entry for spec in specs for entry in _entries(spec, game)]
    if len(found) < 2:
        raise ConfigError(f"{len(found)} player given; a tournament takes two or more")
    names = [entry.name for entry in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"player {twice!r} given twice; name each once")
    return found


def _entries(spec: str, game: Game) -> Iterator[Entry]:
    many = _MANY.fullmatch(spec)
    if many is None or not Path(many["folder"]).is_dir():
        player = naming.player(spec, game)
        identity = naming.identity(player)
        if sources := sources_of(spec):
            identity = f"{identity}@{sources}"
        yield Entry(spec, player, identity)
        return
    every = int(many["every"] or 1)
    if every < 1:
        raise ConfigError(f"{spec} given; every-1, which is all, or more is expected")
    snapshots = open_run(many["folder"]).snapshots
    before = ""
    for generation in sorted({*snapshots[::every], *snapshots[-1:]}):
        champion = naming.champion(many["folder"], game, generation)
        identity = naming.identity(champion)
        if identity != before:
            yield Entry(champion.name, champion, identity)
        before = identity
