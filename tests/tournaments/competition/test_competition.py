"""Players evaluated against one another, by ask and tell."""

from __future__ import annotations

import io
import json
import os
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tournaments
from cluster import LocalEvaluator
from evo.config.config import from_dict
from results import Recorder
from results.format.schema import COLUMNS
from tournaments import Competition, contest, games, play_matches, schemes
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.competition import members
from tournaments.errors import PlayerFault, TournamentError
from tournaments.game import parse
from tournaments.player import identity
from tournaments.players import as_player, as_players
from tournaments.schemes.base import carried

GAME = games.make("tic-tac-toe")
KEEPERS = ("hall-of-fame:current=2", "maxsolve:current=2", "pareto")


def by_order(order, state, rng):
    """The legal action that comes first in an order."""
    return min(state.legal_actions(), key=lambda action: order[action])


def drawn(state, rng):
    return rng.choice(state.legal_actions())


def bots(count, seed=0):
    rng = np.random.default_rng(seed)
    return [partial(by_order, rng.permutation(9)) for _ in range(count)]


def shares(game, players, matches, games_a_match=2):
    """Payoffs by the readable loop, match after match: an oracle."""
    count = len(players)
    payoffs = np.full((count, count), np.nan)
    for row in matches.itertuples():
        pair = players[row.a], players[row.b]
        outcomes = play_match(game, *pair, row.seed, games_a_match)
        points = 0.0
        for number, scores in enumerate(outcomes.tolist()):
            own, other = scores if number % 2 == 0 else scores[::-1]
            points += 1.0 if own > other else 0.5 if own == other else 0.0
        payoffs[row.a, row.b] = points / games_a_match
        payoffs[row.b, row.a] = 1.0 - points / games_a_match
    return payoffs


def play_first(players, row):
    """What a made of the game of a match in which it held the first seat."""
    own, other = play_match(GAME, players[row.a], players[row.b], row.seed, 2)[0].tolist()
    return {"wins": own > other, "draws": own == other, "losses": own < other}


def test_round_robin_gives_fitness_matches_and_payoffs_of_what_was_played():
    mixture = [*bots(3), drawn, "random"]
    result = tournaments.Competition("tic-tac-toe", seed=5).evaluate(mixture)
    assert (len(result.matches), result.games) == (10, 20)
    expected = shares(GAME, as_players(mixture, GAME), result.matches)
    np.testing.assert_array_equal(result.payoffs, expected)
    verdicts = (np.sign(expected - 0.5) + 1) / 2  # of matches: won 1, drawn one half
    np.testing.assert_array_equal(result.fitness, np.nansum(verdicts, axis=1))
    assert result.fitness.dtype == np.float64
    assert result.tally.games.tolist() == [8] * 5
    for sort in ("wins", "draws", "losses"):
        first = [
            play_first(as_players(mixture, GAME), row)[sort] for row in result.matches.itertuples()
        ]
        assert result.matches[f"{sort}_first"].tolist() == first
    names = set(result.matches["player"]) | set(result.matches["opponent"])
    assert names == {"by_order", "by_order-2", "by_order-3", "drawn", "random"}


@pytest.mark.parametrize("scheme", KEEPERS)
def test_what_a_scheme_keeps_is_kept_between_calls_and_in_a_file(scheme, tmp_path):
    first, second = (tournaments.Competition(GAME, scheme, seed=2) for _ in range(2))
    for generation in range(4):
        players = bots(5, generation)
        results = [competition.evaluate(players) for competition in (first, second)]
        np.testing.assert_array_equal(results[0].fitness, results[1].fitness)
        known = [thing for number in range(generation + 1) for thing in bots(5, number)]
        second.save(tmp_path / "saved.json")
        second = tournaments.Competition.open(tmp_path / "saved.json", players=known)
        assert second.generation == first.generation == generation + 1
    if scheme.startswith("hall"):
        champions = results[0].matches.query("a < 0 or b < 0")
        assert set(champions["opponent"].str.partition("@")[2]) == {"0", "1", "2"}


def test_opponents_are_somebody_or_those_of_the_scheme():
    with pytest.raises(TournamentError, match=r"opponents=\[\] given with direct; at least"):
        tournaments.Competition(GAME, "direct:matches=2", opponents=[])
    usual = tournaments.Competition(GAME, "direct:matches=2", opponents=None)
    assert usual.panel


def test_functions_of_a_saved_archive_are_asked_for(tmp_path):
    competition = tournaments.Competition(GAME, "hall-of-fame:current=1")
    competition.evaluate(bots(3))
    competition.save(tmp_path / "saved.json")
    with pytest.raises(TournamentError, match=r"give it again: Competition\.open\(path, players="):
        tournaments.Competition.open(tmp_path / "saved.json")


@pytest.mark.parametrize("content", ["", "[]", '{"competition": 2}', '{"competition": 1}'])
def test_a_file_that_is_no_competition_is_refused_in_a_line(content, tmp_path):
    (tmp_path / "saved.json").write_text(content)
    with pytest.raises(TournamentError, match="holds no competition") as refused:
        tournaments.Competition.open(tmp_path / "saved.json")
    assert "\n" not in str(refused.value)


def test_a_file_of_archives_that_were_changed_is_refused(tmp_path):
    competition = tournaments.Competition(GAME, "hall-of-fame:current=1")
    competition.evaluate(["random", *bots(2)])
    competition.save(tmp_path / "saved.json")
    content = json.loads((tmp_path / "saved.json").read_text())
    content["archives"][0]["parts"] = [[7]]
    (tmp_path / "saved.json").write_text(json.dumps(content))
    with pytest.raises(TournamentError, match="holds no competition"):
        tournaments.Competition.open(tmp_path / "saved.json", players=bots(2))


def test_two_populations_hold_a_seat_each():
    firsts, seconds = bots(3), bots(2, seed=1)
    result = tournaments.Competition(GAME, seed=3).evaluate(firsts, seconds)
    assert [len(fitness) for fitness in result.fitness] == [3, 2]
    assert result.payoffs.shape == (3, 2)
    players = as_players([*firsts, *seconds], GAME)
    for row in result.matches.itertuples():
        ((own, other),) = play_match(GAME, players[row.a], players[3 + row.b], row.seed, 1)
        assert result.payoffs[row.a, row.b] == (1 + np.sign(own - other)) / 2
    np.testing.assert_array_equal(result.payoffs.sum(axis=1), result.fitness[0])
    np.testing.assert_array_equal((1 - result.payoffs).sum(axis=0), result.fitness[1])


def test_direct_evolution_meets_functions():
    competition = tournaments.Competition(
        GAME, "direct:matches=2", opponents=[drawn, "random", *bots(1)]
    )
    result = competition.evaluate(bots(2))
    assert len(result.matches) == 2 * 3 * 2
    assert set(result.matches["opponent"]) == {"drawn", "random", "by_order"}
    assert np.isnan(result.payoffs).all()
    with pytest.raises(TournamentError, match="has no fixed opponents"):
        tournaments.Competition(GAME, "random-opponents", opponents=["random"])


def test_progress_is_told_up_to_all_games():
    told = []
    competition = tournaments.Competition(GAME, "swiss")
    result = competition.evaluate(bots(4), report=lambda done, games: told.append((done, games)))
    assert told == [(4, 8), (8, 8)]
    assert result.games == 8


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_progress_is_a_line_a_generation_on_a_terminal_alone(stream, monkeypatch):
    monkeypatch.setattr("sys.stderr", stream)
    calm, shown = (Competition(GAME, "swiss", progress=progress) for progress in (False, True))
    for _ in range(2):
        results = [each.evaluate(bots(4)) for each in (calm, shown)]
        assert results[0].matches.equals(results[1].matches)
    lines = [
        line.rpartition("\r")[2].partition(" games ")[0] for line in stream.getvalue().split("\n")
    ]
    expected = [f"generation {number}  8/8" for number in range(2)]
    assert lines == ([*expected, ""] if stream.isatty() else [""])


def test_parts_for_a_display_of_progress_are_short():
    told = []
    competition = Competition(GAME, progress=True)
    competition.evaluate(bots(8), report=lambda done, games: told.append(done))
    assert told == [32, 56]


def test_who_commits_a_fault_loses_the_game_where_that_is_asked_for(tmp_path):
    def broken(state, rng):
        raise ValueError("no idea")

    competition = tournaments.Competition(GAME, "round-robin", faults="forfeit")
    result = competition.evaluate([*bots(2), broken])
    assert result.payoffs[2, :2].tolist() == [0.0, 0.0]
    assert len(result.faults) == 4
    faults = result.faults
    assert set(zip(faults["player"], faults["cause"], strict=True)) == {("broken", "raised")}
    seeds = result.matches.set_index(["round", "match"])["seed"]
    assert [*faults["match_seed"]] == [
        *seeds[[*zip(faults["round"], faults["match"], strict=True)]]
    ]
    assert {*faults["opponent"]} == {"by_order", "by_order-2"}
    assert {*faults["population"]} == {*faults["opponent_population"]} == {"all"}
    competition.save(tmp_path / "saved.json")
    assert tournaments.Competition.open(tmp_path / "saved.json").policy is not None
    with pytest.raises(TournamentError, match="faults='no' given; forfeit"):
        tournaments.Competition(GAME, faults="no")


def test_players_of_a_dict_have_the_names_of_its_keys():
    by_name = {"alice": drawn, "bob": "random", "carol": bots(1)[0]}
    named, listed = (Competition(GAME).evaluate(each) for each in (by_name, [*by_name.values()]))
    assert named.names == ["alice", "bob", "carol"]
    assert listed.names == ["drawn", "random", "by_order"]
    np.testing.assert_array_equal(named.fitness, listed.fitness)
    assert {*named.matches["player"], *named.matches["opponent"]} == {*by_name}
    assert named.table.loc["carol", "fitness"] == named.fitness[2]
    assert [*named.table] == ["fitness", "games", "wins", "draws", "losses"]
    assert named.table["wins"].tolist() == named.tally.wins.tolist()


def test_two_populations_of_dicts_have_two_tables():
    result = Competition(GAME).evaluate({"a": drawn, "b": "random"}, {"a": bots(1)[0]})
    assert result.names == (["a", "b"], ["a"])
    assert [table["fitness"].tolist() for table in result.table] == [*map(list, result.fitness)]


def test_a_result_without_faults_has_an_empty_table_of_the_columns_of_a_run():
    columns = Competition(GAME).evaluate(bots(2)).faults.columns
    assert len(columns) == 14
    assert {*columns} - {column.name for column in COLUMNS["faults"]} == {"round"}


def test_faults_name_the_populations_of_both_players():
    def broken(state, rng):
        raise ValueError("no idea")

    competition = Competition("cat-and-mouse", "hall-of-fame:current=1", faults="forfeit")
    for _ in range(2):
        faults = competition.evaluate([broken], [drawn]).faults
    assert {*faults["population"]} == {"cat", "cat-archive"}
    assert {*faults["opponent_population"]} == {"mouse", "mouse-archive"}
    direct = Competition(GAME, "direct:matches=1", opponents=["random"], faults="forfeit")
    assert {*direct.evaluate([broken]).faults["opponent_population"]} == {""}


def test_an_evaluation_that_fails_leaves_the_competition_as_it_was():
    def broken(state, rng):
        raise ValueError("no idea")

    tried, calm = (tournaments.Competition(GAME, "hall-of-fame:current=1") for _ in range(2))
    for competition in (tried, calm):
        competition.evaluate(bots(3))
    with pytest.raises(PlayerFault, match=r"'broken' raised ValueError: no idea .*seed"):
        tried.evaluate([*bots(2), broken])
    after = [competition.evaluate(bots(3, 1)) for competition in (tried, calm)]
    np.testing.assert_array_equal(after[0].fitness, after[1].fitness)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: tournaments.Competition("tic-tac-to"), "did you mean 'tic-tac-toe'"),
        (lambda: tournaments.Competition(GAME, "rount-robin"), "did you mean 'round-robin'"),
        (lambda: tournaments.Competition(GAME, "swiss:round=2"), "did you mean 'rounds'"),
        (lambda: tournaments.Competition(GAME, seed=-1), "seed=-1 given; a whole number"),
        (
            lambda: tournaments.Competition(GAME).evaluate(drawn),
            "a list of them, in their order, is expected",
        ),
        (lambda: tournaments.Competition(GAME).evaluate("random"), "a list of them"),
        (lambda: tournaments.Competition(GAME).evaluate([]), "nobody given"),
        (lambda: tournaments.Competition(GAME).evaluate([drawn]), "round-robin needs at least 2"),
        (lambda: tournaments.Competition(GAME).evaluate([drawn, 7]), "player 7 given"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_in_a_line(call, expected):
    with pytest.raises(TournamentError, match=expected) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_the_number_of_populations_stays():
    competition = tournaments.Competition(GAME, "hall-of-fame:current=1")
    competition.evaluate(bots(3))
    with pytest.raises(TournamentError, match="2 populations given; this competition has"):
        competition.evaluate(bots(3), bots(3))


@settings(max_examples=20)  # games are played move by move
@given(st.lists(st.integers(0, 4), min_size=0, max_size=6), st.integers(0, 5))
def test_a_mixture_plays_what_its_players_play_in_a_panel(numbers, seed):
    players = tuple(as_players([*bots(3), drawn, "random"], GAME))
    pairs = np.array([[a, (a + 1) % 5] for a in numbers], dtype=np.int32).reshape(-1, 2)
    seeds = np.arange(len(pairs), dtype=np.uint64) + np.uint64(seed)
    mixed = Entrants(GAME, players[3:], (players[:2], players[2:]))
    fixed = Entrants(GAME, players)
    np.testing.assert_array_equal(
        play_pairs(mixed, pairs, seeds), play_pairs(fixed, -1 - pairs, seeds)
    )


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=3))
def test_parts_of_an_archive_are_rows_of_it(parts):
    rows, own = carried(parts)
    assert len(set(rows)) == len(rows)
    assert [[rows[place] for place in part] for part in own] == parts


def test_every_scheme_evaluates_a_mixture():
    for name in schemes.names():
        scheme = schemes.load(name)
        few = {scheme.opponents_field: 2} if scheme.opponents_field else {}
        panel = bots(1) if name == "direct" else ()
        competition = tournaments.Competition(GAME, schemes.make(name, **few), opponents=panel)
        for generation in range(2):
            result = competition.evaluate(bots(4, generation))
        assert result.fitness.shape == (4,)
        assert np.isfinite(result.fitness).all()


def test_a_game_is_taken_as_typed_or_as_it_is():
    game = parse("tic-tac-toe")
    played = [play_matches(each, "random", "greedy", 1).outcomes for each in (game, game.spec)]
    assert np.array_equal(*played)
    assert Competition(game).game is game


def save_nowhere(folder):
    Competition("tic-tac-toe").save(folder / "none" / "saved.json")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda folder: Competition(None), "None given as a game; a text such as"),
        (lambda folder: play_matches(3, "random", "random"), "3 given as a game"),
        (lambda folder: play_matches("nim", "random", "random", 2.5), "matches=2.5 given; a whole"),
        (lambda folder: Competition("nim", evaluator=4), "evaluator=4 given; one such as cluster"),
        (lambda folder: Competition("tic-tac-toe", None), "None given as a scheme; a text such as"),
        (
            lambda folder: Competition("tic-tac-toe", "direct", opponents="random"),
            r"'random' given as players; a list of them, in their order, is expected",
        ),
        (
            lambda folder: Competition("tic-tac-toe", evaluator=4),
            "evaluator=4 given; one such as cluster.LocalEvaluator",
        ),
        (save_nowhere, r"saved.json cannot be written \(No such file or directory\)"),
    ],
)
def test_what_is_no_game_scheme_or_file_is_told_in_a_line(call, said, tmp_path):
    with pytest.raises(TournamentError, match=said):
        call(tmp_path)


def test_a_seed_may_be_a_number_of_numpys():
    by_numpy, own = (Competition("tic-tac-toe", seed=seed) for seed in (np.int64(3), 3))
    players = ["random", "greedy"]
    assert np.array_equal(*(each.evaluate(players).fitness for each in (by_numpy, own)))


def test_words_are_no_weights():
    with pytest.raises(TournamentError, match="an array of numbers is expected"):
        tournaments.Competition(GAME).evaluate([np.array(["a", "b"]), drawn])


NETWORK = np.linspace(-1, 1, 261)


def test_a_file_becomes_a_player_again_where_it_holds_something_else(tmp_path):
    maker, file = members.Maker(GAME), tmp_path / "a.npy"
    for weights in (NETWORK, NETWORK[::-1], NETWORK):
        np.save(file, weights)
        os.utime(file, (1, 1))  # a file may be written twice within a tick of a clock
        _, players = maker.players([file, weights])
        assert len({*map(identity, players)}) == 1
        assert maker.players([str(file)])[1] == players[:1]
    maker.players([])
    assert not maker._made


def test_a_scheme_in_a_text_may_have_true_and_false():
    for text, value in (("true", True), ("false", False)):
        scheme = f"hall-of-fame:same_games={text}"
        assert Competition(GAME, scheme).scheme.same_games is value
        assert from_dict({"scheme": scheme}).scheme.same_games is value


def test_a_saved_contest_of_a_function_is_given_again(tmp_path):
    def duel(players, seed):
        return [player(seed) for player in players]

    def other(players, seed):
        return [-player(seed) for player in players]

    def high(seed):
        return 2

    def low(seed):
        return 1

    players = {"high": high, "low": low}
    file = tmp_path / "c.json"
    with Recorder(tmp_path / "run") as recorder:
        competition = Competition(contest(duel), "hall-of-fame:current=1", recorder=recorder)
        competition.evaluate(players)
        competition.save(file)
        expected = competition.evaluate(players).fitness.tolist()
    for path in (file, Recorder(tmp_path / "run")):
        with pytest.raises(
            TournamentError, match=r"unknown game 'duel' .*; give the game of .* game="
        ):
            Competition.open(path, players=[high, low])
        for wrong in (contest(other, name="duel"), contest(duel, name="other"), GAME):
            with pytest.raises(TournamentError, match=r"was saved with the game duel \(.*is given"):
                Competition.open(path, game=wrong, players=[high, low])
        again = Competition.open(path, game=contest(duel), players=[high, low])
        if path == file:
            assert again.evaluate(players).fitness.tolist() == expected
        else:
            assert again.generation == 2


def test_a_name_that_was_saved_stands_for_what_it_did(tmp_path):
    file = str(tmp_path / "a.npy")
    np.save(file, NETWORK)
    record = members.record_of(file, as_player(file, GAME))
    assert members.recalled(record, GAME, {}) == file
    np.save(file, NETWORK[::-1])
    with pytest.raises(TournamentError, match=r"a.npy' was network@.*, and is network@.*put its"):
        members.recalled(record, GAME, {})


def test_a_call_that_cannot_be_is_refused_before_a_game():
    def must_not_play(state, rng):
        raise AssertionError

    players = [must_not_play, must_not_play]
    calls = {
        "3 populations given; one is expected, or two": lambda new: new.evaluate(*[players] * 3),
        "report=3 given; a function": lambda new: new.evaluate(players, report=3),
        "report=<.*a function": lambda new: new.evaluate(players, report=lambda games: None),
        "given as players; a list of them, in their order": lambda new: new.evaluate(set(players)),
        "'random' given twice in a population": lambda new: new.evaluate(["random"] * 2),
        "1 given as the name of a player; a text": lambda new: new.evaluate({1: drawn, 2: drawn}),
        "'' given as the name of a player; a text": lambda new: new.evaluate({"": drawn}),
        "{'a': .* given as players": lambda new: Competition(
            GAME, "direct", opponents={"a": drawn}
        ),
        "None cannot be written": lambda new: new.save(None),
        "LocalEvaluator'> given": lambda new: Competition(GAME, evaluator=LocalEvaluator),
        "1 given as players": lambda new: Competition(GAME, "direct", opponents=1),
        "drawn .*given as players": lambda new: Competition.open(__file__, players=drawn),
    }
    for said, call in calls.items():
        with pytest.raises(TournamentError, match=said):
            call(Competition(GAME))


def test_nobody_need_be_told_of_progress():
    assert Competition(GAME).evaluate(bots(2), report=None).games == 2
