"""Games a second, beside C loops, OpenSpiel and JAX: `python -m benchmarks.games`.

One row for each board, job and who plays it. Ours are played on one thread and on all. Each peer
plays in turns with ours on one thread, by processor time; its ratio, ours to the peer, is the
median of the turns. Compilation is left out of every figure; ours are linked with one another, as
pairs are that play millions of games.
"""

import argparse
import importlib.util
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks import JOBS, Results, random_networks
from benchmarks.peers import c_loop, openspiel_peer
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Plan, Play, compare, rates
from cluster import Entrants, LocalEvaluator
from tournaments import games, players
from tournaments.arena import arena
from tournaments.arena.entrants import Genomes
from tournaments.arena.outcomes import results_of_a
from tournaments.kernels.rng import generator
from tournaments.players.network import Encoding, layers_for
from tournaments.schedules.base import Listed, Matches

OURS = ("random", "level-1-network", "level-2-network", "network")
NETWORKS_ONLY = ("network",)
SIZES = (3, 5, 8)
QUICK_SIZES = (3,)
SECONDS, ROUNDS = 0.06, 5
QUICK_SECONDS, QUICK_ROUNDS = 0.03, 3

Remarks = dict[str, Any]
"""What is said beside a rate."""


class Peer(NamedTuple):
    """Who plays the same jobs by other means, and what it takes."""

    name: str
    available: Callable[[], bool]
    install: str
    make: Callable[[str, int], tuple[Play, Remarks]]
    jobs: tuple[str, ...] = OURS


def arena_player(job: str, size: int, evaluator: LocalEvaluator) -> Play:
    """Return a function that plays a number of matches of a job in our arena."""
    game = games.make("dots-and-boxes", rows=size, cols=size)
    encoding = Encoding(layers_for(game))
    genomes = encoding.encode(random_networks(size, size))
    panel = [players.make(kind, game) for kind in JOBS[job] if kind != "network"]
    entrants = Entrants(game, tuple(panel), (Genomes(encoding, genomes),))
    rng = generator(0, "benchmark")

    def play(matches: int) -> Results:
        pairs = np.empty((matches, 2), dtype=np.int32)
        fixed = -1
        for side, kind in enumerate(JOBS[job]):
            if kind == "network":
                pairs[:, side] = rng.integers(0, len(genomes), matches)
            else:
                pairs[:, side], fixed = fixed, fixed - 1
        results = np.zeros(3, dtype=np.int64)  # of the player named first: lost, drawn, won
        for played in evaluator.play(entrants, Matches(Listed(pairs), 0, "benchmark")):
            results += np.bincount(results_of_a(played.outcomes).reshape(-1) + 1, minlength=3)
        lost, drawn, won = results.tolist()
        return won, drawn, lost

    return play


# --- the peers ---------------------------------------------------------------------------------


def _c(job: str, size: int) -> tuple[Play, Remarks]:
    return c_loop.Loop(job, size, size).play, {}


def _c_float32(job: str, size: int) -> tuple[Play, Remarks]:
    return c_loop.Loop(job, size, size, real="float").play, {"remark": "plays other moves at times"}


def _openspiel(job: str, size: int) -> tuple[Play, Remarks]:
    return openspiel_peer.Peer(job, size, size).play, {"remark": "the driver keeps the board"}


def _openspiel_observed(job: str, size: int) -> tuple[Play, Remarks]:
    play = openspiel_peer.Peer(job, size, size, observed=True).play
    return play, {"remark": "players read observation_tensor()"}


def _jax(real: str) -> Callable[[str, int], tuple[Play, Remarks]]:
    def make(job: str, size: int) -> tuple[Play, Remarks]:
        from benchmarks.peers.jax_peer import Lockstep

        lockstep = Lockstep(size, size, real)
        remarks = {"batch": lockstep.batch, "compile_seconds": lockstep.compile_seconds}
        return lockstep.play, remarks

    return make


def _has_jax() -> bool:
    return importlib.util.find_spec("jax") is not None


INSTALL_PEERS = "pip install '.[peers]'"
PEERS = (
    Peer("c", c_loop.available, c_loop.INSTALL, _c),
    Peer("c-float32", c_loop.available, c_loop.INSTALL, _c_float32, NETWORKS_ONLY),
    Peer("open_spiel", openspiel_peer.available, INSTALL_PEERS, _openspiel),
    Peer("open_spiel-observed", openspiel_peer.available, INSTALL_PEERS, _openspiel_observed),
    Peer("jax-float64", _has_jax, INSTALL_PEERS, _jax("float64"), NETWORKS_ONLY),
    Peer("jax-float32", _has_jax, INSTALL_PEERS, _jax("float32"), NETWORKS_ONLY),
)


# --- the measurements --------------------------------------------------------------------------


def measure(job: str, size: int, plan: Plan, show: Callable[..., None]) -> None:
    """One job on one board: ours on one thread and on all, then the peers in turns with ours."""
    board: dict[str, Any] = {"job": job, "board": f"{size}x{size}"}
    everything = LocalEvaluator()
    ours = arena_player(job, size, LocalEvaluator(threads=1))
    on_all = arena_player(job, size, everything)
    on_the_wall = compare(ours, on_all, plan._replace(clock=time.perf_counter))
    alone = statistics.median(rates(ours, plan))
    show(alone, by="evo-tournaments", **board)
    all_rate, ratio = on_the_wall.theirs, on_the_wall.ratio
    show(all_rate, ratio, by="evo-tournaments", threads=everything.threads, **board)
    everything.close()
    for peer in PEERS:
        if job in peer.jobs and peer.available():
            theirs, remarks = peer.make(job, size)
            found = compare(ours, theirs, plan)
            show(found.theirs, found.ratio, by=peer.name, **board, **remarks)


def show_json(rate: float, ratio: float | None = None, *, by: str, **fields: Any) -> None:
    """Print a rate as a JSON object, and the ratio to a peer as another object."""
    emit("games", rate, "games/s", by=by, **fields)
    if ratio is not None and by != "evo-tournaments":
        emit("games-ratio", ratio, f"times {by}", job=fields["job"], board=fields["board"])


def show_row(rate: float, ratio: float | None = None, **fields: Any) -> None:
    """Print a rate and its ratio to a peer as a row of a table."""
    remark = fields.get("remark", "")
    if "compile_seconds" in fields:
        remark = f"{fields['batch']} at a time; compiled in {fields['compile_seconds']:.1f} s"
    who, threads = fields["by"], str(fields.get("threads", 1))
    times = "" if ratio is None else f"{ratio:.2f}"
    emit_row(fields["board"], fields["job"], who, threads, f"{rate:,.0f}", times, remark)


def show_what_is_left_out(as_json: bool) -> None:
    """Print a line for each peer that is not installed."""
    for peer in PEERS:
        if not peer.available() and as_json:
            emit("games", 0.0, "games/s", by=peer.name, left_out=peer.install)
        elif not peer.available():
            print(f"{peer.name} is left out: {peer.install}")


def options() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, nargs="+", help="boxes a side (default 3 5 8)")
    parser.add_argument("--quick", action="store_true", help="short turns; only 3x3 by default")
    parser.add_argument("--json", action="store_true", help="JSON objects in place of a table")
    return parser.parse_args()


def main() -> None:
    """Print every job on every board, ours and the peers'."""
    arena.LINKED_FROM = 0
    chosen = options()
    plan = Plan(QUICK_SECONDS, QUICK_ROUNDS) if chosen.quick else Plan(SECONDS, ROUNDS)
    if chosen.json:
        emit("machine", 1, "machine", **machine())
    else:
        print(", ".join(f"{name} {value}" for name, value in machine().items()))
    show_what_is_left_out(chosen.json)
    if not chosen.json:
        emit_row("board", "job", "by", "threads", "games/s", "ours/it", "")
    for size in chosen.size or (QUICK_SIZES if chosen.quick else SIZES):
        for job in OURS:
            measure(job, size, plan, show_json if chosen.json else show_row)


if __name__ == "__main__":
    main()
