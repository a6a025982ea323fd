"""Evaluation and analysis of runs of contests with 3 to 8 seats, against a plain loop."""

from __future__ import annotations

from itertools import combinations, cycle, islice
from pathlib import Path

import numpy as np
import pytest

import evo
from evo.cli.main import main
from evo.config.config import of_run
from evo.evaluation.analyse import RANDOM
from evo.evaluation.champions import NEWCOMERS
from evo.evaluation.players import named
from results import open_run
from results.statistics import wilson
from tournaments import games
from tournaments.errors import ConfigError
from tournaments.kernels.rng import generator, match_seeds, opening_seed
from tournaments.player import identity

CODE = """
import numpy as np
import tournaments

def cup(players, seed):
    luck = np.random.default_rng(seed).random(len(players))
    strengths = [float(sum(player)) for player in players]
    crowd = [strengths.count(each) for each in strengths]
    return [
        round(each * (1 + 0.4 * seat) + 2 * luck[seat] - 0.3 * crowd[seat], 0)
        for seat, each in enumerate(strengths)
    ]

THREE = tournaments.contest(cup, seats=3)
FOUR = tournaments.contest(cup, seats=4)
FIVE = tournaments.contest(cup, seats=5)

def fussy(players, seed):
    if seed % 5 == 0:
        raise ValueError("no luck")
    if sum(players[1]) == 0.75:
        raise tournaments.Disqualified(1, "no reason")
    return cup(players, seed)

FUSSY = tournaments.contest(fussy, seats=3)
low, middle, high = [0.0, 0.1], [0.5, 0.25], [1.0, 0.5]
"""
SEATS = {"THREE": 3, "FOUR": 4, "FIVE": 5}
NAMES = ["arena.py:low", "arena.py:middle", "arena.py:high"]
SETTINGS = {
    "generations": 4,
    "seed": 7,
    "snapshot_interval": 2,
    "genome": {"encoding": "real-vector", "length": 2},
    "scheme": "round-robin",
}


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    """A folder with contests and one run of each."""
    folder = tmp_path_factory.mktemp("arena")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("arena.py").write_text(CODE)
        for name, seats in {**SEATS, "FUSSY": 4}.items():
            game = f"./arena.py:{name}"
            evo.run(name, SETTINGS, game=game, population=seats + 1, threads=1)
        yield folder


@pytest.fixture(autouse=True)
def inside(arena, monkeypatch):
    monkeypatch.chdir(arena)


def placed(play, table, seeds):
    """Return placings of the first player: won, drawn and lost, by its seat and the other seat."""
    seats = len(table)
    counts = np.zeros((seats, seats, 3), dtype=int)
    for seed in seeds:
        for turn in range(seats):
            scores = play(
                [table[(seat - turn) % seats] for seat in range(seats)],
                opening_seed(int(seed), turn) >> 32,
            )
            for seat in range(seats):
                if seat != turn:
                    own, other = scores[turn], scores[seat]
                    counts[turn, seat, 0 if own > other else 1 if own == other else 2] += 1
    return counts


def vectors(run, generation):
    return [np.frombuffer(bytes(each), "<f4") for each in run.population(generation)["genome"]]


def champion(run, generation):
    return vectors(run, generation)[run.champion(generation)["individual"]]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("THREE", NAMES),
        ("THREE", NAMES[1:]),
        ("THREE", NAMES[:1]),
        ("FOUR", [NAMES[2], NAMES[0]]),
        ("FIVE", ["FIVE@0"]),
    ],
)
def test_placings_against_each_group_are_those_of_a_plain_loop(name, given):
    run, seats = open_run(name, trust=True), SEATS[name]
    frame = evo.evaluate(name, given, 20, generations=[4], trust=True, threads=2)
    game = games.parse(f"./arena.py:{name}")
    members = [named(each, game, trust=True) for each in given]
    groups = list(combinations(members, seats - 1)) or [tuple(islice(cycle(members), seats - 1))]
    matches = -(-20 // seats)
    mine = vectors(run, 4)
    rows = frame.set_index(["opponent", "individual"])
    assert len(rows) == len(groups) * len(mine)
    for group in groups:
        names, players = zip(*group, strict=True)
        who = "/".join(dict.fromkeys(identity(player) for player in players))
        count = matches * seats * (seats - 1)
        seeds = match_seeds(7, f"evaluation/{who}/{count}", 4, len(mine) * matches)
        for number, vector in enumerate(mine):
            table = [vector, *(player.thing for player in players)]
            own = seeds[number * matches : (number + 1) * matches]
            counts = placed(game.rules.contest.play, table, own)
            row = rows.loc["+".join(names), number]
            wins, draws, losses = counts.sum(axis=(0, 1)).tolist()
            assert [row["wins"], row["draws"], row["losses"]] == [wins, draws, losses]
            assert row["games"] == count == wins + draws + losses
            assert row["win_rate"] == pytest.approx(wins / count)
            by_seat = counts[:, :, 0].sum(axis=1) / (matches * (seats - 1))
            assert row["win_rate_first"] == pytest.approx(by_seat[0])
            assert row["win_rate_second"] == pytest.approx(by_seat[1])
            ends = wilson(wins / (seats - 1), matches * seats)
            assert [row["win_rate_low"], row["win_rate_high"]] == pytest.approx([*map(float, ends)])
    assert frame["wins"].nunique() > 2
    assert frame["draws"].sum() > 0


def test_nothing_is_played_again_and_the_champion_at_the_start_is_the_default(capsys):
    frame = evo.evaluate("FOUR", games=8, best=1, trust=True)
    assert {*frame["opponent"]} == {"+".join(["FOUR@0"] * 3)}
    assert {*frame["games"]} == {8 * 3}
    played = []
    evo.evaluate("FOUR", games=8, best=1, trust=True, report=lambda *each: played.append(each))
    assert [each[2] for each in played] == [0, 0, 0]
    evo.evaluate("FOUR", games=10, best=2, trust=True, report=lambda *each: played.append(each))
    assert [each[2] for each in played[3:]] == [2 * 12] * 3
    assert main(["evaluate", "FOUR", "--trust", "--games", "8", "--best", "1"]) == 0
    assert "FOUR@0+FOUR@0+FOUR@0" in capsys.readouterr().out
    assert main(["plot", "FOUR"]) == 0
    assert main(["verify", "FOUR"]) == 0


def test_the_best_of_an_earlier_evaluation_are_found_by_the_number_of_games():
    options = {"generations": [2], "trust": True}
    with pytest.raises(ConfigError, match=r"--opponents arena\.py:low@\w+ arena\S+ --games 14"):
        evo.evaluate("THREE", NAMES[:2], 30, best=1, best_by=14, **options)
    earlier = evo.evaluate("THREE", NAMES[:2], 14, **options)
    best = evo.evaluate("THREE", NAMES[:2], 30, best=1, best_by=14, **options)
    assert best["individual"].tolist() == [earlier["wins"].to_numpy().argmax()]
    with pytest.raises(ConfigError, match="as many games as games=28 is"):
        evo.evaluate("THREE", NAMES[:2], 28, best=1, best_by=30, **options)


def test_void_games_do_not_count_and_a_member_of_a_group_may_lose_by_a_fault():
    frame = evo.evaluate("FUSSY", NAMES[1:2], 30, generations=[0], trust=True)
    run = open_run("FUSSY", trust=True)
    faults = run.faults[run.faults["purpose"].str.startswith("evaluation/")]
    void = faults[faults["seat"] < 0]
    blamed = faults[faults["seat"] >= 0]
    name = frame["opponent"][0].partition("+")[0]
    assert {*frame["opponent"]} == {f"{name}+{name}"}
    assert {*blamed["player"]} == {name}
    assert all(each.endswith(f"+{name}") for each in blamed["opponent"])
    assert len(void) > 5
    counted = frame[["wins", "draws", "losses"]].to_numpy().sum()
    assert counted == frame["games"].sum() - 2 * len(void)
    assert frame["wins"].sum() >= len(blamed)


def test_champions_meet_at_tables_of_one_and_copies_of_the_other():
    found = evo.analyse("FOUR", games=10, every=1, against=NAMES[:1], trust=True, threads=2)
    run, seats, matches = open_run("FOUR", trust=True), 4, 2
    play = games.parse("./arena.py:FOUR").rules.contest.play
    assert (found.games, found.generations) == (16, [0, 2, 4])
    best = {number: champion(run, number) for number in found.generations}
    pairs = [*combinations(found.generations, 2)]
    seeds = match_seeds(7, "analyse/contest", 0, 2 * len(pairs) * matches).reshape(-1, matches)
    scores = found.scores.set_index(["generation", "opponent_generation"])
    shares = []
    for number, (a, b) in enumerate(pairs):
        own = placed(play, [best[a], *[best[b]] * 3], seeds[number])
        others = placed(play, [best[b], *[best[a]] * 3], seeds[len(pairs) + number])
        mine = own + others.swapaxes(0, 1)[..., ::-1]
        for row, counts in ((a, b), mine), ((b, a), mine.swapaxes(0, 1)[..., ::-1]):
            wins, draws, _ = counts.sum(axis=(0, 1)).tolist()
            total = 2 * matches * seats * (seats - 1)
            assert counts.sum() == total
            assert scores.loc[row, ["games", "wins", "draws"]].tolist() == [16, wins, draws]
            assert scores.loc[row, "score"] == pytest.approx((wins + draws / 2) / total)
            points = (counts[..., 0] + counts[..., 1] / 2).sum(axis=1) / (total / seats)
            in_seats = scores.loc[row, ["score_first", "score_second"]].tolist()
            assert in_seats == pytest.approx(points[:2].tolist())
            shares.append(points[0])
    seat = next(each for each in found.diagnoses if each.about == "seats")
    assert seat.numbers["share"] == pytest.approx(np.mean(shares))
    assert "first scores" in seat.text
    assert "against the other seats" in seat.text


def test_fixed_opponents_and_random_genomes_fill_the_table_of_a_champion():
    found = evo.analyse("THREE", games=80, every=1, against=NAMES[:1], trust=True)
    run = open_run("THREE", trust=True)
    game = games.parse("./arena.py:THREE")
    play = game.rules.contest.play
    label, low = named(NAMES[0], game)
    rows = found.opponents.set_index(["opponent", "generation"])
    assert found.games == 84
    each = 84 // (3 * NEWCOMERS)
    strangers = generator(7, "analyse/newcomers", 0, 0)
    genome = of_run(run, trust=True).populations[0].genome
    made = [np.frombuffer(row, "<f4") for row in genome.pack(genome.random(NEWCOMERS, strangers))]
    for place, number in enumerate(found.generations):
        mine = champion(run, number)
        seeds = match_seeds(7, f"analyse/all/{identity(low)}", 0, 3 * 28)[place * 28 :][:28]
        wins, draws, _ = placed(play, [mine, low.thing, low.thing], seeds).sum(axis=(0, 1))
        row = rows.loc[(label, number)]
        assert row["games"] == 84
        assert row["score"] == pytest.approx((wins + draws / 2) / 168)
        total = 20 * each
        seeds = match_seeds(7, "analyse/newcomers/0", 0, 3 * total)[place * total :][:total]
        points = 0.0
        for stranger, few in zip(made, seeds.reshape(20, each), strict=True):
            wins, draws, _ = placed(play, [mine, stranger, stranger], few).sum(axis=(0, 1))
            points += wins + draws / 2
        row = rows.loc[(RANDOM, number)]
        assert row["games"] == 3 * total
        assert row["score"] == pytest.approx(points / (6 * total))


def test_the_commands_print_and_draw_and_best_responses_are_refused(capsys, tmp_path):
    words = ["analyse", "THREE", "--trust", "--games", "6", "--every", "2"]
    assert main([*words, "--out", str(tmp_path / "pictures")]) == 0
    assert "6 games a pair" in capsys.readouterr().out
    assert (tmp_path / "pictures" / "progress-by-seat.png").exists()
    for words in (["best-response", "THREE"], ["evaluate", "THREE", "--exact"]):
        assert main([*words, "--trust"]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
