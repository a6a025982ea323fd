"""What an outcome is worth: from the matches of a generation to raw fitness.

Each scheme is a schedule and a scoring rule, one file; every published number is a field with that
value as its default. A match is two games with the seats swapped. The first three are those of
Weaver and Bossomaier (1998), sections 3 and 3.4; each other file names its source.

Where the seats have roles there are two populations, one a role, each the other's opponents. A
match is then one game, in which population 0 holds seat 0: who wins it has won both games as far as
points go.

A scheme may play in rounds, of which each depends on those before (:meth:`Scoring.next_round`), and
may keep earlier individuals to be met again (:meth:`Scoring.kept`).
"""

from __future__ import annotations

from typing import Any

from tournaments.errors import unknown
from tournaments.options import checked
from tournaments.schemes.antibody_antigen import AntibodyAntigen as AntibodyAntigen
from tournaments.schemes.base import Archives as Archives
from tournaments.schemes.base import Kept as Kept
from tournaments.schemes.base import Scheme as Scheme
from tournaments.schemes.base import Scoring as Scoring
from tournaments.schemes.base import Sizes as Sizes
from tournaments.schemes.competitive_sharing import CompetitiveSharing
from tournaments.schemes.direct import Direct as Direct
from tournaments.schemes.hall_of_fame import HallOfFame
from tournaments.schemes.maxsolve import MaxSolve
from tournaments.schemes.pareto import Pareto
from tournaments.schemes.random_opponents import RandomOpponents
from tournaments.schemes.round_robin import RoundRobin as RoundRobin
from tournaments.schemes.single_elimination import SingleElimination
from tournaments.schemes.swiss import Swiss

SCHEMES: dict[str, Any] = {
    scheme.name: scheme
    for scheme in (
        AntibodyAntigen,
        Direct,
        RoundRobin,
        RandomOpponents,
        SingleElimination,
        Swiss,
        HallOfFame,
        CompetitiveSharing,
        MaxSolve,
        Pareto,
    )
}
"""Name -> the record of a scheme's fields, which is a :class:`Scheme`."""


def make(name: str, **options: Any) -> Scheme:
    """A scheme by name, with its numbers.

    Raises:
        TournamentError: an unknown scheme or field, or a value out of its range.
    """
    if name not in SCHEMES:
        raise unknown("scheme", name, SCHEMES)
    return checked(SCHEMES[name], "scheme.", options)
