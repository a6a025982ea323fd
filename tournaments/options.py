"""Options declared once, as documented dataclass fields, and checked as one thing."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields
from functools import cache
from inspect import cleandoc
from numbers import Integral, Real
from typing import Any, TypeVar

from tournaments.errors import ConfigError, TournamentError, nearest, shown

Record = TypeVar("Record")


REQUIRED = MISSING
"""The default of a field without which there is no record."""
GAMES: dict[str, Any] = {"low": 2, "even": True, "why": ", a match is two games"}
"""The range of a number of games that are played as whole matches, for :func:`option`."""


class OptionError(ConfigError):
    """A value that a record refuses as a whole, with the name of its field.

    Attributes:
        name: of the field.
        value: that was given.
        expected: what is expected, and how to mend it.
    """

    def __init__(self, name: str, value: Any, expected: str) -> None:
        super().__init__(f"{name}={shown(value)} given{expected}")
        self.name, self.value, self.expected = name, value, expected


def check_games(games: Any, name: str = "games") -> None:
    """Refuse a number of games that are no matches, each of two.

    Raises:
        ConfigError: it is no even number from 2.
    """
    item = option(REQUIRED, "", **GAMES)
    item.type = "int"
    _checked_value(games, item, lambda expected: OptionError(name, games, expected))


def seed_of(given: Any) -> int:
    """The seed that a user gives.

    Raises:
        TournamentError: it is no whole number from 0.
    """
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise TournamentError(f"seed={shown(given)} given; a whole number from 0 is expected")
    return int(given)


def option(
    default: Any, doc: str = "", low: float = -math.inf, high: float = math.inf, **more: Any
) -> Any:
    """A dataclass field with its documentation and, for numbers, its range (inclusive).

    Of a list of numbers it is the range of each.

    Args:
        default: of the field; :data:`REQUIRED`: a value must be given.
        doc: what the field means, in one sentence; by default the documentation of the record says
            so under ``Attributes:``.
        low: the least number.
        high: the greatest number.
        more: ``above``: a number that values must exceed; ``even``: whether numbers must be even;
            ``known``: the texts among which a value, or each of a list, must be; and whatever a
            reader of the fields looks for, such as the command line.
    """
    metadata = {"doc": doc, "low": low, "high": high, **more}
    return (
        field(metadata=metadata)
        if default is REQUIRED
        else field(default=default, metadata=metadata)
    )


def shared(declared: Any) -> Any:
    """A field of several records, which is listed after those that each has of its own."""
    return field(default=declared.default, metadata={**declared.metadata, "shared": True})


def one_of(default: str, doc: str, known: Sequence[str], **more: Any) -> Any:
    """A dataclass field that is one of a few texts."""
    return option(default, doc, known=tuple(known), **more)


def table(doc: str) -> Any:
    """A dataclass field that is a table of its own, empty by default."""
    return field(default_factory=dict, metadata={"doc": doc})


def checked(
    record: type[Record],
    where: str,
    options: Mapping[str, Any],
    error: type[Exception] = TournamentError,
    others: Callable[[str], str] = lambda name: "",
    spelled: Callable[[str, Any], str] | None = None,
) -> Record:
    """An instance made of options, once every name, type and range is right.

    Args:
        record: a dataclass whose fields were declared by :func:`option`.
        where: what stands before a field's name in messages: ``scheme.`` or nothing.
        options: values for any of the fields.
        error: what to raise.
        others: (name of a field) -> in words, what else has it; empty: nothing does.
        spelled: (name of a field, value) -> both as the user has typed them, such as ``--games 3``;
            by default ``games=3``.
    """
    spelled = spelled or (lambda name, value: f"{where}{name}={shown(value)}")
    known = {item.name: item for item in listed(record)}
    accepted = {}
    for name, value in options.items():
        if name not in known:
            if elsewhere := others(name):
                raise error(
                    f"{spelled(name, value)} given; {elsewhere} (known here: {', '.join(known)})"
                )
            raise unknown_field(name, known, error, where)

        def refusal(expected: str, name: str = name, value: Any = value) -> Exception:
            return error(f"{spelled(name, value)} given{expected}")

        accepted[name] = _checked_value(value, known[name], refusal)
    for name, item in known.items():
        if name not in accepted and item.default is item.default_factory is MISSING:
            raise error(f"no {where}{name} given; it is expected")
    try:
        return record(**accepted)
    except OptionError as refused:
        raise error(f"{spelled(refused.name, refused.value)} given{refused.expected}") from None


def unknown_field(
    name: str, known: Iterable[str], error: type[Exception] = ConfigError, where: str = ""
) -> Exception:
    """Return the error for a field that there is not, with the nearest name."""
    listed = ", ".join(known)
    return error(f"unknown field {shown(where + name)}{nearest(name, known)} (known: {listed})")


KINDS: dict[str, tuple[str, Any]] = {
    "int": ("a whole number", Integral),
    "float": ("a number", Real),
    "str": ("a text", str),
    "dict": ("a table", Mapping),
    "bool": ("true or false", bool),
    "tuple[int": ("a list of whole numbers", (list, tuple)),
    "tuple[float": ("a list of numbers", (list, tuple)),
    "tuple": ("a list of texts", (list, tuple)),
    "Any": ("anything", object),
}
"""What types are called, and which values have them, by the beginning of the annotation."""
MEMBERS = {"tuple[int": "int", "tuple[float": "float", "tuple": "str"}
"""What lists hold."""
CONVERTED = {"int": int, "float": float}


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


def kind_of(item: Field[Any]) -> str:
    """Return which of :data:`KINDS` a field is of; ``Any`` where its annotation is another."""
    declared = item.type.__name__ if type(item.type) is type else str(item.type)
    declared = declared.removesuffix(" | None")
    return next(
        (key for key in KINDS if re.fullmatch(rf"{re.escape(key)}(\[.*|,.*)?", declared)), "Any"
    )


def _is_of(kind: str, value: Any) -> bool:
    return isinstance(value, KINDS[kind][1]) and (
        kind in ("bool", "Any") or not isinstance(value, bool)
    )


def _checked_value(value: Any, item: Field[Any], refusal: Callable[[str], Exception]) -> Any:
    """Return a value as its field has it, or raise what ``refusal`` makes of what is expected."""
    kind, of = kind_of(item), item.metadata
    if value is None and "None" in str(item.type):
        return None
    member = MEMBERS.get(kind, kind)
    if not _is_of(kind, value) or (
        kind in MEMBERS and not all(_is_of(member, one) for one in value)
    ):
        wanted = _span(of) if of.get("even") else KINDS[kind][0]
        raise refusal(f"; {wanted} is expected{of.get('why', '')}")
    if member in CONVERTED:
        for number in value if kind in MEMBERS else [value]:
            if not _is_in_range(number, of):
                raise refusal(f"; {_span(of)} is expected{of.get('why', '')}")
    known = of.get("known", ())
    for text in value if kind in MEMBERS else [value]:
        if known and text not in known:
            raise refusal(f"{nearest(text, known)}; one of {', '.join(known)} is expected")
    convert = CONVERTED.get(member, lambda one: one)
    return tuple(map(convert, value)) if kind in MEMBERS else convert(value)


def _is_in_range(number: float, of: Mapping[str, Any]) -> bool:
    is_above = number > of["above"] if "above" in of else of["low"] <= number
    is_finite = abs(number) <= sys.float_info.max
    return is_above and number <= of["high"] and is_finite and not (of.get("even") and number % 2)


def _span(of: Mapping[str, Any]) -> str:
    low, high = of["low"], of["high"]
    if "above" in of:
        to = "" if math.isinf(high) else f" and up to {_number(high)}"
        return f"a number above {_number(of['above'])}{to}"
    if of.get("even"):
        to = "" if math.isinf(high) else f" to {high:,}"
        return f"an even number from {_number(low)}{to}"
    if math.isinf(high):
        return "a finite number" if math.isinf(low) else f"{_number(low)} or more"
    return f"a value from {_number(low)} to {_number(high)}"


def from_text(item: Field[Any], text: Any) -> Any:
    """Return the value that a text stands for; the text itself, which is refused, if it is none."""
    kind = kind_of(item)
    try:
        return CONVERTED.get(MEMBERS.get(kind, kind), lambda same: same)(text)
    except ValueError:
        return text


def _number(value: float) -> str:
    """Whole numbers without an exponent."""
    return f"{int(value)}" if value == int(value) else f"{value:g}"


def listed(record: Any) -> list[Field[Any]]:
    """The fields of a record in the order of declaration, those that it shares with others last."""
    return sorted(fields(record), key=lambda item: item.metadata.get("shared", False))


def as_options(record: Any) -> dict[str, Any]:
    """The values of a record's fields, its own first, as TOML and JSON have them."""
    values = {item.name: getattr(record, item.name) for item in listed(record)}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }


def spec_of(name: str, record: Any) -> str:
    """Return a name with the options that are not as by default: ``planner:reward=1,scale=2.0``."""
    usual = as_options(type(record)())
    given = [f"{key}={value}" for key, value in as_options(record).items() if value != usual[key]]
    return f"{name}:{','.join(given)}" if given else name


def documentation(record: type) -> list[tuple[str, Any, str]]:
    """For each field its name, its default and what it means."""
    rows = []
    for item in listed(record):
        default = item.default if item.default is not MISSING else {}
        meaning = item.metadata.get("doc") or sentences_of(record)[item.name]
        rows.append((item.name, default, meaning))
    return rows


@cache
def sentences_of(record: type) -> dict[str, str]:
    """Return what the documentation of a record, and of those it extends, says of each field."""
    sentences: dict[str, str] = {}
    for each in reversed(record.__mro__):
        _, _, attributes = cleandoc(each.__doc__ or "").partition("\nAttributes:\n")
        for part in re.split(r"^    (?=\w)", attributes, flags=re.MULTILINE)[1:]:
            name, _, sentence = part.partition(":")
            sentences[name] = " ".join(sentence.split())
    return sentences
