"""The members of a population in a competition: the objects from the user, and the players."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from os.path import isfile
from typing import Any

import numpy as np

from tournaments.arena.entrants import Genomes, Individual, Mixture
from tournaments.arena.forfeits import FaultPolicy
from tournaments.code_files import path_of
from tournaments.errors import TournamentError, shown, storable
from tournaments.game import Game
from tournaments.named_files import read_named
from tournaments.player import Player, Representation, identity
from tournaments.players import as_player, is_file_alone
from tournaments.players.loading import Unloadable, loading_faults
from tournaments.players.objects import check_several, is_text, renamed, uniquely_named

Record = dict[str, Any]
"""What a file holds of members; JSON can hold it."""


class Maker:
    """A factory that converts a user's objects to players in each generation.

    The player of a data file is created again only if the content of the file changed. The content
    itself is compared, because a file may be written twice within one tick of the file system's
    clock.
    """

    def __init__(self, game: Game, policy: FaultPolicy | None = None) -> None:
        self.game, self.policy = game, policy
        self._made: dict[str, tuple[bytes, Player]] = {}

    def players(self, things: Sequence[Any]) -> tuple[tuple[Any, ...], list[Player]]:
        """Return the objects and one player per object. Players of files are cached.

        If faults are forfeited, an :class:`.loading.Unloadable` replaces a file that cannot be
        loaded.

        Raises:
            TournamentError: an object is no player, or a file cannot be loaded and faults abort.
        """
        before, self._made = self._made, {}
        faults, own, players = loading_faults(things, self.game), [], []
        for thing in things:
            try:
                if is_text(thing) and (fault := faults.get(str(thing))):
                    raise fault
                player = self._player(thing, before)
            except TournamentError as error:
                if self.policy is None or not (is_text(thing) and isfile(path_of(str(thing)))):
                    raise
                thing = Unloadable.of(str(thing), error)
                player = as_player(thing, self.game)
            own.append(thing)
            players.append(player)
        return tuple(own), uniquely_named(things, players)

    def _player(self, thing: Any, before: Mapping[str, tuple[bytes, Player]]) -> Player:
        if not is_text(thing) or not is_file_alone(file := str(thing)):
            return as_player(thing, self.game)
        if file not in self._made:
            try:
                content = read_named(file)
            except (OSError, ValueError):  # reported when the player is created
                content = b""
            made = before.get(file)
            if made is None or made[0] != content or not content:
                made = content, as_player(file, self.game)
            self._made[file] = made
        return self._made[file][1]


@dataclass(frozen=True, eq=False)
class Things:
    """A population of players of any kind.

    Attributes:
        game: the game.
        things: the objects from the user.
        population: the players made of these objects.
        names: the display names.
    """

    game: Game
    things: tuple[Any, ...]
    population: Mixture
    names: tuple[str, ...]

    @property
    def packed(self) -> np.ndarray:
        """The identities of the players, as SHA-256, uint8 ``[N, 32]``."""
        digests = (hashlib.sha256(identity(player).encode()) for player in self.population)
        return np.frombuffer(b"".join(each.digest() for each in digests), np.uint8).reshape(-1, 32)

    @property
    def encoding(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The description of :attr:`packed` and its layout in ``run.json``."""
        return {"encoding": "identity", "bytes": 32}, {}

    def followed_by(self, archive: Members) -> Things:
        """Return these players followed by an archive of players.

        Raises:
            TournamentError: the archive holds genomes.
        """
        if not isinstance(archive, Things):
            raise _mixed("players", "genomes", "genomes")
        both = self.population + archive.population
        return Things(self.game, self.things + archive.things, both, self.names + archive.names)

    def kept(self, rows: Sequence[int], living: int, generation: int) -> Things:
        """Return an archive of the players in some rows.

        The first ``living`` rows belong to this generation, later rows to the present archive.
        """
        things = tuple(_alone(self.things[row]) for row in rows)
        players = tuple(
            self.population[row]
            if thing is self.things[row]
            else as_player(thing, self.game, self.population[row].name)
            for row, thing in zip(rows, things, strict=True)
        )
        return Things(self.game, things, players, _dated(self.names, rows, living, generation))

    def record(self) -> Record:
        """Return the record of the players for a file."""
        pairs = zip(self.things, self.population, strict=True)
        players = [record_of(thing, player) for thing, player in pairs]
        return {"names": list(self.names), "players": players}


@dataclass(frozen=True, eq=False)
class Individuals:
    """A population of genomes.

    Attributes:
        packed: the packed genomes, uint8 ``[N, B]``.
        names: the display names.
        representation: the representation of the genomes. None: that of the population they join.
    """

    packed: np.ndarray
    names: tuple[str, ...]
    representation: Representation | None = None

    @property
    def population(self) -> Genomes:
        """The genomes as a population that can be matched."""
        assert self.representation is not None
        return Genomes(self.representation, self.packed)

    @property
    def encoding(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """See :attr:`Things.encoding`."""
        made: Any = self.representation
        return made.spec(), made.layout

    def followed_by(self, archive: Members) -> Individuals:
        """Return these genomes followed by an archive of genomes.

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
    """Return the members for a user's population: ``Genomes``, or players, by name or in a list.

    Raises:
        TournamentError: the population is none of these, or a name is no text.
    """
    if isinstance(given, Genomes):
        names = tuple(f"individual {number}" for number in range(len(given)))
        return Individuals(given.packed, names, given.representation)
    named = isinstance(given, Mapping)
    if not named:
        check_several(given)
    things = tuple(given.values() if named else given)
    things, players = maker.players(things)
    if named:
        players = list(map(renamed, players, map(_checked_name, given)))
    names = tuple(each.name for each in players)
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise TournamentError(
            f"player {twice!r} given twice in a population, and the two would not be told apart; "
            'give each a name: {"first": player, "second": player}'
        )
    return Things(maker.game, things, tuple(players), names)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name or name != storable(name):
        raise TournamentError(
            f"{shown(name)} given as the name of a player; a text is expected, such as "
            '{"alice": bot, "bob": "level-1"}'
        )
    return name


def _dated(
    names: Sequence[str], rows: Sequence[int], living: int, generation: int
) -> tuple[str, ...]:
    """Return the names of the members that an archive keeps, by their rows.

    The first ``living`` rows are the population of this generation, whose names get the generation
    as a suffix. Later rows are the present archive, whose names have a suffix already.
    """
    return tuple(f"{names[row]}@{generation}" if row < living else names[row] for row in rows)


def _mixed(given: str, kept: str, again: str) -> TournamentError:
    return TournamentError(
        f"{given} given as a population whose archive holds {kept}; give {again} again, or make "
        "another competition"
    )


def _alone(thing: Any) -> Any:
    """Return the object to keep. An individual is detached from the rest of its population."""
    if isinstance(thing, Individual) and len(thing.genomes) > 1:
        return thing.with_genome(thing.packed)
    return thing


# --- in files ------------------------------------------------------------------------------------


def record_of(thing: Any, player: Player) -> Record:
    """Return the record of a player for a file: its text, its weights, or else its identity."""
    if is_text(thing):
        return {"player": str(thing), "identity": identity(player)}
    if isinstance(thing, Unloadable):
        return {"unloadable": asdict(thing)}
    if isinstance(thing, np.ndarray):
        return {"weights": thing.tolist()}
    if isinstance(thing, Individual):
        return {"name": player.name, "genome": thing.packed.tobytes().hex()}
    return {"name": player.name, "identity": identity(player)}


def recalled(record: Record, game: Game, at_hand: Mapping[str, Any]) -> Any:
    """Return the user's original object for a player from its record.

    Args:
        record: see :func:`record_of`.
        game: the game that the player plays.
        at_hand: functions and objects that no file can hold, by identity. An individual among them
            provides the encoding of genomes.

    Raises:
        TournamentError: a function or an object is missing, or a file now holds another player.
    """
    if "unloadable" in record:
        return Unloadable(**record["unloadable"])
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
    """Return the text of a record. Raise if it no longer selects the same player."""
    text = str(record["player"])
    _, (player,) = Maker(game).players([text])
    now = identity(player)
    if now != record["identity"]:
        raise TournamentError(
            f"player {text!r} was {record['identity']} when the competition was saved, and is {now}"
            "; put its file back, and give arrays in place of files that are written anew"
        )
    return text


def _individual_of(record: Record, at_hand: Mapping[str, Any]) -> Individual:
    """Return the individual of a record, with the encoding of an individual in ``at_hand``."""
    packed = np.frombuffer(bytes.fromhex(record["genome"]), dtype=np.uint8)
    for thing in at_hand.values():
        if isinstance(thing, Individual) and len(thing.packed) == len(packed):
            return thing.with_genome(packed)
    raise TournamentError(
        f"player {record['name']!r} was a genome of {len(packed)} bytes, whose encoding no file "
        "holds; give genomes of it: Competition.open(path, players=[*genomes])"
    )


def members_of_record(record: Record, game: Game, at_hand: Mapping[str, Any]) -> Members:
    """Return the members of a record in a file.

    Raises:
        ValueError: the numbers of names and members differ.
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
