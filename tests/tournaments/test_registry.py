"""What packages offer is read once, and anew where packages come or go."""

from __future__ import annotations

import os
import shutil
from collections import Counter

import pytest

from tournaments import games, players, registry
from tournaments.errors import TournamentError, counted


def test_each_group_of_entry_points_is_read_once(monkeypatch):
    read, counts = registry.entry_points, Counter()

    def counted(group):
        counts[group] += 1
        return read(group=group)

    monkeypatch.setattr(registry, "entry_points", counted)
    game = games.make("dots-and-boxes", rows=2, cols=2)
    known = players.names(game)
    assert players.names(game) == known
    players.as_players(["random", "level-1", "random"], game)
    assert counts[players.PLAYERS.group] == 1
    assert set(counts.values()) == {1}


def install(folder, name, date) -> None:
    """Put down a package that offers a player."""
    package = folder / f"{name}-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text(f"[tournaments.players]\nvisitor = {name}:player\n")
    os.utime(folder, ns=(date, date))  # clocks of file systems may be coarse


def test_a_package_that_is_installed_meanwhile_is_known(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    assert "visitor" not in players.PLAYERS.names()
    install(tmp_path, "visitors", 1)
    assert "visitor" in players.PLAYERS.names()
    assert players.PLAYERS.point("visitor").value == "visitors:player"
    install(tmp_path, "guests", 2)
    with pytest.raises(TournamentError, match="'visitor' is offered by guests and visitors; unin"):
        players.PLAYERS.load("visitor")
    shutil.rmtree(tmp_path / "visitors-1.0.dist-info")
    os.utime(tmp_path, ns=(3, 3))
    assert players.PLAYERS.point("visitor").value == "guests:player"


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, "1 game"), (0, "0 games"), (1234, "1,234 games"), (1.0, "1 game"), (0.5, "0.5 games")],
)
def test_a_unit_is_in_the_plural_unless_there_is_one(number, expected):
    assert counted(number, "game") == expected
