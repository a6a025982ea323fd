"""Best responses and meetings of any game, by plain recursion over its readable rules."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from ring import RULES as RING

from tournaments import games, players
from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.kernels import bitset
from tournaments.kernels.linker import build
from tournaments.player import CompiledPlayer, compiled
from tournaments.players.network.encodings import Encoding
from tournaments.players.network.weights import layers_for
from tournaments.solver import every_game
from tournaments.solver.every_game import figures_of, graph_meetings, graph_responses, guaranteed
from tournaments.solver.graph import explore, order_of
from tournaments.solver.retrograde import retrograde, solution

NIM, FOX = "nim:heaps=2-3", "fox-and-hounds:rows=4,cols=4"


def made(name: str, game: Game) -> CompiledPlayer:
    if name != "network":
        player = compiled(players.make(name, game))
        assert player is not None
        return player
    rng = np.random.default_rng(5)
    encoding = Encoding(layers_for(game))
    weights = rng.uniform(encoding.low, encoding.high, (1, encoding.num_weights))
    return encoding.player(game, [encoding.encode(weights)[0].tobytes()], "network")


def chances(player: CompiledPlayer, state: State) -> dict[int, float]:
    """How likely a player plays each action: it draws evenly among its candidates."""
    kind, words = player.kind, bitset.empty(player.game.num_actions)
    memory = kind.memory(player.game, player.parameters)
    asked = player.game.board, state.array, player.parameters, player.row, memory
    with np.errstate(over="ignore"):
        build(kind.begin, player.game.hooks, compiled=False)(*asked)
        build(kind.candidates, player.game.hooks, compiled=False)(*asked, words)
    drawn = bitset.members(words)
    return {action: 1.0 / len(drawn) for action in drawn}


def after(state: State, action: int) -> State:
    reached = state.clone()
    reached.play(action)
    return reached


def lead(state: State, seat: int) -> int:
    return state.scores[seat] - state.scores[1 - seat]


def least(player: CompiledPlayer, seat: int, state: State) -> float:
    """What a player gains at least, whatever the other does."""

    @cache
    def worth(text: str) -> float:
        here = player.game.parse(text)
        if here.is_over:
            return lead(here, seat)
        if here.seat_to_move == seat:
            played = chances(player, here).items()
            return sum(share * worth(str(after(here, action))) for action, share in played)
        return min(worth(str(after(here, action))) for action in here.legal_actions())

    return worth(str(state))


@cache
def leads_of(game: Game) -> dict[str, int]:
    """The lead of the first seat under best play, in each position."""
    leads: dict[str, int] = {}

    def worth(state: State) -> int:
        text = str(state)
        if text not in leads:
            reached = [after(state, action) for action in state.legal_actions()]
            pick = (max, min)[state.seat_to_move] if reached else None
            leads[text] = pick(map(worth, reached)) if pick else lead(state, 0)
        return leads[text]

    worth(game.start())
    return leads


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (NIM, "random"),
        (NIM, "greedy"),
        (FOX, "random"),
        pytest.param(FOX, "network", marks=pytest.mark.slow),
    ],
)
def test_a_player_is_guaranteed_what_plain_recursion_finds(spec, name):
    player = made(name, games.parse(spec))
    start = player.game.start()
    proof = every_game.best_responses(player.game).proof(player, lambda line: None)
    held_to = [least(player, seat, start) for seat in range(2)]
    # Perfect play of both seats is worth the same, with the sign turned.
    assert proof.exploitability == pytest.approx(-sum(held_to) / 2)
    for gain, sentence in zip(held_to, proof.sentences, strict=True):
        assert f"gains at least {gain:+.4f} " in sentence.replace("-0.0000", "+0.0000")


def meeting_by_hand(player: CompiledPlayer, other: CompiledPlayer, seat: int) -> np.ndarray:
    """Won, drawn, margin, moves, regret and best moves of a game, expected."""
    figures, game = np.zeros(6), player.game
    solved = {text: int(value) for text, value in leads_of(game).items()}

    def worth(state: State) -> int:
        return solved[str(state)]

    def walk(state: State, share: float) -> None:
        if state.is_over:
            gain = lead(state, seat)
            figures[:3] += share * (gain > 0), share * (gain == 0), share * gain
            return
        mover = player if state.seat_to_move == seat else other
        for action, chance in chances(mover, state).items():
            reached = after(state, action)
            if mover is player:
                lost = (worth(state) - worth(reached)) * (1 if seat == 0 else -1)
                figures[3:] += share * chance, share * chance * lost, share * chance * (lost == 0)
            walk(reached, share * chance)

    walk(game.start(), 1.0)
    return figures


@pytest.mark.parametrize(
    ("spec", "a", "b"), [(NIM, "greedy", "random"), (FOX, "random", "network")]
)
def test_a_meeting_is_what_plain_recursion_finds(spec, a, b):
    game = games.parse(spec)
    player, other = made(a, game), made(b, game)
    found = every_game.meetings(game).meeting(player, other, lambda line: None)
    solved = solution(game)
    figures = [figures_of(solved, order_of(solved.graph), player, other, seat) for seat in (0, 1)]
    expected = np.array([meeting_by_hand(player, other, seat) for seat in range(2)])
    np.testing.assert_allclose(figures, expected, atol=1e-12)
    assert found.win_rate + found.draw_rate == pytest.approx(expected[:, :2].sum() / 2)


def test_perfect_play_loses_nothing_and_cannot_be_exploited():
    game = games.parse("fox-and-hounds:rows=6,cols=4")
    perfect = made("optimal", game)
    assert every_game.best_responses(game).proof(perfect, lambda line: None).exploitability == 0.0
    met = every_game.meetings(game).meeting(perfect, made("random", game), lambda line: None)
    assert (met.regret, met.optimal_share) == (0.0, 1.0)


@pytest.mark.parametrize("name", ["level-0", "level-1", "optimal"])
def test_boxes_come_to_what_their_own_best_response_says(name):
    game = games.parse("dots-and-boxes:rows=1,cols=2")
    player = made(name, game)
    own = every_game.best_responses(game).proof(player, lambda line: None)
    anyhow = graph_responses(game, solution(game)).proof(player, lambda line: None)
    assert anyhow.exploitability == pytest.approx(own.exploitability, abs=1e-12)


def test_where_positions_repeat_the_best_response_is_the_best_of_all_fixed_ones():
    """On the ring: each way to answer is a chain of chances; a game without an end is drawn."""
    game = Game(RING, {})
    solved = retrograde(explore(game))
    graph, player = solved.graph, made("random", game)
    count = len(solved.leads)
    for seat in range(2):
        free = np.flatnonzero(graph.movers == 1 - seat)
        ends = np.where(graph.movers < 0, graph.leads() * (1 if seat == 0 else -1), 0)
        held_to = np.inf
        for picks in product((0, 1), repeat=len(free)):
            step = np.zeros((count, count))
            for number in range(count):
                first, last = graph.first[number : number + 2]
                reached = graph.after[first:last]
                if graph.movers[number] < 0:
                    step[number, number] = 1.0
                elif graph.movers[number] == seat:
                    np.add.at(step[number], reached, 0.5)
                else:
                    step[number, reached[picks[list(free).index(number)]]] = 1.0
            held_to = min(held_to, float(np.linalg.matrix_power(step, 4096)[0] @ ends))
        computed = guaranteed(player, graph, seat, order_of(graph))[0]
        assert computed == pytest.approx(held_to, abs=1e-9)


def test_a_game_without_an_end_is_drawn():
    game = Game(RING, {})
    solved, random = retrograde(explore(game)), made("random", game)
    met = graph_meetings(game, solved).meeting(random, random, lambda line: None)
    assert met.wins + met.draws + met.wins[::-1] == pytest.approx([1.0, 1.0])


def test_a_kind_that_does_not_tell_what_it_draws_from_is_refused():
    game = games.parse("tic-tac-toe")
    player = made("random", game)
    silent = replace(player, kind=replace(player.kind, candidates=None))
    with pytest.raises(TournamentError, match="does not list the actions that it draws from"):
        every_game.meetings(game).checked(silent)
