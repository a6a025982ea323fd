"""How tournaments go: who meets whom, when they end, and what is refused before they begin."""

from __future__ import annotations

import itertools
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import evo
from evo.cli.commands.tournament import _print_table
from evo.cli.main import main
from evo.evaluation import players as opponents
from evo.evaluation.players import participants
from evo.requests.tournaments import TournamentRequest
from evo.tournaments.ledger import Ledger
from evo.tournaments.rounds import RatedTournament
from results import open_run, open_tournament
from results.folder.tournament import TournamentWriter
from tournaments import games
from tournaments.errors import ConfigError

GAME = "dots-and-boxes"
PLAYERS = ["level-0", "level-1", "level-2", "optimal"]
ONE_BOX = f"{GAME}:rows=1,cols=1"
"""Whose second player takes the box, so that each match is one win each."""


def play(players=PLAYERS, games=100, **options):
    return evo.tournament(GAME, players, games, threads=1, **options)


def met(table) -> dict[tuple[str, str], int]:
    """The games of each pair that met."""
    return {
        (table.names[i], table.names[j]): int(counts.sum()) for (i, j), counts in table.met.items()
    }


def test_a_gauntlet_is_run_by_the_first():
    table = play(["optimal", *PLAYERS[:3]], schedule="gauntlet")
    assert met(table) == {("optimal", name): 100 for name in PLAYERS[:3]}
    assert np.isnan(table.scores[1, 2])
    assert table.standings()[0]["player"] == "optimal"
    assert len(table.records()) == 6
    two = play(schedule="gauntlet", challengers=2)
    assert set(met(two)) == set(itertools.product(PLAYERS[:2], PLAYERS[2:]))


def test_a_swiss_tournament_has_its_rounds():
    table = play(schedule="swiss", rounds=2)
    assert sum(met(table).values()) == 2 * 2 * 100
    assert len(met(table)) == 4  # nobody met twice
    odd = play(PLAYERS[:3], schedule="swiss")
    assert set(met(odd).values()) == {100}
    assert odd.stopped == "3 rounds were played"


class FirstWins:
    """A ledger of which nothing is played: player 0 wins all of its games, others draw theirs."""

    def __init__(self) -> None:
        self.entrants = SimpleNamespace(game=games.make(GAME))
        self.names = list("abcdefg")
        self.met: dict[tuple[int, int], np.ndarray] = {}
        self.repeated: set[tuple[str, str]] = set()
        self.rounds: list[list[tuple[int, int]]] = []

    table = Ledger.table

    def round(self, meetings, report):
        self.rounds.append([(meeting.i, meeting.j) for meeting in meetings])
        counts = {True: [1, 0, 0], False: [0, 1, 0]}
        return [np.array([counts[meeting.i == 0]] * 2) for meeting in meetings]


@pytest.mark.parametrize("seed", [1, 3, 4, 5])  # by which it is not player 0
def test_who_rests_in_a_swiss_tournament_has_won_a_match(seed):
    ledger = FirstWins()
    plan = TournamentRequest("nim", list("abcdefg"), 2, seed=seed, schedule="swiss", rounds=2)
    RatedTournament(plan, ledger, lambda *progress: None).run()
    first, second = ledger.rounds
    (resting,) = set(range(7)) - {player for pair in first for player in pair}
    assert (0, resting) in second  # the two who have won; the others have drawn, but for one


@pytest.mark.parametrize(("schedule", "meetings"), [("single", 3), ("double", 6)])
def test_perfect_play_wins_a_knockout(schedule, meetings):
    table = play(schedule=f"{schedule}-elimination", seed=2)
    assert sum(met(table).values()) == 100 * meetings
    rows = table.standings()
    assert (rows[0]["player"], rows[0]["rank"]) == ("optimal", 1)
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    assert rows[-1]["rank"] == (3 if schedule == "single" else 4)


def test_a_tie_is_prolonged_and_then_decided_by_lot():
    champions = set()
    for seed in range(8):
        table = evo.tournament(
            ONE_BOX, ["level-0", "optimal"], 10, schedule="single-elimination", seed=seed, threads=1
        )
        assert met(table) == {("level-0", "optimal"): 40}
        np.testing.assert_array_equal(table.wins, [[0, 20], [20, 0]])
        assert sorted(row["rank"] for row in table.standings()) == [1, 2]
        champions.add(table.standings()[0]["player"])
    assert champions == {"level-0", "optimal"}


def test_an_interval_ends_a_tournament():
    table = play(PLAYERS[1:], stop_within=50)
    assert (table.ratings.half_widths <= 50).all()
    assert table.stopped == "each interval is within 50 points to each side"
    once = play(PLAYERS[1:])
    assert (once.ratings.half_widths > 50).any()
    # in each pass those play whose interval is too wide, by whole rounds
    assert set(np.unique(table.games % 100)) == {0}
    early = play(schedule="swiss", rounds=3, stop_within=1000)
    assert early.games.sum() / 2 == 200  # the first round will do


def test_a_number_of_games_ends_a_tournament():
    table = play(stop_within=1, most_games=1500)
    assert table.games.sum() // 2 == 1400  # rounds of two pairs
    assert table.stopped == "another round would go beyond 1,500 games"
    assert play(schedule="swiss", most_games=500).games.sum() // 2 == 400


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schedule": "swis"}, "one of round-robin, gauntlet, swiss, single-elimination, double-"),
        ({"rounds": 3}, "rounds=3 given with schedule round-robin; it needs swiss"),
        (
            {"schedule": "swiss", "rounds": 4},
            "after 3 rounds each of 4 players has met every other",
        ),
        ({"challengers": 1}, "it needs gauntlet"),
        ({"schedule": "gauntlet", "challengers": 4}, "there are 4 players, so at most 3"),
        ({"schedule": "single-elimination", "most_games": 9}, "round-robin or gauntlet or swiss"),
        ({"most_games": 100}, "most_games=100 given; the first round alone is 200 games"),
        ({"anchor": "level-7"}, "anchor='level-7' given; it takes no part"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        play(out=tmp_path / "t", **options)
    assert not (tmp_path / "t").exists()


@pytest.fixture(scope="module")
def evolved(tmp_path_factory) -> Path:
    """A run with snapshots 0 to 6."""
    path = tmp_path_factory.mktemp("evolved") / "rr"
    options = {"snapshot_interval": 1}
    evo.run(path, options, scheme="round-robin", population=8, generations=6, seed=3, threads=1)
    return path


def test_all_snapshots_of_a_run_take_part_each_champion_once(evolved):
    game = games.parse(GAME)
    every = [
        opponents.identity(opponents.champion(evolved, game, generation))
        for generation in open_run(evolved).snapshots
    ]
    changes = [0, *(one for one in range(1, 7) if every[one] != every[one - 1])]
    assert 1 < len(changes) < 7
    found = participants(["level-0", f"{evolved}@all"], game)
    assert [entry.name for entry in found[1:]] == [f"{evolved}@{one}" for one in changes]
    assert [entry.identity for entry in found[1:]] == [every[one] for one in changes]
    some = participants([f"{evolved}@every-4", "level-0"], game)
    names = [f"{evolved}@{one}" for one in (0, 4, 6)]
    assert [entry.name for entry in some[:-1]] == [
        name
        for name, one, before in zip(names, (0, 4, 6), (None, 0, 4), strict=True)
        if before is None or every[one] != every[before]
    ]
    with pytest.raises(ConfigError, match="every-K with K from 1 is expected"):
        participants([f"{evolved}@every-0"], game)


def test_an_interruption_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def interrupted(self, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "round", interrupted)
    command = ["tournament", GAME, "level-0", "level-1", "--threads", "1"]
    assert main([*command, "--out", str(tmp_path / "t")]) == 130
    error = capsys.readouterr().err
    assert f"the games played so far are in {tmp_path / 't'}; run the same command again" in error
    assert main(command) == 130
    assert "what was played" not in capsys.readouterr().err


# --- pairs that play without randomness ----------------------------------------------------------


def lowest(state, rng):
    return state.legal_actions()[0]


def highest(state, rng):
    return state.legal_actions()[-1]


def by_chance(state, rng):
    return rng.choice(state.legal_actions())


CERTAIN = [lowest, highest, by_chance]
REPEATED = frozenset({("highest", "lowest")})


def test_a_pair_without_randomness_plays_one_match_which_counts_once(capsys):
    game = "dots-and-boxes:rows=2,cols=2"
    table = evo.tournament(game, CERTAIN, games=40, seed=1, threads=1)
    assert table.repeated == REPEATED
    assert table.games.tolist() == [[0, 2, 40], [2, 0, 40], [40, 40, 0]]
    rows = {(row["player"], row["opponent"]): row for row in table.records()}
    assert rows["lowest", "highest"]["repeated"]
    assert rows["highest", "lowest"]["repeated"]
    assert not rows["lowest", "by_chance"]["repeated"]
    again = evo.tournament(game, CERTAIN[::-1], games=40, seed=1, threads=3)
    assert again.games[::-1, ::-1].tolist() == table.games.tolist()
    assert again.wins[::-1, ::-1].tolist() == table.wins.tolist()
    more = evo.tournament(game, CERTAIN, games=2, seed=1, threads=1)
    assert more.repeated == REPEATED
    _print_table(table, None)
    said = capsys.readouterr().out
    assert "1 of 3 pairs play without randomness, the same games in every match" in said
    assert said.count("counts: highest and lowest") == 1


def middle(state, rng):
    legal = state.legal_actions()
    return legal[len(legal) // 2]


@pytest.mark.parametrize("seed", range(1, 9))
def test_a_pair_that_repeats_its_games_comes_to_the_same_when_it_meets_again(seed):
    """``middle`` loses both games, and won by lot where a second meeting counted as a draw."""
    players, schedule = [lowest, middle], "double-elimination"
    table = evo.tournament("tic-tac-toe", players, 2, schedule=schedule, seed=seed, threads=1)
    assert table.places == [1, 2]
    assert table.games.sum() == 4


def test_what_repeats_is_kept_with_the_games(tmp_path, monkeypatch):
    game, out = "tic-tac-toe", tmp_path / "kept"
    add = TournamentWriter.add_pairs

    def crash(writer, rows):
        if {rows[0]["player"], rows[0]["opponent"]} == {"highest", "lowest"}:
            raise KeyboardInterrupt
        add(writer, rows)

    def never(rehearsal):
        pytest.fail("a pair was looked at again")

    monkeypatch.setattr(TournamentWriter, "add_pairs", crash)
    with pytest.raises(KeyboardInterrupt):
        evo.tournament(game, CERTAIN, games=10, seed=1, out=out, threads=1)
    info = open_tournament(out).info
    assert info["repeated"] == [["highest", "lowest"]]  # and not a game of theirs is written
    monkeypatch.setattr(TournamentWriter, "add_pairs", add)
    first = evo.tournament(game, CERTAIN, games=10, seed=1, out=out, threads=1)
    expected = evo.tournament(game, CERTAIN, games=10, seed=1, threads=1)
    assert first.games.tolist() == expected.games.tolist() == [[0, 2, 10], [2, 0, 10], [10, 10, 0]]
    monkeypatch.setattr("evo.tournaments.ledger.Rehearsal.run", never)
    more = evo.tournament(game, CERTAIN, games=20, seed=1, out=out, threads=1)
    assert more.games.tolist() == [[0, 2, 20], [2, 0, 20], [20, 20, 0]]
    assert more.repeated == REPEATED
    assert len(open_tournament(out).pairs) == 5  # one row of the pair, two of the others


def test_a_tournament_that_goes_on_ends_where_all_games_would_be_the_same():
    table = evo.tournament(
        "tic-tac-toe", [lowest, highest], games=10, seed=1, stop_within=1.0, threads=1
    )
    assert table.stopped == "all games that are left would be the same again"
    assert int(table.games.sum()) == 4


def test_a_win_of_a_pair_without_randomness_weighs_as_much_in_a_swiss_tournament():
    class Asked:
        request = TournamentRequest("nim", ["a", "b"], 40)

    lead = RatedTournament._lead
    assert lead(Asked(), np.array([[1, 0, 0], [0, 1, 0]])) == 20
    assert lead(Asked(), np.array([[20, 0, 0], [0, 10, 10]])) == 10
    assert lead(Asked(), np.zeros((2, 3), dtype=np.int64)) == 0
