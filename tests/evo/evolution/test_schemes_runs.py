"""Whole runs under schemes: rounds, archives, points by the score, resuming, refusing."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_checks import snapshot_bytes

import evo
from cluster import Entrants, LocalEvaluator
from evo.cli.main import main
from evo.config import config as configuration
from evo.config.toml import as_toml
from evo.population import ARCHIVE
from results import open_run
from tournaments import TournamentError, schemes
from tournaments.arena.outcomes import Played
from tournaments.errors import ConfigError
from tournaments.schedules.base import Matches

FIELD: dict[str, dict[str, Any]] = {
    "random-opponents": {"opponents": 4},
    "single-elimination": {},
    "swiss": {"rounds": 3},
    "hall-of-fame": {"current": 3, "veterans": 2, "kept": 3},
    "competitive-sharing": {"opponents": 4},
    "maxsolve": {"candidates": 4, "tests": 5, "current": 3},
    "pareto": {},
    "red-queen": {"opponents": 3, "deep": 2, "deep_matches": 2, "kept": 4},
    "generalist": {"kept": 5, "current": 2},
}
MOST_KEPT = {
    "hall-of-fame": 3,
    "competitive-sharing": 4,
    "maxsolve": 9,
    "red-queen": 4,
    "generalist": 5,
}
ROLES = "cat-and-mouse:rows=3,cols=4,cat_start=any,mouse_start=any"
IN_BOTH = [(name, "dots-and-boxes:rows=2,cols=2") for name in FIELD]
IN_BOTH += [(name, ROLES) for name in FIELD if name not in ("single-elimination", "swiss")]
both = pytest.mark.parametrize(("name", "game"), IN_BOTH)


def options(name: str, game: str) -> dict[str, Any]:
    return {
        "scheme": {"name": name, **FIELD[name]},
        "game": game,
        "population": 11,
        "generations": 6,
        "snapshot_interval": 1,
        "seed": 4,
        "learner": {"mutation_probability": 0.01},
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run under each scheme and game."""
    folder = tmp_path_factory.mktemp("whole")
    names = {(name, game): folder / f"{number}" for number, (name, game) in enumerate(IN_BOTH)}
    for (name, game), path in names.items():
        evo.run(path, options(name, game), threads=1)
    return names


def test_every_scheme_of_the_field_is_run_here():
    assert {*FIELD, "direct", "round-robin", "antibody-antigen"} == set(schemes.names())


@both
@pytest.mark.parametrize("at", [pytest.param(0, marks=pytest.mark.slow), 3])
def test_a_run_goes_on_from_any_snapshot_to_the_same_bytes(name, game, at, whole, tmp_path):
    path = tmp_path / "run"
    evo.run(path, {**options(name, game), "generations": at}, threads=1)
    evo.resume(path, generations=6, threads=2)
    expected = snapshot_bytes(whole[name, game])
    assert list(snapshot_bytes(path)) == list(expected)
    # Columns, for the number of generations stands in a snapshot as well.
    ours, theirs = open_run(path), open_run(whole[name, game])
    for generation in range(7):
        assert ours.population(generation).equals(theirs.population(generation)), generation


@both
def test_games_are_those_of_the_schemes_matches(name, game, whole):
    run = open_run(whole[name, game])
    scheme = schemes.make(name, **FIELD[name])
    sizes = (11, 11) if game == ROLES else (11,)
    most = scheme.num_matches(sizes) * (3 - len(sizes))
    games = np.diff(run.generations.groupby("generation")["games_played"].first(), prepend=0)
    last = run.population(6)
    assert last["games"].sum() == 2 * games[6]
    if name in MOST_KEPT:
        assert 0 < games[0] <= games[6] <= most
    else:
        assert games.tolist() == [most] * 7


@both
def test_an_archive_stands_beside_its_population_and_is_none(name, game, whole):
    run = open_run(whole[name, game])
    names = list(run.populations)
    assert not [one for one in names if one.endswith(ARCHIVE)]
    assert set(run.generations["population"]) == set(names)
    for generation in range(7):
        found = run.population(generation).groupby("population").size().to_dict()
        assert all(found[one] == 11 for one in names)
        kept = {one: found.get(one + ARCHIVE, 0) for one in names}
        assert all(number <= MOST_KEPT.get(name, 0) for number in kept.values())
        if name in MOST_KEPT and generation >= 4:
            assert all(kept.values())
        assert run.population(generation)["id"].is_unique


@pytest.mark.parametrize("name", MOST_KEPT)
def test_who_is_kept_was_an_individual_and_stays_as_it_was(name, whole):
    run = open_run(whole[name, IN_BOTH[0][1]])
    seen: dict[int, bytes] = {}
    for generation in range(7):
        table = run.population(generation)
        archived = table[table["population"].str.endswith(ARCHIVE)]
        assert all(seen[one] == genome for one, genome in archived[["id", "genome"]].to_numpy())
        seen |= dict(table[["id", "genome"]].to_numpy().tolist())


def test_each_generations_best_is_in_the_hall(whole):
    run = open_run(whole["hall-of-fame", IN_BOTH[0][1]])
    champions = []
    for generation in range(7):
        table = run.population(generation)
        hall = table.loc[table["population"] == "all" + ARCHIVE, "id"].tolist()
        assert hall == champions[-3:]
        living = table[table["population"] == "all"]
        champions.append(living["id"].iloc[int(np.argmax(living["raw_fitness"]))])


def test_a_scheme_is_named_and_set_on_the_command_line(tmp_path, capsys):
    flags = ["--scheme", "hall-of-fame", "--set", "scheme.veterans=3"]
    assert main(["config", *flags]) == 0
    assert "veterans = 3" in capsys.readouterr().out
    run = ["run", "--population", "5", "--generations", "1", "--out", str(tmp_path / "run")]
    assert main([*run, *flags]) == 2
    assert "set scheme.current=4" in capsys.readouterr().err
    roles = ["run", "--game", ROLES, "--scheme", "swiss", "--out", str(tmp_path / "run")]
    assert main(roles) == 2
    assert "take round-robin or hall-of-fame" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


class Watched(LocalEvaluator):
    """An evaluator that keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.asked: list[Matches] = []

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        self.asked.append(matches)
        return super().play(entrants, matches)


def test_each_round_has_seeds_of_its_own_and_the_first_those_of_any_scheme(tmp_path):
    evaluator = Watched()
    evo.run(tmp_path / "run", {**options(*IN_BOTH[2]), "generations": 1}, evaluator=evaluator)
    asked = [(matches.generation, matches.purpose) for matches in evaluator.asked]
    names = ["matches", "matches/round-1", "matches/round-2"]
    assert asked == [(generation, name) for generation in (0, 1) for name in names]
    assert [len(matches) for matches in evaluator.asked] == [5] * 6
    seeds = np.concatenate([matches.part(0, len(matches))[1] for matches in evaluator.asked])
    assert len(set(seeds.tolist())) == 30


# --- direct evolution against several opponents, by the score ------------------------------------


def test_a_configuration_says_what_the_options_mean_and_comes_back_from_its_text():
    table = {"name": "direct", "opponents": ["level-0", "level-1"], "score": 1.0}
    config = configuration.from_dict({"scheme": table})
    text = as_toml(config)
    assert 'opponents = ["level-0", "level-1"]' in text
    assert "# several players in place of one opponent" in text
    assert "# points for each point of an individual's score in a game, such as a box" in text
    assert configuration.from_dict(tomllib.loads(text)).scheme == config.scheme
    assert [player.name for player in config.panel] == ["level-0", "level-1"]


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ({"opponents": ["level-0", "level-7"]}, "level-7"),
        ({"matches": 10**9, "opponents": ["level-0", "level-1"]}, "matches a generation"),
    ],
)
def test_a_scheme_that_its_game_cannot_serve_is_refused_in_one_line(scheme, message):
    with pytest.raises((TournamentError, ConfigError), match=message) as refusal:
        configuration.from_dict({"scheme": {"name": "direct", **scheme}})
    assert "\n" not in str(refusal.value)


def test_a_run_against_two_opponents_by_score_goes_on_to_the_same_bytes(tmp_path: Path):
    scheme = {"name": "direct", "opponents": ["level-0", "level-1"], "matches": 3, "score": 1.0}
    options = {
        "game": "dots-and-boxes:rows=1,cols=2",
        "scheme": scheme | {"two_wins": 0.0, "one_win": 0.0},
        "population": 6,
        "snapshot_interval": 1,
    }
    run = evo.run(tmp_path / "whole", options, generations=4, threads=1)
    raw, games = run.population(4)["raw_fitness"], run.population(4)["games"]
    assert (games == 2 * 3 * 2).all()
    assert ((raw == raw.round()) & (raw <= 2 * games)).all()  # at most both boxes of each game
    assert raw.max() > 0
    evo.run(tmp_path / "parts", options, generations=2, threads=2)
    evo.resume(tmp_path / "parts", 4, threads=2)
    assert snapshot_bytes(tmp_path / "parts") == snapshot_bytes(tmp_path / "whole")
