"""What evolution makes of workers that give wrong outcomes, and what it reports of faults."""

from __future__ import annotations

import evo
from cluster import LocalEvaluator
from cluster.evaluator import SpoiledError
from cluster.faults import Faults
from evo.config.config import from_dict
from evo.evolution.islands import Stretch
from tournaments.arena.outcomes import Played

RUN = {"scheme": "round-robin", "population": 6, "generations": 3, "seed": 3}


class WrongOnce:
    """Gives wrong outcomes in its second call, is found out at its end, and has no more of them."""

    def __init__(self) -> None:
        self.inner = LocalEvaluator(1, chunk=5)
        self.faults = Faults()
        self.calls = 0

    def play(self, entrants, matches):
        self.calls += 1
        is_wrong = self.calls == 2
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
