"""Tournaments of named players: the cross table, and who may take part."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import evo
import tournaments
from cluster import LocalEvaluator
from evo.cli.main import main
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import Ledger
from results import ResultsError, open_run
from results.statistics import wilson
from tests.bots_with_faults import offer
from tournaments.errors import ConfigError, TournamentError

GAME = "dots-and-boxes"
SMALL_GAME = "dots-and-boxes:rows=1,cols=1"
PLAYERS = ["level-0", "level-1", "level-2", "optimal"]


@pytest.fixture(scope="module")
def evolved(tmp_path_factory) -> Path:
    """A run whose champions of generations 0 and 10 differ."""
    path = tmp_path_factory.mktemp("evolved") / "rr"
    options = {"learner": {"mutation_probability": 0.02}}
    evo.run(path, options, scheme="round-robin", population=8, generations=10, seed=3, threads=1)
    first, last = (open_run(path).champion(generation)["genome"] for generation in (0, 10))
    assert first != last
    return path


@pytest.fixture(scope="module")
def table():
    return evo.tournament(GAME, PLAYERS, games=400, seed=1)


def test_the_shares_of_a_pair_add_up_to_one(table):
    off_diagonal = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((table.scores + table.scores.T)[off_diagonal], 1.0)
    assert np.isnan(np.diag(table.scores)).all()


def test_every_game_is_won_lost_or_drawn(table):
    games = table.wins + table.wins.T + table.draws
    np.testing.assert_array_equal(games, 400 * (1 - np.eye(4, dtype=int)))
    np.testing.assert_array_equal(table.draws, table.draws.T)


def test_a_draw_counts_half_a_win():
    met = evo.tournament(f"{GAME}:rows=2,cols=2", ["level-0", "level-1"], games=1000, seed=1)
    assert met.draws[0, 1] > 0
    expected = (met.wins[0, 1] + met.draws[0, 1] / 2) / 1000
    assert met.scores[0, 1] == expected
    assert met.records()[0]["win_rate"] == met.wins[0, 1] / 1000  # of games won


def test_the_stronger_player_has_the_larger_share(table):
    for weak in range(4):
        for strong in range(weak + 1, 4):
            assert table.scores[strong, weak] > 0.7, (PLAYERS[strong], PLAYERS[weak])


def test_where_seats_have_roles_there_is_a_share_in_each():
    players = ["greedy", "careful", "random"]
    met = evo.tournament("cat-and-mouse:rows=5,cols=5,first=mouse", players, games=100, seed=1)
    np.testing.assert_array_equal(met.wins_in_seat.sum(axis=0), met.wins)
    cats, mice = met.scores_as("cat"), met.scores_as("mouse")
    off_diagonal = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((cats + mice.T)[off_diagonal], 1.0)  # one of the two wins
    assert cats[0, 2] > cats[1, 2] + 0.2  # a careful cat is a random one
    assert mice[1, 0] != mice[0, 1]
    record = met.records()[0]
    assert record["win_rate_as_cat"] == cats[0, 1]
    assert record["win_rate"] == (cats[0, 1] + mice[0, 1]) / 2


def test_records_are_the_table_by_ordered_pairs_with_wilson_intervals(table):
    records = table.records()
    assert len(records) == 12
    for record in records:
        i, j = PLAYERS.index(record["player"]), PLAYERS.index(record["opponent"])
        assert record["games"] == record["wins"] + record["draws"] + record["losses"] == 400
        assert (record["wins"], record["losses"]) == (table.wins[i, j], table.wins[j, i])
        assert record["win_rate"] == record["wins"] / 400
        ends = record["win_rate_low"], record["win_rate_high"]
        assert ends == tuple(float(end) for end in wilson(record["wins"], 400))
        in_seats = record["win_rate_as_first"], record["win_rate_as_second"]
        assert in_seats == tuple(table.wins_in_seat[:, i, j] / 200)
    rows = {row["player"]: row for row in table.standings(shares=True)}
    for number, name in enumerate(PLAYERS):
        assert rows[name]["win_rate_as_first"] == table.wins_in_seat[0, number].sum() / 600


def test_the_seed_alone_decides_not_the_threads(table):
    for evaluator in (LocalEvaluator(1), LocalEvaluator(2, chunk=7)):
        again = evo.tournament(GAME, PLAYERS, games=400, seed=1, evaluator=evaluator)
        evaluator.close()
        np.testing.assert_array_equal(again.wins, table.wins)
    other = evo.tournament(GAME, PLAYERS, games=400, seed=2)
    assert not np.array_equal(other.wins, table.wins)


def test_seats_are_swapped_after_each_game():
    """On a board of one box the second player takes it, whoever that is."""
    met = evo.tournament(f"{GAME}:rows=1,cols=1", ["optimal", "level-0"], games=100, seed=1)
    assert met.wins[0, 1] == met.wins[1, 0] == 50


class Last:
    """A plain player of an installed package: the last legal action."""

    name = "last"

    def choose(self, state, rng):
        return state.legal_actions()[-1]


@pytest.fixture
def plain(monkeypatch) -> None:
    """An installed package offers a plain player."""
    offer(monkeypatch, last=Last())


def test_a_plain_player_takes_part(plain, tmp_path):
    names = ["last", "level-0", "level-1"]
    table = evo.tournament(SMALL_GAME, names, games=4, threads=1, out=tmp_path / "out")
    assert table.games.sum() == 2 * 3 * 4


def test_a_plain_player_can_be_watched(plain, capsys):
    assert main(["watch", SMALL_GAME, "last", "level-0", "--plain"]) == 0
    assert main(["watch", SMALL_GAME, "level-0", "last", "--plain"]) == 0
    assert "second: last" in capsys.readouterr().out


def test_a_run_stands_for_its_champion(evolved):
    run = open_run(evolved)
    best = run.champion()
    assert best["fitness"] == run.population()["fitness"].max()
    np.save(evolved.parent / "best.npy", run.weights()[int(best["individual"])])
    names = [[str(evolved), "level-0"], [str(evolved.parent / "best.npy"), "level-0"]]
    by_run, by_weights = (evo.tournament(GAME, pair, games=600, seed=4) for pair in names)
    np.testing.assert_array_equal(by_run.wins, by_weights.wins)
    assert by_run.names == names[0]


def test_a_run_at_a_generation_stands_for_the_champion_of_that_generation(evolved):
    run = open_run(evolved)
    wins = {}
    for name in (f"{evolved}@0", f"{evolved}@10", str(evolved)):
        wins[name] = int(evo.tournament(GAME, [name, "level-0"], games=600, seed=4).wins[0, 1])
    assert wins[f"{evolved}@10"] == wins[str(evolved)] != wins[f"{evolved}@0"]
    np.save(evolved.parent / "first.npy", run.weights(0)[int(run.champion(0)["individual"])])
    names = [str(evolved.parent / "first.npy"), "level-0"]
    by_weights = evo.tournament(GAME, names, games=600, seed=4)
    assert by_weights.wins[0, 1] == wins[f"{evolved}@0"]


def test_a_run_of_another_game_is_refused(evolved):
    with pytest.raises(ConfigError, match=r"rows=3,cols=3, which cannot play .*rows=2,cols=2"):
        evo.tournament(f"{GAME}:rows=2,cols=2", ["level-0", str(evolved)])


def test_a_generation_without_a_snapshot_is_refused(evolved):
    with pytest.raises(ResultsError, match="no snapshot of generation 7"):
        evo.tournament(GAME, ["level-0", f"{evolved}@7"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((GAME, ["level-0"]), "two or more"),
        ((GAME, ["level-0", "level-0"]), "given twice"),
        ((GAME, []), "no player given"),
        ((GAME, "level-0"), "'level-0' given as players; a list"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises((ConfigError, TournamentError), match=message):
        evo.tournament(*arguments)


@pytest.mark.parametrize("seed", ["x", -1, 1.5, True])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(TournamentError, match="whole number from 0 is expected"):
        tournaments.play_matches("nim", "random", "optimal", seed=seed)


def test_a_secret_seed_is_published_and_plays_the_same_games_again(tmp_path, monkeypatch, capsys):
    out, names = tmp_path / "secret", ["level-0", "level-1", "level-2"]
    original, info = Ledger.round, out / "tournament.json"

    def killed(self, *given):
        original(self, *given)
        assert json.loads(info.read_text())["seed"] is None
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "round", killed)
        with pytest.raises(KeyboardInterrupt):
            evo.tournament(SMALL_GAME, names, 20, secret=True, out=out)
    with pytest.raises(
        ConfigError, match=r"seed 1 given; .* of seed a secret one, until it is over"
    ):
        evo.tournament(SMALL_GAME, names, 20, out=out)
    seed = (out / ".seed").read_text()
    (out / ".seed").unlink()
    with pytest.raises(ConfigError, match=r"games of a secret seed, but not the file \.seed"):
        evo.tournament(SMALL_GAME, names, 20, secret=True, out=out)
    (out / ".seed").write_text(seed)
    table = evo.tournament(SMALL_GAME, names, 20, secret=True, out=out)
    assert table.seed.bit_length() > 64
    assert json.loads(info.read_text())["seed"] == table.seed
    again = evo.tournament(SMALL_GAME, names, 20, seed=table.seed)
    assert np.array_equal(again.counts, table.counts)
    with pytest.raises(ConfigError, match=rf"seed a secret one given; .* of seed {table.seed}"):
        evo.tournament(SMALL_GAME, names, 20, secret=True, out=out)
    with pytest.raises(ConfigError, match="seed=4 given with a secret seed; give one of the two"):
        evo.tournament(SMALL_GAME, names, 20, secret=True, seed=4)
    assert main(["tournament", SMALL_GAME, *names, "--games", "20", "--secret"]) == 0
    assert "plays the same games" in capsys.readouterr().out


def test_a_tournament_of_other_rules_is_refused(tmp_path):
    out = tmp_path / "old"
    evo.tournament(SMALL_GAME, ["level-0", "level-1"], 20, out=out)
    info = json.loads((out / "tournament.json").read_text())
    del info["versions"]["rules"]
    (out / "tournament.json").write_text(json.dumps(info))
    with pytest.raises(
        ConfigError, match="was made under rules 1, and this release plays by rules"
    ):
        evo.tournament(SMALL_GAME, ["level-0", "level-1"], 40, out=out)


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(TournamentError, match="did you mean 'dots-and-boxes'"):
        evo.tournament("dots-and-box", ["level-0", "level-1"])
    with pytest.raises(TournamentError, match="did you mean 'optimal'"):
        evo.tournament(GAME, ["level-0", "optimla"])


def test_the_ratings_and_the_cross_table_are_printed_with_a_row_a_player(capsys):
    from evo.cli.main import main

    game = f"{GAME}:rows=2,cols=2"
    assert main(["tournament", game, *PLAYERS, "--games", "200", "--anchor", "level-1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = evo.tournament(game, PLAYERS, games=200, anchor="level-1")
    assert "level-1's 0" in lines[0]
    assert "from 1,200 games" in lines[0]
    rated = [line.split() for line in lines[3:7]]
    assert [row[1:3] for row in rated] == [
        [row["player"], f"{row['rating']:+.0f}"] for row in table.standings()
    ]
    assert rated[0][1] == "optimal"
    start = next(number for number, line in enumerate(lines) if "200 games a pair" in line)
    by_seat = [k for k, line in enumerate(lines) if line.startswith("share of the games won as")]
    assert [lines[k].split()[-1] for k in by_seat] == ["first", "second"]
    for place in (start, *by_seat):
        assert [line.split()[1] for line in lines[place + 3 : place + 7]] == PLAYERS
    shares = [line.split()[2:] for line in lines[start + 3 :]]
    assert shares[0][1] == f"{table.scores[0, 1]:.3f}"
    assert shares[3][4] == f"{np.nanmean(table.scores[3]):.3f}"


def test_standings_add_up(table):
    rows = {row["player"]: row for row in table.standings()}
    assert list(rows) == PLAYERS[::-1]  # the best first
    assert [row["rank"] for row in rows.values()] == [1, 2, 3, 4]
    assert sum(row["rating"] for row in rows.values()) == pytest.approx(0, abs=1e-9)
    for number, name in enumerate(PLAYERS):
        row = rows[name]
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == 1200
        assert row["wins"] == table.wins[number].sum()
        assert row["losses"] == table.wins[:, number].sum()
        assert row["score"] == pytest.approx(np.nanmean(table.scores[number]))
        assert row["rating_low"] < row["rating"] < row["rating_high"]


def test_the_games_of_a_pair_do_not_hang_on_the_order_of_the_names_nor_on_who_else_plays(table):
    order = [2, 0, 1]
    again = evo.tournament(GAME, [PLAYERS[number] for number in order], games=400, seed=1)
    np.testing.assert_array_equal(again.wins_in_seat, table.wins_in_seat[:, order][:, :, order])


def test_a_table_is_shown_by_who_is_ahead():
    met = {(0, 1): np.array([[3, 0, 2], [4, 0, 1]]), (0, 2): np.array([[5, 0, 0], [5, 0, 0]])}
    shown = repr(CrossTable(list("abcd"), met))
    assert shown.startswith("<cross table of 4 players, 20 games: a +")
    assert shown.endswith(", ...>")
    assert repr(CrossTable([], {})) == "<cross table of 0 players, 0 games>"


def test_standings_hold_nash_shares_and_alpha_rank_where_everybody_met(table):
    rows = {row["player"]: row for row in table.standings(shares=True)}
    assert rows["optimal"]["nash"] == pytest.approx(1, abs=1e-4)
    assert rows["optimal"]["alpha_rank"] == pytest.approx(1, abs=1e-4)
    assert sum(row["nash"] for row in rows.values()) == pytest.approx(1)
    gauntlet = CrossTable(["a", "b", "c"], {(0, 1): np.array([[3, 0, 0], [3, 0, 0]])})
    assert all(np.isnan(row["nash"]) for row in gauntlet.standings(shares=True))
    assert np.isfinite([row["rating"] for row in gauntlet.standings(shares=True)]).all()


def test_payoffs_are_wins_less_losses_a_game():
    met = {(0, 1): np.array([[3, 1, 0], [0, 2, 2]])}
    np.testing.assert_allclose(CrossTable(["a", "b"], met).payoffs, [[0, 1 / 8], [-1 / 8, 0]])
