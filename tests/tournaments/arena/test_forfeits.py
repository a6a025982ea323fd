"""A player that does what it may not loses the game at that move, or ends the work."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import tournaments
from tests.bots_with_faults import MISTAKES, Faulty, divides
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.forfeits import FaultPolicy, Verdict
from tournaments.arena.match import play_game
from tournaments.errors import CAUSES, PlayerFault, TournamentError
from tournaments.game import IllegalAction
from tournaments.kernels.rng import match_seeds

GAME = games.make("dots-and-boxes", rows=1, cols=1)
RANDOM = players.make("random", GAME)


@pytest.mark.parametrize("cause", MISTAKES)
def test_a_mistake_of_any_kind_loses_the_game_or_ends_the_work(cause):
    bot = Faulty(MISTAKES[cause])
    record = tournaments.play_matches(GAME, bot, RANDOM, 6, faults="forfeit")
    assert 0 < len(record.forfeits) < record.games
    for match, game, seat, ply, why, what, pair, _ in record.forfeits:
        assert (why, pair, seat) == (cause, (-1, -2), game % 2)
        assert record.outcomes[match, game].tolist() == [seat, 1 - seat]
        assert 0 <= ply < 4
        assert "\n" not in what
    assert cause in CAUSES
    with pytest.raises(PlayerFault, match="player 'faulty' ") as caught:
        tournaments.play_matches(GAME, bot, RANDOM, 6)
    assert (caught.value.cause, caught.value.player) == (cause, "faulty")


def test_games_without_a_mistake_are_as_if_nobody_made_any():
    record = tournaments.play_matches(GAME, Faulty(divides), RANDOM, 6, faults="forfeit")
    honest = tournaments.play_matches(GAME, Faulty(lambda s: s.legal_actions()[0]), RANDOM, 6)
    same = (record.outcomes == honest.outcomes).all(axis=2)
    lost = {(forfeit.match, forfeit.game) for forfeit in record.forfeits}
    assert {tuple(place) for place in np.argwhere(~same)} <= lost


def test_an_illegal_choice_is_an_illegal_action_too_and_shows_the_position():
    with pytest.raises(IllegalAction, match=r"(?s)'faulty' chose 99, .* legal here: .*position:\n"):
        tournaments.play_matches(GAME, Faulty(lambda state: 99), RANDOM, 6)


def test_an_action_of_thousands_of_digits_is_a_fault_like_any_other():
    bot = Faulty(lambda state: 10**5000, every=1)
    with pytest.raises(IllegalAction, match="'faulty' chose a number of too many digits, which"):
        tournaments.play_matches(GAME, bot, RANDOM, 1)
    with pytest.raises(IllegalAction, match="action a number of too many digits is illegal"):
        GAME.start().play(10**5000)


def test_what_is_raised_is_a_fault_of_whatever_class_it_is():
    def cancelled(state, rng):
        raise asyncio.CancelledError

    record = tournaments.play_matches(GAME, cancelled, RANDOM, 1, faults="forfeit")
    assert [each.cause for each in record.forfeits] == ["raised", "raised"]
    assert record.forfeits[0].what.startswith("raised CancelledError (test_forfeits.py, line ")


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("asked what it is")


def raises(error):
    raise error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Unspeakable(), "raised Unspeakable (test_forfeits.py"),
        (ValueError("no \udcff.py"), "raised ValueError: no \\udcff.py (test_forfeits.py"),
    ],
)
def test_an_exception_whose_words_cannot_be_had_is_a_fault_that_can_be_written_down(error, said):
    bot = Faulty(lambda state: raises(error), every=1)
    record = tournaments.play_matches(GAME, bot, RANDOM, 1, faults="forfeit")
    assert record.forfeits[0].what.startswith(said)
    assert record.forfeits[0].what.encode()


@pytest.mark.parametrize(("given", "is_action"), [(0.0, True), (np.int8(0), True), (0.5, False)])
def test_a_number_that_is_whole_is_an_action_be_it_of_whatever_type(given, is_action):
    bot = Faulty(lambda state: given, every=1)
    moves = play_game(GAME, bot, RANDOM, 1)
    if is_action:
        assert next(moves)[2] == 0
    else:
        with pytest.raises(PlayerFault, match=r"returned 0\.5; choose\(\) must return an action"):
            next(moves)


def test_what_is_to_become_of_faults_is_one_of_two_words():
    with pytest.raises(TournamentError, match=r"faults='ignore' given; forfeit .* or abort"):
        tournaments.play_matches(GAME, RANDOM, RANDOM, 1, faults="ignore")


class Watcher:
    """Raises when it is shown a move, or where it sits down."""

    name = "watcher"

    def __init__(self, where: str) -> None:
        self.where = where

    def choose(self, state, rng):
        return state.legal_actions()[0]

    def sit(self, state, seat):
        if self.where == "sit":
            raise KeyError("sit")
        return self

    def watch(self, state, action):
        raise KeyError("watch")


@pytest.mark.parametrize(("where", "ply"), [("sit", 0), ("watch", 0)])
def test_a_fault_beside_the_choice_is_that_of_who_committed_it(where, ply):
    record = tournaments.play_matches(GAME, RANDOM, Watcher(where), 1, faults="forfeit")
    told = [(each.game, each.seat, each.ply, each.entrant) for each in record.forfeits]
    assert told == [(0, 1, ply, -2), (1, 0, ply, -2)]
    assert f"raised KeyError: '{where}' (test_forfeits.py, line " in record.forfeits[0].what


def played_by(policy: FaultPolicy | None, panel=()):
    """Outcomes and forfeits of a bot, random play and random play, each against each."""
    entrants = Entrants(GAME, (*panel, RANDOM, RANDOM), policy=policy)
    pairs = np.array([(-1, -2), (-2, -3), (-3, -1)], dtype=np.int32)
    seeds, forfeits = match_seeds(1, "house", 0, 3), []
    outcomes = play_pairs(entrants, pairs, seeds, forfeits=forfeits)
    return outcomes, sorted(forfeits), seeds


def test_measured_games_that_are_forfeited_tell_how_long_they_were():
    entrants = Entrants(GAME, (Faulty(divides, every=2), RANDOM), policy=FaultPolicy())
    pairs, forfeits = np.array([(-1, -2)] * 4, dtype=np.int32), []
    outcomes = play_pairs(entrants, pairs, match_seeds(1, "house", 0, 4), 2, None, True, forfeits)
    assert any(each.ply for each in forfeits)
    for each in forfeits:
        assert outcomes[each.match, each.game].tolist() == [each.seat, 1 - each.seat, each.ply, 0]


def test_who_is_quarantined_plays_nothing_and_others_play_as_ever():
    bot = Faulty(divides, every=1_000_000)
    free, _, _ = played_by(FaultPolicy(), (bot,))
    bot = Faulty(lambda state: pytest.fail("it was asked"), every=1)
    outcomes, forfeits, _ = played_by(FaultPolicy({-1: ("crashed", "ended its process")}), (bot,))
    assert np.array_equal(outcomes[1], free[1])
    lost = [(each.match, each.game, each.entrant, each.cause) for each in forfeits]
    assert lost == [(m, g, -1, "crashed") for m in (0, 2) for g in (0, 1)]
    assert outcomes[0].tolist() == [[0, 1], [1, 0]]
    assert outcomes[2].tolist() == [[1, 0], [0, 1]]


def test_a_game_that_was_lost_by_the_clock_is_lost_again_by_what_was_written():
    bot = Faulty(divides, every=1_000_000)
    free, _, seeds = played_by(FaultPolicy(), (bot,))
    written = {(int(seeds[2]), 1, -3, -1): Verdict(0, 2, "late", "was late")}
    outcomes, forfeits, _ = played_by(FaultPolicy(written=written), (bot,))
    assert [(each.match, each.game, each.entrant, each.ply) for each in forfeits] == [(2, 1, -1, 2)]
    assert outcomes[2, 1].tolist() == [0, 1]
    assert np.array_equal(outcomes[:2], free[:2])
    assert np.array_equal(outcomes[2, 0], free[2, 0])
