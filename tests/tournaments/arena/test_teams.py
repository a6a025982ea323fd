"""Single players of one kind play as one population, and play what they play alone."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from cluster import LocalEvaluator
from cluster.evaluator import all_outcomes
from tournaments import games
from tournaments.arena import arena
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.teams import joined, joins
from tournaments.errors import TournamentError
from tournaments.kernels.rng import generator, match_seeds
from tournaments.player import CompiledPlayer
from tournaments.players import as_players
from tournaments.players.network import Encoding, layers_for
from tournaments.players.table import TableEncoding
from tournaments.schedules.base import Matches
from tournaments.schedules.pairs import EachPair

GAME = games.make("dots-and-boxes", rows=2, cols=2)
ENCODING = Encoding(layers_for(GAME))


def last(state, rng):
    return state.legal_actions()[-1]


def genomes(count: int) -> np.ndarray:
    """Packed genomes of networks."""
    shape = count, ENCODING.num_weights
    return ENCODING.encode(generator(1, "genomes", 0).uniform(-64.0, 64.0, shape))


def crowd() -> list:
    """Networks by their weights and by their genomes, levels, and a function."""
    weights = ENCODING.decode(genomes(5))
    kept = Genomes(ENCODING, genomes(3))
    rows = [
        CompiledPlayer(f"row {row}", kept.representation.kind, GAME, kept.parameters, row)
        for row in (2, 0)
    ]
    return [last, weights[0], "level-0", *weights[1:], *rows, "level-0"]


def entrants() -> Entrants:
    """A panel and two mixtures, so that those of one kind stand everywhere."""
    players = tuple(as_players(crowd(), GAME))
    return Entrants(GAME, players[:3], (players[3:6], players[6:]))


def all_pairs(everybody: Entrants) -> np.ndarray:
    numbers = range(-len(everybody.panel), everybody.starts[-1])
    return np.array([(a, b) for a in numbers for b in numbers if a < b], dtype=np.int32)


def test_players_of_one_kind_play_what_they_play_alone(monkeypatch):
    pairs = all_pairs(entrants())
    pairs = np.concatenate([pairs[(pairs != -1).all(axis=1)], [[-1, 2]]])  # -1 takes long
    seeds = match_seeds(3, "teams", 0, len(pairs))
    together = play_pairs(entrants(), pairs, seeds)
    monkeypatch.setattr("tournaments.arena.entrants.joins", id)
    np.testing.assert_array_equal(play_pairs(entrants(), pairs, seeds), together)
    assert len({outcome.tobytes() for outcome in together}) > 5  # they differ


def test_each_pair_of_kinds_is_one_call(monkeypatch):
    calls = []
    play = arena._play_compiled
    monkeypatch.setattr(
        arena, "_play_compiled", lambda *given: (calls.append(given[1:3]), play(*given))
    )
    everybody = entrants()
    pairs = all_pairs(everybody)
    play_pairs(everybody, pairs, match_seeds(3, "teams", 0, len(pairs)))
    networks, levels = -2, -3  # the groups, by their first members
    together = {(networks, networks), (levels, networks), (networks, levels), (levels, levels)}
    assert set(calls) == together
    assert len(calls) == len(together)


def test_what_was_joined_does_not_travel():
    everybody = Entrants(GAME, entrants().panel[1:])
    before = len(pickle.dumps(everybody))
    everybody.decode()
    assert len(pickle.dumps(everybody)) == before


def test_each_row_of_joined_parameters_is_its_players():
    players = [player for player in as_players(crowd(), GAME) if isinstance(player, CompiledPlayer)]
    networks = [player for player in players if player.kind.name == "network"]
    assert len({joins(player) for player in networks}) == 1
    parameters, rows = joined(networks)
    assert len(parameters.first) == len(networks) == len(set(rows))
    for player, row in zip(networks, rows, strict=True):
        for name in ("first", "later"):
            own = getattr(player.parameters, name)[player.row]
            np.testing.assert_array_equal(getattr(parameters, name)[row], own)
            assert getattr(parameters, name).ctypes.data % 64 == 0


def test_a_player_of_several_rows_keeps_them_together():
    game = games.make("fox-and-hounds")
    width = Encoding(layers_for(game)).num_weights
    weights = generator(2, "weights", 0).normal(size=(3, 2, width))
    players = as_players(list(weights), game)
    parameters, rows = joined(players)
    assert rows == [0, 2, 4]
    for player, row in zip(players, rows, strict=True):
        np.testing.assert_array_equal(parameters.first[row : row + 2], player.parameters.first)


def test_what_differs_in_more_than_a_row_plays_apart():
    real = generator(1, "real", 0).normal(size=ENCODING.num_weights)
    on_grid = ENCODING.decode(genomes(1))[0]
    players = as_players([real, on_grid, "level-0", "level-1"], GAME)
    assert len({joins(player) for player in players}) == len(players)


def test_a_player_of_one_role_is_named_where_it_holds_the_other():
    game = games.make("cat-and-mouse", rows=3, cols=3)
    tables = []
    for seat in (0, 0, 1):
        encoding = TableEncoding(game, "position-table", (seat,))
        (genome,) = encoding.random(1, generator(3, "tables", len(tables)))
        tables.append(encoding.player(game, [genome.tobytes()], f"table {len(tables)}"))
    everybody = Entrants(game, tuple(tables))
    pairs = np.array([[-1, -3], [-1, -2]], dtype=np.int32)
    with pytest.raises(TournamentError, match="player 'table 1' plays the cat only"):
        play_pairs(everybody, pairs, np.arange(2, dtype=np.uint64), 1)


def test_threads_play_the_same():
    everybody = Entrants(GAME, (), (entrants().singles[1:],))
    matches = Matches(EachPair(len(everybody.populations[0])), 1, "teams")
    evaluators = [LocalEvaluator(threads, chunk=5) for threads in (1, 2)]
    alone, two = (all_outcomes(evaluator, everybody, matches) for evaluator in evaluators)
    np.testing.assert_array_equal(alone, two)
    for evaluator in evaluators:
        evaluator.close()
