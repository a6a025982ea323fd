"""Games that are computed, not played: against plain recursion, against play, and by theory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from naive.dots_and_boxes import DotsAndBoxes
from naive.exact import meeting
from positions import board, network, network_moves, perfect_moves

from tournaments import TournamentError, games, players
from tournaments.arena.arena import Entrants, play_pairs
from tournaments.games.dots_and_boxes import edge_sets
from tournaments.games.dots_and_boxes.best_response import best_response
from tournaments.games.dots_and_boxes.edge_sets import survey
from tournaments.games.dots_and_boxes.exact_play import MOVES, figures_of, meet, meeting_of
from tournaments.kernels.rng import match_seeds
from tournaments.solver import table as oracle
from tournaments.solver.exact import Meeting

ROUNDING = 1e-12
DEVIATIONS = 3.9
"""Standard errors that one of several means is off once in a thousand times."""
LEVELS = {
    "level-0": DotsAndBoxes.legal,
    "level-1": DotsAndBoxes.level_1_moves,
    "level-2": DotsAndBoxes.level_2_moves,
}


def moves_of(name: str, size: tuple[int, int]):
    if name == "network":
        return network_moves(board(*size), 3)
    return LEVELS[name] if name in LEVELS else perfect_moves(*size)


def player(name: str, size: tuple[int, int]):
    return network(board(*size), 3) if name == "network" else players.make(name, board(*size))


def figures(one, two) -> np.ndarray:
    """Wins, draws, losses, net boxes, moves, regrets and best moves, by seat, [7, 2]."""
    found = figures_of(survey(one), survey(two), 1)
    turned = np.hstack([found[:, MOVES - 1 :: -1], found[:, MOVES:]])
    made, losses = meeting_of(found), meeting_of(turned).wins
    return np.stack([made.wins, made.draws, losses, made.margins, *found[:, MOVES:].T])


# --- against plain recursion ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "size"),
    [
        ("level-0", "level-1", (1, 1)),
        ("level-1", "level-0", (1, 2)),
        ("level-2", "level-1", (2, 1)),
        ("network", "level-0", (1, 3)),
        ("level-0", "network", (1, 3)),
        ("level-2", "optimal", (1, 3)),
        ("optimal", "optimal", (1, 3)),
        ("network", "optimal", (1, 3)),
        pytest.param("level-2", "level-1", (2, 2), marks=pytest.mark.slow),
        pytest.param("level-1", "optimal", (2, 2), marks=pytest.mark.slow),
    ],
)
def test_a_meeting_is_what_plain_recursion_finds(one, two, size):
    found = figures(player(one, size), player(two, size))
    expected = meeting(*size, moves_of(one, size), moves_of(two, size))
    assert np.abs(found - np.array(expected, dtype=float).T).max() <= ROUNDING


# --- what is known of it -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["level-0", "level-1", "level-2", "network", "optimal"])
def test_against_perfect_play_a_player_loses_its_regret_and_no_more(name):
    size = (2, 3)
    sums = figures_of(survey(player(name, size)), survey(player("optimal", size)), 1)
    found, regrets = meeting_of(sums), sums[:, MOVES + 1]
    value = oracle.position_value(board(*size).start())
    assert np.abs(found.margins - (np.array([value, -value]) - regrets)).max() <= ROUNDING
    assert (regrets == 0).all() == (name == "optimal")
    assert (found.optimal_share == 1.0) == (name == "optimal")


def test_what_one_wins_the_other_loses():
    one, two = survey(player("network", (2, 3))), survey(player("level-2", (2, 3)))
    found, turned = meet(one, two), meet(two, one)
    chances, mirrored = (figures_of(*pair, 1)[:, :MOVES] for pair in ((one, two), (two, one)))
    assert np.abs(chances - mirrored[::-1, ::-1]).max() <= ROUNDING
    assert np.abs(found.margins + turned.margins[::-1]).max() <= ROUNDING
    assert found.margin == pytest.approx(-turned.margin, abs=ROUNDING)


def test_nobody_makes_less_than_it_is_guaranteed():
    one = survey(player("network", (2, 3)))
    guaranteed = best_response(one).guaranteed
    for name in ("level-0", "level-1", "level-2", "optimal"):
        assert (meet(one, player(name, (2, 3))).margins >= guaranteed - ROUNDING).all()


def test_threads_change_nothing():
    one, two = player("network", (2, 3)), player("level-1", (2, 3))
    pair = survey(one), survey(two)
    alone, *shared = (figures_of(*pair, threads).tobytes() for threads in (1, 2, 5))
    assert shared == [alone, alone]
    assert survey(one, 3).candidates.tobytes() == survey(one, 1).candidates.tobytes()


def test_a_survey_stands_for_its_player():
    one, two = player("level-2", (2, 2)), player("level-1", (2, 2))
    found = meet(survey(one), survey(two)).sentence("level-2", "level-1")
    assert found == meet(one, two).sentence("level-2", "level-1")
    assert best_response(survey(one)).answers.tobytes() == best_response(one).answers.tobytes()


def test_it_reads_as_one_line():
    found = meet(player("optimal", (2, 2)), player("optimal", (2, 2)))
    assert found.sentence("optimal", "optimal") == (
        "optimal wins 50.000% of its games against optimal (100.000% as the first, 0.000% as the "
        "second), by +2.0000 as the first, -2.0000 as the second net boxes; a move of its loses "
        "0.0000 boxes in the mean, 100.0% lose none"
    )


# --- on the board of the study -------------------------------------------------------------------


@pytest.fixture(scope="module")
def levels() -> Meeting:
    """Level 2 against level 1."""
    return meet(player("level-2", (3, 3)), player("level-1", (3, 3)), threads=2)


@pytest.mark.slow
def test_the_levels_of_the_study_have_their_known_strength(levels):
    """docs/games/dots-and-boxes.md shows them, rounded."""
    assert f"{levels.win_rate:.5%}" == "84.04581%"
    assert [f"{share:.3%}" for share in levels.wins] == ["76.827%", "91.265%"]
    assert levels.draw_rate == 0


@pytest.mark.slow
def test_games_that_are_played_come_out_as_computed(levels):
    matches = 100_000
    one, two = (players.make(name, board(3, 3)) for name in ("level-2", "level-1"))
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))
    seeds = match_seeds(5, "exact", 0, matches)
    scores = play_pairs(Entrants(board(3, 3), (one, two)), pairs, seeds).astype(int)
    net = np.stack([scores[:, 0, 0] - scores[:, 0, 1], scores[:, 1, 1] - scores[:, 1, 0]], axis=1)
    for played, exact in ((net > 0, levels.wins), (net, levels.margins)):
        error = played.std(axis=0) / np.sqrt(matches)
        assert (np.abs(played.mean(axis=0) - exact) <= DEVIATIONS * error).all()


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "message"),
    [
        (player("level-0", (1, 1)), player("level-0", (1, 2)), "make both for one game"),
        (player("level-0", (3, 4)), player("level-0", (3, 4)), "31 edges and cannot be solved"),
        (
            players.make("random", games.make("cat-and-mouse")),
            player("level-0", (1, 1)),
            "are computed here only for dots-and-boxes",
        ),
    ],
)
def test_players_that_do_not_meet_are_refused(one, two, message):
    with pytest.raises(TournamentError, match=message):
        meet(one, two)


def test_no_threads_are_refused():
    one = survey(player("level-0", (1, 1)))
    with pytest.raises(TournamentError, match="threads=0 given; at least 1"):
        meet(one, one, threads=0)


def test_a_kind_without_candidates_is_refused():
    one = players.make("level-1", board(1, 1))
    with pytest.raises(TournamentError, match="does not list the actions that it draws from"):
        edge_sets.checked(replace(one, kind=replace(one.kind, candidates=None)))
