"""Q-learning against slow tables, by the same draws; what it carries, and what is refused."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import learner_of_a_stranger
import numpy as np
import pytest
from naive import q_learning as naive
from run_checks import Interpreted, snapshot_bytes

import evo
from cluster import LocalEvaluator
from evo.cli.main import main
from evo.config.config import from_dict
from evo.evaluation.export import export
from evo.evaluation.players import player as player_named
from evo.learners import LEARNERS
from results import ResultsError, Run, RunWriter
from tournaments import games, players
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game, State
from tournaments.kernels.hooks import state_number
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import Stream, stream_key
from tournaments.player import compiled
from tournaments.solver.states import states_of

SMALL = {"population": 2, "snapshot_interval": 1, "seed": 3}
RANDOM = {"name": "direct", "opponent": "random", "matches": 3}
FOX = "fox-and-hounds:rows=4,cols=4"
RATES = {"epsilon": 0.3, "eta": 0.4, "gamma": 0.9}


def learned(path, generations: int = 2, evaluator=None, **learner) -> Run:
    options = {**SMALL, "game": FOX, "scheme": RANDOM, "generations": generations}
    learner = {"name": "q-learning", "turns": 400, **learner}
    return evo.run(path, options, learner=learner, evaluator=evaluator or Interpreted())


def learning_of(run: Run) -> dict:
    """What the newest snapshot carries beside the tables."""
    with RunWriter.open(run.path) as writer:
        assert writer.last is not None
        return writer.last.state["learning"]


def seed_of(role: str, row: int) -> int:
    return int(stream_key(SMALL["seed"], f"lessons of {role}", 0, row)[0])


@kernel
def row_in_table(board, states, slots, state):
    return state_number(board, states, slots, state)


def row_number(game: Game, state: State) -> int:
    states = states_of(game)
    number = build(row_in_table, game.hooks, compiled=False)
    with np.errstate(over="ignore"):
        return int(number(game.board, states.states, states.slots, state.array))


def assert_same_values(game: Game, slow: naive.Table, fast: np.ndarray) -> None:
    """The value of every action that the slow table has tried, and no other."""
    tried = 0
    for picture, row in slow.values.items():
        values = np.array([np.nan if value is None else value for value in row], dtype="f4")
        np.testing.assert_array_equal(
            fast[row_number(game, game.parse(picture))][: len(row)], values
        )
        tried += np.isfinite(values).sum()
    assert np.isfinite(fast).sum() == tried > 20


# --- the law -------------------------------------------------------------------------------------


def test_two_roles_learn_from_each_other_as_slow_tables_do(tmp_path):
    compiled_kernels = LocalEvaluator(2)
    roles = {"hounds": {"epsilon": 0.1}}
    run = learned(tmp_path / "run", evaluator=compiled_kernels, **RATES, roles=roles)
    game, learning = games.parse(FOX), learning_of(run)
    for row in range(2):
        sides = {0: naive.Table(0.3, 0.4, 0.9), 1: naive.Table(0.1, 0.4, 0.9)}
        count = naive.train(game, sides, None, seed_of("fox", row), 800)
        for seat, name in enumerate(game.seats):
            assert_same_values(game, sides[seat], run.values(2, name)[row])
            assert learning[name]["games"][row] == count
            assert learning[name]["visited"][row] == len(sides[seat].values)
            assert 800 <= learning[name]["turns"][row] < 900


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("tic-tac-toe", {}),
        ("tic-tac-toe", {"against": "random"}),
        ("dots-and-boxes:rows=1,cols=2", {}),
    ],
    ids=["by-search", "against-another", "by-a-solver"],
)
def test_seats_that_are_alike_share_a_table(spec, options):
    game, initial = games.parse(spec), 0.25
    given = {**SMALL, "game": spec, "scheme": RANDOM, "genome": {"initial": initial}}
    config = from_dict(
        given | {"learner": {"name": "q-learning", "turns": 900, **RATES, **options}}
    )
    learner = config.learner.learner(config.problem())
    generation = replace(learner.first(), number=1)
    generation = learner.train(generation, Interpreted())
    fast = generation.populations[0].genes[0]
    table = naive.Table(*RATES.values(), initial)
    if spec.startswith("dots"):  # a row for each set of edges, whoever is to move
        table.key = lambda state: state.array[3:].tobytes()
    random = players.make("random", game)
    sides = {0: table} if options else {0: table, 1: table}
    naive.train(game, sides, random.choose, seed_of("all", 0), 900)
    if not spec.startswith("dots"):
        shape = config.populations[0].genome.representation.shapes[0]
        assert_same_values(game, table, fast.reshape(shape))
    tried = [value for row in table.values.values() for value in row if value is not None]
    assert sorted(fast[np.isfinite(fast)].tolist()) == sorted(tried)
    assert generation.state["learning"]["all"]["visited"][0] == len(table.values)


def test_a_pupil_plays_one_of_its_best_actions_and_explores_as_often_as_it_is_told(tmp_path):
    run = learned(tmp_path / "run")
    game = games.parse(FOX)
    with pytest.raises(ResultsError, match=r"read them by values\("):
        run.weights(2, "fox")
    champion = compiled(player_named(str(run.path), game))
    state = game.start()
    state.play(state.legal_actions()[0])
    hounds = run.champion(2, "hounds")
    state.play(state.legal_actions()[0])
    values = run.values(2, "hounds")[hounds["individual"]][row_number(game, state)]
    legal = state.legal_actions()
    known = np.nan_to_num(values[: len(legal)])
    best = {action for action, value in zip(legal, known, strict=True) if value == known.max()}
    assert {champion.choose(state, Stream(seed)) for seed in range(60)} == best
    export(run.path, tmp_path / "t.npy")
    often = players.make(f"value-table:file={tmp_path}/t.npy,epsilon=1.0", game)
    assert {often.choose(state, Stream(seed)) for seed in range(60)} == set(legal)
    never = players.make(f"value-table:file={tmp_path}/t.npy", game)
    assert {never.choose(state, Stream(seed)) for seed in range(60)} == best


@pytest.mark.slow
def test_greedy_pupils_can_be_proved_and_measured_exactly(tmp_path):
    run = learned(tmp_path / "run", evaluator=LocalEvaluator(1), turns=20_000)
    frame = evo.best_response(run.path)
    proved = frame[frame["opponent"] == "best-response"].set_index("population")
    assert proved["exploitability"].to_dict() == {"fox": 0.0, "hounds": 0.0}
    exact = frame[frame["opponent"] == "optimal"].set_index("population")
    assert exact["win_rate"].to_dict() == {"fox": 0.0, "hounds": 1.0}  # the hounds' game


def test_a_learner_of_a_stranger_takes_a_kernel_and_one_file(tmp_path, monkeypatch):
    load = type(LEARNERS).load

    def with_theirs(registry, name):
        is_theirs = registry is LEARNERS and name == "sarsa"
        return learner_of_a_stranger.LEARNER if is_theirs else load(registry, name)

    monkeypatch.setattr(type(LEARNERS), "load", with_theirs)
    run = learned(tmp_path / "run", name="sarsa", **RATES)
    other = learned(tmp_path / "other", **RATES)
    values, others = run.values(1, "fox"), other.values(1, "fox")
    assert np.isfinite(values).sum() > 20
    assert not np.array_equal(values, others, equal_nan=True)


# --- what is carried -----------------------------------------------------------------------------


def test_a_run_in_two_parts_on_threads_is_the_run_in_one(tmp_path):
    options = {"adaptive": 0.5, "least_epsilon": 0.02}
    whole = learned(tmp_path / "whole", generations=4, **options)
    parts = learned(tmp_path / "parts", generations=2, evaluator=LocalEvaluator(1), **options)
    evo.resume(parts.path, 4, evaluator=LocalEvaluator(3))
    assert snapshot_bytes(parts.path) == snapshot_bytes(whole.path)


def test_a_lesson_is_the_same_whoever_plays_it_and_another_value_is_seen(tmp_path):
    class Compared(Interpreted):
        def work(self, pieces):
            others = [copy.deepcopy(piece).run(compiled=False) for piece in pieces]
            results = super().work(pieces)
            for piece, other, result in zip(pieces, others, results, strict=True):
                assert piece.witness(other) == piece.witness(result)
                other.a.parameters.values[-1, -1] = 7.5
                assert piece.witness(other) != piece.witness(result)
            return results

    learned(tmp_path / "run", 1, Compared())


def test_exploration_falls_while_winning_and_rises_no_higher_than_it_was(tmp_path):
    run = learned(tmp_path / "run", generations=1, adaptive=0.5, least_epsilon=0.08)
    learning = learning_of(run)
    for name in ("fox", "hounds"):
        fields = learning[name]
        for row in range(2):
            is_winning = 2 * fields["won"][row] > fields["games"][row]
            assert fields["epsilon"][row] == (0.08 if is_winning else 0.1)
    won = [learning[name]["won"][0] for name in ("fox", "hounds")]
    assert sum(won) == learning["fox"]["games"][0]


def test_one_role_alone_learns_and_the_other_stays_as_it_is(tmp_path):
    for number, against in enumerate(("self", "random")):
        options = {"learns": "hounds", "against": against, "adaptive": 0.5}
        run = learned(tmp_path / str(number), **options)
        assert learning_of(run)["fox"]["epsilon"] == [0.1, 0.1]
        assert np.isnan(run.values(2, "fox")).all()
        assert np.isfinite(run.values(2, "hounds")).any()
        assert learning_of(run)["fox"]["visited"] == [0, 0]


def test_without_a_learning_rate_nothing_is_learned(tmp_path):
    run = learned(tmp_path / "run", eta=0.0, epsilon=0.0)
    assert np.isnan(run.values(2, "fox")).all()
    assert learning_of(run)["fox"]["games"][0] > 10


def test_foxes_of_one_run_meet_hounds_of_another(tmp_path):
    foxes = learned(tmp_path / "foxes", learns="fox", against="random")
    hounds = learned(tmp_path / "hounds", learns="hounds", against="random")
    start = f"fox={foxes.path}@1+hounds={hounds.path}"
    options = {**SMALL, "game": FOX, "scheme": RANDOM, "generations": 1, "start": start}
    learner = {"name": "q-learning", "turns": 50}
    both = evo.run(tmp_path / "both", options, learner=learner, evaluator=Interpreted())
    assert both.config["start"] == f"fox={foxes.path}@1+hounds={hounds.path}@2"
    for run, generation, name in ((foxes, 1, "fox"), (hounds, 2, "hounds")):
        before, after = run.values(generation, name), both.values(0, name)
        np.testing.assert_array_equal(before, after)
    alone = evo.run(
        tmp_path / "alone",
        options | {"start": f"hounds={hounds.path}", "generations": 0},
        learner="q-learning",
        evaluator=Interpreted(),
    )
    assert np.isnan(alone.values(0, "fox")).all()


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"learner": {"name": "q-learning", "learns": "fx"}}, "did you mean 'fox'"),
        ({"learner": {"name": "q-learning", "against": "rndom"}}, "did you mean 'random'"),
        ({"learner": {"name": "q-learning", "roles": {"cat": {}}}}, "learner.roles='cat' given"),
        (
            {"learner": {"name": "q-learning", "roles": {"fox": {"eps": 1}}}},
            r"'learner\.roles\.fox\.eps'; did you mean 'epsilon'",
        ),
        (
            {"learner": {"name": "q-learning", "roles": {"fox": {"eta": 2}}}},
            r"learner\.roles\.fox\.eta=2 given; a value from 0 to 1",
        ),
        ({"learner": {"name": "q-learning", "roles": {"fox": 1}}}, "a table is expected"),
        (
            {"game": "nim", "learner": {"name": "q-learning", "adaptive": 0.1}},
            "a table that plays itself wins as often as it loses",
        ),
        ({"learner": "q-learning", "genome": "bit-network"}, "genome.encoding=value-table"),
        ({"learner": "genetic", "genome": "value-table"}, "set learner=q-learning"),
        ({"learner": "q-learning", "game": "dots-and-boxes:rows=5,cols=5"}, "has too many"),
        ({"learner": "q-learning", "game": "fox-and-hounds:rows=16,cols=16"}, "has too many"),
    ],
)
def test_what_does_not_go_together_is_refused(changes, message):
    with pytest.raises((ConfigError, TournamentError), match=message):
        from_dict({"game": FOX, **changes})


def test_a_file_of_another_size_or_of_no_values_is_refused(tmp_path, capsys):
    game = games.parse(FOX)
    np.save(tmp_path / "short.npy", np.zeros(7, dtype="f4"))
    with pytest.raises(TournamentError, match=r"holds 7 values; 452 \(a value-table for the fox"):
        players.make(f"value-table:file={tmp_path}/short.npy", game)
    np.save(tmp_path / "one.npy", np.zeros(452, dtype="f4"))
    with pytest.raises(TournamentError, match="could play; say whose they are"):
        players.make(f"value-table:file={tmp_path}/one.npy", game)
    hounds = players.make(f"value-table:file={tmp_path}/one.npy,seat=hounds", game)
    assert hounds.seats == (1,)
    (tmp_path / "whole.json").write_text(json.dumps([1] * 452))
    with pytest.raises(TournamentError, match="values are real numbers"):
        players.make(f"value-table:file={tmp_path}/whole.json,seat=fox", game)
    spec = f"value-table:file={tmp_path}/one.npy,seat=fox,epsilon=2"
    assert main(["tournament", FOX, spec, "random"]) == 2
    assert "epsilon=2 given; a value from 0 to 1" in capsys.readouterr().err
