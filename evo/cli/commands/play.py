"""``evo play``: a game of the user against any player, in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar

from evo.cli.boards import is_terminal, picture, shows_emoji, with_rulers, without_rulers
from evo.cli.options import command_of
from evo.evolution.signals import exit_status
from evo.execution import Execution
from evo.requests.base import REPORTS, Request, argument, flag
from tournaments.errors import ConfigError, TournamentError

if TYPE_CHECKING:
    from evo.play.advice import Advice
    from evo.play.person import PersonGame, Ply
    from tournaments.game import Game
    from tournaments.player import Player

FEW_MOVES = 12
"""Maximum number of moves that are listed one per line."""
LINE = 100
NO_BREAK = "\u00a0"
END_OF_BOARD = "end"
GO_ON = "Enter shows the opponent's move, undo takes back yours> "


@dataclass(frozen=True)
class PlayRequest(Request):
    """Play a game against any player, in the terminal.

    The opponent is a named player or the champion of a run. Type a move by its name; type help for
    a list of commands. The end of the input ends the game.

    Attributes:
        game: game, or folder of a run to play its game against its champion
        player: opponent (default: the strongest built-in player of the game)
        seat: your seat (default: the first seat that the opponent leaves free)
        seed: random seed of the opponent
        record: record the game in this file, for evo watch FILE
        plain: show letters instead of emoji
    """

    execution: ClassVar = ("trust", *REPORTS, "json")

    game: str = argument("GAME|RUN")
    player: str | None = argument("PLAYER|RUN", None, nargs="?")
    seat: str | None = flag(None, metavar="SEAT", flag="--as")
    seed: int = flag(1, low=0)
    record: str | None = flag(None, metavar="FILE")
    plain: bool = flag(False)


def _play(request: PlayRequest, execution: Execution) -> int:
    """Let a person play a game in the terminal.

    Returns:
        The exit status: 0, or 128 + the signal's number after a signal.
    """
    from evo.evaluation.export import check_file
    from evo.play.record import write_record

    if request.record is not None:
        check_file(request.record, name="record")
    played = _opened(request, execution.trust)
    sitting = Sitting(played, Voice(execution.json, not request.plain))
    try:
        sitting.play()
    except KeyboardInterrupt as interruption:
        sitting.voice.leave()
        return exit_status(interruption)
    finally:
        if request.record is not None:
            write_record(request.record, played)
            sitting.voice.say(f"recorded: evo watch {request.record}")
    return 0


def _opened(request: PlayRequest, trust: bool) -> PersonGame:
    from evo.evaluation.players import at_speed
    from evo.play.advice import strongest
    from evo.play.person import PersonGame
    from tournaments.player import seats_of

    game, opponent = _game_and_opponent(request, trust)
    if request.seat is not None and request.seat not in game.seats:
        request.refuse("seat", f"; {' or '.join(game.seats)} is expected")
    seat = None if request.seat is None else game.seats.index(request.seat)
    opponent = opponent or strongest(game, None if seat is None else 1 - seat)
    own = 1 - seats_of(opponent)[-1] if seat is None else seat
    return PersonGame(game, own, at_speed(opponent), request.seed)


def _game_and_opponent(request: PlayRequest, trust: bool) -> tuple[Game, Player | None]:
    """Return the game that a person plays, and the opponent.

    For a run, they are its game and its champion. ``trust``: read the run without checks.
    """
    from evo.evaluation.players import champion, game_of, player
    from results import open_run
    from results.folder.files import is_folder, place_of
    from tournaments import games

    if not is_folder(place_of(request.game)):
        game = games.parse(request.game)
        game.check_has_positions()
        return game, None if request.player is None else player(request.player, game)
    game = game_of(open_run(request.game, trust), trust)
    game.check_has_positions()
    if request.player is not None:
        words = "whose champion is the opponent; give its game instead of the run"
        request.refuse("player", f" with the run {request.game}, {words}")
    return game, champion(request.game, trust=trust)


# --- the table -----------------------------------------------------------------------------------


class Sitting:
    """A session of a person: reads moves and commands, and plays the opponent's replies."""

    def __init__(self, played: PersonGame, voice: Voice) -> None:
        self.played = played
        self.voice = voice
        self._commands: dict[str, tuple[str, Callable[[str], None]]] = {
            "moves": ("list the legal moves", self._moves),
            "hint": ("suggest a move, with the result of each move if it is known", self._hint),
            "undo": ("take back your last move and the reply", self._undo),
            "history": ("show the rounds so far", self._history),
            "opponent": ("change the opponent for the next moves: opponent PLAYER", self._opponent),
            "board": (
                f"continue from a text board, typed up to an empty line or {END_OF_BOARD}",
                self._board,
            ),
            "edit": ("change the position in words of the game: edit WORDS", self._edit),
            "help": ("show this list", self._help),
            "quit": ("end the game here", self._quit),
        }
        if played.game.rules.edit is None:
            del self._commands["edit"]
        if played.game.rules.stage is None:
            del self._commands["history"]
        else:
            undo = "take back your move, before the opponent's move is shown"
            self._commands["undo"] = (undo, self._undo)
        self._is_left = False

    def play(self) -> None:
        """Let the person play to the end of the game or of the input."""
        played = self.played
        self.voice.begin(played)
        while not (played.state.is_over or self._is_left):
            try:
                if played.state.seat_to_move != played.seat:
                    if not self._is_taken_back():
                        self._show(played.reply())
                else:
                    self._obey(self.voice.ask(f"{played.game.seats[played.seat]}> "))
            except EOFError:
                self.voice.leave()
                return
        if played.state.is_over:
            self.voice.end(played)

    def _obey(self, line: str) -> None:
        """Do what a line says that the person typed, a move or a command, or print its error."""
        from evo.play.person import action_named
        from results.errors import ResultsError

        word, _, rest = line.strip().partition(" ")
        try:
            if word in self._commands:
                self._commands[word][1](rest.strip())
            elif word:
                self._show(self.played.play(action_named(self.played.state, line)))
        except (ConfigError, TournamentError, ResultsError) as error:
            self.voice.mistake(str(error))

    def _show(self, ply: Ply) -> None:
        """Print a move of the game, and the round that it ends."""
        from evo.play.rounds import ends_round

        self.voice.ply(self.played, ply)
        if ends_round(ply):
            self.voice.round(self.played)

    def _is_taken_back(self) -> bool:
        """Whether the person types a command, such as undo, before the opponent's move is shown."""
        played = self.played
        is_held = played.game.rules.stage is not None and played.state.seat_to_move == 1
        line = self.voice.ask(GO_ON).strip() if is_held and self.voice.asks else ""
        if line.partition(" ")[0] in self._commands:
            self._obey(line)
        elif line:
            self.voice.mistake("press Enter, or type undo or another command; help lists them")
        return bool(line)

    def _moves(self, rest: str) -> None:
        self.voice.moves(self.played)

    def _hint(self, rest: str) -> None:
        from evo.play.advice import advice

        played = self.played
        stream = played.stream("hint")
        self.voice.advice(played, advice(played.state, played.opponent, stream, played.seated))

    def _history(self, rest: str) -> None:
        from evo.play.rounds import history

        self.voice.say("\n".join(history(self.played)) or "no round is over yet")

    def _undo(self, rest: str) -> None:
        from evo.play.rounds import may_undo

        if not may_undo(self.played):
            raise ConfigError(
                "undo takes back a move before the opponent's is shown; this round is over"
            )
        count = self.played.undo()
        self.voice.say(f"{count} {'ply' if count == 1 else 'plies'} taken back")
        self.voice.position(self.played)

    def _opponent(self, rest: str) -> None:
        from evo.evaluation.players import at_speed, player

        if rest:
            self.played.meet(at_speed(player(rest, self.played.game)))
        self.voice.say(f"the opponent is {self.played.opponent.name}")

    def _board(self, rest: str) -> None:
        self.voice.ply(self.played, self.played.put(self._pasted()))

    def _pasted(self) -> str:
        """Read a board that the person types or pastes, and return its text.

        It ends at an empty line after a valid board, or at the end word.
        """
        lines: list[str] = []
        while (line := self.voice.ask("... ")).strip() != END_OF_BOARD:
            lines.append(line)
            if not line.strip():
                with suppress(TournamentError):
                    self.played.game.parse(without_rulers("\n".join(lines[:-1]), self.played.game))
                    break
        return without_rulers("\n".join(lines), self.played.game)

    def _edit(self, rest: str) -> None:
        self.voice.ply(self.played, self.played.edit(rest))

    def _help(self, rest: str) -> None:
        about = [f"  {name:9} {what}" for name, (what, _) in self._commands.items()]
        self.voice.say(
            "\n".join(
                [
                    f"{self.played.game.name}: {self.played.game.rules.summary}",
                    "type a move by its name, the beginning of its name, or its number; commands:",
                    *about,
                ]
            )
        )

    def _quit(self, rest: str) -> None:
        self._is_left = True


# --- input and output ----------------------------------------------------------------------------


class Voice:
    """The input and output of a session, as text or as JSON with an object per line.

    A move has the columns of ``evo watch --json``.

    Attributes:
        asks: whether prompts are shown, in a terminal.
    """

    def __init__(self, as_json: bool, with_emoji: bool) -> None:
        self._as_json = as_json
        self._with_emoji = with_emoji and shows_emoji()
        self.asks = not as_json and sys.stdin.isatty() and is_terminal()
        if self.asks:
            with suppress(ImportError):
                import readline  # noqa: F401  editing and history of typed lines

    def _tell(self, text: str, *rows: Mapping[str, Any]) -> None:
        """Print a text to the person, or rows with the same content as JSON."""
        from results import report

        for line in report.json_lines(rows) if self._as_json else [text]:
            print(line, flush=True)

    def ask(self, prompt: str) -> str:
        """Print a prompt and return the line that the person types."""
        return input(prompt if self.asks else "")

    def say(self, text: str) -> None:
        """Print a text to the person."""
        self._tell(text, {"note": text})

    def mistake(self, text: str) -> None:
        """Print an error message about the line that the person typed."""
        self._tell(text, {"error": text})

    def begin(self, played: PersonGame) -> None:
        """Print the game, the players and the start position, when a person's game begins."""
        game, lines = played.game, [f"{played.game.short_spec}, type help for help"]
        lines += [f"{seat}: {name}" for seat, name in zip(game.seats, played.names, strict=True)]
        if game.rules.stage is not None:
            from evo.play.rounds import payoff_table

            lines.append(f"\n{payoff_table(game)}")
        row = {"game": game.spec, "seed": played.seed, "players": played.names}
        self._tell("\n".join(lines), row)
        self.position(played)

    def position(self, played: PersonGame) -> None:
        """Print the board of a person's game."""
        self._tell(self._board(played), {"board": str(played.seen)})

    def _board(self, played: PersonGame) -> str:
        board = with_rulers(picture(played.seen, self._with_emoji), played.game)
        return f"\n{board}\n"

    def ply(self, played: PersonGame, ply: Ply) -> None:
        """Print a move or a change of the position in a person's game, and the board."""
        from evo.play.watched import row_of

        action, seen = played.shown_action(ply), played.seen
        if ply.seat < 0:
            number, row = "", {"change": ply.words, "board": str(seen)}
        else:
            number = f"{played.moves}. "
            row = row_of(seen, played.moves, ply.seat, ply.player, action)
        self._tell(f"{number}{played.words(ply)}\n{self._board(played)}", row)

    def round(self, played: PersonGame) -> None:
        """Print the round of a person's game that is over."""
        from evo.play.rounds import round_record, round_words

        self._tell(f"{round_words(played)}\n", round_record(played))

    def moves(self, played: PersonGame) -> None:
        """Print the legal actions in a person's game with their numbers."""
        lines = [f"#{action} {name}" for action, name in played.legal.items()]
        text = "\n".join(lines) if len(lines) <= FEW_MOVES else _listed("", lines)
        self._tell(text, *({"action": a, "move": name} for a, name in played.legal.items()))

    def advice(self, played: PersonGame, advice: Advice) -> None:
        """Print a hint to the person: the suggested move, and the result of each move."""
        from evo.play.advice import outcome

        legal, note = played.legal, advice.note.removeprefix("; ")
        lines = [f"{legal[advice.action]} ({advice.by}{advice.note})"]
        for words, alike in groupby(advice.worths, partial(outcome, played.game, advice)):
            lines.append(_listed(f"  {words}: ", [legal[worth.action] for worth in alike]))
        hint = {"hint": legal[advice.action], "action": advice.action, "by": advice.by}
        worths = ({**worth._asdict(), "move": legal[worth.action]} for worth in advice.worths)
        self._tell("\n".join(lines), {**hint, "note": note}, *worths)

    def end(self, played: PersonGame) -> None:
        """Print the result of a person's game."""
        self._tell(played.result, {"result": played.result})

    def leave(self) -> None:
        """End the line of the prompt when the person's input ends."""
        if self.asks:
            print(flush=True)


def _listed(head: str, names: Sequence[str]) -> str:
    """Return the head and names as lines that fit a terminal, without a break within a name."""
    text = ", ".join(name.replace(" ", NO_BREAK) for name in names)
    lines = wrap(head + text, LINE, subsequent_indent="    ", break_on_hyphens=False)
    return "\n".join(lines).replace(NO_BREAK, " ")


COMMAND = command_of(PlayRequest, _play, rank=4, group="look")
