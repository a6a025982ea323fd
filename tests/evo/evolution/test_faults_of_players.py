"""Faults of players in runs, tournaments and evaluations: forfeited, written, watched again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import evo
import results
from cluster import LocalEvaluator, referee
from cluster.faults import MatchLost
from cluster.trial import Blame
from evo.cli.main import main
from evo.evolution.runs import Interrupted
from results.errors import MissingWarning
from results.read.verify import verify
from tests.bots_with_faults import Faulty, divides, kills_its_process, offer
from tournaments.arena.forfeits import Verdict
from tournaments.errors import ConfigError, PlayerFault, TournamentError
from tournaments.schemes.direct import Direct

GAME = "dots-and-boxes:rows=1,cols=1"
RUN = {
    "game": {"name": "dots-and-boxes", "rows": 1, "cols": 1},
    "scheme": {"name": "direct", "opponent": "faulty", "matches": 2},
    "population": 4,
    "generations": 4,
    "snapshot_interval": 2,
    "seed": 3,
}
ISLANDS = {"islands": {"count": 2, "topology": "ring", "every": 2}}


@pytest.fixture(autouse=True)
def faulty(monkeypatch):
    offer(monkeypatch, faulty=Faulty(divides))


def snapshots(path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (path / "snapshots").iterdir()}


def files(path) -> list[str]:
    """Whose names end in the digests of what is in them."""
    return sorted(file.name for file in (path / "faults").iterdir())


def test_a_run_goes_on_and_its_faults_are_the_same_on_any_number_of_threads(tmp_path):
    said, reports = [], []
    run = evo.run(tmp_path / "a", RUN, threads=1, announce=said.append, report=reports.append)
    other = evo.run(tmp_path / "b", RUN, evaluator=LocalEvaluator(3, chunk=1))
    assert snapshots(run.path) == snapshots(other.path)
    assert files(run.path) == files(other.path)
    faults = run.faults
    assert len(faults) == reports[-1].faults["forfeits"] > 0
    assert set(faults["player"]) == {"faulty"}
    assert set(faults["cause"]) == {"raised"}
    assert set(faults["generation"]) == set(range(5))
    assert said[0].startswith("faulty raised ZeroDivisionError: integer division or modulo by zero")
    assert said[-1] == f"{len(faults)} games lost by faults, see {run.path / 'faults'}"
    assert all(finding.state == "whole" for finding in verify(run.path))
    assert counted(run.path) == [sum(faults["generation"] <= number) for number in (0, 2, 4)]
    (run.path / "faults" / files(run.path)[0]).unlink()
    with pytest.warns(MissingWarning, match=r"games that were lost by faults up to generation 4"):
        assert len(run.faults) < len(faults)
    with pytest.raises(results.ResultsError, match="put its files back"):
        evo.resume(run.path, 6, threads=1)


def counted(path) -> list[int]:
    """The rows of ``faults`` that each snapshot counts."""
    kept = [pq.read_metadata(file).metadata for file in sorted((path / "snapshots").iterdir())]
    return [int(texts.get(b"faults", 0)) for texts in kept]


def test_a_run_that_was_stopped_has_each_fault_once(tmp_path):
    whole = evo.run(tmp_path / "a", RUN, threads=1)
    asked = iter([False, True])
    with pytest.raises(Interrupted):
        evo.run(tmp_path / "b", RUN, threads=1, stop=lambda: next(asked))
    resumed = evo.resume(tmp_path / "b", threads=1)
    assert snapshots(resumed.path) | snapshots(whole.path) == snapshots(resumed.path)
    assert resumed.faults.equals(whole.faults)


@pytest.mark.slow
def test_islands_write_the_same_faults_wherever_they_are_played(tmp_path, capsys):
    run = evo.run(tmp_path / "a", {**RUN, **ISLANDS}, threads=1)
    other = evo.run(tmp_path / "b", {**RUN, **ISLANDS}, threads=3)
    assert files(run.path) == files(other.path)
    assert set(run.faults["opponent_population"]) == {"island-0", "island-1"}
    assert main(["watch", str(run.path), "--fault", "1", "--plain"]) == 0
    assert capsys.readouterr().out.endswith(", and so loses the game\n")


def test_a_run_ends_with_the_first_fault_where_that_is_asked_for(tmp_path, capsys):
    with pytest.raises(PlayerFault, match="player 'faulty' raised ZeroDivisionError"):
        evo.run(tmp_path / "a", RUN, threads=1, faults="abort")
    with pytest.raises(ConfigError, match="faults='shrug' given"):
        evo.run(tmp_path / "b", RUN, threads=1, faults="shrug")
    line = f"tournament {GAME} faulty random --games 20 --threads 1 --faults abort"
    assert main(line.split()) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("evo: player 'faulty' raised Zero")


@dataclass
class Late:
    """Takes too long for the first so many choices that it is asked for in this process."""

    left: int
    name: str = "faulty"

    def choose(self, state, rng):
        self.left -= 1
        if self.left >= 0:
            raise PlayerFault(self.name, "late", "did not answer within 1 second")
        return state.legal_actions()[0]


@pytest.mark.parametrize("more", [{}, ISLANDS], ids=["alone", "islands"])
def test_what_a_clock_has_decided_counts_when_a_generation_is_played_again(
    tmp_path, monkeypatch, more
):
    offer(monkeypatch, faulty=Late(3))
    whole = evo.run(tmp_path / "a", {**RUN, **more}, threads=1)
    assert len(whole.faults) == 3
    offer(monkeypatch, faulty=Late(3))

    def killed(progress):
        if progress.generation == 1:
            raise OSError("the machine is gone")

    with pytest.raises(OSError, match="gone"):
        evo.run(tmp_path / "b", {**RUN, **more, "start": ""}, threads=1, report=killed)
    for file in (tmp_path / "b" / "snapshots").iterdir():  # nor was the first one kept
        file.unlink()
    (tmp_path / "b" / "snapshots.sha256").write_text("")
    resumed = evo.resume(tmp_path / "b", threads=1)  # now in time, all of it
    assert snapshots(resumed.path) == snapshots(whole.path)
    assert resumed.faults.equals(whole.faults)


class Endless:
    """Never answers one time in four; takes the first legal action else."""

    name, limit_seconds = "faulty", 0.2

    def choose(self, state, rng):
        is_endless = not rng.below(4)
        while is_endless:
            time.sleep(0.01)
        return state.legal_actions()[0]


def test_who_never_answers_in_a_thread_loses_that_game_and_the_run_goes_on(
    tmp_path, monkeypatch, capsys
):
    offer(monkeypatch, faulty=Endless())
    short = {**RUN, "population": 2, "generations": 1}
    run = evo.run(tmp_path / "a", short, threads=2)
    assert set(run.faults["cause"]) == {"late"}
    assert len(run.generations) == 2
    capsys.readouterr()
    assert main(["watch", str(run.path), "--fault", "0", "--plain"]) == 0
    line = "faulty did not answer within 0.2 seconds, and so loses the game\n"
    assert capsys.readouterr().out.endswith(line)
    monkeypatch.setattr(Endless, "limit_seconds", float("inf"))  # it would play on for ever
    monkeypatch.setattr(Endless, "choose", lambda self, state, rng: state.legal_actions()[0])
    resumed = evo.resume(run.path, generations=1)
    assert resumed.faults.equals(run.faults)


@dataclass
class Mortal:
    """Loses every match in which an entrant plays that no worker survives."""

    inner: LocalEvaluator = field(default_factory=lambda: LocalEvaluator(1))

    def play(self, entrants, matches):
        pairs, seeds = matches.part(0, len(matches))
        for place, pair in enumerate(pairs.tolist()):
            if -1 in pair and -1 not in entrants.policy.quarantined and matches.generation > 0:
                pair = tuple(pair)
                raise MatchLost("a match", place, pair, int(seeds[place]), "it is gone")
        return self.inner.play(entrants, matches)

    def close(self):
        self.inner.close()


def test_who_ends_its_workers_is_quarantined_and_a_resumed_run_knows_it(tmp_path, monkeypatch):
    offer(monkeypatch, faulty=replace(Faulty(divides), every=1_000_000))
    trials = []

    def blame(trial, seconds):
        trials.append(trial)
        return Blame(0, Verdict(1, 2, "crashed", "ended its process by SIGSEGV"))

    monkeypatch.setattr(referee, "tried", blame)
    said = []
    run = evo.run(tmp_path / "a", RUN, evaluator=Mortal(), announce=said.append)
    (fault,) = run.faults.to_dict("records")
    assert (fault["verdict"], fault["player"]) == ("quarantine", "faulty")
    assert (fault["generation"], fault["cause"]) == (1, "crashed")
    assert said[0] == (
        "faulty ended its process by SIGSEGV and is quarantined: it loses all its games"
    )
    assert run.population(4)["losses"].sum() == 0
    again = evo.resume(run.path, generations=6, evaluator=Mortal())
    assert again.faults.equals(run.faults)
    assert len(trials) == 1


@dataclass
class MortalIslands(Mortal):
    """Loses the island of that number, too."""

    lost: int = 0

    def work(self, pieces):
        raise MatchLost("island", self.lost, None, None, "it is gone")


def test_who_ends_the_workers_of_islands_is_quarantined_on_all_of_them(tmp_path, monkeypatch):
    offer(monkeypatch, faulty=replace(Faulty(divides), every=1_000_000))
    blame = Blame(0, Verdict(1, 2, "crashed", "ended its process by SIGSEGV"))
    monkeypatch.setattr(referee, "tried", lambda trial, seconds: blame)
    said = []
    run = evo.run(
        tmp_path / "a", {**RUN, **ISLANDS}, evaluator=MortalIslands(), announce=said.append
    )
    (fault,) = run.faults.to_dict("records")
    assert (fault["verdict"], fault["player"]) == ("quarantine", "faulty")
    assert (fault["generation"], fault["opponent_population"]) == (1, "island-0")
    assert "and is quarantined" in said[0]
    assert run.population(4)["losses"].sum() == 0
    other = evo.run(tmp_path / "b", {**RUN, **ISLANDS}, evaluator=MortalIslands(lost=1))
    assert snapshots(other.path) == snapshots(run.path)
    assert other.faults.equals(run.faults)


def test_a_match_for_which_no_player_is_to_blame_ends_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(referee, "tried", lambda trial, seconds: None)
    with pytest.raises(MatchLost):
        evo.run(tmp_path / "a", RUN, evaluator=Mortal())


def test_a_scheme_that_gives_no_number_is_named_before_anything_is_selected(tmp_path, monkeypatch):
    scoring = Direct.meet

    def meet(self, roster):
        schedule, scores = scoring(self, roster)
        points = np.arange(4.0)
        points[2] = np.nan
        scores = type(
            "Vague",
            (),
            {
                "take": lambda self, played, results: None,
                "next_round": lambda self: None,
                "kept": lambda self: (),
                "points": lambda self: points,
            },
        )()
        return schedule, scores

    monkeypatch.setattr(Direct, "meet", meet)
    line = r"scheme 'direct': points\(\) gave nan to entrant 2; finite numbers are expected"
    with pytest.raises(TournamentError, match=line):
        evo.run(tmp_path / "a", RUN, threads=1)
    assert not list((tmp_path / "a" / "snapshots").iterdir())


def test_a_tournament_and_an_evaluation_write_theirs_and_each_is_watched(
    tmp_path, capsys, monkeypatch
):
    honest = Faulty(divides, 1_000_000, "honest")
    offer(monkeypatch, faulty=Faulty(divides), honest=honest)
    run = evo.run(tmp_path / "run", {**RUN, "generations": 0}, threads=1)
    of_evolution = run.faults
    before = len(of_evolution)
    evo.evaluate(run.path, ["faulty"], games=8, threads=1)
    of_run = results.open_run(run.path).faults
    assert of_run[:before].equals(of_evolution)
    assert set(of_run["purpose"][before:]) == {"evaluation/faulty/8"}
    players = ["faulty", "random", "honest"]
    table = evo.tournament(GAME, players, 20, out=tmp_path / "t", threads=1)
    held = results.open_tournament(tmp_path / "t")
    assert set(held.faults["opponent"]) == {"random", "honest"}
    wins = next(row["wins"] for row in table.standings() if row["player"] == "faulty")
    assert wins + len(held.faults) <= 40
    evo.tournament(GAME, players, 30, out=tmp_path / "t", threads=1)
    assert len(held.faults.merge(results.open_tournament(tmp_path / "t").faults)) == len(
        held.faults
    )
    capsys.readouterr()
    for path, number in ((run.path, 0), (run.path, len(of_run) - 1), (tmp_path / "t", 1)):
        assert main(["watch", str(path), "--fault", str(number), "--plain"]) == 0
        out, err = capsys.readouterr()
        assert not err
        assert out.splitlines()[-1].startswith("faulty raised ZeroDivisionError")
        assert out.endswith(", and so loses the game\n")


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("--fault 99", "--fault 99 given; numbers from 0 to "),
        (
            "--fault 0 --opponent random",
            "--opponent random given with --fault, which determines the players",
        ),
        (
            "random --fault 0",
            "PLAYER random given with --fault, which determines the players: leave it out",
        ),
    ],
)
def test_a_fault_that_is_none_is_refused_in_a_line(tmp_path, capsys, more, line):
    evo.run(tmp_path / "run", {**RUN, "generations": 0}, threads=1)
    assert main(["watch", str(tmp_path / "run"), *more.split()]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"evo: {line}")
    assert err.count("\n") == 1


def killer(folder) -> str:
    """A player in a file, which islands by actors find too."""
    file = folder / "killer.py"
    file.write_text("import os\n\n\ndef leave(state, rng):\n    os._exit(3)\n")
    return f"{file}:leave"


@pytest.mark.slow
def test_by_actors_faults_are_the_same_and_who_crashes_them_is_quarantined(tmp_path, monkeypatch):
    pytest.importorskip("ray")
    from cluster.faults import Limits
    from cluster.ray_matches import RayEvaluator

    whole = evo.run(tmp_path / "a", RUN, threads=1)
    evaluator = RayEvaluator(2, chunk=3, check=2, limits=Limits(attempts=1))
    try:
        run = evo.run(tmp_path / "b", RUN, evaluator=evaluator)
        assert snapshots(run.path) == snapshots(whole.path)
        assert run.faults.equals(whole.faults)
        offer(monkeypatch, faulty=Faulty(kills_its_process, every=40))
        run = evo.run(tmp_path / "c", RUN, evaluator=evaluator)
        assert set(run.faults["verdict"]) == {"quarantine"}
        assert run.faults["what"][0] == "ended its process by SIGSEGV"
        deadly = {**RUN["scheme"], "opponent": killer(tmp_path)}
        run = evo.run(tmp_path / "d", {**RUN, **ISLANDS, "scheme": deadly}, evaluator=evaluator)
        (fault,) = run.faults.to_dict("records")
        assert fault["what"] == "ended its process with status 3"
        assert (fault["generation"], fault["opponent_population"]) == (0, "island-0")
        assert fault["verdict"] == "quarantine"
    finally:
        evaluator.close()
