"""A server of the S3 protocol on the loopback: moto in a process, behind a proxy that does harm."""

from __future__ import annotations

import http.client
import importlib.util
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import processes
import pytest

BUCKET = "bucket"
NEEDED = ("moto", "flask", "obstore")
_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive"}


@dataclass
class Server:
    """The proxy; ``harm(method, path)`` says what it does to a request.

    Harms are: "" (none), "refuse" (503, not done), "deny" (403, not done), "cut" (the connection
    ends, not done), "lose" (done, then the connection ends without an answer), "half" (done, and
    half of an answer comes).
    """

    port: int
    backend: subprocess.Popen[str]
    harm: Callable[[str, str], str] = lambda method, path: ""
    log: list[tuple[str, str, str]] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """What a user sets to be at home here."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "a-secret-of-nobody",
            "AWS_REGION": "us-east-1",
            "EVO_STORAGE_LEASE": "2",
            "EVO_STORAGE_TIMEOUT": "20",
        }

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """The process behind the proxy is stopped, and goes on afterwards."""
        self.backend.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.backend.send_signal(signal.SIGCONT)


@contextmanager
def serving() -> Iterator[Server]:
    """A server with an empty bucket; skips the test where moto is not installed."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs the moto extra ({', '.join(missing)} not installed)")
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    backend = processes.begin(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        port = _port_of(backend)
        proxy = ThreadingHTTPServer(("127.0.0.1", 0), _Proxy)
        proxy.daemon_threads = True
        server = Server(proxy.server_address[1], backend)
        proxy.owner, proxy.backend = server, port  # type: ignore[attr-defined]
        thread = threading.Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        try:
            _request(port, "PUT", f"/{BUCKET}", {}, b"")
            yield server
        finally:
            proxy.shutdown()
            proxy.server_close()
    finally:
        processes.end(backend)


def _port_of(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.search(r"Running on http://127\.0\.0\.1:(\d+)", line):
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return int(match[1])
    raise AssertionError("moto did not start")


def _request(port: int, method: str, path: str, headers, body: bytes):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read()
    finally:
        connection.close()


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _pass(self) -> None:
        owner: Server = self.server.owner  # type: ignore[attr-defined]
        port: int = self.server.backend  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        harm = owner.harm(self.command, self.path)
        owner.log.append((self.command, self.path, harm))
        if harm == "cut":
            return self._hang_up()
        if harm in ("refuse", "deny"):
            return self._answer(503 if harm == "refuse" else 403, [], b"<Error/>")
        with owner.guard:  # moto looks at a condition and writes in two steps
            status, headers, answer = _request(port, self.command, self.path, self.headers, body)
        if harm == "lose":
            return self._hang_up()
        self._answer(status, headers, answer, half=harm == "half")

    do_GET = do_PUT = do_HEAD = do_DELETE = do_POST = _pass

    def _answer(self, status: int, headers, body: bytes, half: bool = False) -> None:
        length = len(body)
        if self.command == "HEAD":
            length = int(dict(headers).get("Content-Length", 0))
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body[: length // 2] if half else body)
        if half:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *arguments: object) -> None:
        pass
