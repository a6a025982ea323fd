"""The application of ``evo serve``: its pages, their parts that are made on demand, and events."""

from __future__ import annotations

import json
import shlex
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import anyio
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from evo.pages import blocks, league, run, runs, tournament
from evo.pages.blocks import Block, Sections
from evo.pages.document import linked_file, page_files, shared
from evo.serve.folders import LEAGUE, RUN, SWEEP, Item, Shelf, signature_of
from evo.serve.guard import LOOPBACK, Guard
from evo.serve.play import CHAMPION, game_with_champion
from results import Run, open_run
from results.errors import ResultsError
from results.folder.files import is_locked
from results.folder.tournament import Tournament
from results.read.below import open_runs
from results.read.runs import Runs
from results.read.status import status_of

POLL_SECONDS = 0.25
"""Seconds between two looks at the times of the files that somebody watches."""
REST = 25
"""Ratio of the time between two updates of a page to the time that an update takes."""
BEAT_SECONDS = 15.0
"""Seconds after which an event stream without news says that it is alive."""
MOST_PARTS = 200
"""Maximum number of sections that are kept."""
ON_DEMAND = ("Games of the champion", "Population", "Descent of the champion", "Each against each")
"""Sections that take long, and are made when a reader scrolls to them."""
COLUMNS = {
    "name": "",
    "kind": "",
    "state": "",
    "game": "",
    "scheme": "",
    "learner": "",
    "seed": "d",
    "generation": "d",
    "games": "d",
    "changed": "time",
}
"""Columns of the list and their formats."""
Made = tuple[str, str, Sections]
"""A page before it is made: its title, its heading and its sections."""


@dataclass(eq=False)
class Server:
    """The pages of the items of a shelf.

    Attributes:
        shelf: what lies below the folders.
        is_ending: whether the server ends, so that event streams end, too.
    """

    shelf: Shelf
    is_ending: bool = False
    _parts: dict[tuple[str, str], tuple[Any, list[Block]]] = field(default_factory=dict)

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the pages, their parts, events and static files."""
        return [
            Route("/", self.index),
            Route("/item/{name:path}", self.item),
            Route("/part/{section}/{name:path}", self.part),
            Route("/compare", self.compare),
            Route("/events", self.events),
            Route("/static/{file}", self.static),
        ]

    # --- pages -----------------------------------------------------------------------------------

    def index(self, request: Request) -> Response:
        """Answer with the list of all items."""
        page = blocks.page("Runs", self._where, [("All", self._list())])
        links = [blocks.link("Play a game", "play")]
        return _html({**page, "links": links, "events": "events?list=1"}, 0)

    @cached_property
    def _where(self) -> str:
        return f"below {', '.join(folder.name for folder in self.shelf.folders)}"

    def _list(self) -> list[Block]:
        rows = self.shelf.rows()
        table = [
            [
                blocks.link(row["name"], f"item/{quote(row['name'])}"),
                *(row.get(name) for name in ("kind", "state", "game", "scheme", "learner", "seed")),
                *(row.get(name) for name in ("generation", "games_played", "changed")),
            ]
            for row in rows
        ]
        made = blocks.table(COLUMNS, table, "runs")
        names = [row["name"] if row["kind"] in (RUN, SWEEP) else None for row in rows]
        return [{**made, "ticks": {"names": names, "label": "compare", "to": "compare"}}]

    def item(self, request: Request) -> Response:
        """Answer with the page of an item. Slow sections are made on demand."""
        item = self._named(request.path_params["name"])
        title, subtitle, sections = self._made(item)
        up = _up(request)
        lazy: Sections = [
            (name, _later(f"{up}part/{number}/{quote(item.name)}") if name in ON_DEMAND else make)
            for number, (name, make) in enumerate(sections)
        ]
        page, _ = blocks.filled_page(title, subtitle, lazy)
        page["links"] = [blocks.link("All", up)]
        if item.kind == RUN and (game := game_with_champion(item.path)):
            against = urlencode({"game": game, "opponent": f"{CHAMPION}{item.name}"})
            page["links"].append(blocks.link("Play against the champion", f"{up}play?{against}"))
        page["events"] = f"{up}events?name={quote(item.name)}"
        return _html(page, up.count("../"))

    def part(self, request: Request) -> Response:
        """Answer with the blocks of a section of an item, from the cache if nothing changed."""
        item = self._named(request.path_params["name"])
        section = request.path_params["section"]
        key, now = (item.name, section), signature_of(item)
        kept = self._parts.get(key)
        if kept is None or kept[0] != now:
            _, _, sections = self._made(item)
            if not section.isdigit() or int(section) >= len(sections):
                raise HTTPException(404, "no such section")
            kept = now, blocks.made_section(sections[int(section)][1], [])
            self._parts[key] = kept
            while len(self._parts) > MOST_PARTS:
                self._parts.pop(next(iter(self._parts)))
        return JSONResponse(shared(kept[1]))

    def compare(self, request: Request) -> Response:
        """Answer with the page of several runs, laid over one another."""
        names = request.query_params.getlist("name")
        items = [self._named(name) for name in names]
        if not items or any(item.kind not in (RUN, SWEEP) for item in items):
            raise HTTPException(400, "runs or sweeps are expected: compare?name=NAME&name=NAME")
        held = open_runs([item.path for item in items])
        page, _ = blocks.filled_page(
            "Comparison", runs.subtitle_of(held), runs.sections_of(held, None, self._address(""))
        )
        page["links"] = [blocks.link("All", ".")]
        return _html(page, 0)

    def _address(self, up: str) -> Callable[[Any], str]:
        names = {str(item.path): item.name for item in self.shelf.items().values()}
        return lambda path: f"{up}item/{quote(names.get(str(path), ''))}"

    def static(self, request: Request) -> Response:
        """Answer with the script or the style sheet of all pages."""
        text = page_files(live=True).get(name := request.path_params["file"])
        if text is None:
            raise HTTPException(404, "no such file")
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        return Response(text, media_type=kind)

    def _named(self, name: str) -> Item:
        item = self.shelf.items().get(name)
        if item is None:
            raise HTTPException(404, "nothing of this name is below the folders that are served")
        return item

    # --- what an item shows ----------------------------------------------------------------------

    def _made(self, item: Item) -> Made:
        """Return the title, the heading and the sections of the page of an item."""
        try:
            if item.kind == RUN:
                read = open_run(item.path)
                sections = [*run.sections_of(read), ("Commands", lambda: _commands(read))]
                return item.name, run.subtitle_of(read), sections
            if item.kind == SWEEP:
                held: Runs = open_runs(item.path)
                up = "../" * (item.name.count("/") + 1)
                return (
                    item.name,
                    runs.subtitle_of(held),
                    runs.sections_of(held, None, self._address(up)),
                )
            table = Tournament(item.path)
            if item.kind == LEAGUE:
                of = league.League(table)
                sections = [*league.sections_of(of), *league.sections_of_submissions(of)]
                return item.name, league.subtitle_of(of), sections
            return item.name, tournament.subtitle_of(table), tournament.sections_of(table)
        except ResultsError as error:
            words = str(error)
            return item.name, "Results that cannot be read", [("Problems", lambda: _problem(words))]

    # --- events ----------------------------------------------------------------------------------

    async def events(self, request: Request) -> Response:
        """Answer with a stream of events: the new blocks of the sections that changed."""
        if "list" in request.query_params:
            sign, make = self._sign_of_list, lambda: {"0": self._list()}
        else:
            item = self._named(request.query_params.get("name", ""))
            sign, make = (lambda: signature_of(item)), (lambda: self._live(item))
        return StreamingResponse(self._stream(request, sign, make), media_type="text/event-stream")

    def _sign_of_list(self) -> Any:
        return [(name, signature_of(item)) for name, item in self.shelf.items().items()]

    def _live(self, item: Item) -> dict[str, list[Block]]:
        """Return the blocks of the quick sections of an item by the number of the section."""
        _, _, sections = self._made(item)
        return {
            name: blocks.made_section(make, [])
            for name, make in sections
            if name not in (*ON_DEMAND, "Configuration")
        }

    async def _stream(
        self, request: Request, sign: Callable[[], Any], make: Callable[[], dict[str, list[Block]]]
    ) -> AsyncIterator[str]:
        """Yield events as long as the reader listens, each once something has changed."""
        before, beat = await run_sync(sign), anyio.current_time()
        rested = beat
        yield ": begins\n\n"
        while not (self.is_ending or await request.is_disconnected()):
            await anyio.sleep(POLL_SECONDS)
            if anyio.current_time() < rested:
                continue
            now = await run_sync(sign)
            if now != before:
                before, started = now, anyio.current_time()
                data = json.dumps(shared(await run_sync(make)), allow_nan=False)
                yield f"data: {data}\n\n"
                beat = anyio.current_time()
                rested = beat + REST * (beat - started)
            elif anyio.current_time() - beat > BEAT_SECONDS:
                beat = anyio.current_time()
                yield ": alive\n\n"


def make_app(
    folders: Sequence[Path],
    token: str,
    hosts: Sequence[str] = LOOPBACK,
    prefix: str = "",
    more: Callable[[Shelf], Iterable[BaseRoute]] = lambda shelf: (),
) -> Starlette:
    """Return the application that serves the pages of everything below some folders.

    Args:
        folders: the folders.
        token: the secret that a reader needs.
        hosts: names of the server.
        prefix: path of the server behind a proxy.
        more: returns further routes.
    """
    server = Server(Shelf(folders))
    app = Starlette(
        routes=[*server.routes(), *more(server.shelf)],
        middleware=[
            Middleware(Guard, token=token, hosts=hosts, prefix=prefix),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        exception_handlers={ResultsError: _refused},
    )
    app.state.server = server
    return app


def _refused(request: Request, error: Exception) -> Response:
    return Response(shared(str(error)), 400, media_type="text/plain")


def _html(page: Block, depth: int) -> Response:
    """Return a page whose files are ``depth`` folders above it."""
    return HTMLResponse(linked_file(page, f"{'../' * depth or './'}static"))


def _up(request: Request) -> str:
    """Return the relative address of the first page, from the page of an item."""
    return "../" * (request.path_params["name"].count("/") + 1)


def _later(address: str) -> Callable[[], Iterator[Block]]:
    """Return the maker of a section whose blocks are at an address."""
    return lambda: iter([{"kind": "later", "address": address}])


def _problem(words: str) -> Iterator[Block]:
    yield blocks.text(words, "evo verify looks at each file.", tone="warning")


def _commands(read: Run) -> Iterator[Block]:
    """Yield the commands that act on a run. A page has no buttons that do."""
    folder = shlex.quote(str(read.path))
    state = status_of(read.path, quick=True)
    if is_locked(read.path):
        here = state["host"] in (None, socket.gethostname())
        where = "" if here else ", on the machine that runs it"
        stop = f"stop it after the generation in hand{where}"
        yield blocks.command(f"kill -TERM {state['pid']}", stop)
    else:
        yield blocks.command(f"evo resume {folder}", "go on with it")
    yield blocks.command(f"evo evaluate {folder} --best 1 --every 1", "measure its champions")
    yield blocks.command(f"evo analyse {folder}", "does it progress, cycle or forget?")
    yield blocks.command(f"evo report {folder} --html report.html", "one file to send")
