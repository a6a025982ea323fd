"""Options that are declared as documented dataclass fields and checked together."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
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
    """An error for an option value that conflicts with other values of its record.

    Attributes:
        name: the name of the field.
        value: the given value.
        expected: the expected value, and the remedy.
    """

    def __init__(self, name: str, value: Any, expected: str) -> None:
        super().__init__(f"{name}={shown(value)} given{expected}")
        self.name, self.value, self.expected = name, value, expected


def seed_of(given: Any) -> int:
    """Return a seed from a user as an int.

    Raises:
        TournamentError: the seed is not a whole number from 0.
    """
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise TournamentError(f"seed={shown(given)} given; a whole number from 0 is expected")
    return int(given)


def option(
    default: Any, doc: str = "", low: float = -math.inf, high: float = math.inf, **more: Any
) -> Any:
    """Return a dataclass field with its documentation and, for numbers, its inclusive range.

    For a list of numbers, the range applies to each number.

    Args:
        default: the default of the field. :data:`REQUIRED`: a value must be given.
        doc: the meaning of the field in one sentence. Empty: it is taken from the ``Attributes:``
            section of the docstring of the record or of a base class.
        low: the minimum.
        high: the maximum.
        more: further metadata. ``above``: a number that values must exceed. ``even``: whether
            numbers must be even. ``known``: the allowed texts of a value or of each list item.
            ``sparse``: whether the field is only written where it differs from its default, so
            that the bytes of files that were written before there was the field stay the same.
            Other keys are for readers of the fields, such as the command line.
    """
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, **more})


def shared(declared: Any) -> Any:
    """Return a copy of a dataclass field that several records share. It is listed last."""
    return field(default=declared.default, metadata={**declared.metadata, "shared": True})


def table(doc: str = "") -> Any:
    """Return a dataclass field of a record whose value is a mapping, empty by default."""
    return field(default_factory=dict, metadata={"doc": doc})


def checked(
    record: type[Record],
    where: str,
    options: Mapping[str, Any],
    error: type[Exception] = TournamentError,
    others: Callable[[str], str] = lambda name: "",
    spelled: Callable[[str, Any], str] | None = None,
) -> Record:
    """Check the name, type and range of all options and return an instance of the record.

    Args:
        record: a dataclass whose fields were declared by :func:`option`.
        where: the prefix of a field's name in messages: ``scheme.`` or empty.
        options: values for any of the fields.
        error: the class of the exception to raise.
        others: (name of a field) -> a text that names other records with this field, or empty.
        spelled: (name of a field, value) -> the option as the user typed it, such as
            ``--games 3``. The default is ``games=3``.
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
    """Return the error for an unknown option of a record, which suggests the nearest name.

    Args:
        name: the unknown name.
        known: the names of the record's options.
        error: the class of the error.
        where: the prefix of names in messages.
    """
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
    """Return the function ``others`` of :func:`checked`, which names the owners of a field.

    Args:
        what: the kind of record, such as ``scheme``.
        present: the name of the chosen record, which does not have the field.
        records: returns the dataclasses of this kind by name. Called only after a mistake.
        flag: the flag that chooses another record, such as ``--scheme``.
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
    """Return the kind of value of a record's field, a key of :data:`KINDS`, or ``Any``."""
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
    """Return an option's value converted to the type of its field.

    If the value is invalid, raise ``refusal`` called with the expected value in words.
    """
    kind = kind_of(item)
    of = {"low": -math.inf, "high": math.inf, **item.metadata}  # a plain field has no range
    if value is None and "None" in str(item.type):
        return None
    member = MEMBERS.get(kind, kind)
    if not _is_of(kind, value) or (
        kind in MEMBERS and not all(_is_of(member, one) for one in value)
    ):
        wanted = _span(of) if of.get("even") else KINDS[kind][0]
        raise refusal(f"; {wanted} is expected{of.get('why', '')}")
    known, convert = of.get("known", ()), CONVERTED.get(member)
    members = value if kind in MEMBERS else [value]
    for one in members:
        if convert and not _is_in_range(one, of):
            raise refusal(f"; {_span(of)} is expected{of.get('why', '')}")
        if known and one not in known:
            raise refusal(f"{nearest(one, known)}; one of {', '.join(known)} is expected")
    converted = [convert(one) if convert else one for one in members]
    return tuple(converted) if kind in MEMBERS else converted[0]


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
    """Convert a text to the type of a record's field. Return the text if it cannot be converted."""
    kind = kind_of(item)
    try:
        return CONVERTED.get(MEMBERS.get(kind, kind), lambda same: same)(text)
    except ValueError:
        return text


def _number(value: float) -> str:
    """Return a number as text, whole numbers without an exponent."""
    return f"{int(value)}" if value == int(value) else f"{value:g}"


def listed(record: Any) -> list[Field[Any]]:
    """Return the fields of a record in the order of declaration, shared fields last."""
    return sorted(fields(record), key=lambda item: item.metadata.get("shared", False))


def as_options(record: Any, whole: bool = False) -> dict[str, Any]:
    """Return the values of a record's fields by name for TOML and JSON, shared fields last.

    Sparse fields (:func:`option`) with their default values are left out, unless ``whole``.
    """
    values = (
        (item.name, getattr(record, item.name))
        for item in listed(record)
        if whole or not item.metadata.get("sparse") or getattr(record, item.name) != item.default
    )
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values}


def spec_of(name: str, record: Any) -> str:
    """Return a name with all options of a record that differ from their defaults.

    For example ``planner:reward=1,scale=2.0``.
    """
    usual = as_options(type(record)())
    given = [
        f"{key}={value}" for key, value in as_options(record).items() if value != usual.get(key)
    ]
    return f"{name}:{','.join(given)}" if given else name


@cache
def sentences_of(record: type) -> dict[str, str]:
    """Return the description of each field of a record, from the field or the class's docstring."""
    sentences: dict[str, str] = {}
    for each in reversed(record.__mro__):
        _, _, rest = cleandoc(each.__doc__ or "").partition("\nAttributes:\n")
        attributes = re.split(r"^(?=\S)", rest, maxsplit=1, flags=re.MULTILINE)[0]
        for part in re.split(r"^    (?=\w)", attributes, flags=re.MULTILINE)[1:]:
            name, _, sentence = part.partition(":")
            sentences[name] = " ".join(sentence.split())
    own = {item.name: item.metadata["doc"] for item in fields(record) if item.metadata.get("doc")}
    return sentences | own
