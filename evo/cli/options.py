"""The parts of a command: its record, its parser, and the options of several commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, replace
from typing import Any, NoReturn, TypeVar

from evo.cli.console import complain
from evo.evolution.signals import Watch
from evo.execution import Execution
from evo.progress import Display
from evo.requests.base import Request, about, sentence_of
from tournaments.errors import ConfigError, TournamentError, nearest
from tournaments.options import MEMBERS, OptionError, checked, from_text, kind_of, listed

Record = TypeVar("Record")

EXIT_FAILED, EXIT_USAGE = 1, 2
OTHERS = "commands of installed packages"
GROUPS = ("make", "measure", "look", "your own", "what there is", OTHERS)
"""Headings of ``evo --help``."""


class Parser(argparse.ArgumentParser):
    """The parser of a command. It reports a mistake in one line.

    Attributes:
        late: function that adds the arguments when they are needed.
        is_mixing: whether flags and other arguments are being parsed in any order.
    """

    late: Callable[[Parser], None] | None = None
    is_mixing = False

    def error(self, message: str) -> NoReturn:
        joint = " See" if message.endswith("?") else "; see"
        self.refuse(f"{message}{joint} {self.prog} --help")

    def refuse(self, message: str) -> NoReturn:
        """Print a message and end the process."""
        complain(message)
        self.exit(EXIT_USAGE)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse a command line as argparse does.

        Unknown arguments are reported with the command's own usage.
        """
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            command = getattr(options, "parser", self)
            flags = [word for word in unknown if word.startswith("-")]
            mend = nearest(flags[0], command._option_string_actions) if flags else ""
            command.error(f"unrecognized arguments: {' '.join(unknown)}{mend}")
        return options

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise if a command or study is unknown. The message has the name of the nearest one."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            mend = (
                nearest(str(value), action.choices) or f"; {self.prog} --help lists the known ones"
            )
            self.refuse(f"unknown {str(action.metavar).lower()} {value!r}{mend}")
        super()._check_value(action, value)

    def fill(self) -> None:
        """Add the flags and arguments to this parser, unless they have been added."""
        late, self.late = self.late, None
        try:
            if late is not None:
                late(self)
        except TournamentError as error:  # the package of a command or a study is broken
            self.refuse(str(error))

    def parse_known_args(self, args=None, namespace=None):
        """Parse a command line as argparse does, with flags and other arguments in any order."""
        self.fill()
        takes_rest = {each.nargs for each in self._actions} & {argparse.PARSER, argparse.REMAINDER}
        if takes_rest or self.is_mixing or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self.is_mixing = True  # the next line calls this method again, twice
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self.is_mixing = False

    def add_fields(self, record: type, names: Sequence[str] | None = None) -> None:
        """Add a flag or an argument to the parser for each field of a command's record.

        ``names`` selects fields; None: all.
        """
        for item in flags_of(record, names):
            action = self.add_argument(*_names_of(item), **_as_argparse_takes(record, item))
            action.metadata = item.metadata  # type: ignore[attr-defined]  # for completion


def flags_of(record: type, names: Sequence[str] | None = None) -> Iterator[Field[Any]]:
    """Yield the fields of a command's record that are on the command line.

    ``names`` selects fields; None: all.
    """
    for item in listed(record):
        is_offered = "doc" in item.metadata and item.metadata.get("flag", "") is not None
        if is_offered and (names is None or item.name in names):
            yield item


def flag_of(item: Field[Any]) -> str:
    """Return the flag of a record's field, such as ``--seed``, or its argument's name in help."""
    if item.metadata.get("argument"):
        return str(item.metadata["metavar"])
    return str(item.metadata.get("flag") or "--" + item.name.replace("_", "-"))


def _names_of(item: Field[Any]) -> list[str]:
    return [item.name] if item.metadata.get("argument") else [flag_of(item)]


def _metavar_of(item: Field[Any]) -> Any:
    """Return the name that help shows for the value of a record's field, such as ``N``."""
    usual = "N" if kind_of(item) == "int" else item.name.upper()
    return item.metadata.get("metavar", usual)


def _as_argparse_takes(record: type, item: Field[Any]) -> dict[str, Any]:
    """Return the keywords of ``ArgumentParser.add_argument`` for a field of a command's record.

    The values are parsed as texts; they are converted and checked afterwards.
    """
    of = item.metadata
    help = argparse.SUPPRESS if of.get("hidden") else sentence_of(record, item).replace("%", "%%")
    taken: dict[str, Any] = {"help": help, "default": argparse.SUPPRESS}
    if not of.get("argument"):
        taken["dest"] = item.name
        if item.default is item.default_factory is MISSING:
            taken["required"] = True
    if kind_of(item) == "bool":
        switch = argparse.BooleanOptionalAction if item.default else "store_true"
        return taken | {"action": switch}
    taken["metavar"] = _metavar_of(item)
    if "action" in of:
        return taken | {"action": of["action"]}
    nargs = of.get("nargs", "+" if kind_of(item) in MEMBERS else None)
    return taken | {"nargs": nargs, "const": of.get("const", "") if nargs == "?" else None}


def read(record: type[Record], options: argparse.Namespace, names: Any = None) -> Record:
    """Return a command's record with the values of the parsed command line.

    ``names`` selects fields; None: all.

    Raises:
        ConfigError: for the first invalid value, with its flag.
    """
    known = {item.name: item for item in flags_of(record, names)}
    typed = {name: text for name, text in vars(options).items() if name in known}
    values = {}
    for name, text in typed.items():
        item = known[name]
        if isinstance(text, str) and not text.strip() and item.metadata.get("nargs") != "?":
            wanted = f"{flag_of(item)} {_metavar_of(item)}"
            raise ConfigError(
                f"{flag_of(item)} {text!r} given; {wanted} is expected, or leave it out"
            )
        several = isinstance(text, list)
        values[name] = (
            [from_text(item, each) for each in text] if several else from_text(item, text)
        )
    return checked(
        record, "", values, ConfigError, spelled=lambda name, _: _spelled(known[name], typed[name])
    )


def _spelled(item: Field[Any], text: Any) -> str:
    """Return a flag and its value as the user typed them, for messages."""
    words = " ".join(map(str, text)) if isinstance(text, list | tuple) else str(text)
    return flag_of(item) + ("" if text is True else f" {words}")


@dataclass(frozen=True)
class Command:
    """A command, defined by a file of :mod:`evo.cli.commands` or an entry point ``evo.commands``.

    Attributes:
        summary: line of the command in ``evo --help``.
        takes: the record of the flags and arguments, a subclass of
            :class:`evo.requests.base.Request`; or a function that adds them to a parser.
        act: function that runs the command, prints the result, and returns the exit status. It is
            called with the request and the execution or, without a record, with the parsed
            arguments. Heavy modules are imported in this function.
        description: text at the head of the command's help.
        rank: position in its group. Commands with the same rank are sorted by name.
        group: heading in ``evo --help``: one of ``GROUPS``, or another one, which comes last.
    """

    summary: str
    takes: Any
    act: Callable[..., int]
    description: str | None = None
    rank: int = 100
    group: str = OTHERS

    @property
    def record(self) -> type[Request] | None:
        """The record of the command's flags and arguments. None: a function adds the arguments."""
        return self.takes if isinstance(self.takes, type) else None

    def add_arguments(self, parser: Parser) -> None:
        """Add the command's flags and arguments to its parser."""
        if self.record is None:
            self.takes(parser)
            return
        parser.add_fields(self.record)
        parser.add_fields(Execution, self.record.execution)

    def run(self, options: argparse.Namespace, watch: Watch) -> int:
        """Read the parsed arguments, run the command, and return the exit status."""
        if self.record is None:
            return self.act(options)
        execution = read(Execution, options, self.record.execution)
        watch.grace = execution.grace
        request: Request = read(self.record, options)
        try:
            return self._run(request, execution)
        except OptionError as refused:
            item = {each.name: each for each in flags_of(self.record)}.get(refused.name)
            if item is None:
                raise
            spelled = _spelled(item, refused.value)
            raise ConfigError(f"{spelled} given{refused.expected}") from None

    def _run(self, request: Request, execution: Execution) -> int:
        if {"threads", "announce"}.isdisjoint(request.execution):
            return self.act(request, execution)
        with Display() as display:
            return self.act(request, replace(execution, progress=display, announce=display.say))


def command_of(
    record: type[Request],
    act: Callable[[Any, Execution], int],
    rank: int = 100,
    group: str = OTHERS,
) -> Command:
    """Return a command that is described by the docstring of its record.

    Args:
        record: the class of the flags and arguments.
        act: called with the record of a command line; returns the exit status.
        rank: place in the list of commands.
        group: heading in the list of commands.
    """
    line, paragraph = about(record)
    return Command(line, record, act, paragraph, rank, group)
