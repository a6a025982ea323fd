"""The laws that every scheme keeps, as a check for its author.

::

    from tournaments.contract import check_scheme

    check_scheme(MyScheme(opponents=3))

Matches are decided by chance, from a seed, in place of a game.
"""

from __future__ import annotations

import itertools
import pickle  # only to see that a schedule can travel to another process
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tournaments.arena.outcomes import MEASURED, SCORES, GameCounter, Played
from tournaments.errors import TournamentError
from tournaments.guard import laws_of, require
from tournaments.kernels.rng import generator
from tournaments.options import as_options, checked
from tournaments.schedules.base import Matches, Schedule
from tournaments.schemes.base import (
    Archives,
    Contest,
    Kept,
    Roster,
    Scheme,
    Sizes,
    carried,
    kept_rows,
)

SIZES: tuple[Sizes, ...] = ((2,), (5,), (12,), (13,), (40,), (1, 1), (1, 3), (7, 6), (12, 13))
"""Sizes of the populations that a scheme is checked with: one population, and one a role."""
GENERATIONS = 4
"""Number of generations in a row, each with the archives that the one before has kept."""
FOLLOWED = 8
"""Number of individuals whose fitness is compared when they win, draw or lose all games."""
Results = Callable[[np.ndarray], np.ndarray]
"""Pairs, int32 ``[M, 2]`` -> results of entrant a, +1, 0 or -1, int ``[M, games]``."""


class Decided(NamedTuple):
    """A generation whose matches are decided.

    Attributes:
        rounds: pairs of each round.
        points: raw fitness.
        kept: the individuals that are kept.
        games: number of games counted.
    """

    rounds: list[np.ndarray]
    points: np.ndarray
    kept: Kept
    games: int

    @property
    def bits(self) -> tuple[list[Any], bytes, list[Any]]:
        """Pairs, fitness and kept entrants of a decided generation, to be compared bit for bit."""
        kept = [[part.tolist() for part in parts] for parts in self.kept]
        return [pairs.tolist() for pairs in self.rounds], self.points.tobytes(), kept


def decide(
    contest: Contest, results: Results, total: int, cuts: np.random.Generator | None = None
) -> Decided:
    """Decide all rounds of a generation by given results of pairs, without playing a game.

    Args:
        contest: the contest of a scheme.
        results: the results of pairs.
        total: number of entrants.
        cuts: cuts each round into parts, in any order; None: each round is one part.
    """
    rounds, counter = play_rounds(contest, results, total, cuts)
    scoring = contest.scoring
    return Decided(rounds, scoring.points(), scoring.kept(), counter.games)


def play_rounds(
    contest: Contest, results: Results, total: int, cuts: np.random.Generator | None = None
) -> tuple[list[np.ndarray], GameCounter]:
    """Score all rounds of a contest by given results of pairs, without playing a game.

    Args: as of :func:`decide`. Plies and the measure of a game are 0.

    Returns:
        The pairs of each round, and the count of their games.
    """
    rounds: list[np.ndarray] = []

    def play(matches: Matches) -> Iterator[Played]:
        schedule = matches.schedule
        pairs = schedule.pairs(0, len(schedule))
        columns = MEASURED if contest.measured else SCORES
        outcomes = np.zeros((len(pairs), contest.games, columns), dtype=np.int16)
        outcomes[..., :SCORES] = 3
        games = np.arange(contest.games)
        outcomes[:, games, games % 2] += results(pairs).astype(np.int16)  # the seat that a holds
        for first, last in _parts(len(pairs), cuts):
            yield Played(first, schedule.pairs(first, last), outcomes[first:last])
        rounds.append(pairs)

    return rounds, contest.play(0, total, play)


def _parts(matches: int, cuts: np.random.Generator | None) -> Sequence[tuple[int, int]]:
    if cuts is None:
        return [(0, matches)]
    inner = np.sort(cuts.integers(0, matches + 1, 3)).tolist()
    parts = list(itertools.pairwise([0, *inner, matches]))
    return [parts[number] for number in cuts.permutation(len(parts))]


def archives_of(roster: Roster, kept: Kept) -> Archives:
    """Return the entrants that a generation keeps as the archives of the next generation."""
    rows = kept_rows(kept, [roster.start(side) for side in roster.sides])
    return tuple(tuple(map(tuple, carried(parts)[1])) for parts in rows)


def check_scheme(scheme: Scheme, sizes: Sequence[Sizes] = SIZES, seed: int = 0) -> None:
    """Check that a scheme keeps its laws, over populations of several sizes and some generations.

    Args:
        scheme: the scheme with its options.
        sizes: sizes of populations; sizes that :meth:`Scheme.check` refuses are left out.
        seed: seed of the run and of the results of matches.

    Raises:
        ContractError: a law is broken, or the scheme serves none of these sizes.
    """
    who = f"scheme {scheme.name!r}"
    with laws_of(who):
        again = checked(type(scheme), "scheme.", as_options(scheme))
        require(again == scheme, "its options make another scheme")
        for empty in ((0,), (0, 3), (3, 0)):
            require(not _serves(scheme, empty), f"check() accepts a population of nobody: {empty}")
        served = [given for given in sizes if _serves(scheme, given)]
        require(served, f"check() refuses all of the sizes {list(sizes)}: give others")
    for given in served:
        archives: Archives = ()
        for generation in range(GENERATIONS):
            roster = Roster(given, seed, generation, archives)
            with laws_of(who, f", with populations of {given}"):
                archives = archives_of(roster, _check_generation(scheme, roster))


def _serves(scheme: Scheme, sizes: Sizes) -> bool:
    try:
        scheme.check(sizes)
    except TournamentError as refusal:
        is_line = "given" in str(refusal) and "\n" not in str(refusal)
        law = f"it refuses by {str(refusal)!r}; one line with what was given is expected"
        require(is_line, law)
        return False
    return True


def _check_generation(scheme: Scheme, roster: Roster) -> Kept:
    """Check one generation of a scheme; return the individuals that its archives keep."""

    def contest() -> Contest:
        return scheme.contest(roster.sizes, roster.seed, roster.generation, roster.archives)

    rng = generator(roster.seed, "contract", roster.generation)
    first = contest()
    require(
        (first.games, first.seeds_of) == (2 if roster.alone else 1, roster.generation),
        "a match is two games, or one where seats have roles, seeded by the generation",
    )
    _check_schedule(roster, first.schedule, rng, bool(getattr(scheme, "same_games", False)))
    results = random_results(rng, roster.total + len(scheme.panel), first.games)
    whole = decide(first, results, roster.total)
    _check_matches(scheme, roster, whole)
    again, in_parts = (decide(contest(), results, roster.total, cuts) for cuts in (None, rng))
    require(whole.bits == again.bits, "the same seed and generation give the same")
    require(whole.bits == in_parts.bits, "parts in any order leave no trace")
    _check_points(roster, whole.points)
    _check_winners(roster, contest, results)
    _check_kept(roster, whole.kept)
    return whole.kept


def random_results(rng: np.random.Generator, entrants: int, games: int) -> Results:
    """Return random results of games, as a function of pairs: a pair always has the same.

    The function returns +1, 0 or -1 for entrant a in each game.
    """
    table = rng.integers(-1, 2, (games, entrants, entrants))
    return lambda pairs: table[:, pairs[:, 0], pairs[:, 1]].T


def _check_schedule(
    roster: Roster, schedule: Schedule, rng: np.random.Generator, shares: bool
) -> None:
    """Check that parts of a scheme's schedule are those of the whole, and list all groups.

    ``shares`` says whether the same games may be played by several entrants.
    """
    matches = len(schedule)
    pairs, numbers = schedule.pairs(0, matches), schedule.numbers(0, matches)
    form = pairs.dtype, pairs.shape
    require(form == (np.int32, (matches, 2)), "pairs are int32 [M, 2]")
    if not shares:
        require(len(np.unique(numbers)) == matches, "each match has a number of its own")
    for first, last in _parts(matches, rng):
        require(
            np.array_equal(schedule.pairs(first, last), pairs[first:last])
            and np.array_equal(schedule.numbers(first, last), numbers[first:last]),
            "a stretch of a schedule is that of the whole",
        )
    groups = np.where(pairs < 0, pairs, (pairs >= roster.start(1)) * (not roster.alone))
    met = set(map(tuple, groups.tolist()))
    require(met <= set(schedule.groups), "a schedule names the groups that meet")
    sent = pickle.loads(pickle.dumps(schedule))
    require(np.array_equal(sent.pairs(0, matches), pairs), "a schedule can be sent")


def _check_matches(scheme: Scheme, roster: Roster, whole: Decided) -> None:
    """Check a scheme's number of matches, the seats of roles, and that no entrant meets itself."""
    pairs = np.concatenate(whole.rounds)
    stated, games = scheme.num_matches(roster.sizes), 2 if roster.alone else 1
    require(whole.games == games * len(pairs), "each match is counted once")
    least = 1 if whole.kept else stated  # archives may leave entrants out
    law = f"num_matches() gives {stated}, and there are {len(pairs)}"
    require(0 < least <= len(pairs) <= stated, law)
    are_entrants = -len(scheme.panel) <= pairs.min() and pairs.max() < roster.total
    require(are_entrants, "every entrant is an individual, archived or of the panel")
    a, b = pairs.T
    require((a != b).all(), "no entrant meets itself")
    cut = roster.start(1)
    are_seated = roster.alone or ((a < cut) & ((b < 0) | (b >= cut))).all()
    require(are_seated, "population 0 holds seat 0, population 1 seat 1")


def _check_points(roster: Roster, points: np.ndarray) -> None:
    form = points.dtype, points.shape
    require(form == (np.float64, (roster.total,)), f"points are float64 [{roster.total}]")
    require((np.isfinite(points) & (points >= 0)).all(), "points are finite, and none negative")


def _check_winners(roster: Roster, contest: Callable[[], Contest], results: Results) -> None:
    """Check that a scheme gives an individual more points the more of its games it wins.

    It must earn no less by winning than by drawing all its games, and no less by drawing than by
    losing. Some individual must earn more.
    """
    living = np.concatenate([roster.living(side) for side in roster.sides])
    earned = np.array(
        [
            [
                decide(contest(), _all_of(results, entrant, result), roster.total).points[entrant]
                for result in (-1, 0, 1)
            ]
            for entrant in living[:: -(-len(living) // FOLLOWED)].tolist()
        ]
    )
    require(
        (np.diff(earned) >= 0).all() and (earned[:, 2] > earned[:, 0]).any(),
        "who wins earns no less than by draws, and by draws no less than by losses",
    )


def _all_of(results: Results, entrant: int, result: int) -> Results:
    """Return results of games in which one entrant always wins, draws or loses.

    All other results are those of ``results``.
    """

    def changed(pairs: np.ndarray) -> np.ndarray:
        made = results(pairs).copy()
        made[pairs[:, 0] == entrant] = result
        made[pairs[:, 1] == entrant] = -result
        return made

    return changed


def _check_kept(roster: Roster, kept: Kept) -> None:
    """Check that each population's archive keeps its own individuals, each once in a part."""
    require(len(kept) in (0, len(roster.sizes)), "each population has an archive, or none has")
    for side, parts in enumerate(kept):
        start, end = roster.start(side), roster.start(side + 1)
        for part in parts:
            require(
                len(np.unique(part)) == len(part) and ((start <= part) & (part < end)).all(),
                "a population keeps its own individuals, or of its archive, each once",
            )
