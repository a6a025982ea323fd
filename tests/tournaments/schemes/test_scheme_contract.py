"""The laws that all schemes keep, that a broken scheme is caught, and how schemes are found."""

from __future__ import annotations

import hashlib
import importlib.metadata
import itertools
from dataclasses import dataclass, make_dataclass
from typing import ClassVar

import numpy as np
import pytest

import evo
from evo.cli.main import main
from tournaments import TournamentError, registry, schemes
from tournaments.contract import ContractError, check_scheme
from tournaments.contract.schemes import archives_of, decide
from tournaments.options import as_options, checked, option
from tournaments.schedules.base import Listed
from tournaments.schemes.base import MatchPoints, Roster, Scheme
from tournaments.schemes.round_robin import RoundRobin
from tournaments.schemes.scoring import ByVerdict, in_turn

OTHER_OPTIONS = [
    ("round-robin", {"aggregate": "worst"}),
    ("antibody-antigen", {"antigens": 1.0, "antibodies": 0.5}),
    ("direct", {"opponents": ["level-0", "level-1"], "matches": 2, "score": 0.5}),
    ("direct", {"opponent": "random", "matches": 1, "score": 0.5}),
    ("direct", {"opponent": "random", "matches": 2, "race": 3, "race_rounds": 2}),
    ("direct", {"opponent": "random", "race": 50, "same_games": True}),
    ("random-opponents", {"opponents": 1}),
    ("swiss", {"rounds": 1}),
    ("swiss", {"rounds": 5}),
    ("hall-of-fame", {"current": 1, "veterans": 2, "kept": 2, "leaves": "random"}),
    ("competitive-sharing", {"opponents": 1}),
    ("competitive-sharing", {"opponents": 3, "sampling": "random"}),
    ("maxsolve", {"candidates": 2, "tests": 2, "current": 1}),
    ("red-queen", {"opponents": 1, "deep": 1, "deep_matches": 1, "kept": 1}),
    ("red-queen", {"opponents": 3, "deep": 0, "kept": 3}),
    ("red-queen", {"opponents": 2, "deep": 4, "fitness": "score"}),
    ("red-queen", {"aggregate": "worst"}),
    ("generalist", {"kept": 1, "current": 0}),
    ("generalist", {"kept": 5, "aggregate": "softmin"}),
]


@pytest.mark.parametrize(
    ("name", "options"), [*((name, {}) for name in schemes.names()), *OTHER_OPTIONS]
)
def test_every_scheme_keeps_the_contract(name, options):
    check_scheme(schemes.make(name, **options))


@pytest.mark.parametrize("individuals", range(2, 40))
def test_every_scheme_serves_what_it_accepts(individuals):
    for name in schemes.names():
        scheme = schemes.make(name)
        try:
            scheme.check((individuals,))
        except TournamentError:
            continue
        contest = scheme.contest((individuals,))
        assert 0 < len(contest.schedule) <= scheme.num_matches((individuals,))


@pytest.mark.parametrize("name", schemes.names())
def test_what_is_drawn_hangs_on_the_seed_and_the_generation(name):
    def first_round(seed, generation):
        schedule = schemes.make(name).contest((40,), seed, generation).schedule
        return schedule.pairs(0, len(schedule)).tolist()

    drawn = [first_round(*key) for key in ((1, 3), (1, 4), (2, 3))]
    different = len({str(pairs) for pairs in drawn})
    assert different == (1 if name in ("direct", "round-robin", "pareto") else 3)


DIGESTS = {
    "antibody-antigen": "41eab193b237564b",
    "competitive-sharing": "87344bd91e6bc0ad",
    "direct": "e331c6e5c1ded244",
    "generalist": "1f5da949c6378675",
    "hall-of-fame": "a4b37b8fa20b1a3f",
    "maxsolve": "5eab74957e0f8e0a",
    "pareto": "42e858fd834a8077",
    "random-opponents": "198ec27bde6406bf",
    "red-queen": "48f4ceabe2a8f276",
    "round-robin": "77cf54e9f234f786",
    "single-elimination": "6cead6b5589275f8",
    "swiss": "3f8da67ed3d3dfeb",
}


@pytest.mark.parametrize("name", schemes.names())
def test_matches_and_fitness_are_those_that_they_ever_were(name):
    """To the bit, over three generations of results by chance; a run made before goes on."""
    scheme, digest = schemes.make(name), hashlib.sha256()
    for sizes in ((40,), (12, 13)) if scheme.has_roles else ((40,),):
        archives: schemes.Archives = ()
        for generation in range(3):
            roster, rng = Roster(sizes, 7, generation, archives), np.random.default_rng(generation)
            contest = scheme.contest(sizes, 7, generation, archives)
            table = rng.integers(-1, 2, (contest.games, roster.total + 1, roster.total + 1))
            played = decide(
                contest,
                lambda pairs, table=table: table[:, pairs[:, 0], pairs[:, 1]].T,
                roster.total,
            )
            for array in (*played.rounds, played.points):
                digest.update(array.tobytes())
            archives = archives_of(roster, played.kept)
            digest.update(repr(archives).encode())
    assert digest.hexdigest()[:16] == DIGESTS[name]


# --- broken schemes ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken(RoundRobin):
    """A round-robin, but for one thing."""

    name: ClassVar[str] = "broken"


class OneMatchMore(Broken):
    def num_matches(self, sizes):
        return super().num_matches(sizes) + 1


CALLS = itertools.count()


class AnybodyWins(Broken):
    def contest(self, sizes, *moment):
        contest = super().contest(sizes, *moment)
        contest.scoring.add(np.array([next(CALLS) % sizes[0]]), np.array([2]))
        return contest


class LoserEarns(Broken):
    def meet(self, roster):
        return super().meet(roster)[0], ByVerdict(roster.total, (1.0, 0.5, 0.0))


class NobodyEarns(Broken):
    def meet(self, roster):
        return super().meet(roster)[0], ByVerdict(roster.total, (0.0, 0.0, 0.0))


class Debts(Broken):
    def meet(self, roster):
        return super().meet(roster)[0], ByVerdict(roster.total, (-1.0, 0.0, 1.0))


class InOrder(ByVerdict):
    def take(self, played, results):
        super().take(played, results)
        self.add(played.pairs[:1, 0], np.array([2]))


class LaterPartsCountMore(Broken):
    def meet(self, roster):
        return super().meet(roster)[0], InOrder(roster.total, self.worth)


class Itself(Broken):
    def meet(self, roster):
        schedule, scoring = super().meet(roster)
        pairs = schedule.pairs(0, len(schedule))
        pairs[-1] = pairs[-1, 0]
        return Listed(pairs), scoring


class WrongSeat(Broken):
    def meet(self, roster):
        schedule, scoring = super().meet(roster)
        return Listed(schedule.pairs(0, len(schedule))[:, ::-1]), scoring


class SameSeeds(Listed):
    def numbers(self, first, last):
        return np.arange(first, last) // 2


class GamesTwice(Broken):
    def meet(self, roster):
        schedule, scoring = super().meet(roster)
        return SameSeeds(schedule.pairs(0, len(schedule))), scoring


class ByTheWhole(Listed):
    def pairs(self, first, last):
        return self.listed[: last - first]


class StretchesFromTheStart(Broken):
    def meet(self, roster):
        schedule, scoring = super().meet(roster)
        return ByTheWhole(schedule.pairs(0, len(schedule))), scoring


class KeepsStrangers(Broken):
    def meet(self, roster):
        kept = tuple((roster.living(roster.sides[-1]) + 1,) for _ in roster.sides)
        return in_turn([super().meet(roster)], lambda points: kept)


class NobodyIsEnough(Broken):
    def check(self, sizes):
        return None


class RefusesAll(Broken):
    def check(self, sizes):
        raise TournamentError("nothing given is good enough")


class RefusesInPassing(Broken):
    def check(self, sizes):
        raise TournamentError("no")


@pytest.mark.parametrize(
    ("scheme", "law"),
    [
        (OneMatchMore, "num_matches"),
        (AnybodyWins, "the same seed and generation"),
        (LoserEarns, "who wins earns no less"),
        (NobodyEarns, "who wins earns no less"),
        (Debts, "none negative"),
        (LaterPartsCountMore, "parts in any order"),
        (Itself, "no entrant meets itself"),
        (WrongSeat, "the groups that meet|population 0 holds seat 0"),
        (GamesTwice, "a number of its own"),
        (StretchesFromTheStart, "a stretch of a schedule"),
        (KeepsStrangers, "keeps its own individuals"),
        (NobodyIsEnough, "a population of nobody"),
        (RefusesAll, "refuses all of the sizes"),
        (RefusesInPassing, "what was given is expected"),
    ],
)
def test_a_broken_scheme_is_caught_by_the_law_that_it_breaks(scheme, law):
    with pytest.raises(ContractError, match=law) as broken:
        check_scheme(scheme())
    assert "scheme 'broken' breaks the contract" in str(broken.value)


# --- schemes of other packages -----------------------------------------------------------------


@dataclass(frozen=True)
class Neighbours(Scheme, MatchPoints):
    """A scheme as a stranger writes it: each meets those that come next."""

    name: ClassVar[str] = "neighbours"
    has_roles: ClassVar[bool] = False
    opponents_field: ClassVar[str] = "opponents"
    opponents: int = option(2, "how many of those that come next each individual meets", 1, 1000)

    def num_matches(self, sizes):
        return sizes[0] * self.opponents

    def meet(self, roster: Roster):
        own, step = np.divmod(np.arange(roster.total * self.opponents), self.opponents)
        pairs = np.stack([own, (own + 1 + step) % roster.total], axis=1).astype(np.int32)
        return Listed(pairs), ByVerdict(roster.total, self.worth)


@pytest.fixture
def stranger(monkeypatch):
    point = importlib.metadata.EntryPoint("neighbours", f"{__name__}:Neighbours", "")
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [point] if group == schemes.REGISTRY.group else []
    )


def test_a_strangers_scheme_is_found_checked_and_run_by_its_name(stranger, tmp_path, capsys):
    assert "neighbours" in schemes.names()
    check_scheme(schemes.make("neighbours"))
    assert main(["config", "--scheme", "neighbours", "--set", "scheme.opponents=3"]) == 0
    printed = capsys.readouterr().out
    assert printed.index("opponents = 3") < printed.index("win = 1.0") < printed.index("bonus")
    options = {"game": "dots-and-boxes:rows=2,cols=2", "population": 6, "generations": 2}
    evo.run(tmp_path / "run", options, scheme="neighbours", threads=1)
    run = evo.resume(tmp_path / "run", 3, threads=1)
    assert run.config["scheme"]["name"] == "neighbours"
    assert run.population(3)["games"].sum() == 2 * 2 * 6 * 2
    with pytest.raises(TournamentError, match="did you mean 'neighbours'"):
        schemes.make("neighbors")


@pytest.mark.parametrize(
    ("offer", "complaint"),
    [
        ("pathlib:Path", "offers 'Path'; a subclass of tournaments.schemes.Scheme with the name"),
        ("os:sep", "offers a str; a subclass of tournaments.schemes.Scheme is expected"),
        ("tournaments.schemes.round_robin:SCHEME", "offers 'RoundRobin'; .* the name 'odd'"),
        ("no_such_module:SCHEME", "'odd' of .* cannot be loaded from no_such_module"),
    ],
)
def test_a_package_must_offer_a_scheme_of_that_name(monkeypatch, offer, complaint):
    point = importlib.metadata.EntryPoint("odd", offer, "")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    with pytest.raises(TournamentError, match=complaint):
        schemes.make("odd")


def test_a_scheme_lists_its_own_fields_first():
    assert list(as_options(schemes.make("round-robin"))) == [
        "matches", "win", "draw", "loss", "bonus", "best_share"
    ]  # fmt: skip
    assert list(as_options(schemes.make("direct")))[-3:] == ["score", "bonus", "best_share"]


def test_fields_may_be_annotated_by_types_or_by_their_names():
    """A stranger's file may do without ``from __future__ import annotations``."""
    kinds = {"count": int, "name": str, "names": tuple[str, ...], "numbers": tuple[int, ...]}
    given = {"count": 3, "name": "a", "names": ["b"], "numbers": [4]}
    default = {"count": 0, "name": "", "names": (), "numbers": ()}
    for as_text in (False, True):
        members = [
            (name, str(kind) if as_text and name[-1] == "s" else kind.__name__ if as_text else kind,
             option(default[name], "what it is"))
            for name, kind in kinds.items()
        ]  # fmt: skip
        record = checked(make_dataclass("Record", members), "", given)
        assert as_options(record) == given
