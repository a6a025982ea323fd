"""A tournament's folder: nothing is lost or played twice, and what comes of it is the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from processes import ROOT
from results_data import type_name

import evo
import results
from cluster import LocalEvaluator
from evo.tournaments import ledger
from results import ResultsError
from results.folder.files import lock_run
from results.format.schema import COLUMNS
from tournaments.errors import ConfigError

GAME = "dots-and-boxes"
PLAYERS = ["level-0", "level-1", "level-2", "optimal"]
SCHEDULES = {
    "round-robin": {},
    "gauntlet": {"challengers": 2},
    "swiss": {"rounds": 3},
    "single-elimination": {},
    "double-elimination": {},
    "adaptive": {"schedule": "round-robin", "stop_within": 200.0},
}


class Counting:
    """An evaluator that counts matches, and stops everything at one of its calls."""

    def __init__(self, stops_at: int = -1) -> None:
        self.matches = 0
        self.calls = 0
        self._stops_at = stops_at
        self._own = LocalEvaluator(1)

    def play(self, entrants, matches) -> Iterator:
        if self.calls == self._stops_at:
            raise KeyboardInterrupt
        self.calls += 1
        self.matches += len(matches)
        return self._own.play(entrants, matches)

    def close(self) -> None:
        self._own.close()


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(ledger, "PART_MATCHES", 20)
    monkeypatch.setattr(ledger, "draws", lambda game: True)  # no look at matches beforehand


def play(out: Path | None, evaluator=None, players=PLAYERS, games=60, **options):
    evaluator = evaluator or Counting()
    return evo.tournament(GAME, players, games, out=out, evaluator=evaluator, **options)


def content(folder: Path) -> dict[str, bytes]:
    """The files of a tournament but for the one that holds the time of day."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


@pytest.mark.parametrize(
    "name",
    [
        name if name == "adaptive" else pytest.param(name, marks=pytest.mark.slow)
        for name in SCHEDULES
    ],
)
def test_a_tournament_stopped_anywhere_goes_on_to_the_same_bytes(name, tmp_path):
    options = {"schedule": name, **SCHEDULES[name]}
    whole = Counting()
    play(tmp_path / "whole", whole, **options)
    expected = content(tmp_path / "whole")
    assert len(expected) == whole.calls + 1 >= 5
    for stop in (0, 1, whole.calls // 2, whole.calls - 1):
        folder = tmp_path / f"stopped-{stop}"
        with pytest.raises(KeyboardInterrupt):
            play(folder, Counting(stop), **options)
        (folder / "pairs" / ".write-1-00.tmp").touch()  # as a crash leaves it
        rest = Counting()
        play(folder, rest, **options)
        assert rest.calls == whole.calls - stop
        assert content(folder) == expected
        assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize("name", SCHEDULES)
def test_the_same_call_again_plays_nothing(name, tmp_path):
    options = {"schedule": name, **SCHEDULES[name]}
    first = play(tmp_path / "t", **options)
    before = content(tmp_path / "t")
    again = Counting()
    second = play(tmp_path / "t", again, **options)
    assert again.matches == 0
    assert second.standings() == first.standings()
    assert second.records() == first.records()
    assert content(tmp_path / "t") == before


def test_players_may_be_named_in_another_order(tmp_path):
    table = play(tmp_path / "t")
    again = Counting()
    turned = play(tmp_path / "t", again, players=PLAYERS[::-1])
    assert again.matches == 0
    np.testing.assert_array_equal(turned.wins_in_seat, table.wins_in_seat[:, ::-1, ::-1])
    np.testing.assert_array_equal(turned.draws, table.draws[::-1, ::-1])


def test_what_is_played_does_not_depend_on_the_folder(tmp_path):
    assert play(tmp_path / "t").records() == play(None).records()


def test_more_players_and_more_games_keep_what_was_played(tmp_path):
    play(tmp_path / "t", players=PLAYERS[1:], games=60)
    added = Counting()
    table = play(tmp_path / "t", added, players=PLAYERS, games=60)
    assert added.matches == 3 * 30
    assert table.records() == play(None, players=PLAYERS, games=60).records()
    more = Counting()
    table = play(tmp_path / "t", more, players=PLAYERS, games=100)
    assert more.matches == 6 * 20
    assert table.records() == play(None, players=PLAYERS, games=100).records()
    frame = results.open_tournament(tmp_path / "t").pairs
    assert frame["games"].sum() == 600
    assert not frame.duplicated(["player", "opponent", "first_match"]).any()


def test_the_folder_is_read_as_frames(tmp_path):
    table = play(tmp_path / "t", anchor="level-0")
    read = results.open_tournament(tmp_path / "t")
    assert repr(read) == f"open_tournament({str(tmp_path / 't')!r})"
    for name in ("pairs", "ratings"):
        frame = getattr(read, name)
        assert list(frame) == [column.name for column in COLUMNS[name]]
    assert read.ratings.to_dict("records") == table.standings()
    assert read.ratings.set_index("player").loc["level-0", "rating"] == 0
    np.testing.assert_array_equal(read.cross_table, table.scores)
    for seat, won in read.wins_by_seat.items():
        np.testing.assert_array_equal(won, table.scores_as(seat))
    assert list(read.cross_table) == list(read.cross_table.index) == PLAYERS
    totals = read.pairs.groupby(["player", "opponent"])[["games", "wins", "wins_first"]].sum()
    for (player, opponent), row in totals.iterrows():
        i, j = PLAYERS.index(player), PLAYERS.index(opponent)
        assert row["games"] == 60
        assert row["wins"] == table.wins[i, j]
        assert row["wins_first"] == table.wins_in_seat[0, i, j]
    assert read.info["players"] == {name: name for name in PLAYERS}
    assert {"seed", "schedule", "versions", "created"} <= read.info.keys()


def test_a_draw_counts_half_a_win_of_both_in_the_cross_table_of_a_folder(tmp_path):
    small = "dots-and-boxes:rows=1,cols=2"
    table = evo.tournament(small, ["level-0", "level-1"], 60, out=tmp_path / "t", threads=1)
    assert table.draws.sum() > 0
    read = results.open_tournament(tmp_path / "t").cross_table
    np.testing.assert_array_equal(read, table.scores)
    assert read.to_numpy()[0, 1] + read.to_numpy()[1, 0] == 1


def test_before_the_end_there_are_pairs_and_no_ratings(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        play(tmp_path / "t", Counting(2))
    read = results.open_tournament(tmp_path / "t")
    assert len(read.pairs) == 3
    assert read.ratings.empty
    assert np.isnan(read.cross_table.to_numpy()).sum() > 4


def test_each_column_is_documented():
    page = (ROOT / "docs" / "tournaments.md").read_text(encoding="utf-8")
    for name in ("pairs", "ratings"):
        for column in COLUMNS[name]:
            assert f"| `{column.name}` | {type_name(column)} | {column.description} |" in page


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 2}, "seed 2 given; .* games of seed 1"),
        ({"schedule": "swiss"}, "schedule swiss given; .* of schedule round-robin"),
        ({"games": 40}, "games=40 given; .* of 60 games a pair: give that or more"),
        ({"players": PLAYERS[1:]}, "'level-0' takes part, too"),
    ],
)
def test_another_tournament_in_the_same_folder_is_refused(changed, message, tmp_path):
    play(tmp_path / "t")
    before = content(tmp_path / "t")
    with pytest.raises(ConfigError, match=message):
        play(tmp_path / "t", **changed)
    assert content(tmp_path / "t") == before


def test_a_knockout_of_more_games_is_another(tmp_path):
    play(tmp_path / "t", schedule="single-elimination")
    with pytest.raises(ConfigError, match="give that, or another folder"):
        play(tmp_path / "t", schedule="single-elimination", games=80)


def test_a_player_that_has_become_another_is_refused(tmp_path):
    file = tmp_path / "weights.npy"
    np.save(file, np.full(465, 64.0))
    name = f"network:weights={file}"
    play(tmp_path / "t", players=["level-0", name], games=2)
    np.save(file, np.full(465, -64.0))
    with pytest.raises(ConfigError, match="is no longer the player that it was"):
        play(tmp_path / "t", players=["level-0", name], games=2)


def test_what_is_no_folder_of_a_tournament_is_refused(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").touch()
    with pytest.raises(ResultsError, match=r"holds notes.txt, but no tournament.json"):
        play(tmp_path / "other")
    with pytest.raises(ResultsError, match="give the folder that evo tournament --out made"):
        results.open_tournament(tmp_path / "none")
    play(tmp_path / "t")
    lock_run(tmp_path / "t")
    with pytest.raises(ResultsError, match="another process"):
        play(tmp_path / "t")
    file = tmp_path / "t" / "tournament.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "schema_version": 9}))
    with pytest.raises(ResultsError, match="schema version 9"):
        results.open_tournament(tmp_path / "t")


def test_a_damaged_part_is_named_and_played_again_once_it_is_removed(tmp_path):
    play(tmp_path / "t")
    part = sorted((tmp_path / "t" / "pairs").iterdir())[1]
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(ResultsError, match=f"{part.name} is damaged.* remove it"):
        play(tmp_path / "t")
    part.unlink()
    again = Counting()
    assert play(tmp_path / "t", again).records() == play(None).records()
    assert 0 < again.matches < 180
