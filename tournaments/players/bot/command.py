"""The command line and the files of a program that a user names."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tournaments.errors import TournamentError, shown
from tournaments.named_files import naming_folder, read_named

INTERPRETERS = {".py": sys.executable, ".js": "node", ".sh": "sh"}
"""Interpreters of files that are not executable, by suffix."""
NUMBERS = (".npy", ".json")
"""Suffixes of files of players that are no programs."""
MOST_READ = 1024
"""Number of bytes of a file that are read to find its interpreter."""
FIRST_LINE = "a first line such as #!/usr/bin/env python3 says what runs it"


def names_program(text: str) -> bool:
    """Return whether a text names a program: by its suffix, or as an existing file.

    Files of numbers are no programs.
    """
    suffix = Path(text).suffix
    return suffix in INTERPRETERS or (suffix not in NUMBERS and _is_file(text))


def is_meant(path: Path) -> bool:
    """Return whether a file is a program, judged by its suffix, permissions or first line."""
    is_script = path.suffix in INTERPRETERS or os.access(path, os.X_OK)
    return is_script or _beginning(path).startswith(b"#!")


def files_of_program(text: str) -> list[str]:
    """Return the existing files among the words of a program's command line."""
    return [word for word in _split(text) if _is_file(word)]


def _is_file(text: str | Path) -> bool:
    try:
        return Path(text).is_file()
    except OSError:  # too long for a name, for example
        return False


@dataclass(frozen=True)
class ProgramCommand:
    """A program with its arguments.

    Attributes:
        words: the command line, with absolute paths of files.
        files: the files among ``words`` that the user named.
        digest: 16 hexadecimal digits of the SHA-256 of these files and of the other words.
    """

    words: tuple[str, ...]
    files: tuple[str, ...]
    digest: str

    @property
    def folder(self) -> str | None:
        """Working directory of the program: the folder of its first file, or None without files."""
        return os.path.dirname(self.files[0]) if self.files else None

    def check_same(self) -> None:
        """Raise if files of the program have changed, or differ on this machine.

        Raises:
            TournamentError: the files differ or cannot be read. The message names them.
        """
        try:
            is_same = _digest(self.words, self.files) == self.digest
        except OSError as error:
            raise TournamentError(f"{self.files[0]}: cannot be read here ({error})") from None
        if not is_same:
            raise TournamentError(
                f"{', '.join(self.files)}: the program has changed since it was named; start "
                "again, and on a cluster have the same file on every node"
            )


def command_of(text: str) -> ProgramCommand:
    """Parse the command line of a program, such as ``./bot.js`` or ``ruby bot.rb --deep``.

    Raises:
        TournamentError: the program does not exist or cannot be started, or the folder of a run
            names the program.
    """
    if naming_folder():
        raise TournamentError(
            f"{naming_folder()} names the program {shown(text)}, and the folder of a run may name "
            "none: if you trust it, add --trust (trust=True)"
        )
    words = _split(text)
    files = tuple(str(Path(word).resolve()) for word in files_of_program(text))
    started = tuple(_started(words))
    try:
        return ProgramCommand(started, files, _digest(started, files))
    except OSError as error:
        raise TournamentError(f"{text}: cannot be read ({error})") from None


def _split(text: str) -> list[str]:
    if _is_file(text):
        return [text]
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise TournamentError(f"bot: cmd={shown(text)} given; {error}") from None
    if not words:
        raise TournamentError("bot: cmd='' given; a program is expected, such as bot:cmd=./a.out")
    return words


def _started(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a program's command line, after an interpreter if the file needs one."""
    first, *others = words
    path = Path(first)
    if _is_file(path):
        yield from _program(path)
    elif os.sep not in first and path.suffix not in INTERPRETERS and shutil.which(first):
        yield str(shutil.which(first))
    else:
        what = "that is a folder" if os.path.isdir(first) else "there is no such program"
        raise TournamentError(
            f"{first}: {what}; the path of a file is expected, such as ./bot.py, "
            "or the name of an installed program"
        )
    for word in others:
        yield str(Path(word).resolve()) if _is_file(word) else word


def _program(path: Path) -> Iterator[str]:
    """Yield the absolute path of a program, preceded by its interpreter if it needs one."""
    is_executable, beginning = os.access(path, os.X_OK), _beginning(path)
    interpreter = INTERPRETERS.get(path.suffix)
    if interpreter is not None and not (is_executable and beginning.startswith(b"#!")):
        place = shutil.which(interpreter)
        if place is None:
            raise TournamentError(
                f"{path}: {interpreter} is not installed, or not in PATH; install it, or name "
                f"another: bot:cmd=INTERPRETER {path}"
            )
        yield place
    elif not is_executable:
        raise TournamentError(
            f"{path}: the file is not executable; make it so by chmod +x {path}, or name what "
            f"runs it: bot:cmd=INTERPRETER {path}"
        )
    elif wrong := _wrong_beginning(beginning):
        raise TournamentError(f"{path}: {wrong}")
    yield str(path.resolve())


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_READ)


def _wrong_beginning(beginning: bytes) -> str:
    """Return why the system cannot start an executable file with these first bytes.

    The text is empty if it can.
    """
    line = beginning.partition(b"\n")[0]
    words = line[2:].decode(errors="replace").split()
    if not line.startswith(b"#!"):
        is_text = b"\0" not in beginning
        return f"the file begins with no #!; {FIRST_LINE}" if is_text else ""
    if line.endswith(b"\r"):
        return "its lines end as on Windows; save it with those of Unix: sed -i 's/\\r$//' FILE"
    if words and _is_file(words[0]):
        return ""
    return f"there is no program {' '.join(words[:1])!r}, which its first line names; {FIRST_LINE}"


def _digest(words: Sequence[str], files: Sequence[str]) -> str:
    """Return a digest of a program: the contents of its files and its other arguments."""
    content = hashlib.sha256()
    for word in words[1:]:
        if word not in files:
            content.update(word.encode(errors="surrogateescape") + b"\n")
    for file in files:
        content.update(hashlib.sha256(read_named(file)).digest())
    return content.hexdigest()[:16]
