"""Registries of plug-ins by name: built-in files, entry points of packages, and files by path.

The name on the command line is the file name: ``hall-of-fame`` is ``hall_of_fame.py`` in the folder
of its registry. The module holds the plug-in under the registry's attribute. A third-party package
offers the same kind of object through the entry point group of the registry. The path of a Python
file, such as ``./connect.py`` or ``./connect.py:RULES``, selects the plug-in in that file, and is
also its name.
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
    """The plug-ins of one kind. Each is imported when it is first loaded.

    Attributes:
        what: the kind of plug-in, for messages: ``scheme``.
        package: the package of the built-in plug-ins, with one file or folder per plug-in.
        attribute: the attribute of a module that holds its plug-in: ``SCHEME``.
        group: the entry point group of third-party packages.
        shared: files of the folder that hold shared code instead of a plug-in.
        expected: the expected kind of object, for messages: ``a tournaments.rules.Rules``.
        more: a further remark of messages that no plug-in was found, with the path of the file as
            ``{}``.
        kind: the class that a plug-in must be an instance of. None: any object is accepted.
        base: for plug-ins that are classes, the dotted name of their base class.
        is_one: for other plug-ins, whether an object in a file is a plug-in. An object that the
            path names is accepted without this check.
        called: (plug-in, its name, the module of its file) -> the plug-in of a file by path, under
            this name.
    """

    what: str
    package: str
    attribute: str
    group: str
    shared: frozenset[str] = frozenset()
    expected: str = ""
    more: str = ""
    kind: type | None = None
    base: str = ""
    is_one: Callable[[Any], bool] | None = None
    called: Callable[[Any, str, str], Any] = field(
        default=lambda thing, name, module: thing, compare=False
    )

    def names(self) -> list[str]:
        """Return the names of all plug-ins of this kind: built-in ones, then those of packages.

        Both groups are sorted.
        """
        own = self.own()
        return own + sorted({point.name for point in installed(self.group)} - {*own})

    def own(self) -> list[str]:
        """Return the names of the built-in plug-ins of this kind, sorted."""
        return _names_of_files(self.package, self.shared)

    def plugin(self, name: str) -> Plugin:
        """Return the description of a plug-in, for :func:`tournaments.guard.call_hook`."""
        return Plugin(self.what, name, name in self.own())

    def __contains__(self, name: str) -> bool:
        """Return whether a plug-in has this name.

        Packages are searched if no built-in one has it.
        """
        return name in self.own() or self.point(name) is not None

    def loadable(self) -> dict[str, Any]:
        """Return all plug-ins of this kind that can be loaded, by name."""
        things = {}
        for name in self.names():
            with suppress(TournamentError):
                things[name] = self.load(name)
        return things

    def load(self, name: str) -> Any:
        """Return the plug-in with this name.

        Raises:
            TournamentError: the name is unknown (the message suggests the nearest name), or the
                package or the file is broken.
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
        """Return the plug-in that the module of a user's file offers.

        Raises:
            TournamentError: the file has no plug-in of this kind, or several and the name does not
                select one.
        """
        key = self, name, module
        if key not in _of_files:
            thing = self._held(name, module)
            _of_files[key] = self.called(thing, name, module.__name__)
        return _of_files[key]

    def _held(self, name: str, module: ModuleType) -> Any:
        path, _, attribute = name.partition(":")
        more = self.more.format(path)
        if self.is_one is not None and attribute in vars(module):
            return getattr(module, attribute)
        held = {key: value for key, value in vars(module).items() if self._fits(value, module)}
        if attribute and attribute not in held:
            what = "no" if not hasattr(module, attribute) else "another thing as"
            near = nearest(attribute, vars(module))
            raise TournamentError(
                f"{self.what} {name!r}: {path} has {what} {attribute}{near}; "
                f"{self._wanted} is expected{more}"
            )
        attribute = attribute or (self.attribute if self.attribute in held else "")
        several = {id(value): key for key, value in held.items() if not key.startswith("_")}
        if not attribute and len(several) != 1:
            known = ", ".join(f"{path}:{key}" for key in several.values())
            raise TournamentError(
                f"{self.what} {name!r}: {path} holds {len(several)} of them; {self._wanted}, "
                f"called {self.attribute}, is expected"
                + (f"; or say which: {known}" if known else more)
            )
        return held[attribute or next(iter(several.values()))]

    @property
    def _wanted(self) -> str:
        return self.expected or f"a subclass of {self.base.replace(':', '.')}"

    def _fits(self, value: Any, module: ModuleType) -> bool:
        """Return whether an object is a plug-in of this kind.

        A class must be defined in the file.
        """
        if self.base:
            inherits = isinstance(value, type) and issubclass(value, resolve_name(self.base))
            return inherits and value.__module__ == module.__name__
        if self.is_one is not None:
            return self.is_one(value)
        return self.kind is not None and isinstance(value, self.kind)

    def point(self, name: str) -> EntryPoint | None:
        """Return the entry point of a third-party plug-in. None: built-in or unknown.

        Raises:
            TournamentError: several packages offer different plug-ins of this name.
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
    """Return the entry points of a group that installed packages offer.

    They are cached until a package is installed.
    """
    return _installed(entry_points, group, tuple(map(_with_date, sys.path)))


def _with_date(folder: str) -> tuple[str, int]:
    """Return a folder and its modification time, or 0 if the folder does not exist."""
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
    """Return a function of a module that is imported when the function is first called."""
    return lambda *arguments: getattr(import_module(module), name)(*arguments)


def loaded(point: EntryPoint, what: str) -> Any:
    """Load the plug-in at a package's entry point.

    Raises:
        TournamentError: the object cannot be imported. The message names the package.
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
    shared=frozenset({"aec", "environments", "history"}),
)
"""Adapters to packages of games, such as ``openspiel:NAME``. Each is a function from the name of a
game to its rules."""


BOOLEANS = {"true": True, "false": False}


def parse_spec(spec: str, booleans: bool = False) -> tuple[str, dict[str, Any]]:
    """Split ``name:key=value,key=value``, as users type a game or a player, into its parts.

    Numeric values become numbers, other values stay text. The name may be a Python file with an
    attribute: ``./a.py:RULES:rows=4``. All text after the name of an adapter and a colon is the
    name of a game. With ``booleans``, the values ``true`` and ``false`` become booleans.

    Returns:
        The name, and the options.
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
        value = value.strip()
        is_boolean = booleans and value in BOOLEANS
        options[key.strip()] = BOOLEANS[value] if is_boolean else _number(value)
    return name, options


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
