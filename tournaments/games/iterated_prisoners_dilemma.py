"""The iterated prisoner's dilemma: cooperate or defect, round after round.

A defector gains the temptation from a cooperator, who gains the sucker's payoff; two cooperators
gain the reward each, two defectors the punishment (Axelrod, "Effective choice in the prisoner's
dilemma", Journal of Conflict Resolution 1980).

The classic strategies are machines. Most are those of Axelrod's tournaments (also "More effective
choice in the prisoner's dilemma", Journal of Conflict Resolution 1980). Pavlov is that of Nowak and
Sigmund (Nature 1993), generous tit-for-tat is theirs, too (Nature 1992), and extort-2 is that of
Stewart and Plotkin (PNAS 2012) after Press and Dyson, for payoffs 5, 3, 1 and 0.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tournaments.errors import TournamentError
from tournaments.repeated.game import repeated_game
from tournaments.repeated.machines import Machine, by_other, memory_one
from tournaments.repeated.scripted import fixed
from tournaments.rules import PlayerOffer


def payoffs(
    temptation: int = 5, reward: int = 3, punishment: int = 1, sucker: int = 0
) -> tuple[tuple[int, int], ...]:
    """Return the payoffs of the iterated prisoner's dilemma for the moves cooperate and defect.

    The rows are the own moves, the columns those of the other player.

    Raises:
        TournamentError: payoffs that are not a dilemma.
    """
    given = temptation, reward, punishment, sucker
    are_whole = all(type(value) is int and abs(value) <= 1000 for value in given)
    if not are_whole or not temptation > reward > punishment > sucker:
        raise TournamentError(
            f"iterated-prisoners-dilemma: temptation={temptation}, reward={reward}, "
            f"punishment={punishment}, sucker={sucker} given; temptation > reward > punishment > "
            "sucker is expected, whole numbers from -1000 to 1000"
        )
    return ((reward, sucker), (temptation, punishment))


# --- the classic strategies ----------------------------------------------------------------------

C, D = (1.0, 0.0), (0.0, 1.0)


def by_last(first: float, cc: float, cd: float, dc: float, dd: float) -> Machine:
    """Return a player of the iterated prisoner's dilemma as a machine with random moves.

    Args:
        first: the probability of cooperation in the first round.
        cc: the probability after both have cooperated.
        cd: the probability after the player has cooperated and the other has defected.
        dc: the probability after the player has defected and the other has cooperated.
        dd: the probability after both have defected.
    """
    replies = np.array([[[p, 1.0 - p] for p in row] for row in ((cc, cd), (dc, dd))])
    return memory_one((first, 1.0 - first), replies)


MACHINES = {
    "always-cooperate": ("cooperates", by_last(1, 1, 1, 1, 1)),
    "always-defect": ("defects", by_last(0, 0, 0, 0, 0)),
    "tit-for-tat": ("cooperates, then does what the other did", by_last(1, 1, 0, 1, 0)),
    "suspicious-tit-for-tat": ("tit-for-tat that defects first", by_last(0, 1, 0, 1, 0)),
    "generous-tit-for-tat": (
        "tit-for-tat that forgives a third of all defections",
        by_last(1, 1, 1 / 3, 1, 1 / 3),
    ),
    "joss": ("tit-for-tat that defects by surprise, one time in ten", by_last(1, 0.9, 0, 0.9, 0)),
    "pavlov": ("stays after temptation and reward, else shifts", by_last(1, 1, 0, 0, 1)),
    "tit-for-two-tats": (
        "defects after two defections in a row",
        by_other([C, C, D], [[0, 1], [0, 2], [0, 2]]),
    ),
    "two-tits-for-tat": (
        "defects twice after each defection",
        by_other([C, D, D], [[0, 2], [0, 2], [1, 2]]),
    ),
    "grim": ("cooperates until the other defects", by_other([C, D], [[0, 1], [1, 1]])),
    "extort-2": (
        "gains twice as much over the punishment as the other",
        by_last(1, 8 / 9, 1 / 2, 1 / 3, 0),
    ),
}
"""Each in a few words, and what it is."""

CLASSICS = {
    name: PlayerOffer(summary, partial(fixed, name, machine))
    for name, (summary, machine) in MACHINES.items()
}

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
