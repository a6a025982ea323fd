"""Encodings and learners keep their laws, and a mistake in a file of one's own is a line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import evo
from evo import genomes, learners
from evo.cli.main import main
from evo.config.config import from_dict
from evo.evolution.start import learner_of
from tournaments import games
from tournaments.arena.outcomes import Tally
from tournaments.contract import ContractError
from tournaments.errors import ConfigError, TournamentError

GENOME = """
from dataclasses import dataclass
import numpy as np
from evo.genomes.base import EncodingOptions, Plan
from evo.genomes.bit_network import BitNetwork
from tournaments.options import option
from tournaments.players.network import Encoding, layers_for

class Players(Encoding):
    def player(self, game, genomes, name):
        class Poor:
            def choose(self, state, rng):
                return None
        Poor.name = name
        return Poor()

class Own(BitNetwork):
    ...

@dataclass(frozen=True)
class OwnOptions(EncodingOptions):
    encoding: str = option("own", "how an individual is written down")

    @staticmethod
    def fits(game):
        return True

    def plans(self, game):
        return (Plan("all", Own(Encoding(layers_for(game)))),)
"""
GENOMES = {
    "def plans(self, game):": (
        ("def plans(self):", r"plans\(game\) raised TypeError: .*takes 1 positional"),
        ("def plan(self, game):", r"has no plans\(game\); write it"),
        ("def plans(self, game):\n        return 3", r"plans\(game\) gave a int; give a tuple"),
        ("def plans(self, game):\n        1 / 0", r"raised ZeroDivisionError.*genome.py, line"),
    ),
    "Own(Encoding(layers_for(game)))": (
        ("object()", r"gave a genome of class object; let the class inherit evo.genomes.base"),
    ),
    "return True": (("return 1 / 0", r"fits\(game\) raised ZeroDivisionError"),),
    "    ...": (
        (
            "    def random(self, n, rng):\n        return np.zeros((n, self.num_genes))",
            r"random\(individuals, rng\) gave float64 \[2, \d+\]; give uint8 or float32 \[2, ",
        ),
        (
            "    def random(self, n, rng):\n        return np.zeros((n, 3), dtype=np.uint8)",
            r"random\(individuals, rng\) gave uint8 \[2, 3\]; give",
        ),
        (
            "    def random(self, n, rng):\n"
            "        return np.full((n, self.num_genes), np.nan, dtype=np.float32)",
            r"random\(individuals, rng\) gave NaN",
        ),
        (
            "    def random(self, n, rng):\n"
            "        return np.random.randint(0, 2, (n, self.num_genes)).astype(np.uint8)",
            "gave other genes at its second call; take all randomness from rng",
        ),
        (
            "    def random(self, n):\n        ...",
            r"random\(individuals, rng\) raised TypeError.*takes 2 positional",
        ),
        (
            "    def pack(self, genes):\n        return genes[:, :3]",
            r"pack\(genes\) gave uint8 ",
        ),
        (
            "    def unpack(self, genomes):\n        return 1 - super().unpack(genomes)",
            r"unpack\(pack\(genes\)\) gave other genes",
        ),
        ("    def spec(self):\n        return {}", r"num_genes and spec\(\) raised KeyError"),
    ),
}
BROKEN_GENOMES = {
    "    ...": (
        (
            "    def spec(self):\n        return super().spec() | {'layers': np.zeros(3)}",
            "a hook raised TypeError: Object of type ndarray is not JSON",
        ),
        (
            "    def spec(self):\n        return super().spec() | {'layers': (1, 2)}",
            "must return values that JSON can hold",
        ),
        (
            "    def spec(self):\n        return {'bytes': self.representation.num_bytes}",
            "must name the encoding",
        ),
        (
            "    def unpack(self, genomes):\n"
            "        return np.unpackbits(genomes, axis=1)[:, -self.num_genes:]",
            "ignore bytes that follow the genome",
        ),
        (
            "    def are_alleles(self, genes):\n        return genes[0] == 0",
            "must be true for random",
        ),
        (
            "    def settled(self, genes):\n        return 0 * genes",
            "leave random genes as they are",
        ),
        ("    def diversity(self, genes):\n        return 0.5", "and 0 for copies"),
        (
            "    def change(self, genes, rows, rng):\n        ...",
            "must change one gene of each row",
        ),
        (
            "    def change(self, genes, rows, rng):\n        genes[0] = 1 - genes[0]",
            "must change one gene of each row",
        ),
        (
            "    def change(self, genes, rows, rng):\n        genes[rows, 0] = 7",
            "another of its alleles",
        ),
        (
            "    def change(self, genes, rows, rng):\n"
            "        super().change(genes, rows, np.random.default_rng())",
            "take all randomness from rng",
        ),
        ("    def pack(self, genes):\n        return genes[:, :3]", r"pack\(genes\) gave uint8"),
    ),
    "Own(Encoding(": (
        (
            "Own(Players(",
            "made of genes must keep their laws: individual 0 breaks the contract: the player",
        ),
    ),
    'Plan("all",': (('Plan("everybody",', "must name the populations"),),
    "return True": (("return False", r"fits\(\) must be true"),),
}
LEARNER = """
from dataclasses import dataclass, replace
import numpy as np
from evo.learners.base import LearnerOptions
from evo.learners.by_scheme import ByScheme
from evo.population import Generation, Population, lineage
from tournaments.kernels.rng import generator
from tournaments.options import option

class Same(ByScheme):
    def made(self, number):
        rng = generator(self.problem.seed, number)
        plan, count = self.problem.plans[0], self.problem.population
        return Population(number, plan.genome.random(count, rng), lineage(count))

    def first(self):
        return Generation(0, (self.made(0),))

    def next(self, parents):
        return self.following(parents, (self.made(parents.number + 1),))

@dataclass(frozen=True)
class Mine(LearnerOptions):
    name: str = option("mine", "the learner")

    def learner(self, problem):
        return Same(problem)
"""
FIRST, NEXT = "return Generation(0, (self.made(0),))", "return self.following("
JUDGE = "class Same(ByScheme):\n    def judge(self, generation, contest, tally):\n"
LEARNERS = {
    "def first(self):": (
        ("def frist(self):", r"its Same has no first\(\); write it"),
        ("def first(self, rng):", r"first\(\) raised TypeError: .*missing 1 required"),
    ),
    FIRST: (
        ("return None", r"first\(\) gave None; give an evo.population.Generation of number 0"),
        ("1 / 0", r"first\(\) raised ZeroDivisionError: .* \(learner.py, line 17\); mend it"),
        (
            "return Generation(0, (replace(self.made(0), genes=np.zeros((4, 2))),))",
            r"first\(\) gave genes float64 \[4, 2\] of all; give numbers \[4, \d+\]",
        ),
        (
            "made = self.made(0)\n"
            "        Same.calls = getattr(Same, 'calls', 0) + 1\n"
            "        made.genes[0, 0] = Same.calls % 2\n"
            "        return Generation(0, (made,))",
            r"first\(\) gave another generation at its second call; take all randomness",
        ),
    ),
    NEXT: (
        ("return None, (", r"next\(parents\) gave a tuple; give an evo.population.Generation"),
        ("return parents.no(", r"next\(parents\) raised AttributeError: "),
    ),
    "class Same(ByScheme):\n": (
        (JUDGE + "        return 1\n", r"judge\(generation, contest, tally\) gave a int; give"),
        (
            "class Same(ByScheme):\n    def contest(self, generation):\n        return 2\n",
            r"contest\(generation\) gave a int; give a Contest",
        ),
    ),
    "return Same(problem)": (
        ("return Same()", r"learner\(problem\) raised TypeError"),
        ("raise NotImplementedError", r"has no learner\(problem\); write it"),
    ),
    "    def learner(self, problem):": (
        ("    def learners(self, problem):", r"has no learner\(problem\); write it"),
        (
            "    def size(self, problem):\n        1 / 0\n\n    def learner(self, problem):",
            r"size\(problem\) raised ZeroDivisionError",
        ),
        (
            "    def checked(self):\n        1 / 0\n\n    def learner(self, problem):",
            r"checked\(problem\) raised TypeError",
        ),
    ),
}


CHILDREN = "return self.following(parents, (self.made(parents.number + 1),))"
CALLED = "Same.calls = getattr(Same, 'calls', 0) + 1"
BROKEN_LEARNERS = {
    CHILDREN: (
        (
            f"{CALLED}\n"
            "        child = self.made(parents.number + 1)\n"
            "        child.genes[0, 0] = Same.calls // 3 % 2\n"
            "        return self.following(parents, (child,))",
            "the same seed must give the same generations, but generation 1",
        ),
        (
            "self.calls = getattr(self, 'calls', 0) + 1\n"
            "        child = self.made(parents.number + 1)\n"
            "        child.genes[0, :2] = self.calls == 1, self.calls == 2\n"
            "        return self.following(parents, (child,))",
            "must depend on the problem and its parents alone.*generation 2",
        ),
        (
            "return self.following(parents, (self.made(1),), {'seen': {1}})",
            "the state of a generation must be JSON",
        ),
        (
            "parents.populations[0].population.genes[0] = 0\n        " + CHILDREN,
            "must not change the generation",
        ),
        (
            "made = self.made(parents.number + 1)\n"
            "        made.parents[0, 0] = 999\n"
            "        return self.following(parents, (made,))",
            "parents must be ids",
        ),
        (
            "return Generation(parents.number + 1, (replace(self.made(parents.number + 1), "
            "ids=np.zeros(6, dtype=np.int64)),))",
            "an id of its own",
        ),
        (
            "return Generation(parents.number + 1, (replace(self.made(parents.number + 1), "
            "ids=np.arange(6)),))",
            "an id must stand for the same genes",
        ),
        (
            "made = self.made(parents.number + 1)\n"
            "        made.genes[0, 0] = 7\n"
            "        return self.following(parents, (made,))",
            "must give genes that come back from a snapshot",
        ),
        ("return None", r"next\(parents\) gave None"),
    ),
    "class Same(ByScheme):\n": (
        (
            "class Same(ByScheme):\n    def is_done(self, evaluated):\n        return None\n",
            r"is_done\(\) must give a text",
        ),
        (
            JUDGE + "        return super().judge(replace(generation, populations=tuple(replace(p, "
            "ids=p.ids[::-1]) for p in generation.populations)), contest, tally)\n",
            "must give the individuals that played",
        ),
        (
            JUDGE + "        made = super().judge(generation, contest, tally)\n"
            "        made.populations[0].fitness[0] = np.nan\n"
            "        return made\n",
            r"judge\(.*\) gave fitness nan to individual 0 of all; give finite numbers",
        ),
    ),
    "    def learner(self, problem):": (
        (
            "    def size(self, problem):\n        return 1, 1\n\n    def learner(self, problem):",
            r"size\(\) must give the most individuals",
        ),
    ),
}


def mistakes(right, wrong):
    return [(right.replace(a, b), said) for a, several in wrong.items() for b, said in several]


def evolve(**options):
    """All hooks in their order; no game is played."""
    config = from_dict({"game": "nim", "scheme": "round-robin", "population": 4, **options})
    learner = learner_of(config)
    generation = learner.first()
    contest = learner.contest(generation)
    tally = Tally(*np.zeros((4, len(generation)), dtype=np.int32))
    judged = learner.judge(generation, contest, tally)
    assert learner.is_done(judged) == ""
    return learner.next(judged)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("text", "said"), mistakes(GENOME, GENOMES))
def test_what_is_wrong_with_a_genome_is_told_before_a_run(text, said):
    Path("genome.py").write_text(text)
    with pytest.raises(TournamentError, match=said) as refused:
        evolve(genome={"encoding": "./genome.py"})
    assert re.match(r"encoding './genome.py': [^\n]*$", str(refused.value))


def test_a_genome_that_does_not_tell_its_mutation_enough_is_refused_before_a_run():
    Path("genome.py").write_text(GENOME.replace("    ...", "    default_mutation = 'reset'"))
    with pytest.raises(ConfigError, match="'reset', which needs alleles and counts; return them"):
        evolve(genome={"encoding": "./genome.py"})


@pytest.mark.parametrize(("text", "said"), mistakes(LEARNER, LEARNERS))
def test_what_is_wrong_with_a_learner_is_told_with_its_hook(text, said):
    Path("learner.py").write_text(text)
    with pytest.raises(TournamentError, match=said) as refused:
        evolve(learner="./learner.py")
    assert re.match(r"learner './learner.py': [^\n]*$", str(refused.value))


def test_a_genome_and_a_learner_of_ones_own_evolve():
    Path("genome.py").write_text(GENOME)
    Path("learner.py").write_text(LEARNER)
    assert evolve(genome={"encoding": "./genome.py"}, learner="./learner.py").number == 1


# --- laws --------------------------------------------------------------------------------------

GAMES = {
    "nim": (),
    "karate:rounds=5": ("bit-network", "real-network"),  # which nim has, too
    "cat-and-mouse:rows=4,cols=4": ("value-table",),  # too many positions
}


@pytest.mark.parametrize(
    ("name", "game"),
    [
        (name, game)
        for game, others in GAMES.items()
        for name in genomes.fitting(games.parse(game))
        if name not in others
    ],
)
def test_every_encoding_keeps_its_laws(name, game):
    evo.check_genome(name, game)


def test_no_encoding_is_left_out():
    assert {*genomes.ENCODINGS.own()} == {
        name for game in GAMES for name in genomes.fitting(games.parse(game))
    }


@pytest.mark.parametrize("name", learners.LEARNERS.own())
@pytest.mark.parametrize("game", ["nim", "cat-and-mouse:rows=3,cols=3"])
def test_every_learner_keeps_its_laws(name, game):
    record = learners.LEARNERS.load(name)
    if game != "nim" and (record.real_weights or record.by_reward):
        pytest.skip("it takes networks, or a small number of positions")
    evo.check_learner({"name": name, **({"turns": 500} if record.by_reward else {})}, game=game)


@pytest.mark.parametrize("scheme", ["hall-of-fame", "maxsolve", "swiss", "direct"])
def test_learners_keep_their_laws_under_schemes_with_rounds_and_archives(scheme):
    evo.check_learner("genetic", scheme=scheme, population=24)


@pytest.mark.parametrize(("text", "law"), mistakes(GENOME, BROKEN_GENOMES))
def test_a_broken_genome_is_caught_by_the_law_that_it_breaks(text, law):
    Path("genome.py").write_text(text)
    with pytest.raises(ContractError, match=law) as broken:
        evo.check_genome("./genome.py")
    assert str(broken.value).startswith("encoding './genome.py' breaks the contract: ")


@pytest.mark.parametrize(("text", "law"), mistakes(LEARNER, BROKEN_LEARNERS))
def test_a_broken_learner_is_caught_by_the_law_that_it_breaks(text, law):
    Path("learner.py").write_text(text)
    with pytest.raises(ContractError, match=law) as broken:
        evo.check_learner("./learner.py")
    assert str(broken.value).startswith("learner './learner.py' breaks the contract: ")


def test_evo_check_prints_the_law_and_fails(capsys):
    Path("genome.py").write_text(GENOME)
    Path("learner.py").write_text(LEARNER.replace(CHILDREN, "return None"))
    assert main(["check", "genome", "./genome.py"]) == 0
    assert main(["check", "scheme", "swiss:rounds=2"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "genome ./genome.py keeps the contract"
    assert main(["check", "learner", "./learner.py"]) == 1
    assert "next(parents) gave None" in capsys.readouterr().err
    assert main(["check", "genome", "nothing"]) == 2
