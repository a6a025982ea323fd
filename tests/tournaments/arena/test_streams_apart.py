"""A random stream tells a player nothing but its own draws, and cannot harm its opponent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from games_with_secrets import PLACES, RACE, start_race
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments import games, play_matches, players
from tournaments.arena.clock import Timekeeper
from tournaments.arena.match import fill_row, play_game
from tournaments.contract import ContractError
from tournaments.contract.laws import keeps_its_seed
from tournaments.errors import PlayerFault
from tournaments.game import Game
from tournaments.kernels.chance import STREAM_SIZE, read_stream
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import (
    GAMMA,
    MASK,
    PROGRAM,
    Stream,
    match_seeds,
    one_way,
    opening_seed,
    stream_key,
)

REACH = 40
"""Draws before and after its own that a cheat looks at."""


def drawn_around(stream: Stream) -> Iterator[tuple[int, Stream]]:
    """Every number that the stream draws around this point, and every stream at such a point."""
    own = int(stream.state[0])
    for step in range(-REACH, REACH + 1):
        state = (own + step * int(GAMMA)) & MASK
        yield Stream(state).draw(), Stream(state)


# --- a player may do to its stream whatever it likes ---------------------------------------------


def rewind(rng: Stream) -> None:
    rng.state[0] = (int(rng.state[0]) - int(GAMMA)) & MASK


def overwrite(rng: Stream) -> None:
    rng.state[:] = 12345


def replace_by_text(rng: Stream) -> None:
    rng.state = "mine"  # type: ignore[assignment]


def draw_many(rng: Stream) -> None:
    for _ in range(1000):
        rng.draw()


def delete(rng: Stream) -> None:
    rng.__dict__.clear()


HARM: tuple[Callable[[Stream], None], ...] = (rewind, overwrite, replace_by_text, draw_many, delete)


class Harmful:
    """Plays by the number of the ply, and spoils its stream."""

    def __init__(self, harm: Callable[[Stream], None] | None) -> None:
        self.name, self.harm = "harmful", harm

    def choose(self, state, rng):
        legal = state.legal_actions()
        if self.harm is not None:
            self.harm(rng)
        return legal[int(state.array.sum()) % len(legal)]


def course(game: Game, harm, seat: int, seed: int) -> list[tuple[bytes, int]]:
    sides = [Harmful(harm), players.make("random", game)]
    played = play_game(game, *sides, seed, seat)
    return [(state.array.tobytes(), action) for state, _, action in played]


@pytest.mark.parametrize("spec", ["set", "karate:rounds=5", "cat-trap:size=5", "dots-and-boxes"])
@given(seed=st.integers(0, 2**64 - 1), harm=st.sampled_from(HARM), seat=st.integers(0, 1))
@settings(max_examples=6)
def test_what_a_player_does_to_its_stream_changes_nothing_else(spec, seed, harm, seat):
    game = games.parse(spec)
    assert course(game, harm, seat, seed) == course(game, None, seat, seed)


class Breaking:
    """Draws, once its stream is gone."""

    name = "breaking"

    def choose(self, state, rng):
        delete(rng)
        return rng.choice(state.legal_actions())


@pytest.mark.parametrize("number", [0, 1])
def test_a_player_that_breaks_its_stream_commits_the_fault_itself(number):
    game = games.make("karate", rounds=4)
    sides = Breaking(), players.make("equilibrium", game)
    with pytest.raises(PlayerFault, match="AttributeError") as caught:
        fill_row(np.zeros(2, dtype=np.int16), game, sides, 5, number, Timekeeper())
    assert caught.value.seat == number


# --- cheats --------------------------------------------------------------------------------------


class MindReader:
    """Runs its stream backwards and forwards to predict a random opponent of karate."""

    name = "mind-reader"

    def __init__(self, game: Game, step: int) -> None:
        self.equilibrium, self.step = players.make("equilibrium", game), step

    def choose(self, state, rng):
        guess = Stream((int(rng.state[0]) + self.step * int(GAMMA)) & MASK)
        rng.draw()  # keeps in step with the opponent, which draws once a round
        punch, kick, block_punch, block_kick = range(4)
        best = {punch: block_punch, kick: block_kick, block_punch: kick, block_kick: punch}
        return best[self.equilibrium.choose(state, guess)]


@pytest.mark.parametrize("step", [-2, -1, 0, 1, 2])
def test_nobody_reads_the_mind_of_the_equilibrium_of_karate(step):
    """All but the equilibrium's own moves score 0 on average; a mind reader won every game."""
    game = games.make("karate", rounds=20)
    result = play_matches(game, MindReader(game, step), "equilibrium", matches=60, seed=3)
    assert 0.25 < result.win_rate < 0.7


@pytest.mark.parametrize("spec", ["set", "capture-the-flag:maze=small"])
def test_no_stream_tells_the_deck_or_an_unseen_enemy(spec):
    """The deck of Set was known in each of 720 tables, an unseen enemy in 95% of plies."""
    game, found = games.parse(spec), Counter()
    for seed in match_seeds(1, "cheats", 0, 20).tolist():
        start = game.start(opening_seed(seed, 0))
        for seat in range(2):
            for number, stream in drawn_around(Stream.for_seat(seed, 0, seat)):
                for guess in (number, int(stream.state[0])):
                    found["opening"] += game.start(guess) == start
                    found["chance"] += guess | 1 == int(read_stream(start.array))
    assert not +found


def test_a_stream_is_not_a_part_of_another_one():
    for seed in match_seeds(2, "cheats", 0, 50).tolist():
        streams = [Stream.for_seat(seed, game, seat) for game in range(2) for seat in range(2)]
        around = [{stream.state[0] for _, stream in drawn_around(each)} for each in streams]
        assert not any(a & b for a, b in pairwise(around))


# --- who tries all keys --------------------------------------------------------------------------


def first_key(key: int, own: int, most: int) -> int | None:
    """The run seed below ``most`` whose first match gives a seat this stream, if any."""
    for seed in range(most):
        match = int(match_seeds(seed, "play_matches", 0, 1)[0])
        if int(Stream.for_seat(match, 0, 0).state[0]) == own:
            return seed
    return None


@pytest.mark.parametrize(("key", "found"), [(321, 321), (2**127 + 321, None)])
def test_a_small_seed_is_found_by_trying_and_a_secret_key_is_not(key, found):
    match = int(match_seeds(key, "play_matches", 0, 1)[0])
    own = int(Stream.for_seat(match, 0, 0).state[0])
    assert first_key(key, own, 1000) == found


@kernel
def count_states(first, last, wanted, hits):
    """Count the streams whose program gets the seed that is wanted."""
    for state in range(first, last):
        word = one_way(np.uint64(state), np.uint64(0), np.uint64(PROGRAM)) >> np.uint64(11)
        hits[0] += word == wanted


@pytest.mark.parametrize("bits", [20, pytest.param(32, marks=pytest.mark.slow)])
def test_a_program_does_not_find_its_stream_among_all_of_so_many_bits(bits):
    hits = np.zeros(1, dtype=np.int64)
    for number, key in enumerate((17, int(stream_key(2**127 + 1, "secret")[0]))):
        match = int(match_seeds(key, "play_matches", 0, 1)[0])
        stream = Stream(99) if number == 0 else Stream.for_seat(match, 0, 0)
        hits[0] = 0
        build(count_states)(0, 2**bits, np.uint64(stream.program_seed()), hits)
        assert hits[0] == (number == 0)  # a stream of few bits is found; one of a game is not


# --- the law of check_game -----------------------------------------------------------------------


@kernel
def start_and_show_the_seed(board, state, seed):
    start_race(board, state, seed)
    for place in range(STREAM_SIZE):
        state[PLACES + 2 + place] = np.int16(seed >> np.uint64(16 * place))


@kernel
def start_and_show_half_of_the_seed(board, state, seed):
    start_race(board, state, seed)
    state[PLACES + 2] = np.int16(seed)
    state[PLACES + 3] = np.int16(seed >> np.uint64(16))


def test_a_game_that_shows_its_seed_is_refused():
    size = PLACES + 2 + STREAM_SIZE
    telling = replace(RACE, start=start_and_show_the_seed, state_size=lambda board: size)
    with pytest.raises(ContractError, match="can compute the opening"):
        keeps_its_seed(Game(telling, {}), 0)
    careful = replace(telling, start=start_and_show_half_of_the_seed)
    keeps_its_seed(Game(careful, {}), 0)


def test_a_law_by_which_seats_share_a_stream_is_refused(monkeypatch):
    shared = classmethod(lambda cls, seed, game, seat: cls(opening_seed(seed, game)))
    monkeypatch.setattr(Stream, "for_seat", shared)
    with pytest.raises(ContractError, match="can compute the opening"):
        keeps_its_seed(games.make("nim"), 0)
