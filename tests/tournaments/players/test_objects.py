"""Functions, objects, classes and arrays as players: names, identities, errors."""

from __future__ import annotations

import pickle
import random
from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import tournaments
from tournaments import games, players
from tournaments.arena.match import play_game
from tournaments.errors import PlayerFault, TournamentError
from tournaments.game import State
from tournaments.kernels.rng import match_seeds
from tournaments.player import identity
from tournaments.players.objects import digest_of

GAME = games.make("tic-tac-toe")


def first(state, rng):
    return state.legal_actions()[0]


def last(state, rng):
    return state.legal_actions()[-1]


def weighted(weights, state, rng):
    return max(state.legal_actions(), key=lambda action: weights[action])


class Anybody:
    def choose(self, state, rng):
        return rng.choice(state.legal_actions())


class Named(Anybody):
    name = "a-name"

    def __init__(self, game, depth=2):
        self.num_actions, self.depth = game.num_actions, depth


class Following(Anybody):
    """Sits at a seat, and plays what was played before plus one."""

    def sit(self, state, seat):
        return Followed()


class Followed:
    name = "nobody asks for it"
    before = -1

    def choose(self, state, rng):
        return min(state.legal_actions(), key=lambda action: abs(action - self.before - 1))

    def watch(self, state, action):
        self.before = action


class TakesTwo:
    def __init__(self, depth, width):
        pass


@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (first, "first"),
        (lambda state, rng: min(state.legal_actions()), "lambda"),
        (partial(weighted, np.zeros(9)), "weighted"),
        (Anybody(), "Anybody"),
        (Anybody, "Anybody"),
        (Named, "a-name"),
        (Named(GAME), "a-name"),
        (Anybody().choose, "choose"),
        ("random", "random"),
    ],
)
def test_what_can_choose_is_a_player_under_its_name_or_a_given_one(thing, name):
    player = players.as_player(thing, GAME)
    assert player.name == name
    assert players.as_player(player, GAME) is player
    assert players.as_player(thing, GAME, "another").name == "another"
    assert tournaments.play_matches(GAME, thing, first, 2).games == 4


def test_an_array_is_the_weights_of_a_network():
    game = games.make("dots-and-boxes", rows=1, cols=1)
    weights = np.linspace(-1.0, 1.0, 4 * 2 + 2 + 2 * 4 + 4)
    made = players.make("network", game, weights=weights, hidden=2)
    with pytest.raises(TournamentError, match="weights given"):
        players.as_player(weights, game)  # of hidden layers that are not the game's own
    assert players.as_player(made, game) is made


def test_a_function_plays_what_an_object_of_the_same_choice_plays():
    played = tournaments.play_matches(GAME, first, "random", 5, seed=3)
    by_object = tournaments.play_matches(GAME, partial(weighted, -np.arange(9)), "random", 5, 3)
    assert np.array_equal(played.outcomes, by_object.outcomes)


def test_an_object_that_follows_a_game_sits_down_to_each():
    player = players.as_player(Following(), GAME)
    against_first = tournaments.play_matches(GAME, first, player, 1).outcomes
    assert player.sit(GAME.start(), 0).name == "Following"
    assert np.array_equal(against_first, tournaments.play_matches(GAME, first, player, 1).outcomes)


def test_no_two_objects_have_one_name_and_what_is_named_keeps_its_own():
    named = players.as_players([first, first, "random", Anybody(), Anybody, "random"], GAME)
    assert [player.name for player in named] == [
        *("first", "first-2", "random", "Anybody", "Anybody-2", "random")
    ]


def made_by(action):
    return lambda state, rng: action


def test_identity_is_what_a_function_does_and_holds_and_not_its_name():
    def of(thing, name=""):
        return identity(players.as_player(thing, GAME, name))

    assert of(first) == of(first, "another") != of(last)
    assert of(partial(weighted, np.zeros(3))) == of(partial(weighted, np.zeros(3)))
    assert of(partial(weighted, np.zeros(3))) != of(partial(weighted, np.ones(3)))
    assert of(made_by(1)) == of(made_by(1)) != of(made_by(2))
    assert of(Named(GAME, 2)) == of(Named(GAME)) != of(Named(GAME, 3))
    assert of(lambda state, rng: 0) != of(lambda state, rng: 1)
    assert of("random") == identity(players.make("random", GAME))


class Unready(Anybody):
    def __init__(self):
        raise OSError("no weights")


class Holding(Anybody):
    def __init__(self, held):
        self.held = held


@dataclass(slots=True)
class InSlots:
    held: int


@pytest.mark.parametrize(
    "made",
    [
        lambda number: {number},
        lambda number: frozenset({"a", str(number)}),
        lambda number: deque([number]),
        InSlots,
        lambda number: Path(f"weights-{number}.npy"),
        lambda number: [partial(weighted, [0, each]) for each in (1, 2, 3, 4, number)],
    ],
)
def test_identity_is_what_an_object_holds_whatever_holds_it(made):
    def of(number):
        return digest_of(Holding(made(number)))

    assert of(1) == of(1) == digest_of(pickle.loads(pickle.dumps(Holding(made(1)))))
    assert len({of(number) for number in range(9)}) == 9


def test_where_a_random_generator_stands_is_not_what_a_player_is():
    for kind in (random.Random, np.random.default_rng):
        assert digest_of(Holding(kind(1))) == digest_of(Holding(kind(2)))


def test_identity_is_the_same_in_another_process():
    player = players.as_player(partial(weighted, np.arange(9)), GAME)
    assert identity(pickle.loads(pickle.dumps(player))) == identity(player)


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        (3, "player 3 given; a name, a file, a function"),
        (None, "player None given"),
        (lambda state: 0, r"player lambda given, whose call takes \(state\)"),
        (Anybody.choose, r"whose call takes \(self, state, rng\)"),
        (dict, "<class 'dict'> given as a player; a name, a file"),
        (
            Unready,
            r"player 'Unready': cannot be made: it raised OSError: no weights \(test_objects.py, ",
        ),
        (TakesTwo, r"class TakesTwo given as a player \(missing a required argument: 'depth'\)"),
        ("rendom", "did you mean 'random'"),
        (object, "player <object object"),
    ],
)
def test_what_cannot_choose_is_refused_in_a_line(thing, expected):
    with pytest.raises(TournamentError, match=expected) as refused:
        players.as_player(thing, GAME)
    assert "\n" not in str(refused.value)


def test_a_player_that_raises_is_named_with_the_game_and_the_seed():
    def broken(state, rng):
        return {}[state.seat_to_move]

    with pytest.raises(PlayerFault) as fault:
        tournaments.play_matches(GAME, "random", broken, 1)
    seed = int(match_seeds(0, "play_matches", 0, 1)[0])
    text = str(fault.value)
    assert text.startswith("player 'broken' raised KeyError: 1 (")
    assert text.endswith(f"(ply 1 of game 0 of the match with seed {seed}, tic-tac-toe)")
    assert "KeyError: 1" in fault.value.__notes__[0]
    assert fault.value.cause == "raised"


def test_who_remembers_nothing_is_shown_a_position_once_a_move(monkeypatch):
    seen, legal = [], []
    view, legal_actions = State.view, State.legal_actions
    monkeypatch.setattr(State, "view", lambda state, seat: seen.append(seat) or view(state, seat))
    monkeypatch.setattr(
        State, "legal_actions", lambda state: legal.append(1) or legal_actions(state)
    )
    squares = iter(range(9))
    bot = players.as_player(lambda state, rng: next(squares), GAME)
    moves = list(play_game(GAME, bot, bot, seed=1))
    assert len(seen) == len(moves) + 2  # and as each of them sits down
    assert len(legal) == len(moves)


def test_who_remembers_is_shown_every_move_but_the_last():
    watched = []

    class Watcher:
        name = "watcher"

        def sit(self, state, seat):
            return self

        def choose(self, state, rng):
            return state.legal_actions()[-1]

        def watch(self, state, action):
            watched.append((str(state), action))

    watcher = players.as_player(Watcher(), GAME)
    moves = [(str(state), action) for state, _, action in play_game(GAME, watcher, watcher, 1)]
    assert watched == [move for move in moves[:-1] for _ in range(2)]


def raising(self):
    raise RuntimeError("no idea")


@pytest.mark.parametrize("name", ["seats", "name", "limit_seconds", "identity", "choose"])
def test_an_attribute_that_raises_is_told_in_a_line(name):
    made = type("Odd", (), {"choose": lambda self, state, rng: 0, name: property(raising)})
    with pytest.raises(TournamentError, match="'Odd': cannot be made: it raised Runtime"):
        players.as_player(made(), games.make("nim"))


@pytest.mark.parametrize("seats", ["both", (), (0, 5), (1, 0), 1])
def test_seats_are_those_of_the_game(seats):
    made = type("Odd", (), {"choose": lambda self, state, rng: 0, "seats": seats})
    with pytest.raises(TournamentError, match=r"player Odd has seats=.*; those that it can play"):
        players.as_player(made, games.make("nim"))
