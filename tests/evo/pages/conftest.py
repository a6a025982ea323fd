"""A browser that opens pages, and fails a test at what fails or asks for another origin."""

from __future__ import annotations

import os
import shutil

import pytest

CHROMIUM = os.environ.get("EVO_CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra browser")
    if not CHROMIUM:
        pytest.skip("no Chromium is installed; EVO_CHROMIUM names one")
    with playwright.sync_playwright() as driver:
        yield driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@pytest.fixture
def opened(browser):
    """A function that opens a file or an address of a server on this machine."""
    wrong = []
    context = browser.new_context(viewport={"width": 1000, "height": 800}, accept_downloads=True)
    page = context.new_page()
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: _is_left(request) or wrong.append(request.url))

    def opened(place):
        address = place if str(place).startswith("http://127.0.0.1:") else f"file://{place}"
        own = ("/".join(address.split("/")[:3]) + "/", "blob:", "data:")
        page.unroute_all()
        page.route("**/*", lambda route: _own(route, own, wrong))
        page.goto(address)
        return page

    yield opened
    context.close()
    assert wrong == []


def _is_left(request):
    """Whether a request is a stream of events that a page closed when it was left."""
    return "/events?" in request.url


def _own(route, own, wrong):
    if route.request.url.startswith(own):
        route.continue_()
    else:
        wrong.append(route.request.url)
        route.abort()
