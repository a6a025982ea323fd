"""Games of other packages, in which a state holds the actions that were played.

The position is the object of the other package that the actions lead to, those of chance included.
Chance outcomes are drawn as soon as chance is to move, by the random stream of the state. In games
with hidden information, a view holds a digest of what the seat knows. The rules are no kernels, so
games are played move by move. The results are as good, but far slower.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tournaments.errors import TournamentError, shown
from tournaments.kernels.chance import STREAM, STREAM_SIZE, chance, seed_chance
from tournaments.kernels.hooks import MOST_SHOWN
from tournaments.kernels.linker import interpreted
from tournaments.kernels.rng import Stream
from tournaments.rules import HEADER, MOST, ChanceRules, NetworkRules, Rules

LENGTH = STREAM + STREAM_SIZE
"""Index of the number of played actions in a state; it is ``-1`` in a view with a digest."""
PLAYED = LENGTH + 1
"""Index of the first played action in a state, or of the digest in a view."""
DIGEST = 4
FINENESS = 1 << 30
"""Number of equally likely parts that a random draw distinguishes."""
SAMPLE_GAMES, SAMPLE_PLIES = 10, 300
"""Number of random games, and of their plies, that show which numbers a tensor holds."""
MOST_HIDDEN = 64
"""Maximum number of hidden nodes of a network whose layers are not given."""


class Foreign(NamedTuple):
    """A game of another package.

    Attributes:
        first: returns the first position, an object with the methods of OpenSpiel's ``State``.
        num_actions: number of actions of the players.
        most_played: maximum number of actions in a game, those of chance included.
        most_plies: maximum number of plies of a game.
        draws: whether the game has chance.
        hides: whether the game has hidden information.
        tensor: (position, seat) -> the numbers that the seat sees. None: there are none.
    """

    first: Callable[[], Any]
    num_actions: int
    most_played: int
    most_plies: int
    draws: bool
    hides: bool
    tensor: Callable[[Any, int], ArrayLike] | None

    @property
    def state_size(self) -> int:
        """Length of a state."""
        return PLAYED + max(DIGEST, self.most_played)


class Histories:
    """The rules of the games of one package.

    Attributes:
        load: (text of a board) -> the game; cached.
        kept: number of positions, and of views, that are cached.
    """

    def __init__(self, load: Callable[[str], Foreign], kept: int = 20_000) -> None:
        self.load, self.kept = load, kept
        self._positions: dict[bytes, Any] = {}
        self._views: dict[bytes, tuple[Any, int]] = {}
        self._factors = lru_cache(self._sampled_factors)

    def hooks(self, module: str, package: str) -> tuple[Callable[..., Any], ...]:
        """Return the hooks start, legal, play, view and encode as functions of a module.

        Args:
            module: the module, which assigns the functions to these names.
            package: the installed package, whose version is part of fingerprints.
        """

        def of_module(method: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(method)
            def hook(*arguments: Any) -> Any:
                return method(*arguments)

            hook.__module__ = module
            return interpreted(hook, package)

        methods = self.start, self.legal, self.play, self.view, self.encode
        return tuple(of_module(method) for method in methods)

    def rules(self, text: str, hooks: Sequence[Callable[..., Any]], **about: Any) -> Rules:
        """Return the rules of a game.

        Args:
            text: the text of its board.
            hooks: from :meth:`hooks`.
            about: other fields of :class:`tournaments.rules.Rules`.
        """
        foreign, (start, legal, play, view, encode) = self.load(text), hooks
        network = NetworkRules(
            lambda board: self._factors(board.tobytes()).size,
            encode,
            num_hidden=lambda board: min(MOST_HIDDEN, max(1, network.num_inputs(board) // 2)),
        )
        return Rules(
            seats=("first", "second"),
            state_size=lambda board: foreign.state_size,
            num_actions=lambda board: foreign.num_actions,
            most_plies=lambda board: foreign.most_plies,
            start=start,
            legal=legal,
            play=play,
            view=view if foreign.hides else None,
            text=self.text,
            parse=self.parse,
            describe=lambda board, action: str(action),  # a name may depend on the position
            chance=ChanceRules() if foreign.draws else None,
            yardsticks=("random",),  # stronger players take minutes
            network=network if foreign.tensor else None,
            **about,
        )

    # --- positions -------------------------------------------------------------------------------

    def _game(self, board: np.ndarray) -> Foreign:
        return self.load(board.astype(np.uint8).tobytes().decode("ascii"))

    def _position(self, board: np.ndarray, state: np.ndarray) -> Any:
        """Return the position of a state. It is shared, so clone it before a change."""
        length = int(state[LENGTH])
        if length < 0:
            raise TournamentError("a view of a game that hides tells no position")
        played = state[PLAYED : PLAYED + length]
        key = _key(board, played)
        position = self._positions.get(key)  # one look-up: another thread may drop the entry
        if position is None:
            position = self._game(board).first()
            for action in played.tolist():
                position.apply_action(action)
            self._keep(self._positions, key, position)
        return position

    def _seen(self, board: np.ndarray, state: np.ndarray) -> tuple[Any, int]:
        """Return a position with this view, and the seat of the view."""
        try:
            return self._views[_key(board, state[: PLAYED + DIGEST])]
        except KeyError:
            raise TournamentError(
                f"a view of a game of another package is known for {self.kept:,} positions; take "
                "it anew"
            ) from None

    def _settle(self, board: np.ndarray, state: np.ndarray, position: Any) -> None:
        """Draw chance outcomes, and fill in the header of the state."""
        while position.is_chance_node():
            _apply(state, position, _drawn(state, position.chance_outcomes()))
        state[0] = -1 if position.is_terminal() else position.current_player()
        if position.is_terminal():
            state[1:HEADER] = _whole(position.returns())
        self._keep(
            self._positions, _key(board, state[PLAYED : PLAYED + int(state[LENGTH])]), position
        )

    def _keep(self, kept: dict[bytes, Any], key: bytes, value: Any) -> None:
        """Add a value to a cache. Drop the older half of a full cache."""
        if len(kept) >= self.kept:
            for old in list(kept)[: self.kept // 2]:
                kept.pop(old, None)
        kept[key] = value

    # --- the hooks -------------------------------------------------------------------------------

    def start(self, board: np.ndarray, state: np.ndarray, seed: np.uint64) -> None:
        """Write the first position in which a player moves."""
        game = self._game(board)
        state[:] = 0
        if game.draws:
            with np.errstate(over="ignore"):
                seed_chance(state, seed)
        self._settle(board, state, game.first())

    def legal(self, board: np.ndarray, state: np.ndarray, actions: np.ndarray) -> int:
        """List the legal actions in ascending order, and return their number."""
        if state[LENGTH] < 0:
            position, seat = self._seen(board, state)
            listed = position.legal_actions() if state[0] == seat else []
        else:
            listed = self._position(board, state).legal_actions()
        actions[: len(listed)] = listed
        return len(listed)

    def play(self, board: np.ndarray, state: np.ndarray, action: int) -> None:
        """Play an action and the chance moves that follow."""
        position = self._position(board, state).clone()
        _apply(state, position, int(action))
        self._settle(board, state, position)

    def view(self, board: np.ndarray, state: np.ndarray, seat: int, seen: np.ndarray) -> None:
        """Write the view of a seat in a game with hidden information: a digest of what it knows."""
        seen[:] = state
        seen[STREAM:LENGTH] = 0
        if state[LENGTH] < 0:
            return
        position = self._position(board, state)
        known = position.information_state_string(int(seat))
        digest = hashlib.sha256(f"{seat} {known}".encode()).digest()[: 2 * DIGEST]
        seen[LENGTH:] = 0
        seen[LENGTH] = -1
        seen[PLAYED : PLAYED + DIGEST] = np.frombuffer(digest, dtype="<i2")
        self._keep(self._views, _key(board, seen[: PLAYED + DIGEST]), (position, int(seat)))

    def encode(self, board: np.ndarray, state: np.ndarray, inputs: np.ndarray) -> None:
        """Write the numbers that the seat to move sees, scaled; leave them in the other's view."""
        seat, is_view = int(state[0]), state[LENGTH] < 0
        position, owner = self._seen(board, state) if is_view else (None, seat)
        tensor = self._game(board).tensor
        if seat < 0:
            inputs[:] = 0
        if seat < 0 or seat != owner or tensor is None:
            return  # the inputs are not used
        numbers = np.asarray(tensor(position or self._position(board, state), seat), np.float64)
        numbers *= self._factors(board.tobytes())
        inputs[:] = np.clip(np.floor(numbers + 0.5), -MOST_SHOWN, MOST_SHOWN)

    def _sampled_factors(self, key: bytes) -> np.ndarray:
        """Return the factor of each number of a tensor, float64 ``[I]``.

        It is 1 for numbers that are whole and within the limit of inputs in some random games. The
        greatest of all other numbers there becomes the limit.
        """
        board = np.frombuffer(key, dtype=np.int16)
        game, rows = self._game(board), list[ArrayLike]()
        assert game.tensor is not None
        state, actions = (np.zeros(n, np.int16) for n in (game.state_size, game.num_actions))
        for number in range(SAMPLE_GAMES):
            stream = Stream(number)
            self.start(board, state, np.uint64(number))
            while state[0] >= 0 and (len(rows) < SAMPLE_PLIES or not rows):
                rows.append(game.tensor(self._position(board, state), int(state[0])))
                listed = actions[: self.legal(board, state, actions)].tolist()
                self.play(board, state, stream.choice(listed))
        seen = np.asarray(rows, dtype=np.float64)
        largest = np.abs(seen).max(axis=0)
        is_plain = (seen % 1 == 0).all(axis=0) & (largest <= MOST_SHOWN)
        most = largest[~is_plain].max(initial=0)
        return np.where(is_plain, 1.0, MOST_SHOWN / (most or 1.0))

    # --- text ------------------------------------------------------------------------------------

    def text(self, board: np.ndarray, state: np.ndarray) -> str:
        """Return the package's picture and the played actions, or what a seat knows in a view."""
        if state[LENGTH] < 0:
            position, seat = self._seen(board, state)
            return position.information_state_string(seat) or "(nothing is known)"
        played = state[PLAYED : PLAYED + int(state[LENGTH])].tolist()
        stream = state[STREAM:LENGTH].tolist()
        words = ["played", *played, *(["stream", *stream] if any(stream) else [])]
        return f"{str(self._position(board, state)).rstrip()}\n{' '.join(map(str, words))}"

    def parse(self, board: np.ndarray, picture: str) -> np.ndarray:
        """Parse a picture. Its last line lists the played actions."""
        last = picture.rstrip().rpartition("\n")[2]
        match = re.fullmatch(r"played((?: -?\d+)*)(?: stream((?: -?\d+){4}))?", last)
        if match is None:
            raise TournamentError(
                f"{shown(picture)} given; a last line 'played' with numbers of actions is expected"
            )
        game = self._game(board)
        played = [int(word) for word in match[1].split()]
        state, position = np.zeros(game.state_size, dtype=np.int16), game.first()
        for action in played:
            if position.is_terminal() or action not in position.legal_actions():
                raise TournamentError(f"{shown(last)} given; action {action} is not legal there")
            _apply(state, position, action)
        if match[2]:
            state[STREAM:LENGTH] = [int(word) for word in match[2].split()]
        self._settle(board, state, position)
        return state


def board_of(text: str) -> np.ndarray:
    """Return the characters of an ASCII text, int16."""
    return np.frombuffer(text.encode("ascii"), dtype=np.uint8).astype(np.int16)


def _key(board: np.ndarray, numbers: np.ndarray) -> bytes:
    return board.tobytes() + b"\xff\xff" + numbers.tobytes()


def _apply(state: np.ndarray, position: Any, action: int) -> None:
    position.apply_action(action)
    state[PLAYED + state[LENGTH]] = action
    state[LENGTH] += 1


def _drawn(state: np.ndarray, outcomes: list[tuple[int, float]]) -> int:
    """Draw a chance outcome by the random stream of the state."""
    with np.errstate(over="ignore"):
        share = int(chance(state, FINENESS)) / FINENESS
    bound = 0.0
    for outcome, probability in outcomes:
        bound += probability
        if share < bound:
            return outcome
    return outcomes[-1][0]


def _whole(returns: list[float]) -> list[int]:
    """Convert returns to whole numbers, or raise."""
    if any(value != int(value) or abs(value) > MOST for value in returns):
        raise TournamentError(
            f"a game ends with returns {returns}; whole numbers within {MOST:,} are expected of "
            "games played here"
        )
    return [int(value) for value in returns]
