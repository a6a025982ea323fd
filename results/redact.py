"""Removal of passwords and tokens from texts that are stored or shown."""

from __future__ import annotations

import re

HIDDEN = "***"
_USER = re.compile(r"(?P<scheme>\b[A-Za-z][A-Za-z0-9+.-]*://)[^/\s@'\"]+@")
_NAMES = (
    r"[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|credentials?|signature|api[_-]?key"
    r"|access[_-]?key(?:[_-]?id)?|private[_-]?key|session[_-]?key)[\w.-]*|sig|pwd"
)
_VALUE = re.compile(rf"(?P<name>(?<![\w.-])(?:{_NAMES})=)[^&\s'\"]+", re.IGNORECASE)


def redacted(text: str) -> str:
    """Hide passwords in a text: in addresses (``ray://user:token@``), queries and assignments."""
    return _VALUE.sub(rf"\g<name>{HIDDEN}", _USER.sub(rf"\g<scheme>{HIDDEN}@", text))
