"""The iterated prisoner's dilemma: cooperate or defect, round after round.

A defector gains the temptation from a cooperator, who gains the sucker's payoff; two cooperators
gain the reward each, two defectors the punishment (Axelrod, "Effective choice in the prisoner's
dilemma", Journal of Conflict Resolution 1980).
"""

from __future__ import annotations

from tournaments.errors import TournamentError
from tournaments.games.iterated_prisoners_dilemma.classics import CLASSICS
from tournaments.repeated.game import repeated_game


def payoffs(
    temptation: int = 5, reward: int = 3, punishment: int = 1, sucker: int = 0
) -> tuple[tuple[int, int], ...]:
    """Of the moves cooperate and defect.

    Raises:
        TournamentError: payoffs that make no dilemma.
    """
    given = temptation, reward, punishment, sucker
    if not all(type(value) is int and abs(value) <= 1000 for value in given):
        raise TournamentError(
            f"iterated-prisoners-dilemma: payoffs {given} given; whole numbers from -1000 to 1000 "
            "are expected"
        )
    if not temptation > reward > punishment > sucker:
        raise TournamentError(
            f"iterated-prisoners-dilemma: temptation={temptation}, reward={reward}, "
            f"punishment={punishment}, sucker={sucker} given; temptation > reward > punishment > "
            "sucker is expected"
        )
    return ((reward, sucker), (temptation, punishment))


RULES = repeated_game(
    "iterated-prisoners-dilemma",
    "cooperate or defect, round after round; rounds=200,noise=0,temptation=5,reward=3,...",
    ("cooperate", "defect"),
    payoffs,
    rounds=200,
    has_noise=True,
    players=CLASSICS,
    yardsticks=("random", "always-defect", "tit-for-tat"),
    opponents=("random", *CLASSICS),
)
