"""Scripted people, for every repeated game, and the equilibrium of its stage."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.named_files import read_named_json
from tournaments.player import CompiledPlayer
from tournaments.repeated.equilibrium import net_equilibrium
from tournaments.repeated.machines import Machine, cycle, machine_player, memory_one, mixed
from tournaments.rules import PlayerOffer, StageRules


def stage_of(game: Game) -> StageRules:
    """Return the rules of the stage game that a repeated game plays in each round.

    Raises:
        TournamentError: the game is not a repeated game.
    """
    if game.rules.stage is None:
        raise TournamentError(
            f"{game.name} is no repeated game (Rules.stage); one such as karate is expected"
        )
    return game.rules.stage


def win_stay_lose_shift(game: Game) -> CompiledPlayer:
    """Return the player of a repeated game that repeats a move only if it gained enough.

    It repeats a move that gained more than the mean payoff, and otherwise plays any other move. Its
    first move is random.
    """
    payoffs = stage_of(game).payoffs(game.board)
    moves = len(payoffs)
    stays, same = payoffs * moves**2 > payoffs.sum(), np.eye(moves)[:, None]
    replies = np.where(stays[:, :, None], same, (1 - same) / (moves - 1))
    machine = memory_one([1.0 / moves] * moves, replies)
    return machine_player(game, machine, "win-stay-lose-shift", win_stay_lose_shift, {})


def in_turn(game: Game, *, moves: str = "") -> CompiledPlayer:
    """Return a player of a repeated game that plays given moves over and over.

    Args:
        game: the game to play.
        moves: their names, joined by ``+``; by default all moves in their order.

    Raises:
        TournamentError: a name of no move.
    """
    known = stage_of(game).moves
    names = [word.strip() for word in str(moves).split("+")] if moves else list(known)
    for name in names:
        if name not in known:
            raise unknown(f"move of {game.name}", name, known)
    machine = cycle([known.index(name) for name in names], len(known))
    name = f"cycle:moves={moves}" if moves else "cycle"
    return machine_player(game, machine, name, in_turn, {"moves": moves} if moves else {})


def biased(game: Game, *, weights: str = "") -> CompiledPlayer:
    """Return a player of a repeated game that plays each move with a fixed probability.

    Args:
        game: the game to play.
        weights: one per move, in proportion to its probability, joined by ``+``; by default the
            first move has half the total weight.

    Raises:
        TournamentError: invalid weights.
    """
    moves = stage_of(game).moves
    words = str(weights).split("+") if weights else [str(len(moves) - 1), *["1"] * (len(moves) - 1)]
    try:
        numbers = np.array([float(word) for word in words])
    except ValueError:
        numbers = np.zeros(0)
    if len(numbers) != len(moves) or not (numbers >= 0).all() or not 0 < numbers.sum() < np.inf:
        raise TournamentError(
            f"biased: weights={weights} given; a number of 0 or more for each of "
            f"{', '.join(moves)}, joined by +, is expected, such as {'+'.join('1' * len(moves))}"
        )
    name = f"biased:weights={weights}" if weights else "biased"
    machine = mixed((numbers / sum(numbers.tolist())).tolist())
    return machine_player(game, machine, name, biased, {"weights": weights} if weights else {})


def recorded(
    game: Game, *, file: str = "", seat: str = "", name: str = "recorded"
) -> CompiledPlayer:
    """Return a player of a repeated game that plays the moves of a recorded game over and over.

    Args:
        game: the game to play.
        file: as ``evo play --record`` writes it.
        seat: whose moves; by default the person's, else the first seat's.
        name: the name in tables of results.

    Raises:
        TournamentError: the file is no record of this game, or holds no moves of the seat.
    """
    machine = cycle(moves_of_record(game, file, seat), game.num_actions)
    options = {"file": file, "seat": seat, "name": name}
    shown = f"recorded:file={file}" if name == "recorded" else name
    return machine_player(game, machine, shown, recorded, options)


def moves_of_record(game: Game, file: str | Path, seat: str = "") -> list[int]:
    """Return a seat's moves in a recorded repeated game.

    By default the seat is the person's, or the first if no person played.

    Raises:
        TournamentError: the file is no record of this game, or holds no moves of the seat.
    """
    if seat and seat not in game.seats:
        raise unknown(f"seat of {game.name}", seat, game.seats)
    try:
        content = read_named_json(str(file))
        people = [str(name) for name in content["players"]]
        wanted = seat or game.seats["you" in people[1:] and "you" not in people[:1]]
        rows = [row for row in content["moves"] if row.get("seat") == wanted]
        moves = [int(row["action"]) for row in rows]
        name = str(content["game"]).partition(":")[0]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TournamentError(
            f"{file or 'no file'} given; a game as evo play {game.name} --record FILE writes it is "
            f"expected ({str(error) or type(error).__name__})"
        ) from None
    if name != game.name or not moves or not 0 <= min(moves) <= max(moves) < game.num_actions:
        raise TournamentError(
            f"{file}: a record of {name} with {len(moves)} moves of the {wanted} given; one of "
            f"{game.name} with some is expected"
        )
    return moves


def equilibrium(game: Game) -> CompiledPlayer:
    """Return the player that plays an equilibrium of net points in each round of a game."""
    chances = [float(share) for share in net_equilibrium(stage_of(game).payoffs(game.board))]
    return machine_player(game, mixed(chances), "equilibrium", equilibrium, {})


def fixed(name: str, machine: Machine, game: Game) -> CompiledPlayer:
    """Return a player of a repeated game, without options, that plays by a finite-state machine."""
    return machine_player(game, machine, name, partial(fixed, name, machine), {})


SCRIPTED = {
    "win-stay-lose-shift": PlayerOffer(
        "plays on what pays more than the mean, else something else", win_stay_lose_shift
    ),
    "cycle": PlayerOffer("moves in turn: cycle:moves=A+B+B", in_turn),
    "biased": PlayerOffer("moves by fixed chances: biased:weights=3+1+...", biased),
    "recorded": PlayerOffer("the moves of a recorded game: recorded:file=GAME.json", recorded),
    "equilibrium": PlayerOffer("the equilibrium of a round: nobody gains on it", equilibrium),
}
