"""Leagues: who is looked at, who meets whom, and that nothing is played twice."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from html_pages import Parts, rows_in, sections_in
from hypothesis import given, settings
from hypothesis import strategies as st

import evo
from evo.cli.main import main
from evo.tournaments import submissions as module
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.league import pair_of, round_of
from evo.tournaments.league_table import forfeits_of
from evo.tournaments.ledger import Ledger
from results import ResultsError, open_tournament
from results.folder.faults import read_faults
from results.folder.tournament import TournamentWriter
from results.redact import without_folders
from tournaments import games, players
from tournaments.errors import ConfigError, PlayerFault, TournamentError

GAME = "nim:heaps=1-2"


class Bot:
    """A player that plays as a text says.

    The text is ``first`` or ``last`` (of the legal actions), a way to fail and a number of moves
    before it, or ``surely`` for a player without randomness.
    """

    def __init__(self, path: str, text: str) -> None:
        self.name, self._text, self._moves = path, text, 0

    def choose(self, state, rng):
        self._moves += 1
        if not self._text.endswith("surely"):
            rng.draw()
        how, _, after = self._text.partition(" after ")
        if how == "raises" and self._moves > int(after or 0):
            raise PlayerFault(self.name, "raised", "raised ValueError: <no>\nidea")
        if how == "illegal" and self._moves > int(after or 0):
            return -1
        legal = state.legal_actions()
        how = how.removesuffix(" surely")
        return legal[0] if how == "first" else legal[-1] if how == "last" else rng.choice(legal)


@pytest.fixture(autouse=True)
def bots(monkeypatch):
    """Files of words are players."""

    def made(path, game):
        if (text := Path(path).read_text()) == "exits":
            raise SystemExit("bye")
        return Bot(path, text)

    monkeypatch.setattr(module, "make_player", made)


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "bots"
    path.mkdir()
    for name, text in {"a": "first", "b": "last", "c": "chance", "d": "chance too"}.items():
        (path / name).write_text(text)
    return path


def night(folder, **options):
    return evo.league(folder, GAME, 4, threads=1, **options)


def states(table) -> dict[str, str]:
    return {row["submission"]: row["state"] for row in table.rows()}


def read_csv(table) -> list[dict[str, str]]:
    with (table.folder / "league.csv").open() as file:
        return list(csv.DictReader(file))


def test_a_night_rates_all_and_the_next_plays_nothing(folder):
    first = night(folder)
    assert first.games == 6 * 4
    assert states(first) == dict.fromkeys("abcd", "plays")
    assert first.folder == Path(f"{folder}-league")
    rows = read_csv(first)
    assert [int(row["rank"]) for row in rows] == [1, 2, 3, 4]
    assert sum(float(row["nash"]) for row in rows) == pytest.approx(1)
    assert sum(float(row["win_rate_as_second"]) for row in rows) == pytest.approx(
        4 - sum(float(row["win_rate_as_first"]) for row in rows)
    )  # who did not win from the first seat lost to the second: nim has no draws
    (ratings, *_) = sections_in(first.folder / "index.html")["Ratings"]
    assert [row["won as second"] for row in rows_in(ratings)] == [
        pytest.approx(float(row["win_rate_as_second"]), abs=1e-6) for row in rows
    ]
    assert repr(first).endswith("4 of 4 submissions play, 24 games tonight>")
    assert open_tournament(first.folder).pairs["games"].sum() == 24
    second = night(folder)
    assert second.games == 0
    assert read_csv(second) == rows
    assert night(folder, most_games=4).games == 0


def test_more_games_are_played_on_top_of_those_of_the_nights_before(folder):
    assert night(folder).games == 6 * 4
    more = evo.league(folder, GAME, 10, threads=1)
    assert more.games == 6 * (10 - 4)
    assert {row["games"] for row in more.rows()} == {3 * 10}


def test_counts_are_of_the_first_name_in_order_whoever_was_named_first():
    kinds = {"wins": 4, "draws": 1, "losses": 3}
    firsts = {"wins_first": 3, "draws_first": 0, "losses_first": 1, "first_match": 0, "games": 8}
    numbers = {name: np.array([value]) for name, value in {**kinds, **firsts}.items()}
    for player, opponent in ("ab", "ba"):
        pairs = {"player": np.array([player]), "opponent": np.array([opponent]), **numbers}
        folder = SimpleNamespace(pairs=pairs, info={})
        ledger = Ledger(games.parse(GAME), [], 1, None, writer=folder)
        counts = CrossTable(ledger.names, ledger.played).of(["a", "b"]).met[0, 1]
        of_player = counts if player == "a" else counts[::-1, ::-1]
        np.testing.assert_array_equal(of_player, [[3, 0, 1], [1, 1, 2]])


@pytest.mark.parametrize("name", ["=1+1", "-1+1", "+1", "@sum"])
def test_no_cell_is_a_formula(folder, name):
    (folder / name).write_text("chance")
    assert f"'{name}" in {row["submission"] for row in read_csv(night(folder))}


def test_the_first_fault_of_a_cause_is_shown():
    names = ["b", "a", "a", "a"]
    whats = ["chose -1", "took 7 s", "took 8 s", "raised"]
    causes = ["illegal", "late", "late", "raised"]
    faults = pd.DataFrame({"player": names, "cause": causes, "what": whats})
    assert [(lost.player, lost.games, lost.what, lost.fault) for lost in forfeits_of(faults)] == [
        ("a", 2, "took 7 s", 1),
        ("a", 1, "raised", 3),
        ("b", 1, "chose -1", 0),
    ]


def test_pairs_without_randomness_play_one_match_and_are_marked(folder, capsys):
    (folder / "s").write_text("first surely")
    (folder / "t").write_text("last surely")
    table = night(folder, out=folder.parent / "kept")
    assert table.games == 14 * 4 + 2
    rows = {row["submission"]: row for row in read_csv(table)}
    assert (rows["s"]["repeated"], rows["s"]["repeated_with"]) == ("1", "t")
    assert (rows["t"]["repeated"], rows["t"]["repeated_with"]) == ("1", "s")
    assert (rows["a"]["repeated"], rows["a"]["repeated_with"]) == ("0", "")
    assert (rows["s"]["games"], rows["a"]["games"]) == ("18", "20")
    page = (table.folder / "index.html").read_text()
    assert "the same games in every match: 1. Of these one match is played" in page
    again = night(folder, out=folder.parent / "kept")
    assert again.games == 0
    assert {row["submission"]: row for row in read_csv(again)} == rows
    more = evo.league(folder, GAME, 8, threads=1, out=folder.parent / "kept")
    assert more.games == 14 * 4
    (folder / "t").unlink()
    assert night(folder, out=folder.parent / "kept").games == 0


def test_the_page_fetches_nothing_and_shows_names_as_they_are(folder):
    (folder / "<img src=x onerror=alert(1)>").write_text("raises")
    (folder / "=1+1").write_text("last, again")
    table = night(folder)
    page = (table.folder / "index.html").read_text()
    assert "<img" not in page
    elements = Parts(page).elements
    assert not any({"src", "href"} & attributes.keys() for _, attributes in elements)
    sections = sections_in(table.folder / "index.html")
    (broken,) = rows_in(sections["Does not play"][0])
    assert broken["submission"] == "<img src=x onerror=alert(1)>"
    assert broken["why"].startswith("it raised ValueError: <no> (as first")
    assert "'=1+1" in {row["submission"] for row in read_csv(table)}


def test_a_changed_file_is_a_newcomer_and_what_it_was_keeps_its_games(folder):
    night(folder)
    (folder / "a").write_text("last, as of today")
    table = night(folder)
    assert table.games == 3 * 4
    rows = {(row["submission"], row["state"]): row for row in table.rows()}
    assert rows["a", "earlier"]["games"] == rows["a", "plays"]["games"] == 12
    assert rows["a", "earlier"]["rank"] is None
    assert rows["b", "plays"]["games"] == 16
    (folder / "a").write_text("first")  # as it was
    assert night(folder).games == 0


def test_pairs_of_earlier_versions_are_none_of_those_foreseen(folder):
    night(folder)
    (folder / "a").write_text("last again")
    seen = []
    night(folder, report=lambda done, foreseen, games: seen.append((done, foreseen)))
    assert {foreseen for _, foreseen in seen} == {6}
    assert max(seen) == (6, 6)
    assert min(seen) == (4, 6)


def test_a_renamed_file_plays_nothing_and_a_copy_does_not_play(folder):
    night(folder)
    (folder / "a").rename(folder / "anna")
    (folder / "copy of b").write_text("last")
    table = night(folder)
    assert table.games == 0
    assert states(table) == {**dict.fromkeys(["anna", *"bcd"], "plays"), "copy of b": "broken"}
    assert {row["why"] for row in table.rows()} == {"", "the same as b, which plays"}


def test_broken_submissions_are_listed_and_end_nothing(folder, capsys):
    for name, text in {
        "x": "raises",
        "y": "illegal",
        "z": "exits",
        "u:v=1": "first",
        ".hidden": "raises",
    }.items():
        (folder / name).write_text(text)
    table = night(folder, announce=print)
    assert states(table) == {
        **dict.fromkeys("abcd", "plays"),
        **dict.fromkeys(["u:v=1", *"xyz"], "broken"),
    }
    why = {row["submission"]: row["why"] for row in table.rows()}
    assert "raised ValueError: <no>" in why["x"]
    assert "chose -1, which is illegal" in why["y"]
    assert str(folder) not in why["y"]
    assert why["u:v=1"] == "its name has a ':'; give the file another one"
    assert why["z"] == "SystemExit: bye"
    assert "\n" not in "".join(why.values())
    assert "y does not play: it chose -1" in capsys.readouterr().out


def test_a_broken_submission_is_tried_again_only_if_it_changes(folder, capsys, monkeypatch):
    tried = []
    original = module._check
    monkeypatch.setattr(module, "_check", lambda *given: tried.append(given) or original(*given))
    (folder / "x").write_text("raises")
    why = {row["submission"]: row["why"] for row in night(folder).rows()}["x"]
    assert len(tried) == 5
    (folder / "x").rename(folder / "y")  # the same bytes
    table = night(folder, announce=print)
    assert len(tried) == 5
    assert {row["submission"]: row["why"] for row in table.rows()} == {
        **dict.fromkeys("abcd", ""),
        "y": why,
    }
    assert f"y does not play: {why} (not tried again without --again" in capsys.readouterr().out
    assert states(night(folder, again=True))["y"] == "broken"
    assert len(tried) == 6
    (folder / "y").write_text("chance, mended")
    assert states(night(folder))["y"] == "plays"
    assert len(tried) == 7


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("no '/srv/bob/my files/x.npy' here", "no 'x.npy' here"),
        ('no "/srv/bob/x.npy" in /srv/course', 'no "x.npy" in course'),
        ("File /a/b.py, line 3", "File b.py, line 3"),
        ("chose 1/2 and/or ./bot of https://x.org/y", "chose 1/2 and/or ./bot of https://x.org/y"),
    ],
)
def test_absolute_paths_lose_their_folders(text, shown):
    assert without_folders(text) == shown


def test_names_may_be_any_that_the_system_has(folder):
    names = [b"bad\xff", b"new\nline", b"esc\x1b[31m", "né☃".encode(), b"quo'te\""]
    for number, name in enumerate(names):
        Path(os.fsdecode(bytes(folder) + b"/" + name)).write_text(f"chance {number}")
    shown = ["bad\\udcff", "new\\nline", "esc\\x1b[31m", "né☃", "quo'te\""]
    table = night(folder)
    assert states(table) == dict.fromkeys([*"abcd", *shown], "plays")
    assert {row["submission"] for row in read_csv(table)} == {*"abcd", *shown}
    assert night(folder).games == 0


def test_what_is_no_submission_is_told_in_a_line(folder, monkeypatch, capsys):
    monkeypatch.setattr(module, "make_player", lambda path, game: players.make(path, game))
    for name in "abcd":
        (folder / name).unlink()
    (folder / "notes.txt").write_text("do not forget")
    (folder / "pictures").mkdir()
    (folder / "broken.npy").write_text("no array")
    (folder / "lost").symlink_to("nowhere")
    assert states(night(folder, announce=print)) == {"broken.npy": "broken", "lost": "broken"}
    line, *_ = capsys.readouterr().out.splitlines()
    assert line.startswith("no submissions, and left out: notes.txt, pictures (a program that is")


@pytest.mark.parametrize(
    "how", ["raises after 9", pytest.param("illegal after 9", marks=pytest.mark.slow)]
)
def test_who_fails_in_the_night_forfeits_its_games(folder, how):
    (folder / "x").write_text(how)
    table = night(folder)
    assert states(table) == dict.fromkeys("abcdx", "plays")
    assert table.games == 10 * 4
    (last,) = (row for row in table.rows() if row["submission"] == "x")
    faults = read_faults(table.folder).to_pylist()
    assert 0 < len(faults) <= last["losses"]
    assert last["forfeits"] == len(faults)
    cause = {"raises": "raised"}.get(how.partition(" ")[0], "illegal")
    assert read_csv(table)[last["rank"] - 1]["causes"] == f"{cause} {len(faults)}"
    assert night(folder).games == 0


def test_a_game_that_cannot_be_played_ends_the_night_of_who_is_named(folder, monkeypatch):
    original = Ledger.round

    def failing(self, meetings, report):
        players = [self.entrants.panel[place] for met in meetings for place in met[:2]]
        for player in players:
            if player.name.endswith("/x"):
                raise TournamentError(f"player {player.name!r} cannot go on")
        return original(self, meetings, report)

    monkeypatch.setattr(Ledger, "round", failing)
    (folder / "x").write_text("first, and last")
    table = night(folder)
    assert states(table) == {**dict.fromkeys("abcd", "plays"), "x": "broken"}
    assert table.games == 24
    assert {row["why"] for row in table.rows()} == {"", "player 'x' cannot go on"}


def nights(table) -> list[dict]:
    return json.loads((table.folder / "tournament.json").read_text())["nights"]


def test_each_night_has_a_secret_seed_that_is_published_when_it_is_over(folder, tmp_path):
    first = night(folder)
    (folder / "e").write_text("chance, and new")
    second = night(folder)
    assert f"--seed {second.seed}" in (second.folder / "index.html").read_text()
    assert night(folder).seed is None  # nothing was played
    assert first.seed is not None
    assert first.seed.bit_length() > 64
    assert [each["seed"] for each in nights(second)] == [first.seed, second.seed]
    assert not (second.folder / ".seed").exists()
    (folder / "e").unlink()
    again = night(folder, seed=first.seed, out=tmp_path / "again")
    assert np.array_equal(again.active.counts, first.active.counts)


def test_while_a_night_goes_on_its_seed_is_for_its_owner_alone(folder, monkeypatch):
    original, seen = Ledger.round, []

    def looking(self, meetings, report):
        kept = Path(f"{folder}-league/.seed")
        seen.append((json.loads(kept.read_text()), kept.stat().st_mode & 0o777))
        info = Path(f"{folder}-league/tournament.json").read_text()
        assert str(seen[-1][0]) not in info
        return original(self, meetings, report)

    monkeypatch.setattr(Ledger, "round", looking)
    table = night(folder)
    assert set(seen) == {(table.seed, 0o600)}


def test_a_given_seed_does_not_go_on_with_a_secret_night(folder, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "round", interrupted)
        with pytest.raises(KeyboardInterrupt):
            night(folder)
    with pytest.raises(ConfigError, match=r"seed=3 given; .* finish it first, without --seed"):
        night(folder, seed=3)
    assert night(folder).games == 24


@pytest.mark.parametrize("seed", [None, 7])
def test_a_night_that_was_killed_goes_on_with_its_seed_or_not_at_all(folder, monkeypatch, seed):
    original = Ledger.round

    def killed(self, meetings, report):
        original(self, meetings, report)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "round", killed)
        with pytest.raises(KeyboardInterrupt):
            night(folder, seed=seed)
    kept = Path(f"{folder}-league/.seed")
    text = kept.read_text()
    kept.unlink()  # as a copy without hidden files leaves it
    with pytest.raises(ConfigError, match=r"not the file \.seed that held its seed: give it with"):
        night(folder)
    kept.write_text(text)
    table = night(folder)
    assert [each["seed"] for each in nights(table)] == [json.loads(text)]
    assert table.seed == (seed or json.loads(text))


def test_newcomers_play_first(folder):
    night(folder)
    (folder / "e").write_text("first, but new")
    assert night(folder, most_games=8).games == 8
    games = {row["submission"]: row["games"] for row in night(folder, most_games=4).rows()}
    assert games["e"] == 12
    assert night(folder).games == 4


def test_each_meets_some_of_a_swiss_league(folder):
    for number in range(6):
        (folder / f"more {number}").write_text(f"chance {number}")
    table = night(folder, schedule="swiss", rounds=3)
    met = (table.active.games > 0).sum(axis=1)
    assert met.min() >= 3
    assert met.sum() < 10 * 9 / 2
    assert set(table.active.games.flat) == {0, 4}
    assert all(row["nash"] is None or row["nash"] != row["nash"] for row in table.rows())


def test_the_ratings_of_each_night_are_kept_and_drawn(folder):
    first = night(folder)
    (folder / "a").write_text("last, as of today")
    (folder / "e").write_text("chance, and new")
    (folder / "x").write_text("raises")
    second = night(folder)
    night(folder)  # plays nothing, so that it is no night
    history = pd.read_parquet(second.folder / "history.parquet")
    assert list(history["night"]) == [1] * 4 + [2] * 5
    assert history["time"].str.endswith("+00:00").all()
    for table, rows in zip((first, second), history.groupby("night"), strict=True):
        kept = ["submission", "digest", "rating", "rating_low", "rating_high", "rank", "games"]
        expected = [row for row in table.rows() if row["state"] == "plays"]
        assert rows[1][kept].to_dict("records") == pd.DataFrame(expected)[kept].to_dict("records")
    (chart,) = sections_in(second.folder / "index.html")["Night by night"]
    lines = {line["name"]: line for line in chart["lines"]}
    assert {*lines} == {*"abcde"}
    both = history.pivot(index="night", columns="submission", values="rating")
    assert lines["b"]["x"] == [1, 2]
    assert lines["b"]["y"] == pytest.approx(both["b"].tolist(), rel=1e-5, abs=1e-6)
    assert lines["e"]["x"] == [2]


@pytest.fixture
def staff(tmp_path) -> Path:
    path = tmp_path / "staff"
    path.mkdir()
    (path / "even.py").write_text("chance of staff")
    (path / "a").write_text("first of staff")  # as a submission is called
    (path / "thresholds.toml").write_text('# shares\n"even.py" = 0.5\na = 1\n')
    return path


@pytest.mark.parametrize("options", [{}, {"schedule": "swiss", "rounds": 2}])
def test_bots_of_the_staff_meet_all_and_take_no_rank(folder, staff, options):
    table = night(folder, staff=staff, seed=4, **options)
    rows = {(row["submission"], row["state"]): row for row in table.rows()}
    assert len(rows) == 6
    assert rows["a", "staff"]["rank"] is rows["even.py", "staff"]["rank"] is None
    assert rows["a", "staff"]["games"] == 4 * 4  # all submissions, and not the staff
    assert sorted(row["rank"] for row in table.rows() if row["state"] == "plays") == [1, 2, 3, 4]
    ratings = [row["rating"] for row in table.rows()]
    assert ratings == sorted(ratings, reverse=True)
    games = open_tournament(table.folder)
    name = next(name for name in games.info["players"] if name.startswith("even.py@"))
    shares = games.cross_table[name]
    assert 0.5 in shares.tolist()
    for player, share in shares.dropna().items():
        row = rows[player.partition("@")[0], "plays"]
        assert row["score_even.py"] == share
        assert row["passed_even.py"] == (share >= 0.5)
    assert rows["even.py", "staff"]["passed_even.py"] is None
    if not options:
        assert sum(rows[name, "plays"]["nash"] for name in "abcd") == pytest.approx(1)
    shown = rows_in(sections_in(table.folder / "index.html")["Ratings"][0])
    for row in shown:
        if row["rank"] != "staff":
            for title, file in (("even.py: 50%", "even.py"), ("a: 100%", "a")):
                has_passed = rows[row["submission"], "plays"][f"passed_{file}"]
                assert row[title].startswith("passed, " if has_passed else "not passed, ")
    assert sum(row["rank"] == "staff" for row in shown) == 2
    history = pd.read_parquet(table.folder / "history.parquet")
    assert history["rank"].isna().sum() == 2
    assert night(folder, staff=staff, **options).games == 0
    assert states(night(folder, **options))["even.py"] == "earlier"


def test_a_copy_of_a_bot_of_the_staff_does_not_play(folder, staff):
    (folder / "copy").write_text("chance of staff")
    rows = {row["submission"]: row for row in night(folder, staff=staff).rows()}
    assert rows["copy"]["why"] == "the same as even.py, which plays"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '"even.py" = 2',
            r"thresholds.toml, line 1: even.py=2 given; a share of the points from 0",
        ),
        (
            'a = 1\n"evn.py" = 0.5',
            r'line 2: evn.py given; a bot of .* in quotes is expected: "a", "e',
        ),
        ("even.py = 0.5", r"line 1: even.py given; a bot of .* in quotes is expected"),
        ("a = true", "a=True given; a share of the points"),
        ("a", "thresholds.toml: is not TOML"),
    ],
)
def test_thresholds_that_cannot_be_are_refused(folder, staff, text, message):
    (staff / "thresholds.toml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        night(folder, staff=staff)
    assert not Path(f"{folder}-league").exists()


def test_the_staff_has_a_folder_of_its_own(folder):
    with pytest.raises(ConfigError, match="the folder of the submissions; give another"):
        night(folder, staff=folder)


def test_a_broken_bot_of_the_staff_ends_the_night_before_it_begins(folder, staff):
    (staff / "even.py").write_text("raises")
    for _ in range(2):
        with pytest.raises(
            ConfigError, match=r"staff: even.py does not play: it raised ValueError"
        ):
            night(folder, staff=staff)
    (staff / "even.py").write_text("chance of staff")
    assert night(folder, staff=staff).games == 14 * 4


@pytest.mark.parametrize("played", [False, True])
def test_a_night_that_was_killed_comes_to_the_same(folder, tmp_path, monkeypatch, played):
    plan, drawn = {"schedule": "swiss", "rounds": 2}, []
    monkeypatch.setattr("secrets.randbits", lambda bits: drawn.append(bits) or 2**bits - 1)
    whole = read_csv(night(folder, out=tmp_path / "whole", **plan))
    original = Ledger.round
    for last in (0, 1):

        def killed(self, meetings, report, last=last):
            if self.rounds < last:
                return original(self, meetings, report)
            if played:
                original(self, meetings, report)
            raise KeyboardInterrupt

        monkeypatch.setattr(Ledger, "round", killed)
        with pytest.raises(KeyboardInterrupt):
            night(folder, out=tmp_path / f"killed-{last}", **plan)
        monkeypatch.setattr(Ledger, "round", original)
        assert read_csv(night(folder, out=tmp_path / f"killed-{last}", **plan)) == whole
    assert drawn == [128] * 3  # and none again for a night that goes on


def test_one_process_plays_a_league(folder):
    night(folder)
    writer = TournamentWriter(f"{folder}-league")
    with pytest.raises(ResultsError, match="another process"):
        night(folder)
    writer.close()


def test_a_league_of_nobody_has_a_page(tmp_path):
    (tmp_path / "none").mkdir()
    table = night(tmp_path / "none")
    assert table.rows() == []
    assert "0 submissions" in (table.folder / "index.html").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schedule": "knock-out"}, "one of round-robin, swiss is expected"),
        ({"rounds": 3}, "rounds=3 given with schedule round-robin; it needs swiss"),
        ({"most_games": 2}, "most_games=2 given; at least 4, the games of one pair"),
        ({"out": "bots/league"}, "in the folder of submissions; give one outside of it"),
        ({"folder": "nowhere"}, "nowhere given; a folder of submissions is expected"),
        ({"folder": "bots/a"}, "a folder of submissions is expected .Not a directory"),
        (
            {"folder": "run"},
            r"run given, the folder of a run; .* evo export run SUBMISSIONS/champion",
        ),
        ({"staff": "nowhere"}, "nowhere given; a folder of submissions is expected"),
    ],
)
def test_a_league_that_cannot_be_is_refused(folder, options, message, monkeypatch):
    monkeypatch.chdir(folder.parent)
    Path("run").mkdir()
    Path("run", "run.json").write_text("{}")
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(ConfigError, match=message):
        night(**{"folder": folder, **options})
    assert sorted(folder.parent.rglob("*")) == before


def test_another_league_in_the_folder_is_refused(folder, tmp_path):
    night(folder)
    with pytest.raises(ConfigError, match=r"game nim:heaps=1-3 given; .* holds games of game nim"):
        evo.league(folder, "nim:heaps=1-3", 4, threads=1)
    with pytest.raises(ConfigError, match="holds games of schedule league"):
        evo.tournament(GAME, ["random", "optimal"], 4, out=f"{folder}-league", threads=1)


def test_the_command_prints_the_table(folder, capsys):
    command = ["league", str(folder), "--game", GAME, "--games", "4"]
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert f"; the page is {folder}-league/index.html" in printed
    assert "24 games tonight with seed " in printed
    assert main([*command, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {row["submission"] for row in rows} == set("abcd")


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 9), st.integers(1, 8), st.randoms(use_true_random=False))
def test_rounds_end_when_each_has_met_enough_others(players, opponents, random):
    names = [f"p{number}" for number in range(players)]
    opponents, met = min(opponents, players - 1), set()
    for _ in range(players * players):
        many = {name: sum(name in pair for pair in met) for name in names}
        ranks = {name: random.randrange(players) for name in names}
        pairs = list(round_of(names, ranks, many, met, opponents))
        seated = [name for pair in pairs for name in pair]
        assert len(seated) == len(set(seated))
        assert not met & set(pairs)
        if pairs:
            assert min(many.values()) == min(many[name] for name in pairs[0])
        met |= set(pairs)
        if not pairs:
            break
    assert all(sum(name in pair for pair in met) >= opponents for name in names)
    assert all(pair == pair_of(*pair) for pair in met)
