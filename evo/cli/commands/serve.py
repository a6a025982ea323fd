"""``evo serve``: live pages in a browser."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from pathlib import Path
from typing import Any

from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.serve import ServeRequest
from tournaments.errors import ConfigError

END_SECONDS = 1
"""Seconds for which open connections are awaited at the end."""


def _serve(request: ServeRequest, execution: Execution) -> int:
    """Serve pages until a signal ends the command."""
    try:
        import uvicorn

        from evo.serve.app import make_app
        from evo.serve.guard import LOOPBACK
        from evo.serve.play import routes
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"{error.name} is not installed, which evo serve needs: pip install "
            "'evo-tournaments[serve]'"
        ) from None
    token = request.token or os.environ.get("EVO_TOKEN") or secrets.token_urlsafe(24)
    hosts = [*LOOPBACK, request.host, *request.allow_host]
    app = make_app(
        [Path(folder) for folder in request.folders],
        token,
        hosts,
        request.path_prefix,
        lambda shelf: routes(shelf, request.game),
    )
    listener = _bound(request)
    host, port = listener.getsockname()[:2]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    prefix = request.path_prefix.rstrip("/")
    print(f"http://{shown}:{port}{prefix}/?token={token}", flush=True)
    print("Ctrl-C ends the server", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=END_SECONDS,
        lifespan="off",
    )
    server: Any = uvicorn.Server(config)
    handle_exit = server.handle_exit

    def end(*given: Any) -> None:
        app.state.server.is_ending = True  # so that event streams end
        handle_exit(*given)

    server.handle_exit = end
    server.run(sockets=[listener])
    return 0


def _bound(request: ServeRequest) -> socket.socket:
    """Return a socket that listens at the address of a request."""
    family = socket.AF_INET6 if ":" in request.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((request.host, request.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        request.refuse("port", f" at {request.host}: {error.strerror}; give another one, or 0")
    return listener


COMMAND = command_of(ServeRequest, _serve, rank=6, group="look")
