"""The study of supervised training: its positions, its measurements, what is printed and kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from naive.dots_and_boxes import DotsAndBoxes

from evo.studies.dots_and_boxes_1998 import trained
from evo.studies.dots_and_boxes_supervised import study
from evo.studies.dots_and_boxes_supervised.study import REPORT, SupervisedSettings, measure
from evo.studies.report import Evidence
from evo.studies.settings import checked_settings
from evo.studies.training.curve import OPPONENTS, stops_of
from evo.studies.training.positions import ILLEGAL, quiet, record
from tournaments import games, players
from tournaments.arena import match
from tournaments.errors import ConfigError
from tournaments.kernels.rng import match_seeds
from tournaments.players.network import Encoding, layers_for

GAME = games.make("dots-and-boxes")
TINY = SupervisedSettings(
    sets=2,
    networks=3,
    training_games=40,
    widths="0.5+64",
    epochs=8,
    checkpoints=2,
    games=8,
    again=40,
    explained_by=0,
    seed=5,
)


@pytest.fixture(scope="module")
def tiny() -> Evidence:
    return measured(TINY)


def measured(settings: SupervisedSettings) -> Evidence:
    return measure(settings, lambda line: None)


# --- positions -----------------------------------------------------------------------------------


def seen_by_level_1(game, rows: int, cols: int, number: int, seed: int):
    """Boards and boxes of the games that the players of those names play, found the slow way."""
    level_1, level_0 = (players.make(name, game) for name in ("level-1", "level-0"))
    boards, boxes, left_out = [], [], 0
    for place, match_seed in enumerate(match_seeds(seed, "games", 0, -(-number // 2))):
        for one in range(min(2, number - 2 * place)):
            naive = DotsAndBoxes(rows, cols)
            for _, seat, action in match.play_game(game, level_1, level_0, int(match_seed), one):
                if seat == one:
                    closes = [worth_of(naive, edge) for edge in range(len(naive.lines))]
                    left_out += max(closes) == 0
                    if max(closes) > 0:
                        boards.append([int(line in naive.drawn) for line in naive.lines])
                        boxes.append(closes)
                naive.play(action)
    return boards, boxes, left_out


def worth_of(naive: DotsAndBoxes, edge: int) -> int:
    line = naive.lines[edge]
    if line in naive.drawn:
        return ILLEGAL
    after = naive.drawn | {line}
    return sum(1 for box in naive.boxes if box <= after and not box <= naive.drawn)


@pytest.mark.parametrize(("rows", "cols", "number"), [(3, 3, 7), (2, 2, 12), (1, 3, 5)])
@pytest.mark.slow
def test_positions_are_those_of_the_games_of_level_1_and_random_play(rows, cols, number):
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    every = record(game, number, 3, "games")
    boards, boxes, left_out = seen_by_level_1(game, rows, cols, number, 3)
    assert every.completing.boards.tolist() == boards
    assert every.completing.boxes.tolist() == boxes
    assert len(every.boards) == left_out + len(boards)


def test_half_of_the_positions_have_no_completing_move():
    """Section 3.7: approximately half of the raw training data is so."""
    every = record(GAME, 200, 1, "games")
    found = every.completing
    assert 1300 < len(found.boards) < 1800
    assert 0.45 < 1 - len(found.boards) / len(every.boards) < 0.55
    assert (found.boxes > 0).any(axis=1).all()
    more = record(GAME, 400, 1, "games")
    assert np.array_equal(more.boards[: len(every.boards)], every.boards)


def test_what_is_asked_of_a_network():
    found = record(GAME, 60, 2, "games").completing
    plain, two = found.examples(), found.examples(most=2.0, emphasis=5.0)
    legal, completing = found.boxes != ILLEGAL, found.boxes > 0
    assert (found.boxes == 2).any()
    assert np.array_equal(plain.inputs == 1, ~legal)
    assert np.array_equal(plain.targets == 1, completing)
    assert np.array_equal(plain.worth, legal)
    assert np.array_equal(two.targets[legal], found.boxes[legal])
    assert np.array_equal(two.worth, np.where(completing, 5, legal))


def test_quiet_positions_are_examined_by_the_rule_of_level_2():
    found = quiet(GAME, record(GAME, 20, 4, "games"))
    assert len(found.inputs) > 50
    for inputs, targets, worth in zip(*found, strict=True):
        naive = DotsAndBoxes(3, 3)
        naive.drawn = {naive.lines[edge] for edge in np.flatnonzero(inputs)}
        assert np.flatnonzero(worth).tolist() == naive.legal()
        assert not any(naive.completes(edge) for edge in naive.legal())
        safe = [edge for edge in naive.legal() if not naive.draws_third_side(edge)]
        assert np.flatnonzero(targets).tolist() == safe
        assert 0 < len(safe) < len(naive.legal())


# --- what is measured ----------------------------------------------------------------------------


@pytest.mark.study
def test_points_are_of_the_games_that_were_played(tiny):
    curve = tiny.tables["curve"]
    assert [(one["width"], one["opponent"], one["epoch"]) for one in curve] == [
        (width, opponent, epoch)
        for width in (0.5, 64.0)
        for opponent in OPPONENTS
        for epoch in (0, 2, 8)
    ]
    for one in curve:
        assert one["mean"] <= one["best"]
        wins = one["best"] * 8, one["again"] * 40
        assert wins == tuple(map(round, wins))
        assert one["again_low"] <= one["again"] <= one["again_high"]
    summary = tiny.record["summary"][2]
    assert summary == {**curve[8], "mean_before": curve[6]["mean"], "best_before": curve[6]["best"]}
    assert tiny.arrays["networks-64"].shape == (3, 465)
    best = tiny.arrays["networks-64"][curve[8]["network"]]
    assert np.array_equal(tiny.arrays["best-64-against-level-0"], best)


@pytest.mark.slow
def test_networks_win_what_the_readable_match_says(tiny):
    """Networks, and their nearest genomes, in the very games of the evaluation."""
    seeds = match_seeds(TINY.seed, "at the end", 0, 3 * 2 * 4).reshape(3, 2, 4)
    encoding = Encoding(layers_for(GAME))
    weights = tiny.arrays["networks-64"][2]
    row = tiny.tables["networks"][5]
    assert (row["width"], row["network"], row["set"]) == (64.0, 2, 0)
    assert row["positions"] == tiny.record["positions"][0]
    network = players.make("network", GAME, weights=weights)
    genome = encoding.player(GAME, [encoding.encode(weights)[0].tobytes()], "network")
    for player, rates in (
        (network, (row["level_0"], row["level_1"])),
        (genome, (row["grid_level_0"], row["grid_level_1"])),
    ):
        for place, name in enumerate(OPPONENTS):
            opponent = players.make(name, GAME)
            wins = 0
            for seed in seeds[2, place].tolist():
                (one, other) = match.play_match(GAME, player, opponent, seed)
                wins += int(one[0] > one[1]) + int(other[1] > other[0])
            assert wins / 8 == rates[place]


@pytest.mark.slow
def test_the_result_depends_on_the_settings_alone(tiny):
    again = measured(replace(TINY, threads=3))
    assert all(np.array_equal(again.arrays[name], array) for name, array in tiny.arrays.items())
    assert again.tables == tiny.tables
    other = measured(replace(TINY, seed=6, widths="0.5"))
    assert not np.array_equal(other.arrays["networks-0.5"], tiny.arrays["networks-0.5"])
    random_play = tiny.record["random_play"]
    low, high = random_play["win_rate_low"], random_play["win_rate_high"]
    assert 0.003 < low < 0.00358 < high < 0.0042  # exactly .3574%


@pytest.mark.slow
def test_small_first_weights_learn_the_rule_and_large_ones_do_not():
    """Section 4.3's "excruciatingly slow" is that of sigmoids without a slope."""
    asked = replace(TINY, training_games=200, widths="0.5+64", epochs=60, checkpoints=1)
    found = measured(replace(asked, games=400))
    small, large = found.tables["networks"][:3], found.tables["networks"][3:]
    at_random = found.record["random_play"]["third_sides"]
    assert min(row["best_moves"] for row in small) > 0.9
    assert min(row["level_0"] for row in small) > 0.95
    assert max(row["best_moves"] for row in large) < 0.45
    assert np.mean([row["level_0"] for row in large]) < 0.65
    assert min(row["third_sides"] for row in small) > 0.5 > at_random > 0.35
    assert min(row["first_slope"] for row in small) > 0.2
    assert max(row["first_slope"] for row in large) < 0.02


@pytest.mark.study
def test_level_2_teaches_what_level_1_does_not():
    """Fewer third sides, and so more games against level 1."""
    asked = replace(TINY, training_games=800, widths="0.5", epochs=30, checkpoints=1, games=400)
    asked = replace(asked, momentum=0.9)
    one, two = (
        measured(replace(asked, teacher=name)).tables["networks"] for name in ("level-1", "level-2")
    )
    assert min(row["positions"] for row in two) > max(row["positions"] for row in one)
    assert (
        max(row["third_sides"] for row in two) < 0.6 < 0.8 < min(row["third_sides"] for row in one)
    )
    assert min(row["level_1"] for row in two) > 0.15 > max(row["level_1"] for row in one)


@pytest.mark.slow
def test_a_variant_differs_in_what_it_says():
    asked = replace(TINY, widths="0.5", networks=1, explained_by=2, explained_epochs=2)
    found = {one.name: one for one in study.variants(asked, GAME)}
    assert len(found) == 13
    lengths = {one.name: len(one.sets[0].inputs) for one in found.values()}
    fewer, every, more = (
        record(GAME, number, asked.seed, "training games") for number in (10, 40, 160)
    )
    usual = every.completing.boards
    assert lengths["as it is"] == len(usual)
    assert lengths["a quarter of the games"] == len(fewer.completing.boards)
    assert lengths["four times the games"] == len(more.completing.boards)
    assert lengths["no position left out"] == len(every.boards)
    taught = found["refusing third sides, 0.1"].sets[0]
    assert len(taught.inputs) == len(usual) + len(quiet(GAME, every).inputs)
    assert set(np.unique(taught.targets[len(usual) :])) == {0.0, 0.1}
    assert {one.times for one in found.values()} == {1, 5}
    assert found["learning rate x 10"].rule == {"learning_rate": 1.0}
    rows = measured(asked).tables["variants"]
    assert [row["variant"] for row in rows] == list(found)
    assert [row["positions"] for row in rows] == list(lengths.values())
    assert {row["epochs"] for row in rows} == {2, 10}
    assert all(row["level_0"] <= row["level_0_best"] for row in rows)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"widths": "0.5+x"}, "widths='0.5\\+x' given; different numbers above 0"),
        ({"widths": "8+8"}, "different numbers"),
        ({"widths": "65"}, "up to 64"),
        ({"games": 3}, "games=3 given; an even number"),
        ({"again": 5}, "again=5 given; an even number"),
        ({"momentum": 1.0}, "momentum=1.0 given"),
        ({"networks": 0}, "networks=0 given"),
        ({"teacher": "level-3"}, "teacher='level-3' given"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        REPORT.reproduce(SupervisedSettings(**settings))


def test_the_quick_settings_are_right():
    assert checked_settings(trained.QUICK) == trained.QUICK
    assert stops_of(trained.QUICK)[-1] == 60
