"""The players of a population as a competition keeps them: as given, and as they play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tournaments.arena.entrants import Genomes, Individual, Mixture
from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.named_files import read_named
from tournaments.player import Player, Representation, identity
from tournaments.players import as_player, is_file_alone
from tournaments.players.objects import check_several, is_text, uniquely_named

Record = dict[str, Any]
"""What a file holds of members; JSON can hold it."""


class Maker:
    """Makes players of what a user gives, generation after generation.

    That of a file of numbers is made again only where the file holds something else. The content is
    compared, since a file may be written twice within a tick of the clock of its folder.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._made: dict[str, tuple[bytes, Player]] = {}

    def players(self, things: Sequence[Any]) -> list[Player]:
        """Return a player each; those of files are remembered for the next call."""
        before, self._made = self._made, {}
        return uniquely_named(things, [self._player(thing, before) for thing in things])

    def _player(self, thing: Any, before: Mapping[str, tuple[bytes, Player]]) -> Player:
        if not is_text(thing) or not is_file_alone(file := str(thing)):
            return as_player(thing, self.game)
        if file not in self._made:
            try:
                content = read_named(file)
            except (OSError, ValueError):  # which is said where a player is made of it
                content = b""
            made = before.get(file)
            if made is None or made[0] != content or not content:
                made = content, as_player(file, self.game)
            self._made[file] = made
        return self._made[file][1]


@dataclass(frozen=True, eq=False)
class Things:
    """Players of any kinds.

    Attributes:
        game: what they play.
        things: what the user gave.
        players: what plays.
        names: what tables call them.
    """

    game: Game
    things: tuple[Any, ...]
    players: tuple[Player, ...]
    names: tuple[str, ...]

    @property
    def population(self) -> Mixture:
        """The players, as they take part in matches."""
        return Mixture(self.players)

    def followed_by(self, archive: Members) -> Things:
        """Return these players, and an archive of players behind them.

        Raises:
            TournamentError: the archive holds genomes.
        """
        if not isinstance(archive, Things):
            raise _mixed("players", "genomes", "genomes")
        both = self.players + archive.players
        return Things(self.game, self.things + archive.things, both, self.names + archive.names)

    def kept(self, rows: Sequence[int], living: int, generation: int) -> Things:
        """Return an archive of some players; the first ``living`` are of this generation."""
        things = tuple(_alone(self.things[row]) for row in rows)
        players = tuple(
            self.players[row]
            if thing is self.things[row]
            else as_player(thing, self.game, self.players[row].name)
            for row, thing in zip(rows, things, strict=True)
        )
        return Things(self.game, things, players, _dated(self.names, rows, living, generation))

    def record(self) -> Record:
        """Return what a file holds of the players."""
        pairs = zip(self.things, self.players, strict=True)
        players = [record_of(thing, player) for thing, player in pairs]
        return {"names": list(self.names), "players": players}


@dataclass(frozen=True, eq=False)
class Individuals:
    """A population of genomes.

    Attributes:
        packed: uint8 ``[N, B]``.
        names: what tables call them.
        representation: what they stand for; None: as those of the population they join.
    """

    packed: np.ndarray
    names: tuple[str, ...]
    representation: Representation | None = None

    @property
    def population(self) -> Genomes:
        """See :attr:`Things.population`."""
        assert self.representation is not None
        return Genomes(self.representation, self.packed)

    def followed_by(self, archive: Members) -> Individuals:
        """Return these genomes, and an archive of genomes behind them.

        Raises:
            TournamentError: the archive holds players, or genomes of another length.
        """
        if not isinstance(archive, Individuals):
            raise _mixed("genomes", "players", "a list, such as [*genomes],")
        if archive.packed.shape[1] != self.packed.shape[1]:
            raise TournamentError(
                f"genomes of {self.packed.shape[1]} bytes given; those that the competition has "
                f"kept are of {archive.packed.shape[1]}: give genomes of one encoding, or make "
                "another competition"
            )
        packed = np.concatenate([self.packed, archive.packed])
        return Individuals(packed, self.names + archive.names, self.representation)

    def kept(self, rows: Sequence[int], living: int, generation: int) -> Individuals:
        """See :meth:`Things.kept`."""
        names = _dated(self.names, rows, living, generation)
        return Individuals(self.packed[list(rows)], names, self.representation)

    def record(self) -> Record:
        """See :meth:`Things.record`."""
        return {"names": list(self.names), "genomes": [row.tobytes().hex() for row in self.packed]}


Members = Things | Individuals
"""Players of one population, and of its archive."""


def members_of(given: Any, maker: Maker) -> Members:
    """Return the members that a user gives: genomes of ours, or a sequence of players of any kinds.

    Raises:
        TournamentError: it is neither.
    """
    if isinstance(given, Genomes):
        names = tuple(f"individual {number}" for number in range(len(given)))
        return Individuals(given.packed, names, given.representation)
    check_several(given)
    players = maker.players(things := tuple(given))
    return Things(maker.game, things, tuple(players), tuple(each.name for each in players))


def _dated(
    names: Sequence[str], rows: Sequence[int], living: int, generation: int
) -> tuple[str, ...]:
    """Names of kept members, which tell the generation that they are of."""
    return tuple(f"{names[row]}@{generation}" if row < living else names[row] for row in rows)


def _mixed(given: str, kept: str, again: str) -> TournamentError:
    return TournamentError(
        f"{given} given as a population whose archive holds {kept}; give {again} again, or make "
        "another competition"
    )


def _alone(thing: Any) -> Any:
    """A thing to be kept: an individual without the rest of its population."""
    if isinstance(thing, Individual) and len(thing.genomes) > 1:
        return thing.with_genome(thing.packed)
    return thing


# --- in files ------------------------------------------------------------------------------------


def record_of(thing: Any, player: Player) -> Record:
    """Return the record of a player in a file: its text, its weights, or else its identity."""
    if is_text(thing):
        return {"player": str(thing), "identity": identity(player)}
    if isinstance(thing, np.ndarray):
        return {"weights": thing.tolist()}
    if isinstance(thing, Individual):
        return {"name": player.name, "genome": thing.packed.tobytes().hex()}
    return {"name": player.name, "identity": identity(player)}


def recalled(record: Record, game: Game, at_hand: Mapping[str, Any]) -> Any:
    """Return a player as the user gave it, from its record.

    Args:
        record: see :func:`record_of`.
        game: what it plays.
        at_hand: players that no file holds, by their identity; individuals say what genomes are.

    Raises:
        TournamentError: a function or an object that is not at hand, or a file that holds another
            player than it did.
    """
    if "genome" in record:
        return _individual_of(record, at_hand)
    if "player" in record:
        return _as_it_was(record, game)
    if "weights" in record:
        return np.asarray(record["weights"], dtype=np.float64)
    if record["identity"] not in at_hand:
        raise TournamentError(
            f"player {record['name']!r} ({record['identity']}) was a function or an object, which "
            "no file can hold; give it again: Competition.open(path, players=[...])"
        )
    return at_hand[record["identity"]]


def _as_it_was(record: Record, game: Game) -> str:
    """The text of a record, which must stand for the same player still."""
    text = str(record["player"])
    now = identity(as_player(text, game))
    if now != record["identity"]:
        raise TournamentError(
            f"player {text!r} was {record['identity']} when the competition was saved, and is {now}"
            "; put its file back, and give arrays in place of files that are written anew"
        )
    return text


def _individual_of(record: Record, at_hand: Mapping[str, Any]) -> Individual:
    """The individual of a record, of the encoding of one that is at hand."""
    packed = np.frombuffer(bytes.fromhex(record["genome"]), dtype=np.uint8)
    for thing in at_hand.values():
        if isinstance(thing, Individual) and len(thing.packed) == len(packed):
            return thing.with_genome(packed)
    raise TournamentError(
        f"player {record['name']!r} was a genome of {len(packed)} bytes, whose encoding no file "
        "holds; give genomes of it: Competition.open(path, players=[*genomes])"
    )


def members_of_record(record: Record, game: Game, at_hand: Mapping[str, Any]) -> Members:
    """The members that a file holds.

    Raises:
        ValueError: as many names as members are expected.
    """
    names = tuple(map(str, record["names"]))
    given = record["genomes"] if "genomes" in record else record["players"]
    if len(given) != len(names):
        raise ValueError(f"{len(given)} members and {len(names)} names")
    if "genomes" in record:
        rows = [np.frombuffer(bytes.fromhex(text), dtype=np.uint8) for text in given]
        return Individuals(np.stack(rows), names)
    things = tuple(recalled(each, game, at_hand) for each in given)
    return Things(game, things, tuple(as_player(thing, game) for thing in things), names)
