"""A game to be watched move by move, between named players or of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from evo.config.config import Config
from evo.config.config import of_run as of_run_config
from evo.evaluation.players import (
    champion,
    content_digest,
    digest_of_thing,
    game_of,
    individual,
    player,
)
from results import open_run
from results.folder.files import digest_of, exists, place_of
from results.folder.tournament import TOURNAMENT_FILE, open_tournament
from results.read.mutations import recorded_texts
from tournaments import games
from tournaments.arena.clock import Timekeeper, Turns
from tournaments.arena.match import play_game
from tournaments.code_files import path_of
from tournaments.drawing.shapes import Scene
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game, State
from tournaments.kernels.rng import match_seeds, opening_seed
from tournaments.named_files import named_by, naming_folder
from tournaments.player import Player, check_seats, seats_of
from tournaments.players.programs import remember


class Watched(NamedTuple):
    """A game to be played, its players in the order of the seats, and the seed of the match.

    Attributes:
        number: number of the game in its match.
        fault: description of the fault that ended the game before. Empty if there was no fault.
    """

    game: Game
    players: tuple[Player, Player]
    seed: int
    number: int = 0
    fault: str = ""

    @property
    def names(self) -> tuple[str, str]:
        """The names of the players of the watched game, by seat."""
        return (self.players[0].name, self.players[1].name)

    def scenes(self) -> Iterator[Scene]:
        """Play the game and yield its positions from the start, each as soon as it is reached.

        If the game was lost by a fault before, the positions are yielded after the game, because a
        player may exceed its time again.
        """
        a, b = self.players if self.number % 2 == 0 else self.players[::-1]
        if not self.fault:
            yield from self._between(a, b, Turns())
            return
        scenes: list[Scene] = []
        with closing(Timekeeper()) as keeper:
            try:
                play = lambda turns: scenes.extend(self._between(a, b, turns))  # noqa: E731
                keeper.played(a, b, self.number, play)
            finally:
                yield from scenes

    def _between(self, a: Player, b: Player, turns: Turns) -> Iterator[Scene]:
        """Play the game between entrants a and b and yield its positions with captions."""
        game, _, seed, number, _ = self
        state = game.start(opening_seed(seed, number))
        yield Scene(state, -1, -1, ("the start",))
        for after, seat, action in play_game(game, a, b, seed, number, turns):
            words = f"{turns.ply}. {move(game, seat, action)}"
            yield scene_of(after.clone(), words, self.names, turns.ply, seat, action)


def scene_of(
    state: State, words: str, names: Sequence[str], plies: int, seat: int = -1, action: int = -1
) -> Scene:
    """Return a position of a watched game with its caption.

    The caption is ``words``, and the result at the end.

    Args:
        state: the position.
        words: the caption.
        names: the names of the players.
        plies: number of moves before the position.
        seat: the seat that moved; -1: none.
        action: its action.
    """
    ends = (result(state, names, plies),) if state.is_over else ()
    return Scene(state, seat, action, (words, *ends))


def row_of(state: State, ply: int, seat: int, player: str, action: int) -> dict[str, Any]:
    """Return a move of a watched game as a row of ``--json``, with the position after it.

    The action is -1 if the move is hidden.
    """
    game = state.game
    return {
        "ply": ply,
        "seat": game.seats[seat],
        "player": player,
        "action": action,
        "name": game.rules.describe(game.board, action) if action >= 0 else "",
        "scores": state.scores,
        "is_over": state.is_over,
        "board": str(state),
    }


def move(game: Game, seat: int, action: int) -> str:
    """Return a move of a game in words: the seat and the action's name."""
    return f"{game.seats[seat]} {game.rules.describe(game.board, action)}"


def result(state: State, names: Sequence[str], plies: int) -> str:
    """Return the result of a game in words: winner, points if the game counts them, and plies."""
    scores = sorted(state.scores, reverse=True)
    tally = f" {scores[0]} to {scores[1]}" if scores[0] > 1 else ""
    if scores[0] == scores[1]:
        return f"a draw{tally} after {plies} plies"
    seat = state.scores.index(scores[0])
    winner = f"{state.game.seats[seat]} ({names[seat]})"
    return f"{winner} wins{tally} after {plies} plies"


def of_players(spec: str, names: Sequence[str], seed: int) -> Watched:
    """Set up a game between two named players, in the order of the seats, without playing it.

    :meth:`Watched.scenes` plays the game.

    Raises:
        TournamentError, ConfigError, ResultsError: no such game or player, not two players, or a
            player cannot play its seat.
    """
    game = games.parse(spec)
    game.check_has_positions()
    if len(names) != 2:
        raise ConfigError(
            f"{len(names)} players given; two are expected, for {game.seats[0]} and "
            f"{game.seats[1]} (evo players {game.name} lists them)"
        )
    return _seated(game, (player(names[0], game), player(names[1], game)), seed)


def of_run(
    run: str,
    generation: int | None = None,
    opponent: str | None = None,
    seat: str | None = None,
    seed: int = 1,
    trust: bool = False,
) -> Watched:
    """Return a game between the champion of a run and an opponent, by default the champion itself.

    In a run with roles, the champion of each role plays its own seat. The opponent takes the seat
    named ``seat``, by default the last seat that the opponent plays. For ``trust`` see
    :func:`champion`.

    Raises:
        TournamentError, ConfigError, ResultsError: no such run, generation, opponent or seat.
    """
    game = game_of(open_run(run, trust), trust)
    game.check_has_positions()
    best = champion(run, generation=generation, trust=trust)
    if seat is not None and (opponent is None or seat not in game.seats):
        raise ConfigError(
            f"--as {seat} given; it is the seat of an --opponent, {' or '.join(game.seats)}"
        )
    if opponent is None:
        return _seated(game, (best, best), seed)
    other = player(opponent, game)
    number = seats_of(other)[-1] if seat is None else game.seats.index(seat)
    return _seated(game, (other, best) if number == 0 else (best, other), seed)


def of_fault(path: str, number: int, trust: bool = False) -> Watched:
    """Return a game that was lost by a fault, by its number in the table ``faults``.

    Args:
        path: folder of a run or a tournament.
        number: number of the fault.
        trust: whether to load files that the folder names.

    Raises:
        ConfigError: there is no such fault.
        TournamentError, ResultsError: there is no run or tournament at this path, or a player
            cannot be made again.
    """
    folder = place_of(path)
    config, game = None, None
    league: Mapping[str, Any] = {}
    if exists(folder / TOURNAMENT_FILE):
        held = open_tournament(path)
        league = held.info if "submissions" in held.info else {}
        with named_by("" if trust else str(path)):
            game, table = games.parse(held.info["game"]), held.faults
    else:
        run = open_run(path, trust)
        config, table = of_run_config(run, trust), run.faults
        game = config.game
    game.check_has_positions()
    if not 0 <= number < len(table):
        there = f"numbers from 0 to {len(table) - 1} are expected" if len(table) else "it has none"
        raise ConfigError(f"--fault {number} given; {there} in {folder / 'faults'}")
    row = table.iloc[number]
    if config is not None and config.genome.programs:  # the snapshots do not hold all of them
        for text in recorded_texts(folder):
            remember(text)
    with named_by("" if trust else str(path)):
        sides = [_side(row, side, game, config, league) for side in ("", "opponent_")]
    seat = int(row["seat"])
    players = (sides[seat], sides[1 - seat])
    fault = f"{row['player']} {row['what']}"
    return Watched(game, players, int(row["match_seed"]), int(row["game"]), fault)


def _side(
    row: Any, side: str, game: Game, config: Config | None, league: Mapping[str, Any]
) -> Player:
    """Return the player that lost a game by a fault, or its opponent, made again.

    Args:
        row: the row of the table ``faults``.
        side: prefix of the columns: empty or ``opponent_``.
        game: the game.
        config: configuration of the run; None: a tournament.
        league: the submissions of a league, if it was one.
    """
    name = str(row[f"{side}player" if not side else "opponent"])
    population = str(row[f"{side}population"])
    if league:
        return _submitted(name, game, league)
    if config is None or not population:
        return _named(name, game)
    plan, genome = config.plan(population), bytes.fromhex(str(row[f"{side}genome"]))
    return individual(config, plan, genome, name)


def _submitted(name: str, game: Game, league: Mapping[str, Any]) -> Player:
    """Return a submission of a league by its name in the tables, ``FILE@DIGITS``.

    Raises:
        TournamentError: the content of the submission has changed, or the league is not trusted.
    """
    was, spec = str(league["players"].get(name, "")), name.rpartition("@")[0]
    folders = [Path(league[key]) for key in ("submissions", "staff") if key in league]
    held = [file for folder in folders if (file := _holder(folder, was, spec, game))]
    file = held[0] if held else f"{folders[0]}/{spec}"
    submitted = player(file, game)
    if (now := content_digest(file, submitted, game)) != was:
        raise TournamentError(
            f"{file} had the SHA-256 {was[:12]}... when it lost that game, and has {now[:12]}... "
            "now: put the old file back to watch the game"
        )
    return submitted


def _holder(folder: Path, digest: str, spec: str, game: Game) -> str:
    """Return the path of the file in a folder that has the given digest, even if renamed.

    If ``spec`` is an object in a file of the folder and has this digest, return the object. Return
    an empty text if there is no such file or object.
    """
    if naming_folder():
        return ""  # a folder that is named by an untrusted file is not read
    for path in sorted(folder.glob("*")):
        with suppress(OSError):
            if path.is_file() and digest_of(path) == digest:
                return str(path)
    thing = f"{folder}/{spec}"
    is_held = Path(path_of(thing)).is_file() and digest_of_thing(thing, game) == digest
    return thing if is_held else ""


def _named(name: str, game: Game) -> Player:
    """Return a player by its name in a table of faults. The name may end in a digest."""
    try:
        return player(name, game)
    except TournamentError:
        spec, at, _ = name.rpartition("@")
        if not at:
            raise
        return player(spec, game)


def _seated(game: Game, players: tuple[Player, Player], seed: int) -> Watched:
    """Return a game to watch, after a check that each player can play its seat."""
    for seat, each in enumerate(players):
        check_seats(each, game, (seat,))
    return Watched(game, players, int(match_seeds(seed, "watch", 0, 1)[0]))
