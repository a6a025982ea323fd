"""What evolution reports of faults of workers, and what is compared of an island."""

from __future__ import annotations

import evo
from cluster import LocalEvaluator
from cluster.faults import Faults
from evo.config.config import from_dict
from evo.evolution.loop import Stretch

RUN = {"scheme": "round-robin", "population": 6, "generations": 3, "seed": 3}


class Losing(LocalEvaluator):
    """An evaluator that says to have lost a chunk in its second call."""

    def __init__(self) -> None:
        super().__init__(1)
        self.faults, self.calls = Faults(), 0

    def play(self, entrants, matches):
        self.calls += 1
        self.faults.lost += self.calls == 2
        return super().play(entrants, matches)


def test_faults_of_workers_are_reported(tmp_path):
    reports = []
    evo.run(tmp_path / "run", RUN, evaluator=Losing(), report=reports.append)
    assert [report.faults for report in reports] == [{}, *[{"lost": 1}] * 3]


def test_threads_report_no_faults(tmp_path):
    reports = []
    evo.run(tmp_path / "run", RUN, threads=1, report=reports.append)
    assert [report.faults for report in reports] == [{}] * 4


def test_a_stretch_of_an_island_is_the_same_whoever_plays_it_but_for_its_seconds():
    config = from_dict({**RUN, "islands": {"count": 2}})
    first, second = (Stretch(config.of_islands[0], 0, 2, 2) for _ in range(2))
    other = Stretch(config.of_islands[1], 1, 2, 2)
    seen = [stretch.witness(stretch.run()) for stretch in (first, second, other)]
    assert seen[0] == seen[1] != seen[2]
