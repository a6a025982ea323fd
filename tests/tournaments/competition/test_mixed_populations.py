"""Genomes among players of other kinds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import evo
import tournaments
from tournaments import games
from tournaments.arena.match import play_match
from tournaments.errors import TournamentError
from tournaments.kernels.rng import generator
from tournaments.players import as_players
from tournaments.players.network import Encoding, layers_for

GAME = games.make("dots-and-boxes", rows=2, cols=2)
ENCODING = Encoding(layers_for(GAME))


def last(state, rng):
    return state.legal_actions()[-1]


def genomes(count: int, seed: int = 0) -> tournaments.Genomes:
    weights = generator(1, "genomes", seed).uniform(-64.0, 64.0, (count, ENCODING.num_weights))
    return tournaments.Genomes(ENCODING, ENCODING.encode(weights))


def arrays(population: tournaments.Genomes) -> list[np.ndarray]:
    """The same networks, as a user without genomes has them."""
    return list(ENCODING.decode(population.packed))


def same(one, other) -> None:
    np.testing.assert_array_equal(one.fitness, other.fitness)
    np.testing.assert_array_equal(one.payoffs, other.payoffs)
    for name in ("seed", "a", "b", "score", "opponent_score"):
        np.testing.assert_array_equal(one.columns[name], other.columns[name])


@pytest.mark.parametrize("scheme", ["round-robin", "antibody-antigen", "hall-of-fame:current=2"])
def test_genomes_in_a_list_come_to_the_numbers_of_a_population(scheme):
    listed, whole = (tournaments.Competition(GAME, scheme, seed=2) for _ in range(2))
    for generation in range(3):
        population = genomes(6, generation)
        same(listed.evaluate([*population]), whole.evaluate(population))


def test_genomes_meet_functions_and_names_as_their_weights_do():
    population = genomes(5)
    results = [
        tournaments.Competition(GAME, "hall-of-fame:current=2", seed=3).evaluate(
            [last, *individuals, "level-0"]
        )
        for individuals in (population, arrays(population))
    ]
    same(*results)
    players = as_players([last, *population, "level-0"], GAME)
    columns = results[0].columns
    for match in range(0, len(columns["seed"]), 9):
        sides = [players[columns[side][match]] for side in "ab"]
        outcome = play_match(GAME, *sides, int(columns["seed"][match]), 2)
        assert outcome[0, 0] + outcome[1, 1] == columns["score"][match]


def test_what_is_kept_of_genomes_in_lists_is_in_the_file(tmp_path):
    first, second = (
        tournaments.Competition(GAME, "hall-of-fame:current=2", seed=2) for _ in range(2)
    )
    for generation in range(3):
        players = ["level-0", *genomes(4, generation)]
        same(first.evaluate(players), second.evaluate(players))
        second.save(tmp_path / "saved.json")
        if generation == 1:
            with pytest.raises(TournamentError, match=r"players=\[\*genomes\]"):
                tournaments.Competition.open(tmp_path / "saved.json")
        of_encoding = [*genomes(1, 99)]
        second = tournaments.Competition.open(tmp_path / "saved.json", players=of_encoding)


def test_an_individual_that_is_kept_keeps_no_population():
    competition = tournaments.Competition(GAME, "hall-of-fame:current=2", seed=2)
    for generation in range(2):
        competition.evaluate([*genomes(50, generation)])
    size = len(pickle.dumps(genomes(50).parameters))
    assert len(pickle.dumps(competition._archives[0].members.population)) < size / 2


def test_a_population_as_one_player_is_refused_with_what_to_write():
    refused = r"<2 genomes of network players> given; .* individuals of genomes: \[\*genomes, bot\]"
    with pytest.raises(TournamentError, match=refused):
        tournaments.Competition(GAME).evaluate([genomes(2), last])
    competition = tournaments.Competition(GAME, "hall-of-fame:current=2")
    competition.evaluate([*genomes(4)])
    with pytest.raises(TournamentError, match=r"give a list, such as \[\*genomes\], again"):
        competition.evaluate(genomes(4))


def test_genomes_are_fixed_opponents_and_meet_in_tournaments():
    population = genomes(3)
    results = [
        tournaments.Competition(GAME, "direct:matches=2", opponents=opponents).evaluate([last])
        for opponents in ([*population], arrays(population))
    ]
    same(*results)
    tables = [
        evo.tournament(GAME.spec, [*individuals, "level-0"], games=4, seed=1, threads=1)
        for individuals in (population, arrays(population))
    ]
    np.testing.assert_array_equal(tables[0].wins, tables[1].wins)
