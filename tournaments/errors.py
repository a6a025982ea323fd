"""Errors for a user's mistake: each says what was given, what is expected and how to mend it."""

from __future__ import annotations

import difflib
import re
import signal
from collections.abc import Iterable
from typing import Any

MOST_SHOWN = 200
"""Letters of what was given, in a message."""


_LONG = re.compile(r"\S{400,}|(?<!\w)'[^'\n]{400,}'|\[[^][\n]{400,}\]|\{[^{}\n]{400,}\}")
"""A word, a text, a list or a table that is too long to be read in a message."""
MOST_LINE = 5_000
"""Letters of a message of one line."""


class ReadableError(ValueError):
    """An error whose message quotes no more of a file, or of what was given, than one can read."""

    def __init__(self, message: object = "") -> None:
        line = _LONG.sub(lambda long: f"{long[0][:MOST_SHOWN]}...", str(message))
        if len(line) > MOST_LINE and "\n" not in line:
            line = f"{line[:MOST_SHOWN]} ... {line[-100:]}"
        super().__init__(line)


class TournamentError(ReadableError):
    """Something that a user named or passed cannot be played."""


class Interruption(BaseException):
    """Raised in a player's code from outside: nobody's fault, and nobody's to catch."""


class PlayerFault(TournamentError):
    """A player did what ends its game: it forfeits the game, or the work ends.

    Attributes:
        player: its name.
        cause: a word or two of :data:`CAUSES`.
        what: what it did, after its name.
        seat, ply: where in a game it did it, and after how many moves; -1: in none.
        place: the ply, the game and the match in words; empty: in none.
    """

    place = ""

    def __init__(self, player: str, cause: str, what: str, seat: int = -1, ply: int = -1) -> None:
        """
        Args:
            what: what it did and what is expected, after its name.
        """
        assert cause in CAUSES, cause
        super().__init__(f"player {player!r} {what}")
        self.player, self.cause, self.what, self.seat, self.ply = player, cause, what, seat, ply

    @property
    def line(self) -> str:
        """The fault in one line, which is the same in every process."""
        first = self.what.partition("\n")[0]
        return storable(re.sub(r" at 0x[0-9a-f]+", "", first)[: 2 * MOST_SHOWN])

    def __str__(self) -> str:
        between = "\n" if "\n" in self.what else " "
        return f"{super().__str__()}{between}({self.place})" if self.place else super().__str__()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.player, self.cause, self.what), self.__dict__


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
}
"""Why a player forfeits."""


class ConfigError(ReadableError):
    """A run cannot be set up so; the message says what was given and how to mend it."""


class KernelError(TypeError):
    """A kernel uses something that cannot be linked or compiled; the message names both."""


def shown(given: object) -> str:
    """Return what was given as messages show it, as a plain str that one can read."""
    try:
        text = str.__str__(repr(given))
    except ValueError:  # a whole number of thousands of digits
        text = "a number of too many digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def storable(text: str) -> str:
    """A text as UTF-8 has it: half a pair of surrogates stands there by its number."""
    return text.encode(errors="backslashreplace").decode()


def signal_name(number: int) -> str:
    """``SIGSEGV``; of a signal without a name, as most real-time signals are, its number."""
    named = number in set(signal.Signals)
    return signal.Signals(number).name if named else f"signal {number}"


def nearest(given: str, known: Iterable[str]) -> str:
    """``'; did you mean X?'``, or nothing where no known name is near the one given."""
    close = difflib.get_close_matches(str(given)[:MOST_SHOWN], list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def unknown(what: str, given: str, known: Iterable[str]) -> TournamentError:
    """The error for a name that does not exist: the nearest right one, then all of them."""
    names = sorted(known)
    listed = ", ".join(names) if names else "none"
    return TournamentError(
        f"unknown {what} {shown(given)}{nearest(given, names)} (known: {listed})"
    )
