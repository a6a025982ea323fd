"""Messages to and from a program: one JSON object per line.

The protocol is described for authors of programs in ``docs/bots.md``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tournaments.errors import PlayerFault, shown
from tournaments.game import Game, State
from tournaments.kernels.hooks import HIDDEN
from tournaments.players.bot.sandbox import ProgramLimits

PROTOCOL = 1
"""Version of the protocol. It increases with each incompatible change."""
MOST_SHOWN = 60
"""Number of characters of an answer that error messages quote."""
EXPECTED = 'a line such as {"action": 3} is expected'


def line(message: dict[str, Any]) -> bytes:
    """Encode a message to a program as a line of JSON in ASCII."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def hello(game: Game, limits: ProgramLimits) -> bytes:
    """Return the first line that a program reads: the game, its actions and the limits."""
    names = [game.rules.describe(game.board, action) for action in range(game.num_actions)]
    return line(
        {
            "type": "hello",
            "protocol": PROTOCOL,
            "game": game.spec,
            "seats": list(game.seats),
            "actions": names,
            "seconds": limits.seconds,
            "game_seconds": limits.game_seconds,
        }
    )


def new_game(seat: int, seed: int) -> bytes:
    """Return the line that tells a program that a new game begins.

    The program must forget the previous game. ``seed`` is for its random numbers.
    """
    return line({"type": "game", "seat": seat, "seed": seed})


def question(state: State, legal: list[int], moves: list[dict[str, Any]]) -> bytes:
    """Return the line that asks a program for an action.

    Args:
        state: the state, as the seat to move sees it.
        legal: the legal actions.
        moves: the moves since the previous question, see :func:`moved`.
    """
    return line(
        {
            "type": "move",
            "seat": state.seat_to_move,
            "legal": legal,
            "board": str(state),
            "state": state.array.tolist(),
            "moves": moves,
        }
    )


def moved(state: State, seat: int, action: int) -> dict[str, Any]:
    """Return the message to a program about a move of either seat.

    In games with hidden information it includes what the program's seat sees.
    """
    if not state.game.hides:
        return {"seat": seat, "action": action}
    known = None if action == HIDDEN else action
    return {"seat": seat, "action": known, "state": state.array.tolist()}


def action_of(answer: bytes, fault: Callable[[str, str], PlayerFault]) -> int:
    """Return the action in the line that a program answered.

    Args:
        answer: the line that the program wrote.
        fault: (cause, what the program did) -> the fault to raise; the cause is one of
            :data:`tournaments.errors.CAUSES`.

    Raises:
        PlayerFault: the answer has no action. The message quotes the answer.
    """
    try:
        content = json.loads(answer.decode())
    except UnicodeDecodeError:
        raise fault("output", f"wrote bytes that are no UTF-8; {EXPECTED}") from None
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError too
        what = f"wrote {beginning(answer)}, which is no JSON; {EXPECTED}"
        raise fault("output", what) from None
    if not isinstance(content, dict) or "action" not in content:
        raise fault("output", f"answered {beginning(answer)}; {EXPECTED}")
    action = content["action"]
    if type(action) is not int:
        raise fault("no action", f"answered the action {shown(action)}; a whole number is expected")
    return action


def beginning(content: bytes) -> str:
    """Return the first characters of a program's answer, quoted for an error message."""
    text = content.decode(errors="replace").strip()
    return repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}...")
