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

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tournaments import games as all_games
from tournaments import players
from tournaments.contract import laws, offers
from tournaments.contract.blame import kernel_law, raised_law, raising_hook
from tournaments.contract.player import (
    check_both_paths,
    check_player,
    registered_players,
    samples_of,
)
from tournaments.contract.process import (
    COMPILED,
    IMPORTS,
    Late,
    Lost,
    Report,
    Steps,
    run_in_process,
)
from tournaments.errors import KernelError, TournamentError, counted
from tournaments.game import Game, State
from tournaments.guard import ContractError
from tournaments.kernels.moves import LEGAL, NO_NUMBERS, PLAY, START, compiled_rules
from tournaments.kernels.rng import Stream, opening_seed
from tournaments.player import compiled

MOST_PLIES = 10_000
"""Number of plies within which a game must end under random play, unless the author allows more."""
MOST_SECONDS = 1e6
ITS_FILE, OFFERED = "its file, or board(),", "what the game offers beside its hooks"
LINES = 10
"""Number of lines, or little more, that are reported of games at random."""
PLIES_A_LINE = 250
"""Number of plies of a long game from one reported line to the next."""


@dataclass
class Seen:
    """Counts of the games at random of a check.

    Attributes:
        game: the game as a user types it.
        seats: names of the seats.
        plies: length of each game.
        wins: games that each seat has won; the others are draws.
        moves: turns of each seat.
        choices: turns of each seat at which it had more than one action.
        listed: number of legal actions, over all turns.
        most: greatest number of legal actions at a turn.
    """

    game: str
    seats: tuple[str, ...]
    plies: list[int] = field(default_factory=list)
    wins: list[int] = field(default_factory=lambda: [0, 0])
    moves: list[int] = field(default_factory=lambda: [0, 0])
    choices: list[int] = field(default_factory=lambda: [0, 0])
    listed: int = 0
    most: int = 0

    def note_move(self, seat: int, actions: int) -> None:
        """Count a turn of a seat with ``actions`` legal actions in a random game of the check."""
        self.moves[seat] += 1
        self.choices[seat] += actions > 1
        self.listed += actions
        self.most = max(self.most, actions)

    def note_game(self, plies: int, returns: Sequence[int]) -> None:
        """Count a finished game with its number of plies and the result of each seat."""
        self.plies.append(plies)
        for seat in (0, 1):
            self.wins[seat] += returns[seat] > 0

    @property
    def games(self) -> int:
        """Number of random games that the check has played."""
        return len(self.plies)

    @property
    def longest(self) -> int:
        """Number of plies of the longest random game of the check."""
        return max(self.plies)

    @property
    def row(self) -> dict[str, Any]:
        """The counts of the check's random games as a row of a table."""
        draws = self.games - sum(self.wins)
        return {
            "game": self.game,
            "games": self.games,
            "plies_least": min(self.plies),
            "plies_mean": sum(self.plies) / self.games,
            "plies_most": self.longest,
            **{f"wins_{name}": won for name, won in zip(self.seats, self.wins, strict=True)},
            "draws": draws,
            **{f"turns_{name}": turns for name, turns in zip(self.seats, self.moves, strict=True)},
            "branching_mean": self.listed / sum(self.moves),
            "branching_most": self.most,
        }

    def __str__(self) -> str:
        row, each = self.row, zip(self.seats, self.wins, self.moves, strict=True)
        seats = "; ".join(
            f"{name} wins {won / self.games:.0%} and has {turns / sum(self.moves):.0%} of the turns"
            for name, won, turns in each
        )
        games = counted(self.games, "game")
        return (
            f"{games} at random of {row['plies_least']} to {row['plies_most']} plies "
            f"(mean {row['plies_mean']:.1f}); {seats}; draws {row['draws'] / self.games:.0%}; "
            f"legal actions a turn {row['branching_mean']:.1f} on average, at most {self.most}"
        )


def check_game(
    game: Game | str,
    games: int = 50,
    seed: int = 0,
    max_plies: int = MOST_PLIES,
    *,
    report: Report | None = None,
    seconds: float = 10.0,
) -> Seen:
    """Check that a game keeps its laws in random games, compiled and move by move.

    The parts that the game offers are checked, too: its players play, its drawing draws, and its
    exact results agree with games that are played (on boards where that takes no minutes). The
    check runs in a process of its own, a copy of this one, so that a hook that never returns, or
    crashes, ends the check alone.

    Args:
        game: from :func:`tournaments.games.make`, or ``Game(RULES, {})`` before it is registered,
            or a text as users type it.
        games: number of games.
        seed: seed of the random play.
        max_plies: number of plies that a game may last.
        report: called with a line about each step that is begun.
        seconds: seconds that all hooks may take over one position in plain Python; the file of a
            game, and compiled code, take twelve times as much, compiling included.

    Returns:
        Counts of the random games: games, lengths, wins by seat, branching.

    Raises:
        ContractError: a law is broken; the message says which, by which action, and where.
        TournamentError: there is no such game.
    """
    if games < 1:
        raise TournamentError(f"games={games} given; at least 1 is expected")
    if not 0 < seconds < MOST_SECONDS:
        raise TournamentError(f"seconds={seconds} given; more than 0 seconds are expected")
    spec = game if isinstance(game, str) else game.spec
    try:
        result = run_in_process(
            lambda steps: _Inspection(game, spec, steps, seed, max_plies).result(games),
            seconds,
            report,
        )
    except Lost as lost:
        raise _lost_law(lost, spec) from None
    if isinstance(result, Exception):
        raise result
    return result


def _lost_law(lost: Lost, spec: str) -> ContractError:
    """Return the broken law of a game when the process of its check was lost."""
    step = lost.step
    hook, when = step.get("hook"), step.get("when", "")
    if hook is None:
        where = f". The state: {step['state']}" if "state" in step else f" ({step['line']})"
        law = f"a hook must return, and not end the process; one {lost.what}{when}{where}"
        return ContractError(law).complete(spec)
    error = ContractError(f"{hook} must return, and not end the process; it {lost.what}")
    return error.complete(spec, step["position"], step["action"], when)


class _Inspection:
    """The check of one game: its current place, and the counts of its games."""

    def __init__(self, game: Game | str, spec: str, steps: Steps, seed: int, most: int) -> None:
        self.given, self.spec, self.steps, self.seed, self.most = game, spec, steps, seed, most
        self.part = ITS_FILE  # what is blamed where no hook is found
        self.state: State | None = None
        self.action: int | None = None
        self.when = ""
        self.secrets = 0
        self.matters: set[int] = set()  # seats whose choice of an action does

    def result(self, games: int) -> Seen | Exception:
        """Return the counts of a check's random games, or the error with which the check ends."""
        try:
            self.steps.begin(f"what {self.spec} says of itself", IMPORTS)
            try:
                game = all_games.parse(self.given)
                game.check_has_positions()
                self.game = replace(game, at_speed=False)  # so that errors name the line
            except TournamentError as error:
                return error
            self.part = OFFERED
            self.seen = Seen(self.game.spec, self.game.seats)
            self._check(games)
            return self.seen
        except ContractError as error:
            law = error
        except KernelError as error:
            law = ContractError(kernel_law(error, self.game))
        except (Exception, Late, SystemExit) as error:
            self.steps.restart()
            hook = raising_hook(error, self.game) if self.part == OFFERED else ""
            seconds = self.steps.seconds * (1 if self.part == OFFERED else IMPORTS.clock)
            law = ContractError(raised_law(error, f"{hook}()" if hook else self.part, seconds))
        return law.complete(self.spec, self.state, self.action, self.when)

    def _check(self, games: int) -> None:
        """Check all laws of the game, those of plain Python first."""
        game = self.game
        self.steps.restart()
        for law in laws.GAME_LAWS:
            law(game, self.seed)
        courses = []
        for number in range(games):
            is_reported = number % max(1, games // LINES) == 0
            self.steps.begin(f"game {number + 1} of {games} at random" if is_reported else "")
            courses.append(self._play_game(number))
        self._check_seats()
        self.when, self.state, self.action = "", None, None
        laws.refuses_junk(game)
        offers.names_players(game)
        if not game.is_interpreted:
            self._check_compiled(courses)
        self.steps.begin("the game's own players", COMPILED)
        for name in game.rules.players:
            for player in samples_of(name, game):
                if compiled(player) is None:  # else the arena shows what the player does
                    check_player(player, game, games=2, seed=self.seed)
        if not game.is_interpreted:
            self._check_arena()
            self.steps.begin("what the game computes exactly", COMPILED)
            offers.computes_exactly(game, self.seed)

    # --- games at random -------------------------------------------------------------------------

    def _play_game(self, number: int) -> tuple[list[State], list[int]]:
        """Play a random game and check each position; return its positions and actions."""
        states: list[State] = []
        actions: list[int] = []
        stream = Stream.for_seat(self.seed, number, 0)
        state = self.game.start(opening_seed(self.seed, number))
        for ply in range(min(self.most, self.game.most_plies) + 1):
            self._begin_ply(state, number, ply)
            laws.has_seat_to_move(state)
            legal = laws.checked_actions(state)
            for position_law in laws.POSITION_LAWS:
                position_law(state)
            if states:
                self.secrets += laws.check_secrets(states[-1], state, self.secrets)
            states.append(state.clone())
            if state.is_over:
                break
            self._note_move(state, legal)
            self.action = action = stream.choice(legal)
            actions.append(action)
            laws.play_twice(state, action)
            for move_law in (*offers.MOVE_LAWS, laws.draws_its_outcomes):
                move_law(states[-1], action, state)
        else:
            self.action = None
            raise ContractError(
                f"random play must end, and did not in {ply} plies (see max_plies): play() must "
                "set state[0] to -1"
            )
        self.seen.note_game(len(actions), state.returns())
        self.state, self.action, self.when = None, None, ""
        for law in (offers.counts_its_objective, *(offers.FIRST_COURSE_LAWS if not number else ())):
            law(states, actions)
        return states, actions

    def _begin_ply(self, state: State, number: int, ply: int) -> None:
        self.state, self.action = state.clone(), None
        self.when = f", at ply {ply} of game {number + 1}"
        is_reported = ply > 0 and ply % PLIES_A_LINE == 0
        line = f"game {number + 1} at random, ply {ply:,}" if is_reported else ""
        self.steps.begin(line, state=state.array.tolist(), when=self.when)

    def _note_move(self, state: State, actions: list[int]) -> None:
        """Count a turn of the seat to move, and note whether its choice of an action matters."""
        seat = state.seat_to_move
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
        """Check that both seats of the game move, and that their actions matter."""
        seen, game = self.seen, self.game
        self.state = game.start(self.seed)
        for seat, name in enumerate(game.seats):
            if seen.longest > 1 and not seen.moves[seat]:
                raise ContractError(
                    f"play() must give each seat its turn by state[0]; {name!r} (seat {seat}) "
                    f"never moves in {seen.games} games, the longest of {seen.longest} plies"
                )
            if seen.choices[seat] and seat not in self.matters:
                raise ContractError(
                    f"play() must heed its action; whatever {name!r} (seat {seat}) plays leads to "
                    f"the same position, at each of its {seen.choices[seat]} turns with a choice"
                )

    # --- compiled against readable -----------------------------------------------------

    def _check_compiled(self, courses: list[tuple[list[State], list[int]]]) -> None:
        """Check that compiled rules lead to the same positions and legal actions as plain Python.

        ``courses`` are the positions and actions of games. Plies of the first game are steps of
        their own, so that the ply where one hangs is known.
        """
        self.steps.restart(COMPILED)
        rules, board = compiled_rules(self.game.moves.rules), self.game.board
        for number, (states, actions) in enumerate(courses):
            many = f"{len(courses)} games by compiled rules" if number == 1 else ""
            self.steps.begin(many, COMPILED)
            array, seed = np.zeros_like(states[0].array), opening_seed(self.seed, number)
            for ply, (state, action) in enumerate(zip(states, [None, *actions], strict=True)):
                if number == 0:
                    self.steps.begin(
                        "" if ply else "compiling the rules",
                        COMPILED,
                        hook="compiled play()" if ply else "compiled start() or legal()",
                        action=action,
                        position=str(states[max(0, ply - 1)]),
                        when=f", at ply {max(0, ply - 1)} of game 1",
                    )
                if action is None:
                    rules(START, board, array, int(np.uint64(seed).astype(np.int64)), NO_NUMBERS)
                else:
                    rules(PLAY, board, array, action, NO_NUMBERS)
                legal = np.empty(self.game.num_actions, dtype=np.int16)
                count = 0 if state.is_over else rules(LEGAL, board, array, 0, legal)
                when = f", at ply {ply} of game {number + 1}"
                if not np.array_equal(array, state.array):
                    hook = "play()" if ply else "start()"
                    law = (
                        f"{hook} must do the same compiled: compiled play leads to another position"
                    )
                    raise ContractError(law).complete(self.spec, state, action, when)
                if legal[:count].tolist() != state.legal_actions():
                    law = "legal() must do the same compiled: compiled play has other legal actions"
                    raise ContractError(law).complete(self.spec, state, when=when)

    def _check_arena(self) -> None:
        """Check that every kind of player of the game plays alike in the arena and move by move."""
        opponent = players.make("level-0", self.game)
        for player in registered_players(self.game):
            self.steps.begin(f"compiling {player.name}, and its games", COMPILED)
            check_both_paths(self.game, player, opponent, self.seed, matches=3)
