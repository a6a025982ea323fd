"""What an opponent learns from a game with a person, written as a file that plays."""

from __future__ import annotations

from itertools import chain

from evo.evaluation.export import check_file, write_file
from evo.evaluation.person import PersonGame
from tournaments.errors import ConfigError
from tournaments.player import CompiledPlayer, Player, compiled, seats_of


def check_lesson(opponent: Player, file: str) -> None:
    """Refuse an opponent that does not learn, or a file that cannot be written.

    Raises:
        ConfigError: either.
    """
    _learner(opponent)
    check_file(file)


def write_lesson(played: PersonGame, file: str) -> str:
    """Write the opponent as it is after the game; what the file holds, in words.

    It learns from the turns of all seats that it plays, the person's among them.

    Raises:
        ConfigError: another opponent has come that does not learn.
        ResultsError: the system refused.
    """
    learner = _learner(played.opponent)
    turns = list(chain.from_iterable(map(played.turns, seats_of(learner))))
    assert learner.kind.lesson is not None
    held = learner.kind.lesson(learner, turns, file)
    write_file(file, held)
    return f"{file}: {held.what} after {len(turns)} more turns{held.note}"


def _learner(opponent: Player) -> CompiledPlayer:
    made = compiled(opponent)
    if made is None or made.kind.lesson is None:
        raise ConfigError(
            f"--learn given, but {opponent.name} does not learn; the champion of a run of "
            "q-learning does, or value-table:file=FILE"
        )
    return made
