"""The contest duel: the same seed gives the same scores, and the better player wins more."""

from evo.cli.commands.new.duel import duel, high, low, play
from tournaments import Competition


def test_the_same_players_and_seed_give_the_same_scores():
    for seed in range(20):
        assert play([low, high], seed) == play([low, high], seed)


def test_the_better_player_wins_more_games():
    competition = Competition(duel, "round-robin:matches=20", seed=1)
    result = competition.evaluate({"low": low, "high": high})
    assert result.tally.wins[1] > result.tally.wins[0]
