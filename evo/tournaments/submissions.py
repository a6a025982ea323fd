"""The submissions of a league: the files of a folder, each looked at before it plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cluster.trial import Trial, tried
from evo.evaluation.bot_check import check_bot
from evo.evaluation.players import Participant, check_both_seats, content_digest
from evo.evaluation.players import player as make_player
from results.errors import printable
from results.folder.files import digest_of
from results.folder.runfile import holds_run
from tournaments import players
from tournaments.code_files import path_of, read, split_spec
from tournaments.errors import MOST_SHOWN, ConfigError, TournamentError, shown
from tournaments.game import Game
from tournaments.named_files import read_named
from tournaments.player import Player, seconds_of
from tournaments.players.bot import is_meant, names_program
from tournaments.players.bot.sandbox import ProgramLimits
from tournaments.players.by_path import names_thing
from tournaments.players.objects import limited

LEFT_OUT = (".", "__")
"""How names begin that are no submissions: ``.gitignore``, ``__pycache__``."""
LIST = "players.txt"
"""A file of the folder that names submissions in its Python files: ``bots.py:Greedy``, a line."""
MOST_LISTED = 1 << 20
"""Bytes of that."""
SHOWN_DIGITS = 8
"""Hexadecimal digits of a digest in a name."""
BOARD = " The position:"
"""The end of a line before a board, which is not shown."""
EXPECTED = "a program that is executable, or .py, .js and the like, a .npy or .json file, or a run"
"""What counts as a submission, in words."""
CHECK_GAMES = 2
"""Games against random play by which a newcomer is looked at."""


@dataclass(frozen=True)
class Submission:
    """A file of the folder.

    Attributes:
        file: its name there, as it can be printed and stored; of a thing in one ``FILE.py:NAME``.
        digest: SHA-256 of its content; empty where it cannot be read.
        name: what tables call it: the file that first had this content, and the digest's first
            digits.
        player: who plays; None: it is broken.
        why: what is wrong with it, in a line; empty: nothing is.
        counts: whether it is a submission at all, and no text or picture that lies beside them.
    """

    file: str
    digest: str = ""
    name: str = ""
    player: Player | None = None
    why: str = ""
    counts: bool = True

    def participant(self) -> Participant:
        """As one who takes part; its games are seeded by its content."""
        assert self.player is not None
        return Participant(self.name, self.player, f"submission/{self.digest}")


def check_folder(folder: Path) -> None:
    """Refuse what is no folder.

    Raises:
        ConfigError: it is none, or cannot be read, or so its list of players.
    """
    try:
        next(folder.iterdir(), None)
        listed_things(folder)
    except OSError as error:
        raise ConfigError(
            f"{folder} given; a folder of submissions is expected ({error.strerror})"
        ) from None


def submissions(
    folder: Path, game: Game, known: Mapping[str, str], seconds: float | None = None
) -> list[Submission]:
    """All submissions of a folder, by the names of their files; broken ones say why.

    Args:
        known: of those that have been in the league, the digest by name.
        seconds: that a move may take of who can be late; None: as many as a program's.

    Raises:
        ConfigError: the folder's list of players cannot be read, or names none.
    """
    folder = folder.resolve()
    things = listed_things(folder)
    of_things = {LIST, *(file for name in things for file in _files_of(folder, name))}
    files = {entry.name for entry in folder.iterdir()} - of_things
    by_digest = {digest: name for name, digest in known.items()}
    held: dict[str, str] = {}  # the file of each digest
    return [
        _submission(folder / name, name in things, game, by_digest, held, seconds)
        for name in sorted([*files, *things])
        if not name.startswith(LEFT_OUT)
    ]


def listed_things(folder: Path) -> list[str]:
    """What the folder's list names, each once.

    Raises:
        ConfigError: the list cannot be read, or names something else than a player in a file of it.
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


def _files_of(folder: Path, thing: str) -> list[str]:
    """What of the folder a thing is made of, files and folders: no submissions themselves."""
    try:
        parts = read(f"{folder / thing}").parts
        return [Path(part.name).relative_to(folder).parts[0] for part in parts]
    except TournamentError:  # which is said of the submission
        return []


class _NoSubmissionError(ValueError):
    """Something else that lies in the folder."""


def _counts(path: Path, game: Game) -> bool:
    if path.is_dir():
        return holds_run(path)
    return players.is_made_of(str(path), game) and (not names_program(str(path)) or is_meant(path))


def _made(path: Path, is_thing: bool, game: Game, seconds: float | None) -> Player:
    """The player of a file, or of a thing in one; who can be late has so many seconds a move.

    Raises:
        TournamentError, ConfigError, ResultsError: it is none.
    """
    if not is_thing and ":" in path.name:  # which would be options
        raise TournamentError("its name has a ':'; give the file another one")
    if not is_thing and not path.exists():
        raise TournamentError("its link leads nowhere; put the file there")
    try:
        player = make_player(str(path), game)
    except ValueError as error:
        if not is_thing and not _counts(path, game):
            raise _NoSubmissionError from error
        raise
    if seconds is None and not is_thing:
        return player  # which has limits of its own
    return limited(player, ProgramLimits.seconds if seconds is None else seconds)


def _check(player: Player, is_thing: bool, game: Game) -> None:
    """Look at a newcomer; a Python thing in a process of its own first, as it may never answer.

    Raises:
        TournamentError: what it did wrong.
    """
    check_both_seats(game, [player])
    rival = players.make("random", game)
    seconds = min(seconds_of(player), ProgramLimits.seconds)
    blame = tried(Trial(game, player, rival, 1, CHECK_GAMES), seconds) if is_thing else None
    if blame is not None:
        raise TournamentError(f"it {blame.verdict.what.removesuffix(BOARD)}")
    for fault in check_bot(player, game, CHECK_GAMES, is_short=True).faults:
        where = f"as {fault.seat} against random, after {fault.ply} plies"
        raise TournamentError(f"it {fault.what.removesuffix(BOARD)} ({where})")


def _submission(
    path: Path,
    is_thing: bool,
    game: Game,
    by_digest: Mapping[str, str],
    held: dict[str, str],
    seconds: float | None,
) -> Submission:
    """One file, made a player; whatever it does wrong is said of it, and ends nothing."""
    digest, file = "", printable(path.name)
    try:
        digest = digest_of(path) if path.is_file() else ""  # of a broken file, too
        player = _made(path, is_thing, game, seconds)
        digest = content_digest(str(path), player, game)
        if (first := held.setdefault(digest, file)) != file:
            return Submission(file, digest, why=f"the same as {first}, which plays")
        name = by_digest.get(digest, f"{file}@{digest[:SHOWN_DIGITS]}")
        if digest not in by_digest:
            _check(player, is_thing, game)
        return Submission(file, digest, name, player)
    except _NoSubmissionError:
        return Submission(file, counts=False)
    except (Exception, SystemExit) as error:  # of somebody's file anything may come
        name = by_digest.get(digest, "")
        why = reason(error).replace(f"{path.parent}/", "").removeprefix(f"{file}: ")
        return Submission(file, digest, name, why=why)


def reason(error: BaseException) -> str:
    """What went wrong, in one line."""
    known = isinstance(error, ValueError) and str(error)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    return printable(" ".join(text.split())[: 2 * MOST_SHOWN])


def playing(listed: list[Submission]) -> Iterator[Submission]:
    """Those that are whole."""
    return (submission for submission in listed if submission.player is not None)
