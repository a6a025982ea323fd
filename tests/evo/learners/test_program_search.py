"""Programs that evolve: a mutator that answers at random, its recording, its budget, its faults."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import evo
import results
import tournaments.players.programs
from cluster import LocalEvaluator, RayEvaluator
from evo.cli.main import main
from evo.config.tables import merge
from evo.learners.program_search.edits import crossed, edited
from evo.learners.program_search.mutator import (
    MutatorError,
    hide_secrets,
    mutator_of,
    secrets_of,
)
from tournaments import TournamentError, contest
from tournaments.errors import ConfigError, Disqualified
from tournaments.players.bot.sandbox import own_namespaces
from tournaments.players.programs import FIRST_BOT, ProgramFile, Programs, remember

REFUSED = (ConfigError, TournamentError)
ARENA = """
import tournaments

def more(players, seed):
    values = [float(open(player).read().split()[0]) for player in players]
    return {"scores": values, "text": f"{values[0]} against {values[1]}"}

DUEL = tournaments.contest(more, seats=("red", "blue"))
MORE = tournaments.contest(more)

def called(players, seed):
    return [player(seed) for player in players]

CALLED = tournaments.contest(called)
"""
MUTATORS = """
import json, os, random, time

def note(request):
    with open("calls", "a") as file:
        file.write(json.dumps(request) + "\\n")

def by_chance(request):
    note(request)
    value = float(request["parents"][0]["source"].split()[0]) + random.random() - 0.3
    return {"child": f"{value} {random.random()}", "note": "at random", "cost": 0.25}

def slowly(request):
    time.sleep(0.02 * random.random())
    return by_chance(request)

def sometimes(request):
    number = request["request"]
    if number % 3 == 0 and request["attempt"] == 0 or number % 5 == 0:
        note(request)
        raise ValueError(f"is tired of {os.environ.get('EVO_TEST_KEY')}")
    return by_chance(request)

def never(request):
    note(request)
    raise ValueError("is out of order")

def hangs(request):
    note(request)
    time.sleep(60)

def wrong(request):
    note(request)
    return {"text": "?"}
"""
PROGRAM = """
import json, os, sys
request = json.load(sys.stdin)
assert "EVO_TEST_OTHER" not in os.environ
if request["individual"] == 1 and request["attempt"] == 0:
    sys.exit(f"key={os.environ['EVO_TEST_KEY']!r}")
child = os.environ["EVO_TEST_KEY"] if request["individual"] == 2 else "7"
print(json.dumps({"child": child, "note": os.environ["EVO_TEST_KEY"]}))
"""
SEARCH = {
    "game": "./arena.py:MORE",
    "genome": {"encoding": "program", "files": ["first.txt"]},
    "learner": {"name": "program-search", "mutator": "./mutators.py:by_chance", "pause": 0.0},
    "scheme": "round-robin",
    "population": 5,
    "generations": 3,
    "snapshot_interval": 1,
}
FUNCTIONS = {
    "game": "./arena.py:CALLED",
    "genome": {"encoding": "program", "function": "act"},
    "learner": "program-search",
    "scheme": "round-robin",
    "population": 3,
    "generations": 0,
}


@pytest.fixture
def arena(here: Path) -> Path:
    """A working folder with a contest, mutators and a first program."""
    (here / "arena.py").write_text(ARENA)
    (here / "mutators.py").write_text(MUTATORS)
    (here / "mutator.py").write_text(PROGRAM)
    (here / "first.txt").write_text("1.0\n")
    (here / "odd.py").write_text("def (")
    return here


def searched(out: str, mutator: str = "", more: dict | None = None, **learner) -> results.Run:
    """Evolve programs by a mutator of the file of mutators, or by a command line."""
    name = mutator if "." in mutator else f"./mutators.py:{mutator or 'by_chance'}"
    table = {**SEARCH["learner"], "mutator": name, **learner}
    return evo.run(out, {**SEARCH, "learner": table, **(more or {})}, threads=1)


def snapshots(path: Path | str) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((Path(path) / "snapshots").iterdir())}


def calls(here: Path) -> list[dict]:
    return [json.loads(line) for line in (here / "calls").read_text().splitlines()]


# --- records ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "islands"), [("MORE", None), ("DUEL", {"count": 2, "every": 1})])
def test_a_replay_has_the_same_bytes_and_calls_nothing(arena, game, islands):
    more = {"game": f"./arena.py:{game}", "lineage": True}
    more |= {"islands": islands} if islands else {}
    run = searched("a", "slowly", more)
    asked = len(calls(arena))
    populations = (2 if game == "DUEL" else 1) * (2 if islands else 1)
    assert asked == populations * 4 * 3
    (arena / "first.txt").unlink()
    assert main(["run", "--replay", "a", "--out", "b", "--trust"]) == 0
    assert snapshots("a") == snapshots("b")
    assert len(calls(arena)) == asked
    assert snapshots("a") != snapshots(searched_again(arena, more).path)
    frame = run.mutations
    assert (frame["outcome"] == "child").all()
    assert frame["cost"].sum() == asked / 4
    sources = {row.source for row in frame.itertuples()}
    born = run.population(3).query("parent_a != id")
    assert set(born["source"]) <= sources | set(run.population(0)["source"])


def searched_again(arena: Path, more: dict) -> results.Run:
    (arena / "first.txt").write_text("1.0\n")
    return searched("c", "slowly", more)


def test_snapshots_hold_the_texts_and_lineage_the_changes(arena):
    run = searched("a", more={"generations": 4})
    for generation in range(5):
        frame = run.population(generation)
        digests = [row.genome for row in frame.itertuples()]
        assert [hashlib.sha256(text.encode()).digest() for text in frame["source"]] == digests
        assert run.programs(generation) == frame["source"].tolist()
    champion = run.champion()
    family = run.lineage()
    assert family["source"].iloc[-1] == champion["source"]
    every = {
        int(row.id): row.source
        for generation in range(5)
        for row in run.population(generation).itertuples()
    }
    assert [every[int(number)] for number in family["id"]] == family["source"].tolist()
    line = family[family["is_first_line"]]
    text = line["source"].iloc[0]
    for row in line.iloc[1:].itertuples():
        if row.source != text:
            assert f"+{row.source.splitlines()[0]}" in row.diff.splitlines()
            assert f"-{text.splitlines()[0]}" in row.diff.splitlines()
        else:
            assert row.diff == ""
        text = row.source
    best = [run.population(g)["source"].map(lambda t: float(t.split()[0])).max() for g in (0, 4)]
    assert best[1] > best[0]


def test_archives_hold_programs_and_a_run_starts_from_those_of_another(arena):
    more = {"scheme": {"name": "hall-of-fame", "kept": 2}, "keep_last": 1}
    run = searched("a", more={**more, "generations": 6, "game": "./arena.py:DUEL"})
    assert run.snapshots == [0, 6]
    names = run.population()["population"].unique()
    assert {*names} == {"red", "blue", "red-archive", "blue-archive"}
    family = run.lineage()
    assert family["source"].iloc[0] == "1.0\n"
    assert family["source"].iloc[-1] == run.champion()["source"]
    evo.run("b", replay="a", trust=True)
    assert snapshots("a") == snapshots("b")
    fork = {**SEARCH, **more, "game": "./arena.py:DUEL", "start": "a", "generations": 1}
    with pytest.raises(REFUSED, match="programs, which are not run without your word"):
        evo.run("c", fork)
    fork = evo.run("c", fork, trust=True)
    assert fork.programs(0, "red") == run.programs(6, "red")
    assert fork.lineage()["source"].iloc[0] in run.programs(6)


def test_requests_are_numbered_in_the_order_of_their_places(arena):
    run = searched("a", "slowly", {"game": "./arena.py:DUEL"})
    frame = run.mutations
    assert frame["request"].tolist() == list(range(1, len(frame) + 1))
    assert sorted(request["request"] for request in calls(arena)) == frame["request"].tolist()
    ordered = frame.sort_values(["generation", "population", "individual"], kind="stable")
    assert ordered.groupby(["generation", "population"])["request"].is_monotonic_increasing.all()


def test_a_request_tells_of_the_parents(arena):
    searched("a", crossover_probability=1.0, more={"generations": 2})
    request = [each for each in calls(arena) if len(each["parents"]) == 2][-1]
    assert (request["generation"], request["population"], request["suffix"]) == (2, "all", ".txt")
    run = results.open_run("a")
    before = {int(row.id): row for row in run.population(1).itertuples()}
    for parent in request["parents"]:
        row = before[parent["id"]]
        assert (parent["source"], parent["score"]) == (row.source, row.raw_fitness)
        assert (parent["wins"], parent["losses"]) == (row.wins, row.losses)
        assert len(parent["lost"]) == min(3, row.losses)
        for place, lost in enumerate(parent["lost"]):
            (opponent,) = lost["opponents"]
            own, theirs = (float(text.split()[0]) for text in (row.source, opponent["source"]))
            assert (lost["score"], opponent["score"]) == (own, theirs)
            assert own < theirs
            values = (own, theirs) if lost["seat"] == "first" else (theirs, own)
            assert lost["text"] == ("" if place else f"{values[0]} against {values[1]}")
    seeds = [request["seed"] for request in calls(arena)]
    assert len(set(seeds)) == len(seeds)


def test_failed_calls_are_repeated_and_recorded(arena, monkeypatch):
    monkeypatch.setenv("EVO_TEST_KEY", "a-secret-of-mine")
    run = searched("a", "sometimes", retries=1, environment=["EVO_TEST_KEY"])
    frame = run.mutations
    assert set(frame["outcome"]) == {"child", "error"}
    assert len(frame) == len(calls(arena))
    errors = frame[frame["outcome"] == "error"]
    assert set(errors["what"]) == {
        "raised ValueError: is tired of [EVO_TEST_KEY] (mutators.py, line 21)"
    }
    of_place = frame.groupby(["generation", "individual"])
    for (generation, individual), rows in of_place:
        frame = run.population(generation)
        child = frame[frame["individual"] == individual].iloc[0]
        if "child" in set(rows["outcome"]):
            assert child["source"] == rows["source"].dropna().item()
        else:
            assert rows["attempt"].tolist() == [0, 1]
            before = run.population(generation - 1)
            parent = before[before["id"] == child["parent_a"]].iloc[0]
            assert child["source"] == parent["source"]
    evo.run("b", replay="a", trust=True)
    assert snapshots("a") == snapshots("b")
    assert not any(b"a-secret" in file.read_bytes() for file in arena.rglob("a/**/*.json"))


@pytest.mark.parametrize(
    ("mutator", "what"),
    [("never", "raised ValueError: is out"), ("wrong", "without the text of a child")],
)
def test_a_mutator_that_always_fails_ends_the_run_until_it_is_mended(arena, mutator, what):
    with pytest.raises(REFUSED, match=f"failed at all 4 requests of generation 1.*{what}"):
        searched("a", mutator, retries=0, more={"generations": 2})
    mended = MUTATORS.replace(f"def {mutator}(", "def out_of_order(")
    (arena / "mutators.py").write_text(mended.replace("def by_chance(", f"def {mutator}("))
    run = evo.resume("a", trust=True)
    assert run.snapshots == [0, 1, 2]
    assert run.mutations["outcome"].tolist() == ["error", "child"] * 4 + ["child"] * 4
    evo.run("b", replay="a", trust=True)
    assert snapshots("a") == snapshots("b")


def test_a_call_that_hangs_is_left_behind(arena):
    with pytest.raises(REFUSED, match=r"failed at all 4 .*gave no answer within 0.2 seconds"):
        searched("a", "hangs", seconds=0.2, retries=0)
    assert set(results.open_run("a").mutations["outcome"]) == {"late"}


def test_a_request_that_fails_after_a_crash_does_not_end_the_run(arena):
    text = MUTATORS.replace(
        "    note(request)\n    value", "    note(request)\n    fail(request)\n    value", 1
    )
    fail = "def fail(request):\n    if request['individual'] == 4:\n        raise ValueError\n"
    (arena / "mutators.py").write_text(text + fail)
    run = searched("a", more={"generations": 1}, retries=0, at_once=1)
    whole = snapshots("a")
    lines = (arena / "a/snapshots.sha256").read_text().splitlines(keepends=True)
    (arena / "a/snapshots.sha256").write_text("".join(lines[:-1]))
    (arena / "a/snapshots/generation-000001.parquet").unlink()
    for file in sorted((arena / "a/recording").glob("mutations-000001-*"))[-2:]:
        file.unlink()
    assert evo.resume("a", trust=True).snapshots == [0, 1]
    assert snapshots("a") == whole
    assert run.mutations["outcome"].tolist() == ["child"] * 3 + ["error", "lost"]


@pytest.mark.parametrize(
    ("budget", "most"),
    [({"budget_calls": 6}, 6), ({"budget_calls": 8}, 8), ({"budget_cost": 1.6}, 7 + 3)],
)
def test_a_run_ends_whole_when_the_budget_is_spent(arena, capsys, budget, most):
    run = searched("a", more={"generations": 30}, at_once=4, **budget)
    asked = len(calls(arena))
    assert asked <= most
    assert run.snapshots == [0, 1, 2]
    assert run.info["ended"]["reason"].startswith("the mutator's budget of")
    evo.run("b", replay="a", trust=True)
    assert snapshots("a") == snapshots("b")
    assert main(["resume", "a", "--generations", "40", "--trust"]) == 0
    assert len(calls(arena)) == asked
    assert len(run.mutations) == asked


def test_islands_share_a_budget_and_end_at_their_own_generations(arena):
    more = {"generations": 30, "islands": {"count": 2, "every": 3}}
    run = searched("a", more=more, budget_calls=21)
    assert len(calls(arena)) == 21
    assert run.snapshots[-1] < 30
    evo.run("b", replay="a", trust=True)
    assert snapshots("a") == snapshots("b")
    assert len(calls(arena)) == 21


def test_a_program_gets_the_variables_that_are_named(arena, monkeypatch, capsys):
    monkeypatch.setenv("EVO_TEST_OTHER", "not for it")
    command = f"{sys.executable} mutator.py"
    with pytest.raises(REFUSED, match="no such variable in the environment: set it by export EVO_"):
        searched("a", command, environment=["EVO_TEST_KEY"])
    assert not (arena / "a").exists()
    monkeypatch.setenv("EVO_TEST_KEY", "a-secret-of-mine")
    run = searched("a", command, environment=["EVO_TEST_KEY"], more={"generations": 1}, retries=1)
    frame = run.mutations
    assert set(frame["source"].dropna()) == {"7"}
    assert set(frame["note"].dropna()) == {"[EVO_TEST_KEY]"}
    assert frame["what"].dropna().tolist() == [
        "ended with status 1: key='[EVO_TEST_KEY]'",
        *["returned a program that contains the value of EVO_TEST_KEY"] * 2,
    ]
    files = [file for file in (arena / "a").rglob("*") if file.is_file()]
    assert not any(b"a-secret" in file.read_bytes() for file in files)


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        ('sleep 4321 & echo \'{"child": "1"}\'', {"child": "1"}),
        ("exec < /dev/null; echo '{\"child\":'; sleep 0.1; echo '\"1\"}'", {"child": "1"}),
        ("cat", {"parents": "x" * 200_000}),
        ("yes flooding", "wrote more than 16,777,216 bytes"),
        ("kill -SEGV $$", r"^was killed by signal 11 \(SIGSEGV\)$"),
        ("echo sorry >&2; exit 4", "^ended with status 4: sorry$"),
        ("echo no", "wrote 'no\\\\n', which is not JSON"),
    ],
)
def test_a_program_answers_when_it_ends_and_within_limits(here, script, answer):
    (here / "mutator.sh").write_text(f"#!/bin/sh\n{script}\n")
    (here / "mutator.sh").chmod(0o755)
    mutate = mutator_of("./mutator.sh", [], "")
    request = {"parents": "x" * 200_000}
    if isinstance(answer, str):
        with pytest.raises(MutatorError, match=answer):
            mutate(request, 30.0)
    else:
        assert mutate(request, 30.0) == answer


def test_the_mutator_of_a_stranger_is_not_started(arena, capsys):
    searched("a", more={"generations": 1})
    asked = len(calls(arena))
    assert main(["resume", "a", "--generations", "3"]) == 2
    assert "--trust" in capsys.readouterr().err
    assert len(calls(arena)) == asked
    nim = {"game": "nim", "learner": "program-search", "scheme": "round-robin"}
    evo.run("nim", nim, population=2, generations=0)
    assert main(["resume", "nim", "--generations", "1"]) == 2
    assert "nim holds programs, which are not run without your word" in capsys.readouterr().err
    assert main(["evaluate", "nim", "--opponents", "random", "--games", "4"]) == 2
    assert main(["export", "nim"]) == 0


KILLED = "import evo, json, sys; evo.run('a', json.loads(sys.argv[1]), or_resume=True, threads=1)"


def test_an_answer_that_a_crash_lost_is_asked_again_and_counted(arena, capsys):
    run = searched("a", more={"generations": 2}, at_once=1)
    lines = (arena / "a/snapshots.sha256").read_text().splitlines(keepends=True)
    (arena / "a/snapshots.sha256").write_text("".join(lines[:-1]))
    (arena / "a/snapshots/generation-000002.parquet").unlink()
    records = sorted((arena / "a/recording").glob("mutations-000002-*"))
    (lost,) = json.loads(records[3].read_text())["answers"]
    records[3].unlink()
    for file in (arena / "a/recording").glob("outcomes-000002-*"):
        file.unlink()
    asked = len(calls(arena))
    assert main(["resume", "a", "--trust"]) == 0
    assert "9 calls of the mutator, 8 children, 1 asked twice" in capsys.readouterr().err
    assert len(calls(arena)) == asked + 1
    frame = run.mutations
    assert frame["outcome"].value_counts().to_dict() == {"child": 8, "lost": 1}
    assert frame[frame["outcome"] == "lost"]["individual"].item() == lost["individual"]
    evo.run("b", replay="a", trust=True)
    assert snapshots("a") == snapshots("b")


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_bytes_of_its_record(arena, begin):
    kills = 50
    options = {**SEARCH, "population": 8, "generations": 6 * kills, "snapshot_interval": 2}
    options["learner"] = {**SEARCH["learner"], "mutator": "./mutators.py:slowly"}
    command = [sys.executable, "-c", KILLED, json.dumps(options)]
    moments = random.Random(kills)
    for _ in range(kills):
        process = begin(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        before = len(list((arena / "a").rglob("*")))
        while process.poll() is None and len(list((arena / "a").rglob("*"))) <= before + 3:
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.wait()
    run = evo.run("a", options, or_resume=True, threads=1)
    assert run.snapshots[-1] == 6 * kills
    frame = run.mutations
    assert len(frame) >= len(calls(arena))
    asked_twice = (frame["outcome"] == "lost").sum()
    assert asked_twice == len(frame) - 7 * 6 * kills
    assert asked_twice > 0
    evo.run("b", replay="a", trust=True)
    assert snapshots("a") == snapshots("b")
    print(f"{kills} kills, {asked_twice} calls asked twice")


HASHED = """
import evo, json, sys
name, generations, *seeds = sys.argv[2:]
for seed in seeds:
    given = {**json.loads(sys.argv[1]), "seed": int(seed), "generations": int(generations)}
    evo.run(f"{name}-{seed}", given, or_resume=True, threads=1)
"""


@pytest.mark.slow
def test_32_seeds_resume_alike_under_other_hash_seeds(arena, begin):
    """The offline mutator depends on its seed alone, so a run in one piece has the same bytes."""
    (arena / "first.py").write_text("def act(x):\n    y = 0.5\n    z = 3\n    return y + z\n")
    (arena / "arena.py").write_text(
        "import tournaments\n"
        "def more(players, seed):\n"
        "    return [float(len(set(open(player).read()))) for player in players]\n"
        "MORE = tournaments.contest(more)\n"
    )
    options = {**SEARCH, "genome": {"encoding": "program", "files": ["first.py"]}}
    options["learner"] = "program-search"

    def evolve(name: str, generations: int, seeds: range, hash_seed: int) -> None:
        words = [json.dumps(options), name, str(generations), *map(str, seeds)]
        environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
        assert begin([sys.executable, "-c", HASHED, *words], env=environment).wait() == 0

    for first in range(1, 33, 8):
        seeds = range(first, first + 8)
        evolve("whole", 4, seeds, 1)
        evolve("parts", 2, seeds, 1000 + first)
        evolve("parts", 4, seeds, 2000 + first)
        for seed in seeds:
            assert snapshots(f"whole-{seed}") == snapshots(f"parts-{seed}"), seed
        assert snapshots(f"whole-{first}") != snapshots(f"whole-{first + 1}")


# --- programs that play -------------------------------------------------------------------------


def test_programs_play_games_as_bots(here):
    run = evo.run(
        "a", game="nim", learner="program-search", scheme="round-robin", population=2, generations=1
    )
    assert run.population(0)["source"].nunique() == 1
    assert run.config["genome"]["encoding"] == "program"
    rows = evo.evaluate("a", ["random"], games=2, best=1, generations=[1], trust=True)
    assert rows["games"].sum() == 2


def test_a_function_of_a_program_is_called_in_a_process_of_its_own(arena):
    (arena / "one.py").write_text("import os\nprint('hello')\ndef act(seed):\n    return 1.0\n")
    (arena / "two.py").write_text("import numpy\ndef act(seed):\n    return numpy.float64(2)\n")
    (arena / "bad.py").write_text("def act(seed):\n    raise ValueError('no idea')\n")
    files = ["one.py", "two.py", "bad.py"]
    run = evo.run("a", FUNCTIONS, genome={"files": files}, trust=True)
    assert run.population(0)["wins"].tolist() == [2, 4, 0]
    assert set(run.faults["what"]) == {"raised ValueError: no idea"}
    assert set(run.faults["player"]) == {"individual 2"}
    same = evo.run("b", FUNCTIONS, genome={"files": files, "confined": False}, trust=True)
    assert same.population(0)["wins"].tolist() == [2, 4, 0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("import time\ndef act(seed):\n    time.sleep(60)\n", "late"),
        ("import os\ndef act(seed):\n    os._exit(3)\n", "exited"),
        ("def act(seed):\n    return 'x' * 10**6\n", "output"),
        ("def act(seed):\n    return bytearray(3 * 2**30)\n", "raised"),
        ("import os\ndef act(seed):\n    while True:\n        os.fork()\n", ""),
        ("def act(seed):\n    return object()\n", "raised"),
    ],
)
def test_a_program_that_does_harm_loses_its_games_and_nothing_else(arena, text, cause):
    (arena / "one.py").write_text("def act(seed):\n    return 1.0\n")
    (arena / "bad.py").write_text(text)
    genome = {"files": ["one.py", "bad.py", "one.py"], "limits": {"seconds": 0.5, "start": 2.0}}
    run = evo.run("a", FUNCTIONS, genome=genome, trust=True)
    frame = run.population(0)
    assert frame["losses"].tolist() == [0, 4, 0]
    assert len(run.faults) == 4
    assert set(run.faults["player"]) == {"individual 1"}
    if cause:
        assert set(run.faults["cause"]) == {cause}


@pytest.mark.slow
def test_any_number_of_workers_gives_the_same_bytes(arena, ray):
    for name, text in {"one": "1.5", "two": "seed % 7", "bad": "1 / 0"}.items():
        (arena / f"{name}.py").write_text(f"def act(seed):\n    return {text}\n")
    settings = {**FUNCTIONS, "generations": 1, "population": 4, "snapshot_interval": 1}
    settings["genome"] = {**FUNCTIONS["genome"], "files": ["one.py", "two.py", "bad.py"]}
    found = []
    for number, make in enumerate(
        [lambda: LocalEvaluator(1), lambda: LocalEvaluator(8), lambda: RayEvaluator(2)]
    ):
        evaluator = make()
        run = evo.run(f"run-{number}", settings, evaluator=evaluator, trust=True)
        evaluator.close()
        found.append((snapshots(run.path), run.faults.drop(columns="generation").to_dict()))
    assert found[0] == found[1] == found[2]


def test_programs_that_do_not_repeat_are_recorded(arena, monkeypatch):
    (arena / "one.py").write_text("import random\ndef act(seed):\n    return random.random()\n")
    settings = {**FUNCTIONS, "generations": 2, "population": 4, "snapshot_interval": 1}
    run = evo.run("a", settings, genome={"files": ["one.py"]})
    bot = FIRST_BOT.replace('random.Random(message["seed"])', "random.Random()")
    (arena / "bot.py").write_text(f"{bot}print(1 / 0)\n".replace("for line", "#\nfor line"))
    nim = {"game": "nim", "learner": "program-search", "scheme": "round-robin"}
    games = evo.run("nim", nim, genome={"files": ["bot.py"]}, population=3, generations=1)
    assert len(set(run.population(0)["wins"])) > 1 or len(set(run.population(1)["wins"])) > 1

    def started(*arguments, **options):
        raise AssertionError("a replay starts no program")

    monkeypatch.setattr("tournaments.players.bot.process.subprocess.Popen", started)
    for name, whole in (("a", run), ("nim", games)):
        evo.run(f"{name}-again", replay=name, trust=True)
        assert snapshots(f"{name}-again") == snapshots(name)
        assert evo.resume(f"{name}-again", trust=True).faults.equals(whole.faults)


def test_snapshots_name_no_folder_of_this_machine(arena, monkeypatch):
    (arena / "bot.py").write_text("import sys\nfor line in sys.stdin:\n    1 / 0\n")
    nim = {"game": "nim", "learner": "program-search", "scheme": "round-robin", "population": 2}
    for name in ("first", "second"):
        monkeypatch.setenv("EVO_CACHE_DIR", str(arena / name / "cache"))
        tournaments.players.programs._folder.cache_clear()
        run = evo.run(f"in-{name}", nim, genome={"files": ["bot.py"]}, generations=0)
    assert len(run.faults) == 2
    assert run.faults["what"].str.contains("ZeroDivisionError").all()
    assert not run.faults["what"].str.contains("cache").any()
    assert snapshots("in-first") == snapshots("in-second")
    tournaments.players.programs._folder.cache_clear()


@pytest.mark.parametrize(
    "answer",
    [
        "5",
        "null",
        '{"x": 1}',
        "[" * 9000,
        '{"value": NaN}',
        '{"value": 1e999}',
        f'{{"value": {"9" * 4000}}}',
    ],
)
def test_an_answer_of_another_form_loses_the_game(arena, answer):
    (arena / "one.py").write_text("def act(seed):\n    return 1.0\n")
    text = f"import os\ndef act(seed):\n    os.write(3, {answer.encode()!r} + b'\\n')\n"
    (arena / "bad.py").write_text(text + "    while True:\n        pass\n")
    run = evo.run("a", FUNCTIONS, genome={"files": ["one.py", "bad.py"]}, population=2)
    assert run.population(0)["losses"].tolist() == [0, 2]
    assert set(run.faults["player"]) == {"individual 1"}


def test_programs_may_be_any_module(arena):
    (arena / "one.py").write_bytes(
        b"\xef\xbb\xbffrom __future__ import annotations\r\nfrom dataclasses import dataclass\r\n"
        b"@dataclass\r\nclass Value:\r\n    number: int\r\ndef act(seed):\r\n"
        b"    return Value(seed).number % 5\r\n"
    )
    for confined in (True, False):
        genome = {"files": ["one.py"], "confined": confined}
        run = evo.run(f"a-{confined}", FUNCTIONS, genome=genome)
        assert run.faults.empty
        assert run.population(0)["games"].tolist() == [4, 4, 4]


def player_of(text):
    """Return the player of a program whose function ``act`` a contest calls."""
    return Programs((0, 1), ".py", "act").player(contest(lambda a, b: 0), [remember(text)], "one")


def played_in_turn(text, games):
    """Return what the function of a program returns in games, one after the other, and where."""
    player = player_of(text)
    values, processes = [], []
    for game in range(games):
        function = player.at(0)
        values.append([function(game), function(game)])
        processes.append(function._process)
        function.end_match()
        with pytest.raises(Disqualified, match="had ended when it was asked"):
            function(game)
    return values, processes


def test_a_process_of_a_function_plays_many_matches_and_keeps_nothing_of_them():
    values, processes = played_in_turn(
        "import subprocess, time\n"
        "games = []\n"
        "def act(game):\n"
        "    games.append(game)\n"
        "    subprocess.Popen(['sleep', '4321'])\n"
        "    time.sleep(0.1)\n"
        "    found = subprocess.run(['pgrep', '-fc', 'sleep 4321'], capture_output=True)\n"
        "    return len(games), int(found.stdout)\n",
        3,
    )
    assert values == [[[1, 1], [2, 2]]] * 3
    assert (len(set(processes)) == 1) == (own_namespaces() == "processes and network")


def test_a_program_cannot_go_on_after_the_end_of_its_match():
    values, _ = played_in_turn(
        "import os, sys\n"
        "os._exit = lambda status: None\n"
        "own = sys.modules['__main__']\n"
        "ask, seen = own.message, []\n"
        "def message(source):\n"
        "    while not (asked := ask(source)):\n"
        "        pass\n"
        "    return asked\n"
        "own.message = message\n"
        "def act(game):\n"
        "    seen.append(game)\n"
        "    return seen\n",
        2,
    )
    assert values == [[[0], [0, 0]], [[1], [1, 1]]]


@pytest.mark.slow
def test_idle_processes_end_and_dead_ones_are_replaced(monkeypatch):
    monkeypatch.setattr(tournaments.players.programs, "IDLE_SECONDS", 0.2)
    text = "import time\ndef act(game):\n    return game\n"
    _, (process,) = played_in_turn(text, 1)
    until = time.monotonic() + 30
    while process.is_open:
        assert time.monotonic() < until
        time.sleep(0.05)
    monkeypatch.setattr(tournaments.players.programs, "IDLE_SECONDS", 60)
    player = player_of(text)
    for number in range(2):
        function = player.at(0)
        assert function(number) == number
        function.end_match()
        for _, _, idle in tournaments.players.programs._idle_of(os.getpid())._waiting:
            os.killpg(idle._popen.pid, signal.SIGKILL)
            idle._popen.wait()


def test_calls_of_a_function_from_several_threads_are_made_in_turn():
    text = "def act(number):\n    return number\n"
    player = player_of(text)
    function = player.at(0)
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(function, range(40))] == [*range(40)]
    function.end_match()


def test_numbers_drawn_without_a_seed_differ_between_matches():
    values, _ = played_in_turn(
        "import random\nimport numpy\n"
        "def act(game):\n    return random.random(), numpy.random.random()\n",
        3,
    )
    assert len({number for game in values for call in game for number in call}) == 12


@pytest.mark.parametrize("end", ["os._exit(3)", "os.abort()"])
def test_a_program_that_ends_its_process_loses_one_match(end):
    text = f"import os\ndef act(is_bad):\n    if is_bad:\n        {end}\n    return 1\n"
    player = player_of(text)
    for is_bad in (False, True, False, False):
        function = player.at(0)
        if is_bad:
            with pytest.raises(Disqualified, match=r"in place of an answer|was killed by signal"):
                function(is_bad)
        else:
            assert function(is_bad) == 1
        function.end_match()


def test_files_of_programs_are_restored():
    file = ProgramFile("#!/bin/sh\n", ".sh")
    assert os.access(file, os.X_OK)
    os.chmod(file, 0o600)
    Path(file).write_text("another")
    assert Path(file.restored()).read_text() == "#!/bin/sh\n"
    assert os.access(file, os.X_OK)


def test_fixed_opponents_of_a_contest_are_files_and_objects(arena):
    scheme = {"name": "direct", "opponents": ["./first.txt", "./two.txt"], "matches": 2}
    (arena / "two.txt").write_text("2.0")
    run = searched("a", more={"scheme": scheme, "generations": 1})
    assert run.population(0)["losses"].tolist() == [4] * 5
    (opponent,) = calls(arena)[-1]["parents"][0]["lost"][0]["opponents"]
    assert opponent == {"name": "./two.txt", "source": None, "score": 2.0}
    with pytest.raises(REFUSED, match="player 'level-0': No such file"):
        searched("b", more={"scheme": "direct"})


def test_a_child_that_cannot_be_started_is_a_failed_call(here):
    (here / "bot.bot").write_text(f"#!{sys.executable}\n{FIRST_BOT}")
    (here / "cut.py").write_text(
        "def cut(request):\n"
        "    text = request['parents'][0]['source']\n"
        "    return text.partition('\\n')[2] if request['individual'] == 1 else text + '#'\n"
    )
    run = evo.run(
        "a",
        game="nim",
        genome={"encoding": "program", "files": ["bot.bot"]},
        learner={"name": "program-search", "mutator": "./cut.py:cut", "retries": 0},
        scheme="round-robin",
        population=3,
        generations=1,
    )
    outcomes = run.mutations.set_index("individual")["outcome"].to_dict()
    assert outcomes == {1: "error", 2: "child"}
    assert "cannot be started: the file is not executable" in run.mutations["what"].iloc[0]


def test_values_of_variables_are_hidden_in_every_form(monkeypatch):
    monkeypatch.setenv("KEYA", "sk-abc")
    monkeypatch.setenv("KEYB", "-----BEGIN-----\nMIIEvQ+quoted'\"\\x\n")
    monkeypatch.setenv("KEYC", "sk-abc-more-secret")
    monkeypatch.setenv("SHORT", "on")
    secrets = secrets_of(["KEYA", "KEYB", "KEYC", "SHORT"])
    line = os.environ["KEYB"].splitlines()[1]
    for text in (os.environ["KEYC"], repr(os.environ["KEYB"]), json.dumps(line), f"{line!r} on"):
        hidden = hide_secrets(secrets, f"x {text} x")
        assert not any(part in hidden for part in ("sk-", "more-secret", "MIIE", "BEGIN", "quoted"))
    assert hide_secrets(secrets, "sk-abc-more-secret") == "[KEYC]"


# --- the mutator of this project ----------------------------------------------------------------


def test_edits_are_valid_programs_that_differ(here):
    source = Path(ast.__file__).read_text()[:4000].rpartition("\ndef ")[0]
    request = {"suffix": ".py", "parents": [{"source": source}]}
    children = [edited({**request, "seed": seed}) for seed in range(40)]
    assert {each["note"] for each in children} == {"constant", "moved line", "deleted line"}
    for child in children:
        ast.parse(child["child"])
        assert child["child"] != source
    assert edited({**request, "seed": 3}) == children[3]


def test_crossover_exchanges_a_function_of_the_same_name():
    own = "import a\n\n@wrapped\ndef f(x):\n    return x\n\ndef g(x):\n    return 1\n"
    other = "def f(y):\n    # theirs\n    return -y\n\ndef h():\n    pass\n"
    child = crossed(own, other, random.Random(1))
    assert child == (
        "import a\n\ndef f(y):\n    # theirs\n    return -y\n\ndef g(x):\n    return 1\n"
    )
    assert crossed(own, "def f(:", random.Random(1)) == own
    assert crossed(own, "h = 1\n", random.Random(1)) == own


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"genome": {"files": ["none.txt"]}}, "genome.files='none.txt' given; No such file"),
        ({"genome": {"files": []}}, "no genome.files given; the first programs are expected"),
        ({"genome": {"files": ["first.txt", "arena.py"]}}, "give programs of one language"),
        ({"genome": {"function": "act"}}, "a function of a Python program"),
        ({"genome": {"function": "a b"}}, "the name of a function is expected"),
        ({"genome": {"suffix": "/x.py"}}, "genome.suffix='/x.py' given"),
        (
            {"genome": {"files": ["arena.py"], "function": "act"}, "game": "./arena.py:CALLED"},
            "genome.files='arena.py' given; the program has no function act",
        ),
        (
            {"genome": {"files": ["odd.py"]}},
            "genome.files='odd.py' given; the program is not valid: .*syntax",
        ),
        ({"learner": {"mutator": "./mutator.py --api-key=sk-123456"}}, "with a password or key"),
        ({"genome": {"confined": False}}, "confined=false given without genome.function"),
        ({"genome": {"limits": {"secs": 1}}}, "genome.limits.secs"),
        ({"genome": {"encoding": "real-vector", "length": 3}}, "program-search takes programs"),
        ({"learner": "genetic"}, "genetic takes no programs: set learner=program-search"),
        ({"learner": {"mutator": "./mutators.py:by_change"}}, "has no function by_change; did you"),
        ({"learner": {"mutator": "./none"}}, "there is no such program"),
        ({"learner": {"children": 5}}, "at least one individual survives"),
        ({"game": "./arena.py:DUEL", "genome": {"files": ["green=a"]}}, "roles are red and blue"),
        (
            {"game": "./arena.py:DUEL", "genome": {"files": ["red=first.txt"]}},
            "there is no program of blue: add blue=FILE",
        ),
    ],
)
def test_what_cannot_work_is_refused_before_the_folder_is_made(arena, changes, message):
    with pytest.raises(REFUSED, match=message):
        evo.run("a", merge(SEARCH, changes))
    assert not (arena / "a").exists()


def test_programs_of_a_run_are_exported_and_play_elsewhere(arena, capsys):
    run = searched("a", more={"game": "./arena.py:DUEL"})
    assert main(["export", "a", "--trust"]) == 0
    files = sorted(path.name for path in (arena / "a-programs").iterdir())
    assert files == [f"{role}-{row:04d}.txt" for role in ("blue", "red") for row in range(5)]
    assert main(["export", "a", "best.txt", "--population", "red", "--trust"]) == 0
    champion = run.champion(population="red")
    assert (arena / "best.txt").read_text() == champion["source"]
    assert main(["export", "a", "both.txt", "--trust"]) == 2
    assert "name one by --population red" in capsys.readouterr().err
    assert main(["tournament", "./arena.py:DUEL", "a@0", "a@3", "--games", "4", "--trust"]) == 0
    assert np.isfinite(run.lineage()["raw_fitness"]).all()
