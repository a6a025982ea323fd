"""Hill climbing and annealing: rounds, turns, archives, measures, jumps, and when it ends."""

from __future__ import annotations

import itertools
import shutil
from itertools import pairwise
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest
from naive.climbing import Climb
from run_checks import snapshot_bytes

import evo
from cluster import LocalEvaluator
from evo.config import config as configuration
from evo.evolution.checkpoint import restored
from evo.evolution.loop import Archipelago, Clock, evaluate
from evo.evolution.start import learner_of
from evo.learners.annealing import AnnealingOptions
from evo.population import ARCHIVE, NO_PARENT, Generation
from results import RunWriter
from tournaments.errors import ConfigError, TournamentError
from tournaments.players.table import TableEncoding

ODD = "cat-and-mouse:rows=3,cols=4"  # cat first: it can win
SAFE = "cat-and-mouse:rows=4,cols=4"  # the mouse can always escape
ANY = "cat-and-mouse:rows=3,cols=4,cat_start=any,mouse_start=any,end=move-limit"
PAIRS = {"encoding": "position-table", "pairs": True}
SMALL = {"candidates": 3, "changes": 4}
CASES: dict[str, dict[str, Any]] = {
    "candidates": {"learner": {"candidates": 7}},
    "changes": {"learner": {"changes": 1}},
    "changes_drawn": {"learner": {"changes_drawn": True}},
    "measures": {"learner": {"measures": ["distance", "score"]}},
    "drift": {"learner": {"drift": True}},
    "archive": {"learner": {"archive": 2, "candidates": 6}},
    "panel": {"learner": {"panel": ["random", "greedy"]}},
    "current": {"learner": {"current": False, "archive": 1, "panel": ["greedy"]}},
    "games": {"learner": {"games": 3}, "game": ANY},
    "same_games": {"learner": {"games": 2, "same_games": True}, "game": ANY},
    "turn_after": {"learner": {"turn_after": 3, "archive": 2}, "game": SAFE},
    "jump_after": {"learner": {"jump_after": 2, "most_changes": 10}},
    "annealing": {
        "learner": {"name": "annealing", "temperature": 3.0, "candidates": 1, "changes": 40}
    },
    "no_drift": {"learner": {"name": "annealing", "drift": False, "temperature": 0.4}},
    "pairs": {"genome": PAIRS, "learner": {"archive": 2, "panel": ["random"]}},
    "first": {"game": ODD + ",first=mouse"},
}
BASES = {  # what an option is compared with, where it is not the plain case on the same board
    "turn_after": {"learner": {"archive": 2}, "game": SAFE},
    "same_games": {"learner": {"games": 2}, "game": ANY},
    "current": {"learner": {"archive": 1, "panel": ["greedy"]}},
    "no_drift": {"learner": {"name": "annealing", "temperature": 0.4}},
}


def config_of(case: dict[str, Any], **top: Any) -> configuration.Config:
    learner = {"name": "hill-climbing", **SMALL, **case.get("learner", {})}
    return configuration.from_dict({"game": ODD, "seed": 6, **case, **top, "learner": learner})


def rounds(config: configuration.Config, number: int):
    """Each of so many rounds: the generation, and what came of it."""
    learner, evaluator = learner_of(config), LocalEvaluator(1)
    generation = learner.first()
    for _ in range(number):
        evaluated, _ = evaluate(config, learner, evaluator, generation, Clock())
        yield generation, evaluated
        generation = learner.next(evaluated)


def genes(generation: Generation) -> dict[str, list[list[int]]]:
    return {one.name: one.genes.tolist() for one in generation.populations}


@pytest.mark.parametrize(("name", "seed"), list(zip(CASES, itertools.cycle([7, 8]))))
def test_rounds_are_those_of_a_slow_climber_written_apart(name, seed):
    config = config_of(CASES[name], seed=seed)
    climb = Climb(config)
    for number, (generation, evaluated) in enumerate(rounds(config, 15)):
        expected, found, state = climb.play_round(), genes(generation), evaluated.state
        assert found[config.populations[expected.learning].name] == expected.challengers, number
        for side, incumbent in expected.incumbents.items():
            assert found[side][0] == incumbent, number
            assert found.get(side + ARCHIVE, []) == expected.archives[side], number
        told = [state[field] for field in ("learning", "accepted", "then", "stuck")]
        held = expected
        assert told == [held.learning, held.accepted, held.then, held.stuck], number
        ranks = [sum(other < merit for other in expected.merits) for merit in expected.merits]
        learning = evaluated.by_name[config.populations[expected.learning].name]
        ranks[expected.accepted] += 0.5
        assert learning.fitness.tolist() == ranks


@pytest.mark.parametrize("name", sorted(set(CASES) - {"annealing", "pairs", "first"}))
def test_every_option_matters(name):
    case = CASES[name]
    base = BASES.get(name, {"game": case["game"]} if "game" in case else {})
    assert played(config_of(case)) != played(config_of(base))


def played(config: configuration.Config, number: int = 40) -> list[Any]:
    return [
        (genes(generation), evaluated.state) for generation, evaluated in rounds(config, number)
    ]


# --- turns and archives ------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "loser"), [(6, "mouse"), (9, "cat")])
def test_who_loses_the_first_game_learns_first(seed, loser):
    (opening, met), (first, _) = rounds(config_of({}, seed=seed), 2)
    assert [len(one) for one in opening.populations] == [1, 1]
    assert met.by_name[loser].tally.losses.tolist() == [1]
    assert {one.name: len(one) for one in first.populations}[loser] == 1 + SMALL["candidates"]


def test_a_turn_goes_on_until_all_games_are_won_and_no_longer():
    generations = list(rounds(config_of({}, seed=8), 60))
    turns = 0
    for _, evaluated in generations[1:]:
        state, plans = evaluated.state, ("cat", "mouse")
        side = evaluated.by_name[plans[state["learning"]]]
        wins_all = side.tally.wins[state["accepted"]] == side.tally.games[state["accepted"]]
        assert (state["then"] != state["learning"]) == wins_all
        turns += wins_all
    assert turns > 5


def test_a_turn_ends_with_all_games_won_or_after_so_many_rounds():
    states = [met.state for _, met in rounds(config_of(CASES["turn_after"], seed=8), 60)]
    lengths = [
        state["rounds"]
        for state, after in pairwise(states[1:])
        if after["learning"] != state["learning"]
    ]
    assert set(lengths) <= {1, 2, 3}
    assert len(set(lengths)) > 1
    assert 3 in lengths


def test_an_archive_holds_what_a_side_put_forward_but_for_its_incumbent():
    generations = list(rounds(config_of({"learner": {"archive": 3}}, seed=8), 120))
    put_forward: dict[str, list[list[int]]] = {"cat": [], "mouse": []}
    fullest = 0
    for (generation, met), (after, _) in pairwise(generations):
        side, newer = met.state["learning"], genes(after)
        if generation.number and met.state["then"] != side:
            name = ("cat", "mouse")[side]
            put_forward[name].append(genes(generation)[name][met.state["accepted"]])
        met_now = ("mouse", "cat")[after.state["learning"]]
        if put_forward[met_now]:
            *earlier, last = put_forward[met_now]
            archive = newer.get(met_now + ARCHIVE, [])
            known = min(3, len(earlier))
            assert newer[met_now] == [last]
            assert archive[len(archive) - known :] == earlier[len(earlier) - known :]
            fullest = max(fullest, known)
    assert fullest == 3


def test_ids_are_unique_in_a_run_and_name_who_was_varied():
    seen: dict[int, list[int]] = {}
    newest: set[int] = {NO_PARENT}
    for generation, _ in rounds(config_of(CASES["archive"], seed=8), 60):
        ids: list[int] = []
        for one in generation.populations:
            rows = zip(one.ids.tolist(), one.genes.tolist(), one.parents.tolist(), strict=True)
            for number, row, (parent, other) in rows:
                assert other == NO_PARENT
                if one.name.endswith(ARCHIVE):
                    assert seen[number] == row
                    continue
                assert number not in seen
                assert parent in newest
                if parent != NO_PARENT:
                    changed = np.count_nonzero(np.array(row) != seen[parent])
                    assert changed <= SMALL["changes"]
                seen[number] = row
                ids.append(number)
        newest = set(ids)


def test_variants_jump_further_the_longer_nothing_was_gained():
    jumping = {"jump_after": 4, "most_changes": 14, "changes": 1, "candidates": 40}
    config = config_of({"game": SAFE, "learner": jumping}, seed=7)
    furthest = []
    for generation, _ in rounds(config, 40):
        side = generation.state["learning"]
        most = min(1 << generation.state["without_gain"][side] // 4, 14)
        rows = generation.populations[side].genes
        changed = np.count_nonzero(rows[1:] != rows[0], axis=1)
        if generation.number:
            assert changed.max() <= most
            furthest.append(changed.max() > most - 1)
    assert sum(furthest) > 30
    assert most == 14


# --- annealing ---------------------------------------------------------------------------------


class Fixed:
    """Measures of an incumbent and one variant that is worse by a loss."""

    def __init__(self, loss: float) -> None:
        self.lost = loss

    def best_variant(self) -> int:
        return 1

    def compare(self, one: int, other: int) -> int:
        return -1

    def loss(self, row: int) -> float:
        return self.lost


@pytest.mark.parametrize(
    ("loss", "temperature"), [(0.1, 0.1), (0.02, 0.1), (0.5, 0.25), (1.0, 0.3)]
)
def test_what_is_worse_is_taken_as_often_as_its_probability_says(loss, temperature):
    """Of 4,000 rounds, within 4 standard deviations: one in 16,000 seeds would fail."""
    rule = AnnealingOptions(temperature=temperature, half_life=1e12)
    taken = sum(rule.accepted(Fixed(loss), generation, 1) for generation in range(4000))
    expected = exp(-loss / temperature)
    assert abs(taken / 4000 - expected) <= 4 * sqrt(expected * (1 - expected) / 4000)


def test_the_temperature_halves_each_half_life():
    rule = AnnealingOptions(temperature=0.8, half_life=50.0)
    assert rule.temperature_of(0) == 0.8
    for generation in range(0, 5000, 7):
        expected = 0.8 * 0.5 ** (generation / 50)
        assert rule.temperature_of(generation) == pytest.approx(expected, rel=3e-14)
    exact = ["0x1.93f5fe934578fp-1", "0x1.999999999999ap-2", "0x1.21a1851ff630bp-2"]
    assert [rule.temperature_of(generation).hex() for generation in (1, 50, 75)] == exact


@pytest.mark.parametrize("temperature", [0.0, 1e-300])
def test_without_temperature_nothing_worse_is_taken(temperature):
    rule = AnnealingOptions(temperature=temperature)
    assert not any(rule.accepted(Fixed(1e-6), generation, 1) for generation in range(200))


def test_annealing_takes_steps_back():
    climb = Climb(config_of(CASES["annealing"], seed=8))
    steps = [climb.play_round() for _ in range(30)]
    assert any(one.merits[one.accepted] < one.merits[0] for one in steps)


# --- runs --------------------------------------------------------------------------------------

FULL = {
    "game": SAFE,
    "snapshot_interval": 4,
    "generations": 22,
    "seed": 7,
    "learner": {
        "name": "annealing", "archive": 2, "turn_after": 3, "jump_after": 2, "games": 2,
        "panel": ["random"], "temperature": 0.5, "half_life": 6.0,
    },
}  # fmt: skip
NETWORKS = {
    "game": "dots-and-boxes:rows=1,cols=2",
    "snapshot_interval": 4,
    "generations": 22,
    "learner": {"name": "hill-climbing", "archive": 2, "panel": ["level-0"], "changes": 30},
}


@pytest.mark.parametrize("options", [FULL, NETWORKS], ids=["tables", "networks"])
def test_resumed_forked_or_shared_a_run_is_the_same_to_the_last_byte(options, tmp_path):
    evo.run(tmp_path / "whole", options, evaluator=LocalEvaluator(1, 10**9))
    expected = snapshot_bytes(tmp_path / "whole")
    assert len(expected) == 7 + 1  # and the list of digests

    evo.run(tmp_path / "begun", options, generations=5, threads=2)
    shutil.copytree(tmp_path / "begun", tmp_path / "forked")
    evo.resume(tmp_path / "begun", 13, evaluator=LocalEvaluator(3, 1))
    evo.resume(tmp_path / "begun", 22, evaluator=LocalEvaluator(2, 5))
    evo.resume(tmp_path / "forked", 22, threads=1)
    assert snapshot_bytes(tmp_path / "begun") == expected
    assert snapshot_bytes(tmp_path / "forked") == expected


STOPPING = {
    "game": SAFE,
    "generations": 500,
    "seed": 7,
    "learner": {"name": "hill-climbing", "stop_after": 9, **SMALL},
}


def test_a_run_stops_where_nothing_is_gained_and_says_so_then_and_when_it_is_resumed(tmp_path):
    said: list[str] = []
    evolved = evo.run(tmp_path / "run", STOPPING, threads=1, announce=said.append)
    newest = evolved.snapshots[-1]
    assert 9 <= newest < 500
    line = f"done: no gain in 9 rounds (learner.stop_after=9) at generation {newest}; "
    assert said[-1].startswith(line)
    before = snapshot_bytes(tmp_path / "run")

    for generations in (None, 900):
        said.clear()
        evo.resume(tmp_path / "run", generations, threads=1, announce=said.append)
        assert said[-1].startswith(line)
        assert snapshot_bytes(tmp_path / "run") == before

    with RunWriter.open(tmp_path / "run") as writer:
        config = configuration.from_dict(writer.config)
        assert (
            Archipelago(config, [learner_of(config)], LocalEvaluator(1), writer)
            .evolve()
            .startswith("no gain in 9")
        )
        (last,) = restored(config, writer.last)
    longer = config_of(STOPPING | {"learner": {**STOPPING["learner"], "stop_after": 0}}, seed=7)
    stuck = [met.state["stuck"] for _, met in rounds(longer, newest + 1)]
    assert last.state["stuck"] == stuck[-1] == 9
    assert max(stuck[:-1]) < 9


# --- what is refused ---------------------------------------------------------------------------


def test_tables_are_looked_at_where_they_come_in_and_not_in_every_round(monkeypatch, tmp_path):
    looks = []
    look = TableEncoding.checked
    monkeypatch.setattr(TableEncoding, "checked", lambda *given: looks.append(1) or look(*given))
    evo.run(tmp_path / "run", FULL, threads=1)
    assert not looks
    evo.resume(tmp_path / "run", 26, threads=1)
    assert 0 < len(looks) < 6

    config = configuration.from_dict(FULL)
    with RunWriter.open(tmp_path / "run") as writer:
        last = writer.last
    last.columns["genome"] = np.array(last.columns["genome"])
    last.columns["genome"][0, 1] = 7
    with pytest.raises(TournamentError, match="action 7 given as gene 1 of a position-table"):
        restored(config, last)


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        ({"current": False}, "current=false and no panel given"),
        ({"current": False, "archive": 3}, "there is no opponent in the first rounds"),
        ({"measures": []}, "at least one, is expected"),
        ({"measures": ["wins", "wins"]}, "at most once"),
        ({"measures": ["speed"]}, "one of wins, score, plies, distance is expected"),
        ({"candidates": 100_000, "games": 1_000_000}, "matches a generation; at most"),
        ({"archive": 100_000, "candidates": 100_000}, "matches a generation; at most"),
    ],
)
def test_what_cannot_climb_is_refused(learner, message):
    with pytest.raises(ConfigError, match=message):
        config_of({"learner": learner})


def test_more_variants_than_memory_holds_are_refused():
    with pytest.raises(ConfigError, match="genes in the population; at most"):
        config_of({"game": "cat-and-mouse:rows=20,cols=20", "learner": {"candidates": 100_000}})
