"""How a request record becomes a function of Python: keywords, checks and documentation.

A request is a dataclass. Its documentation begins with what the command does, and says under
``Attributes:`` what each field means; help, Python and the page of commands take the sentences from
there. Each field says once what all of them take: name, type, range and default
(:func:`tournaments.options.option`). Further metadata of a field:

- ``argument``: on the command line it has no flag;
- ``flag``: another flag than ``--name-of-the-field``; None: the command line does not offer it;
- ``metavar``: what help calls its value;
- ``nargs``, ``const``, ``action``: as argparse takes them;
- ``keyword``: False: Python does not offer it;
- ``names``: a function that gives the names among which the value usually is;
- ``type``: the annotation of an unchecked field, for editors.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import wraps
from inspect import Parameter, Signature, cleandoc
from typing import Any, ClassVar, NoReturn, TypeVar

from evo.execution import Execution
from tournaments.errors import ConfigError
from tournaments.options import (
    REQUIRED,
    OptionError,
    checked,
    option,
    sentences_of,
    unknown_field,
)

Made = TypeVar("Made")
Asked = TypeVar("Asked", bound="Request")

PLAYS = ("threads", "ray", "actors", "check", "patience", "grace")
"""Fields of :class:`evo.execution.Execution` of a command that plays matches."""
REPORTS = ("report", "announce", "progress")
"""Fields of calls that take a while."""


def flag(default: Any, **more: Any) -> Any:
    """A field of a request; on the command line it has a flag."""
    return option(default, "", **more)


def argument(metavar: str, default: Any = REQUIRED, **more: Any) -> Any:
    """A field of a request; on the command line it has no flag."""
    return option(default, "", argument=True, metavar=metavar, **more)


@dataclass(frozen=True)
class Request:
    """What is asked of a call, or of a command.

    Attributes:
        execution: the fields of :class:`evo.execution.Execution` that go with it.
        rest: the field that takes the keywords of Python which no other field has, as a table.
    """

    execution: ClassVar[tuple[str, ...]] = ("json",)
    rest: ClassVar[str] = ""

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Refuse the value of a field, with what is expected in its place.

        Raises:
            OptionError: always.
        """
        raise OptionError(name, getattr(self, name), expected)


def called_with(
    record: type[Asked],
) -> Callable[[Callable[[Asked, Execution], Made]], Callable[..., Made]]:
    """Make a function of a request and an execution one that also takes all fields as keywords.

    The fields before ``KW_ONLY`` may be given by position. Wrong names, types and ranges are
    refused before the work begins.
    """

    def decorate(work: Callable[[Asked, Execution], Made]) -> Callable[..., Made]:
        @wraps(work)
        def call(*values: Any, **given: Any) -> Made:
            if values and isinstance(values[0], record):
                return work(*values, **given)
            return work(*_from_call(record, values, given))

        del call.__wrapped__
        call.__signature__ = signature_of(record)  # type: ignore[attr-defined]
        call.__doc__ = _documented(work, record)
        call.request = record  # type: ignore[attr-defined]
        return call

    return decorate


def keywords_of(record: type[Request]) -> dict[str, Field[Any]]:
    """Return the fields that a call takes: of the request, then of the execution."""
    own = {item.name: item for item in fields(record) if item.name != record.rest}
    beside = {item.name: item for item in fields(Execution) if item.name in record.execution}
    return {
        name: item for name, item in {**own, **beside}.items() if item.metadata.get("keyword", True)
    }


def _from_call(
    record: type[Asked], values: Sequence[Any], given: Mapping[str, Any]
) -> tuple[Asked, Execution]:
    """Return the request and the execution that the arguments of a call make.

    Raises:
        ConfigError: an unknown name, a wrong type or range, or no value where one is needed.
        TypeError: more values by position than there are, or a field twice.
    """
    known, signature = keywords_of(record), signature_of(record)
    unknown = [name for name in given if name not in known]
    if unknown and not record.rest:
        raise unknown_field(unknown[0], known)
    try:
        fields_given = signature.bind_partial(*values, **given).arguments
    except TypeError as error:
        positional = ", ".join(name for name, item in known.items() if item.kw_only is False)
        raise TypeError(f"{error}; the fields by position are {positional}, each once") from None
    names = _names_of(record)
    own = {each: fields_given.pop(each) for each in [*fields_given] if each in names}
    execution = checked(Execution, "", fields_given, ConfigError)
    return checked(record, "", own, ConfigError), execution


def _names_of(record: type) -> set[str]:
    return {item.name for item in fields(record)}


def signature_of(record: type[Request]) -> Signature:
    """Return the signature of the call of a request."""
    parameters = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY if item.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
            default=Parameter.empty if item.default is MISSING else item.default,
            annotation=item.metadata.get("type", item.type),
        )
        for name, item in keywords_of(record).items()
    ]
    if record.rest:
        parameters.append(Parameter(record.rest, Parameter.VAR_KEYWORD, annotation=Any))
    return Signature(parameters)


def sentence_of(record: type, item: Field[Any]) -> str:
    """Return what a field of a record means, with its default where that says something."""
    doc, default = sentences_of(record).get(item.name, ""), item.default
    if names := item.metadata.get("names"):
        *others, last = sorted(names())
        doc = f"{doc}: {', '.join(others)} or {last}"
    is_telling = isinstance(default, str | int | float | tuple) and default not in (False, "", ())
    is_told = "default" in doc or not is_telling
    listed = " ".join(map(str, default)) if isinstance(default, tuple) else default
    return doc if is_told else f"{doc} (default: {listed})"


def about(record: type) -> tuple[str, str]:
    """Return what a command does: in a line, and in a paragraph that begins with that line."""
    text, _, _ = cleandoc(record.__doc__ or "").partition("\nAttributes:\n")
    line = text.partition("\n")[0]
    return f"{line[:1].lower()}{line[1:].rstrip('.')}", " ".join(text.split())


def _documented(work: Callable[..., Any], record: type[Request]) -> str:
    """Return the documentation of a call, with a line for each field."""
    lines = [cleandoc(work.__doc__ or ""), "", "Args:"]
    names = _names_of(record)
    for name, item in keywords_of(record).items():
        where = record if name in names else Execution
        text = f"{name}: {sentence_of(where, item)}."
        lines += textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="        ")
    return "\n".join(lines)
