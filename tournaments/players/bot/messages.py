"""What is said to a program, and what it may answer: JSON, an object a line.

The protocol is described in ``docs/bots.md``, for those who write programs.
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
"""Version: a change that a program of today would not understand makes it 2."""
MOST_SHOWN = 60
"""Letters of an answer in a message."""
EXPECTED = 'a line such as {"action": 3} is expected'


def line(message: dict[str, Any]) -> bytes:
    """A message as it is sent: letters of ASCII alone, and a line's end."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def hello(game: Game, limits: ProgramLimits) -> bytes:
    """The first line that a process reads."""
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
    """The line that begins a game: forget the one before."""
    return line({"type": "game", "seat": seat, "seed": seed})


def question(state: State, legal: list[int], moves: list[dict[str, Any]]) -> bytes:
    """The line that asks for an action.

    Args:
        state: what the seat to move sees.
        legal: the actions of which one is to be played.
        moves: those since the question before, see :func:`moved`.
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
    """A move that was made, by whom, and what is seen after it where that is not known anyway."""
    if not state.game.hides:
        return {"seat": seat, "action": action}
    known = None if action == HIDDEN else action
    return {"seat": seat, "action": known, "state": state.array.tolist()}


def action_of(answer: bytes, fault: Callable[[str, str], PlayerFault]) -> int:
    """Return the action of an answer.

    Args:
        answer: the line that the program wrote.
        fault: (cause, what the program did) -> the fault to raise; the cause is one of
            :data:`tournaments.errors.CAUSES`.

    Raises:
        PlayerFault: the answer has no action; the message says what it is, and what is expected.
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
    """What was written, as messages show it: its first letters."""
    text = content.decode(errors="replace").strip()
    return repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}...")
