"""The submissions of a league: the files of a folder, each looked at before it plays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evo.evaluation.players import Participant, content_digest
from evo.evaluation.players import player as make_player
from results.folder.files import digest_of
from tournaments import players
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.errors import MOST_SHOWN, ConfigError, TournamentError
from tournaments.game import Game
from tournaments.player import Player

LEFT_OUT = (".", "__")
"""How names begin that are no submissions: ``.gitignore``, ``__pycache__``."""
SHOWN_DIGITS = 8
"""Hexadecimal digits of a digest in a name."""
CHECKED_BY = 1
"""The seed of the match by which a newcomer is looked at."""


@dataclass(frozen=True)
class Submission:
    """A file of the folder.

    Attributes:
        file: its name there.
        digest: SHA-256 of its content; empty where it cannot be read.
        name: what tables call it: the file that first had this content, and the digest's first
            digits.
        player: who plays; None: it is broken.
        why: what is wrong with it, in a line; empty: nothing is.
        is_new: whether it was never in the league.
    """

    file: str
    digest: str = ""
    name: str = ""
    player: Player | None = None
    why: str = ""
    is_new: bool = False

    def participant(self) -> Participant:
        """As one who takes part; its games are seeded by its content."""
        assert self.player is not None
        return Participant(self.name, self.player, f"submission/{self.digest}")


def check_folder(folder: Path) -> None:
    """Refuse what is no folder.

    Raises:
        ConfigError: it is none, or cannot be read.
    """
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise ConfigError(
            f"{folder} given; a folder of submissions is expected ({error.strerror})"
        ) from None


def submissions(folder: Path, game: Game, known: Mapping[str, str]) -> list[Submission]:
    """All submissions of a folder, by the names of their files; broken ones say why.

    Args:
        known: of those that have been in the league, the digest by name.
    """
    names = sorted(entry.name for entry in folder.iterdir())
    by_digest = {digest: name for name, digest in known.items()}
    held: dict[str, str] = {}  # the file of each digest
    listed = []
    rival, folder = players.make("random", game), folder.resolve()
    for name in names:
        if not name.startswith(LEFT_OUT):
            listed.append(_submission(folder / name, rival, game, by_digest, held))
    return listed


def _submission(
    path: Path, rival: Player, game: Game, by_digest: Mapping[str, str], held: dict[str, str]
) -> Submission:
    """One file, made a player; whatever it does wrong is said of it, and ends nothing."""
    digest = ""
    try:
        if ":" in path.name:  # which would be options
            raise TournamentError("its name has a ':'; give the file another one")
        digest = "" if path.is_dir() else digest_of(path)  # of a broken file, too
        player = make_player(str(path), game)
        digest = content_digest(str(path), player, game)
        if (first := held.setdefault(digest, path.name)) != path.name:
            return Submission(path.name, digest, why=f"the same as {first}, which plays")
        name = by_digest.get(digest, f"{path.name}@{digest[:SHOWN_DIGITS]}")
        is_new = digest not in by_digest
        Entrants(game, (player,)).check_seats(-1, -1, 2)
        if is_new:
            play_match(game, player, rival, CHECKED_BY)
        return Submission(path.name, digest, name, player, is_new=is_new)
    except (Exception, SystemExit) as error:  # of somebody's file anything may come
        name = by_digest.get(digest, "")
        why = reason(error).replace(f"{path.parent}/", "")
        return Submission(path.name, digest, name, why=why)


def reason(error: BaseException) -> str:
    """What went wrong, in one line."""
    known = isinstance(error, ValueError) and str(error)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:MOST_SHOWN]


def playing(listed: list[Submission]) -> Iterator[Submission]:
    """Those that are whole."""
    return (submission for submission in listed if submission.player is not None)
