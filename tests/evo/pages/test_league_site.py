"""The pages of a league for a web server: whole, small, and without what must not be published."""

from __future__ import annotations

import re

import pytest
from html_pages import Parts, data_of, rows_in, sections_in

import evo

GAME = "tic-tac-toe"
MARKUP = "<b>x"


@pytest.fixture
def folder(tmp_path):
    """Bots of which some lose to others, and one that fails."""
    path = tmp_path / "bots"
    path.mkdir()
    kinds = {"first": "[0]", "last": "[-1]", "middle": "[len(state.legal_actions()) // 2]"}
    code = "".join(
        f"def {name}(state, rng):\n    rng.draw()\n    return state.legal_actions(){place}\n"
        for name, place in kinds.items()
    )
    code += "def fails(state, rng):\n    rng.draw()\n    if len(state.legal_actions()) < 4:\n"
    code += "        raise ValueError('<no>')\n    return state.legal_actions()[0]\n"
    (path / f"{MARKUP}.py").write_text(code)
    names = [f"{MARKUP}.py:{name}" for name in [*kinds, "fails"]]
    (path / "players.txt").write_text("\n".join(names))
    return path


def test_every_page_is_reached_and_shows_the_lost_games(folder, tmp_path):
    site = tmp_path / "public"
    table = evo.league(folder, GAME, 4, site=site, seed=3)
    index = sections_in(site / "index.html")
    ratings = index["Ratings"][0]
    assert [row["submission"] for row in rows_in(ratings)] == [
        row["submission"] for row in table.rows() if row["rank"]
    ]
    reached = set()
    for row in ratings["rows"]:
        page = site / row[1]["to"]
        sections = sections_in(page)
        for line in sections["Results by opponent"][0]["rows"]:
            assert (page.parent / line[0]["to"]).exists()
            lost, link = line[5], line[-1]
            assert bool(lost) == isinstance(link, dict)
            if link:
                game = page.parent / link["to"]
                reached.add(game.resolve())
                (block,) = sections_in(game)["Game"]
                assert len(block["frames"]) > 5
    assert {path.resolve() for path in (site / "games").iterdir()} >= reached
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert MARKUP not in text.replace(MARKUP.replace("<", "\\u003c"), "")
        assert str(tmp_path) not in text
        for name, attributes in Parts(text).elements:
            for place in filter(None, (attributes.get("src"), attributes.get("href"))):
                assert place == "data:," or (page.parent / place).exists(), (page, name)


def test_games_are_kept_over_nights_and_games_that_no_page_leads_to_go(folder, tmp_path):
    site = tmp_path / "public"
    evo.league(folder, GAME, 4, site=site, seed=3)
    games = {path: path.stat().st_mtime_ns for path in (site / "games").iterdir()}
    (site / "games/old.html").write_text("")
    evo.league(folder, GAME, 4, site=site)
    assert {path: path.stat().st_mtime_ns for path in (site / "games").iterdir()} == games
    evo.league(folder, GAME, 4, site=site, replays=1)
    assert len([*(site / "games").iterdir()]) == 1


@pytest.mark.slow
def test_sixty_submissions_and_200_games_are_less_than_5_megabytes(tmp_path):
    folder, site = tmp_path / "bots", tmp_path / "public"
    folder.mkdir()
    code = "def bot(state, rng):\n    legal = state.legal_actions()\n    rng.draw()\n"
    for number in range(60):
        text = f"{code}    return legal[({number} + len(legal) ** 2) % len(legal)]\n"
        (folder / f"bot{number}.py").write_text(text)
    (folder / "players.txt").write_text("\n".join(f"bot{n}.py:bot" for n in range(60)))
    evo.league(folder, GAME, 2, site=site, schedule="swiss", rounds=12)
    assert len([*(site / "submissions").iterdir()]) == 60
    assert len([*(site / "games").iterdir()]) == 200
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 5_000_000


def test_the_report_of_a_league_is_one_file(folder, tmp_path):
    table = evo.league(folder, GAME, 4)
    page = data_of(evo.report(table.folder, html=str(tmp_path / "a.html")).path.read_text("utf-8"))
    titles = [section["title"] for section in page["sections"]]
    assert titles[:2] == ["What it is", "Ratings"]
    assert f"{MARKUP}.py:first" in titles
    assert not re.search("evo report", str(titles))


def test_a_site_without_a_folder_for_it_is_refused_before_anything_is_played(folder, tmp_path):
    with pytest.raises(ValueError, match="the folder that holds it is not there"):
        evo.league(folder, GAME, 4, site=tmp_path / "no/public")
    for place in (folder, folder / "public", f"{folder}-league"):
        with pytest.raises(ValueError, match="give a folder outside of it"):
            evo.league(folder, GAME, 4, site=place)
    assert [path.name for path in tmp_path.iterdir()] == ["bots"]
