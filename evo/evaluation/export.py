"""``evo export``: a champion as a file that plays wherever a player is named."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evo.config import config as configuration
from evo.config.config import Config
from evo.errors import ConfigError
from evo.genomes.base import Plan
from evo.genomes.bit_network import BitNetwork
from evo.genomes.policy_table import PolicyTable
from evo.genomes.real_network import RealNetwork
from results import Run, open_run
from results.folder.files import atomic_write
from tournaments.players.network.bits import layers_for
from tournaments.players.table.encoding import TableEncoding


class Export(NamedTuple):
    """What a file is to hold, and what is said of it; the layers of networks not as usual."""

    content: np.ndarray
    about: str
    layers: tuple[int, ...] | None = None


def export(
    path: str | Path, file: str | Path, generation: int | None = None, population: str | None = None
) -> str:
    """Write the champion of a population of a run or, where no name is given, of each of them.

    Networks become weights, float64 ``[W]``; tables whole numbers, a policy ``[cells, cells]`` or
    the genes of another form ``[G]``, those of two seats one after the other.

    Returns:
        What the file holds, in words.

    Raises:
        ResultsError, ConfigError: no such generation or population, or another kind of file.
    """
    run, file = open_run(path), Path(file)
    if file.suffix not in (".npy", ".json"):
        raise ConfigError(f"{file} given; a name that ends in .npy or .json is expected")
    champion = _champion(run, generation, population, file)
    atomic_write(file, _encoded(champion, file.suffix))
    return champion.about


def _champion(run: Run, generation: int | None, population: str | None, file: Path) -> Export:
    config = configuration.of_run(run.config, run.genome, run.path)
    plans = [plan for plan in config.populations if population in (None, plan.name)]
    if not plans:
        names = ", ".join(plan.name for plan in config.populations)
        raise ConfigError(f"--population {population} given; {run.path} has {names}")
    rows = [int(run.champion(generation, plan.name)["individual"]) for plan in plans]
    if isinstance(plans[0].genome, PolicyTable):
        return _tables(run, generation, plans, rows, file)
    weights = run.weights(generation, plans[0].name)[rows[0]]
    return _network(config, weights, f"{weights.size} weights of individual {rows[0]}", file)


def _network(config: Config, weights: np.ndarray, about: str, file: Path) -> Export:
    """Weights; of layers that are not the game's own, .json tells the layers and .npy cannot."""
    network = config.populations[0].genome
    assert isinstance(network, BitNetwork | RealNetwork)
    layers = network.encoding.layers
    if layers == layers_for(config.game):
        return Export(weights, about)
    hidden = "+".join(map(str, layers[1:-1]))
    spec = str(file) if file.suffix == ".json" else f"network:weights={file},hidden={hidden}"
    named = "-".join(map(str, layers))
    return Export(weights, f"{about}, a {named} network; it plays as {spec}", layers)


def _tables(
    run: Run, generation: int | None, plans: Sequence[Plan], rows: Sequence[int], file: Path
) -> Export:
    champions = list(zip(plans, rows, strict=True))
    genes = np.concatenate([run.policies(generation, plan.name)[row] for plan, row in champions])
    encodings = [plan.genome.encoding for plan in plans if isinstance(plan.genome, PolicyTable)]
    seats = sum(len(encoding.seats) for encoding in encodings)
    several = len(run.populations) > 1
    who = " and ".join(f"{plan.name if several else 'individual'} {row}" for plan, row in champions)
    return Export(
        _shaped(genes, encodings[0], seats),
        f"{genes.size:,} actions of {who}; they play as {_spec(encodings[0], seats, file)}",
    )


def _shaped(genes: np.ndarray, encoding: TableEncoding, seats: int) -> np.ndarray:
    """Position tables by the cells of both, seats one after the other; other forms flat."""
    if encoding.form != "position-table":
        return genes
    cells = math.isqrt(encoding.genes_a_seat)
    if cells * cells != encoding.genes_a_seat:  # more than two pieces
        return genes
    return genes.reshape((seats, cells, cells) if seats > 1 else (cells, cells))


def _spec(encoding: TableEncoding, seats: int, file: Path) -> str:
    """How the file is named as a player: what it does not tell itself must be said."""
    said = {
        name: value
        for name, value in encoding.options.items()
        if value != encoding.rules.options[name][0]
    }
    if seats == 1:
        said["seat"] = encoding.game.seats[encoding.seats[0]]
    if not said:
        return str(file)
    return ",".join([f"table:file={file}", *(f"{name}={value}" for name, value in said.items())])


def _encoded(exported: Export, ending: str) -> bytes:
    content = exported.content
    if ending == ".json":
        layers, numbers = exported.layers, content.tolist()
        return json.dumps({"layers": layers, "weights": numbers} if layers else numbers).encode()
    stream = io.BytesIO()
    np.save(stream, content, allow_pickle=False)
    return stream.getvalue()
