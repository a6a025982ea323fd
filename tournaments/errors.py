"""Errors for mistakes of users. A message says what was given, what is expected and the remedy."""

from __future__ import annotations

import difflib
import re
import signal
from collections.abc import Iterable
from typing import Any

MOST_SHOWN = 200
"""Maximum number of characters of a given value in a message."""


_LONG = re.compile(r"\S{400,}|(?<!\w)'[^'\n]{400,}'|\[[^][\n]{400,}\]|\{[^{}\n]{400,}\}")
"""Pattern of a word, a text, a list or a table that is too long for a message."""
MOST_LINE = 5_000
"""Maximum number of characters of a one-line message."""


class ReadableError(ValueError):
    """An error with a message of readable length. Long quoted values are shortened."""

    def __init__(self, message: object = "") -> None:
        line = _LONG.sub(lambda long: f"{long[0][:MOST_SHOWN]}...", str(message))
        if len(line) > MOST_LINE and "\n" not in line:
            line = f"{line[:MOST_SHOWN]} ... {line[-100:]}"
        super().__init__(line)


class TournamentError(ReadableError):
    """An error for a name or a value from a user that cannot be played."""


class Interruption(BaseException):
    """An exception that is raised in a player's code from outside.

    It is not a fault of the player, and no player may catch it.
    """


class PlayerFault(TournamentError):
    """A fault of a player that ends its game. The game is forfeited, or the work is aborted.

    Attributes:
        player: the name of the player.
        cause: the cause, a key of :data:`CAUSES`.
        what: a description of the fault that follows the player's name.
        seat, ply: the seat of the player and the number of moves before the fault, or -1 if the
            fault did not happen in a game.
        place: the ply, the game and the match in words, or empty.
    """

    place = ""

    def __init__(self, player: str, cause: str, what: str, seat: int = -1, ply: int = -1) -> None:
        """Create the error for a fault of a player.

        Args:
            player: the name of the player.
            cause: the cause, a key of :data:`CAUSES`.
            what: the fault and the expected behaviour, as text that follows the player's name.
            seat: the seat of the player, or -1.
            ply: the number of moves before the fault, or -1.
        """
        assert cause in CAUSES, cause
        super().__init__(f"player {player!r} {what}")
        self.player, self.cause, self.what, self.seat, self.ply = player, cause, what, seat, ply

    @property
    def line(self) -> str:
        """The player's fault in one line that is identical in every process."""
        first = self.what.partition("\n")[0]
        return storable(re.sub(r" at 0x[0-9a-f]+", "", first)[: 2 * MOST_SHOWN])

    def __str__(self) -> str:
        between = "\n" if "\n" in self.what else " "
        return f"{super().__str__()}{between}({self.place})" if self.place else super().__str__()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.player, self.cause, self.what), self.__dict__


class Disqualified(Exception):
    """An exception by which a simulator says that a player of its contest lost by a fault.

    The player loses to all others, which draw with one another.
    """

    def __init__(self, seat: int, what: str, cause: str = "disqualified") -> None:
        """Create the exception.

        Args:
            seat: seat of the player, from 0.
            what: what the player did, in words.
            cause: the cause, a key of :data:`CAUSES`.
        """
        super().__init__(seat, what)
        self.seat, self.what, self.cause = seat, what, cause


CAUSES = {
    "raised": "it raised an exception",
    "late": "it took longer than it may",
    "exited": "it, or its process, ended",
    "crashed": "its process was killed by a signal",
    "illegal": "it chose an action that is not legal",
    "no action": "it gave something that is no action: None, NaN, text",
    "changed state": "it changed the position that it was shown",
    "memory": "it took more memory than it may",
    "output": "it wrote more than it may, or what its protocol does not have",
    "disqualified": "the simulator of a contest says that it broke its rules",
}
"""The causes of forfeits, with descriptions."""


class ConfigError(ReadableError):
    """An invalid configuration of a run. The message says what was given and how to correct it."""


class KernelError(TypeError):
    """A kernel that cannot be linked or compiled. The message names the kernel and the cause."""


def void_games(share: str, games: int, contest: str, what: str) -> TournamentError:
    """Return the error for a contest whose simulator ended too many games without scores.

    Args:
        share: the share of the void games, such as ``all``.
        games: the number of all games.
        contest: the name of the contest.
        what: what the simulator did in the first void game.
    """
    return TournamentError(
        f"{share} {games:,} games of {contest} are void, the first because the simulator {what}; "
        "mend it"
    )


def shown(given: object) -> str:
    """Return the representation of a value for error messages, shortened to a readable length."""
    try:
        text = str.__str__(repr(given))
    except ValueError:  # a whole number of thousands of digits
        text = "a number of too many digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def counted(number: float, unit: str) -> str:
    """Return a number with its unit, in the plural unless the number is 1: ``1 second``."""
    text = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{text} {unit}{'s' * (number != 1)}"


def storable(text: str) -> str:
    """Return a text that UTF-8 can encode. Lone surrogates are replaced by their numbers."""
    return text.encode(errors="backslashreplace").decode()


def signal_name(number: int) -> str:
    """Return the name of a signal, such as ``SIGSEGV``, or its number if it has no name."""
    named = number in set(signal.Signals)
    return signal.Signals(number).name if named else f"signal {number}"


def nearest(given: str, known: Iterable[str]) -> str:
    """Return ``'; did you mean X?'`` for a misspelt name, or an empty text if none is similar."""
    close = difflib.get_close_matches(str(given)[:MOST_SHOWN], list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def unknown(what: str, given: str, known: Iterable[str]) -> TournamentError:
    """Return the error for an unknown name. It suggests the nearest name and lists all names."""
    names = sorted(known)
    listed = ", ".join(names) if names else "none"
    is_path = given.startswith((".", "/", "~"))
    mend = "; there is no such file or folder" if is_path else nearest(given, names)
    return TournamentError(f"unknown {what} {shown(given)}{mend} (known: {listed})")
