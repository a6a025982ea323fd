"""Contests: a function plays the matches as a whole, for two or more players."""

from __future__ import annotations

import itertools
import json
import pickle
import re
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evo
import tournaments
from evo.cli.main import main
from evo.config.toml import load
from evo.evaluation.players import champion
from results import open_tournament
from tournaments import Competition, TournamentError, contest, contests
from tournaments.errors import PlayerFault
from tournaments.schedules.pairs import EachGroup


def best_of(players, seed):
    """Scores that depend on the players, the seed and the seat."""
    luck = np.random.default_rng(seed).random(len(players))
    return [player + 0.3 * chance for player, chance in zip(players, luck, strict=True)]


PLAYERS = [0.1, 0.25, 0.3, 0.5, 0.45, 0.9]


def test_the_example_of_the_issue_runs_with_roles_and_with_seats_that_are_alike():
    roles = contest(best_of, seats=("red", "blue"))
    reds, blues = Competition(roles, "antibody-antigen", seed=1).evaluate(PLAYERS, PLAYERS).fitness
    assert len(reds) == len(blues) == len(PLAYERS)
    alike = Competition(contest(best_of), seed=1).evaluate(PLAYERS)
    assert alike.fitness.argmax() == 5


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_placings_are_those_of_a_slow_count(seats):
    result = Competition(contest(best_of, seats=seats), seed=3).evaluate(PLAYERS)
    played = result._rounds[0]
    groups = list(itertools.combinations(range(len(PLAYERS)), seats))
    assert played.pairs.tolist() == [list(group) for group in groups]
    assert played.outcomes.shape == (len(groups), seats, seats)
    counts = np.zeros((len(PLAYERS), 3), dtype=int)
    points = [Fraction(0)] * len(PLAYERS)
    for group, games in zip(groups, played.outcomes.tolist(), strict=True):
        leads = dict.fromkeys(itertools.permutations(group, 2), 0)
        for turn, scores in enumerate(games):
            score = {who: scores[(place + turn) % seats] for place, who in enumerate(group)}
            for one, other in leads:
                lead = (score[one] > score[other]) - (score[one] < score[other])
                counts[one, 1 - lead] += 1
                leads[one, other] += lead
        for (one, _), lead in leads.items():
            points[one] += Fraction(1 + (lead > 0) - (lead < 0), 2)
    assert result.tally.wins.tolist() == counts[:, 0].tolist()
    assert result.tally.draws.tolist() == counts[:, 1].tolist()
    assert result.tally.losses.tolist() == counts[:, 2].tolist()
    assert result.fitness.tolist() == list(map(float, points))
    rows = result.matches
    assert len(rows) == len(groups) * seats * (seats - 1) // 2
    assert rows["wins"].sum() + rows["losses"].sum() + rows["draws"].sum() == rows["games"].sum()
    own = sum(played.outcomes[0, turn, turn % seats] for turn in range(seats))
    assert rows["score"][0] == pytest.approx(own)


@given(st.integers(2, 9), st.integers(2, 5), st.data())
def test_groups_are_all_combinations_in_order(individuals, seats, data):
    schedule = EachGroup(individuals, seats)
    groups = list(map(list, itertools.combinations(range(individuals), seats)))
    assert len(schedule) == len(groups)
    first = data.draw(st.integers(0, len(groups)))
    last = data.draw(st.integers(first, len(groups)))
    assert schedule.pairs(first, last).tolist() == groups[first:last]


def test_each_game_of_a_match_has_a_seed_of_its_own_below_2_to_the_32():
    seeds = []
    Competition(contest(lambda players, seed: seeds.append(seed) or players)).evaluate([1, 2, 3])
    assert len({*seeds}) == 6
    assert len(seeds) <= 8, "the first match is played twice"
    assert all(type(seed) is int and 0 <= seed < 2**32 for seed in seeds)


def test_scores_may_be_any_real_numbers_and_are_summed_in_the_order_of_the_schedule():
    competition = Competition(contest(best_of), "round-robin", seed=5)
    rows = competition.evaluate([-1.5, 2.25]).matches
    assert rows["score"][0] < 0 < rows["opponent_score"][0]


def fails(players, seed):
    """A simulator that fails, lies and disqualifies."""
    for player in players:
        if isinstance(player, BaseException):
            raise player
        if not isinstance(player, int):
            return player
    return players


@pytest.mark.parametrize(
    ("player", "what"),
    [
        (ValueError("no"), "raised ValueError: no"),
        ([1], "returned [1]; 2 scores, finite numbers, are expected"),
        ([1.0, float("nan")], "2 scores, finite numbers"),
        (("a", "b"), "2 scores, finite numbers"),
        ({3.5: 0, 1: 1}, "returned {3.5: 0, 1: 1}; 2 scores, finite numbers, are expected"),
        ({"scores": "12"}, "returned '12'; 2 scores, finite numbers"),
        (b"12", "2 scores, finite numbers"),
        ({1.5, 2.5}, "2 scores, finite numbers"),
        (["1", "2"], "returned ['1', '2']; 2 scores, finite numbers"),
        ({"scores": ["1", "2"]}, "returned ['1', '2']; 2 scores, finite numbers"),
        (np.array(["1", "2"]), "2 scores, finite numbers"),
        ([10**400, 1], "2 scores, finite numbers"),
        (tournaments.Disqualified(1.0, "x"), "seat 1.0 disqualified; a seat number from 0 to 1 is"),
        (tournaments.Disqualified(2, "x"), "seat 2 disqualified; a seat number from 0 to 1 is"),
        (tournaments.Disqualified("red", "x"), "seat 'red' disqualified; a seat number from 0"),
        (SystemExit(3), "ended by sys.exit(3)"),
    ],
)
def test_a_match_that_the_simulator_does_not_finish_is_void_and_counts_for_nobody(player, what):
    result = Competition(contest(fails), faults="forfeit").evaluate({"a": 1, "b": 2, "x": player})
    assert result.tally.games.tolist() == [2, 2, 0]
    assert result.fitness.tolist() == [0.0, 1.0, 0.0]
    assert len(result.faults) == 4
    assert {*result.faults["seat"]} == {-1}
    assert {*result.faults["player"]} == {"fails"}
    assert {*result.faults["opponent"]} == {"a+x", "b+x"}
    assert not any(result.faults["population"] + result.faults["opponent_population"])
    assert all(what in words for words in result.faults["what"])
    with pytest.raises(PlayerFault, match="fails"):
        Competition(contest(fails)).evaluate({"a": 1, "x": player})


@pytest.mark.parametrize(
    "scores", [(1, 2), np.array([1, 2]), [np.float32(1), np.int64(2)], {"scores": [True, 2.0]}]
)
def test_scores_are_lists_tuples_or_arrays_of_numbers(scores):
    result = Competition(contest(fails)).evaluate([scores, scores])
    assert result.fitness.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("faults", ["abort", "forfeit"])
def test_a_simulator_that_does_not_repeat_its_scores_is_refused(faults):
    counts, simulator = itertools.count(), f"another simulator for {faults}"

    def forgets_the_seed(players, seed):
        return [next(counts), len(simulator)]

    with pytest.raises(TournamentError, match="numbers from the seed and change no player in a"):
        Competition(contest(forgets_the_seed), faults=faults).evaluate([1, 2, 3])


def test_a_simulator_that_repeats_most_scores_is_found_by_samples():
    seen = set()

    def sometimes(players, seed):
        is_first = len(seen) < 2
        scores = [1.0, 2.0 if seed in seen and not is_first else 0.5]
        seen.add(seed)
        return scores

    with pytest.raises(TournamentError, match="for the same players and seed"):
        Competition(contest(sometimes)).evaluate(list(range(40)))


def test_a_generation_whose_games_are_mostly_void_ends_in_a_line():
    players = {"a": 1, "b": 2, "x": ValueError("no"), "y": ValueError("no"), "z": ValueError("no")}
    with pytest.raises(
        TournamentError, match=r"more than half of the 20 games of fails are void, .*: no"
    ):
        Competition(contest(fails), faults="forfeit").evaluate(players)


@pytest.mark.parametrize("seats", [2, 3])
def test_a_generation_without_a_game_that_was_played_ends_in_a_line(seats, arena):
    def never(players, seed):
        raise ValueError("no")

    game, line = contest(never, seats=seats), rf"all {seats} games of .* are void, .*: no"
    players = [np.zeros(3)] * seats
    result = Competition(game, faults="forfeit").evaluate(players)  # of one bad player, perhaps
    assert not any(result.fitness)
    settings = {**EVOLVING, "game": "./arena.py:fails", "population": 2, "generations": 0}
    if seats == 2:
        with pytest.raises(TournamentError, match=line):
            evo.run("void", settings)
    else:
        with pytest.raises(TournamentError, match=line):
            evo.tournament(game, players, games=2)


def test_a_function_alone_is_no_game():
    with pytest.raises(TournamentError, match=r"tournaments\.contest\(FUNCTION\) is expected"):
        Competition(best_of)


def test_a_player_that_the_simulator_disqualifies_loses_to_all_others():
    def strict(players, seed):
        for seat, player in enumerate(players):
            if player == 13:
                raise tournaments.Disqualified(seat, "is unlucky")
        return players

    result = Competition(contest(strict, seats=3), faults="forfeit").evaluate([13, 1, 2, 3])
    assert result.tally.losses[0] == result.tally.games[0] == 3 * 3 * 2
    assert {*result.faults["player"]} == {"int"}
    assert {*result.faults["cause"]} == {"disqualified"}
    assert {*result.faults["opponent"]} == {"int-2+int-3", "int-2+int-4", "int-3+int-4"}
    assert {*result.faults["opponent_population"]} == {""}


def test_a_simulator_that_hangs_is_left_behind_after_its_limit():
    wait = threading.Event()

    def slow(players, seed):
        if ["hangs"] in players:
            wait.wait(20)
        return [1, 2]

    competition = Competition(contest(slow, limit_seconds=0.1), faults="forfeit")
    result = competition.evaluate({"a": ["a"], "b": ["b"], "h": ["hangs"]})
    wait.set()
    assert result.tally.games.tolist() == [2, 2, 0]
    assert "did not answer within 0.1 seconds" in result.faults["what"][0]


def hanging(is_hanging, wait, played, limit):
    """A contest whose simulator waits for an event in some matches."""

    def hangs(players, seed):
        played.append(players)
        if is_hanging(players):
            wait.wait(20)
        return players

    return contest(hangs, limit_seconds=limit)


def test_matches_that_hang_cost_no_other_match_even_while_they_still_hang():
    wait, played = threading.Event(), []
    game = hanging(lambda players: 0 in players and max(players) > 2, wait, played, 0.1)
    result = Competition(game, faults="forfeit").evaluate([0, 1, 2, 3, 4])
    wait.set()
    assert result.tally.games.tolist() == [4, 8, 8, 6, 6]
    assert result.faults["what"].tolist() == ["did not answer within 0.1 seconds"] * 4


def test_a_contest_that_always_hangs_ends_the_work_once_half_of_its_games_are_void():
    wait, played = threading.Event(), []
    competition = Competition(hanging(bool, wait, played, 0.005), faults="forfeit")
    with pytest.raises(TournamentError, match=r"half of the 90 games .* did not answer"):
        competition.evaluate(range(10))
    wait.set()
    assert len(played) <= 64, "two parts of 16 matches"


def test_a_contest_has_no_positions_and_says_what_plays_it():
    with pytest.raises(TournamentError, match="best_of is a contest, which has no positions"):
        contest(best_of).start()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "a function (players, seed) -> scores is expected"),
        ((lambda players: players,), "a function (players, seed) -> scores is expected"),
        ((best_of, 1), "a number from 2 to 8"),
        ((best_of, ("red", "red")), "a number from 2 to 8"),
        ((best_of, "red"), "a number from 2 to 8"),
        ((best_of, 2.0), "seats=2.0 given; a number from 2 to 8"),
        ((best_of, True), "seats=True given; a number from 2 to 8"),
        ((best_of, (["red"], ["blue"])), "a number from 2 to 8"),
        (("echo {0} {1} {foo}",), "{0} {1} are expected in the command line"),
        (("echo {0} {1} {2} {seed}",), "{0} {1} are expected in the command line"),
        (("echo {0} {1}", 3), "{0} {1} {2} are expected in the command line"),
        (("echo",), "{0} {1} are expected in the command line"),
        (("echo {0",), "{0} {1} are expected in the command line"),
        (("echo {0} {1:d}",), "{0} {1} are expected in the command line"),
    ],
)
def test_what_is_no_contest_is_refused(arguments, message):
    with pytest.raises(TournamentError) as caught:
        contest(*arguments)
    assert message in str(caught.value)


def test_a_program_may_do_without_the_seed():
    assert contest("echo --first={0} {1}").rules.contest.is_program


def test_schemes_that_pair_two_refuse_more_seats_and_name_those_that_do_not():
    with pytest.raises(TournamentError, match=r"matches of 3 players; .*round-robin"):
        Competition(contest(best_of, seats=3), "antibody-antigen").evaluate(PLAYERS)


def test_a_contest_of_a_lambda_is_sent_to_other_processes_by_value():
    bonus = 2
    again = pickle.loads(
        pickle.dumps(contest(lambda players, seed: [each + bonus for each in players]))
    )
    assert again.rules.contest.play([1, 2], 0) == [3, 4]


@pytest.mark.parametrize(
    ("named", "where"), [({"__file__": "/there/h2.py"}, r"\(h2.py, line 3\)"), ({}, r"\(line 3\)")]
)
def test_a_fault_has_the_same_text_where_the_function_was_sent_by_value(named, where):
    code = compile(
        "def no(players, seed):\n  pass\n  raise ValueError('no')", "/there/h2.py", "exec"
    )
    names = {"__name__": "__main__", **named}
    exec(code, names)
    game = contest(names["no"])
    for each in (game, pickle.loads(pickle.dumps(game))):
        with pytest.raises(PlayerFault, match=f"raised ValueError: no {where}"):
            Competition(each).evaluate([1, 2])


def test_a_contest_and_its_players_in_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena.py").write_text(
        "import tournaments\n"
        "def duel(players, seed):\n    return [player() for player in players]\n"
        "three = tournaments.contest(duel, seats=3)\n"
        "def low():\n    return 1\n"
        "def high():\n    return 2\n"
    )
    players = ["arena.py:low", "arena.py:high"]
    result = Competition("./arena.py:duel").evaluate(players)
    assert result.fitness.tolist() == [0.0, 1.0]
    three = {"a": players[0], "b": players[1], "c": players[0]}
    assert Competition("./arena.py:three").evaluate(three).fitness.tolist() == [0.5, 2.0, 0.5]
    game = tournaments.Competition("./arena.py:duel").game
    assert pickle.loads(pickle.dumps(game)).spec == game.spec
    with pytest.raises(TournamentError, match="did you mean 'duel'"):
        Competition("./arena.py:dual")
    with pytest.raises(TournamentError, match="did you mean 'high'"):
        Competition("./arena.py:duel").evaluate(["arena.py:hihg", "arena.py:low"])


EVOLVE = "run --game ./arena.py:sums --set genome.encoding=real-vector --set genome.length=3"
ARENA = """
import tournaments
def duel(players, seed):
    return [player() + seed % 3 * 0.1 for player in players]
three = tournaments.contest(duel, seats=3)
def low(): return 1
def high(): return 2
def fails(players, seed): raise ValueError("no")
def sums(players, seed): return [float(sum(each)) for each in players]
def chase(players, seed):
    distance = abs(players[0] - players[1]).sum()
    return distance, -distance
chase = tournaments.contest(chase, seats=("fox", "hound"))
def fragile(players, seed):
    if seed % 5 == 0: raise ValueError("a bad day")
    return sums(players, seed)
"""


def test_tournaments_and_comparisons_play_contests_of_two(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena.py").write_text(ARENA)
    players = ["arena.py:low", "arena.py:high"]
    for games in (6, 10):
        command = ["tournament", "./arena.py:duel", *players, "--games", str(games), "--out", "cup"]
        assert main(command) == 0
    rows = open_tournament("cup").ratings
    assert rows["player"].tolist() == players[::-1]
    assert rows["games"].tolist() == [10, 10]
    assert rows["wins"].tolist() == [10, 0]
    assert main(["compare", *players, "--game", "./arena.py:duel"]) == 0
    assert "is not 5 Elo points stronger" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("tournament ./arena.py:three arena.py:low arena.py:high", "a table has 3 seats"),
        (
            "tournament ./arena.py:fails arena.py:low arena.py:high",
            "games of ./arena.py:fails are void, the first because the simulator raised ValueError",
        ),
        ("tournament ./arena.py:duel random arena.py:high", "FILE.py:NAME is expected"),
        (
            "tournament ./arena.py:fails arena.py:low arena.py:high --games 2",
            "all 2 games of ./arena.py:fails are void, the first because the simulator raised",
        ),
        ("tournament ./arena.py:No 1 2", "a contest is named by its function: ./arena.py:FUNC"),
        ("run --game ./arena.py:duel", "genome.length=0 given; how many numbers"),
        ("run --game nim --set genome.encoding=real-vector --set genome.length=3", "nim"),
        (f"{EVOLVE} --set genome.form=x", "a contest has none"),
        ("play ./arena.py:duel", "has no positions"),
        ("watch ./arena.py:duel arena.py:low arena.py:high", "has no positions"),
        ("players ./arena.py:duel", "has no positions"),
        ("check-game ./arena.py:duel", "has no positions"),
    ],
)
def test_what_does_not_play_a_contest_says_so_in_a_line(
    words, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena.py").write_text(ARENA)
    assert main(words.split()) == 2
    out, said = capsys.readouterr()
    assert (out, message in said) == ("", True)
    assert "Traceback" not in said


SIMULATOR = """#!/usr/bin/env python3
import json, os, sys, time
first, second, _, seed = sys.argv[1:5]
words = [open(file).read().strip() for file in (first, second)]
for seat, word in enumerate(words):
    if word == "hang":
        time.sleep(60)
    if word == "flood":
        print("x" * 10_000_000)
    if word == "debug":
        print("player loaded\\nand more")
    if word == "blame":
        print(json.dumps({"fault": {"seat": "red"}}))
        sys.exit()
    if word == "die":
        os.kill(os.getpid(), 9)
    if word == "fork":
        while True:
            os.fork()
    if word == "lie":
        print("hello")
        sys.exit()
    if word == "cheat":
        print(json.dumps({"fault": {"seat": seat, "what": "cheats"}}))
        sys.exit()
numbers = [json.loads(word) for word in words]
scores = [sum(each) if isinstance(each, list) else each for each in numbers]
print(json.dumps({"scores": [each + int(seed) % 2 * 0.1 for each in scores]}))
"""
EVOLVING = {
    "game": "./arena.py:sums",
    "genome": {"encoding": "real-vector", "length": 3},
    "scheme": {"name": "round-robin"},
}
PROGRAM = "./simulate.py {0} {1} --seed {seed}"


@pytest.fixture
def simulator(tmp_path, monkeypatch):
    """A program that plays matches, and files of players."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "simulate.py").write_text(SIMULATOR)
    (tmp_path / "simulate.py").chmod(0o755)
    for name in ("1", "2", "hang", "flood", "debug", "blame", "die", "fork", "lie", "cheat"):
        (tmp_path / name).write_text(name)
    return contest(PROGRAM, limit_seconds=1.5)


def test_a_program_is_the_simulator_of_files_and_of_vectors(simulator, capsys):
    assert Competition(simulator).evaluate(["1", "2"]).fitness.tolist() == [0.0, 1.0]
    vectors = [np.array([1.0, 2.5]), np.array([0.5, 0.5])]
    result = Competition(simulator, seed=4).evaluate(vectors)
    rows = result.matches
    assert rows["score"][0] - rows["opponent_score"][0] == pytest.approx(2 * 2.5)
    assert main(["tournament", PROGRAM, "1", "2", "--games", "4"]) == 0
    assert pickle.loads(pickle.dumps(simulator)).rules.contest.identity == (
        simulator.rules.contest.identity
    )


@pytest.mark.parametrize(
    ("player", "cause", "seat", "what"),
    [
        pytest.param(
            *("hang", "late", -1, "gave no answer within 1.5 seconds"), marks=pytest.mark.slow
        ),
        ("flood", "output", -1, '(output); one line such as {"scores": [1.5, 0]} is expected'),
        ("debug", "output", -1, '; one line such as {"scores": [1.5, 0]} is expected'),
        ("blame", "raised", -1, "seat 'red' disqualified; a seat number from 0 to 1 is expected"),
        ("die", "crashed", -1, "was killed by signal 9"),
        pytest.param("fork", "late", -1, "gave no answer", marks=pytest.mark.slow),
        ("lie", "raised", -1, "the line b'hello' was written"),
        ("cheat", "disqualified", 0, "was disqualified: cheats"),
    ],
)
def test_a_program_that_fails_costs_its_games_alone(simulator, player, cause, seat, what):
    result = Competition(simulator, faults="forfeit").evaluate(["1", "2", player])
    assert len(result.faults) == 4
    assert {*result.faults["cause"]} <= {cause, "exited", "memory"} if player == "fork" else {cause}
    assert what in result.faults["what"][0] or player == "fork"
    assert result.matches["games"].tolist() == ([2, 0, 0] if seat < 0 else [2, 2, 2])
    assert result.tally.losses.tolist()[:2] == [2, 0]


def test_a_program_may_answer_before_anyone_waits_for_it(simulator, monkeypatch):
    class SlowlyStarted(contests.Process):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self._popen.wait(30)

    monkeypatch.setattr(contests, "Process", SlowlyStarted)
    assert Competition(simulator).evaluate(["1", "2"]).fitness.tolist() == [0.0, 1.0]


def test_a_program_that_is_not_there_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TournamentError, match="there is no such program"):
        contest(PROGRAM)


@pytest.fixture
def arena(tmp_path, monkeypatch):
    """The file of contests, in an empty working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena.py").write_text(ARENA)
    return tmp_path


def test_vectors_evolve_in_a_contest_and_are_measured(arena, capsys):
    run = evo.run("a", EVOLVING, population=20, generations=12)
    first, last = (run.weights(generation) for generation in (0, 12))
    assert first.shape == (20, 3)
    assert last.sum(axis=1).mean() > first.sum(axis=1).max()
    for command in ("evaluate a --games 20", "analyse a --games 20", "report a --html a.html"):
        assert main([*command.split(), "--trust"]) == 0, command
    rows = run.evaluations[lambda each: each["generation"] == 12]
    assert set(rows["opponent"]) == {"a@0"}
    assert (rows["win_rate"] == 1).mean() > 0.5
    assert main(["tournament", "./arena.py:sums", "a@0", "a@12", "--games", "4", "--trust"]) == 0
    assert main(["export", "a", "champion.json", "--trust"]) == 0
    assert sum(json.loads((arena / "champion.json").read_text())) > 0
    for command in ("watch a", "play a", "best-response a"):
        assert main([*command.split(), "--trust"]) == 2, command
        assert capsys.readouterr().err.count("./arena.py:sums") == 1


def test_vectors_evolve_in_a_contest_of_a_program(simulator, capsys):
    flags = ["--set", "genome.length=2", "--set", "genome.encoding=real-vector"]  # in any order
    flags += ["--scheme", "round-robin", "--population", "2", "--generations", "0"]
    assert main(["config", "--game", PROGRAM, *flags]) == 0
    Path("run.toml").write_text(capsys.readouterr().out)
    settings = load("run.toml")
    run = evo.run("p", settings)
    for call in (evo.resume, evo.evaluate):
        with pytest.raises(TournamentError, match=r"names the program '\./simulate"):
            call("p")
    run = evo.resume("p", generations=1, trust=True)
    assert run.snapshots == [0, 1]
    assert run.info["versions"]["./simulate.py"].startswith("sha256:")
    assert evo.evaluate("p", games=2, best=1, generations=[1], trust=True)["games"].sum() == 2


def test_a_run_of_a_contest_goes_on_to_the_same_bytes_by_any_number_of_threads(arena):
    settings = {**EVOLVING, "population": 8, "snapshot_interval": 1}
    whole = evo.run("whole", settings, generations=6)
    evo.run("parts", settings, generations=3, threads=1)
    parts = evo.resume("parts", generations=6, threads=4, trust=True)
    for generation in range(7):
        assert np.array_equal(whole.genomes(generation), parts.genomes(generation))


def test_roles_of_a_contest_are_populations_and_a_champion_plays_both(arena):
    game = {"game": "./arena.py:chase", "scheme": "round-robin"}
    run = evo.run("b", {**EVOLVING, **game}, population=8, generations=8)
    assert run.populations == ["fox", "hound"]
    rows = evo.evaluate("b", games=10, trust=True)
    assert set(rows["population"]) == {"fox", "hound"}
    best = champion("b", trust=True)
    assert np.array_equal(best.at(1), run.weights(8, "hound")[run.champion(8, "hound").individual])
    assert main(["export", "b", "both.json", "--trust"]) == 2
    assert main(["export", "b", "fox.json", "--population", "fox", "--trust"]) == 0


def test_a_simulator_that_fails_costs_its_games_in_every_command(arena, capsys):
    run = evo.run("c", {**EVOLVING, "game": "./arena.py:fragile"}, population=8, generations=2)
    faults = run.faults
    assert set(faults["seat"]) == {-1}
    assert set(faults["player"]) == {"./arena.py:fragile"}
    assert faults["opponent"].str.fullmatch(r"individual \d\+individual \d").all()
    rows = evo.evaluate("c", games=60, generations=[2], trust=True)
    counted = rows["wins"] + rows["draws"] + rows["losses"]
    assert (rows["games"] == 60).all()
    assert (counted < 60).any()
    assert rows["win_rate"].to_numpy() == pytest.approx((rows["wins"] / counted).to_numpy())
    for games in ("20", "40"):
        names = ["./arena.py:fragile", "c@0", "c@2"]
        assert main(["tournament", *names, "--trust", "--games", games, "--out", "cup"]) == 0
    pairs = open_tournament("cup").pairs
    assert pairs["first_match"].tolist() == [0, 10]
    assert pairs["games"].tolist() == [20, 20]
    assert pairs[["wins", "draws", "losses"]].to_numpy().sum() < 40
    assert main(["verify", "cup"]) == 0
    assert main(["compare", "c@2", "c@0", "--trust", "--faults", "forfeit"]) == 0
    assert "the game is void" in capsys.readouterr().err


def test_a_league_takes_the_files_of_a_contest(simulator, capsys):
    Path("entries").mkdir()
    for name in ("1", "2", "die"):
        Path("entries", name).write_text(name)
    assert main(["league", "entries", "--game", PROGRAM, "--games", "4"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"1 +2 +\+\d+", said)  # rank, submission, rating
    assert "broken" in said
