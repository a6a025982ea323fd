"""What evolution makes of workers that give wrong outcomes, and what it reports of faults."""

from __future__ import annotations

import pytest

import evo
from cluster import LocalEvaluator
from cluster.evaluator import SpoiledError
from cluster.faults import Faults
from evo.config.config import from_dict
from evo.evolution.loop import Stretch
from tournaments.arena.outcomes import Played

RUN = {"scheme": "round-robin", "population": 6, "generations": 3, "seed": 3}


class WrongOnce:
    """Gives wrong outcomes in one call, is found out at its end, and has no more of them."""

    def __init__(self, wrong: int = 2) -> None:
        self.inner = LocalEvaluator(1, chunk=5)
        self.faults = Faults()
        self.calls, self.wrong = 0, wrong

    def play(self, entrants, matches):
        self.calls += 1
        is_wrong = self.calls == self.wrong
        for part in self.inner.play(entrants, matches):
            yield Played(part.first, part.pairs, part.outcomes + is_wrong)
        if is_wrong:
            self.faults.quarantined += 1
            raise SpoiledError("wrong outcomes")

    def close(self) -> None:
        self.inner.close()


def test_a_generation_with_wrong_outcomes_is_played_anew(tmp_path):
    evaluator, reports = WrongOnce(), []
    run = evo.run(tmp_path / "a", RUN, evaluator=evaluator, report=reports.append)
    undisturbed = evo.run(tmp_path / "b", RUN, threads=1)
    for name in sorted(path.name for path in (run.path / "snapshots").iterdir()):
        paths = [path / "snapshots" / name for path in (run.path, undisturbed.path)]
        assert paths[0].read_bytes() == paths[1].read_bytes()
    assert evaluator.calls == 5
    assert [report.faults for report in reports] == [{}, *[{"quarantined": 1}] * 3]


def measured(evaluator, run) -> list:
    """What a snapshot's games against a player, a tournament and an analysis give."""
    table = evo.tournament("nim", ["random", "optimal"], games=20, evaluator=evaluator)
    rows = evo.evaluate(run, ["random"], games=4, evaluator=evaluator)
    scores = evo.analyse(run, games=4, evaluator=evaluator).scores
    return [
        table.standings(),
        rows.filter(regex="wins|draws|losses").sum().tolist(),
        scores.to_dict(),
    ]


@pytest.mark.parametrize("wrong", [1, 2, 3, 5])
def test_what_measures_and_meets_plays_anew_too(wrong, tmp_path):
    """The call with wrong outcomes is one of a tournament, of an evaluation, or of an analysis."""
    given = {**RUN, "snapshot_interval": 1}
    spoiled, run = (evo.run(tmp_path / name, given, threads=1).path for name in ("a", "b"))
    evaluator = WrongOnce(wrong)
    assert measured(evaluator, spoiled) == measured(LocalEvaluator(1, chunk=5), run)
    assert evaluator.faults.quarantined == 1


def test_threads_report_no_faults(tmp_path):
    reports = []
    evo.run(tmp_path / "run", RUN, threads=1, report=reports.append)
    assert [report.faults for report in reports] == [{}] * 4


def test_a_stretch_of_an_island_is_the_same_whoever_plays_it_but_for_its_seconds():
    config = from_dict({**RUN, "islands": {"count": 2}})
    first, second = (Stretch(config.island(0), 0, 2, 2) for _ in range(2))
    other = Stretch(config.island(1), 1, 2, 2)
    seen = [stretch.witness(stretch.run()) for stretch in (first, second, other)]
    assert seen[0] == seen[1] != seen[2]
