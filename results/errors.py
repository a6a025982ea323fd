"""The exceptions and warnings of this package, and how an operating-system error becomes one."""

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
    errno.ENOSYS: "the file system there takes none; choose another folder",
    errno.ENOENT: "it does not exist; check the path",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.EIO: "the device reports an input/output error; check the disk",
}


MOST_SHOWN = 200
"""Letters of what stands in a file, in a message."""


def printable(text: str) -> str:
    """Return a text in which no letter does anything to a terminal but show itself."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def shown(value: object) -> str:
    """Return what stands in a file as messages show it: no more of it than one can read."""
    text = printable(value if isinstance(value, str) else repr(value))
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


class ResultsError(ValueError):
    """What is there, what is expected and how to mend it, in one line."""


class DamagedError(ResultsError):
    """A file that was read, but is not what was written."""


class RunWarning(UserWarning):
    """A line on a run that is not as it was written; what could be read was read."""


class MissingWarning(RunWarning):
    """Something that the run wrote is missing, so what was read is not all."""


class DoubledWarning(RunWarning):
    """Something stands twice, and was read once."""


def refused(action: str, path: object, error: OSError) -> ResultsError:
    """Return the one-line error for an ``error`` met while trying to ``action`` ``path``."""
    reason = _REMEDIES.get(error.errno or 0) or error.strerror or str(error)
    return ResultsError(f"cannot {action} {path}: {reason}")
