"""Live pages in a browser: they follow runs, compare them, and say what is missing."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time

import pytest
from processes import ROOT, begin, end
from served import serving

import evo

pytestmark = pytest.mark.slow
MARKUP = "<img src=x onerror=alert(1)>"
LONG = ["--game", "dots-and-boxes:rows=2,cols=2", "--population", "40", "--generations", "100000"]
LONG += ["--set", "snapshot_interval=1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Finished runs, one with markup in its name, a damaged one, a killed one, a tournament."""
    path = tmp_path_factory.mktemp("live") / "runs"
    for seed, name in ((1, MARKUP), (2, "b")):
        run = evo.run(path / name, game="nim", population=8, generations=6, seed=seed)
        evo.evaluate(run, ["random"], games=20, best=1, every=1)
    shutil.copytree(run.path, path / "damaged")
    (path / "damaged/run.json").write_text("{")
    evo.tournament("nim", ["random", "optimal"], games=4, out=str(path / "cup"))
    with long_run(path / "killed", snapshots=2):
        pass
    return path


@contextlib.contextmanager
def long_run(path, snapshots):
    """Begin a run in another process, wait for its first snapshots, and kill it at the end."""
    command = [sys.executable, "-m", "evo", "run", *LONG, "--out", str(path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = begin(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 300  # kernels may have to be compiled
        while len([*path.glob("snapshots/*.parquet")]) < snapshots:
            assert run.poll() is None, "the run has ended"
            assert time.monotonic() < until, "the run has too few snapshots"
            time.sleep(0.1)
        yield run
    finally:
        end(run)


@pytest.fixture(scope="module")
def reader(folder):
    with serving(folder) as reader:
        yield reader


def test_a_curve_grows_while_a_run_goes_on_and_keeps_what_is_enlarged(opened, tmp_path):
    with long_run(tmp_path / "runs/now", snapshots=1) as run, serving(tmp_path / "runs") as reader:
        page = opened(reader.entrance)
        page.get_by_role("link", name="runs/now").click()
        page.locator(".chart canvas").first.wait_for()
        fact = lambda name: page.locator(f"dt:text-is('{name}') + dd").inner_text()  # noqa: E731
        assert fact("state") == "running"
        chart = page.locator("[data-title='Evolution'] .chart").first
        chart.scroll_into_view_if_needed()
        page.locator("svg.board").first.wait_for()  # of the section above
        page.wait_for_timeout(500)
        chart.scroll_into_view_if_needed()
        before, place = fact("generation"), chart.bounding_box()["y"]
        shown = lambda: [float(end) for end in chart.get_attribute("data-range").split()]  # noqa: E731
        whole = shown()
        box = chart.locator(".u-over").bounding_box()
        for step, x in enumerate((0.2, 0.5)):
            page.mouse.move(box["x"] + box["width"] * x, box["y"] + 50)
            page.mouse.down() if not step else page.mouse.up()
        enlarged = shown()
        assert whole[0] < enlarged[0] < enlarged[1] < whole[1]
        updates = lambda: int(page.locator(".live").get_attribute("data-updates") or 0)  # noqa: E731
        wanted = updates() + 2
        until = time.monotonic() + 120
        while updates() < wanted:
            assert time.monotonic() < until, "the page is not updated"
            page.wait_for_timeout(100)
        assert fact("generation") != before
        assert abs(chart.bounding_box()["y"] - place) < 2, "the reader stays where it reads"
        assert shown() == enlarged
        chart.locator(".u-over").dblclick()
        assert shown()[1] > whole[1], "the curve has grown"
        assert page.locator("[data-title='Commands'] pre").first.inner_text() == (
            f"kill -TERM {run.pid}"
        )


def test_the_list_sorts_filters_and_compares(opened, reader):
    page = opened(reader.entrance)
    names = lambda: page.locator("tbody tr a").all_inner_texts()  # noqa: E731
    assert len(names()) == 5
    assert f"runs/{MARKUP}" in names()
    assert page.locator("img").count() == 0
    page.get_by_role("button", name="name", exact=True).click()
    assert names() == sorted(names(), key=str.lower)
    page.get_by_label("filter rows").fill("done")
    assert sorted(names()) == sorted([f"runs/{MARKUP}", "runs/b"])
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="compare").click()
    page.locator(".chart canvas").first.wait_for()
    assert page.locator("h1").inner_text() == "Comparison"
    page.get_by_role("link", name="b", exact=True).click()
    assert page.locator("h1").inner_text() == "runs/b"


@pytest.mark.parametrize(
    ("name", "words"),
    [("killed", "stopped"), ("damaged", "run.json"), ("b", "done")],
)
def test_runs_in_any_state_show_what_there_is_and_say_what_is_missing(opened, reader, name, words):
    page = opened(reader.entrance)
    page.get_by_role("link", name=f"runs/{name}", exact=True).click()
    page.locator("main section").first.wait_for()
    assert words in page.locator("main").inner_text()


def test_sections_are_made_when_a_reader_comes_to_them(opened, reader):
    page = opened(reader.entrance)
    page.get_by_role("link", name="runs/b", exact=True).click()
    games = page.locator("[data-title='Games of the champion']")
    games.scroll_into_view_if_needed()
    games.locator("svg.board").first.wait_for()
    page.get_by_role("link", name="Play against the champion").click()
    page.get_by_role("button", name="begin").wait_for()
    assert page.locator("select").nth(1).input_value() in ("champion of runs/b", "")


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_the_window(opened, reader, width, scheme):
    page = opened(reader.entrance)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    for path in ("", "item/runs/b", "item/runs/cup", "compare?name=runs/b", "play"):
        page.goto(f"{reader.address}{path}")
        page.locator("main section").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_every_control_of_the_list_is_reached_by_the_keyboard(opened, reader):
    page = opened(reader.entrance)
    wanted = page.locator("a, button:not([disabled]), input").count()
    reached = set()
    for _ in range(wanted + 2):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.outerHTML"))
    assert len(reached) >= wanted - 1
