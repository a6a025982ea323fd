"""Dots and boxes: rules, players, exact play, drawing."""

from __future__ import annotations

from dataclasses import asdict

from tournaments.games.dots_and_boxes import hand_built, rules
from tournaments.games.dots_and_boxes.drawing import draw
from tournaments.games.dots_and_boxes.players import LEVEL_1, LEVEL_2
from tournaments.registry import late
from tournaments.rules import LegalSets, NetworkRules, PlayerOffer, Rules, SolverRules, nobody

RULES = Rules(
    name="dots-and-boxes",
    summary="join dots, close boxes, close one and move again; rows=3 cols=3 count boxes",
    seats=rules.SEATS,
    options=asdict(rules.Options()),
    board=rules.make_board,
    state_size=rules.state_size,
    num_actions=rules.num_edges,
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    text=rules.text,
    parse=rules.parse,
    describe=rules.describe,
    objective="points",
    rulers=rules.rulers,
    network=NetworkRules(
        num_inputs=rules.num_edges,
        encode=rules.encode,
        encode_change=rules.encode_change,
        num_hidden=rules.num_boxes,
        symmetries=rules.symmetries,
    ),
    solver=SolverRules(
        position=rules.position,
        num_positions=rules.num_positions,
        solve=rules.solve,
        action_value=rules.action_value,
    ),
    sets=LegalSets(rules.legal_set, rules.legal_set_change),
    players={
        "level-1": PlayerOffer("completes a box where it can, else random", LEVEL_1.player),
        "level-2": PlayerOffer(
            "level 1, and draws no third side where it can help it", LEVEL_2.player
        ),
        "box-completion-network": PlayerOffer(
            "a network built by hand that completes boxes (order=SEED: prefers edges in that "
            "order)",
            hand_built.completing_boxes,
        ),
        "third-side-network": PlayerOffer(
            "a network built by hand that plays as level 2 does (order=SEED: likewise)",
            hand_built.refusing_third_sides,
            samples=nobody,  # a network, and on large boards slow move by move
        ),
    },
    yardsticks=("level-0", "level-1", "level-2", "optimal"),
    best_responses=late(f"{__name__}.best_response", "best_responses"),
    meetings=late(f"{__name__}.exact_play", "meetings"),
    draw=draw,
)
