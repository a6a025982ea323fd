"""What counts in a game, the result or the points: solver, perfect play, proofs and hints alike.

Beside plain recursion in fractions (``tests/naive/dice_race.py``): a race with a die in which who
goes for points and who goes for the win play differently.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from games_with_secrets import DICE, LEFT, TURN
from naive import dice_race

from evo.play.advice import advice
from tournaments import exact, games, players
from tournaments.contract import ContractError, check_game
from tournaments.errors import TournamentError
from tournaments.game import GAMES, Game, State
from tournaments.kernels import bitset
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream
from tournaments.player import compiled
from tournaments.solver.graph import DRAWN
from tournaments.solver.retrograde import solution

PAYOFFS = {"win": dice_race.net_wins, "points": dice_race.net_points}
BY_OBJECTIVE = pytest.mark.parametrize("objective", PAYOFFS)


def race(objective: str) -> Game:
    return Game(replace(DICE, name=f"dice-race-to-{objective}", objective=objective), {})


def position_of(array: np.ndarray) -> dice_race.Position:
    seat = max(0, int(array[0]))
    return dice_race.Position(
        (int(array[1]), int(array[2])), seat, int(array[TURN]), int(array[LEFT])
    )


def positions(game: Game) -> list[State]:
    """All in which a seat has a choice."""
    states = [State(game, array) for array in solution(game).graph.states if array[0] != DRAWN]
    return [state for state in states if len(state.legal_actions()) > 1]


@BY_OBJECTIVE
def test_leads_are_those_of_plain_recursion(objective):
    graph, leads, _ = solution(race(objective))
    payoff = PAYOFFS[objective]
    for array, lead in zip(graph.states, leads, strict=True):
        if array[0] != DRAWN:
            expected = float(dice_race.value(position_of(array), payoff))
            assert lead == pytest.approx(expected, abs=1e-12)


def played_by_optimal(state: State) -> set[str]:
    game, player = state.game, compiled(players.make("optimal", state.game))
    assert player is not None
    assert player.kind.candidates is not None
    words, memory = bitset.empty(game.num_actions), player.kind.memory(game, player.parameters)
    asked = game.board, state.array, player.parameters, player.row, memory, words
    with np.errstate(over="ignore"):
        build(player.kind.candidates, game.hooks, compiled=False)(*asked)
    return {game.rules.describe(game.board, action) for action in bitset.members(words)}


@BY_OBJECTIVE
def test_optimal_plays_what_plain_recursion_finds_best(objective):
    for state in positions(race(objective))[::9]:
        best = dice_race.best_moves(position_of(state.array), PAYOFFS[objective])
        assert played_by_optimal(state) == best


@BY_OBJECTIVE
def test_a_hint_says_what_each_move_is_worth_and_proposes_what_optimal_plays(objective):
    payoff, game = PAYOFFS[objective], race(objective)
    for state in positions(game)[::9]:
        told = advice(state, players.make("random", game), Stream(1))
        here = position_of(state.array)
        assert told.by == "perfect play"
        assert game.rules.describe(game.board, told.action) in played_by_optimal(state)
        assert told.worths[0].action == told.action
        for worth in told.worths:
            name = game.rules.describe(game.board, worth.action)
            expected = float(dice_race.expected(here, name, payoff))
            assert worth.lead == pytest.approx(expected, abs=1e-12)
            assert worth.plies is None


def test_a_hint_in_a_game_in_course_knows_nothing_of_its_stream():
    game = race("win")
    state = game.start(5)
    state.play(0)
    again = State(game, state.array.copy())
    again.array[3:7] = (1, 2, 3, 4)
    told, other = (advice(each, players.make("random", game), Stream(1)) for each in (state, again))
    assert told == other


def test_to_win_and_to_gain_points_are_two_things():
    both = [
        (
            dice_race.best_moves(at, dice_race.net_wins),
            dice_race.best_moves(at, dice_race.net_points),
        )
        for at in (position_of(state.array) for state in positions(race("win")))
    ]
    assert any(not win & points for win, points in both)


@BY_OBJECTIVE
def test_a_proof_says_what_is_gained_of_what_counts(objective):
    game, payoff = race(objective), PAYOFFS[objective]
    start = position_of(game.start().array)
    perfect = float(dice_race.value(start, payoff))
    found = exact.best_responses(game).proof(
        compiled(players.make("random", game)), lambda line: None
    )
    held_to = [float(dice_race.least(start, seat, payoff)) for seat in range(2)]
    lost = [perfect - held_to[0], -perfect - held_to[1]]
    assert found.exploitability == pytest.approx(np.mean(lost))
    unit = {"win": "net wins", "points": "net points"}[objective]
    for least, sentence in zip(held_to, found.sentences, strict=True):
        assert f"gains at least {least:+.4f} {unit} a game" in sentence
    best = exact.best_responses(game).proof(
        compiled(players.make("optimal", game)), lambda line: None
    )
    assert best.exploitability == pytest.approx(0.0, abs=1e-9)


def test_a_meeting_says_in_what_its_moves_lose():
    sentences = []
    for objective in PAYOFFS:
        game = race(objective)
        player, other = (compiled(players.make(name, game)) for name in ("optimal", "random"))
        met = exact.meetings(game).meeting(player, other, lambda line: None)
        assert met.regret == pytest.approx(0.0, abs=1e-9)
        sentences.append(met.sentence("a", "b"))
    assert sentences[0].endswith("net wins")
    assert sentences[1].endswith("net points")


def test_games_whose_scores_are_the_aim_say_so():
    aims = {name: games.make(name).rules.objective for name in sorted(GAMES.own())}
    of_points = {name for name, aim in aims.items() if aim == "points"}
    assert of_points == {"dots-and-boxes", "iterated-prisoners-dilemma", "karate"}


def test_another_objective_is_refused():
    with pytest.raises(TournamentError, match="objective='score' given; 'win' or 'points'"):
        replace(DICE, objective="score")


def test_a_table_of_points_is_no_table_of_wins():
    """A game's own table leaves the scores out, so what it says of the result must be the gain."""
    boxes = replace(games.make("dots-and-boxes").rules, objective="win", name="boxes")
    with pytest.raises(ContractError, match=r"objective must be 'points'"):
        check_game(Game(boxes, {"rows": 1, "cols": 2}), games=3)
