"""The connection to Ray: started on this machine, joined on a cluster, or already running."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import logging
import os
import platform
import select
import signal
import socket
import struct
import sys
import sysconfig
import threading
import traceback
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import tournaments
from cluster.evaluator import ClusterError, at_least_one
from cluster.faults import RESUME
from cluster.processors import ONE_THREAD, available_threads, variables
from tournaments.code_files import known_files, receive
from tournaments.kernels.sources import sources_digest

CONNECT_SECONDS = 5.0  # for a cluster's port to answer
GIVE_UP = "RAY_gcs_server_port_wait_time_s"  # how often Ray tries to join, 40 seconds each
ONE_MACHINE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # "0": Ray's ports are for this machine alone
CARRIED = ("EVO_CACHE_DIR", "NUMBA_CPU_NAME")  # variables that actors on this machine share
NODE = ("raylet", "gcs_server")  # of a node that this process started
DECIDING = ("numpy", "numba")  # of whose versions results depend


class RayConnection:
    """Ray in this process. A Ray that already runs is used unchanged, and is not stopped.

    Attributes:
        ray: the package, imported when the connection is made and not before.
        actors: number of actors.
        losses: the exceptions for a lost actor, or for lost arguments of a call.
    """

    def __init__(self, actors: int | None, address: str | None) -> None:
        """Start Ray, or join a cluster.

        Args:
            actors: how many; by default one for each processor of this machine or the cluster.
            address: of a cluster to join, ``HOST:PORT``, ``auto`` or ``ray://HOST:PORT``; without
                one Ray is started on this machine.

        Raises:
            ClusterError: fewer than one actor; Ray is not installed or does not start; or no
                cluster answers at the address.
        """
        if actors is not None:
            at_least_one("actors", actors)
        self.ray = ray = import_ray()
        self._is_ours = not ray.is_initialized()
        self._node: list[int] = []
        try:
            if self._is_ours:
                _connect(ray, actors or available_threads(), address)
            self._node = _watched_node(ray, self._is_ours)
            self.actors = actors or max(1, int(ray.cluster_resources().get("CPU", 1)))
            here = _environment_here() if _is_all_here(ray) else {}
            self._environment = {"env_vars": {**ONE_THREAD, **here}}
        except BaseException:
            self.close()
            raise
        errors = ray.exceptions
        self.losses: tuple[type[Exception], ...] = (errors.RayActorError, errors.ObjectLostError)
        self.losses += (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)

    def make(self, actor: type, *arguments: Any, **options: Any) -> Any:
        """Start a Ray actor of a class, with a processor of its own, and return its handle."""
        options = {"num_cpus": 1, "runtime_env": self._environment, **options}
        return self.ray.remote(actor).options(**options).remote(*arguments)

    def end(self, handle: Any) -> None:
        """Kill a Ray actor. The actor may be gone already."""
        with contextlib.suppress(Exception):
            self.ray.kill(handle)

    def check_node(self) -> None:
        """Raise if the Ray node of this process has ended.

        The next call of Ray could end this process.

        Raises:
            ClusterError: the node has ended.
        """
        look = select.poll()
        for process in self._node:
            look.register(process, select.POLLIN)
        if look.poll(0):
            raise ClusterError(f"the Ray node of this process has ended, or was killed; {RESUME}")

    def close(self) -> None:
        """End Ray if this connection started it."""
        while self._node:
            os.close(self._node.pop())
        if self._is_ours:
            self._is_ours = False
            self.ray.shutdown()


class Parcel:
    """An object, pickled together with the Python files by path that it needs.

    A parcel is unpickled as the object itself, after its files are received.
    """

    def __init__(self, files: Sequence[Sequence[Any]], content: bytes) -> None:
        self._files, self._content = files, content

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (self._files, self._content)


def packed(thing: Any) -> Any:
    """Return an object in the form that is sent to Ray actors.

    If players or games come from files named by path, the object is sent as a parcel with these
    files.
    """
    files = known_files()
    return Parcel(files, import_ray().cloudpickle.dumps(thing)) if files else thing


def _unpacked(files: Sequence[Sequence[Any]], content: bytes) -> Any:
    receive(files)
    return import_ray().cloudpickle.loads(content)


def import_ray() -> Any:
    """Import and return the package ``ray``. Raise ClusterError if it is missing."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ClusterError(
            f"Ray is not installed here ({error}); install it with: python -m pip install ray"
        ) from None


def _connect(ray: Any, processors: int, address: str | None) -> None:
    """Start Ray on this machine, or join a cluster."""
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    with _handler_of_sigterm(), variables({GIVE_UP: os.environ.get(GIVE_UP, "1")}):
        try:
            if address is None:  # "local": not the cluster that RAY_ADDRESS may name
                with _on_the_loopback(ray):
                    ray.init("local", num_cpus=processors, include_dashboard=False, **quiet)
            else:
                _knock(address)
                ray.init(address, **quiet)
        except Exception as error:
            why = str(error).strip().partition("\n")[0] or type(error).__name__
            if address is None:
                what = f"Ray does not start on this machine: {why}"
                raise ClusterError(
                    f"{what}; without --ray, threads give the same results"
                ) from error
            hint = "give the HOST:PORT that `ray start --head` printed, or no address to play here"
            if "AuthenticationError" in "".join(traceback.format_exception(error)):
                hint = "it asks for a token: set RAY_AUTH_MODE=token, with its token in place"
            raise ClusterError(f"no Ray cluster at {address!r} to join: {why}; {hint}") from error


def _watched_node(ray: Any, is_ours: bool) -> list[int]:
    """Return descriptors of the Ray processes whose end makes Ray end this process.

    The list is empty if they are unknown. A descriptor is readable when its process has ended. If
    this process started Ray, Ray's output after that is dropped.

    Args:
        ray: the package Ray.
        is_ours: whether this process started Ray.
    """
    processes: list[int] = []
    with contextlib.suppress(AttributeError, OSError):  # by ray://, or on a system without them
        worker = ray._private.worker.global_worker
        own = worker.node.all_processes
        pids = [each[0].process.pid for name, each in own.items() if name in NODE]
        if not pids:
            with socket.socket(socket.AF_UNIX) as raylet:
                raylet.connect(worker.node.raylet_socket_name)
                known = raylet.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            pids = [struct.unpack("3i", known)[0]]
        processes += map(os.pidfd_open, pids)
        if is_ours:
            worker.gcs_error_subscriber.close()
    return processes


def _knock(address: str) -> None:
    """Raise OSError if nothing listens at the address of a Ray cluster.

    Ray itself would try to connect for a quarter of an hour.
    """
    where = os.environ.get("RAY_ADDRESS", address) if address == "auto" else address
    host, colon, port = where.rpartition("://")[2].rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()


@contextlib.contextmanager
def _handler_of_sigterm() -> Iterator[None]:
    """Keep the program's handler of SIGTERM, which Ray replaces when it starts."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if callable(handler) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)


@contextlib.contextmanager
def _on_the_loopback(ray: Any) -> Iterator[None]:
    """Make a Ray that is started within the block listen on this machine alone.

    Ray does so on systems without clusters. A variable that the user has set takes precedence.
    """
    constants = ray._private.ray_constants
    if ONE_MACHINE in os.environ or not hasattr(constants, "ENABLE_RAY_CLUSTER"):
        yield
        return
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        with variables({ONE_MACHINE: "0"}):
            yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


def _is_all_here(ray: Any) -> bool:
    """Return whether every node of the cluster is this machine."""
    hosts = {node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]}
    return hosts == {socket.gethostname()}


def _environment_here() -> dict[str, str]:
    """Return the variables that let actors here import the same modules as this process."""
    variables = {name: os.environ[name] for name in CARRIED if os.environ.get(name)}
    libraries = ("stdlib", "platstdlib", "purelib", "platlib")
    standard = tuple(os.path.realpath(sysconfig.get_path(name)) for name in libraries)
    paths = dict.fromkeys(os.path.realpath(path) for path in sys.path)
    own = [path for path in paths if not path.startswith(standard)]
    variables["PYTHONPATH"] = os.pathsep.join(own)
    return variables


@cache
def fingerprint() -> str:
    """Return the versions and sources that decide results, for a comparison of processes.

    Processes that differ here may play different games. The text holds the versions of the deciding
    packages, and the digest of the sources of ``tournaments``.
    """
    versions = [f"{name} {importlib.metadata.version(name)}" for name in DECIDING]
    python = ".".join(platform.python_version_tuple()[:2])
    return f"python {python}, {', '.join(versions)}, tournaments {sources_digest(tournaments)}"
