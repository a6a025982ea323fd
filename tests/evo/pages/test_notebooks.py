"""What a notebook shows: static HTML whose texts are escaped and which names no folder."""

from __future__ import annotations

import html.parser

import pytest

import evo
from results import open_run, open_tournament
from tournaments import games, players
from tournaments.game import GAMES

MARKUP = "<b>x"


class Tags(html.parser.HTMLParser):
    """The tags of a document."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)


@pytest.mark.parametrize("name", GAMES.own())
def test_games_positions_and_players_are_shown_with_their_boards(name):
    game = games.make(name)
    for thing in (game, game.start(1), players.make("random", game)):
        tags = Tags(thing._repr_html_()).tags
        assert "script" not in tags
        assert ("svg" in tags) == (thing is not None and not hasattr(thing, "kind"))


def test_runs_and_tournaments_are_shown_at_any_time_and_name_no_folder(tmp_path):
    path = tmp_path / MARKUP
    run = evo.run(path, game="nim", population=6, generations=2)
    for measured in (False, True):
        if measured:
            evo.evaluate(run, ["random"], games=10, best=1)
        text = open_run(path)._repr_html_()
        tags = Tags(text).tags
        assert "svg" in tags
        assert "b" not in tags
        assert "script" not in tags
        assert str(tmp_path) not in text
    evo.tournament("nim", ["random", "optimal"], games=4, out=str(tmp_path / "cup"))
    cup = open_tournament(tmp_path / "cup")
    assert Tags(cup._repr_html_()).tags.count("table") == 3
    (tmp_path / "cup/ratings.parquet").write_bytes(b"nothing")
    assert "ratings.parquet" in cup._repr_html_()
    for file in path.glob("generations/*"):
        file.unlink()
    for file in path.glob("snapshots/*"):
        file.unlink()
    assert "no generation to draw yet" in open_run(path)._repr_html_()
