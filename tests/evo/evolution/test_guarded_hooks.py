"""Genomes and learners in files of one's own that do what they may not: each is told in a line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from evo.config.config import from_dict
from evo.evolution.start import learner_of
from tournaments.arena.outcomes import Tally
from tournaments.errors import ConfigError, TournamentError

GENOME = """
from dataclasses import dataclass
import numpy as np
from evo.genomes.base import EncodingOptions, Plan
from evo.genomes.bit_network import BitNetwork
from tournaments.options import option
from tournaments.players.network import Encoding, layers_for

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
        ("def plans(self, game):\n        1 / 0", r"raised ZeroDivisionError.*genome.py, line 21"),
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
