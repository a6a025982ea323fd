"""The submissions of a league: the files of a folder, each checked before it plays."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cluster.trial import Trial, tried
from evo.config.toml import fields_of, load
from evo.evaluation.bot_check import check_bot
from evo.evaluation.players import Participant, content_digest, digest_of_thing
from evo.evaluation.players import player as make_player
from results import Run
from results.errors import printable
from results.folder.files import digest_of, place_of
from results.folder.runfile import holds_run
from results.format.genomes import are_programs
from tournaments import players
from tournaments.arena.contests import play_contests
from tournaments.arena.entrants import Entrants
from tournaments.code_files import names_thing, path_of, read, split_spec
from tournaments.errors import MOST_SHOWN, ConfigError, TournamentError, shown
from tournaments.game import Game
from tournaments.named_files import read_named
from tournaments.player import Player, check_seats, seconds_of
from tournaments.players.bot import is_meant, names_program
from tournaments.players.bot.sandbox import ProgramLimits
from tournaments.players.loading import loading_faults
from tournaments.players.objects import limited

LEFT_OUT = (".", "__")
"""Prefixes of file names that are not submissions, such as ``.gitignore`` and ``__pycache__``."""
LIST = "players.txt"
"""Name of the file that lists submissions in Python files, one per line: ``bots.py:Greedy``."""
THRESHOLDS = "thresholds.toml"
"""Name of the file of the staff's folder with the thresholds: ``"greedy.py" = 0.5``."""
MOST_LISTED = 1 << 20
"""Maximum size of the list, in bytes."""
SHOWN_DIGITS = 8
"""Number of hexadecimal digits of a digest in a name."""
BOARD = " The position:"
"""The end of a line before a board, which is not shown."""
EXPECTED = "a program that is executable, or .py, .js and the like, a .npy or .json file, or a run"
"""Description of a submission, for messages."""
CHECK_GAMES = 2
"""Number of games against random play in the check of a new submission."""


@dataclass(frozen=True)
class Submission:
    """A file of the folder, or an object in a Python file.

    Attributes:
        file: name of the file, in printable form. ``FILE.py:NAME`` for an object in a Python file.
        digest: SHA-256 of the content. Empty if the file cannot be read.
        name: name in tables: the file that first had this content, and the first digits of the
            digest.
        player: the player. None if the submission is broken.
        why: description of the fault, in one line. Empty if there is no fault.
        counts: whether the file is a submission, and not a text or a picture in the same folder.
        is_staff: whether it is a bot of the staff.
    """

    file: str
    digest: str = ""
    name: str = ""
    player: Player | None = None
    why: str = ""
    counts: bool = True
    is_staff: bool = False

    def participant(self) -> Participant:
        """Return the submission as a tournament entrant. Its games are seeded by its content."""
        assert self.player is not None
        return Participant(self.name, self.player, f"submission/{self.digest}")


def check_folder(folder: Path) -> None:
    """Raise if a path is not a readable folder of submissions.

    Raises:
        ConfigError: the path is not a folder, or is that of a run, or the folder or its list of
            players cannot be read.
    """
    if holds_run(place_of(folder)):
        run = shlex.quote(str(folder))
        raise ConfigError(
            f"{folder} given, the folder of a run; a folder of submissions is expected. To submit "
            f"its champion: evo export {run} SUBMISSIONS/champion.npy; to rate its champions: evo "
            f"tournament GAME {run}@all"
        )
    try:
        next(folder.iterdir(), None)
        listed_things(folder)
    except OSError as error:
        raise ConfigError(
            f"{folder} given; a folder of submissions is expected ({error.strerror})"
        ) from None


def thresholds_of(staff: Path) -> dict[str, float]:
    """Return the share of the points to reach against bots of the staff, by file.

    The file :data:`THRESHOLDS` of the staff's folder sets them. Without it, there are none.

    Raises:
        ConfigError: the file is not TOML, names no file of the folder, or has a value that is not a
            share.
    """
    path = staff / THRESHOLDS
    if not path.exists():
        return {}
    thresholds = load(path)
    bots = names_in(staff)
    with fields_of(path):
        for file, share in thresholds.items():
            if file not in bots:
                given = f"{file}.{next(iter(share), '')}" if isinstance(share, dict) else file
                known = ", ".join(f'"{name}"' for name in sorted(bots))
                raise ConfigError(f"{given} given; a bot of {staff} in quotes is expected: {known}")
            if type(share) not in (int, float) or not 0 <= share <= 1:
                raise ConfigError(
                    f"{file}={shown(share)} given; a share of the points from 0 to 1 is expected"
                )
    return thresholds


@dataclass
class Inspection:
    """The check of the submissions of a league on a night.

    Attributes:
        game: the game of the league.
        names: names of the earlier submissions of the league, by digest. These are not tried again.
        broken: cause of each broken submission that was tried before, by digest. These are not
            tried again, either. New broken submissions are added.
        seconds: time limit per move. None: the default limit of programs.
        held: file of each digest that plays.
    """

    game: Game
    names: Mapping[str, str]
    broken: dict[str, str]
    seconds: float | None = None
    held: dict[str, str] = field(default_factory=dict)

    def submissions(self, folder: Path) -> list[Submission]:
        """Return all submissions of a folder, sorted by file name, including broken ones.

        Raises:
            ConfigError: the folder's list of players cannot be read, or has an entry that is not a
                player.
        """
        folder = folder.resolve()
        return [self._submission(folder, *each) for each in names_in(folder).items()]

    def _submission(self, folder: Path, name: str, is_thing: bool) -> Submission:
        """Return the submission of a file. Any error is stored in ``why`` and not raised."""
        path, digest, file, is_tried = folder / name, "", printable(name), is_thing
        try:
            if is_thing:  # to make it would run its code
                digest = digest_of_thing(str(path), self.game)
                self._refuse_known(digest)
            else:
                digest = digest_of(path) if path.is_file() else ""  # of a broken file, too
            player = _made(path, is_thing, self.game, self.seconds)
            digest = content_digest(str(path), player, self.game)
            self._refuse_known(digest)
            if digest in self.held:
                return Submission(file, digest, why=f"the same as {self.held[digest]}, which plays")
            name = self.names.get(digest, f"{file}@{digest[:SHOWN_DIGITS]}")
            is_tried = True
            if digest not in self.names:
                _check(player, is_thing, self.game)
            self.held[digest] = file
            return Submission(file, digest, name, player)
        except _NoSubmissionError:
            return Submission(file, counts=False)
        except (Exception, SystemExit) as error:  # a third-party file may raise anything
            why = reason(error).replace(f"{folder}/", "").removeprefix(f"{file}: ")
            if is_tried and digest:
                self.broken[digest] = why
            return Submission(file, digest, self.names.get(digest, ""), why=why)

    def _refuse_known(self, digest: str) -> None:
        """Raise the error of a submission that was tried before and is broken."""
        if digest in self.broken:
            raise TournamentError(self.broken[digest])


def listed_things(folder: Path) -> list[str]:
    """Return the entries of the folder's list of players, each one once.

    Raises:
        ConfigError: the list cannot be read, or has an entry that is not a player in a file of the
            folder.
    """
    try:
        text = read_named(folder / LIST, MOST_LISTED).decode()
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{folder / LIST}: cannot be read as a list of players ({error})"
        ) from None
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    things = list(dict.fromkeys(filter(None, lines)))
    for thing in things:
        if not names_thing(split_spec(thing)[0]) or Path(path_of(thing)).name != path_of(thing):
            raise ConfigError(
                f"{folder / LIST}: {shown(thing)} given; FILE.py:NAME is expected, a player in a "
                "file of that folder"
            )
    return things


def names_in(folder: Path) -> dict[str, bool]:
    """Return the names of the files of a folder, sorted, and whether each is an object in a file.

    Raises:
        ConfigError: as for :func:`listed_things`.
    """
    folder = folder.resolve()
    things = listed_things(folder)
    of_things = {LIST, THRESHOLDS, *(file for name in things for file in _files_of(folder, name))}
    files = {entry.name for entry in folder.iterdir()} - of_things
    names = sorted([*files, *things])
    return {name: name in things for name in names if not name.startswith(LEFT_OUT)}


def _files_of(folder: Path, thing: str) -> list[str]:
    """Return the files and folders that a listed object uses. They are not submissions."""
    try:
        parts = read(f"{folder / thing}").parts
        return [Path(part.name).relative_to(folder).parts[0] for part in parts]
    except TournamentError:  # reported with the submission
        return []


class _NoSubmissionError(ValueError):
    """A file of the folder that is not a submission."""


def _counts(path: Path, game: Game) -> bool:
    if path.is_dir():
        return holds_run(path)
    return players.is_made_of(str(path), game) and (not names_program(str(path)) or is_meant(path))


def _made(path: Path, is_thing: bool, game: Game, seconds: float | None) -> Player:
    """Return the player of a file or of an object in a file, with a time limit per move.

    Raises:
        TournamentError, ConfigError, ResultsError: the file does not contain a player, or its
            import does not end.
    """
    if not is_thing and ":" in path.name:  # the part after the colon would be options
        raise TournamentError("its name has a ':'; give the file another one")
    if not is_thing and not path.exists():
        raise TournamentError("its link leads nowhere; put the file there")
    limit = ProgramLimits.seconds if seconds is None else seconds
    for fault in loading_faults([str(path)], game, ProgramLimits.start + limit).values():
        raise fault
    if not is_thing and holds_run(place_of(path)) and are_programs(Run(place_of(path)).layouts):
        raise TournamentError("the programs of a run are not started; submit a file of evo export")
    try:
        player = make_player(str(path), game)
    except ValueError as error:
        if not is_thing and not _counts(path, game):
            raise _NoSubmissionError from error
        raise
    if game.rules.contest is not None or (seconds is None and not is_thing):
        return player  # a contest and a file have limits of their own
    return limited(player, limit)


def _check(player: Player, is_thing: bool, game: Game) -> None:
    """Check a new submission in some games.

    A Python object is first tried in a separate process, because it may never answer. A player of a
    contest plays one game against itself.

    Raises:
        TournamentError: the player has a fault, which the message describes.
    """
    if game.rules.contest is not None:
        itself = np.full((1, len(game.seats)), -1)
        play_contests(Entrants(game, (player,)), itself, np.zeros(1, dtype=np.uint64), 1, [])
        return
    check_seats(player, game)
    rival = players.make("random", game)
    seconds = min(seconds_of(player), ProgramLimits.seconds)
    blame = tried(Trial(game, player, rival, 1, CHECK_GAMES), seconds) if is_thing else None
    if blame is not None:
        raise TournamentError(f"it {blame.verdict.what.removesuffix(BOARD)}")
    for fault in check_bot(player, game, CHECK_GAMES, is_short=True).faults:
        where = f"as {fault.seat} against random, after {fault.ply} plies"
        raise TournamentError(f"it {fault.what.removesuffix(BOARD)} ({where})")


def reason(error: BaseException) -> str:
    """Return the message of an error in one line."""
    known = isinstance(error, ValueError) and str(error)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    return printable(" ".join(text.split())[: 2 * MOST_SHOWN])


def playing(listed: list[Submission]) -> Iterator[Submission]:
    """Return the submissions that can play."""
    return (submission for submission in listed if submission.player is not None)
