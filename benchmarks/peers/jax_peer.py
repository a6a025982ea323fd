"""Network against network by JAX: a batch of games in lock-step, compiled, on one core.

Written as one writes it who knows JAX: the move of one game is a pure function, `vmap` makes it
that of a batch, a `fori_loop` over as many moves as there are edges makes whole games, and `jit`
compiles all of that as one. Every move is evaluated whole, with the networks in one table from
which each game takes the rows of its two players; adding row after row proved faster on a CPU than
products of gathered matrices. Ties are broken at random and seats are swapped, as by the others.

Imports JAX, so import this module late; the package is `jax`. Values are of the kind asked for:
float64 (which switches JAX's `jax_enable_x64` on) or float32, JAX's default.
"""

import os
import time
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from benchmarks import Results, boxes_of_edges, check, random_networks

BATCH = 2048
"""Games in lock-step: of 256 to 8192, the best or near it on boards of 3x3, 5x5 and 8x8 boxes;
`python -m benchmarks.peers.jax_peer` measures them."""


def _on_one_thread() -> None:
    """Start JAX on the CPU with one thread: XLA takes the number from NPROC when it starts."""
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", "cpu")
    before = os.environ.get("NPROC")
    os.environ["NPROC"] = "1"
    try:
        jax.devices()
    finally:
        if before is None:
            del os.environ["NPROC"]
        else:
            os.environ["NPROC"] = before


_on_one_thread()


class Networks(NamedTuple):
    """A table of networks, real [N, E + 1, H] and real [N, H + 1, E]; last rows are thresholds."""

    first: jax.Array
    second: jax.Array


class Position(NamedTuple):
    """One game: drawn edges, real [E]; sides of boxes, int32 [B]; first's lead; mover."""

    drawn: jax.Array
    sides: jax.Array
    lead: jax.Array
    seat: jax.Array


def networks_of(weights: NDArray[np.float64], rows: int, cols: int, real: str) -> Networks:
    """Weights as of `benchmarks.random_networks`, [N, W], as a table of `real` numbers."""
    edges, boxes = len(boxes_of_edges(rows, cols)), rows * cols
    split = (edges + 1) * boxes
    first = weights[:, :split].reshape(-1, boxes, edges + 1).transpose(0, 2, 1)
    second = weights[:, split:].reshape(-1, edges, boxes + 1).transpose(0, 2, 1)
    return Networks(jnp.asarray(first, dtype=real), jnp.asarray(second, dtype=real))


def sides_of(rows: int, cols: int) -> jax.Array:
    """Return what drawing each edge adds to the sides of each box: int32 [E, B]."""
    boxes = boxes_of_edges(rows, cols)
    beside = np.zeros((len(boxes), rows * cols), dtype=np.int32)
    for edge, near in enumerate(boxes):
        beside[edge, near] = 1
    return jnp.asarray(beside)


# --- one game ----------------------------------------------------------------------------------


def start(beside: jax.Array, real: jnp.dtype) -> Position:
    """Return the empty board, with the first seat to move."""
    edges, boxes = beside.shape
    return Position(
        drawn=jnp.zeros(edges, real),
        sides=jnp.zeros(boxes, jnp.int32),
        lead=jnp.int32(0),
        seat=jnp.int32(0),
    )


def draw_edge(position: Position, beside: jax.Array, edge: jax.Array) -> Position:
    """Return the position after an open edge is drawn."""
    chosen = jnp.arange(position.drawn.size) == edge
    added = beside[edge]
    sides = position.sides + added
    completed = jnp.sum((sides == 4) & (added == 1), dtype=jnp.int32)
    return Position(
        drawn=jnp.where(chosen, 1, position.drawn),
        sides=sides,
        lead=position.lead + jnp.where(position.seat == 0, completed, -completed),
        seat=jnp.where(completed > 0, position.seat, 1 - position.seat),
    )


def layer(table: jax.Array, row: jax.Array, inputs: jax.Array) -> jax.Array:
    """Return the activities of a layer of the network `row`, adding input after input."""

    def add(index: jax.Array, sums: jax.Array) -> jax.Array:
        return sums + inputs[index] * table[row, index]

    return jax.nn.sigmoid(jax.lax.fori_loop(0, inputs.size, add, -table[row, inputs.size]))


def choose(networks: Networks, row: jax.Array, drawn: jax.Array, number: jax.Array) -> jax.Array:
    """Return the open edge with the highest output. `number`, 0 to below 1, decides ties."""
    outputs = layer(networks.second, row, layer(networks.first, row, drawn))
    values = jnp.where(drawn == 0, outputs, -1)
    equal = values == values.max()
    skipped = (number * equal.sum(dtype=jnp.int32)).astype(jnp.int32)
    return jnp.argmax(jnp.cumsum(equal, dtype=jnp.int32) > skipped)


def play_game(
    networks: Networks, beside: jax.Array, players: jax.Array, numbers: jax.Array
) -> jax.Array:
    """Return the first seat's lead in boxes. `players` are 2 rows, `numbers` [E] one a move."""

    def move(ply: jax.Array, position: Position) -> Position:
        row = players[position.seat]
        edge = choose(networks, row, position.drawn, numbers[ply])
        return draw_edge(position, beside, edge)

    begun = start(beside, networks.first.dtype)
    return jax.lax.fori_loop(0, len(beside), move, begun).lead


# --- batches -----------------------------------------------------------------------------------


@jax.jit
def replay(beside: jax.Array, edges: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the lead and the seat to move after each edge of a given game, int32 [E] each."""

    def move(position: Position, edge: jax.Array) -> tuple[Position, tuple[jax.Array, jax.Array]]:
        position = draw_edge(position, beside, edge)
        return position, (position.lead, position.seat)

    return jax.lax.scan(move, start(beside, jnp.dtype("float32")), edges)[1]


@jax.jit
def leads(networks: Networks, beside: jax.Array, players: jax.Array, key: jax.Array) -> jax.Array:
    """Return the first seat's lead in each game of `players`, int32 [G, 2] rows of the table."""
    # float32 numbers, as only ties take them: their steps of 2^-24 bias a choice by less than that.
    numbers = jax.random.uniform(key, (len(players), len(beside)), dtype=jnp.float32)
    return jax.vmap(partial(play_game, networks, beside))(players, numbers)


@partial(jax.jit, static_argnames="games")
def play_batch(
    networks: Networks, beside: jax.Array, key: jax.Array, *, games: int
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Wins, draws and losses of the one named first, in `games` between random pairs."""
    for_pairs, for_games = jax.random.split(key)
    pairs = jax.random.randint(for_pairs, (games // 2, 2), 0, len(networks.first), dtype=jnp.int32)
    found = leads(networks, beside, jnp.concatenate([pairs, pairs[:, ::-1]]), for_games)
    found = jnp.concatenate([found[: games // 2], -found[games // 2 :]])
    return (found > 0).sum(), (found == 0).sum(), (found < 0).sum()


class Lockstep:
    """Network against network on one board: a population of random networks, compiled.

    `compile_seconds` is what the compiler took, which no measurement contains.
    """

    def __init__(self, rows: int, cols: int, real: str = "float64", batch: int = BATCH) -> None:
        check("network", rows, cols)
        self.batch = batch
        self._networks = networks_of(random_networks(rows, cols), rows, cols, real)
        self._beside = sides_of(rows, cols)
        self._key = jax.random.key(0)
        begun = time.perf_counter()
        lowered = play_batch.lower(self._networks, self._beside, self._key, games=self.batch)
        self._play_batch = lowered.compile()
        self.compile_seconds = time.perf_counter() - begun

    def play(self, matches: int) -> Results:
        """Play at least so many matches of two games, in whole batches."""
        totals = np.zeros(3, dtype=np.int64)
        for _ in range(-(-2 * matches // self.batch)):
            self._key, key = jax.random.split(self._key)
            totals += np.array(self._play_batch(self._networks, self._beside, key))
        won, drawn, lost = totals.tolist()
        return won, drawn, lost


def main() -> None:
    """Print the rate for each size of batch, from which `BATCH` was chosen."""
    from benchmarks.report import emit
    from benchmarks.timing import games_per_second

    for size in (3, 5, 8):
        for real in ("float64", "float32"):
            for batch in (256, 512, 1024, 2048, 4096, 8192):
                lockstep = Lockstep(size, size, real, batch)
                rate = games_per_second(lockstep.play, 0.5)
                fields: dict[str, Any] = {"compile_seconds": lockstep.compile_seconds}
                emit(f"jax-{real}/network/{size}x{size}", rate, "games/s", batch=batch, **fields)


if __name__ == "__main__":
    main()
