"""Things found by name: ours by the names of their files, others by entry points.

The name on the command line is the name of the file: ``hall-of-fame`` is ``hall_of_fame.py`` in the
folder of its registry, which holds the thing under the registry's attribute. A package of somebody
else offers the same object through the entry point group of the registry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any

from tournaments.errors import TournamentError, unknown


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
    """

    what: str
    package: str
    attribute: str
    group: str
    shared: frozenset[str] = frozenset()
    expected: str = ""
    kind: type | None = None

    def names(self) -> list[str]:
        """All names, sorted: ours, then those of others."""
        own = self.own()
        return own + sorted({point.name for point in entry_points(group=self.group)} - {*own})

    def own(self) -> list[str]:
        """The names of ours, sorted."""
        return _names_of_files(self.package, self.shared)

    def load(self, name: str) -> Any:
        """The thing of a name.

        Raises:
            TournamentError: there is none, with the nearest name; or its package is broken.
        """
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

    def point(self, name: str) -> EntryPoint | None:
        """The entry point of a thing of others; None: it is ours, or there is none."""
        points = () if name in self.own() else entry_points(group=self.group)
        return next((point for point in points if point.name == name), None)


@cache
def _names_of_files(package: str, shared: frozenset[str]) -> list[str]:
    files = iter_modules(import_module(package).__path__)
    return sorted(file.name.replace("_", "-") for file in files if file.name not in shared)


def late(module: str, name: str) -> Callable[..., Any]:
    """A function of a module that is not imported before the function is called."""
    return lambda *arguments: getattr(import_module(module), name)(*arguments)


def loaded(point: EntryPoint, what: str) -> Any:
    """What a package offers through an entry point.

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
