"""Guarded calls of the hooks of games, players, schemes, encodings and learners.

If a hook raises, or returns a value of an unexpected form, the error is one line. It names the
plug-in, the hook, the returned value or the exception, the expected form, and the remedy.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from tournaments.errors import ConfigError, Interruption, TournamentError, shown


class ContractError(AssertionError):
    """An error for a plug-in that breaks a law of its contract.

    The check of a law raises the error with the text of the law. The caller of the check adds the
    context by :meth:`complete`.

    Attributes:
        law: the expected behaviour, and the hook.
        who: the game, player, scheme, encoding or learner.
        position: the position in which the law is broken, as text, or empty.
    """

    who = position = ""

    def __init__(self, law: str) -> None:
        super().__init__(law)
        self.law = law

    def __str__(self) -> str:
        line = f"{self.who} breaks the contract: {self.law}"
        return f"{line}. The position:\n{self.position}" if self.position else line

    def complete(
        self, who: str, state: Any = None, action: object = None, when: str = ""
    ) -> ContractError:
        """Add the plug-in that breaks a law, and the position, to the error, and return it.

        They are not added twice.

        Args:
            who: the plug-in.
            state: the position, a :class:`tournaments.game.State`, or its text.
            action: the action that breaks the law.
            when: details such as the game and the ply, starting with a comma.
        """
        if not self.who:
            by = "" if action is None else f", by action {shown(action)}"
            self.who, self.law = who, f"{self.law}{by}{when}"
            if state is not None:
                self.position = _position_text(state)
        return self


def _position_text(state: Any) -> str:
    """Return a position as text, or its array if the game cannot draw it."""
    try:
        return str(state)
    except (Exception, Interruption):
        return str(state.array)


@contextmanager
def laws_of(who: str, when: str = "") -> Iterator[None]:
    """Add the plug-in's name to a :class:`ContractError` that the block raises.

    ``when`` has further details in words, starting with a comma.
    """
    try:
        yield
    except ContractError as error:
        error.complete(who, when=when)
        raise


SENT_BY_VALUE = "<dynamic-code>"
"""The file name that cloudpickle gives to code that it sends by value."""


@dataclass(frozen=True)
class Plugin:
    """The name and the kind of a plug-in.

    Attributes:
        what: the kind of plug-in: ``scheme``.
        name: the name as users type it.
        is_ours: whether the plug-in belongs to this project. Any exception of its hooks is then a
            bug and keeps its traceback.
    """

    what: str
    name: str
    is_ours: bool = False

    def error(self, what: str, mend: str = "mend it") -> TournamentError:
        """Return the error that describes a defect of the plug-in and the remedy."""
        return TournamentError(f"{self.what} {self.name!r}: {what}; {mend}")


Form = Callable[..., None]
"""Check of a hook's return value: (value, *arguments of the hook). It raises ContractError with the
returned value and the expected form."""


class Hook(NamedTuple):
    """A hook of a plug-in: its call as messages show it, and the check of its return value."""

    call: str
    form: Form | None = None


def call_hook(plugin: Plugin, hook: Hook, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a hook of a plug-in and return its result, with errors that name the plug-in.

    Hooks of built-in plug-ins are called without a guard.

    Raises:
        TournamentError: the hook is missing, raises an error, or returns an unexpected form.
    """
    if plugin.is_ours:
        return function(*arguments)
    try:
        given = function(*arguments)
        if hook.form is not None:
            hook.form(given, *arguments)
    except (TournamentError, ConfigError):
        raise
    except NotImplementedError as error:
        raise plugin.error(f"has no {hook.call}", "write it") from error
    except ContractError as error:
        raise TournamentError(f"{plugin.what} {plugin.name!r}: {hook.call} {error.law}") from None
    except (Exception, SystemExit) as error:
        raise plugin.error(f"{hook.call} {raised(error)}") from error
    return given


class Guarded:
    """A proxy for an object of a plug-in. Its hooks are called by :func:`call_hook`."""

    def __init__(self, plugin: Plugin, thing: Any, hooks: Mapping[str, Hook]) -> None:
        """Create a proxy of a plug-in's object, whose hooks are called under guard.

        Raises:
            TournamentError: a hook is missing.
        """
        self._plugin, self._thing, self._hooks = plugin, thing, hooks
        for name, hook in hooks.items():
            if not callable(getattr(thing, name, None)):
                raise plugin.error(f"its {type(thing).__name__} has no {hook.call}", "write it")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # an object that is being unpickled has no attributes yet
            raise AttributeError(name)
        attribute = getattr(self._thing, name)
        hook = self._hooks.get(name)
        return attribute if hook is None else partial(call_hook, self._plugin, hook, attribute)


@contextmanager
def laws_of_plugin(plugin: Plugin) -> Iterator[None]:
    """Convert errors of a plug-in's hooks in the block to a :class:`ContractError` with its name.

    It extends :func:`laws_of` to hooks that raise an error or return an unexpected form.
    """
    who = f"{plugin.what} {plugin.name!r}"
    with laws_of(who):
        try:
            yield
        except ContractError:
            raise
        except (ConfigError, TournamentError) as error:
            if not str(error).startswith(f"{who}: "):
                raise  # the user must choose another game or other options
            raise ContractError(str(error).removeprefix(f"{who}: ")) from error
        except Exception as error:
            raise ContractError(f"a hook {raised(error)}") from error


def raised(error: BaseException) -> str:
    """Return a description of an exception in a plug-in's code, with file and line.

    It is identical in every process: code that was sent by value has lost its file's name, and its
    globals still have it. In notebooks they have none, so that only the line is described.
    """
    try:
        message = str(error).partition("\n")[0]
    except Exception:  # the exception's own __str__ may fail
        message = ""
    *_, (frame, line) = traceback.walk_tb(error.__traceback__)
    path = frame.f_globals.get("__file__") and frame.f_code.co_filename
    path = frame.f_globals["__file__"] if path == SENT_BY_VALUE else path
    where = f" ({Path(path).name}, line {line})" if path else f" (line {line})"
    return f"raised {type(error).__name__}{': ' * bool(message)}{message}{where}"


def type_and_shape(given: Any) -> str:
    """Return the type and shape of an array, or the class of another value, for messages."""
    if hasattr(given, "dtype") and hasattr(given, "shape"):
        return f"{given.dtype} {list(given.shape)}"
    return "None" if given is None else f"a {type(given).__name__}"


def require(holds: object, law: str) -> None:
    """Raise ContractError with the text of a law unless a plug-in keeps the law."""
    if not holds:
        raise ContractError(law)


def expect(holds: bool, given: str, mend: str) -> None:
    """Raise ContractError unless the value that a plug-in's hook returned has the expected form.

    Args:
        holds: whether the form is the expected one.
        given: a description of the returned value.
        mend: a description of the expected value.
    """
    if not holds:
        refuse(given, mend)


def refuse(given: str, mend: str) -> NoReturn:
    """Raise ContractError for a value that a plug-in's hook returned.

    The arguments are those of :func:`expect`. A check on a hot path calls this once the value is
    wrong, so that nothing is described before.
    """
    raise ContractError(f"gave {given}; {mend}")


def expect_array(
    given: Any, shape: tuple[int, ...], types: tuple[str, ...], words: str, name: str = ""
) -> None:
    """Raise ContractError unless a plug-in's value is an array of the given shape and type.

    Args:
        given: the value.
        shape: the expected shape.
        types: accepted beginnings of the name of the dtype, such as ``("float",)``.
        words: the expected dtype, for the message.
        name: the name of the array, if the hook returns several values.
    """
    fits = getattr(given, "shape", None) == shape and str(given.dtype).startswith(types)
    expect(fits, f"{name}{type_and_shape(given)}", f"give {words} {list(shape)}")
