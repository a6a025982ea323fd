"""Every game keeps the contract of authors, with all that it offers and on boards of all kinds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tournaments import games
from tournaments.contract import check_game
from tournaments.game import GAMES, Game

TRAP, FOX, BOXES, SET = "cat-trap", "fox-and-hounds", "dots-and-boxes", "set"
PURSUIT, DILEMMA = "cat-and-mouse", "iterated-prisoners-dilemma"
ANY = "cat_start=any,mouse_start=any"
QUICK = {
    f"{PURSUIT}:{ANY}": 8,
    f"{PURSUIT}:rows=4,cols=4,mouse_start=any,end=move-limit": 8,
    f"{PURSUIT}:rows=4,cols=3,cat_start=any,first=mouse,mouse_steps=2": 8,
    f"{PURSUIT}:rows=4,cols=4,obstacles=0:1+1:1+2:1+3:1,{ANY}": 8,
    f"{PURSUIT}:rows=3,cols=4,cats=2,mice=2,{ANY}": 8,
    f"{BOXES}:rows=1,cols=1": 5,
    f"{BOXES}:rows=1,cols=4": 5,
    f"{BOXES}:rows=4,cols=1": 5,
    f"{BOXES}:rows=2,cols=3": 5,
    f"{BOXES}:rows=3,cols=3": 5,
    f"{BOXES}:rows=5,cols=5": 5,
    f"{BOXES}:rows=5,cols=6": 5,  # on more than 64 edges, sets of actions take two words
    "tic-tac-toe": 5,
    "nim:heaps=1-2-3": 5,
}
"""Specs of games, and how many games are played of each."""
SLOW = {
    "connect-four:rows=4,cols=4": 3,
    PURSUIT: 8,
    f"{PURSUIT}:rows=5,cols=5,first=mouse": 8,
    f"{PURSUIT}:rows=4,cols=5,end=move-limit": 8,
    f"{PURSUIT}:rows=4,cols=5,end=move-limit,limit=1": 8,
    f"{PURSUIT}:rows=2,cols=2": 8,
    f"{PURSUIT}:rows=3,cols=3,obstacles=1:1": 8,
    f"{PURSUIT}:rows=4,cols=4,cat_start=1:2,mouse_start=1:1": 8,
    f"{PURSUIT}:rows=4,cols=4,cat_steps=2": 8,
    f"{PURSUIT}:rows=4,cols=4,mouse_steps=2,first=mouse": 8,
    f"{PURSUIT}:rows=3,cols=4,mouse_steps=2,cat_steps=2": 8,
    f"{PURSUIT}:rows=4,cols=4,cats=2": 8,
    f"{PURSUIT}:rows=3,cols=4,mice=2": 8,
    f"{PURSUIT}:rows=3,cols=3,cats=2,mice=2,cat_steps=2": 8,
    f"{PURSUIT}:rows=3,cols=4,cats=2,mice=2,mouse_steps=2,end=move-limit,cat_start=0:0+0:0,"
    "mouse_start=2:2+2:2,obstacles=1:1+3:2": 8,
    f"{PURSUIT}:rows=26,cols=26": 1,
    f"{PURSUIT}:rows=32,cols=32,end=move-limit,limit=3": 1,
    f"{BOXES}:rows=10,cols=10": 1,  # takes 25 seconds
    TRAP: 2,
    f"{TRAP}:size=3,blocks=none": 2,
    f"{TRAP}:size=9": 2,
    FOX: 3,
    f"{FOX}:rule=standard": 3,
    f"{FOX}:rows=5,cols=6": 3,
    f"{SET}:cards=4,dimensions=2": 2,
    f"{SET}:cards=7,dimensions=3": 2,
    SET: 2,
    "karate:rounds=6": 4,
    f"{DILEMMA}:rounds=6,noise=0.2": 4,
    "capture-the-flag:maze=2,width=14,height=7,dots=4,moves=60": 1,  # compiles the teams
}


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        *QUICK.items(),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW.items()),
    ],
)
def test_the_contract_holds(spec, count):
    check_game(games.parse(spec), games=count)


def test_no_game_is_left_out():
    assert {spec.partition(":")[0] for spec in (*QUICK, *SLOW)} == set(GAMES.own())


@pytest.mark.slow
def test_the_contract_holds_in_a_maze_of_a_layout():
    game = games.parse("capture-the-flag:maze=small,moves=30")
    alone = replace(game.rules, players={}, vectors={}, yardsticks=("random",), opponents=())
    check_game(Game(alone, game.options), games=1)
