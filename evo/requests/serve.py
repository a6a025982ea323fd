"""The request for a server of pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from evo.requests.base import Request, argument, flag


@dataclass(frozen=True)
class ServeRequest(Request):
    """Show runs, sweeps, tournaments and leagues as live pages in a browser, and play games there.

    Print the address of the pages, which contains a secret token. Only this machine can reach them
    unless --host is given. Nothing that the folders name is loaded or run.

    Attributes:
        folders: folders below which runs, sweeps, tournaments and leagues are shown
        port: port of the server; 0: a free one
        host: address at which the server listens
        allow_host: further name of this server, as browsers use it; may be repeated
        path_prefix: path of the server behind a proxy, such as /user/me/proxy/8000
        game: game of a file that can be played, such as ./mygame.py; may be repeated
        token: secret of the address, at least 16 characters (default: a new one; the environment
            variable EVO_TOKEN may give it, too)
    """

    execution: ClassVar = ()

    folders: tuple[str, ...] = argument("FOLDER")
    port: int = flag(0, low=0, high=65_535)
    host: str = flag("127.0.0.1")
    allow_host: tuple[str, ...] = flag((), metavar="NAME", action="append")
    path_prefix: str = flag("", metavar="PATH")
    game: tuple[str, ...] = flag((), metavar="GAME", action="append")
    token: str | None = flag(None, metavar="TEXT")

    def __post_init__(self) -> None:
        for folder in self.folders:
            if not Path(folder).is_dir():
                self.refuse(
                    "folders", "; a folder of runs, sweeps, tournaments or leagues is expected"
                )
        if self.token is not None and len(self.token) < 16:
            self.refuse("token", "; at least 16 characters are expected, or leave it out")
        if self.path_prefix and not self.path_prefix.startswith("/"):
            self.refuse("path_prefix", "; a path that begins with / is expected")
