"""Tests of the laws of games and of the theory of take-away."""

from __future__ import annotations

from evo.cli.commands.new.take_away import RULES
from tournaments import play_matches
from tournaments.contract import check_game
from tournaments.game import Game


def test_the_laws_of_a_game_hold():
    check_game(Game(RULES, {}), games=20)


def test_a_multiple_of_four_is_lost_by_whose_turn_it_is():
    """CHANGE: what you know of your game, such as the winner under perfect play."""
    for stones in (4, 5):
        game = Game(RULES, {"stones": stones})
        outcomes = play_matches(game, "optimal", "optimal", matches=2).outcomes
        assert (outcomes[:, :, 0] == (stones % 4 != 0)).all()  # whether the first seat wins


def test_perfect_play_loses_to_nobody_over_both_seats():
    for player in ("random", "greedy", "alpha-beta", "mcts:playouts=20"):
        record = play_matches(Game(RULES, {}), "optimal", player, matches=5)
        assert record.wins >= record.losses, player
