"""A repeated game from a person's view: payoffs, rounds, and the opponent's expectations."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from evo.play.person import PersonGame, Ply
from results.report import aligned
from tournaments.game import Game
from tournaments.repeated.rules import FIRST, ROUND
from tournaments.repeated.scripted import stage_of

ROUNDS_A_LINE = 8


def ends_round(ply: Ply) -> bool:
    """Whether a move ends a round of a repeated game, so that both moves are shown."""
    is_repeated = ply.seat >= 0 and ply.after.game.rules.stage is not None
    return is_repeated and bool(ply.after.array[ROUND] > ply.before.array[ROUND])


def may_undo(played: PersonGame) -> bool:
    """Whether the person may take back the last move: not once the opponent's move is shown."""
    own = [place for place, ply in enumerate(played.plies) if ply.seat in (played.seat, -1)]
    return not own or not any(map(ends_round, played.plies[own[-1] :]))


def payoff_table(game: Game) -> str:
    """Return the payoffs of a repeated game, move against move, as an aligned table of text."""
    stage = stage_of(game)
    gains = stage.payoffs(game.board).tolist()
    rows = [["your move, the other's:", *stage.moves]]
    rows += [[move, *map(str, row)] for move, row in zip(stage.moves, gains, strict=True)]
    return _aligned(rows)


def round_record(played: PersonGame) -> dict[str, Any]:
    """Return the last finished round of a repeated game: number, moves, gains, expectations.

    A move of the next round, which the opponent may have made, is not part of it.
    In moves, gains and results the person comes first, then the opponent. ``expected`` contains
    the probabilities of the person's moves in the opponent's model, and ``answers`` the
    probabilities of the opponent's own moves. Both are empty if the opponent has no model.
    """
    game, stage = played.game, stage_of(played.game)
    last = max(place for place, ply in enumerate(played.plies) if ends_round(ply))
    ply, plies = played.plies[last], played.plies[max(last - 1, 0) : last + 1]
    seats = (played.seat, 1 - played.seat)
    gains = [ply.after.scores[seat] - ply.before.scores[seat] for seat in seats]
    foreseen = next((each.foreseen for each in plies if each.foreseen), ((), ()))
    record: dict[str, Any] = {
        "round": int(ply.after.array[ROUND]),
        "moves": [stage.moves[ply.after.array[FIRST + seat]] for seat in seats],
        "gains": gains,
        "results": [stage.results.get(gain, "") for gain in gains],
    }
    for key, chances in zip(("expected", "answers"), foreseen, strict=True):
        record[key] = dict(zip(stage.moves, chances, strict=False))
    if record["answers"]:
        worths = stage.payoffs(game.board) @ np.array(foreseen[1])
        record["best"] = stage.moves[int(worths.argmax())]
    return record


def round_words(played: PersonGame) -> str:
    """Return words on the last round of a repeated game.

    They have the opponent's model of the person, and the moves of the last rounds, too.
    """
    record, name = round_record(played), played.opponent.name
    results = [f" ({result})" if result else "" for result in record["results"]]
    sides = zip(("you", name), record["moves"], record["gains"], results, strict=True)
    told = ", ".join(f"{who} {move} {gain:+d}{result}" for who, move, gain, result in sides)
    lines = [f"round {record['round']}: {told}"]
    if record["expected"]:
        lines.append(f"{name} expected of you: {_shares(record['expected'])}")
        lines.append(f"and so meant to play: {_shares(record['answers'])}")
        lines.append(f"best against that: {record['best']}")
    return "\n".join([*lines, *history(played, ROUNDS_A_LINE)])


def history(played: PersonGame, last: int = 0) -> Iterator[str]:
    """Yield the moves of the last rounds (0: all) of a repeated game, with one line per seat."""
    stage, rounds = stage_of(played.game), [ply for ply in played.plies if ends_round(ply)]
    rounds = rounds[-last:]
    sides = (("you", played.seat), (played.opponent.name, 1 - played.seat))
    for begin in range(0, len(rounds), ROUNDS_A_LINE):
        ends = [ply.after.array for ply in rounds[begin : begin + ROUNDS_A_LINE]]
        rows = [["round", *(str(end[ROUND]) for end in ends)]]
        rows += [[who, *(stage.moves[end[FIRST + seat]] for end in ends)] for who, seat in sides]
        yield _aligned(rows)


def _shares(chances: Mapping[str, float]) -> str:
    return ", ".join(f"{move} {chance:.0%}" for move, chance in chances.items())


def _aligned(rows: list[list[str]]) -> str:
    """Return rows of text as indented lines whose columns begin below one another."""
    return textwrap.indent(aligned(rows, [False] * len(rows[0])), "  ")
