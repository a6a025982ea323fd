"""Removal of passwords, tokens and folders from texts that are stored, shown or shared."""

from __future__ import annotations

import re
from pathlib import Path

HIDDEN = "***"
_USER = re.compile(r"(?P<scheme>\b[A-Za-z][A-Za-z0-9+.-]*://)[^/\s@'\"]+@")
_NAMES = (
    r"[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|credentials?|signature|api[_-]?key"
    r"|access[_-]?key(?:[_-]?id)?|private[_-]?key|session[_-]?key)[\w.-]*|sig|pwd"
)
_VALUE = re.compile(rf"(?P<name>(?<![\w.-])(?:{_NAMES})=)[^&\s'\"]+", re.IGNORECASE)

_FOLDERS = re.compile(
    r"""(?<=')/(?:[^'/]*/)*|(?<=")/(?:[^"/]*/)*|(?<![\w/.~'"])/(?!/)(?:[^\s/'"]+/)*(?=[^\s/])"""
)
"""Pattern of the folders of an absolute path in a text. A path in quotes may contain spaces."""


def redacted(text: str) -> str:
    """Hide passwords in a text: in addresses (``ray://user:token@``), queries and assignments."""
    return _VALUE.sub(rf"\g<name>{HIDDEN}", _USER.sub(rf"\g<scheme>{HIDDEN}@", text))


def without_folders(text: str) -> str:
    """Return a text whose absolute paths are shortened to the name of the file or the folder.

    Paths below the working folder become relative, and the home folder becomes ``~``.
    """
    for place, name in ((Path.cwd(), ""), (Path.home(), "~/")):
        if len(place.parts) > 1:
            text = text.replace(f"{place}/", name)
    return _FOLDERS.sub("", text)
