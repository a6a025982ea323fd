"""Exceptions and warnings of this package, and the conversion of operating-system errors."""

from __future__ import annotations

import errno

_REMEDIES = {
    errno.ENOSPC: "no space is left on the device; free some or choose another folder",
    errno.EDQUOT: "the disk quota is used up; free some space or choose another folder",
    errno.EACCES: "permission denied; change the rights or choose another folder",
    errno.EPERM: "permission denied; change the rights or choose another folder",
    errno.EROFS: "the file system is read-only; choose a folder that can be written",
    errno.ENOTDIR: "a part of this path is a file, not a folder; choose another path",
    errno.EISDIR: "a folder stands where a file is expected; move it away",
    errno.ENOENT: "it does not exist; check the path",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.EIO: "the device reports an input/output error; check the disk",
}


MOST_SHOWN = 200
"""Maximum number of characters of a file's content that a message shows."""


def printable(text: str) -> str:
    """Return a text whose non-printable characters are escaped, for safe output to a terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def shown(value: object) -> str:
    """Return a file's value as messages show it: printable, at most ``MOST_SHOWN`` characters."""
    text = printable(value if isinstance(value, str) else repr(value))
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


class ResultsError(ValueError):
    """An error of one line: the value that was found, the expected value, and the remedy."""


class DamagedError(ResultsError):
    """A file that could be read, but whose content differs from the content that was written."""


class RunWarning(UserWarning):
    """A warning of one line about a damaged or incomplete run. The readable part was read."""


class MissingWarning(RunWarning):
    """A warning that files or rows of the run are missing, so the result is incomplete."""


class DoubledWarning(RunWarning):
    """A warning about duplicate content, which was read once."""


def refused(action: str, path: object, error: OSError) -> ResultsError:
    """Return the one-line error for a file operation that the system refused.

    Args:
        action: the verb of the message, such as "read" or "write".
        path: the file or folder.
        error: the error of the system.
    """
    reason = _REMEDIES.get(error.errno or 0) or error.strerror or str(error)
    return ResultsError(f"cannot {action} {path}: {reason}")
