"""Players of contests: any objects that the simulator of a contest takes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from tournaments import code_files
from tournaments.arena.entrants import Individual
from tournaments.errors import TournamentError, nearest, shown
from tournaments.named_files import read_named
from tournaments.player import ContestPlayer
from tournaments.players.objects import digest_of, is_text

DIGITS = 16
"""Number of hexadecimal digits of an identity."""


def contest_player(thing: Any) -> ContestPlayer:
    """Return an object as a player of a contest.

    Args:
        thing: an object, which the simulator gets as it is. A text is the path of a file, and the
            simulator gets that path. A text ``FILE.py:NAME`` is the object of that name in a Python
            file. An individual of genomes is its array of numbers.

    Raises:
        TournamentError: there is no such file or object.
    """
    if isinstance(thing, ContestPlayer):
        return thing
    if isinstance(thing, Individual):
        return ContestPlayer(f"individual {thing.row}", thing.genomes.parameters[thing.row])
    if not is_text(thing):
        name = getattr(thing, "name", None) or getattr(thing, "__name__", None)
        label = name if isinstance(name, str) else type(thing).__name__
        return ContestPlayer(label.strip("<>"), thing, f"{label}@{digest_of(thing)[:DIGITS]}")
    text = str(thing)
    if code_files.names_thing(text):
        return _of_code(text)
    try:
        content = read_named(text)
    except (OSError, ValueError) as error:
        folder = Path(text).parent
        known = os.listdir(folder) if folder.is_dir() else []
        raise TournamentError(
            f"player {shown(text)}: {getattr(error, 'strerror', error)}"
            f"{nearest(Path(text).name, known)}; the path of a file, or FILE.py:NAME is expected"
        ) from None
    return ContestPlayer(text, text, f"file@{hashlib.sha256(content).hexdigest()[:DIGITS]}")


def _of_code(text: str) -> ContestPlayer:
    """Return the object that a text ``FILE.py:NAME`` names as a player."""
    file = code_files.read(text)
    held, wanted = vars(code_files.module_of(file)), text.rpartition(":")[2]
    if wanted not in held:
        raise TournamentError(
            f"player {text!r}: the file has no {wanted}{nearest(wanted, held)}; an object of it is "
            "expected"
        )
    return ContestPlayer(text, held[wanted], f"{wanted}@{file.whole[:DIGITS]}")
