"""Pages in a browser: they draw, answer to hands and keys, and ask no network for anything."""

from __future__ import annotations

import pytest

import evo

pytestmark = pytest.mark.slow
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    options = {"population": 12, "generations": 6, "snapshot_interval": 2, "lineage": True}
    run = evo.run(folder / MARKUP, game="dots-and-boxes:rows=2,cols=2", **options)
    evo.evaluate(run, ["random", "level-1"], games=20, best=1, every=1)
    return evo.report(run, html=str(folder / "report.html")).path


def test_a_report_draws_all_of_its_figures(opened, file):
    page = opened(file)
    assert page.locator("h1").inner_text() == MARKUP
    assert page.locator(".chart canvas").count() == 3
    assert page.locator("figure.game svg.board").count() == 4
    assert page.locator(".heat rect").count() == 4 * 3
    assert page.locator(".cell").count() == 12
    assert page.locator("img").count() == 0
    for link in page.locator("nav a").all():
        link.click()
        assert page.locator(link.get_attribute("href")).is_visible()


def test_values_are_read_off_by_pointing(opened, file):
    page = opened(file)
    box = page.locator(".chart .u-over").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 40)
    values = page.locator(".chart").first.locator(".u-value").all_inner_texts()
    assert any(text.endswith("%") for text in values)
    page.locator(".heat rect").first.hover()
    words = "champion of generation 0, opponent of generation 2:"
    assert words in page.locator(".readout").first.inner_text()


def test_a_game_is_played_back_by_buttons_by_keys_and_by_its_moves(opened, file):
    expect = pytest.importorskip("playwright.sync_api").expect
    game = opened(file).locator("figure.game").first
    caption = lambda: game.locator(".caption").inner_text()  # noqa: E731
    drawn = lambda: game.locator("svg.board > *").count()  # noqa: E731
    at_start = drawn()
    assert caption().startswith("0 of 12")
    game.get_by_label("next move").click()
    assert caption().startswith("1 of 12")
    assert drawn() > at_start
    game.get_by_label("next move").press("ArrowRight")
    assert caption().startswith("2 of 12")
    game.locator(".moves button").last.click()
    assert caption().startswith("12 of 12")
    game.get_by_label("first position").click()
    game.get_by_text("play", exact=True).click()
    expect(game.locator(".caption")).to_contain_text("2 of 12")


def test_what_the_player_saw_is_switched_on_and_off(opened, file):
    game = opened(file).locator("figure.game").first
    button = game.get_by_role("button", name="what the player saw")
    marks = lambda: game.locator("svg.board > g > circle").count()  # noqa: E731
    assert marks() == 0
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert marks() == 12, "an output per edge"
    assert game.locator(".seen tbody tr").count() == 12
    assert game.locator(".seen").get_by_text("(played)").count() == 1
    game.get_by_label("next move").click()
    assert marks() == 11
    game.get_by_role("button", name="perfect play").click()
    assert "perfect play: net points" in game.locator(".seen").inner_text()
    game.get_by_role("button", name="perfect play").click()
    assert marks() == 0


def test_tables_sort_and_filter(opened, file):
    page = opened(file)
    table = page.locator("#section-7 figure").last
    table.get_by_role("button", name="raw_fitness").click()
    column = lambda: table.locator("tbody tr").evaluate_all(  # noqa: E731
        "rows => rows.map(row => Number(row.cells[row.cells.length - 5].textContent))"
    )
    assert column() == sorted(column())
    before = table.locator("tbody tr").count()
    table.get_by_label("filter rows").fill("no such row")
    assert before == 12
    assert table.locator("tbody tr").count() == 0


@pytest.mark.parametrize(
    ("label", "begins"), [("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("CSV", b"line,")]
)
def test_a_figure_is_saved(opened, file, label, begins, tmp_path):
    page = opened(file)
    with page.expect_download() as download:
        page.locator("#section-2 .savers").get_by_text(label).click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    assert saved.name == f"win-rates.{label.lower()}"
    assert saved.read_bytes().startswith(begins)


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(opened, file, width, scheme):
    page = opened(file)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_cell_shows_its_genome_on_the_board(opened, file):
    page = opened(file)
    page.locator(".cell").nth(3).click()
    assert page.locator(".cell").nth(3).get_attribute("aria-pressed") == "true"
    assert page.locator(".boards circle").count() % 12 == 0, "an input per edge of the board"


def test_the_chosen_policy_table_is_drawn_as_arrows(opened, tmp_path):
    options = {"population": 16, "generations": 1}
    run = evo.run(tmp_path / "run", game="cat-and-mouse:rows=4,cols=4", **options)
    page = opened(evo.report(run, html=str(tmp_path / "a.html"), quick=True).path)
    cats = page.locator("figure", has=page.locator(".cell")).first
    arrows = lambda: cats.locator(".boards .arrow").evaluate_all(  # noqa: E731
        "arrows => arrows.map(arrow => arrow.outerHTML)"
    )
    fittest = arrows()
    assert len(fittest) == cats.locator(".boards svg").count() > 0
    others = []
    for cell in cats.locator(".cell").all()[1:]:
        cell.click()
        others.append(arrows())
    assert any(each != fittest for each in others)
