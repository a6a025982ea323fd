"""Games, players, schedules, schemes, and the arena in which matches are played.

>>> import tournaments
>>> from tournaments import games, players
>>> game = games.make("dots-and-boxes", rows=3, cols=3)
>>> a, b = players.make("level-1", game), players.make("level-0", game)
>>> record = tournaments.play_matches(game, a, b, matches=150, seed=0)
>>> record.games
300

Players are evaluated against one another by a scheme, by ask and tell:

>>> competition = tournaments.Competition(game, scheme="round-robin", seed=1)
>>> result = competition.evaluate(["level-0", lambda state, rng: state.legal_actions()[0]])
>>> result.fitness.shape, result.payoffs.shape
((2,), (2, 2))
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tournaments.errors import Disqualified, TournamentError
from tournaments.moved import MovedModules

if TYPE_CHECKING:
    import numpy as np

    from tournaments.arena.entrants import Genomes as Genomes
    from tournaments.arena.forfeits import Forfeit
    from tournaments.competition import Competition as Competition
    from tournaments.contests import contest as contest
    from tournaments.game import Game
    from tournaments.players import as_player as as_player

_HOMES = {
    "Competition": "tournaments.competition",
    "Genomes": "tournaments.arena.entrants",
    "as_player": "tournaments.players",
    "contest": "tournaments.contests",
}
__all__ = ["Disqualified", "Record", "TournamentError", "play_matches", *_HOMES]

sys.meta_path.append(MovedModules)


def __getattr__(name: str) -> Any:
    """Import an object of the package when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tournaments' has no attribute {name!r}")
    globals()[name] = offer = getattr(import_module(_HOMES[name]), name)
    return offer


@dataclass(frozen=True)
class Record:
    """The results of player a in its games against player b.

    Attributes:
        outcomes: int16 ``[M, 2, 2]``, the score of each seat in each game of each match; player a
            holds the first seat in game 0 and the second in game 1.
        wins, draws, losses: games, as player a sees them.
        forfeits: the games that were lost by a fault, in order: of each the match, the game, who
            lost, why and after how many moves.
    """

    outcomes: np.ndarray
    wins: int
    draws: int
    losses: int
    forfeits: tuple[Forfeit, ...] = ()

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """Share of the games that player a won against player b; a draw is not a win."""
        return self.wins / self.games

    def __repr__(self) -> str:
        return (
            f"Record(games={self.games}, wins={self.wins}, draws={self.draws}, "
            f"losses={self.losses}, win_rate={self.win_rate:.4f})"
        )


def play_matches(
    game: Game | str, a: Any, b: Any, matches: int = 150, seed: int = 0, *, faults: str = "abort"
) -> Record:
    """Play two-game matches between two players, the seats swapped in the second game.

    Args:
        game: from :func:`tournaments.games.make`, or a text as users type it.
        a: a player, or a value that :func:`tournaments.players.as_player` converts to one: a name,
            a function ``(state, rng) -> action``, an object with ``choose``...
        b: likewise.
        matches: the number of matches; each is two games.
        seed: the result depends on it and on the players alone.
        faults: what happens if a player raises, chooses an illegal action, or the like: ``abort``
            raises an error, ``forfeit`` counts the game as lost.

    Raises:
        TournamentError: no such game or player, fewer than one match, or faults= is neither.
        PlayerFault: a player commits a fault, and ``faults`` is ``abort``.
    """
    import numpy as np

    from tournaments.arena.arena import play_pairs
    from tournaments.arena.entrants import Entrants
    from tournaments.arena.forfeits import fault_policy
    from tournaments.arena.outcomes import results_of_a
    from tournaments.game import parse
    from tournaments.kernels.rng import match_seeds
    from tournaments.options import seed_of
    from tournaments.players import as_players

    if not isinstance(matches, int | np.integer) or matches < 1:
        raise TournamentError(f"matches={matches!r} given; a whole number from 1 is expected")
    game = parse(game)
    players = tuple(as_players((a, b), game))
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))
    seeds = match_seeds(seed_of(seed), "play_matches", 0, matches)
    forfeits: list[Forfeit] = []
    entrants = Entrants(game, players, policy=fault_policy(faults))
    outcomes = play_pairs(entrants, pairs, seeds, forfeits=forfeits)
    results = results_of_a(outcomes)
    wins, losses = int((results > 0).sum()), int((results < 0).sum())
    draws = results.size - wins - losses
    return Record(outcomes, wins, draws, losses, tuple(sorted(forfeits)))
