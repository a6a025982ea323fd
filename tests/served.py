"""A server of pages in a thread of the tests, and a reader that talks to it."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from urllib.parse import quote

from html_pages import data_of

from benchmarks.serving import Reader

TOKEN = "a secret of the tests"


class PageReader(Reader):
    """A reader that takes pages apart."""

    def page(self, path=""):
        """Return the data of a page."""
        status, _, text = self.ask(path)
        assert status == 200, text
        return data_of(text)

    def item(self, name):
        """Return the blocks of the sections of an item's page, by title."""
        page = self.page(f"item/{quote(name)}")
        return {each["title"]: each["blocks"] for each in page["sections"]}


@contextmanager
def serving(*folders, prefix="", games=()):
    """Serve some folders in a thread, and give the reader of the server."""
    import uvicorn

    from evo.serve.app import make_app
    from evo.serve.play import routes

    app = make_app(list(folders), TOKEN, prefix=prefix, more=lambda shelf: routes(shelf, games))
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield PageReader(listener.getsockname()[1], TOKEN, prefix)
    finally:
        app.state.server.is_ending = server.should_exit = True
        thread.join(10)
        listener.close()
