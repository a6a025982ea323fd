"""Games of a person against players, in a browser: the rules and the players are on the server.

A browser sends the number of an action and gets the next position: its shapes, the legal actions
and where on the board each of them changes something. So every game with a drawing can be played
by mouse, touch and keyboard, games of other people included.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from evo.evaluation.players import at_speed, champion, player
from evo.pages import blocks
from evo.pages.blocks import Block, plain
from evo.pages.document import linked_file, shared
from evo.pages.games import shape_as_data
from evo.play.advice import advice, outcome, strongest
from evo.play.person import PersonGame
from evo.play.places import Picture
from evo.play.record import record_of
from evo.play.rounds import ends_round, history, may_undo, payoff_table, round_words
from evo.serve.folders import RUN, Shelf
from results.errors import ResultsError
from results.format.genomes import are_programs
from results.read.run import Run
from results.read.settings import game_of
from tournaments import games, players
from tournaments.drawing.shapes import MARGIN, Shape
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import GAMES, Game
from tournaments.named_files import named_by
from tournaments.player import Player, seats_of

MOST_SESSIONS = 50
"""Maximum number of games at a time. The one that was used least recently is dropped."""
RESIGNED = "you resign"
CHAMPION = "champion of "
"""Prefix of opponents that are champions of runs."""
REQUEST = "a request"
"""The source of names in messages: a request may name no file."""
ERRORS = (ConfigError, TournamentError, ResultsError)


@dataclass(eq=False)
class Session:
    """A game of a person in a browser.

    Attributes:
        played: the game.
        lock: held while the game changes.
        note: what was said last, such as a hint. Empty if there is nothing to say.
        hint: the hinted action, or -1.
        is_thinking: whether the opponent is to move and has not answered.
        ended: why the game ended before its rules end it, in words. Empty: it did not.
    """

    played: PersonGame
    lock: threading.Lock = field(default_factory=threading.Lock)
    note: str = ""
    hint: int = -1
    is_thinking: bool = False
    ended: str = ""

    @property
    def is_over(self) -> bool:
        return bool(self.ended) or self.played.state.is_over

    def act(self, name: str, given: dict[str, Any]) -> None:
        """Change the game as a request asks.

        Raises:
            ConfigError, TournamentError: the request is not possible now.
        """
        with self.lock:
            if given.get("ply") != len(self.played.plies) or self.is_thinking:
                raise ConfigError("the game has gone on since; the page shows it now")
            self.note, self.hint = "", -1
            ACTIONS[name](self, given)
            self._go_on()

    def _go_on(self) -> None:
        """Let the opponent reply in another thread, if it is to move."""
        played = self.played
        if not self.is_over and played.state.seat_to_move != played.seat:
            self.is_thinking = True
            threading.Thread(target=self.reply, daemon=True).start()

    def reply(self) -> None:
        """Play the opponent's moves up to the person's next one."""
        played = self.played
        try:
            while not self.is_over and played.state.seat_to_move != played.seat:
                played.reply()
        except Exception as error:
            self.ended = f"{played.opponent.name} fails: {error}"
        self.is_thinking = False

    # --- actions of the person -------------------------------------------------------------------

    def move(self, given: dict[str, Any]) -> None:
        """Play a legal action."""
        action = given.get("action")
        if self.is_over or self.played.state.seat_to_move != self.played.seat:
            raise ConfigError("it is not your turn")
        if type(action) is not int or action not in self.played.state.legal_actions():
            raise ConfigError(f"action {str(action)[:20]} given; it is not legal here")
        self.played.play(action)

    def undo(self, given: dict[str, Any]) -> None:
        """Take back the person's last move and the replies to it, or the end by resigning."""
        if self.ended != RESIGNED:
            if not may_undo(self.played):
                raise ConfigError("this round is over, and the other move was shown")
            self.played.undo()
        self.ended = ""

    def edit(self, given: dict[str, Any]) -> None:
        """Change the position in words of the game."""
        self.played.edit(str(given.get("words", "")))

    def ask(self, given: dict[str, Any]) -> None:
        """Show a hint: an action, and the value of each action where it is known."""
        if self.is_over:
            raise ConfigError("the game is over")
        played = self.played
        said = advice(played.state, played.opponent, played.stream("hint"), played.seated)
        names, self.hint = played.legal, said.action
        lines = [f"{names[said.action]} ({said.by}{said.note})"]
        lines += [
            f"{names[each.action]}: {outcome(played.game, said, each)}" for each in said.worths
        ]
        self.note = "\n".join(lines)

    def swap(self, given: dict[str, Any]) -> None:
        """Let the person go on from here in the other seat.

        In a game that hides something from a seat, a new game begins in the other seat.
        """
        played = self.played
        other = PersonGame(played.game, 1 - played.seat, played.opponent, played.seed)
        if not played.game.hides:
            other.start, other.plies = played.start, played.plies
        self.played, self.ended = other, ""

    def resign(self, given: dict[str, Any]) -> None:
        """End the game as lost by the person."""
        if self.is_over:
            raise ConfigError("the game is over")
        self.ended = RESIGNED

    # --- what the page shows ---------------------------------------------------------------------

    def state(self) -> Block:
        """Return all that the page of the game shows, as data."""
        with self.lock:
            played, game = self.played, self.played.game
            is_mine = not (self.is_over or self.is_thinking)
            legal = played.legal if is_mine and played.state.seat_to_move == played.seat else {}
            result = self.ended or (played.result if self.is_over else "")
            is_shown = game.rules.stage is not None and any(map(ends_round, played.plies[-2:]))
            return {
                "ply": len(played.plies),
                "seats": list(game.seats),
                "names": list(played.names),
                "seat": played.seat,
                "thinking": self.is_thinking,
                "over": self.is_over,
                "result": result,
                "note": self.note,
                "hint": self.hint,
                "plies": [played.words(ply) for ply in played.plies],
                "rounds": round_words(played)
                if is_shown
                else "\n".join(history(played))
                if game.rules.stage is not None
                else "",
                "undo": bool(played.plies or self.ended),
                **drawn(played, legal),
            }


ACTIONS = {
    "move": Session.move,
    "undo": Session.undo,
    "edit": Session.edit,
    "hint": Session.ask,
    "swap": Session.swap,
    "resign": Session.resign,
}


def drawn(played: PersonGame, legal: dict[int, str]) -> Block:
    """Return the position as the person sees it, and the legal actions with their places.

    Args:
        played: the game.
        legal: names of the legal actions. Empty: the person is not to move.
    """
    picture, shapes = Picture(played), dict[Shape, int]()
    number = lambda frame: [shapes.setdefault(shape, len(shapes)) for shape in frame]  # noqa: E731
    frame = number(picture.shapes)
    moves = [
        {
            "action": place.action,
            "name": legal[place.action],
            "spots": [list(spot) for spot in place.spots],
            "new": number(place.shown),
            "gone": number(place.gone),
        }
        for place in (picture.move_places() if legal else ())
    ]
    return {
        "width": picture.drawing.width,
        "height": picture.drawing.height,
        "margin": MARGIN,
        "frame": frame,
        "moves": moves,
        "edits": [{"words": words, "spot": list(spot)} for words, spot in picture.edit_places()],
        "shapes": [shape_as_data(shape) for shape in shapes],
        "text": str(played.seen),
        "search": played.game.rules.is_search,
    }


# --- routes --------------------------------------------------------------------------------------


@dataclass(eq=False)
class Games:
    """The games of all readers of a server.

    Attributes:
        shelf: the runs whose champions can be opponents.
        own: games of files that the user of the server named.
    """

    shelf: Shelf
    own: Sequence[str] = ()
    _sessions: OrderedDict[str, Session] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        """Load the files of games, so that requests may name them.

        Raises:
            TournamentError: a file holds no game.
        """
        for name in self.own:
            games.parse(name)

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the pages and of the moves."""
        return [
            Route("/play", self.choose),
            Route("/play/new", self.new, methods=["POST"]),
            Route("/play/offers", self.offers),
            Route("/play/{id}", self.page),
            Route("/play/{id}/state", self.state),
            Route("/play/{id}/record", self.record),
            Route("/play/{id}/{action}", self.act, methods=["POST"]),
        ]

    @cached_property
    def names(self) -> dict[str, str]:
        """The games that can be played, by the names that pages show."""
        return {name: name for name in GAMES.own()} | {
            name.rpartition("/")[2]: name for name in self.own
        }

    def choose(self, request: Request) -> Response:
        """Answer with the page on which a person chooses a game and an opponent."""
        given = {name: request.query_params.get(name, "") for name in ("game", "opponent")}
        block = {"kind": "choose", "games": list(self.names), "given": given}
        page = blocks.page("Play", "Choose a game and an opponent", [("New game", [block])])
        page["links"] = [blocks.link("All", "./")]
        return _html(page, 0)

    def offers(self, request: Request) -> Response:
        """Answer with the seats and the opponents of a game."""
        game = self._game(request.query_params.get("game", ""))
        return JSONResponse(
            {
                "seats": list(game.seats),
                "summary": game.rules.summary,
                "options": dict(game.options),
                "opponents": list(self._opponents(game)),
                "strongest": strongest(game).name,
            }
        )

    def _opponents(self, game: Game) -> Iterator[str]:
        """Yield the names of the players of a game, the yardsticks first, then champions."""
        yield from dict.fromkeys([*players.yardsticks(game), *_able(game)])
        for item in self.shelf.items().values():
            if item.kind == RUN and game_with_champion(item.path) == game.spec:
                yield f"{CHAMPION}{item.name}"

    def _game(self, text: str) -> Game:
        """Return the game of a text, which may name a file only if the user of the server did."""
        name = text.strip()
        own = next((own for own in self.names if f"{name}:".startswith(f"{own}:")), None)
        if own is None:
            raise HTTPException(400, f"unknown game {name[:60]!r}; --game FILE adds one of a file")
        try:
            with named_by(REQUEST):
                return games.parse(self.names[own] + name.removeprefix(own))
        except ERRORS as error:
            raise HTTPException(400, str(error)) from None

    def _opponent(self, name: str, game: Game) -> Player:
        if name not in self._opponents(game) and name.partition(":")[0] not in _able(game):
            raise ConfigError(f"unknown opponent {name[:60]!r}; one of the list is expected")
        if not name.startswith(CHAMPION):
            with named_by(REQUEST):
                return player(name, game)
        path = self.shelf.items()[name.removeprefix(CHAMPION)].path
        return champion(str(path), game)

    async def new(self, request: Request) -> Response:
        """Begin a game, and answer with its address."""
        return JSONResponse(await run_sync(self._begun, await _body(request)))

    def _begun(self, given: dict[str, Any]) -> dict[str, str]:
        """Begin the game that a request asks for, and return its address."""
        game = self._game(str(given.get("game", "")))
        try:
            opponent = at_speed(self._opponent(str(given.get("opponent", "")), game))
            seats = [1 - seat for seat in seats_of(opponent)]
            wanted = given.get("seat")
            if wanted in game.seats and game.seats.index(wanted) not in seats:
                raise ConfigError(f"{opponent.name} does not leave you the seat {wanted}")
            seat = game.seats.index(wanted) if wanted in game.seats else min(seats)
            seed = given.get("seed", 1)
            if type(seed) is not int or not 0 <= seed < 2**63:
                raise ConfigError("the seed is a whole number, 0 or more")
            session = Session(PersonGame(game, seat, opponent, seed))
        except ERRORS as error:
            raise HTTPException(400, str(error)) from None
        name = secrets.token_urlsafe(9)
        self._sessions[name] = session
        while len(self._sessions) > MOST_SESSIONS:
            self._sessions.popitem(last=False)
        session._go_on()
        return {"to": f"play/{name}"}

    def _session(self, request: Request) -> Session:
        name = request.path_params["id"]
        session = self._sessions.get(name)
        if session is None:
            raise HTTPException(404, "this game is no longer kept; begin a new one")
        self._sessions.move_to_end(name)
        return session

    def page(self, request: Request) -> Response:
        """Answer with the page of a game."""
        session = self._session(request)
        played, game = session.played, session.played.game
        name = request.path_params["id"]
        stage = payoff_table(game) if game.rules.stage is not None else ""
        block = {
            "kind": "play",
            "at": name,
            "game": game.short_spec,
            "edits": game.rules.edit is not None,
            "payoffs": stage,
            "state": session.state(),
        }
        subtitle = f"{game.rules.summary}; your opponent is {played.opponent.name}"
        page = blocks.page(game.short_spec, subtitle, [("Game", [block])])
        page["links"] = [blocks.link("All", "../"), blocks.link("Play", "../play")]
        return _html(page, 1)

    def state(self, request: Request) -> Response:
        """Answer with the state of a game."""
        return JSONResponse(shared(self._session(request).state()))

    def record(self, request: Request) -> Response:
        """Answer with the record of a game, which ``evo watch`` plays back."""
        session = self._session(request)
        if session.played.game.hides and not session.is_over:
            raise HTTPException(409, "the record shows what the game hides; first end the game")
        content = record_of(session.played)
        if session.ended == RESIGNED:
            content["note"] = f"{session.played.game.seats[session.played.seat]} resigns"
        head = {"Content-Disposition": 'attachment; filename="game.json"'}
        return JSONResponse(shared(content), headers=head)

    async def act(self, request: Request) -> Response:
        """Do what a person asks in a game, and answer with its state."""
        session, name = self._session(request), request.path_params["action"]
        if name not in ACTIONS:
            raise HTTPException(404, "no such action")
        given = await _body(request)
        try:
            await run_sync(partial(session.act, name, given))
        except ERRORS as error:
            return JSONResponse(
                {"error": shared(str(error)), "state": shared(session.state())}, 409
            )
        return JSONResponse(shared(await run_sync(session.state)))


def routes(shelf: Shelf, own: Sequence[str] = ()) -> Iterable[BaseRoute]:
    """Return the routes by which games are played; ``own`` are games of files."""
    return Games(shelf, own).routes()


def _able(game: Game) -> list[str]:
    """Return the names of the players that play a game without further options."""
    able = []
    for name in players.names(game):
        offer = players.offer(name, game)
        if not offer.of_file:
            able.append(name)
    return able


def game_with_champion(path: Any) -> str | None:
    """Return the game in which a run's champion can be an opponent, as text.

    None: the run cannot be read, or its individuals are programs, which a server does not start.
    """
    try:
        run = Run(path)
        return None if are_programs(run.layouts) else game_of(run.config)
    except ResultsError:
        return None


async def _body(request: Request) -> dict[str, Any]:
    try:
        given = await request.json()
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise HTTPException(400, "an object of JSON is expected")
    return given


def _html(page: Block, depth: int) -> Response:
    return HTMLResponse(linked_file(plain(page), f"{'../' * depth or './'}static"))
