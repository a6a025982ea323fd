"""The pictures of pages on the site: `python -m benchmarks.screenshots`.

Makes small runs in a temporary folder, opens their pages in Chromium by Playwright, and writes a
PNG of a part of each into `docs/figures`.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

import evo
from benchmarks.serving import served

FIGURES = Path(__file__).parents[1] / "docs/figures"
BOXES = "dots-and-boxes:rows=2,cols=2"
COLOURS = 64
"""Number of colours of a picture."""


class Shot(NamedTuple):
    """A picture of a page.

    Attributes:
        name: name of the file in `docs/figures`.
        path: address of the page on the server.
        act: what is done on the page before the picture is taken.
        part: the element of the picture; empty: what the window shows.
        height: height of the window in pixels.
    """

    name: str
    path: str
    act: Callable[[Any], object] = lambda page: None
    part: str = ""
    height: int = 640


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs"
        _make(path)
        with served(path) as reader:
            for shot, page in _pages(reader):
                file = FIGURES / f"{shot.name}.png"
                target = page.locator(shot.part).first if shot.part else page
                target.screenshot(path=file)
                Image.open(file).convert("RGB").quantize(COLOURS).save(file, optimize=True)
                print(f"{file.relative_to(Path.cwd())}  {file.stat().st_size:,} bytes")


def _make(path: Path) -> None:
    """Make runs, a tournament and a league."""
    for scheme in ("round-robin", "antibody-antigen"):
        for seed in (1, 2, 3):
            run = evo.run(
                path / f"{scheme}-{seed}",
                game=BOXES,
                scheme=scheme,
                seed=seed,
                generations=40,
                population=60,
                snapshot_interval=4,
                lineage=True,
            )
            evo.evaluate(run, ["random", "level-1", "optimal"], games=200, best=1, every=1)
    names = ["random", "level-0", "level-1", "level-2", "optimal"]
    evo.tournament(BOXES, names, games=200, out=str(path / "cup"))


def _play(page: Any) -> None:
    """Begin a game of the cat trap, and ask for a hint."""
    page.locator("select").first.select_option("cat-trap")
    page.locator("option", has_text="planner").first.wait_for(state="attached")
    page.get_by_role("button", name="begin").click()
    page.get_by_role("button", name="hint").click()
    page.locator("pre.said", has_text="perfect play").wait_for()


def _open_cell(page: Any) -> None:
    heat = page.locator("[data-title='Each against each']")
    heat.scroll_into_view_if_needed()
    heat.locator("[role=button]").nth(2).click()
    game = heat.locator("figure.game").first
    for _ in range(8):
        game.get_by_label("next move").click()


def _games(page: Any) -> None:
    section = page.locator("[data-title='Games of the champion']")
    section.scroll_into_view_if_needed()
    game = section.locator("figure.game").nth(2)
    game.wait_for()
    for _ in range(7):
        game.get_by_label("next move").click()
    game.get_by_role("button", name="what the player saw").click()


SHOTS = (
    Shot("page-list", ""),
    Shot("page-run", "item/runs/round-robin-1", part="[data-title='Strength'] figure"),
    Shot(
        "page-game",
        "item/runs/round-robin-1",
        _games,
        "[data-title='Games of the champion'] figure.game:nth-of-type(3)",
    ),
    Shot("page-tournament", "item/runs/cup", _open_cell, "[data-title='Each against each'] figure"),
    Shot(
        "page-compare",
        "compare?"
        + "&".join(
            f"name=runs/{s}-{n}" for s in ("round-robin", "antibody-antigen") for n in (1, 2, 3)
        ),
        part="[data-title='Laid over one another'] figure:nth-of-type(2)",
    ),
    Shot("page-play", "play", _play, "figure.play"),
)


def _pages(reader: Any) -> Iterator[tuple[Shot, Any]]:
    """Yield each picture with the page that shows it."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("EVO_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 640}, color_scheme="light")
        page.goto(reader.entrance)
        for shot in SHOTS:
            page.set_viewport_size({"width": 900, "height": shot.height})
            page.goto(f"{reader.address}{shot.path}")
            page.locator("main section").first.wait_for()
            shot.act(page)
            page.wait_for_timeout(700)
            yield shot, page
        browser.close()


if __name__ == "__main__":
    main()
