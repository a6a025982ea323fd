"""A recorded playthrough of every registered game; ``python -m tests.golden_update`` records."""

from __future__ import annotations

import pytest
from golden_update import FOLDER, playthroughs

from tournaments import games


@pytest.mark.parametrize("name", games.names())
def test_a_playthrough_is_as_recorded(name):
    recorded = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert playthroughs(name) == recorded


def test_every_registered_game_has_a_playthrough_and_no_other_has():
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == games.names()
