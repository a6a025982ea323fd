"""The players of the cat trap: planners against a slow one, ways out, what options may be."""

from __future__ import annotations

import random as python_random
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cat_trap import CatTrap, Tile
from naive.cat_trap_authors import Authors
from naive.cat_trap_planner import Planner
from naive.cat_trap_planner import beside as tiles_beside
from naive.cat_trap_ways import shortest_ways

from tournaments import TournamentError, games, players
from tournaments.contract import check_player
from tournaments.game import Game
from tournaments.games.cat_trap.board import BLOCKED, CAT, beside
from tournaments.games.cat_trap.planner import weights_of
from tournaments.games.cat_trap.vectors import FEATURES
from tournaments.kernels import bitset
from tournaments.kernels.linker import build
from tournaments.player import CompiledPlayer
from tournaments.solver.retrograde import solution


def position_of(size: int, seed: int) -> CatTrap:
    """A position of some game, in which either may be to move."""
    rng = python_random.Random(seed)
    while True:
        game = CatTrap(size, frozenset())
        for _ in range(rng.randrange(size * size // 2)):
            if not game.winner:
                game = game.after(rng.choice(sorted(game.moves())))
        if not game.winner:
            return game


def array_of(game: Game, position: CatTrap) -> np.ndarray:
    state = game.start().array
    state[0] = position.mover == "blocker"
    state[CAT] = position.cat[1] * position.size + position.cat[0]
    for x, y in position.blocked:
        state[BLOCKED + y * position.size + x] = 1
    return state


def drawn_from(player: CompiledPlayer, position: CatTrap) -> set[Tile]:
    """The tiles that a player may step to, or block."""
    game, kind = player.game, player.kind
    words, state = bitset.empty(game.num_actions), array_of(game, position)
    memory = kind.memory(game, player.parameters)
    ask = build(kind.candidates, {**game.hooks, **kind.hooks}, compiled=False)
    with np.errstate(over="ignore"):
        count = ask(game.board, state, player.parameters, player.row, memory, words)
    actions = bitset.members(words)
    assert len(actions) == count
    tiles = [action - 6 for action in actions]
    if position.mover == "cat":
        tiles = beside(game.board)[state[CAT], actions].tolist()
    return {(tile % position.size, tile // position.size) for tile in tiles}


def looks_as_slowly(size: int, seed: int, **options) -> None:
    game = games.make("cat-trap", size=size, blocks="none")
    said = {"max_depth": 0, "num_states": -1, "reward": 4, "gamma": 0.9, "ends": 100.0}
    said |= {"beyond": "board"} | options
    slow = Planner(size, **said)
    position = position_of(size, seed)
    best = slow.best_steps if position.mover == "cat" else slow.best_blocks
    quick = players.make("planner", game, **said, epsilon=1e-9)
    assert drawn_from(quick, position) == best(position.cat, position.blocked)


@pytest.mark.parametrize("reward", [1, 2, 3, 4])
@pytest.mark.parametrize("ends", [100.0, 0.0, 1.0])
def test_a_board_that_stays_is_looked_at_as_slowly(reward, ends):
    looks_as_slowly(3, reward, reward=reward, ends=ends)
    for seed in range(3):
        looks_as_slowly(5, seed, reward=reward, ends=ends, gamma=0.4)


@pytest.mark.parametrize("num_states", [1, 3, -1])
@pytest.mark.parametrize("beyond", ["board", "nothing"])
def test_rounds_are_looked_at_as_slowly(num_states, beyond):
    for seed in range(3):
        said = {"num_states": num_states, "beyond": beyond, "gamma": 0.3, "max_depth": 1}
        looks_as_slowly(3, seed, reward=1 + seed, **said)
        looks_as_slowly(5, seed, reward=4 - seed, **said | {"num_states": min(num_states, 3) % 6})


@pytest.mark.parametrize("seed", range(2))
def test_two_rounds_are_looked_at_as_slowly(seed):
    looks_as_slowly(3, seed, max_depth=2, gamma=0.3)
    looks_as_slowly(5, seed, max_depth=2, num_states=2, ends=1.0, gamma=0.3)


@pytest.mark.parametrize(
    ("reward", "version", "max_depth", "num_states"),
    [
        pytest.param(*each, marks=[] if each[:2] == (1, 1) else pytest.mark.slow)
        for each in (
            (reward, version, *looks)
            for looks in [(0, 1), (-1, 1), (-1, 4), (-1, -1), (1, 2)]
            for version in (1, 2, 3)
            for reward in (1, 2, 3, 4)
        )
    ],
)
def test_the_authors_planner_steps_as_slowly(reward, version, max_depth, num_states):
    said = {"max_depth": max_depth, "num_states": num_states, "reward": reward, "version": version}
    given = said | {"by": "authors", "gamma": 0.85, "epsilon": 0.1}
    size, seen = (5, set()) if max_depth > 0 else (7, set())
    quick = players.make("planner", games.make("cat-trap", size=size, blocks="none"), **given)
    for seed in range(12):
        position = position_of(size, seed)
        if position.mover == "cat":
            step = Authors(size, **said).best_step((position.cat, frozenset(position.blocked)))
            assert drawn_from(quick, position) == {step}
            seen.add(step)
    assert len(seen) > 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_depth": -1}, "planner: max_depth=-1 given; 0 or more is expected, or by=authors"),
        ({"by": "nobody"}, "planner: by='nobody' given; one of text, authors is expected"),
        ({"max_depth": 7}, "planner: max_depth=7 given; a value from -1 to 6 is expected"),
        ({"num_states": 0}, "planner: num_states=0 given; -1 for all, or 1 or more"),
        ({"reward": 5}, "planner: reward=5 given; a value from 1 to 4"),
        ({"gamma": 1.0}, "planner: gamma=1.0 given; a value from 0 to 0.999"),
        ({"epsilon": 0}, "planner: epsilon=0 given; a value from 1e-09 to 1000"),
        ({"ends": -1.0}, "planner: ends=-1.0 given"),
        ({"scale": "much"}, "planner: scale='much' given; a number is expected"),
        ({"beyond": "all"}, "planner: beyond='all' given; one of nothing, board is expected"),
    ],
)
def test_a_planner_that_cannot_be_is_refused(options, message):
    with pytest.raises(TournamentError, match=message):
        players.make("planner", games.make("cat-trap"), **options)


def test_a_planner_says_what_is_unusual_of_it():
    game = games.make("cat-trap")
    assert players.make("planner", game, gamma=0.9).name == "planner"
    assert players.make("planner:reward=2,ends=0", game).name == "planner:reward=2,ends=0.0"


@settings(max_examples=30)
@given(size=st.sampled_from([3, 5, 7]), seed=st.integers(0, 10**6))
def test_shortest_ways_are_gone_and_blocked(size, seed):
    position = position_of(size, seed)
    cat, blocked = position.cat, position.blocked
    ways = shortest_ways(size, cat, blocked)
    free = {tile for tile in tiles_beside(size, cat) if tile not in blocked}
    expected = {way[1] for way in ways} if position.mover == "cat" else {*chain(*ways)} - {cat}
    player = players.make("shortest-path", games.make("cat-trap", size=size, blocks="none"))
    assert drawn_from(player, position) == (expected or free)


@settings(max_examples=30)
@given(size=st.sampled_from([3, 5, 7]), seed=st.integers(0, 10**6))
def test_greedy_players_look_at_the_tiles_beside_the_cat(size, seed):
    position = position_of(size, seed)
    free = [tile for tile in tiles_beside(size, position.cat) if tile not in position.blocked]
    steps = {(x, y): min(x, y, size - 1 - x, size - 1 - y) for x, y in free}
    player = players.make("greedy", games.make("cat-trap", size=size, blocks="none"))
    nearest = {tile for tile in free if steps[tile] == min(steps.values())}
    assert drawn_from(player, position) == nearest


# --- perfect play --------------------------------------------------------------------------------

FEW_FREE = (
    "1:1+3:2+1:3+0:1+4:1+2:4+4:4+0:3+1:0+3:0+1:4",
    "0:0+2:0+4:1+0:2+1:2+4:3+1:4+3:4+0:1+2:4",
)


@pytest.mark.parametrize("options", [(3, "none"), *((5, blocks) for blocks in FEW_FREE)], ids=str)
def test_perfect_play_is_that_of_all_positions(options):
    """Its action is one after which the generic solver says that it wins."""
    game = games.make("cat-trap", size=options[0], blocks=options[1])
    graph, leads, _ = solution(game)
    player = players.make("optimal", game)
    kind, words = player.kind, bitset.empty(game.num_actions)
    memory = kind.memory(game, None)
    ask = build(kind.candidates, {**game.hooks, **kind.hooks}, compiled=False)
    rng = python_random.Random(1)
    for number in rng.sample(range(len(leads)), min(len(leads), 40)):
        mover, edges = graph.movers[number], slice(*graph.first[number : number + 2])
        if mover >= 0 and leads[number] == 1 - 2 * mover:
            wins = leads[graph.after[edges]] == 1 - 2 * mover
            with np.errstate(over="ignore"):
                ask(game.board, graph.states[number], player.parameters, 0, memory, words)
            (action,) = bitset.members(words)
            assert action in graph.actions[edges][wins]


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_who_has_lost_looks_for_ways(seed):
    position, game = position_of(3, seed), games.make("cat-trap", size=3, blocks="none")
    winner = who_wins(position)
    if winner != position.mover:
        expected = drawn_from(players.make("shortest-path", game), position)
        assert drawn_from(players.make("optimal", game), position) == expected


def who_wins(position: CatTrap) -> str:
    if position.winner:
        return position.winner
    results = {who_wins(position.after(tile)) for tile in position.moves()}
    other = "cat" if position.mover == "blocker" else "blocker"
    return position.mover if position.mover in results else other


def test_boards_too_large_for_perfect_play_are_refused():
    assert "optimal" not in players.names(games.make("cat-trap", size=9))
    with pytest.raises(TournamentError, match="has 76 free tiles; perfect play is found on boards"):
        players.make("optimal", games.make("cat-trap", size=9))


# --- vectors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("form", "options"),
    [("plan-0", {}), ("plan-1", {"max_depth": 1, "num_states": 5, "beyond": "nothing"})],
)
def test_the_four_rewards_are_vectors(form, options, reward):
    game = games.make("cat-trap", size=5, blocks="none")
    free, place = weights_of(reward, 2)
    numbers = np.concatenate([6 * free[1:], place[1:]])
    cat = players.make("vector", game, weights=numbers, form=form, seat="cat")
    planner = players.make("planner", game, reward=reward, **options)
    for seed in range(5):
        position = position_of(5, seed)
        if position.mover == "cat":
            assert drawn_from(cat, position) == drawn_from(planner, position)


def features_of_step(position: CatTrap, tile: Tile) -> list[float]:
    """Features by which a cat of ``ways`` weighs a step, by lists of paths and repetition."""
    size, blocked = position.size, position.blocked

    def is_rim(one: Tile) -> bool:
        return not {0, size - 1}.isdisjoint(one)

    def free(one: Tile) -> list[Tile]:
        return [other for other in tiles_beside(size, one) if other not in blocked]

    def steps(one: Tile) -> float:
        return len((shortest_ways(size, one, blocked) or [[None] * 999])[0]) - 1

    tiles = [(x, y) for x in range(size) for y in range(size) if (x, y) not in blocked]
    second = {one: 0.0 if is_rim(one) else 998.0 for one in tiles}
    for _ in range(size * size):
        for one in tiles:
            if not is_rim(one):
                nearest = sorted(second[other] for other in free(one))
                second[one] = min(998.0, 1 + (nearest[1] if len(nearest) > 1 else 998.0))
    after = sorted(map(steps, free(tile)))
    block = 0.0 if is_rim(tile) else 1 + after[1] if len(after) > 1 else 998.0
    nearer = sum(steps(other) < steps(tile) for other in free(tile))
    rim = min(*tile, size - 1 - tile[0], size - 1 - tile[1])
    counted = [rim, steps(tile), block, second[tile]]
    return [*(1 / (1 + n) if n < 998 else 0.0 for n in counted), nearer / 6, len(free(tile)) / 6]


@settings(max_examples=30, deadline=None)
@given(size=st.sampled_from([3, 5, 7]), seed=st.integers(0, 10**6))
def test_a_cat_of_ways_steps_by_slow_features(size, seed):
    position = position_of(size, seed)
    if position.mover != "cat":
        return
    weights = np.random.default_rng(seed).normal(0.0, 1.0, 6).round(2)
    game = games.make("cat-trap", size=size, blocks="none")
    cat = players.make("vector", game, weights=weights, form="ways", seat="cat")
    free = [one for one in tiles_beside(size, position.cat) if one not in position.blocked]
    worth = {tile: float(weights @ features_of_step(position, tile)) for tile in free}
    best = {tile for tile in free if worth[tile] > max(worth.values()) - 1e-9}
    assert drawn_from(cat, position) == best


def features(position: CatTrap, tile: Tile) -> dict[str, float]:
    """Those by which a blocker weighs a tile, by lists of paths."""
    size, cat, blocked = position.size, position.cat, position.blocked
    out = {
        one: len((shortest_ways(size, one, blocked) or [[None] * 99])[0]) - 1 for one in (tile, cat)
    }
    known, away = {cat}, {cat: 0}
    while known:
        known = {b for a in known for b in tiles_beside(size, a) if b not in blocked | away.keys()}
        away |= dict.fromkeys(known, max(away.values()) + 1)
    over = out[tile] + away.get(tile, 98)
    is_beside, is_rim = tile in tiles_beside(size, cat), not {0, size - 1}.isdisjoint(tile)
    free = [other for other in tiles_beside(size, tile) if other not in blocked]
    return {
        "beside-cat": is_beside,
        "escape": is_beside and is_rim,
        "on-way": over == out[cat] < 98,
        "near-way": 1 / (1 + over - out[cat]) if over < 98 else 0,
        "near-cat": 1 / (1 + away[tile]) if tile in away else 0,
        "near-rim": 1 / (1 + out[tile]) if out[tile] < 98 else 0,
        "on-rim": is_rim,
        "blocked-beside": 1 - len(free) / 6,
    }


@settings(max_examples=30)
@given(size=st.sampled_from([3, 5]), seed=st.integers(0, 10**6))
def test_blockers_weigh_features_of_tiles(size, seed):
    position = position_of(size, seed)
    rng = python_random.Random(seed)
    weights = [rng.choice([-2.0, -0.5, 0.0, 0.7, 1.3]) for _ in FEATURES]
    game = games.make("cat-trap", size=size, blocks="none")
    blocker = players.make("vector", game, weights=weights, seat="blocker")
    if position.mover == "blocker":
        of_tile = {tile: features(position, tile) for tile in position.moves()}
        sums = {
            tile: sum(w * float(own[name]) for w, name in zip(weights, FEATURES, strict=True))
            for tile, own in of_tile.items()
        }
        best = {tile for tile in sums if sums[tile] > max(sums.values()) - 1e-7}
        assert drawn_from(blocker, position) == best


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"max_depth": 1, "num_states": 2}], ids=str)
def test_a_planner_keeps_the_contract(options):
    game = games.make("cat-trap", size=5)
    check_player(players.make("planner", game, gamma=0.5, epsilon=1.0, **options), game, games=4)
