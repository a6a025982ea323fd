"""Sets of actions against sorted lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.kernels import bitset as action_sets
from tournaments.kernels.linker import build

SETS = st.integers(1, 300).flatmap(
    lambda actions: st.tuples(st.just(actions), st.sets(st.integers(0, actions - 1), min_size=1))
)


def words_of(actions: int, chosen: set[int]) -> np.ndarray:
    words = action_sets.empty(actions)
    for action in chosen:
        words[action // action_sets.WORD] |= action_sets.bit(action)
    return words


@pytest.mark.parametrize("compiled", [False, True])
@given(case=SETS)
def test_each_member_is_found_by_how_many_stand_before_it(compiled, case):
    words = words_of(*case)
    nth = build(action_sets.nth, compiled=compiled)
    with np.errstate(over="ignore"):
        found = [int(nth(words, number)) for number in range(len(case[1]))]
    assert found == sorted(case[1]) == action_sets.members(words)


@pytest.mark.parametrize("compiled", [False, True])
@given(case=SETS)
def test_members_are_counted(compiled, case):
    with np.errstate(over="ignore"):
        counted = build(action_sets.size, compiled=compiled)(words_of(*case))
    assert counted == len(case[1])


@pytest.mark.parametrize("actions", [1, 31, 32, 33, 64, 16_000])
def test_full_sets_have_every_action_and_no_other(actions):
    words = words_of(actions, set(range(actions)))
    assert len(words) == -(-actions // 32)
    assert action_sets.members(words) == list(range(actions))
    assert build(action_sets.nth)(words, actions - 1) == actions - 1
