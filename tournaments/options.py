"""Options declared once, as documented dataclass fields, and checked as one thing."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from numbers import Integral
from typing import Any, TypeVar

from tournaments.errors import ConfigError, TournamentError, nearest, shown

Record = TypeVar("Record")


def check_games(games: Any, name: str = "games") -> None:
    """Refuse a number of games that are no matches, each of two.

    Raises:
        ConfigError: it is no even number from 2.
    """
    if not isinstance(games, Integral) or games < 2 or games % 2:
        raise ConfigError(
            f"{name}={shown(games)} given; an even number from 2 is expected, a match is two games"
        )


def seed_of(given: Any) -> int:
    """The seed that a user gives.

    Raises:
        TournamentError: it is no whole number from 0.
    """
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise TournamentError(f"seed={shown(given)} given; a whole number from 0 is expected")
    return int(given)


def option(default: Any, doc: str, low: float = -math.inf, high: float = math.inf) -> Any:
    """A dataclass field with its documentation and, for numbers, its range (inclusive).

    Of a list of numbers it is the range of each.
    """
    metadata = {"doc": doc, "low": low, "high": high}
    return field(default=default, metadata=metadata)


def shared(declared: Any) -> Any:
    """A field of several records, which is listed after those that each has of its own."""
    return field(default=declared.default, metadata={**declared.metadata, "shared": True})


def one_of(default: str, doc: str, known: Sequence[str]) -> Any:
    """A dataclass field that is one of a few texts."""
    return field(default=default, metadata={"doc": doc, "known": tuple(known)})


def table(doc: str) -> Any:
    """A dataclass field that is a table of its own, empty by default."""
    return field(default_factory=dict, metadata={"doc": doc})


def checked(
    record: type[Record],
    where: str,
    options: Mapping[str, Any],
    error: type[Exception] = TournamentError,
    others: Callable[[str], str] = lambda name: "",
) -> Record:
    """An instance made of options, once every name, type and range is right.

    Args:
        record: a dataclass whose fields were declared by :func:`option`.
        where: what stands before a field's name in messages: ``scheme.`` or nothing.
        options: values for any of the fields.
        error: what to raise.
        others: (name of a field) -> in words, what else has it; empty: nothing does.
    """
    known = {item.name: item for item in _listed(record)}
    accepted = {}
    for name, value in options.items():
        if name not in known:
            listed = ", ".join(known)
            if elsewhere := others(name):
                raise error(
                    f"{where}{name}={shown(value)} given; {elsewhere} (known here: {listed})"
                )
            raise error(
                f"unknown field {shown(where + name)}{nearest(name, known)} (known: {listed})"
            )
        accepted[name] = _checked_value(where + name, value, known[name], error)
    return record(**accepted)


KINDS = {
    "int": ("a whole number", Integral),
    "float": ("a number", (int, float)),
    "str": ("a text", str),
    "dict": ("a table", Mapping),
    "bool": ("true or false", bool),
    "tuple[int": ("a list of whole numbers", (list, tuple)),
    "tuple": ("a list of texts", (list, tuple)),
}
MEMBERS = {"tuple[int": int, "tuple": str}
"""What lists hold."""


def owners(
    what: str, present: str, records: Callable[[], Mapping[str, type]], flag: str
) -> Callable[[str], str]:
    """The words of :func:`checked` for a field that others of a kind have.

    Args:
        what: the kind, such as ``scheme``.
        present: the name of the one whose field it is not.
        records: the dataclasses of all of that kind, by name; asked for once there is a mistake.
        flag: what chooses another one, such as ``--scheme``.
    """

    def words(name: str) -> str:
        having = [
            other
            for other, record in records().items()
            if other != present and any(item.name == name for item in fields(record))
        ]
        if not having:
            return ""
        verb, own = ("have", " or ") if len(having) > 1 else ("has", "")
        return (
            f"{what} {present!r} has no such field, {', '.join(having)} {verb}: leave it out, or "
            f"choose {own.join(having) if len(having) < 4 else 'one of these'} by {flag}"
        )

    return words


def _checked_value(name: str, value: Any, item: Any, error: type[Exception]) -> Any:
    declared = item.type.__name__ if type(item.type) is type else str(item.type)
    kind = next(key for key in KINDS if declared.startswith(key))
    expected, types = KINDS[kind]
    is_one = isinstance(value, types) and (kind == "bool" or not isinstance(value, bool))  # type: ignore[arg-type]
    if not is_one or (kind in MEMBERS and not all(type(one) is MEMBERS[kind] for one in value)):
        raise error(f"{name}={shown(value)} given; {expected} is expected")
    if kind in ("int", "float", "tuple[int"):
        low, high = item.metadata["low"], item.metadata["high"]
        for number in value if kind in MEMBERS else [value]:
            if not (low <= number <= high and abs(number) <= sys.float_info.max):
                raise error(f"{name}={shown(value)} given; {_span(low, high)} is expected")
    known = item.metadata.get("known")
    if known and value not in known:
        listed = ", ".join(known)
        raise error(
            f"{name}={shown(value)} given{nearest(value, known)}; one of {listed} is expected"
        )
    return float(value) if kind == "float" else tuple(value) if kind in MEMBERS else value


def _span(low: float, high: float) -> str:
    if math.isinf(high):
        return "a finite number" if math.isinf(low) else f"{_number(low)} or more"
    return f"a value from {_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    """Whole numbers without an exponent."""
    return f"{int(value)}" if value == int(value) else f"{value:g}"


def _listed(record: Any) -> list[Field[Any]]:
    """The fields of a record in the order of declaration, those that it shares with others last."""
    return sorted(fields(record), key=lambda item: item.metadata.get("shared", False))


def as_options(record: Any) -> dict[str, Any]:
    """The values of a record's fields, its own first, as TOML and JSON have them."""
    values = {item.name: getattr(record, item.name) for item in _listed(record)}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }


def spec_of(name: str, record: Any) -> str:
    """Return a name with the options that are not as by default: ``planner:reward=1,scale=2.0``."""
    usual = as_options(type(record)())
    given = [f"{key}={value}" for key, value in as_options(record).items() if value != usual[key]]
    return f"{name}:{','.join(given)}" if given else name


def documentation(record: type[Any]) -> list[tuple[str, Any, str]]:
    """For each field its name, its default and what it means."""
    rows = []
    for item in _listed(record):
        default = item.default if item.default is not MISSING else {}
        rows.append((item.name, default, item.metadata["doc"]))
    return rows
