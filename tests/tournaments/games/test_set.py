"""Set: rules against slow ones, draws, boards as text, and players that prefer some sets."""

from __future__ import annotations

from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import set_game as naive

from evo.cli.main import main
from tournaments import TournamentError, games, players
from tournaments.game import Game, State
from tournaments.games.set import preferences
from tournaments.games.set.board import sets_of
from tournaments.games.set.rules import GONE, IN_DECK, ON_TABLE, cards_at
from tournaments.kernels.rng import Stream

DECKS = st.sampled_from([(3, 2), (4, 2), (9, 2), (6, 3), (7, 3), (9, 3), (12, 4), (20, 4)])
"""Cards on the table, and dimensions."""


def make(cards: int = 12, dimensions: int = 4) -> Game:
    return games.make("set", cards=cards, dimensions=dimensions)


def named(game: Game, cards: list[int]) -> list[naive.Card]:
    """Cards by number as the slow rules have them."""
    deck = naive.deck_of(game.options["dimensions"])
    return [deck[card] for card in cards]


def slow(state: State) -> naive.SetGame:
    """A position at its start as the slow rules have it."""
    options = state.game.options
    return naive.SetGame(named(state.game, cards_at(state.array, ON_TABLE)), **options)


def set_taken(game: Game, action: int) -> tuple[naive.Card, ...] | None:
    sets = sets_of(game.board)
    return None if action == len(sets) else tuple(named(game, sets[action].tolist()))


@settings(max_examples=25, deadline=None)
@given(deck=DECKS, seed=st.integers(0, 2**32))
def test_random_play_is_that_of_the_slow_rules(deck, seed):
    game, stream = make(*deck), Stream(seed)
    state = game.start(seed)
    other = slow(state)
    assert len(other.table) == deck[0]
    while not other.is_over():
        assert (state.is_over, state.seat_to_move, list(state.scores)) == (
            False,
            other.seat,
            other.scores,
        )
        legal = state.legal_actions()
        assert [set_taken(game, action) for action in legal] == (other.sets() or [None])
        action = stream.choice(legal)
        before = set(cards_at(state.array, IN_DECK))
        state.play(action)
        drawn = before - set(cards_at(state.array, IN_DECK))
        other.play(set_taken(game, action), named(game, sorted(drawn)))
        assert named(game, cards_at(state.array, ON_TABLE)) == other.table
        assert named(game, cards_at(state.array, IN_DECK)) == other.deck
    assert state.is_over
    assert list(state.scores) == other.scores
    assert len(cards_at(state.array, GONE)) == 3 * sum(other.scores)


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_actions_are_the_sets_of_the_deck_and_the_deal(dimensions):
    game = make(3, dimensions)
    sets = naive.sets_among(naive.deck_of(dimensions))
    assert [set_taken(game, action) for action in range(game.num_actions)] == [*sets, None]
    assert len(sets) == {2: 12, 3: 117, 4: 1080}[dimensions]


def test_every_card_is_as_likely_on_the_table_as_any_other():
    game, starts = make(3, 2), 3000
    shown = np.zeros(9)
    for seed in range(starts):
        shown[cards_at(game.start(seed).array, ON_TABLE)] += 1
    share, chance = shown / starts, 3 / 9
    assert np.abs(share - chance).max() < 4.5 * (chance * (1 - chance) / starts) ** 0.5


# --- text --------------------------------------------------------------------------------------


def board(text: str) -> State:
    return make(4, 2).parse(dedent(text))


def test_who_finds_no_set_deals_three_cards_and_the_turn_is_over():
    state = board(
        """\
        1R 1G 2R 2G

        taken: 0 to 0
        chance: 0000000000000001
        second to move"""
    )
    assert state.legal_actions() == [12]
    assert state.game.rules.describe(state.game.board, 12) == "deal three cards"
    state.play(12)
    assert (state.seat_to_move, len(cards_at(state.array, ON_TABLE))) == (0, 7)


def test_a_table_of_more_cards_than_usual_is_not_filled_up():
    state = board("1R 1G 1P 2R 2G 3R 3P\n\ntaken: 0 to 0\nfirst to move")
    state.play(state.legal_actions()[0])
    assert str(state) == dedent(
        """\
        2R 2G 3R 3P

        gone: 1R 1G 1P
        taken: 1 to 0
        second to move"""
    )


def test_the_last_set_ends_a_game_whose_deck_is_empty():
    state = board("1R 1G 1P 2R 2G 3P\n\ngone: 2P 3R 3G\ntaken: 0 to 1\nfirst to move")
    state.play(state.legal_actions()[0])
    assert (state.is_over, state.scores, state.returns()) == (True, (1, 1), (0, 0))
    assert str(state).endswith("over")


def test_what_a_seat_sees_has_no_stream():
    state = make().start(5)
    assert "chance: " in str(state)
    assert "chance: " not in str(state.view(0))
    assert state.game.parse(str(state.view(1))) == state.view(1)


@pytest.mark.parametrize(
    ("action", "words"),
    [(0, "1ROF 1ROS 1ROE, all 1 red oval"), (1079, "3PWF 3PWS 3PWE, all 3 purple wave")],
)
def test_a_set_is_called_by_its_cards_and_what_they_share(action, words):
    game = make()
    assert game.rules.describe(game.board, action) == words


@pytest.mark.parametrize(
    "text",
    [
        "1R 1G 2R 2G\n\ntaken: 0 to 0\nover",
        "1R 1G 2R\n\ntaken: 0 to 0\nfirst to move",
        "1R 1G 2R 2G\n\ntaken: 1 to 0\nfirst to move",
        "1R 1G 2R 2X\n\ntaken: 0 to 0\nfirst to move",
        "1R 1R 2R 2G\n\ntaken: 0 to 0\nfirst to move",
        "1G 1R 2R 2G\n\ntaken: 0 to 0\nfirst to move",
        "1R 1G 2R 2G\n\ntaken: 0 to 0\nchance: 0000000000000000\nfirst to move",
        "1R 1G 2R 2G\n\ngone: 1R 1P 3P\ntaken: 0 to 1\nfirst to move",
    ],
)
def test_what_is_no_position_is_refused(text):
    with pytest.raises(TournamentError, match="not a position of this deck"):
        board(text)


def test_the_terminal_shows_as_many_symbols_as_a_card_has():
    state = make().start(1)
    shown = state.game.rules.emoji(state.game.board, state.array)
    names = str(state).split("\n\n")[0].split()
    assert [word for word in shown.split() if word.isascii()] == names
    assert sum(map(shown.count, "🔴🟥🧡🟢🟩💚🟣🟪💜")) == sum(int(name[0]) for name in names)
    assert [mark for mark in shown if mark in "█▒░"] == ["█▒░"["FSE".index(n[3])] for n in names]


# --- players -----------------------------------------------------------------------------------


def kinds_of(game: Game, actions: list[int]) -> dict[int, int]:
    """For each set the number of dimensions in which its cards differ."""
    taken = {action: set_taken(game, action) for action in actions}
    return {
        action: sum(len(set(features)) == 3 for features in zip(*cards, strict=True))
        for action, cards in taken.items()
        if cards
    }


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(["all-different-first", "alike-first", "taker", "taker:order=2-4"]),
    seed=st.integers(0, 2**32),
)
def test_a_player_takes_the_kind_that_it_prefers(name, seed):
    game, stream = make(18), Stream(seed)
    state, player = game.start(seed), players.make(name, game)
    kinds = kinds_of(game, state.legal_actions())
    order = {"alike-first": [1, 2, 3, 4], "taker:order=2-4": [2, 4]}.get(name, [4, 3, 2, 1])
    wanted = next((kind for kind in order if kind in kinds.values()), None)
    action = player.choose(state, stream)
    if wanted and kinds:
        assert kinds[action] == wanted
    assert action in state.legal_actions()


@settings(max_examples=15, deadline=None)
@given(deck=st.sampled_from([(4, 2), (5, 2), (9, 2)]), seed=st.integers(0, 2**32))
def test_a_spoiler_leaves_fewest_sets_by_all_that_may_be_drawn(deck, seed):
    game, stream = make(*deck), Stream(seed)
    state, spoiler = game.start(seed), players.make("spoiler", game)
    while not state.is_over:
        legal = state.legal_actions()
        action = spoiler.choose(state, stream)
        if legal != [game.num_actions - 1]:
            table, deck = (named(game, cards_at(state.array, at)) for at in (ON_TABLE, IN_DECK))
            other = naive.SetGame(table, **game.options)
            other.deck, left = deck, {}
            for each in legal:
                taken = set_taken(game, each)
                rest = [card for card in table if card not in (taken or ())]
                drawn = other.draws(taken)
                left[each] = naive.expected_sets(rest, deck, drawn)
                fewer = naive.expected_sets(table, deck, drawn) - left[each]
                kernel = preferences.sets_spoiled(game.board, state.array, each)
                assert kernel == pytest.approx(fewer, abs=1e-12)
            assert left[action] == pytest.approx(min(left.values()))
        state.play(action)


@pytest.mark.parametrize("order", ["5", "0", "1-1", "x", "1-", -1])
def test_an_order_that_is_none_is_refused(order):
    with pytest.raises(TournamentError, match="each once and joined by -, such as 4-3-2-1"):
        players.make(f"taker:order={order}", make())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("set:cards=2", "cards=2 given; a value from 3 to 81 is expected"),
        ("set:dimensions=5", "dimensions=5 given; a value from 2 to 4 is expected"),
        ("set:dimensions=2", "cards=12 given; with dimensions=2 there are 9 cards"),
        ("set:cards=x", "cards='x' given; a whole number is expected"),
        ("set:sets=1", "unknown option of set 'sets'"),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_a_line(spec, words, capsys):
    assert main(["players", spec]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
