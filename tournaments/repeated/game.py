"""A repeated game of its moves and payoffs.

Rock, paper, scissors, with all kinds of player that repeated games have, is::

    RULES = repeated_game(
        "rock-paper-scissors",
        "rock, paper, scissors, round after round",
        ("rock", "paper", "scissors"),
        ((0, -1, 1), (1, 0, -1), (-1, 1, 0)),
    )
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tournaments.registry import late
from tournaments.repeated import drawing, rules
from tournaments.repeated.markov import FORM
from tournaments.repeated.scripted import SCRIPTED
from tournaments.repeated.tables import FORMS
from tournaments.rules import (
    HEADER,
    ChanceRules,
    NetworkRules,
    PlayerOffer,
    Rules,
    StageRules,
)


def repeated_game(
    name: str,
    summary: str,
    moves: tuple[str, ...],
    payoffs: rules.Payoffs,
    *,
    rounds: int = 100,
    has_noise: bool = False,
    players: Mapping[str, PlayerOffer] | None = None,
    yardsticks: tuple[str, ...] = ("random", "win-stay-lose-shift", "equilibrium", "markov"),
    opponents: tuple[str, ...] = ("random", "win-stay-lose-shift", "equilibrium", "markov"),
    draw: Callable[[Any], Any] = drawing.draw,
    results: Mapping[int, str] | None = None,
) -> Rules:
    """Return the rules of a repeated game whose seats are alike, with all that such games offer.

    Args:
        name: as users type it.
        summary: one line for lists.
        moves: names of the moves, two to eight.
        payoffs: gain of a seat by its own move (row) against the other's, whole numbers; or a
            function that makes them of options of the game's own, its arguments.
        rounds: number of rounds by default.
        has_noise: whether the game has the option ``noise``.
        players: players that this game alone offers.
        yardsticks: see :class:`tournaments.rules.Rules`.
        opponents: likewise.
        draw: likewise.
        results: names of gains, such as "hit", see :class:`tournaments.rules.StageRules`.

    Raises:
        TournamentError: moves and payoffs that do not go together.
    """
    own = inspect.signature(payoffs).parameters if callable(payoffs) else {}
    noise: dict[str, Any] = {"noise": 0.0} if has_noise else {}
    size = HEADER + rules.OWN + (rules.STREAM_SIZE if has_noise else 0)
    make_board = partial(rules.make_board, name, len(moves), payoffs)
    make_board(rounds=rounds)  # refuses invalid arguments at once
    return Rules(
        name=name,
        summary=summary,
        seats=rules.SEATS,
        options={"rounds": rounds, **noise, **{key: own[key].default for key in own}},
        board=make_board,
        state_size=lambda board: size,
        num_actions=lambda board: int(board[rules.MOVES]),
        most_plies=lambda board: 2 * int(board[rules.ROUNDS]),
        start=rules.start,
        legal=rules.legal,
        play=rules.play,
        text=partial(rules.text, moves),
        parse=partial(rules.parse, moves, size),
        describe=lambda board, action: moves[action],
        objective="points",
        view=rules.view,
        has_secret=rules.has_secret,
        chance=ChanceRules() if has_noise else None,
        stage=StageRules(
            moves,
            rules.payoffs_of,
            lambda board: int(board[rules.ROUNDS]),
            rules.noise_of,
            results or {},
        ),
        network=NetworkRules(lambda board: 1 + 2 * int(board[rules.MOVES]), rules.encode),
        tables={form.name: form for form in FORMS},
        vectors={FORM.name: FORM},
        players={**SCRIPTED, **(players or {})},
        yardsticks=yardsticks,
        opponents=opponents,
        best_responses=late("tournaments.repeated.exact", "best_responses"),
        meetings=late("tournaments.repeated.exact", "meetings"),
        draw=draw,
    )
