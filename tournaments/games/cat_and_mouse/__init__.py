"""Cat and mouse: rules, boards, players, tables, exact play, drawing."""

from __future__ import annotations

from dataclasses import asdict

from tournaments.games.cat_and_mouse import board, rules
from tournaments.games.cat_and_mouse.drawing import draw
from tournaments.games.cat_and_mouse.players import CAREFUL, GREEDY, optimal, plays_optimally
from tournaments.games.cat_and_mouse.position_table import POSITION
from tournaments.games.cat_and_mouse.window_table import WINDOW
from tournaments.players.optimal import SUMMARY
from tournaments.registry import late
from tournaments.rules import PlayerOffer, Rules

RULES = Rules(
    name="cat-and-mouse",
    summary="the cat catches the mouse on a grid, or it escapes; rows=8 cols=7 first=cat "
    "end=repetition or move-limit",
    seats=board.SEATS,
    has_roles=True,
    options=asdict(board.Options()),
    board=board.make_board,
    state_size=board.state_size,
    num_actions=board.num_actions,
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    text=rules.text,
    parse=rules.parse,
    describe=rules.describe,
    measure=rules.measure,
    emoji=rules.emoji,
    tables={form.name: form for form in (POSITION, WINDOW)},
    players={
        "greedy": PlayerOffer("a cat that comes nearer, a mouse that goes away", GREEDY.player),
        "careful": PlayerOffer(
            "a mouse that does not step next to a cat; as a cat, random play",
            CAREFUL.player,
        ),
        "optimal": PlayerOffer(SUMMARY, optimal, plays_optimally, wins_soonest=True),
    },
    yardsticks=("random", "greedy", "optimal"),
    best_responses=late(f"{__name__}.best_response", "best_responses"),
    draw=draw,
)
