"""Streams: stateless, the same in both forms, and evenly spread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.naive.siphash import siphash
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import (
    FEW_MATCHES,
    Stream,
    below,
    draw,
    fill_seeds,
    generator,
    keyed_seeds,
    match_seeds,
    one_way,
    opening_seed,
    seed_game,
    seeds_of,
    stream_key,
)

SEEDS = st.integers(0, 2**64 - 1)


WORDS = st.integers(0, 2**56 - 1)


@kernel
def draw_many(streams, match_seed, game, limits, drawn, chosen, openings):
    openings[0] = seed_game(streams, match_seed, game)
    for seat in range(2):
        for index in range(limits.size):
            drawn[seat, index] = draw(streams[seat])
            chosen[seat, index] = below(streams[seat], limits[index])


def test_siphash_gives_the_published_numbers():
    """Outputs of the reference implementation for messages 00, 01, 02 ... of 7 and 15 bytes."""
    key = bytes(range(16))
    assert siphash(key, bytes(range(7))) == 0xAB0200F58B01D137
    assert siphash(key, bytes(range(15))) == 0xA129CA6149BE45E5


@given(key=st.tuples(SEEDS, SEEDS), numbers=st.lists(WORDS, min_size=1, max_size=5))
def test_one_way_is_siphash_in_each_of_its_forms(key, numbers):
    as_bytes = b"".join(word.to_bytes(8, "little") for word in key)
    expected = [siphash(as_bytes, number.to_bytes(7, "little")) for number in numbers]
    assert [one_way(*key, number) for number in numbers] == expected
    keys, of_array = np.array([key], dtype=np.uint64), np.array(numbers, dtype=np.uint64)
    assert keyed_seeds(keys, of_array).tolist() == expected
    seeds = np.zeros_like(of_array)
    build(fill_seeds)(keys, of_array, seeds)
    assert seeds.tolist() == expected


def test_many_seeds_are_those_of_few():
    keys = np.array([stream_key(1, str(number)) for number in range(3 * FEW_MATCHES)])
    numbers = np.arange(len(keys))
    one_by_one = np.concatenate([keyed_seeds(keys[n : n + 1], numbers[n : n + 1]) for n in numbers])
    assert np.array_equal(keyed_seeds(keys, numbers), one_by_one)


def test_splitmix64_gives_the_published_numbers():
    """The first outputs for seed 1234567 of the authors' reference implementation."""
    stream = Stream(1234567)
    expected = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert [stream.draw() for _ in expected] == expected


@given(seed=SEEDS, game=st.integers(0, 9), limits=st.lists(st.integers(1, 2**31 - 1), min_size=1))
def test_compiled_and_readable_streams_agree(seed, game, limits):
    streams, opening = np.zeros((2, 1), dtype=np.uint64), np.zeros(1, dtype=np.uint64)
    drawn = np.zeros((2, len(limits)), dtype=np.uint64)
    chosen = np.zeros((2, len(limits)), dtype=np.int64)
    build(draw_many)(streams, np.uint64(seed), game, np.array(limits), drawn, chosen, opening)
    assert opening[0] == opening_seed(seed, game)
    for seat in range(2):
        stream = Stream.for_seat(seed, game, seat)
        for index, limit in enumerate(limits):
            assert stream.draw() == drawn[seat, index]
            assert stream.below(limit) == chosen[seat, index] < limit
        assert stream.state[0] == streams[seat, 0]


@given(seed=SEEDS, game=st.integers(0, 9))
def test_what_is_derived_for_a_game_differs_by_purpose(seed, game):
    seats = [Stream.for_seat(seed, game, seat) for seat in range(2)]
    words = [opening_seed(seed, game), *(int(stream.state[0]) for stream in seats)]
    programs = [stream.program_seed() for stream in seats]
    assert len({*words, *programs}) == 5
    assert all(0 <= program < 2**53 for program in programs)


def test_seeds_of_programs_take_all_of_their_53_bits():
    seeds = [Stream.for_seat(seed, 0, 0).program_seed() for seed in range(200)]
    together = 0
    for seed in seeds:
        together |= seed
    assert together == 2**53 - 1


def test_small_numbers_are_evenly_spread():
    stream = Stream(1)
    for limit in (2, 3, 7, 24):
        counts = np.bincount([stream.below(limit) for _ in range(24_000)], minlength=limit)
        expected = 24_000 / limit
        # Chi-square with limit - 1 degrees of freedom: mean limit - 1, variance twice that.
        chi_square = ((counts - expected) ** 2 / expected).sum()
        assert chi_square < limit - 1 + 4 * np.sqrt(2 * limit)


def test_choice_and_random():
    stream, same = Stream(5), Stream(5)
    assert stream.choice("abc") == "abc"[same.below(3)]
    numbers = [Stream(seed).random() for seed in range(2000)]
    assert 0 <= min(numbers) < max(numbers) < 1
    assert abs(np.mean(numbers) - 0.5) < 0.03


@pytest.mark.parametrize("change", [(2, "a", 0, 0), (1, "b", 0, 0), (1, "a", 1, 0), (1, "a", 0, 1)])
def test_each_of_the_four_keys_gives_a_stream_of_its_own(change):
    numbers = generator(1, "a", 0, 0).random(4)
    assert np.array_equal(numbers, generator(1, "a", 0, 0).random(4))
    assert not np.intersect1d(numbers, generator(*change).random(4)).size


def test_keys_that_read_alike_when_joined_are_kept_apart():
    assert generator(1, "a", 1, 23).random() != generator(1, "a", 12, 3).random()
    assert generator(11, "a").random() != generator(1, "1/a").random()


@given(seed=st.integers(0, 2**63), first=st.integers(0, 1000), count=st.integers(0, 50))
def test_the_seed_of_a_match_depends_on_its_own_number_alone(seed, first, count):
    whole = match_seeds(seed, "games", 3, first + count)
    numbers = np.arange(first, first + count)
    assert np.array_equal(whole[first:], seeds_of(seed, "games", 3, numbers))
    assert whole.dtype == np.uint64


def test_match_seeds_differ_between_matches_generations_purposes_and_seeds():
    drawn = [
        match_seeds(seed, purpose, generation, 500)
        for seed in (0, 1)
        for purpose in ("a", "b")
        for generation in (0, 1)
    ]
    assert len(np.unique(np.concatenate(drawn))) == 8 * 500


def test_the_global_generators_are_left_alone():
    np.random.seed(3)
    expected = np.random.random(3)
    np.random.seed(3)
    generator(1, "a").random(10)
    match_seeds(1, "a", 0, 10)
    Stream(1).draw()
    assert np.array_equal(np.random.random(3), expected)


@given(seed=st.integers(0, 2**63 - 1), generation=st.integers(0, 10**6), index=st.integers(0, 99))
def test_a_generator_is_philox_with_the_key_of_what_it_is_for(seed, generation, index):
    key = stream_key(seed, "a", generation, index).astype(np.uint64)
    expected = np.random.Generator(np.random.Philox(key=key))
    drawn = generator(seed, "a", generation, index)
    assert np.array_equal(drawn.integers(2**63, size=9), expected.integers(2**63, size=9))
    assert np.array_equal(drawn.random(5), expected.random(5))
