"""Contests: matches that a user's simulator plays as a whole, in place of a game with positions.

>>> import tournaments
>>> def duel(players, seed):
...     return [max(player) for player in players]
>>> contest = tournaments.contest(duel, seats=2)
>>> tournaments.Competition(contest).evaluate({"a": [1, 5], "b": [4, 4]}).fitness
array([1., 0.])
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import index
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cloudpickle
import numpy as np

from tournaments.errors import Disqualified, TournamentError, counted, shown
from tournaments.game import Game
from tournaments.players.bot.command import ProgramCommand, command_of
from tournaments.players.bot.process import Process
from tournaments.players.bot.sandbox import MOST as MOST_SECONDS
from tournaments.players.bot.sandbox import ProgramLimits
from tournaments.players.contestants import no_kernel
from tournaments.players.objects import digest_of, takes_two
from tournaments.rules import ContestRules, Rules

MATCH_SECONDS = 600.0
"""Default time limit of a match in seconds."""
NUMBERED = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
"""Names of seats that are alike."""
ANSWER = '{"scores": [1.5, 0]}'
"""The line that is expected of a program."""
EXPECTED = (
    "a function (players, seed) -> scores is expected, or a function without arguments that makes "
    "a PettingZoo environment"
)


@dataclass(frozen=True)
class ProgramSimulator:
    """A program that plays a match and writes the scores as a line of JSON.

    Attributes:
        command: the command line, with ``{0}``, ``{1}``... in place of the players' files and
            ``{seed}`` in place of the seed.
        limits: limits of the program, as those of bots.
    """

    command: ProgramCommand
    limits: ProgramLimits

    def __call__(self, players: list[Any], seed: int) -> Any:
        """Play a match and return the scores.

        Raises:
            Disqualified: the program names a player that lost by a fault.
            PlayerFault: the program exceeds a limit, ends without scores, or writes something else.
        """
        with TemporaryDirectory() as folder:
            files = [_as_file(thing, Path(folder), seat) for seat, thing in enumerate(players)]
            words = _filled(self.command, files, seed)
            command = ProgramCommand(words, self.command.files, self.command.digest)
            process = Process("simulator", command, self.limits, 1)
            process.expected = f"one line such as {ANSWER} is expected"
            try:
                seconds = self.limits.game_seconds
                line = process.answer(seconds, counted(seconds, "second"))
            finally:
                process.close()
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if isinstance(answer, dict) and isinstance(answer.get("fault"), dict):
            blamed = answer["fault"]
            raise Disqualified(blamed.get("seat", -1), str(blamed.get("what", ""))[:200])
        scores = answer.get("scores") if isinstance(answer, dict) else answer
        if not isinstance(scores, list):
            raise TournamentError(f"the line {shown(line)} was written; {ANSWER} is expected")
        return answer


def _filled(command: ProgramCommand, files: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the words of a command line with the players' files and the seed in their places."""
    return tuple(
        word if word in command.files else word.format(*files, seed=seed) for word in command.words
    )


def _check_places(command: ProgramCommand, text: str, seats: int) -> None:
    """Raise unless a command line has a place for the player of each seat, and no unknown place."""
    files = [f"\0{seat}" for seat in range(seats)]
    try:
        line = " ".join(_filled(command, files, 0))
    except (LookupError, ValueError, AttributeError, TypeError):
        line = ""
    if not all(file in line for file in files):
        places = " ".join(f"{{{seat}}}" for seat in range(seats))
        raise TournamentError(
            f"contest {shown(text)} given; {places} are expected in the command line for the "
            "players' files, {seed} for the seed, and no other braces"
        )


def _as_file(thing: Any, folder: Path, seat: int) -> str:
    """Return the path of a player for a program: a file, or a JSON file with its numbers."""
    if isinstance(thing, str):
        return str(Path(thing).resolve())
    path = folder / f"player-{seat}.json"
    path.write_text(json.dumps(np.asarray(thing).tolist()), encoding="utf-8")
    return str(path)


def contest(
    play: Callable[..., Any] | str,
    seats: int | Sequence[str] | None = None,
    *,
    name: str = "",
    limit_seconds: float = MATCH_SECONDS,
    recorded: bool = False,
) -> Game:
    """Return a contest: a game whose matches a function plays as a whole.

    It is accepted wherever a game is that needs no positions.

    Args:
        play: ``(players, seed) -> scores``. The players are any objects, in the order of the seats.
            The seed is a whole number from 0 to 2^32 - 1, on which all random numbers of the match
            must depend. The scores are real numbers, one per seat; more is better. Or the command
            line of a program, ``./simulate {0} {1} --seed {seed}``, which gets the players as files
            and writes ``{"scores": [1.5, 0]}`` or ``{"fault": {"seat": 1, "what": "why"}}``. Or a
            function or class without required arguments that makes a PettingZoo environment, such
            as ``connect_four_v3.env``. Its players are functions ``(observation, legal, rng) ->
            action``, and the scores are the sums of their rewards.
        seats: the number of seats, which are alike, so that players take turns in them; or the
            names of two seats with roles, each with its own population. Default: 2, or the number
            of agents of the environment. Names of its two agents may have either order.
        name: display name. Default: the name of the function or of the environment.
        limit_seconds: time limit of a match in seconds; ``inf``: none.
        recorded: whether the scores of a match may differ each time, as those of a language model
            that judges or of a remote simulator. ``evo run`` then writes them before they count.

    Raises:
        TournamentError: ``play`` is not a function of two arguments, the environment cannot be made
            or is unsuitable, or the seats or the limit are invalid.
    """
    limit = _checked_limit(limit_seconds)
    if isinstance(play, str):
        program = command_of(play)
        seconds = min(limit, MOST_SECONDS)
        simulator = ProgramSimulator(program, ProgramLimits(game_seconds=seconds))
        names, has_roles = _seats(2 if seats is None else seats)
        _check_places(program, play, len(names))
        return contest_game(
            name or play,
            names,
            has_roles,
            simulator,
            f"program@{program.digest}",
            math.inf,
            recorded,
        )
    label = getattr(play, "__name__", type(play).__name__).strip("<>")
    if _takes_nothing(play):
        return _environment_contest(play, seats, name, label, limit, recorded)
    if not takes_two(play):
        raise TournamentError(f"contest {shown(play)} given; {EXPECTED}")
    names, has_roles = _seats(2 if seats is None else seats)
    return contest_game(
        name or label, names, has_roles, play, digest_of(play)[:16], limit, recorded
    )


def _takes_nothing(thing: Any) -> bool:
    """Return whether an object is a function without required arguments, or such a class.

    False for a function of any number of arguments, ``*args``, which may be a simulator.
    """
    if not callable(thing):
        return False
    try:
        signature = inspect.signature(thing)
        signature.bind()
    except (TypeError, ValueError):
        return False
    return all(each.kind is not each.VAR_POSITIONAL for each in signature.parameters.values())


def _environment_contest(
    make: Callable[[], Any], seats: Any, name: str, label: str, limit: float, recorded: bool
) -> Game:
    """Return the contest of a PettingZoo environment. ``label`` is the name of the function."""
    from tournaments.adapters.environments import EnvironmentSimulator, agents_of, made

    environment = made(make)
    agents = agents_of(environment)
    names, has_roles = _seats(len(agents) if seats is None else seats)
    if len(names) != len(agents):
        raise TournamentError(
            f"seats={shown(seats)} given; the environment has {len(agents)} agents: {[*agents]}"
        )
    if {*names} == {*agents}:
        agents = names
    metadata = getattr(environment, "metadata", None) or {}
    parts = [make, type(getattr(environment, "unwrapped", environment)), agents]
    simulator = EnvironmentSimulator(make, agents)
    return contest_game(
        str(name or metadata.get("name") or label),
        names,
        has_roles,
        simulator,
        digest_of(parts)[:16],
        limit,
        recorded,
    )


def _checked_limit(seconds: Any) -> float:
    if not isinstance(seconds, int | float) or not seconds > 0:
        raise TournamentError(
            f"limit_seconds={shown(seconds)} given; the seconds of a match are expected, more than "
            "0 (inf: no limit)"
        )
    return float(seconds)


def _seats(seats: Any) -> tuple[tuple[str, ...], bool]:
    """Return the names of the seats, and whether they have roles."""
    is_number = isinstance(seats, int | np.integer) and not isinstance(seats, bool)
    if is_number and 2 <= seats <= len(NUMBERED):
        return NUMBERED[: index(seats)], False
    names = tuple(seats) if isinstance(seats, Iterable) and not isinstance(seats, str) else ()
    are_texts = all(isinstance(each, str) and each for each in names)
    if are_texts and len({*names}) == len(names) == 2:
        return names, True
    raise TournamentError(
        f"seats={shown(seats)} given; a number from 2 to {len(NUMBERED)} is expected for seats "
        'that are alike, or the names of two roles, such as ("red", "blue")'
    )


def contest_game(
    name: str,
    seats: tuple[str, ...],
    has_roles: bool,
    play: Callable[[list[Any], int], Any],
    identity: str,
    limit_seconds: float,
    recorded: bool,
) -> Game:
    """Return the game of a contest from its checked parts."""
    return ContestGame(
        Rules(
            name=name,
            summary="a contest of a simulator",
            seats=seats,
            has_roles=has_roles,
            options={},
            board=_no_board,
            state_size=_one,
            num_actions=_one,
            start=no_kernel,
            legal=no_kernel,
            play=no_kernel,
            text=no_kernel,
            parse=no_kernel,
            describe=no_kernel,
            contest=ContestRules(
                play, identity, limit_seconds, isinstance(play, ProgramSimulator), recorded
            ),
        ),
        {},
    )


class ContestGame(Game):
    """A contest as a game. It is sent to other processes by value, its function included."""

    def __reduce__(self) -> tuple[Any, ...]:
        rules, contest = self.rules, self.rules.contest
        if rules.module:
            return super().__reduce__()
        assert contest is not None
        play = cloudpickle.dumps(contest.play)
        parts = rules.name, rules.seats, rules.has_roles, contest.identity, contest.limit_seconds
        return _unpickled, (play, *parts, contest.is_recorded)


def _unpickled(play: bytes, name: str, seats: tuple[str, ...], has_roles: bool, *rest: Any) -> Game:
    return contest_game(name, seats, has_roles, cloudpickle.loads(play), *rest)


def _no_board() -> np.ndarray:
    return np.zeros(0, dtype=np.int16)


def _one(board: np.ndarray) -> int:
    return 1


def rules_of_file(thing: Any, name: str) -> Rules:
    """Return the rules of a contest in a user's file: a contest, its function or its environment.

    Raises:
        TournamentError: the object is neither.
    """
    if not (isinstance(thing, Game) or takes_two(thing) or _takes_nothing(thing)):
        path, _, attribute = name.partition(":")
        raise TournamentError(
            f"game {name!r}: {path} has another thing as {attribute}; a tournaments.rules.Rules or "
            f"{EXPECTED}"
        )
    game = thing if isinstance(thing, Game) else contest(thing, name=name)
    return game.rules


def is_contest(thing: Any) -> bool:
    """Return whether an object is a contest."""
    return isinstance(thing, Game) and thing.rules.contest is not None
