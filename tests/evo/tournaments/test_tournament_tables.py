"""Tournaments of contests for more than two players: groups, ratings, folders, refusals."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import evo
from evo.cli.main import main
from results import open_tournament
from tournaments import contest
from tournaments.analysis.plackett_luce import plackett_luce
from tournaments.errors import ConfigError

STRENGTHS = {"a": -1.0, "b": 0.0, "c": 0.3, "d": 1.2}
SEATS = 3
REFUSAL = (
    "a contest of 3 players; two meet here: such contests are for evo run, evaluate, analyse and "
    "tournament"
)


def luck(players, seed):
    rng = np.random.default_rng(seed)
    if seed % 50 == 0:
        raise ValueError("no luck")
    return [player + round(rng.gumbel(), 1) for player in players]


LUCK = contest(luck, seats=SEATS)


class Named(float):
    """A player of this strength, by its name."""

    @property
    def name(self):
        return next(name for name, strength in STRENGTHS.items() if strength == self)


PLAYERS = [Named(strength) for strength in STRENGTHS.values()]


def test_every_group_meets_and_the_ratings_are_those_of_its_games(tmp_path):
    table = evo.tournament(LUCK, PLAYERS, games=100, faults="forfeit", out=tmp_path / "cup")
    assert table.names == list("abcd")
    played = open_tournament(tmp_path / "cup")
    rows = played.tables
    assert len(rows) == 4 * 102 * SEATS  # in multiples of the seats
    groups = {tuple(sorted(group.split("+"))) for group in rows["group"]}
    assert groups == {*combinations("abcd", 3)}
    seats = rows.groupby(["player", "seat"]).size()
    assert set(seats) == {102}
    assert 0 < rows["score"].isna().sum() < 60
    assert (rows["score"].isna().sum() // 3) == len(played.faults)
    games = rows.groupby(["group", "match", "game"], sort=False)
    who = np.array([["abcd".index(each) for each in game] for game in games["player"].agg(list)])
    scores = np.array(games["score"].agg(list).tolist(), dtype=float)
    expected = plackett_luce(4, who, scores)
    assert table.ratings.ratings == pytest.approx(expected.ratings)
    by_name = played.ratings.set_index("player")["rating"]
    assert [by_name[name] for name in "abcd"] == pytest.approx(expected.ratings)
    assert [*by_name.index] == list("dcba")
    pairs = played.pairs.set_index(["player", "opponent"])
    for first, second in combinations("abcd", 2):
        leads = [
            dict(zip(game, score, strict=True))
            for game, score in zip(games["player"].agg(list), scores, strict=True)
            if {first, second} <= {*game}
        ]
        won = sum(each[first] > each[second] for each in leads)
        assert pairs.loc[(first, second), "wins"] == won
        assert table.wins["abcd".index(first), "abcd".index(second)] == won


def test_the_same_games_are_played_in_any_order_and_by_any_number_of_threads(tmp_path):
    one = evo.tournament(LUCK, PLAYERS, games=30, faults="forfeit", threads=1)
    two = evo.tournament(LUCK, PLAYERS[::-1], games=30, faults="forfeit", threads=3)
    assert np.array_equal(one.wins, two.wins[::-1, ::-1])
    assert one.ratings.ratings == pytest.approx(two.ratings.ratings[::-1])


def test_a_tournament_goes_on_with_the_groups_that_are_missing(tmp_path, monkeypatch):
    options = {"games": 30, "faults": "forfeit"}
    whole = evo.tournament(LUCK, PLAYERS, **options)
    evo.tournament(LUCK, PLAYERS[:3], out=tmp_path / "cup", **options)
    before = open_tournament(tmp_path / "cup").tables
    table = evo.tournament(LUCK, PLAYERS, out=tmp_path / "cup", **options)
    after = open_tournament(tmp_path / "cup").tables
    assert after[: len(before)].equals(before)
    assert np.array_equal(table.wins, whole.wins)
    with pytest.raises(ConfigError, match="of 30 games"):
        evo.tournament(LUCK, PLAYERS, out=tmp_path / "cup", **{**options, "games": 60})


def test_the_command_prints_ratings_and_the_folder_is_whole(here, capsys):
    (here / "arena.py").write_text(
        "import tournaments\n"
        "def cup(players, seed): return [player() + seed % 3 for player in players]\n"
        "CUP = tournaments.contest(cup, seats=3)\n"
        "def low(): return 1\ndef middle(): return 2\ndef high(): return 3\n"
    )
    players = [f"arena.py:{name}" for name in ("low", "middle", "high")]
    words = ["tournament", "./arena.py:CUP", *players, "--games", "6", "--out", "cup"]
    for _ in range(2):
        assert main(words) == 0
        said = capsys.readouterr().out
        assert "from 6 games" in said
        assert said.index(":high") < said.index(":middle") < said.index(":low")
    assert main(["verify", "cup"]) == 0
    assert main(["report", "cup", "--html", "cup.html"]) == 0
    for words, message in [
        (["tournament", "./arena.py:CUP", *players[:2]], "a table has 3 seats"),
        (["tournament", "./arena.py:CUP", *players, "--schedule", "swiss"], "all groups meet"),
        (["compare", *players[:2], "--game", "./arena.py:CUP"], REFUSAL),
        (["league", ".", "--game", "./arena.py:CUP"], REFUSAL),
    ]:
        assert main(words) == 2
        assert message in capsys.readouterr().err


def test_a_run_of_tables_is_compared_by_a_tournament(here, capsys):
    (here / "arena.py").write_text(
        "import tournaments\n"
        "def cup(players, seed): return [float(sum(player)) for player in players]\n"
        "CUP = tournaments.contest(cup, seats=3)\n"
    )
    words = ["run", "--game=./arena.py:CUP", "--scheme=round-robin", "--population=8", "--out=a"]
    genome = ["--set=genome.encoding=real-vector", "--set=genome.length=2"]
    assert main([*words, *genome, "--generations=6", "--set=snapshot_interval=2"]) == 0
    said = capsys.readouterr().out
    assert "go on:" in said
    assert "evo evaluate a --best 1 --every 1 --trust && evo plot a" in said
    names = [f"a@{generation}" for generation in (0, 2, 6)]
    assert main(["tournament", "./arena.py:CUP", *names, "--trust", "--games", "6"]) == 0
    said = capsys.readouterr().out
    assert said.index("a@6") < said.index("a@0")
