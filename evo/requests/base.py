"""Request records: the options of a command and of a Python function, with their checks and texts.

A request is a dataclass. The first line of its docstring is the summary of the command, and
``Attributes:`` describes each field. Help, Python documentation and the page of commands use these
texts. Each field declares its name, type, range and default once
(:func:`tournaments.options.option`). Further metadata of a field:

- ``argument``: whether the field is a positional argument on the command line;
- ``flag``: the flag, if it is not ``--name-of-the-field``; None: not on the command line;
- ``metavar``: name of the value in help;
- ``nargs``, ``const``, ``action``: as in argparse;
- ``keyword``: False: not a keyword in Python;
- ``names``: function that returns the usual values, to list them in help;
- ``type``: annotation for editors, for a field without a type check;
- ``quick``: the default of a quick study.
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
"""Fields of :class:`evo.execution.Execution` for commands that play matches."""
REPORTS = ("report", "announce", "progress")
"""Fields of :class:`evo.execution.Execution` for functions that report progress."""


def flag(default: Any, **more: Any) -> Any:
    """Return a field of a request that is a flag on the command line."""
    return option(default, "", **more)


def argument(metavar: str, default: Any = REQUIRED, **more: Any) -> Any:
    """Return a field of a request that is a positional argument on the command line."""
    return option(default, "", argument=True, metavar=metavar, **more)


@dataclass(frozen=True)
class Request:
    """The options of a Python function or of a command.

    Attributes:
        execution: names of the fields of :class:`evo.execution.Execution` that the function also
            takes.
        rest: name of the field that collects all other keywords as a table. Empty: other keywords
            are errors.
    """

    execution: ClassVar[tuple[str, ...]] = ("json",)
    rest: ClassVar[str] = ""

    def refuse(self, name: str, expected: str) -> NoReturn:
        """Raise an error for the value of a request's field; ``expected`` says what is expected.

        Raises:
            OptionError: always.
        """
        raise OptionError(name, getattr(self, name), expected)


def called_with(
    record: type[Asked],
) -> Callable[[Callable[[Asked, Execution], Made]], Callable[..., Made]]:
    """Return a decorator that lets a function of a request be called with keywords.

    The decorated function takes either a request and an execution, or all their fields as
    keywords. The fields before ``KW_ONLY`` may also be positional. Unknown names and values of a
    wrong type or range raise an error before the function is called.
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
    """Return the fields that a function takes: those of the request, then of the execution."""
    own = {item.name: item for item in fields(record) if item.name != record.rest}
    beside = {item.name: item for item in fields(Execution) if item.name in record.execution}
    return {
        name: item for name, item in {**own, **beside}.items() if item.metadata.get("keyword", True)
    }


def _from_call(
    record: type[Asked], values: Sequence[Any], given: Mapping[str, Any]
) -> tuple[Asked, Execution]:
    """Return the request and the execution for the arguments of a call, checked.

    ``values`` are positional arguments, ``given`` are keywords.

    Raises:
        ConfigError: an unknown name, a wrong type or range, or a required value is missing.
        TypeError: too many positional arguments, or a field is given twice.
    """
    known, signature = keywords_of(record), signature_of(record)
    unknown = [name for name in given if name not in known]
    if unknown and not record.rest:
        raise unknown_field(unknown[0], known)
    try:
        fields_given = signature.bind_partial(*values, **given).arguments
    except TypeError as error:
        positional = ", ".join(name for name, item in known.items() if item.kw_only is False)
        raise TypeError(f"{error}; the positional arguments are {positional}, each once") from None
    names = _names_of(record)
    own = {each: fields_given.pop(each) for each in [*fields_given] if each in names}
    execution = checked(Execution, "", fields_given, ConfigError)
    return checked(record, "", own, ConfigError), execution


def _names_of(record: type) -> set[str]:
    return {item.name for item in fields(record)}


def signature_of(record: type[Request]) -> Signature:
    """Return the signature of the function that takes the fields of a request."""
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
    """Return the help on a field of a request, with its default if that is informative."""
    doc, default = sentences_of(record).get(item.name, ""), item.default
    if names := item.metadata.get("names"):
        *others, last = sorted(names())
        doc = f"{doc}: {', '.join(others)} or {last}"
    is_telling = isinstance(default, str | int | float | tuple) and default not in (False, "", ())
    is_told = "default" in doc or not is_telling
    listed = " ".join(map(str, default)) if isinstance(default, tuple) else default
    if (quick := item.metadata.get("quick")) is not None:
        listed = f"{listed}, quick {quick}"
    return doc if is_told else f"{doc} (default: {listed})"


def about(record: object) -> tuple[str, str]:
    """Return the summary of a command, and its description, which begins with the summary."""
    text, _, _ = cleandoc(record.__doc__ or "").partition("\nAttributes:\n")
    line = text.partition("\n")[0]
    return f"{line[:1].lower()}{line[1:].rstrip('.')}", " ".join(text.split())


def _documented(work: Callable[..., Any], record: type[Request]) -> str:
    """Return the docstring of a function that takes a request, with a line for each field."""
    lines = [cleandoc(work.__doc__ or ""), "", "Args:"]
    names = _names_of(record)
    for name, item in keywords_of(record).items():
        where = record if name in names else Execution
        text = f"{name}: {sentence_of(where, item)}."
        lines += textwrap.wrap(text, 96, initial_indent="    ", subsequent_indent="        ")
    return "\n".join(lines)
