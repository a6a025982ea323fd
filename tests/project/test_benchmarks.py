"""The peers of the benchmarks play the same games: their rates mean nothing otherwise."""

from __future__ import annotations

import ast
import importlib
import json
import math
import shutil
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import ROOT

from benchmarks import JOBS, boxes_of_edges, capture_the_flag, cat_trap, karate, pursuit, q_learning
from benchmarks import set as set_benchmark
from benchmarks.beside_c import refuse_difference
from benchmarks.games import OURS, PEERS, arena_player, measure, show_what_is_left_out
from benchmarks.peers import c_loop, openspiel_peer
from benchmarks.timing import Plan, Play, compare, matches_for
from cluster import Entrants, LocalEvaluator
from cluster.evaluator import all_outcomes
from evo.studies.set import in_python
from evo.studies.set.study import tables_at_random
from tests.naive import dots_and_boxes as naive
from tournaments import games
from tournaments.arena.entrants import Genomes
from tournaments.kernels.rng import match_seeds
from tournaments.players.network import Encoding, layers_for
from tournaments.players.network import play as network
from tournaments.players.network.weights import Parameters, from_weights
from tournaments.schedules.base import Listed, Matches

needs_gcc = pytest.mark.skipif(not c_loop.available(), reason="gcc is not on the path")
DEVIATIONS = 4.5
"""Standard errors within which two means of the same games lie, but for one time in 100,000."""


def gentle_networks(rows: int, cols: int, count: int = 40) -> np.ndarray:
    """Weights, float64 [count, W], by which no two outputs are equal."""
    rng = np.random.default_rng(rows * 10 + cols)
    width = Encoding(layers_for(games.make("dots-and-boxes", rows=rows, cols=cols))).num_weights
    return rng.uniform(-2.0, 2.0, (count, width))


@dataclass(frozen=True)
class Weights:
    """Real weights as a representation: the index of a network is its genome."""

    layers: tuple[int, int, int]
    weights: np.ndarray
    kind = network.KIND
    seats = (0, 1)

    def parameters(self, genomes: np.ndarray) -> Parameters:
        return from_weights(self.layers, self.weights[genomes[:, 0]])


def our_leads(rows: int, cols: int, weights: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The first seat's lead in a game of each pair of networks, int [M]."""
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    genomes = np.arange(len(weights), dtype=np.uint8)[:, None]
    entrants = Entrants(game, (), (Genomes(Weights(layers_for(game), weights), genomes),))
    matches = Matches(Listed(pairs), 0, "test", games=1)
    outcomes = all_outcomes(LocalEvaluator(threads=1), entrants, matches)
    return outcomes[:, 0, 0].astype(int) - outcomes[:, 0, 1]


def is_near(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two samples may have the same mean."""
    error = math.sqrt(one.var() / len(one) + other.var() / len(other))
    return abs(one.mean() - other.mean()) <= DEVIATIONS * error


def plays_like_ours(play: Play, job: str, size: int, matches: int) -> bool:
    """Whether the first player's points a game (1, 1/2 or 0) may be those of our arena."""
    ours = arena_player(job, size, LocalEvaluator(threads=1))
    samples = [np.repeat([1.0, 0.5, 0.0], found) for found in (play(matches), ours(4000))]
    return is_near(*samples)


# --- what peers share --------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 3), (3, 2), (3, 3)])
def test_the_boxes_beside_an_edge_are_those_that_hold_its_line(rows, cols):
    boxes = naive.boxes_of_board(rows, cols)
    expected = [
        [number for number, box in enumerate(boxes) if line in box]
        for line in naive.lines_of_board(rows, cols)
    ]
    assert boxes_of_edges(rows, cols) == expected


class Clock:
    """A clock that players put forward, so that a test of rates waits for nothing."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def player(self, games_per_second: float, batch: int = 1):
        def play(matches: int) -> tuple[int, int, int]:
            played = -(-2 * matches // batch) * batch
            self.now += played / games_per_second
            return played, 0, 0

        return play


@given(st.floats(1.0, 1e6), st.floats(1.0, 1e6), st.sampled_from([1, 64, 1000]))
def test_a_ratio_is_that_of_the_rates_whatever_comes_in_a_batch(ours, theirs, batch):
    clock = Clock()
    plan = Plan(seconds=0.1, rounds=3, clock=clock)
    found = compare(clock.player(ours), clock.player(theirs, batch), plan)
    assert found.ours == pytest.approx(ours)
    assert found.theirs == pytest.approx(theirs)
    assert found.ratio == pytest.approx(ours / theirs)


def test_the_first_call_which_compiles_does_not_count():
    clock, calls = Clock(), []
    play = clock.player(1000.0)

    def slow_at_first(matches: int) -> tuple[int, int, int]:
        clock.now += 0.0 if calls else 60.0
        calls.append(matches)
        return play(matches)

    assert matches_for(slow_at_first, Plan(0.1, 1, clock)) == 50


def test_the_product_never_imports_a_peer():
    for package in ("evo", "tournaments", "cluster", "results"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [name.name for name in getattr(node, "names", []) if hasattr(name, "name")]
                names += [getattr(node, "module", None) or ""]
                roots = {name.partition(".")[0] for name in names}
                is_adapter = "adapters" in path.parts  # which is imported where it is named
                peers = {"jax", "jaxlib", "benchmarks", *([] if is_adapter else ["pyspiel"])}
                assert not roots & peers, path


# --- the C loop --------------------------------------------------------------------------------


@needs_gcc
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("job", list(JOBS))
@pytest.mark.slow
def test_the_c_loop_plays_as_our_arena_does(job, size):
    assert plays_like_ours(c_loop.Loop(job, size, size).play, job, size, 4000)


@needs_gcc
@pytest.mark.parametrize("real", ["double", "float"])
@pytest.mark.parametrize("job", list(JOBS))
@pytest.mark.slow
def test_no_c_loop_draws_on_an_odd_number_of_boxes(job, real):
    won, drawn, lost = c_loop.Loop(job, 3, 3, real=real).play(500)
    assert (won + lost, drawn) == (1000, 0)


# --- cat and mouse in C ------------------------------------------------------------------------


@needs_gcc
@pytest.mark.parametrize(
    "options", [{}, {"end": "move-limit"}, {"rows": 5, "cols": 5, "first": "mouse"}]
)
@pytest.mark.parametrize("job", list(pursuit.JOBS))
@pytest.mark.slow
def test_every_game_of_cat_and_mouse_in_c_is_ours(job, options):
    game = games.make("cat-and-mouse", **options)
    arena, tables = pursuit.our_arena(job, game)
    some = pursuit.games_of(tables, 3000)
    ours = arena(some)
    refuse_difference(job, ours, pursuit.Loop(job, game, tables).play(some))
    assert 0 < ours[:, 0, 0].sum() < len(ours) or job == "optimal-random"


def test_a_game_that_differs_in_c_is_shown():
    ours = np.zeros((3, 1, 4), dtype=np.int16)
    theirs = ours.copy()
    theirs[1, 0] = 1, 0, 7, 0
    with pytest.raises(RuntimeError, match=r"1 of 3 games differ, the first 1: .*\[1, 0, 7, 0\]"):
        refuse_difference("random-random", ours, theirs)


@pytest.mark.parametrize("has_gcc", [True, False])
def test_a_quick_run_prints_rates_and_the_ratio_to_c(has_gcc, monkeypatch, capsys):
    monkeypatch.setattr(c_loop, "available", lambda: has_gcc and shutil.which("gcc") is not None)
    command = ["pursuit", "--quick", "--json", "--jobs", "table-table"]
    monkeypatch.setattr(sys, "argv", command)
    pursuit.main()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [line["benchmark"] for line in lines if line.get("job") == "table-table"]
    expected = ["pursuit-games", "pursuit-moves", "pursuit-ratio"][: 3 if c_loop.available() else 2]
    assert found == 2 * expected
    assert all(line["value"] > 0 for line in lines if "job" in line)
    assert [line["left_out"] for line in lines if "left_out" in line] == (
        [] if c_loop.available() else ["install gcc"]
    )


@pytest.mark.slow
@needs_gcc
def test_q_learning_in_c_comes_to_the_same_values():
    q_learning.check_equal(30_000)
    one, other = q_learning.empty_tables(), q_learning.empty_tables()
    counts = q_learning.our_learning(one, 3_000)
    assert counts[2] + counts[3] == counts[1] > 20
    q_learning.their_learning(other, 4_000)
    assert not np.array_equal(one.fox, other.fox, equal_nan=True)


# --- OpenSpiel ---------------------------------------------------------------------------------


@pytest.mark.peers
@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("job", list(JOBS))
def test_openspiel_plays_as_our_arena_does(job, observed):
    pytest.importorskip("pyspiel")
    peer = openspiel_peer.Peer(job, 2, 2, observed=observed)
    assert plays_like_ours(peer.play, job, 2, 1000)


@pytest.mark.peers
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 3), (3, 2), (5, 5)])
def test_a_board_read_from_openspiel_is_the_one_that_is_kept(rows, cols):
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game(
        f"dots_and_boxes(num_rows={rows},num_cols={cols})"
    ).new_initial_state()
    kept, observed = openspiel_peer.KeptBoard(rows, cols), openspiel_peer.ObservedBoard(rows, cols)
    for edge in np.random.default_rng(0).permutation(len(boxes_of_edges(rows, cols))).tolist():
        assert observed.drawn(state).tolist() == kept.drawn(state).tolist()
        assert observed.sides(state) == kept.sides(state)
        state.apply_action(edge)
        kept.draw(edge)


# --- JAX ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def jax_peer():
    pytest.importorskip("jax")
    return importlib.import_module("benchmarks.peers.jax_peer")


def jax_leads(jax_peer, rows: int, cols: int, weights: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    table = jax_peer.networks_of(weights, rows, cols, "float64")
    key = jax_peer.jax.random.key(0)
    return np.array(jax_peer.leads(table, jax_peer.sides_of(rows, cols), pairs, key))


@pytest.mark.peers
@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 3), (3, 2), (5, 5)])
def test_the_rules_in_jax_are_ours_move_for_move(jax_peer, rows, cols):
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    rng = np.random.default_rng(0)
    for _ in range(20):
        edges = rng.permutation(game.num_actions).astype(np.int32)
        state, expected = game.start(), []
        for edge in edges.tolist():
            before = state.seat_to_move
            state.play(edge)
            mover = before if state.is_over else state.seat_to_move
            expected.append((int(state.scores[0] - state.scores[1]), mover))
        leads, seats = jax_peer.replay(jax_peer.sides_of(rows, cols), edges)
        assert list(zip(leads.tolist(), seats.tolist(), strict=True)) == expected


@pytest.mark.peers
@pytest.mark.parametrize(("rows", "cols"), [(2, 3), (3, 3), (5, 5)])
def test_networks_without_ties_end_every_game_as_ours_do(jax_peer, rows, cols):
    weights = gentle_networks(rows, cols)
    pairs = np.random.default_rng(1).integers(0, len(weights), (300, 2)).astype(np.int32)
    ours = our_leads(rows, cols, weights, pairs)
    assert len(set(ours.tolist())) > 3
    assert jax_leads(jax_peer, rows, cols, weights, pairs).tolist() == ours.tolist()


@pytest.mark.peers
def test_ties_in_jax_are_broken_as_ours_are(jax_peer):
    """A network of zeros plays at random; it meets itself and networks that do not."""
    weights = gentle_networks(3, 3)
    weights[0] = 0.0
    for other in (0, 1, 2):
        pairs = np.tile(np.array([[0, other]], dtype=np.int32), (8192, 1))
        sample = jax_leads(jax_peer, 3, 3, weights, pairs)
        ours = our_leads(3, 3, weights, pairs)
        assert is_near(sample, ours)
        assert is_near(sample**2, ours**2)


@pytest.mark.peers
@pytest.mark.parametrize("real", ["float64", "float32"])
def test_jax_plays_whole_batches_with_the_seats_swapped(jax_peer, real):
    lockstep = jax_peer.Lockstep(3, 3, real, batch=64)
    assert sum(lockstep.play(1)) == 64
    assert sum(lockstep.play(65)) == 192
    assert plays_like_ours(lockstep.play, "network", 3, 2000)


# --- the command -------------------------------------------------------------------------------


def run_games(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.games", "--quick", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


@pytest.mark.slow
def test_a_quick_run_prints_every_peer_and_its_ratio():
    lines = [json.loads(line) for line in run_games("--json").stdout.splitlines()]
    rates = [line for line in lines if line["benchmark"] == "games" and not line.get("left_out")]
    ratios = [line for line in lines if line["benchmark"] == "games-ratio"]
    assert {line["job"] for line in rates} == set(OURS)
    assert {line["board"] for line in rates} == {"3x3"}
    others = [line["by"] for line in rates if line["by"] != "evo-tournaments"]
    assert [line["unit"] for line in ratios] == [f"times {by}" for by in others]
    assert all(line["value"] > 0 for line in rates + ratios)


def test_a_peer_that_is_missing_is_named_with_what_to_install(monkeypatch, capsys):
    missing = [peer._replace(available=lambda: False) for peer in PEERS]
    monkeypatch.setattr("benchmarks.games.PEERS", missing)
    show_what_is_left_out(as_json=False)
    for peer, line in zip(PEERS, capsys.readouterr().out.splitlines(), strict=True):
        assert line == f"{peer.name} is left out: {peer.install}"
    rows = []
    measure("network", 2, Plan(1e-3, 1), lambda *rates, **fields: rows.append(fields["by"]))
    assert rows == ["evo-tournaments"] * 2


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize("job", cat_trap.DUEL.jobs)
@pytest.mark.parametrize("size", [5, 9])
def test_the_cat_trap_in_c_plays_our_games(job, size):
    seeds = match_seeds(3, "test", 0, 2000 if job == "random" else 30)
    assert cat_trap.DUEL.check_equal(job, games.make("cat-trap", size=size), seeds) > 1.0


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize("job", karate.DUEL.jobs)
def test_karate_in_c_plays_our_games(job):
    karate.DUEL.check_equal(job, games.parse("karate:rounds=100"), match_seeds(3, "test", 0, 300))


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize("job", capture_the_flag.DUEL.jobs)
@pytest.mark.parametrize("options", [{"maze": "small", "moves": 200}, {"maze": 4, "moves": 900}])
def test_capture_the_flag_in_c_plays_our_games(job, options):
    seeds = match_seeds(3, "test", 0, 300 if job == "random" else 30)
    assert (
        capture_the_flag.DUEL.check_equal(job, games.make("capture-the-flag", **options), seeds)
        > 1.0
    )


# --- set -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_solver_of_set_that_differs_from_another_ends_the_benchmark(monkeypatch):
    tables = tables_at_random(5)
    set_benchmark.check_equal(tables)
    monkeypatch.setitem(in_python.SOLVERS, "pairs", lambda cards: [])
    with pytest.raises(RuntimeError, match="pairs finds"):
        set_benchmark.check_equal(tables)
