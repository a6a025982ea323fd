"""A server of pages in a thread of the tests, and a reader that talks to it."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import contextmanager
from urllib.parse import quote, urlencode

from html_pages import data_of

TOKEN = "a secret of the tests"


class Reader:
    """A reader of a server: it has the token, and speaks as a page of the server does."""

    def __init__(self, port: int, prefix: str = "") -> None:
        self.port, self.prefix = port, prefix
        self.address = f"http://127.0.0.1:{port}{prefix}/"
        self.entrance = f"{self.address}?{urlencode({'token': TOKEN})}"

    def ask(self, path, *, method="GET", content=None, token=TOKEN, host=None, headers=()):
        """Return (status, headers, text) of a request whose path is sent as it is."""
        sent = {"Host": host or f"127.0.0.1:{self.port}"}
        if token is not None:
            sent["Cookie"] = f'evo-{self.port}="{token}"'
        if method != "GET":
            sent["Origin"] = f"http://127.0.0.1:{self.port}"
        body = None if content is None else json.dumps(content)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, f"{self.prefix}/{path}", body, {**sent, **dict(headers)})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def page(self, path=""):
        """Return the data of a page."""
        status, _, text = self.ask(path)
        assert status == 200, text
        return data_of(text)

    def item(self, name):
        """Return the blocks of the sections of an item's page, by title."""
        page = self.page(f"item/{quote(name)}")
        return {each["title"]: each["blocks"] for each in page["sections"]}

    def post(self, path, content):
        """Return (status, data) of a request that changes something."""
        status, _, text = self.ask(path, method="POST", content=content)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text

    def events(self, path, count, seconds=20.0):
        """Return the data of the first events of a stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        cookie = {"Cookie": f'evo-{self.port}="{TOKEN}"'}
        connection.request("GET", f"{self.prefix}/{path}", headers=cookie)
        answer, found, until = connection.getresponse(), [], time.monotonic() + seconds
        while len(found) < count and time.monotonic() < until:
            line = answer.readline()
            if line.startswith(b"data: "):
                found.append(json.loads(line[6:]))
        connection.close()
        return found


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
        yield Reader(listener.getsockname()[1], prefix)
    finally:
        app.state.server.is_ending = server.should_exit = True
        thread.join(10)
        listener.close()
