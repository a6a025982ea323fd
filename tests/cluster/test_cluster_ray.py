"""Whoever plays the matches, and however they are cut up: the same outcomes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cluster import ClusterError, Entrants, LocalEvaluator, doctor, ray_connection
from cluster.assignment import Assignment
from cluster.evaluator import all_outcomes
from cluster.faults import Limits, MatchLost
from cluster.ray_matches import RayEvaluator
from tournaments import TournamentError, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Genomes
from tournaments.errors import PlayerFault
from tournaments.game import IllegalAction
from tournaments.players.network import Encoding, layers_for
from tournaments.schedules.base import Listed, Matches

GAME = games.make("dots-and-boxes", rows=2, cols=2)
INDIVIDUALS = 12


class RandomEdge:
    """A user's own player, which plays move by move; the others misbehave now and then."""

    name = "random edge"

    def choose(self, state, rng):
        return rng.choice(state.legal_actions())


class Waiting(RandomEdge):
    """Moves once there is a file, or after five minutes."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def choose(self, state, rng):
        until = time.monotonic() + 300
        while not self.file.exists() and time.monotonic() < until:
            time.sleep(0.01)
        return super().choose(state, rng)


class KillsItsProcess(RandomEdge):
    """Kills the process it plays in, the first ``times`` times; ``folder`` keeps count."""

    def __init__(self, folder: Path, times: int) -> None:
        self.folder, self.times = folder, times

    def choose(self, state, rng):
        for number in range(self.times):
            with contextlib.suppress(FileExistsError):  # two actors may get here at once
                (self.folder / str(number)).touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(state, rng)


class Illegal(RandomEdge):
    def choose(self, state, rng):
        return 99


class TwoArguments(Exception):
    """An exception that pickles, and then cannot be made again."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


class Raises(RandomEdge):
    def choose(self, state, rng):
        raise TwoArguments("this", "that")


class TellsVariables(RandomEdge):
    def choose(self, state, rng):
        raise LookupError(f"{os.environ['EVO_CACHE_DIR']} {os.environ.get('NUMBA_CPU_NAME')}")


def population(*panel, seed=0) -> Entrants:
    encoding = Encoding(layers_for(GAME))
    genomes = np.random.default_rng(seed).integers(
        0, 256, (INDIVIDUALS, encoding.num_bytes), dtype=np.uint8
    )
    unused = 8 * encoding.num_bytes - encoding.num_bits
    genomes[:, -1] &= 0xFF << unused & 0xFF
    panel = panel or (players.make("level-1", GAME),)
    return Entrants(GAME, panel, (Genomes(encoding, genomes),))


def listed(pairs, games=2) -> Matches:
    return Matches(Listed(np.asarray(pairs, dtype=np.int32)), 5, "test", games=games)


def schedule(matches=150, lowest=-1, games=2) -> Matches:
    """Matches of individuals and panel players."""
    rng = np.random.default_rng(5)
    return listed(rng.integers(lowest, INDIVIDUALS, (matches, 2)), games)


def against_panel(matches=12) -> Matches:
    """Every match between an individual and the first of the panel."""
    return listed(np.stack([np.arange(matches) % INDIVIDUALS, np.full(matches, -1)], axis=1))


def in_one_go(entrants, matches):
    return play_pairs(entrants, *matches.part(0, len(matches)), matches.games)


def handles(evaluator) -> set:
    """The actors that an evaluator has."""
    return set(evaluator.supervisor.transport.handles.values())


@pytest.fixture(scope="module")
def pair_of_actors(ray):
    with closing(RayEvaluator(actors=2)) as evaluator:
        yield evaluator


@pytest.fixture
def two(pair_of_actors):
    """Two actors, whose chunk size a test may set."""
    pair_of_actors.chunk = None
    return pair_of_actors


# --- threads -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads", "chunk"), [(1, None), (2, None), (4, None), (2, 1), (4, 7), (2, 1000)]
)
def test_threads_play_what_one_go_plays(threads, chunk):
    entrants, matches = population(), schedule(games=3)
    with closing(LocalEvaluator(threads, chunk)) as evaluator:
        outcomes = all_outcomes(evaluator, entrants, matches)
    assert np.array_equal(outcomes, in_one_go(entrants, matches))
    assert outcomes.dtype == np.int16


def test_threads_do_not_disturb_players_that_choose_move_by_move():
    """A kind's memory is one for all games of a process; switching within a move would show."""
    entrants = population(players.make("box-completion-network", GAME), RandomEdge())
    matches = listed(np.full((40, 2), (-1, -2)))
    expected = in_one_go(entrants, matches)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        outcomes = all_outcomes(LocalEvaluator(4, chunk=5), entrants, matches)
    finally:
        sys.setswitchinterval(interval)
    assert np.array_equal(outcomes, expected)


def test_threads_below_one_are_refused():
    with pytest.raises(ClusterError, match="threads=0 given; at least 1"):
        LocalEvaluator(0)


def test_an_error_in_a_thread_leaves_the_evaluator_usable():
    matches = schedule(40)
    nobody = np.arange(80).reshape(40, 2) % INDIVIDUALS
    nobody[30:] = 99
    with closing(LocalEvaluator(2, chunk=2)) as evaluator:
        with pytest.raises(TournamentError, match="99 given"):
            all_outcomes(evaluator, population(), listed(nobody))
        outcomes = all_outcomes(evaluator, population(), matches)
    assert np.array_equal(outcomes, in_one_go(population(), matches))


# --- actors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunk", [None, 7, 1000])
def test_two_actors_play_what_one_go_plays(two, chunk):
    two.chunk = chunk
    entrants, matches = population(), schedule(games=3)
    outcomes = all_outcomes(two, entrants, matches)
    assert np.array_equal(outcomes, in_one_go(entrants, matches))
    assert outcomes.dtype == np.int16


def test_one_actor_plays_what_one_go_plays(ray):
    entrants, matches = population(), schedule(games=3)
    expected = in_one_go(entrants, matches)
    with closing(RayEvaluator(actors=1)) as evaluator:
        for chunk in (None, 7):
            evaluator.chunk = chunk
            assert np.array_equal(all_outcomes(evaluator, entrants, matches), expected)
    assert ray.is_initialized()  # it was running before
    with pytest.raises(ClusterError, match="closed"):
        all_outcomes(evaluator, entrants, matches)


@pytest.mark.slow
def test_closing_ends_a_call_of_which_some_parts_are_left(ray):
    evaluator = RayEvaluator(actors=1, chunk=7)
    parts = evaluator.play(population(), schedule())
    next(parts)
    evaluator.close()
    with pytest.raises(ClusterError, match="closed while its matches were played"):
        next(parts)


def test_each_call_plays_its_own_entrants(two):
    matches = schedule()
    first, second = population(seed=1), population(seed=2)
    outcomes = [all_outcomes(two, entrants, matches) for entrants in (first, second, first)]
    assert not np.array_equal(outcomes[0], outcomes[1])
    assert np.array_equal(outcomes[0], in_one_go(first, matches))
    assert np.array_equal(outcomes[1], in_one_go(second, matches))
    assert np.array_equal(outcomes[2], outcomes[0])


def test_no_matches_give_no_outcomes(two):
    assert all_outcomes(two, population(), schedule(0, games=4)).shape == (0, 4, 2)


def test_entrants_are_put_into_the_store_once_a_call(two, ray, monkeypatch):
    calls = []
    put = ray.put
    monkeypatch.setattr(ray, "put", lambda value: calls.append(value) or put(value))
    # Other tests may have loaded files by path, which travel with the job in a parcel.
    monkeypatch.setattr(ray_connection, "known_files", tuple)
    two.chunk = 7
    entrants, matches = population(), schedule(games=3)
    all_outcomes(two, entrants, matches)
    assert [job.entrants for job in calls] == [entrants]


def test_results_are_taken_as_they_come_and_land_where_they_belong(two, monkeypatch, tmp_path):
    taken, file = [], tmp_path / "one is taken"
    answered = Assignment.answered

    def noted(self, task, event):
        taken.append(task.item.part.start)
        file.touch()
        answered(self, task, event)

    monkeypatch.setattr(Assignment, "answered", noted)
    two.chunk = 10
    entrants = population(Waiting(file), players.make("level-1", GAME))
    matches = against_panel(60)
    matches.schedule.listed[10:, 1] = -2  # only the first chunk waits
    outcomes = all_outcomes(two, entrants, matches)
    assert sorted(taken) == [0, 10, 20, 30, 40, 50]
    assert taken[0] != 0
    assert np.array_equal(outcomes, in_one_go(entrants, matches))


def test_players_of_ones_own_play_in_actors(two):
    entrants = population(RandomEdge())
    matches = schedule(20)
    assert np.array_equal(all_outcomes(two, entrants, matches), in_one_go(entrants, matches))


def test_an_actor_killed_in_the_middle_is_replaced(two, tmp_path):
    two.chunk = 3
    before = handles(two)
    matches = against_panel()
    outcomes = all_outcomes(two, population(KillsItsProcess(tmp_path, 1)), matches)
    assert len(list(tmp_path.iterdir())) == 1
    assert np.array_equal(outcomes, in_one_go(population(RandomEdge()), matches))
    assert len(handles(two)) == 2
    assert len(handles(two) & before) == 1
    assert two.faults.lost > 0
    assert two.faults.repeated > 0


@pytest.mark.slow
def test_actors_that_died_between_calls_are_replaced(two, ray):
    for handle in handles(two):
        ray.kill(handle)
    entrants, matches = population(), schedule(20)
    assert np.array_equal(all_outcomes(two, entrants, matches), in_one_go(entrants, matches))


@pytest.mark.slow
def test_the_match_that_kills_every_actor_is_named(two, tmp_path, monkeypatch):
    monkeypatch.setattr(two.supervisor, "limits", Limits(attempts=1))
    two.chunk = 3
    matches = against_panel(3)
    matches.schedule.listed[:2, 1] = -2
    deadly = population(KillsItsProcess(tmp_path, 100), players.make("level-1", GAME))
    with pytest.raises(MatchLost, match=r"match 2 .* individual 2 against random edge") as lost:
        all_outcomes(two, deadly, matches)
    assert (lost.value.match, lost.value.pair) == (2, (2, -1))
    assert lost.value.seed == int(matches.part(2, 3)[1][0])
    monkeypatch.undo()
    matches = against_panel(3)
    entrants = population()
    assert np.array_equal(all_outcomes(two, entrants, matches), in_one_go(entrants, matches))


def test_an_error_of_a_player_keeps_its_class_and_message(two):
    entrants = population(Illegal())
    matches = against_panel(1)
    with pytest.raises(IllegalAction) as expected:
        in_one_go(entrants, matches)
    with pytest.raises(IllegalAction) as raised:
        all_outcomes(two, entrants, matches)
    assert raised.type is expected.type
    assert str(raised.value) == str(expected.value)


def test_an_error_that_cannot_travel_is_told(two):
    with pytest.raises(PlayerFault, match="raised TwoArguments: this and that"):
        all_outcomes(two, population(Raises()), against_panel(3))


def test_actors_play_against_a_program_as_one_go_does(two, tmp_path):
    legal = '${line#*\\"legal\\":[}'
    (tmp_path / "bot.sh").write_text(
        f"""while read -r line; do case $line in '{{"type":"move"'*)
        legal={legal}; echo "{{\\"action\\": ${{legal%%[],]*}}}}";; esac; done"""
    )
    player = players.make(f"{tmp_path}/bot.sh:per=tournament", GAME)
    entrants, matches = population(player), against_panel(4)
    assert np.array_equal(all_outcomes(two, entrants, matches), in_one_go(entrants, matches))


def test_a_player_that_cannot_be_sent_is_refused(two):
    player = RandomEdge()
    player.lock = threading.Lock()
    with pytest.raises(ClusterError, match="so that pickle can save them"):
        all_outcomes(two, population(player), against_panel(3))


@pytest.mark.slow
def test_actors_here_share_the_cache_folder_and_the_processor_name(ray, monkeypatch, tmp_path):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    with (
        closing(RayEvaluator(actors=1)) as evaluator,
        pytest.raises(PlayerFault, match=f"LookupError: {tmp_path} generic"),
    ):
        all_outcomes(evaluator, population(TellsVariables()), against_panel(1))


@pytest.mark.slow
def test_more_actors_than_processors_still_play(ray, two):
    entrants, matches = population(), schedule(20)
    with closing(RayEvaluator(actors=6)) as evaluator:  # two of the four processors are taken
        outcomes = all_outcomes(evaluator, entrants, matches)
    assert np.array_equal(outcomes, in_one_go(entrants, matches))


def test_every_node_is_compared_with_this_process(ray, two):
    here = doctor.examine_here()
    (finding,) = doctor.examine_nodes(None, here)
    assert (finding.mend, finding.bytes, finding.plays_with) == ("", here.bytes, here.plays_with)
    assert finding.node == ray.get_runtime_context().get_node_id()
    assert min(finding.round_trip_ms, finding.store_mb_s, finding.chunk_seconds) > 0
    other = doctor.compared(finding, replace(here, bytes="other"))
    assert other.startswith("it gives other outcomes for the same matches")
    other = doctor.compared(finding, replace(here, plays_with="python 3.0"))
    assert "this process with python 3.0; install the same versions" in other


@pytest.mark.slow
def test_an_actor_that_is_stopped_does_not_hold_up_a_call(two, monkeypatch):
    monkeypatch.setattr(two.supervisor, "limits", Limits(floor=0.5, warm=0.5))
    entrants, matches = population(), schedule(20)
    expected = all_outcomes(two, entrants, matches)
    stopped = next(worker.who.pid for worker in two.supervisor.workers.values() if worker.who)
    os.kill(stopped, signal.SIGSTOP)
    try:
        two.chunk = 5
        assert np.array_equal(all_outcomes(two, entrants, matches), expected)
        assert two.faults.overdue > 0
    finally:
        with contextlib.suppress(ProcessLookupError):  # it was taken down
            os.kill(stopped, signal.SIGCONT)


def test_actors_below_one_are_refused():
    with pytest.raises(ClusterError, match="actors=0 given; at least 1"):
        RayEvaluator(actors=0)
