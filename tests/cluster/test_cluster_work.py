"""Pieces of work that threads share: what comes of them, in their order."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import pytest

from cluster import ClusterError, LocalEvaluator
from cluster.evaluator import all_done


@dataclass
class Square:
    number: int
    seconds: float = 0.0

    def run(self) -> tuple[int, int]:
        time.sleep(self.seconds)
        if self.number < 0:
            raise ValueError(f"{self.number} is below zero")
        return self.number**2, threading.get_ident()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pieces_come_back_in_their_order_whoever_does_them(threads):
    evaluator = LocalEvaluator(threads)
    done = all_done(evaluator, [Square(number, 0.002 * (number % 3)) for number in range(20)])
    evaluator.close()
    assert [square for square, _ in done] == [number**2 for number in range(20)]
    assert len({thread for _, thread in done}) <= threads


@dataclass
class Meeting:
    """Comes to its end once another one has begun."""

    both: threading.Barrier

    def run(self) -> int:
        return self.both.wait(300)


def test_threads_share_pieces():
    evaluator, both = LocalEvaluator(3), threading.Barrier(2)
    assert sorted(all_done(evaluator, [Meeting(both)] * 4)) == [0, 0, 1, 1]
    evaluator.close()


@pytest.mark.parametrize("place", [0, 9])
def test_what_a_piece_raises_is_raised(place):
    evaluator = LocalEvaluator(2)
    numbers = [-1 if number == place else number for number in range(10)]
    with pytest.raises(ValueError, match="-1 is below zero"):
        all_done(evaluator, [Square(number, 0.002) for number in numbers])
    evaluator.close()


def test_a_closed_evaluator_does_nothing():
    evaluator = LocalEvaluator(2)
    evaluator.close()
    with pytest.raises(ClusterError, match="closed"):
        all_done(evaluator, [Square(1)])


def test_an_evaluator_that_shares_no_work_leaves_it_to_this_thread():
    done = all_done(object(), [Square(2), Square(3)])  # type: ignore[arg-type]
    assert done == [(4, threading.get_ident()), (9, threading.get_ident())]
