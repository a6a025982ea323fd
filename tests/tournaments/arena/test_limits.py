"""A game that does not end within the plies that its rules state is a fault everywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from games_with_secrets import MATCHING
from test_views import HEADS, notes, tails_if_shown

from tournaments import games
from tournaments.arena import arena, match
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.training import LearningKind, Lesson, Pupil
from tournaments.contract import ContractError, check_game
from tournaments.game import EndlessGame, Game
from tournaments.kernels import memoryless
from tournaments.kernels.rng import match_seeds
from tournaments.players.network import Encoding, layers_for

PLIES = 10
SEEDS = match_seeds(1, "games", 0, 3)


def game_within(plies: int) -> Game:
    return Game(replace(MATCHING, network=None, most_plies=lambda board: plies), {"rounds": 5})


@pytest.mark.parametrize("linked_from", [0, 10**9])
def test_a_game_that_outlasts_its_bound_ends_the_work(linked_from, monkeypatch):
    monkeypatch.setattr(arena, "LINKED_FROM", linked_from)
    pairs = np.array([[-1, -1]] * 3, dtype=np.int32)
    for plies in (PLIES, PLIES - 1):
        game = game_within(plies)
        player = HEADS.player(game)
        played = Entrants(game, (player,)), pairs, SEEDS
        if plies == PLIES:
            assert play_pairs(*played, measured=True)[..., 2].tolist() == [[PLIES] * 2] * 3
            assert match.play_match(game, player, player, int(SEEDS[0])).tolist() == [[5, 0]] * 2
            continue
        said = f"game 0 of the match with seed {SEEDS[0]} did not end within {plies} plies"
        with pytest.raises(EndlessGame, match=said):
            play_pairs(*played)
        with pytest.raises(EndlessGame, match=said):
            match.play_match(game, player, player, int(SEEDS[0]))


def test_so_it_is_where_players_learn():
    learner = LearningKind(tails_if_shown, memoryless.begin, notes)
    for plies in (PLIES, PLIES - 1):
        game = game_within(plies)
        sides = Pupil(HEADS, np.zeros(0)), Pupil(learner, np.zeros(0))
        lesson = Lesson(game, *sides, 0, False, 1, 4 * PLIES, np.zeros(4, dtype=np.int64))
        if plies == PLIES:
            assert lesson.run().counts[0] == 4 * PLIES
        else:
            with pytest.raises(EndlessGame, match="did not end within 9 plies"):
                lesson.run()


def test_so_it_is_where_games_are_played_abreast():
    boxes = games.make("dots-and-boxes", rows=2, cols=2)
    encoding = Encoding(layers_for(boxes))
    weights = np.random.default_rng(2).uniform(
        encoding.low, encoding.high, (2, encoding.num_weights)
    )
    pairs = np.array([[0, 1]] * 3, dtype=np.int32)
    for plies, ends in ((12, True), (11, False)):
        game = Game(
            replace(boxes.rules, most_plies=lambda board, plies=plies: plies), boxes.options
        )
        population = Genomes(encoding, encoding.encode(weights))
        entrants = Entrants(game, (), (population,))
        if ends:
            assert play_pairs(entrants, pairs, SEEDS).sum(axis=2).tolist() == [[4, 4]] * 3
        else:
            with pytest.raises(EndlessGame, match="did not end within 11 plies"):
                play_pairs(entrants, pairs, SEEDS)


def test_the_contract_holds_a_game_to_its_bound():
    check_game(game_within(PLIES), games=1)
    with pytest.raises(ContractError, match="random play must end, and did not in 9 plies"):
        check_game(game_within(PLIES - 1), games=1)
