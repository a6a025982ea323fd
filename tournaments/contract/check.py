"""The laws that every game must keep, as a check for its author.

::

    from tournaments import games
    from tournaments.contract import check_game

    print(check_game(games.make("my-game")))

A broken law raises :class:`ContractError`, whose first line says which law of which hook, by which
action, and in which game and ply; the position stands below it. The check plays at random, from a
seed: the same seed, the same check.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tournaments import players
from tournaments.contract import offers, streams, views
from tournaments.contract.apart import Late, Lost, Report, Steps, apart
from tournaments.contract.broken import ContractError, broken, kernel_law, raised_law, raising_hook
from tournaments.contract.constants import (
    check_constants,
    check_kernels,
    check_refusals,
    check_start,
)
from tournaments.contract.player import check_both_paths, check_player
from tournaments.contract.positions import (
    check_header,
    check_position,
    check_secrets,
    checked_actions,
    play_checked,
)
from tournaments.contract.replay import compiled_course
from tournaments.contract.samples import registered_players, samples_of
from tournaments.contract.seen import Seen
from tournaments.errors import KernelError, TournamentError
from tournaments.game import Game, State
from tournaments.kernels.rng import Stream, opening_seed
from tournaments.player import compiled

MOST_PLIES = 10_000
"""Plies within which a game must end under random play, unless the author allows more."""
MOST_SECONDS = 1e6
OFFERED = "what the game offers beside its hooks"
LINES = 10
"""So often, or little more, games at random are told of."""
PLIES_A_LINE = 250
"""Plies after which a long game is told of again."""
SINGLE_PLIES = 100
"""Plies of the first game that are compiled play's one by one, so that the one where it hangs is
known."""


def check_game(
    game: Game,
    games: int = 50,
    seed: int = 0,
    max_plies: int = MOST_PLIES,
    *,
    report: Report | None = None,
    seconds: float = 10.0,
) -> Seen:
    """Check a game's laws over games at random, and that compiled play is the readable play.

    What the game offers is looked at, too: its players play, its drawing draws, and what it
    computes exactly agrees with the games that are played (on boards where that takes no minutes).

    It is done in a process of its own, a copy of this one, so that a hook that never returns, or
    crashes, ends the check alone.

    Args:
        game: from :func:`tournaments.games.make`, or ``Game(RULES, {})`` before it is registered.
        games: how many to play.
        seed: of the random play.
        max_plies: how many plies a game may last.
        report: called with a line about each step that is begun.
        seconds: that all hooks may take over one position in plain Python; compiled code has twelve
            times as much processor time, compiling included.

    Returns:
        What was seen: games, lengths, wins by seat, branching.

    Raises:
        ContractError: a law is broken; the message says which, by which action, and where.
    """
    if games < 1:
        raise TournamentError(f"games={games} given; at least 1 is expected")
    if not 0 < seconds < MOST_SECONDS:
        raise TournamentError(f"seconds={seconds} given; more than 0 seconds are expected")
    game = replace(game, at_speed=False)  # an error names the line
    try:
        result = apart(
            lambda steps: _Inspection(game, steps, seed, min(max_plies, game.most_plies)).told(
                games
            ),
            seconds,
            report,
        )
    except Lost as lost:
        raise _lost(game, lost) from None
    if "broken" in result:
        raise ContractError(result["broken"])
    return Seen.of_json(result["seen"])


def _lost(game: Game, lost: Lost) -> ContractError:
    """The law that was broken where a process was lost."""
    at = lost.at
    if "hook" not in at:  # and none is called here, which may be the one
        where = f". The state: {at['state']}" if "state" in at else f" ({at['line']})"
        law = f"a hook must return, and not end the process; one {lost.what}"
        return broken(game.spec, law + at.get("when", "") + where)
    state = State(game, np.array(at["state"], dtype=np.int16))
    law = f"{at['hook']} must return, and not end the process; it {lost.what}"
    return broken(game.spec, law, state, at["action"]).at(at["when"])


class _Inspection:
    """The check of one game: what is looked at, where it stands, and what was seen so far."""

    def __init__(self, game: Game, steps: Steps, seed: int, most: int) -> None:
        self.game, self.steps, self.seed, self.most = game, steps, seed, most
        self.seen = Seen.nothing(game)
        self.state: State | None = None
        self.action: int | None = None
        self.when = ""
        self.secrets = 0
        self.matters: set[int] = set()  # seats whose choice of an action does

    def told(self, games: int) -> dict[str, Any]:
        """What came of it, as JSON has it."""
        try:
            self._check(games)
            return {"seen": self.seen.as_json()}
        except ContractError as error:
            return {"broken": str(error.at(self.when))}
        except KernelError as error:
            return {"broken": str(broken(self.game.spec, kernel_law(error, self.game)))}
        except (Exception, Late, SystemExit) as error:
            self.steps.go_on()
            hook = raising_hook(error, self.game)
            law = raised_law(error, f"{hook}()" if hook else OFFERED, self.steps.seconds)
            wrong = broken(self.game.spec, law, self.state, self.action)
            return {"broken": str(wrong.at(self.when))}

    def _check(self, games: int) -> None:
        """All laws, those of plain Python first."""
        game = self.game
        self.steps.begin(f"what {game.spec} says of itself")
        check_constants(game)
        if not game.is_interpreted:
            check_kernels(game)
        check_start(game, self.seed)
        _keep(game, views.broken_offer(game))
        _keep(game, streams.broken_secrecy(game, self.seed))
        courses = []
        for number in range(games):
            told = number % max(1, games // LINES) == 0
            self.steps.begin(f"game {number + 1} of {games} at random" if told else "")
            courses.append(self._check_game(number))
        self.when, self.state, self.action = "", None, None
        self._check_seats()
        check_refusals(game)
        _keep(game, offers.broken_objective(game, (states for states, _ in courses)))
        _keep(game, offers.unknown_yardstick(game))
        if not game.is_interpreted:
            self._check_compiled(courses)
        self.steps.begin("the game's own players", compiles=True)
        _check_own_players(game, self.seed)
        if not game.is_interpreted:
            self._check_arena()
            self.steps.begin("what the game computes exactly", compiles=True)
            _keep(game, offers.broken_exact_play(game, self.seed))

    # --- games at random -------------------------------------------------------------------------

    def _check_game(self, number: int) -> tuple[list[np.ndarray], list[int]]:
        """Play one; its positions, and the action that is played in each, -1 in the last."""
        states: list[np.ndarray] = []
        actions: list[int] = []
        stream = Stream.for_seat(self.seed, number, 0)
        for state, action in self._random_game(number, stream):
            check_position(state, stream)
            if states:
                before = State(self.game, states[-1])
                self.secrets += check_secrets(before, state, self.secrets)
            states.append(state.array.copy())
            actions.append(action)
            self._look(state, action)
        self.seen.note_game(len(actions) - 1, state.returns())
        if number == 0:
            course = [State(self.game, array) for array in states]
            _keep(self.game, offers.broken_symmetry(course[0], actions[:-1]))
            _keep(self.game, offers.broken_drawing(course, actions))
            _keep(self.game, offers.broken_picture(course[0]))
        return states, actions[:-1]

    def _random_game(self, number: int, stream: Stream) -> Iterator[tuple[State, int]]:
        """Yield each position of a random game and the action played next, -1 at the end."""
        state = self.game.start(opening_seed(self.seed, number))
        for ply in range(self.most + 1):
            self._stand(state, number, ply)
            check_header(state)
            actions = checked_actions(state)
            if state.is_over:
                yield state, -1
                return
            action = stream.choice(actions)
            yield state, action
            self.action = action
            play_checked(state, action)
        law = (
            f"random play must end, and did not in {self.most} plies (see max_plies): play() must "
            "set state[0] to -1"
        )
        raise broken(self.game.spec, law, state)

    def _stand(self, state: State, number: int, ply: int) -> None:
        """Note where the check stands."""
        self.state, self.action = state.clone(), None
        self.when = f", at ply {ply} of game {number + 1}"
        told = ply > 0 and ply % PLIES_A_LINE == 0
        line = f"game {number + 1} at random, ply {ply:,}" if told else ""
        self.steps.begin(line, state=state.array.tolist(), when=self.when)

    def _look(self, state: State, action: int) -> None:
        """Note who moves, and whether it matters what it plays."""
        if action < 0:
            return
        seat, actions = state.seat_to_move, state.legal_actions()
        self.seen.note_move(seat, len(actions))
        if seat in self.matters or len(actions) < 2:
            return
        after = [state.clone() for _ in actions]
        for each, other in zip(actions, after, strict=True):
            self.action = each
            with np.errstate(over="ignore"):
                other.play(each)
        if any(other != after[0] for other in after):
            self.matters.add(seat)

    def _check_seats(self) -> None:
        """Both seats move, and what they play matters."""
        seen, game = self.seen, self.game
        for seat, name in enumerate(game.seats):
            if seen.longest > 1 and not seen.moves[seat]:
                law = (
                    f"play() must give each seat its turn by state[0]; {name!r} (seat {seat}) "
                    f"never moves in {seen.games} games, the longest of {seen.longest} plies"
                )
                raise broken(game.spec, law, game.start(self.seed))
            if seen.choices[seat] and seat not in self.matters:
                law = (
                    f"play() must heed its action; whatever {name!r} (seat {seat}) plays leads to "
                    f"the same position, at each of its {seen.choices[seat]} turns with a choice"
                )
                raise broken(game.spec, law, game.start(self.seed))

    # --- compiled against readable -----------------------------------------------------

    def _check_compiled(self, courses: list[tuple[list[np.ndarray], list[int]]]) -> None:
        """The compiled rules must go through the same positions and offer the same actions."""
        states, actions = courses[0]
        seeds = [opening_seed(self.seed, number) for number in range(len(courses))]
        for ply in range(min(len(actions), SINGLE_PLIES) + 1):
            line = "compiling the rules" if ply == 0 else ""
            where = {
                "state": states[max(0, ply - 1)].tolist(),
                "action": actions[ply - 1] if ply else None,
                "hook": "compiled play()" if ply else "compiled start() or legal()",
                "when": f", at ply {max(0, ply - 1)} of game 1",
            }
            self.steps.begin(line, compiles=True, **where)
            self.when = " of game 1"
            _check_course(self.game, states[: ply + 1], actions[:ply], seeds[0])
        self.steps.begin(f"{len(courses)} games by compiled rules", compiles=True)
        for number, ((states, actions), seed) in enumerate(zip(courses, seeds, strict=True)):
            self.steps.go_on(compiles=True)
            self.when = f" of game {number + 1}"
            _check_course(self.game, states, actions, seed)
        self.when = ""

    def _check_arena(self) -> None:
        """Every kind that plays the game must play alike in the arena and move by move."""
        opponent = players.make("level-0", self.game)
        for player in registered_players(self.game):
            self.steps.begin(f"compiling {player.name}, and its games", compiles=True)
            check_both_paths(self.game, player, opponent, self.seed, matches=3)


# --- what needs the compiler ---


def _keep(game: Game, law: str | None) -> None:
    """Refuse a game that breaks a law."""
    if law is not None:
        raise broken(game.spec, law)


def _check_own_players(game: Game, seed: int) -> None:
    """The players that the game offers, as far as the arena does not show what they do."""
    for name in game.rules.players:
        for player in samples_of(name, game):
            if compiled(player) is None:
                check_player(player, game, games=2, seed=seed)


def _check_course(game: Game, states: list[np.ndarray], actions: list[int], seed: int) -> None:
    """The compiled rules go through these positions."""
    positions, choices = compiled_course(game, actions, seed)
    for ply, array in enumerate(states):
        state = State(game, array)
        if not np.array_equal(positions[ply], array):
            by = actions[ply - 1] if ply else None
            hook = "play()" if ply else "start()"
            law = f"{hook} must do the same compiled: compiled play leads to another position"
            raise broken(game.spec, law, state, by).at(f", at ply {ply}")
        if [int(action) for action in choices[ply] if action >= 0] != state.legal_actions():
            law = "legal() must do the same compiled: compiled play has other legal actions"
            raise broken(game.spec, law, state).at(f", at ply {ply}")
