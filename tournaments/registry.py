"""Things found by name: ours by the names of their files, others by entry points or by path.

The name on the command line is the name of the file: ``hall-of-fame`` is ``hall_of_fame.py`` in the
folder of its registry, which holds the thing under the registry's attribute. A package of somebody
else offers the same object through the entry point group of the registry. A name that is the path
of a Python file stands for what that file holds, ``./connect.py`` or ``./connect.py:RULES``, and is
then what the thing is called.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules, resolve_name
from types import ModuleType
from typing import Any

from tournaments import code_files
from tournaments.errors import TournamentError, nearest, unknown
from tournaments.guard import Plugin


@dataclass(frozen=True)
class Registry:
    """The things of one sort, none of which is imported before it is asked for.

    Attributes:
        what: a thing of this sort, for messages: ``scheme``.
        package: the folder of ours, a file or a folder a thing.
        attribute: under which a module holds its thing: ``SCHEME``.
        group: the entry points of others.
        shared: files of the folder that hold no thing, but what its things share.
        expected: what an offer is, for messages: ``a tournaments.rules.Rules``.
        kind: the class that an offer must be an instance of; None: any will do.
        base: of things that are classes, the dotted name of the class that all inherit.
        is_one: of things that are neither: whether a value in a file is one, unless it is named.
        called: (thing, its name, the module of its file) -> a thing of a file, under this name.
    """

    what: str
    package: str
    attribute: str
    group: str
    shared: frozenset[str] = frozenset()
    expected: str = ""
    kind: type | None = None
    base: str = ""
    is_one: Callable[[Any], bool] | None = None
    called: Callable[[Any, str, str], Any] = field(
        default=lambda thing, name, module: thing, compare=False
    )

    def names(self) -> list[str]:
        """Return all names: those of this project, sorted, then those of packages."""
        own = self.own()
        return own + sorted({point.name for point in installed(self.group)} - {*own})

    def own(self) -> list[str]:
        """The names of ours, sorted."""
        return _names_of_files(self.package, self.shared)

    def plugin(self, name: str) -> Plugin:
        """Return whose hooks are called, for :func:`tournaments.guard.call_hook`."""
        return Plugin(self.what, name, name in self.own())

    def __contains__(self, name: str) -> bool:
        """Whether there is a thing of this name; packages are asked for what is not ours."""
        return name in self.own() or self.point(name) is not None

    def loadable(self) -> dict[str, Any]:
        """Return all things that can be loaded, by name."""
        things = {}
        for name in self.names():
            with suppress(TournamentError):
                things[name] = self.load(name)
        return things

    def load(self, name: str) -> Any:
        """The thing of a name.

        Raises:
            TournamentError: there is none, with the nearest name; or its package, or file, is
                broken.
        """
        if code_files.is_code(name):
            file = code_files.read(name)
            return self.of_module(name, code_files.module_of(file))
        if name in self.own():
            return getattr(
                import_module(f"{self.package}.{name.replace('-', '_')}"), self.attribute
            )
        point = self.point(name)
        if point is None:
            raise unknown(self.what, name, self.names())
        offer = loaded(point, self.what)
        if self.kind is not None and not isinstance(offer, self.kind):
            raise TournamentError(
                f"{self.what} {point.name!r}: its package offers a {type(offer).__name__}; "
                f"{self.expected} is expected"
            )
        return offer

    def of_module(self, name: str, module: ModuleType) -> Any:
        """Return the thing in the module of a file by path.

        Raises:
            TournamentError: nothing of this sort, or several and the name does not say which.
        """
        key = self, name, module
        if key not in _of_files:
            thing = self._held(name, module)
            _of_files[key] = self.called(thing, name, module.__name__)
        return _of_files[key]

    def _held(self, name: str, module: ModuleType) -> Any:
        path, _, attribute = name.partition(":")
        if self.is_one is not None and attribute in vars(module):
            return getattr(module, attribute)
        held = {key: value for key, value in vars(module).items() if self._fits(value, module)}
        if attribute and attribute not in held:
            what = "no" if not hasattr(module, attribute) else "another thing as"
            raise TournamentError(
                f"{self.what} {name!r}: {path} has {what} {attribute}{nearest(attribute, held)}; "
                f"{self._wanted} is expected"
            )
        attribute = attribute or (self.attribute if self.attribute in held else "")
        several = {id(value): key for key, value in held.items() if not key.startswith("_")}
        if not attribute and len(several) != 1:
            known = ", ".join(f"{path}:{key}" for key in several.values())
            raise TournamentError(
                f"{self.what} {name!r}: {path} holds {len(several)} of them; {self._wanted}, "
                f"called {self.attribute}, is expected"
                + (f"; or say which: {known}" if known else "")
            )
        return held[attribute or next(iter(several.values()))]

    @property
    def _wanted(self) -> str:
        return self.expected or f"a subclass of {self.base.replace(':', '.')}"

    def _fits(self, value: Any, module: ModuleType) -> bool:
        """Whether what a file has is a thing of this sort, and its own where it has a home."""
        if self.base:
            inherits = isinstance(value, type) and issubclass(value, resolve_name(self.base))
            return inherits and value.__module__ == module.__name__
        if self.is_one is not None:
            return self.is_one(value)
        return self.kind is not None and isinstance(value, self.kind)

    def point(self, name: str) -> EntryPoint | None:
        """The entry point of a thing of others; None: it is ours, or there is none.

        Raises:
            TournamentError: several packages offer different ones.
        """
        points = () if name in self.own() else installed(self.group)
        offers = {point.value: point for point in reversed(points) if point.name == name}
        if len(offers) > 1:
            givers = sorted(
                point.dist.name if point.dist else value for value, point in offers.items()
            )
            raise TournamentError(
                f"{self.what} {name!r} is offered by {' and '.join(givers)}; uninstall all but one"
            )
        return next(iter(offers.values()), None)


_of_files: dict[tuple[Registry, str, ModuleType], Any] = {}


def installed(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group: what packages say that is read once, until one is installed."""
    return _installed(entry_points, group, tuple(map(_with_date, sys.path)))


def _with_date(folder: str) -> tuple[str, int]:
    """A folder, and when something in it was added or removed; 0: it is not there."""
    try:
        return folder, os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return folder, 0


@lru_cache(maxsize=64)
def _installed(
    read: Callable[..., Iterable[EntryPoint]], group: str, folders: tuple[tuple[str, int], ...]
) -> tuple[EntryPoint, ...]:
    return tuple(read(group=group))


@cache
def _names_of_files(package: str, shared: frozenset[str]) -> list[str]:
    files = iter_modules(import_module(package).__path__)
    return sorted(file.name.replace("_", "-") for file in files if file.name not in shared)


def late(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is not imported before the function is called."""
    return lambda *arguments: getattr(import_module(module), name)(*arguments)


def loaded(point: EntryPoint, what: str) -> Any:
    """Load the offer of a package through an entry point.

    Raises:
        TournamentError: it cannot be imported; the message names the package.
    """
    try:
        return point.load()
    except (Exception, SystemExit) as error:
        package = point.dist.name if point.dist else "an installed package"
        raise TournamentError(
            f"{what} {point.name!r} of {package} cannot be loaded from {point.value}: {error}; "
            "mend or uninstall that package"
        ) from error


ADAPTERS = Registry(
    what="adapter",
    package="tournaments.adapters",
    attribute="ADAPTER",
    group="tournaments.adapters",
    shared=frozenset({"aec"}),
)
"""Packages whose games are named after a colon: each is a function, that name -> their rules."""


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:key=value,key=value``; numbers become numbers, the rest stay text.

    The name may be that of a Python file, and of what is meant in it: ``./a.py:RULES:rows=4``.
    What follows the name of an adapter is the name of a game, whatever it contains.
    """
    adapter, _, rest = spec.partition(":")
    if adapter.strip() in ADAPTERS.own():
        return adapter.strip(), {"game": rest.strip()}
    name, tail = code_files.split_spec(spec)
    options: dict[str, Any] = {}
    for item in filter(None, tail.split(",")):
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise TournamentError(
                f"{spec!r}: {item!r} is not an option; write NAME:key=value,key=value"
            )
        options[key.strip()] = _number(value.strip())
    return name, options


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
