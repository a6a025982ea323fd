"""The options of a study: one dataclass, with what ``quick`` changes beside each default."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from tournaments.errors import ConfigError, nearest
from tournaments.options import GAMES, as_options, checked, listed, option, shared

Settings = TypeVar("Settings")
Announce = Callable[[str], None]
NOT_IN_COMMANDS = ("threads", "runs")
"""Settings that a result does not depend on."""


def setting(
    default: Any, low: float = 1, high: float = 10**6, *, quick: Any = None, even=False, doc=""
) -> Any:
    """Declare a field of a dataclass of a study's settings.

    Args:
        default: the value of the study as it is published.
        low: minimum of a number.
        high: maximum of a number.
        quick: the default of a quick study; None: the same.
        even: whether it is a number of games that are played as matches of two.
        doc: description of the setting. Empty: it is taken from the docstring of the record.
    """
    why = {"why": GAMES["why"]} if even else {}
    return option(default, doc, low, high, quick=quick, even=even, **why)


def runs_setting(folder: str) -> Any:
    """Declare the setting that is the folder of a study's runs."""
    doc = "folder of the runs; the same command goes on with those that are there"
    return setting(folder, quick=f"{folder}-quick", doc=doc)


@dataclass(frozen=True)
class PageSettings:
    """Options of a study with a page.

    Attributes:
        page: file of the page that is to be written, figures beside it; empty: none
    """

    page: str = shared(option(""))


@dataclass(frozen=True)
class QuickSettings(PageSettings):
    """Options of a study with a page that can be tried at a small size."""

    quick: bool = option(False)


def names_of(field: str, what: str, given: str, known: Iterable[str]) -> list[str]:
    """Return the names in a study's setting that joins several by +, each once.

    Args:
        field: name of the setting.
        what: what the names denote, for the message.
        given: text of the setting.
        known: the valid names.

    Raises:
        ConfigError: a name is unknown, or no name is given.
    """
    names = [name for name in given.split("+") if name] or [""]
    for name in names:
        if name not in known:
            raise ConfigError(
                f"{field}={given!r} given; unknown {what} {name!r}{nearest(name, known)} (known: "
                f"{', '.join(known)})"
            )
    return list(dict.fromkeys(names))


def checked_settings(settings: Settings) -> Settings:
    """Return a study's settings: checked, with the quick defaults if a quick study is asked for.

    A value that differs from its default is kept, whether the study is quick or not.

    Raises:
        ConfigError: a value is of another type or out of its range.
    """
    settings = checked(type(settings), "", as_options(settings), ConfigError)
    if not getattr(settings, "quick", False):
        return settings
    changes = {
        item.name: item.metadata["quick"]
        for item in fields(settings)  # type: ignore[arg-type]
        if getattr(settings, item.name) == item.default and item.metadata.get("quick") is not None
    }
    return replace(settings, **changes)  # type: ignore[type-var]


def command_of(study: str, settings: Any) -> str:
    """Return the command that runs a study with these settings; defaults are left out."""
    words = ["evo reproduce", study]
    for item in listed(settings):
        value, name = getattr(settings, item.name), item.name.replace("_", "-")
        if value != item.default and item.name not in NOT_IN_COMMANDS:
            flag = f"--{name}" if value is not False else f"--no-{name}"
            words.append(flag if isinstance(value, bool) else f"{flag} {value}")
    return " ".join(words)
