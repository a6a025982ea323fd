"""A check that every node plays the same: versions, round-trip times, and a compared chunk.

A chunk of matches is played by this process and by an actor on each node. The bytes must be the
same. The cross-checks of a run would find a node with different bytes later.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
import time
import timeit
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from cluster.evaluator import all_outcomes
from cluster.faults import WorkerIdentity
from cluster.processors import available_threads
from cluster.ray_connection import RayConnection, fingerprint
from cluster.threads import LocalEvaluator
from cluster.transports.ray import ChunkRequest, last_line, who_is_here
from tournaments import games, players
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.kernels.cache import cache_folder
from tournaments.kernels.rng import generator
from tournaments.players.network import Encoding, layers_for
from tournaments.schedules.base import Listed, Matches
from tournaments.schedules.pairs import EachPair

PATIENCE = 180.0  # seconds for an answer of a node: its kernels may have to be compiled
MEGABYTES = 16  # that go through the object store
TRIPS = 20  # round trips of which the shortest counts
LEAVE_OUT = "leave the node out, and test its memory and processor"
INSTALL = "install the same versions of Python, numpy, numba and evo-tournaments there"


@dataclass
class NodeReport:
    """The findings about this process or about a node.

    Attributes:
        where: this process, or the node's address.
        node: its id; empty for this process.
        processors: number of usable processors.
        plays_with: see :func:`cluster.ray_connection.fingerprint`.
        round_trip_ms: time from this process to the node and back.
        store_mb_s: megabytes a second from this process's object store to the node.
        chunk_seconds: time of the chunk, with loading or compiling kernels.
        bytes: digest of the chunk's outcomes.
        mend: the fault and how to mend it; empty: no fault.
    """

    where: str
    node: str = ""
    processors: int = 0
    plays_with: str = ""
    round_trip_ms: float | None = None
    store_mb_s: float | None = None
    chunk_seconds: float | None = None
    bytes: str = ""
    mend: str = ""


def sample() -> ChunkRequest:
    """Return the sample of matches by which nodes are compared.

    Networks drawn by seed play dots and boxes against one another and against a player by rules.
    """
    game = games.make("dots-and-boxes", rows=2, cols=2)
    encoding = Encoding(layers_for(game))
    size = (24, encoding.num_bytes)
    packed = generator(0, "doctor").integers(0, 256, size, dtype=np.uint8)
    packed[:, -1] &= 0xFF << (8 * encoding.num_bytes - encoding.num_bits) & 0xFF
    panel = (players.make("level-1", game),)
    each = EachPair(len(packed)).pairs(0, len(EachPair(len(packed))))
    against = np.stack([np.arange(24), np.full(24, -1)], axis=1)
    pairs = np.concatenate([each, against]).astype(np.int32)
    entrants = Entrants(game, panel, (Genomes(encoding, packed),))
    return ChunkRequest(entrants, Matches(Listed(pairs), 1, "doctor", games=4))


def played(request: ChunkRequest, threads: int) -> tuple[str, float]:
    """Play a sample of matches in threads of this process.

    Returns:
        A digest of the outcomes, and the duration in seconds.
    """
    started = time.perf_counter()
    with closing(LocalEvaluator(threads)) as evaluator:
        outcomes = all_outcomes(evaluator, *request)
    digest = hashlib.sha256(outcomes.tobytes()).hexdigest()[:16]
    return digest, time.perf_counter() - started


def examine_here() -> NodeReport:
    """Report on this process: its cache folder, its kernels, and all threads compared with one."""
    threads = available_threads()
    finding = NodeReport("this process", "", threads, fingerprint(), mend=_cache_trouble())
    finding.bytes, finding.chunk_seconds = played(sample(), 1)
    if played(sample(), threads)[0] != finding.bytes:
        finding.mend = f"{threads} threads give other outcomes than one; test memory and processor"
    return finding


def _cache_trouble() -> str:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        reason = error.strerror or error
        return f"the cache of kernels, {folder}, cannot be written ({reason}); set EVO_CACHE_DIR"


class Probe:
    """An actor that examines its node."""

    def hello(self) -> tuple[WorkerIdentity, int]:
        """Return the identity of this Ray actor, and the number of processors that it may use."""
        return who_is_here(), available_threads()

    def echo(self) -> int:
        """Return at once: a call of this Ray actor measures the round trip to its node."""
        return os.getpid()

    def fetch(self, held: list[Any]) -> tuple[int, float]:
        """Fetch an object of Ray's store, to measure its speed.

        Args:
            held: a list with the reference of the object.

        Returns:
            The size of the object in bytes, and the seconds to fetch it.
        """
        ray = importlib.import_module("ray")
        started = time.perf_counter()
        return int(ray.get(held[0]).nbytes), time.perf_counter() - started

    def play(self, request: ChunkRequest) -> tuple[str, float]:
        """Play a sample of matches in one thread of this node; return a digest and the seconds."""
        return played(request, 1)


def examine_nodes(address: str | None, here: NodeReport) -> list[NodeReport]:
    """Compare every node of a cluster with this process. Without an address Ray is started.

    Raises:
        ClusterError: there is no Ray, or no cluster at the address.
    """
    with closing(RayConnection(None, address)) as connection:
        nodes = [node for node in connection.ray.nodes() if node["Alive"]]
        probes = [(node, _probe(connection, node["NodeID"])) for node in nodes]
        try:
            return [_examined(connection.ray, node, probe, here) for node, probe in probes]
        finally:
            for _, probe in probes:
                connection.end(probe)


def _probe(connection: RayConnection, node: str) -> Any:
    """Start an actor that examines a node of a Ray cluster.

    The actor takes no processor from the actors that play there.
    """
    strategies = importlib.import_module("ray.util.scheduling_strategies")
    place = strategies.NodeAffinitySchedulingStrategy(node, soft=False)
    return connection.make(Probe, num_cpus=0, scheduling_strategy=place)


def _examined(ray: Any, node: dict[str, Any], probe: Any, here: NodeReport) -> NodeReport:
    """Return the report on a node of a Ray cluster, with what is wrong with it.

    An error of Ray is a finding of the report, too.

    Args:
        ray: the package Ray.
        node: Ray's description of the node.
        probe: the actor that examines the node.
        here: the report on this process, with which the node is compared.
    """
    finding = NodeReport(node["NodeManagerAddress"], node["NodeID"])

    def answer(reference: Any) -> Any:
        return ray.get(reference, timeout=PATIENCE)

    try:
        who, finding.processors = answer(probe.hello.remote())
        finding.plays_with = who.plays_with
        trips = timeit.repeat(lambda: answer(probe.echo.remote()), number=1, repeat=TRIPS)
        finding.round_trip_ms = 1000 * min(trips)
        data = ray.put(np.zeros(MEGABYTES << 20, dtype=np.uint8))
        size, seconds = answer(probe.fetch.remote([data]))
        finding.store_mb_s = size / (1 << 20) / max(seconds, 1e-6)
        finding.bytes, finding.chunk_seconds = answer(probe.play.remote(sample()))
    except ray.exceptions.RayError as error:
        finding.mend = f"it does not answer as it should: {last_line(error)}"
    finding.mend = finding.mend or compared(finding, here)
    return finding


def compared(finding: NodeReport, here: NodeReport) -> str:
    """Return what is wrong with a node and how to mend it; empty if it agrees with this process.

    ``finding`` is the report on the node, ``here`` the report on this process.
    """
    if finding.plays_with != here.plays_with:
        return f"it plays with {finding.plays_with}, this process with {here.plays_with}; {INSTALL}"
    if finding.bytes != here.bytes:
        return f"it gives other outcomes for the same matches; {LEAVE_OUT}"
    return ""
