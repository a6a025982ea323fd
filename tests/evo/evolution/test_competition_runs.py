"""A competition gives the numbers of a run: the same genomes, game, scheme and seed."""

from __future__ import annotations

import numpy as np
import pytest

import evo
import tournaments
from cluster import LocalEvaluator
from evo.config import config as configuration
from evo.genomes.base import trimmed
from tournaments import schemes
from tournaments.arena.entrants import Genomes

GAME = "dots-and-boxes:rows=1,cols=1"
GENERATIONS = 3


def few(name: str) -> dict[str, object]:
    """A scheme for a population of five."""
    field = schemes.load(name).opponents_field
    return {"name": name, **({field: 2} if field else {})}


def populations(run, config, generation: int) -> list[Genomes]:
    """The individuals of a snapshot, without archives, a population a role."""
    made = []
    for plan in config.populations:
        rows = run.population(generation, plan.name)["genome"]
        packed = np.frombuffer(b"".join(rows), dtype=np.uint8).reshape(len(rows), -1)
        made.append(Genomes(plan.genome.representation, trimmed(plan.genome, packed)))
    return made


def check_same_numbers(path, game: str, scheme: dict[str, object], as_mixture: bool, **options):
    run = evo.run(
        *(path, {"scheme": scheme, "snapshot_interval": 1}),
        **{"game": game, "generations": GENERATIONS, "population": 5, "threads": 1, **options},
    )
    config = configuration.of_run(run)
    competition = tournaments.Competition(
        game, schemes.make(**scheme), run.info["seed"], LocalEvaluator(1)
    )
    for generation in range(GENERATIONS + 1):
        genomes = populations(run, config, generation)
        result = competition.evaluate(*map(mixture_of, genomes) if as_mixture else genomes)
        sides = result.fitness if len(genomes) > 1 else (result.fitness,)
        tallies = result.tally if len(genomes) > 1 else (result.tally,)
        for plan, fitness, tally in zip(config.populations, sides, tallies, strict=True):
            rows = run.population(generation, plan.name)
            np.testing.assert_array_equal(fitness, rows["raw_fitness"])
            for name in ("games", "wins", "draws", "losses"):
                np.testing.assert_array_equal(getattr(tally, name), rows[name])
        competition.save(path / "competition.json")
        if not as_mixture:
            competition = tournaments.Competition.open(path / "competition.json")


def mixture_of(genomes: Genomes) -> list[object]:
    """Individuals as players that a user holds: kernels play some, others move by move."""
    game = tournaments.games.parse(GAME)
    packed = [row.tobytes() for row in genomes.packed]
    made = [genomes.representation.player(game, [row], f"p{row[0]}") for row in packed]
    return [made[0].choose, *made[1:]]


SLOW = {"direct", "maxsolve", "competitive-sharing", "swiss"}
"""Schemes that need more kernels, or more rounds."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
        for name in schemes.names()
    ],
)
def test_a_competition_has_the_numbers_of_a_run_under_every_scheme(name, tmp_path):
    check_same_numbers(tmp_path / "run", GAME, few(name), as_mixture=False, seed=7)


@pytest.mark.slow  # kernels of networks that play one by one
@pytest.mark.parametrize("name", ["antibody-antigen", "hall-of-fame", "swiss"])
def test_so_has_a_mixture_of_what_is_compiled_and_what_is_not(name, tmp_path):
    check_same_numbers(tmp_path / "run", GAME, few(name), as_mixture=True, seed=8)


@pytest.mark.slow  # kernels of another game
@pytest.mark.parametrize("name", [name for name in schemes.names() if schemes.load(name).has_roles])
def test_so_have_two_populations(name, tmp_path):
    game = "cat-and-mouse:rows=5,cols=5"
    opponent = {"opponent": "random"} if name == "direct" else {}
    check_same_numbers(tmp_path / "run", game, few(name) | opponent, as_mixture=False, seed=9)
