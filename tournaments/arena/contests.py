"""Matches of contests, which a simulator plays as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from contextlib import closing
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from tournaments.arena.clock import Timekeeper, Turns
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import EXITED, LOST, WON, Forfeit, Verdict
from tournaments.arena.match import answer_of
from tournaments.arena.outcomes import Played
from tournaments.errors import Disqualified, PlayerFault, TournamentError, shown
from tournaments.game import Game
from tournaments.kernels.rng import opening_seed
from tournaments.player import ContestPlayer
from tournaments.schedules.base import Matches

CONTEST = -1
"""Seat of a fault of the simulator itself."""
CHECKED = 32
"""One match in this number is played twice, to see that a simulator repeats its scores."""
NO_NUMBERS = (str, bytes, bytearray)
"""Types of values that are no scores, though `float` takes them."""
_known: set[str] = set()
"""Identities of the simulators that have played in this process."""


def play_contests(
    entrants: Entrants, pairs: np.ndarray, seeds: np.ndarray, games: int, forfeits: list[Forfeit]
) -> np.ndarray:
    """Play the matches of a contest one after another, and return the score of each seat.

    In game ``g`` of a match its entrant ``k`` holds seat ``(k + g) % S``. Games of a match have
    different seeds.

    Args:
        entrants: the populations and the panel of fixed opponents.
        pairs: int32 ``[M, S]``, the entrants of each match.
        seeds: uint64 ``[M]``, the seed of each match.
        games: games per match.
        forfeits: receives the games that ended by a fault, if the entrants have a fault policy.

    Returns:
        float64 ``[M, games, S]``. A game that the simulator did not finish is void: its scores are
        NaN.

    Raises:
        PlayerFault: of a player or the simulator, if the entrants have no fault policy.
        TournamentError: the simulator returns other scores for the same players and seed.
    """
    game, policy = entrants.game, entrants.policy
    seats = len(game.seats)
    outcomes = np.full((len(pairs), games, seats), np.nan)
    rules: Any = game.rules.contest
    simulator = ContestPlayer(game.name, rules.play, limit_seconds=rules.limit_seconds)
    with closing(Timekeeper(policy.patience if policy else None)) as keeper:
        for number, group in enumerate(map(tuple, pairs.tolist())):
            players: list[Any] = [entrants.player(entrant) for entrant in group]
            seed = int(seeds[number])
            for turn in range(games):
                verdict = policy.verdict(group, seed, turn) if policy else None
                if verdict is None:
                    seated = _in_seats(players, turn)
                    call = simulator, seated, seed, turn, keeper
                    try:
                        outcomes[number, turn] = scores = scores_of(*call)
                        if entrants.are_repeatable and _is_checked(rules.identity, seed):
                            _check_same(scores, *call)
                        continue
                    except PlayerFault as fault:
                        if policy is None:
                            raise
                        verdict = Verdict(fault.seat, 0, fault.cause, fault.line)
                if verdict.seat != CONTEST:
                    outcomes[number, turn] = WON
                    outcomes[number, turn, verdict.seat] = LOST
                forfeits.append(Forfeit(number, turn, *verdict, group, seed))
    return outcomes


def void_match(matches: Matches, number: int) -> Played:
    """Return the outcome of a match whose simulator ends every process: all games are void."""
    pairs, seeds = matches.part(number, number + 1)
    group, seed = tuple(pairs[0].tolist()), int(seeds[0])
    fault = CONTEST, 0, EXITED, "ended its process", group, seed
    forfeits = [Forfeit(number, turn, *fault) for turn in range(matches.games)]
    return Played(number, pairs, np.full((1, matches.games, len(group)), np.nan), forfeits)


def _is_checked(identity: str, seed: int) -> bool:
    """Return whether the games of a match are played twice: some, and the first of a simulator."""
    is_first = identity not in _known
    _known.add(identity)
    return is_first or seed % CHECKED == 0


def _check_same(
    scores: Sequence[float], simulator: ContestPlayer, players: Sequence[Any], *call: Any
) -> None:
    """Play a game again, and raise if the simulator returns other scores.

    Raises:
        TournamentError: it does.
    """
    try:
        again: Any = list(scores_of(simulator, players, *call))
    except PlayerFault as fault:
        again = fault.what
    if again != list(scores):
        raise TournamentError(
            f"{simulator.name} returned {list(scores)} and then {shown(again)} for the same "
            "players and seed: results would not repeat; take all random numbers from the seed and "
            "change no player in a match, or give recorded=True to contest()"
        )


def scores_of(
    simulator: ContestPlayer,
    players: Sequence[ContestPlayer],
    seed: int,
    turn: int,
    keeper: Timekeeper,
) -> Scores:
    """Have a simulator play one game, and return its score of each seat.

    Args:
        simulator: the simulator.
        players: the players in the order of the seats.
        seed: seed of the match.
        turn: number of the game in the match.
        keeper: ends the game after the time limit.

    Raises:
        PlayerFault: of a player that the simulator names, or of the simulator.
    """
    things = [player.at(seat) for seat, player in enumerate(players)]
    own = opening_seed(seed, turn) >> 32
    apart = replace(simulator)  # a hang costs this game alone: no game before it counts

    def play(turns: Turns) -> Scores | Disqualified:
        return answer_of(0, simulator.name, turns, _checked, simulator, things, own)

    try:
        scores = keeper.played(apart, apart, 0, play)
        if not isinstance(scores, Disqualified):
            return scores
        blamed, what = scores, scores.what
        if blamed.cause == "disqualified":
            what = f"was disqualified: {what}"
        fault = PlayerFault(players[blamed.seat].name, blamed.cause, what, blamed.seat)
    except PlayerFault as error:
        fault = error
        fault.seat = CONTEST
    finally:
        for thing in things:
            if hasattr(thing, "end_match"):
                thing.end_match()
    fault.ply = 0
    fault.place = f"game {turn} of the match with seed {seed}, {simulator.name}"
    raise fault


def replayed(game: Game, players: Sequence[Any], seed: int, turn: int, keeper: Timekeeper) -> str:
    """Play a game of a match again, and return the text that the simulator gives with its scores.

    Args:
        game: the contest.
        players: the entrants of the match.
        seed: seed of the match.
        turn: number of the game in the match.
        keeper: ends the game after the time limit.

    Raises:
        PlayerFault: as of :func:`scores_of`.
    """
    rules = game.rules.contest
    if rules is None or rules.is_recorded:
        return ""
    simulator = ContestPlayer(game.name, rules.play, limit_seconds=rules.limit_seconds)
    return scores_of(simulator, _in_seats(players, turn), seed, turn, keeper).text


def _in_seats(players: Sequence[Any], turn: int) -> list[Any]:
    """Return the entrants of a match in the order of their seats in its game ``turn``."""
    return [players[(seat - turn) % len(players)] for seat in range(len(players))]


class Scores(list[float]):
    """The scores of a game.

    Attributes:
        text: what the simulator says about the game.
    """

    text: str = ""


def _checked(simulator: ContestPlayer, things: list[object], seed: int) -> Scores | Disqualified:
    """Return the scores that a simulator gives to the players after a check of their form.

    If the simulator disqualifies a player, return that.
    """
    try:
        given = simulator.thing(things, seed)
    except Disqualified as blamed:
        if isinstance(blamed.seat, int | np.integer) and blamed.seat in range(len(things)):
            return blamed
        raise TournamentError(
            f"seat {shown(blamed.seat)} disqualified; a seat number from 0 to {len(things) - 1} is "
            "expected"
        ) from None
    text = ""
    if isinstance(given, dict) and "scores" in given:
        given, text = given["scores"], str(given.get("text", ""))
    try:
        values = () if isinstance(given, (*NO_NUMBERS, Mapping, Set)) else given
        scores = Scores(nan if isinstance(each, NO_NUMBERS) else float(each) for each in values)
    except (TypeError, ValueError, OverflowError):
        scores = Scores()
    scores.text = text
    if len(scores) != len(things) or not np.isfinite(scores).all():
        what = f"returned {shown(given)}; {len(things)} scores, finite numbers, are expected"
        raise PlayerFault(simulator.name, "no action", what)
    return scores
