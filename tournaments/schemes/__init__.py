"""What an outcome is worth: from the matches of a generation to raw fitness.

Each scheme is a schedule and a scoring rule, one file; every published number is a field with that
value as its default. A match is two games with the seats swapped. ``antibody-antigen``, ``direct``
and ``round-robin`` are those of Weaver and Bossomaier (1998), sections 3 and 3.4; each other file
names its source.

Where the seats have roles there are two populations, one a role, each the other's opponents. A
match is then one game, in which population 0 holds seat 0: who wins it has won both games as far as
points go.

A scheme may play in rounds, of which each depends on those before (:meth:`Scoring.next_round`), and
may keep earlier individuals to be met again (:meth:`Scoring.kept`). A scheme of another package is
a subclass of :class:`Scheme` that it offers through the entry point group ``tournaments.schemes``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tournaments.errors import TournamentError
from tournaments.options import checked, owners
from tournaments.registry import Registry

if TYPE_CHECKING:
    from tournaments.schemes.base import Archives as Archives
    from tournaments.schemes.base import Contest as Contest
    from tournaments.schemes.base import Kept as Kept
    from tournaments.schemes.base import Scheme as Scheme
    from tournaments.schemes.base import Scoring as Scoring
    from tournaments.schemes.base import Sizes as Sizes


def _call(scheme: type[Scheme], name: str, module: str) -> type[Scheme]:
    """A scheme of a file by path, which is loaded for this name alone."""
    scheme.name = name
    return scheme


REGISTRY = Registry(
    what="scheme",
    package="tournaments.schemes",
    attribute="SCHEME",
    group="tournaments.schemes",
    shared=frozenset({"base", "scoring"}),
    expected="a subclass of tournaments.schemes.Scheme",
    kind=type,
    base="tournaments.schemes.base:Scheme",
    called=_call,
)


def __getattr__(name: str) -> Any:
    """What every scheme is, from the file that needs numpy: a list of names does not."""
    base = import_module("tournaments.schemes.base")
    if not hasattr(base, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(base, name)


def names() -> list[str]:
    """Return the names of all schemes, sorted."""
    return REGISTRY.names()


def load(name: str) -> type[Scheme]:
    """The record of a scheme's fields, by name.

    Raises:
        TournamentError: there is none, or its package offers something else.
    """
    from tournaments.schemes.base import Scheme

    scheme = REGISTRY.load(name)
    if not issubclass(scheme, Scheme) or getattr(scheme, "name", "") != name:
        raise TournamentError(
            f"scheme {name!r}: its package offers {scheme.__name__!r}; {REGISTRY.expected} with "
            f"the name {name!r} is expected"
        )
    return scheme


def make(name: str, **options: Any) -> Scheme:
    """A scheme by name, with its numbers.

    Raises:
        TournamentError: an unknown scheme or field, or a value out of its range.
    """
    others = owners("scheme", name, REGISTRY.loadable, "--scheme")
    return checked(load(name), "scheme.", options, others=others)
