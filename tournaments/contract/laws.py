"""The laws of rules: what a game says of itself, its start, its positions, its moves, its secrets.

Part of :func:`tournaments.contract.check.check_game`. A law is a function in one of the tables
below. It raises :class:`ContractError` with its text if the game breaks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from inspect import signature
from itertools import product
from typing import Any

import numpy as np

from tournaments import games as all_games
from tournaments.contract.blame import hooks_of, raising_hook
from tournaments.contract.player import registered_players
from tournaments.errors import KernelError, TournamentError
from tournaments.game import Game, IllegalAction, State
from tournaments.guard import ContractError, require
from tournaments.kernels import hooks
from tournaments.kernels.chance import STREAM, STREAM_SIZE
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.linker import link
from tournaments.kernels.rng import GAMMA, MASK, Stream, opening_seed
from tournaments.players.network.weights import layers_for
from tournaments.rules import HEADER, Kernel
from tournaments.solver import table as oracle
from tournaments.solver.graph import MOST_OUTCOMES

PART_KERNELS = frozenset({"solve", "number", "position", "measure"})
"""Kernels of the rules' parts with which the arena is not linked."""
JUNK = ("no position: ?", "")
"""Texts that no game may take for a position."""
UNWRITTEN = -9
"""Placeholder where a hook is to write."""
MOST_TWINS = 2
"""Number of pairs of positions that look alike that every kind of player is shown."""
STEPS = 4
"""Number of steps by which a cheat runs its stream backwards, and forwards."""
CHEATED_GAMES = 24
"""Number of games in each of which a cheat must find what is hidden, by the same way."""


# --- a game ------------------------------------------------------------------------------------


def describes_itself(game: Game, seed: int) -> None:
    seats = game.seats
    law = f"two seats with different names, a line each, are expected, not {seats!r}"
    require(len(seats) == 2 and _are_names(seats), law)
    require(
        game.num_actions >= 1 and game.state_size >= HEADER,
        f"num_actions={game.num_actions} and state_size={game.state_size}; at least 1 action "
        f"and a state of {HEADER} numbers are expected",
    )
    require(game.board.dtype == np.int16, f"the board must be int16, not {game.board.dtype}")
    names = [game.rules.describe(game.board, action) for action in range(game.num_actions)]
    require(_are_names(names), "describe() must give each action a name of its own, a line of text")
    if game.rules.network is not None:
        inputs = game.rules.network.num_inputs(game.board)
        law = f"num_inputs() must give a whole number from 1, not {inputs!r}"
        require(_is_whole(inputs) and inputs >= 1, law)
    if game.name in all_games.names():
        again = all_games.parse(game.spec)
        require(again.spec == game.spec, "the game made from its own spec is another one")


def _are_names(names: Sequence[object]) -> bool:
    """Return whether names that a game gives differ, and each is a line of text."""
    lines = {name for name in names if isinstance(name, str) and name.strip()}
    return len(lines) == len(names) and all(map(str.isprintable, lines))


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def kernels_compile(game: Game, seed: int) -> None:
    """Check that the hooks of a game that are compiled are kernels, and use what kernels may."""
    if game.is_interpreted:
        return
    kernels = set(game.unchecked_hooks.values())
    for name, hook in [*game.unchecked_hooks.items(), *hooks_of(game.rules)]:
        if name not in PART_KERNELS and hook not in kernels:
            continue
        require(
            hasattr(hook, "__kernel__"),
            f"{name}() must be a kernel: write @kernel (tournaments.kernels.linker) above "
            f"def {getattr(hook, '__name__', repr(hook))}",
        )
        is_declared = game.unchecked_hooks.get(name) is hook  # there are two hooks "position"
        if is_declared:
            _check_arguments(name, hook)
        try:
            link(hook, game.unchecked_hooks, compiled=False)
        except KernelError as error:
            raise ContractError(f"{name}() must compile: {error}") from None


def _check_arguments(name: str, hook: Kernel) -> None:
    declared = getattr(hooks, name, None)
    if declared is None:
        return
    given = list(signature(declared).parameters)
    try:
        signature(hook).bind(*given)
    except TypeError as error:
        law = f"{name}() must take {len(given)} arguments ({', '.join(given)}): {error}"
        raise ContractError(law) from None


def starts_anew(game: Game, seed: int) -> None:
    for number in range(seed, seed + 5):
        state, again = game.start(number), game.start(number)
        if state != again:
            law = f"start() gives two different positions for seed={number}"
        elif state.is_over:
            law = "start() must not begin with a game that is over"
        else:
            used = np.full(game.state_size, 7, dtype=np.int16)
            with np.errstate(over="ignore"):
                game.rules.start(game.board, used, np.uint64(number))
            if np.array_equal(used, state.array):
                continue
            place = int(np.flatnonzero(used != state.array)[0])
            law = (
                f"start() must write the whole state, and leaves state[{place}] as it was in the "
                "game before (write state[:] = 0 first)"
            )
        raise ContractError(law).complete(game.spec, state)


def offers_what_it_can(game: Game, seed: int) -> None:
    has_room = game.rules.chance is None or game.state_size >= HEADER + STREAM_SIZE
    require(has_room, "a game that draws has its stream behind the header of its state")
    network, rules = game.rules.network, game.rules
    follows = rules.sets or rules.solver or (network is not None and network.encode_change)
    require(
        not (game.hides and follows),
        "a game that hides offers neither sets nor encode_change(), which follow the other side's "
        "actions, nor a table of exact values",
    )


def keeps_its_seed(game: Game, seed: int) -> None:
    """Check that no seat of a game can compute what is hidden from it.

    That is the opening, chance and the other seat's draws. A cheat knows its own stream, runs it
    backwards and forwards, reads what its seat sees as random bits, and takes each number that it
    finds for the seed of the opening and for the other seat's stream.
    """
    for seat, name in enumerate(game.seats):
        require(
            not _successful_guesses(game, seed, seat),
            f"a seat must not know what is hidden from it; {name!r} (seat {seat}) can compute the "
            "opening, or the other seat's stream, from its own stream and what it sees: keep the "
            "seed, and the stream of chance, out of view()",
        )


def _successful_guesses(game: Game, seed: int, seat: int) -> set[int]:
    """Return which of a cheat's guesses, see :func:`_guesses`, find a hidden seed in every game.

    They are given by their positions.
    """
    left: set[int] | None = None
    start_of = cache(game.start)  # many guesses are equal
    for number in range(CHEATED_GAMES):
        own, other = (Stream.for_seat(seed, number, each) for each in (seat, 1 - seat))
        start, another = (game.start(opening_seed(seed, each)) for each in (number, number + 1))
        seen = start.view(seat)
        is_secret = start not in (seen, another)
        left = {
            place
            for place, guess in enumerate(_guesses(own, seen))
            if left is None or place in left
            if guess == int(other.state[0]) or (is_secret and start_of(guess) == start)
        }
        if not left:
            break
    return left or set()


def _guesses(stream: Stream, seen: State) -> Iterator[int]:
    """Yield the numbers that a cheat computes from its stream and view, in a fixed order."""
    own = int(stream.state[0])
    for step in range(-STEPS, STEPS + 1):
        state = (own + step * int(GAMMA)) & MASK
        yield state
        yield Stream(state).draw()
    bits = seen.array.astype(np.uint16).astype(object)
    for place in range(len(bits) - STREAM_SIZE + 1):
        yield sum(int(word) << 16 * k for k, word in enumerate(bits[place : place + STREAM_SIZE]))


def refuses_junk(game: Game) -> None:
    """Check that ``parse`` and ``edit`` of a game raise a TournamentError for meaningless text."""
    readers: dict[str, tuple[str, Callable[[str], Any]]] = {}
    readers["parse"] = "what is no position", game.parse
    edit = game.rules.edit
    if edit is not None:
        edited = game.start().array
        readers["edit"] = "words of no meaning", lambda text: edit(game.board, edited.copy(), text)
    for (hook, (what, read)), junk in product(readers.items(), JUNK):
        law = f"{hook}() must refuse {what} by a TournamentError; {junk!r}"
        try:
            read(junk)
        except TournamentError:
            continue
        except Exception as error:
            law += f" raises {type(error).__name__}: {error}"
        else:
            law += " is taken for one"
        raise ContractError(law)


GAME_LAWS = (describes_itself, kernels_compile, starts_anew, offers_what_it_can, keeps_its_seed)
"""Laws of a game: (game, seed)."""


# --- a position --------------------------------------------------------------------------------


def has_seat_to_move(state: State) -> None:
    seat = state.seat_to_move
    require(seat in (-1, 0, 1), f"seat_to_move must be 0, 1 or -1, not {seat}")


def checked_actions(state: State) -> list[int]:
    """Return the legal actions of a position as the game's kernel writes them, after a check.

    There are none when the game is over.
    """
    if state.is_over:
        return []
    game, before = state.game, state.clone()
    actions = np.full(game.num_actions, UNWRITTEN, dtype=np.int16)
    count = game.rules.legal(game.board, state.array, actions)
    require(state == before, "legal() must not change the position")
    law = f"legal() must return how many actions it wrote, from 0 to num_actions, not {count!r}"
    require(_is_whole(count) and 0 <= count <= game.num_actions, law)
    listed = actions[:count].tolist()
    law = f"legal() must write as many actions as it returns: {int(count)}, not {listed}"
    require(UNWRITTEN not in listed, law)
    law = f"legal(): legal actions must rise and differ: {listed}"
    require(listed == sorted(set(listed)), law)
    law = f"legal(): legal actions must lie in 0..num_actions-1: {listed}"
    require(all(0 <= action < game.num_actions for action in listed), law)
    law = "legal(): there must be legal actions until the game is over (state[0] is -1)"
    require(listed, law)
    law = "legal() must list the same actions when it is called again"
    require(state.legal_actions() == listed, law)
    return listed


def has_text(state: State) -> None:
    """Check the text board of a position, and that it is read as the same position."""
    shown = state.game.rules.text(state.game.board, state.array)
    require(isinstance(shown, str), "text() must give a text")
    try:
        parsed = state.game.parse(str(state))
    except TournamentError as error:
        raise ContractError(f"parse() refuses what text() shows ({error})") from None
    if not isinstance(parsed.array, np.ndarray) or parsed != state:
        difference = _difference(state, parsed.array)
        raise ContractError(f"parse(str(state)) must be the position itself{difference}")


def _difference(state: State, other: object) -> str:
    """Describe where the state of a parsed text differs from the position that was shown."""
    if not isinstance(other, np.ndarray) or other.shape != state.array.shape:
        return ", an array of as many numbers"
    places = np.flatnonzero(other != state.array)
    if not places.size:
        return f", of int16, not {other.dtype}"
    texts = [f"state[{place}] was {state.array[place]}, is {other[place]}" for place in places[:3]]
    stream = range(STREAM, STREAM + STREAM_SIZE)
    hint = " (the stream: see stream_line and take_stream_line of tournaments.kernels.chance)"
    draws = state.game.rules.chance is not None and places[0] in stream
    return f": {', '.join(texts)}{', ...' * (places.size > 3)}{hint * draws}"


def has_features(state: State) -> None:
    """Check a position's network inputs, and its number in the table of exact values."""
    state = state.view(max(0, state.seat_to_move))
    game, before = state.game, state.clone()
    if game.rules.network is not None:
        inputs = np.full(layers_for(game)[0], np.nan)
        game.rules.network.encode(game.board, state.array, inputs)
        require(
            (np.abs(inputs) <= MOST_SHOWN).all() and not (inputs % 1).any(),
            f"encode() must fill every input with a whole number within +-{MOST_SHOWN}; counts are "
            "scaled by tournaments.kernels.arithmetic.scaled(count, most)",
        )
    if game.rules.solver is not None and oracle.can_solve(game):
        number = int(game.rules.solver.position(game.board, state.array))
        is_in_table = 0 <= number < oracle.num_positions(game)
        require(is_in_table, f"position() gives {number}, outside its table")
    require(state == before, "encode() and position() must not change the position")


def shows_views(state: State) -> None:
    """Check the view that each seat has of a position."""
    game, before = state.game, state.clone()
    if game.view is None:
        return
    for seat in range(2):
        seen = state.view(seat)
        require(state == before, "view() must not change the position")
        require(seen.view(seat) == seen, "the view of a view must be that view")
        secret = game.rules.has_secret
        if secret is not None and not secret(game.board, state.array, seat):
            law = "a view must be the position where has_secret() gives False"
            require(seen == state, law)
        require(seen.seat_to_move == state.seat_to_move, "a view must show the seat to move")
        if state.seat_to_move == seat:
            law = "a view must show the legal actions of its seat"
            require(seen.legal_actions() == state.legal_actions(), law)
        if game.rules.chance is not None:
            law = "a view must not show the stream: zeros are expected in its place"
            require(not stream_of(seen).any(), law)
        require(str(seen), "a view must have a text board")


def stream_of(state: State) -> np.ndarray:
    """Return the numbers of the random stream in a position, a view of its array."""
    return state.array[STREAM : STREAM + STREAM_SIZE]


POSITION_LAWS = (has_text, has_features, shows_views)
"""Laws of a position."""


# --- a move ------------------------------------------------------------------------------------


def play_twice(state: State, action: int) -> None:
    """Play an action in place, and check that a copy comes to the same position within int16."""
    before, copy = state.clone(), state.clone()
    try:
        with np.errstate(over="raise", divide="raise"):
            state.play(action)
            copy.play(action)
    except (OverflowError, FloatingPointError) as error:
        hook = raising_hook(error, state.game) or "play"
        divides = f"{hook}() must not divide by zero"
        overflows = f"{hook}() must stay within int16: int16 overflows ({error})"
        raise ContractError(divides if "divide" in str(error) else overflows) from None
    except IllegalAction:
        raise ContractError("legal() must list the same actions again: one is refused") from None
    require(state == copy, "play() must lead to one position: the same action gives two")
    require(state != before, "play() must change the position, in place")


def draws_its_outcomes(before: State, action: int, after: State) -> None:
    """Check that a move leads to one of the outcomes that the game of chance states for it."""
    chance, board = before.game.rules.chance, before.game.board
    if chance is None or chance.outcomes is None or chance.settle is None:
        return
    still, reached = before.clone(), after.clone()
    stream_of(still)[:] = stream_of(reached)[:] = 0
    number = int(chance.outcomes(board, still.array, action))
    law = f"outcomes() must be from 1 to {MOST_OUTCOMES}, not {number}"
    require(1 <= number <= MOST_OUTCOMES, law)
    has_drawn = not np.array_equal(stream_of(before), stream_of(after))
    require(number > 1 or not has_drawn, "play() must draw nothing where outcomes() is 1")
    outcomes = [still.clone() for _ in range(number)]
    for outcome, state in enumerate(outcomes):
        chance.settle(board, state.array, action, outcome)
    is_used = any(stream_of(state).any() for state in outcomes)
    require(not is_used, "settle() must leave the stream alone")
    law = "play() must lead to what settle() makes of one of outcomes()"
    require(reached in outcomes, law)


def check_secrets(before: State, after: State, shown: int) -> int:
    """Check that positions that look alike to the seat to move have the same legal actions.

    The first such positions are shown to players, which must choose alike.

    Args:
        before: the position before a move.
        after: the position after it.
        shown: the number of positions that were shown to players so far.

    Returns:
        The number of positions that this call has shown to players.
    """
    count = 0
    for twin in _twins(before, after):
        law = "what a view does not show must not change the legal actions of its seat"
        require(twin.legal_actions() == after.legal_actions(), law)
        if shown + count < MOST_TWINS:
            count += 1
            _check_choices(after, twin)
    return count


def _twins(before: State, after: State) -> Iterator[State]:
    """Yield positions that the seat to move cannot tell from the position ``after`` a move.

    They are those to which other actions would have led, and ``after`` with another stream, if the
    view does not depend on the stream.
    """
    game, seat = after.game, after.seat_to_move
    if game.view is None or seat < 0:
        return
    shown = after.view(seat)
    if game.rules.chance is not None:
        other = after.clone()
        stream_of(other)[:] ^= 257
        if other.view(seat) == shown:
            yield other
    for instead in before.legal_actions():
        other = before.clone()
        other.play(instead)
        if other != after and other.seat_to_move == seat and other.view(seat) == shown:
            yield other


def _check_choices(after: State, twin: State) -> None:
    """Check that all players of the game choose alike in two positions that look alike."""
    for player in registered_players(after.game):
        if after.seat_to_move in player.seats:
            choices = {player.choose(state, Stream(1)) for state in (after, twin)}
            law = f"{player.name} sees what is hidden from it: it plays {sorted(choices)}"
            require(len(choices) == 1, law)
