"""The strongest champions recorded, with which a run ends."""

from __future__ import annotations

import shlex

import pytest
from processes import ROOT

from evo.cli.main import parser
from evo.evaluation import best_known
from tournaments import games, players

CHAMPIONS = best_known.champions()


@pytest.mark.parametrize("known", CHAMPIONS, ids=lambda known: known["game"])
def test_the_champion_can_be_measured_and_evolved_and_its_page_has_the_figure(known):
    game = games.parse(known["game"])
    assert game.short_spec == known["game"]
    assert known["opponent"] in players.yardsticks(game)
    assert known.get("role", game.seats[0]) in game.seats
    share = known.get("wins", known.get("points"))
    page = (ROOT / known["page"]).read_text(encoding="utf-8")
    assert f"{share:.1%}" in page
    program, *words = shlex.split(known["command"])
    assert program == "evo"
    assert parser().parse_args(words).command == "run"


def row(population: str, wins: int, draws: int = 0) -> dict[str, object]:
    rate = wins / 1000
    return {
        "population": population,
        "opponent": "optimal",
        "games": 1000,
        "wins": wins,
        "draws": draws,
        "win_rate": rate,
        "win_rate_high": rate + 0.01,
    }


def test_a_weaker_champion_gets_the_command_of_the_strongest():
    fox = games.parse("fox-and-hounds")
    (weak,) = best_known.standings(fox, [row("hounds", 500), row("fox", 0)])
    assert weak.command == "evo run --game fox-and-hounds"
    assert weak.sentence.startswith(
        "the champion of hounds wins 50.0% of its games against optimal; the median of five "
        "default runs wins 96.2% ("
    )
    (strong,) = best_known.standings(fox, [row("hounds", 955)])
    assert strong.command == ""


def test_a_draw_is_half_a_point():
    (standing,) = best_known.standings(games.parse("tic-tac-toe"), [row("main", 0, 1000)])
    assert "scores 50.0% of the points" in standing.sentence
    assert standing.command == ""


def test_another_board_is_not_compared():
    assert not list(best_known.standings(games.parse("nim:heaps=1-2"), [row("main", 10)]))
