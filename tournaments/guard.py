"""The guard: calls of hooks that authors of games, players, schemes, encodings and learners write.

A hook that raises, or gives what is of another form than expected, ends in one line that names the
plug-in, the hook, what it gave or raised, what is expected, and how to mend it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tournaments.errors import ConfigError, Interruption, TournamentError, shown


class ContractError(AssertionError):
    """A plug-in breaks a law that the rest of the project relies on.

    A law raises it with its text alone. Who checks the law adds the rest, by :meth:`complete`.

    Attributes:
        law: what is expected, and of which hook.
        who: the game, player, scheme, encoding or learner.
        position: the position in which the law is broken, as text; empty: in none.
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
        """Add whose law it is and where it is broken, unless that is there already.

        Args:
            who: the plug-in.
            state: the position, a :class:`tournaments.game.State`, or its text.
            action: the action by which the law is broken.
            when: the game and the ply, or the like, after a comma.
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
    """Name the plug-in in the laws that are found broken meanwhile."""
    try:
        yield
    except ContractError as error:
        error.complete(who, when=when)
        raise


@dataclass(frozen=True)
class Plugin:
    """An offer of a user's package or file.

    Attributes:
        what: its sort: ``scheme``.
        name: as users type it.
        is_ours: whether it is of this project. Whatever its hooks raise is a bug, with a traceback.
    """

    what: str
    name: str
    is_ours: bool = False

    def error(self, what: str, mend: str = "mend it") -> TournamentError:
        """Return the error that says what is wrong with the plug-in, and how to mend it."""
        return TournamentError(f"{self.what} {self.name!r}: {what}; {mend}")


Form = Callable[..., None]
"""Expected form of what a hook gives: (given, *arguments of the hook). It raises ContractError with
what was given instead, and what to give."""


class Hook(NamedTuple):
    """A hook of a plug-in: how it is called, in messages, and the form of what it gives."""

    call: str
    form: Form | None = None


def call_hook(plugin: Plugin, hook: Hook, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a hook and return what it gives; a hook of ours is called without a guard.

    Raises:
        TournamentError: the hook is not there, raises any other error, or gives another form.
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
    """An object of a plug-in whose hooks are called by :func:`call_hook`."""

    def __init__(self, plugin: Plugin, thing: Any, hooks: Mapping[str, Hook]) -> None:
        """
        Raises:
            TournamentError: a hook is missing.
        """
        self._plugin, self._thing, self._hooks = plugin, thing, hooks
        for name, hook in hooks.items():
            if not callable(getattr(thing, name, None)):
                raise plugin.error(f"its {type(thing).__name__} has no {hook.call}", "write it")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # of an object that is being unpickled, and is empty
            raise AttributeError(name)
        attribute = getattr(self._thing, name)
        hook = self._hooks.get(name)
        return attribute if hook is None else partial(call_hook, self._plugin, hook, attribute)


@contextmanager
def laws_of_plugin(plugin: Plugin) -> Iterator[None]:
    """Like :func:`laws_of`; a hook that raises, or gives another form, breaks a law, too."""
    who = f"{plugin.what} {plugin.name!r}"
    with laws_of(who):
        try:
            yield
        except ContractError:
            raise
        except (ConfigError, TournamentError) as error:
            if not str(error).startswith(f"{who}: "):
                raise  # another game or other options are expected
            raise ContractError(str(error).removeprefix(f"{who}: ")) from error
        except Exception as error:
            raise ContractError(f"a hook {raised(error)}") from error


def raised(error: BaseException) -> str:
    """Return in words what an author's code raised, and where."""
    try:
        message = str(error).partition("\n")[0]
    except Exception:  # of an exception that cannot be shown
        message = ""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f" ({Path(frame.filename).name}, line {frame.lineno})"
    return f"raised {type(error).__name__}{': ' * bool(message)}{message}{where}"


def type_and_shape(given: Any) -> str:
    """Return the type and shape of an array, or the class of anything else."""
    if hasattr(given, "dtype") and hasattr(given, "shape"):
        return f"{given.dtype} {list(given.shape)}"
    return "None" if given is None else f"a {type(given).__name__}"


def expect(holds: bool, given: str, mend: str) -> None:
    """Raise the error for another form than expected.

    Args:
        holds: whether the form is the expected one.
        given: what was given.
        mend: what to give.
    """
    if not holds:
        raise ContractError(f"gave {given}; {mend}")


def expect_array(
    given: Any, shape: tuple[int, ...], types: tuple[str, ...], words: str, name: str = ""
) -> None:
    """Expect an array.

    Args:
        shape: the shape.
        types: beginnings of the names of its types, such as ``("float",)``.
        words: what to give.
        name: what the array is, if the hook gives more.
    """
    fits = getattr(given, "shape", None) == shape and str(given.dtype).startswith(types)
    expect(fits, f"{name}{type_and_shape(given)}", f"give {words} {list(shape)}")
