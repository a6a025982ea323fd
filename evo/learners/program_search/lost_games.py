"""The lost games and the faults of individuals, for requests to a mutator.

They are collected while a generation is scored, and stored in its state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from evo.population import EvaluatedGeneration
from tournaments.arena.clock import Timekeeper
from tournaments.arena.contests import replayed
from tournaments.arena.match import play_game
from tournaments.arena.outcomes import Played, Results
from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels.rng import stream_key
from tournaments.player import Player
from tournaments.players.bot.process import WROTE
from tournaments.schemes import Contest
from tournaments.schemes.base import purpose_of_round


class Loss(NamedTuple):
    """A lost game.

    Attributes:
        entrant: the entrant that lost.
        seed: the seed of the match.
        game: the number of the game in the match.
        place: the place of the entrant in the match.
        members: the entrants of the match.
        scores: their scores in the game.
        is_forfeit: whether the game was lost by a fault.
    """

    entrant: int
    seed: int
    game: int
    place: int
    members: list[int]
    scores: list[float]
    is_forfeit: bool


class LossCollector:
    """The scoring of a scheme that also collects lost games and faults.

    Attributes:
        scoring: the scoring of the scheme.
    """

    def __init__(self, contest: Contest, seed: int) -> None:
        self.scoring = contest.scoring
        self._schedule: Any = contest.schedule
        self._seed, self._generation = seed, contest.seeds_of
        self._round = 0
        self._lost: list[tuple[Any, ...]] = []
        self._faults: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scoring, name)

    def take(self, played: Played, results: Results) -> None:
        """Score some matches, and collect their lost games and faults."""
        self.scoring.take(played, results)
        seats, count = played.pairs.shape[1], len(played.pairs)
        if not count:
            return
        games = np.arange(played.outcomes.shape[1])
        places = (np.arange(seats) + games[:, None]) % seats  # k holds seat (k + g) % S
        scores = played.outcomes[:, games[:, None], places].astype(np.float64)
        behind = scores.max(axis=2, keepdims=True) - scores
        key = stream_key(self._seed, purpose_of_round(self._round), self._generation)
        seeds = self._schedule.seeds(key, played.first, played.first + count)
        forfeits = {(each.match - played.first, each.game) for each in played.forfeits}
        for match, game, place in np.argwhere(behind > 0).tolist():
            entrant = int(played.pairs[match, place])
            if entrant >= 0:
                order = -behind[match, game, place], self._round, played.first + match, game
                pair, own = played.pairs[match].tolist(), scores[match, game].tolist()
                is_forfeit = (match, game) in forfeits
                loss = Loss(entrant, int(seeds[match]), game, place, pair, own, is_forfeit)
                self._lost.append((entrant, *order, loss))
        for forfeit in played.forfeits:
            if forfeit.seat >= 0 and forfeit.entrant >= 0:
                when = self._round, forfeit.match, forfeit.game
                self._faults.append((forfeit.entrant, *when, _without_output(forfeit.what)))

    def next_round(self) -> Any:
        """Return the matches of the next round, or None after the last round."""
        schedule = self.scoring.next_round()
        self._schedule, self._round = schedule, self._round + 1
        return schedule

    def state(self, most: int) -> dict[str, Any]:
        """Return the worst lost games and the first faults of each entrant, ``most`` of each."""
        lost: dict[int, list[list[Any]]] = defaultdict(list)
        for entrant, *_, loss in sorted(self._lost, key=lambda each: each[:5]):
            if len(lost[entrant]) < most:
                lost[entrant].append(list(loss))
        faults: dict[int, list[str]] = defaultdict(list)
        for entrant, *_, what in sorted(self._faults):
            if what not in faults[entrant] and len(faults[entrant]) < most:
                faults[entrant].append(what)
        return {
            "lost": [loss for entrant in sorted(lost) for loss in lost[entrant]],
            "faults": [[entrant, faults[entrant]] for entrant in sorted(faults)],
        }


def _without_output(what: str) -> str:
    """Return a fault in words, with the last line alone of what the program wrote.

    The lines before may name folders of this machine, such as those of Python's library.
    """
    fault, _, output = what.partition(WROTE)
    return f"{fault}{WROTE}{output.rpartition(' | ')[2]}" if output else fault


def text_of_game(game: Game, players: Sequence[Player], seed: int, number: int) -> str:
    """Play a game of a match again and return it as text; empty if that is not possible.

    For a contest, this is the text that its simulator returns beside the scores. For other games
    these are the moves and the last position.

    Args:
        game: the game.
        players: the entrants of the match.
        seed: the seed of the match.
        number: the number of the game in the match.
    """
    try:
        if game.rules.contest is not None:
            with closing(Timekeeper()) as keeper:
                return replayed(game, players, seed, number, keeper)
        lines, last = list[str](), ""
        a, b = players
        for state, seat, action in play_game(game, a, b, seed, number):
            lines.append(f"{game.seats[seat]} {game.rules.describe(game.board, action)}")
            last = str(state)
        return "\n".join([*lines, last])
    except TournamentError:
        return ""


class LostGames:
    """The lost games and the faults of the individuals of a generation, from its state.

    Attributes:
        entrants: name and genome of each entrant that is no fixed opponent.
    """

    def __init__(self, generation: EvaluatedGeneration) -> None:
        self.entrants = [
            (f"{each.population.name} {number}", genes.tobytes())
            for each in generation.populations
            for number, genes in zip(
                each.population.ids.tolist(), each.population.genes, strict=True
            )
        ]
        ids = [each.population.ids.tolist() for each in generation.populations]
        self._entrant = {number: entrant for entrant, number in enumerate(chain(*ids))}
        self._lost: dict[int, list[Loss]] = defaultdict(list)
        for each in generation.state.get("lost", ()):
            self._lost[each[0]].append(Loss(*each))
        self._faults: dict[int, list[str]] = dict(generation.state.get("faults", ()))

    def lost_by(self, number: int) -> list[Loss]:
        """Return the lost games of the individual with this id; none for a migrant."""
        return self._lost.get(self._entrant.get(number, -1), [])

    def faults_of(self, number: int) -> list[str]:
        """Return the faults of the individual with this id, in words."""
        return self._faults.get(self._entrant.get(number, -1), [])
