"""Schemes: the matches of a generation, and the raw fitness computed from their outcomes.

Each scheme is one file with a schedule and a scoring rule. Every published number is a field whose
default is the published value. A match is two games with the seats swapped. ``antibody-antigen``,
``direct`` and ``round-robin`` follow Weaver and Bossomaier (1998), sections 3 and 3.4. Each other
file names its source.

If the seats have roles, there are two opposing populations, one per role. A match is then one game,
in which population 0 holds seat 0. Winning this game earns the points of winning both games.

A scheme may play in rounds that depend on the results of earlier rounds
(:meth:`Scoring.next_round`), and may keep individuals as opponents of later generations
(:meth:`Scoring.kept`). Another package offers a scheme as a subclass of :class:`Scheme` through the
entry point group ``tournaments.schemes``.
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
    """Set the name of a scheme's class that was loaded from a file, and return the class."""
    scheme.name = name
    return scheme


REGISTRY = Registry(
    what="scheme",
    package="tournaments.schemes",
    attribute="SCHEME",
    group="tournaments.schemes",
    shared=frozenset({"aggregation", "base", "racing", "scoring"}),
    expected="a subclass of tournaments.schemes.Scheme",
    kind=type,
    base="tournaments.schemes.base:Scheme",
    called=_call,
)


def __getattr__(name: str) -> Any:
    """Import a name of :mod:`.base` when it is first used: listing schemes needs no numpy."""
    base = import_module("tournaments.schemes.base")
    if not hasattr(base, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(base, name)


def names() -> list[str]:
    """Return the names of all schemes, sorted."""
    return REGISTRY.names()


def load(name: str) -> type[Scheme]:
    """Return the class of the scheme with this name.

    Raises:
        TournamentError: the scheme does not exist, or its package offers another kind of object.
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
    """Return the scheme with this name and these options, such as ``make("swiss", rounds=5)``.

    Raises:
        TournamentError: an unknown scheme or field, or a value out of its range.
    """
    others = owners("scheme", name, REGISTRY.loadable, "--scheme")
    return checked(load(name), "scheme.", options, others=others)
