"""Net points a round of mind readers in karate, and of mind readers that evolved.

P. Berkes, "My AI reads your mind" (2011), three articles. People are scripted: see ``PEOPLE``, and
:func:`persons`, who share a bias and are otherwise each their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.claims import Finding, read_toml, verdict_on
from evo.studies.intervals import CONFIDENCE, Interval, mean_interval
from evo.studies.play import evolve, play_two
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, QuickSettings, runs_setting, setting
from results.folder.files import make_folder, write_json
from tournaments import games, players
from tournaments.game import Game
from tournaments.kernels.rng import generator, match_seeds
from tournaments.player import Player
from tournaments.repeated.counts import moves_against, written
from tournaments.repeated.exact import loss_to_best_response, machine_of
from tournaments.repeated.machines import machine_player, memory_one
from tournaments.repeated.markov import LEVEL, NAMES, NET, ORDER, numbers_of

_DATA = read_toml(__package__, "study.toml")
PEOPLE, READERS, PRIORS, WORLDS = (
    _DATA[name] for name in ("people", "readers", "priors", "worlds")
)
ROUNDS = {"short": 20, "long": 400}
"""Rounds of a game in which little can be learned, and of one in which much can."""
BETAS = ("0.05", "0.1", "0.2", "0.5", "1", "best")


@dataclass(frozen=True)
class KarateSettings(QuickSettings):
    """Options of the study.

    Attributes:
        quick: few games, and evolution for a few generations: some seconds
        games: games of each pair of players
        persons: people of a community whose games a prior is learnt from; as many others play
            against the player with the prior
        communities: communities of people
        seeds: runs of evolution
        generations: generations of a run
        population: individuals of a run
        rounds: rounds of a game, except where orders and priors are compared in short and long
            games
        seed: seed of games and runs
    """

    games: int = setting(2000, quick=20)
    persons: int = setting(15, quick=3)
    communities: int = setting(40, quick=2)
    seeds: int = setting(12, quick=1)
    generations: int = setting(100, quick=3)
    population: int = setting(40, low=4, high=1000)
    rounds: int = setting(100, low=1, high=3276)
    seed: int = setting(1, low=0, high=2**62)
    runs: str = runs_setting("reproduced/karate/runs")


def karate(rounds: int) -> Game:
    """Return the game of karate with a number of rounds."""
    return games.make("karate", rounds=rounds)


def leads(game: Game, a: Player, b: Player, number: int, seed: int) -> np.ndarray:
    """Return the net points a round of player a against player b in each match of karate.

    The result is float64 ``[number // 2]``; a match is two games.
    """
    seeds = match_seeds(seed, "karate study", 0, max(1, number // 2))
    scores = play_two(game, (a, b), seeds, 2)
    of_a = (scores[..., 0] - scores[..., 1]).sum(axis=1)
    return of_a / (2 * int(game.options["rounds"]))


def leads_over(
    settings: KarateSettings, rounds: int, reader: str, others: Iterable[str]
) -> list[np.ndarray]:
    """Return the net points a round of a mind reader against each other player, match by match.

    Players are given by name; see :func:`leads`.
    """
    game = karate(rounds)
    made, number, seed = players.make(reader, game), settings.games, settings.seed
    return [leads(game, made, players.make(other, game), number, seed) for other in others]


def row_of(label: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table on a player: the mean of each column, and half its interval.

    Args:
        label: name of the player.
        columns: values of each column, by its name.
    """
    row: dict[str, Any] = {"player": label}
    for name, values in columns.items():
        interval = mean_interval(values)
        reach = interval.reach if len(values) > 1 else math.inf
        row |= {name: interval.middle, f"{name}_error": reach}
    return row


# --- the stage -----------------------------------------------------------------------------------


def measure_stage(settings: KarateSettings, announce: Announce) -> dict[str, Any]:
    """Compute expected scores of moves of karate, the equilibrium, and each player's losses.

    The loss is that of a player to its best response.
    """
    announce("expected scores, the equilibrium, best responses")
    game = karate(settings.rounds)
    assert game.rules.stage is not None
    payoffs, moves = game.rules.stage.payoffs(game.board), game.rules.stage.moves
    scores = [float(math.fsum(row) / len(moves)) for row in payoffs]
    mix = machine_of(players.make("equilibrium", game)).chances[0].tolist()
    people = {**PEOPLE, "random": "biased:weights=1+1+1+1", "equilibrium": "equilibrium"}
    losses = [{"player": label, "loss": _loss(game, spec)} for label, spec in people.items()]
    return {
        "moves": list(moves),
        "scores": scores,
        "equilibrium": mix,
        "blocks": _blocks_until_a_punch(payoffs),
        "losses": losses,
    }


def _loss(game: Game, spec: str) -> float:
    """Return the net points a round that a player of karate loses to its best response.

    ``spec`` is the name of a player that is a finite-state machine.
    """
    loss = loss_to_best_response(game, machine_of(players.make(spec, game)))
    return loss / int(game.options["rounds"])


def _blocks_until_a_punch(payoffs: np.ndarray) -> int:
    """Return how many kick blocks of the opponent in a row make a punch the best move.

    The player counts the moves so far, each from 1.
    """
    for blocks in range(100):
        expected = np.ones(4) + blocks * (np.arange(4) == 3)
        if int((payoffs * expected).sum(axis=1).argmax()) == 0:
            return blocks
    return 100


# --- orders, probability matching, levels ---------------------------------------------------------


def measure_orders(settings: KarateSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield net points a round of each order of mind reader against people.

    The games of karate are short or long.
    """
    options = {str(order): f"order={order}" for order in range(5)}
    for label, given in {**options, "4 with data": "order=4,threshold=4"}.items():
        announce(f"order {label} against people")
        columns: dict[str, np.ndarray] = {}
        for name, rounds in ROUNDS.items():
            reader = f"markov:beta=best,net=1,{given}"
            people = leads_over(settings, rounds, reader, PEOPLE.values())
            columns |= {name: np.mean(people, axis=0), f"{name}_eight": people[-1]}
        yield row_of(label, columns)


def measure_betas(settings: KarateSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield net points a round of mind readers by beta, against people and against readers."""
    others = [PEOPLE["biased"], PEOPLE["cycle of four"], *READERS.values()]
    for beta in BETAS:
        announce(f"beta {beta} against people and readers")
        met = leads_over(settings, settings.rounds, f"markov:beta={beta}", others)
        readers = {f"reader_{place}": each for place, each in enumerate(met[2:])}
        yield row_of(beta, {"people": np.mean(met[:2], axis=0), **readers})


def measure_levels(settings: KarateSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield net points a round of mind readers by level (row) against each level (column)."""
    levels = [f"markov:level={level}" for level in range(4)]
    for level, reader in enumerate(levels):
        announce(f"level {level} against all levels")
        met = leads_over(settings, settings.rounds, reader, levels)
        yield row_of(f"level {level}", {f"level_{other}": each for other, each in enumerate(met)})


# --- priors --------------------------------------------------------------------------------------


def persons(game: Game, number: int, what: str, seed: int, community: int) -> list[Player]:
    """Return scripted players of karate that model the people of a community.

    The move of a player depends on its own last move. The probabilities of its moves are the mean
    of probabilities that the community shares and probabilities of its own.

    Args:
        game: karate.
        number: number of players.
        what: name of the random stream.
        seed: seed of the study.
        community: number of the community.
    """
    common = generator(seed, "karate, what people share", community).dirichlet(np.ones(4), 5)
    made: list[Player] = []
    for index in range(number):
        own = generator(seed, f"karate, {what}", community, index).dirichlet(np.ones(4), 5)
        chances = 0.5 * common + 0.5 * own
        machine = memory_one(chances[0].tolist(), np.repeat(chances[1:, None], 4, axis=1))
        made.append(machine_player(game, machine, f"person {index}", machine_player, {}))
    return made


def measure_priors(settings: KarateSettings, announce: Announce) -> list[dict[str, Any]]:
    """Measure mind readers with each prior against new people, a value per community.

    The values are net points a round.
    """
    values: dict[str, dict[str, list[float]]] = {
        prior: {name: [] for name in ROUNDS} for prior in PRIORS
    }
    for community in range(settings.communities):
        announce(f"a prior learnt from people, for others like them: community {community + 1}")
        file = _counted(settings, community)
        for (prior, given), (name, rounds) in product(PRIORS.items(), ROUNDS.items()):
            reader = f"markov:beta=best,net=1,{given.format(file=file)}"
            values[prior][name].append(_mean_lead(settings, community, rounds, reader))
    return [
        {**row_of(prior, columns), "values": columns["short"]} for prior, columns in values.items()
    ]


def _counted(settings: KarateSettings, community: int) -> Path:
    """Write a file of how often people of a community made each move in a game of karate.

    Returns:
        The path of the file.
    """
    game, number = karate(settings.rounds), settings.persons
    other = players.make("markov", game)
    seeds = match_seeds(settings.seed, "karate teachers", community, number)
    teachers = persons(game, number, "teachers", settings.seed, community)
    courses = [
        moves_against(game, person, other, int(seed))
        for person, seed in zip(teachers, seeds, strict=True)
    ]
    make_folder(Path(settings.runs))
    file = Path(settings.runs) / f"counts-{community}.json"
    write_json(file, written(game, courses))
    return file


def _mean_lead(settings: KarateSettings, community: int, rounds: int, reader: str) -> float:
    """Return the mean net points a round of a mind reader against new people of a community."""
    game, number = karate(rounds), settings.persons
    made = players.make(reader, game)
    seeds = match_seeds(settings.seed, "karate pupils", community, number)
    people = persons(game, number, "pupils", settings.seed, community)
    means = [
        float(leads(game, made, person, 20, int(seed)).mean())
        for person, seed in zip(people, seeds, strict=True)
    ]
    return math.fsum(means) / number


# --- evolution -----------------------------------------------------------------------------------


def measure_evolution(settings: KarateSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Evolve mind readers in each world of opponents; yield their genes at first and in the end.

    There is a row per world and time.
    """
    for world in WORLDS:
        groups: dict[str, list[np.ndarray]] = {"first": [], "last": []}
        for seed in range(1, settings.seeds + 1):
            announce(f"evolution against {world}, seed {seed}")
            held = evolve(
                __package__,
                settings,
                f"{world.replace(' ', '-')}-{seed}",
                game=f"karate:rounds={settings.rounds}",
                snapshot_interval=settings.generations,
                scheme=WORLDS[world],
                seed=settings.seed * 1000 + seed,
            )
            for group, number in zip(groups.values(), (0, settings.generations), strict=True):
                genomes = held.population(number)["genome"]
                group.append(numbers_of(np.array([np.frombuffer(each, "<f4") for each in genomes])))
        for time, group in groups.items():
            yield {"world": world, "time": time, **_shares(group)}


def _shares(groups: list[np.ndarray]) -> dict[str, Any]:
    """Return shares of orders and levels, and medians of the other genes, of evolved readers.

    ``groups`` are the genes of each population.
    """
    numbers = np.concatenate(groups)
    shares: dict[str, Any] = {
        f"{name}_{value}": float((numbers[:, place] == value).mean())
        for name, place, most in (("order", ORDER, 4), ("level", LEVEL, 3))
        for value in range(most + 1)
    }
    for place in range(ORDER, NET + 1):
        if place not in (ORDER, LEVEL):
            low, middle, high = np.quantile(numbers[:, place], [0.25, 0.5, 0.75]).tolist()
            shares |= {NAMES[place]: middle, f"{NAMES[place]}_low": low}
            shares[f"{NAMES[place]}_high"] = high
    shares["by_seed"] = [
        {name: float(np.median(group[:, place])) for place, name in enumerate(NAMES)}
        for group in groups
    ]
    return shares


# --- claims --------------------------------------------------------------------------------------


def first_kick(evidence: Evidence) -> Finding:
    """Judge whether the kick has the greatest expected score of the moves of karate."""
    stage = evidence.record["stage"]
    ranked = sorted(zip(stage["scores"], stage["moves"], strict=True), reverse=True)
    (best, move), (second, _) = ranked[:2]
    found = f"{move} has {best:g} points, the next best move {second:g}"
    return Finding(found, verdict_on(move == "kick" and best > second))


def _row(evidence: Evidence, table: str, player: str) -> Mapping[str, Any]:
    return next(row for row in evidence.record[table] if row["player"] == player)


def _within(middle: float, reach: float) -> Interval:
    return Interval(middle, middle - reach, middle + reach, CONFIDENCE)


def gap(evidence: Evidence, table: str, more: str, less: str, column: str) -> Interval:
    """Return by how much player ``more`` has more points than player ``less`` in a table.

    The interval of the result comes of the errors of both.
    """
    one, other = (_row(evidence, table, player) for player in (more, less))
    reach = float(np.hypot(one[f"{column}_error"], other[f"{column}_error"]))
    return _within(one[column] - other[column], reach)


def gain_of_prior(evidence: Evidence, more: str, less: str) -> Interval:
    """Return by how much a mind reader earns more with one prior than with another.

    The interval of the result comes of the differences by community.
    """
    one, other = (_row(evidence, "priors", prior)["values"] for prior in (more, less))
    return mean_interval(np.subtract(one, other))


def gains_of_levels(evidence: Evidence) -> dict[str, Interval]:
    """Return the net points that each level of mind reader wins against the level below it."""
    rows = evidence.record["levels"]
    return {
        f"level {level}": _within(rows[level][column], rows[level][f"{column}_error"])
        for level, column in enumerate(("level_0", "level_1", "level_2"), start=1)
    }


# --- the study -----------------------------------------------------------------------------------


def measure(settings: KarateSettings, announce: Announce) -> Evidence:
    """Measure all parts of the study of karate."""
    record = {
        "stage": measure_stage(settings, announce),
        "orders": list(measure_orders(settings, announce)),
        "betas": list(measure_betas(settings, announce)),
        "levels": list(measure_levels(settings, announce)),
        "priors": measure_priors(settings, announce),
        "evolved": list(measure_evolution(settings, announce)),
    }
    return Evidence(record, tables={name: record[name] for name in ("orders", "betas", "levels")})


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page: the equilibrium of karate, and the most frequent evolved genes."""
    stage = evidence.record["stage"]
    mix = zip(stage["moves"], stage["equilibrium"], strict=True)
    survivors = [
        {**row, **_most_common(row, "order", 5), **_most_common(row, "level", 4)}
        for row in evidence.record["evolved"]
        if row["time"] == "last"
    ]
    return {
        "equilibrium": ", ".join(f"{move} {share:.0%}" for move, share in mix),
        "survivors": survivors,
    }


def _most_common(row: Mapping[str, Any], name: str, count: int) -> dict[str, Any]:
    most = max(range(count), key=lambda value: row[f"{name}_{value}"])
    return {name: most, f"{name}_share": row[f"{name}_{most}"]}


REPORT = StudyReport(__package__, KarateSettings, measure, texts)
