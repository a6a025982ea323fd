"""How fast the pages of `evo serve` are: `python -m benchmarks.serving`.

One JSON object a line: seconds of the first list of 500 runs, of the page of a run of 100,000
generations (the server's part and, where Chromium and Playwright are installed, until the browser
has drawn it), of a move and its reply at 3x3 boxes, and from a snapshot to the event that announces
it; the bytes of a page without its data, as they are sent; and the seconds of a run on all cores
beside a server with an open page, as a ratio to those of the same run alone, in alternating pairs.
"""

import argparse
import gzip
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

import evo
from benchmarks import long_runs
from benchmarks.report import emit, machine
from evo.pages.document import page_files
from evo.serve.folders import Shelf

TOKEN = "a secret of the benchmark"


class Reader:
    """A reader of a server: it has the token, and speaks as a page of the server does."""

    def __init__(self, port: int, token: str, prefix: str = "") -> None:
        self.port, self.token, self.prefix = port, token, prefix
        self.address = f"http://127.0.0.1:{port}{prefix}/"
        self.entrance = f"{self.address}?{urlencode({'token': token})}"

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        content: Any = None,
        token: str | None = "",
        headers: Any = (),
    ) -> tuple[int, dict[str, str], str]:
        """Return (status, headers, text) of a request whose path is sent as it is.

        ``token`` is another one than the reader's; None: the request has none.
        """
        sent = {} if token is None else {"Cookie": f'evo-{self.port}="{token or self.token}"'}
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

    def post(self, path: str, content: Any) -> tuple[int, Any]:
        """Return (status, data) of a request that changes something."""
        status, _, text = self.ask(path, method="POST", content=content)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text

    def state(self, at: str) -> dict[str, Any]:
        """Return the state of a game once the opponent has moved."""
        while (state := json.loads(self.ask(f"{at}/state")[2]))["thinking"]:
            time.sleep(0.002)
        return state

    def events(self, path: str, count: int, seconds: float = 20.0) -> list[Any]:
        """Return the data of the first events of a stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        cookie = {"Cookie": f'evo-{self.port}="{self.token}"'}
        connection.request("GET", f"{self.prefix}/{path}", headers=cookie)
        answer, found = connection.getresponse(), list[Any]()
        while len(found) < count and (line := answer.readline()):
            if line.startswith(b"data: "):
                found.append(json.loads(line[6:]))
        connection.close()
        return found


def main() -> None:
    """Measure each of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--generations", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=7, help="of a run alone and beside a server")
    parser.add_argument("--games", type=int, default=3_000_000, help="of such a run")
    options = parser.parse_args()
    emit("machine", 1, "machine", **machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        sent = sum(len(gzip.compress(text.encode())) for text in page_files(live=True).values())
        emit("page-weight", sent, "bytes")
        _list(path / "many", options.runs)
        _long(path / "long", options.generations)
        _move(path)
        _event(path / "live")
        _beside(path / "beside", options.pairs, options.games)


def _list(folder: Path, runs: int) -> None:
    run = evo.run(folder / "000", game="nim", population=10, generations=10)
    for number in range(1, runs):
        shutil.copytree(run.path, folder / f"{number:03d}")
    began = time.perf_counter()
    rows = Shelf([folder]).rows()
    emit("list", time.perf_counter() - began, "s", runs=len(rows))


def _long(folder: Path, generations: int) -> None:
    """Write a run of as many generations, without games, and open its page."""
    form = argparse.Namespace(
        generations=generations, interval=100, individuals=20, keep_every=0, keep_last=0
    )
    long_runs.write(folder / "run", form)
    with served(folder) as reader:
        reader.ask("item/long/run")  # libraries are loaded
        began = time.perf_counter()
        status, _, text = reader.ask("item/long/run")
        assert status == 200
        emit("long-page", time.perf_counter() - began, "s", bytes=len(text))
        drawn = _drawn(reader, "item/long/run")
        if drawn is not None:
            emit("long-page-drawn", drawn, "s")


def _drawn(reader: Reader, path: str) -> float | None:
    """Return the seconds until a browser has drawn the charts of a page; None: no browser."""
    chromium = os.environ.get("EVO_CHROMIUM") or shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        return None
    if not chromium:
        return None
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(reader.entrance)
        began = time.perf_counter()
        page.goto(f"{reader.address}{path}", wait_until="commit")
        page.locator(".chart canvas").nth(1).wait_for()
        seconds = time.perf_counter() - began
        browser.close()
    return seconds


def _move(folder: Path) -> None:
    with served(folder) as reader:
        game = {"game": "dots-and-boxes:rows=3,cols=3", "opponent": "level-2"}
        seconds = []
        for seed in range(5):
            _, answer = reader.post("play/new", {**game, "seed": seed})
            at, state = answer["to"], reader.state(answer["to"])
            while not state["over"]:
                began = time.perf_counter()
                action = state["moves"][0]["action"]
                reader.post(f"{at}/move", {"ply": state["ply"], "action": action})
                state = reader.state(at)
                seconds.append(time.perf_counter() - began)
        emit("move", statistics.median(seconds[5:]), "s", slowest=max(seconds[5:]))


def _event(folder: Path) -> None:
    run = evo.run(folder / "run", game="nim", population=10, generations=1)
    delays = []
    with served(folder) as reader:
        for generation in range(2, 12):
            heard: list[float] = []
            thread = threading.Thread(
                target=lambda heard=heard: (
                    reader.events("events?name=live/run", 1),
                    heard.append(time.perf_counter()),
                )
            )
            thread.start()
            time.sleep(0.6)
            evo.resume(run.path, generations=generation)
            file = run.path / f"snapshots/generation-{generation:06d}.parquet"
            written = time.perf_counter() - (time.time() - file.stat().st_mtime)
            thread.join()
            delays.append(heard[0] - written)
    emit("event", float(np.median(delays)), "s", slowest=max(delays))


def _beside(folder: Path, pairs: int, games: int) -> None:
    """Print the ratio of the seconds of a run beside a server with an open page and alone."""
    ratios = []
    for pair in range(pairs):
        seconds = {}
        for is_served in (False, True) if pair % 2 else (True, False):
            path = folder / f"{pair}-{is_served}"
            command = [
                sys.executable,
                "-m",
                "evo",
                "run",
                "--games",
                str(games),
                "--out",
                str(path),
            ]
            if is_served:
                folder.mkdir(exist_ok=True)
                with served(folder) as reader:
                    page = f"events?name={quote(f'beside/{path.name}')}"
                    listener = threading.Thread(target=_listen, args=(reader, page), daemon=True)
                    listener.start()
                    seconds[True] = _seconds(command)
            else:
                seconds[False] = _seconds(command)
        ratios.append(seconds[True] / seconds[False])
    emit(
        "run-beside-a-server", float(np.median(ratios)), "ratio", all=[round(r, 3) for r in ratios]
    )


def _listen(reader: Reader, path: str) -> None:
    """Follow the events of a run as soon as it is there."""
    while reader.ask(path.replace("events?name=", "item/"))[0] != 200:
        time.sleep(0.3)
    with suppress(OSError, http.client.HTTPException):  # the server ends
        reader.events(path, 1_000_000, 600.0)


def _seconds(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


@contextmanager
def served(folder: Path) -> Iterator[Reader]:
    """Serve a folder from a process of its own, and give its reader."""
    folder.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "evo", "serve", str(folder)]
    environment = {**os.environ, "EVO_TOKEN": TOKEN}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split(":")[2].split("/")[0])
        yield Reader(port, TOKEN)
    finally:
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    main()
