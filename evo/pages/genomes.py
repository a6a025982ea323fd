"""The genomes of a population as pictures: weights of networks, actions of policy tables."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from evo.config.config import Config
from evo.evaluation.players import individual
from evo.pages.blocks import Block, plain
from evo.pages.games import drawing_as_data, places_of
from results import Run
from results.format.genomes import decode_genomes, layout_of, spec_of
from results.format.islands import ALL
from tournaments.drawing.shapes import Scene
from tournaments.game import Game
from tournaments.kernels.rng import Stream
from tournaments.player import seats_of

MOST_INDIVIDUALS, MOST_NUMBERS = 200, 60_000
"""Maximum number of individuals with a picture, the fittest ones, and of the numbers of all."""
MOST_POSITIONS = 8
"""Maximum number of positions in which the choices of individuals are shown."""
TOP = 127
"""Level of the largest weight of a population; weights are shown in steps of it."""


def genomes_block(
    run: Run, population: str, config: Config, play: Callable[[], Sequence[Scene]]
) -> Block | None:
    """Return the individuals of a population of the newest snapshot with pictures of their genomes.

    A picture consists of matrices: for networks one per layer, with a row per node and a column
    per input, the threshold last. Return None if the genomes cannot be drawn.

    Args:
        run: the run.
        population: name of the population.
        config: configuration of the run.
        play: plays a game; for policy tables, choices in some of its positions are shown, too.
    """
    game = config.game
    layout = layout_of(run.layouts, population)
    shape = tuple(layout.get("shape", ()))
    size = int(np.prod(shape)) if layout.get("numbers") in ("weights", "policies") else 0
    if not 0 < size <= MOST_NUMBERS:
        return None
    most = min(MOST_INDIVIDUALS, MOST_NUMBERS // size)
    rows = run.population(name=population)
    order = np.argsort(-rows["fitness"].to_numpy(float), kind="stable")[:most]
    genomes = run.genomes(population=population)[order]
    numbers = decode_genomes(genomes, layout)
    numbers = numbers.reshape(len(order), -1)
    is_policy = layout["numbers"] == "policies"
    if is_policy:
        levels, largest = numbers, 1.0
    else:
        largest = float(np.abs(numbers).max()) or 1.0
        levels = np.rint(numbers / largest * TOP)
    layers = spec_of(run.genome, population).get("layers", ())
    parts = _parts(numbers.shape[1], layers)
    kept, whose = rows.iloc[order], "" if population == ALL else f" of {population}"
    return {
        "kind": "genomes",
        "title": f"The fittest {len(order)} of {len(rows)} individuals{whose}",
        "name": f"genomes-{population}",
        "individuals": plain(kept[["id", "raw_fitness", "parent_a", "parent_b"]].to_numpy(object)),
        "levels": base64.b64encode(levels.astype(np.int8).tobytes()).decode(),
        "largest": largest,
        "parts": parts,
        "actions": _actions(game) if is_policy else [],
        "places": _places(game, layers) if len(parts) > 1 else None,
        "choices": _choices(config, population, genomes, play()) if is_policy else None,
    }


def _choices(
    config: Config, population: str, genomes: np.ndarray, scenes: Sequence[Scene]
) -> Block | None:
    """Return the pictures of positions of a game, and where each individual moves in each.

    Return None if it is not known where actions change the picture.
    """
    plan, game = config.plan(population), config.game
    players = [individual(config, plan, each.tobytes(), population) for each in genomes]
    first: dict[bytes, int] = {}
    for number, (state, *_) in enumerate(scenes):
        if state.seat_to_move in seats_of(players[0]) and len(state.legal_actions()) > 1:
            first.setdefault(state.array.tobytes(), number)
    numbers = [*first.values()]
    numbers = numbers[:: -(-len(numbers) // MOST_POSITIONS) or 1]
    states = [scenes[number].state for number in numbers]
    places = [places_of(state, state.legal_actions()) for state in states]
    if game.rules.draw is None or not places or not all(places):
        return None
    drawing = game.rules.draw(scenes)
    picked = [drawing.frames[number] for number in numbers]
    return {
        **drawing_as_data(drawing._replace(frames=picked)),
        "titles": [scenes[number].caption[0] for number in numbers],
        "places": places,
        "chosen": [[each.choose(state, Stream(1)) for state in states] for each in players],
    }


def _parts(count: int, layers: Any) -> list[tuple[str, int, int]]:
    """Return the matrices of a genome as (name, rows, columns)."""
    pairs = list(pairwise(layers))
    if pairs and sum((inputs + 1) * nodes for inputs, nodes in pairs) == count:
        names = [*(f"hidden layer {n + 1}" for n in range(len(pairs) - 1)), "outputs"]
        return [(name, n, i + 1) for name, (i, n) in zip(names, pairs, strict=True)]
    columns = next(c for c in range(int(np.ceil(np.sqrt(count))), count + 1) if count % c == 0)
    return [("genes", count // columns, columns)]


def _actions(game: Game) -> list[str]:
    return [game.rules.describe(game.board, action) for action in range(game.num_actions)]


def _places(game: Game, layers: Any) -> Mapping[str, Any] | None:
    """Return where the inputs of a network stand on the board; None if this is not known.

    It is known for games with as many inputs as actions, all of which can be played at the start
    and change the picture in different places: an input stands where its action is drawn.
    """
    start = game.start(1)
    legal = list(start.legal_actions())
    if not layers or not layers[0] == len(legal) == game.num_actions:
        return None
    places = places_of(start, legal)
    if not places:
        return None
    assert game.rules.draw is not None
    drawing = game.rules.draw([Scene(start, -1, -1, ())])
    middles = [places[action][:2] for action in legal]
    return {"width": drawing.width, "height": drawing.height, "middles": plain(middles)}
