"""Players, and players that can be compiled.

Letters used for shapes: N genomes, G genes, M matches, S seats, A actions.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.kernels import bitset, memoryless
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream
from tournaments.registry import late
from tournaments.rules import Kernel


@runtime_checkable
class Player(Protocol):
    """The protocol of players: a name and a method that chooses an action."""

    @property
    def name(self) -> str:
        """Display name of the player in tables."""

    def choose(self, state: State, rng: Stream) -> int:
        """Return the legal action that the player chooses in a position.

        All random numbers come from ``rng``, the stream of this game.
        """


@runtime_checkable
class SeatedPlayer(Player, Protocol):
    """A player at a seat of one game, which it has followed from its start."""

    def watch(self, state: State, action: int) -> None:
        """Let the player observe an action of either side in its game.

        ``state`` is the seat's view of the position after the action. In games with hidden
        information, the other side's action is ``hooks.HIDDEN``.
        """


@dataclass(frozen=True, eq=False)
class ContestPlayer:
    """A player of a contest: an object that the contest's simulator takes.

    Attributes:
        name: display name.
        thing: the object.
        identity: a text that changes with the object. Empty: an individual of a population.
        limit_seconds: time limit of a call in seconds.
        seats: the seats that the player can take.
        by_seat: the object of each seat, if they differ. Empty: ``thing`` takes any seat.
    """

    name: str
    thing: Any
    identity: str = ""
    limit_seconds: float = math.inf
    seats: tuple[int, ...] = (0, 1)
    by_seat: tuple[Any, ...] = ()

    def at(self, seat: int) -> Any:
        """Return the object that takes a seat."""
        return self.by_seat[seat] if self.by_seat else self.thing

    def choose(self, state: State, rng: Stream) -> int:
        """Raise, because a contest has no actions."""
        raise TournamentError(f"player {self.name!r} plays a contest, which has no actions")


class Forgetful:
    """A seated player without memory, which does not need to observe moves."""

    remembers = False

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self.choose = player.choose

    def watch(self, state: State, action: int) -> None:
        """Do nothing when an action is played: the player has no memory of the game."""


def sit_down(player: Player, state: State, seat: int) -> SeatedPlayer:
    """Return a player seated in a game that begins at this position.

    A player that remembers the course of a game has a method ``sit(state, seat)``, which returns a
    :class:`SeatedPlayer`. The method is called with the seat's view of the position.
    """
    offer = getattr(player, "sit", None)
    return Forgetful(player) if offer is None else offer(state.view(seat), seat)


MOVE_SECONDS = 60.0
"""Seconds that a player has for an answer, unless it says otherwise."""


def seconds_of(player: Player) -> float:
    """Return the time limit of a player per move in seconds, infinite for no limit.

    A player may set its limit by an attribute ``limit_seconds``. Kernels have no limit.
    """
    return getattr(compiled(player) or player, "limit_seconds", MOVE_SECONDS)


@dataclass(frozen=True)
class Abreast:
    """Kernels of a kind that play both seats of several games at once, one game per lane.

    Each step of a choice is computed for all lanes before the next step, because a step has to wait
    for the previous step of its own lane. The moves are the same as those of the kind's other
    kernels.

    Attributes:
        choose: kernel, see :func:`tournaments.kernels.hooks.choose_abreast`.
        begin: kernel, see :func:`tournaments.kernels.hooks.begin_abreast`.
        watch: kernel, see :func:`tournaments.kernels.hooks.watch_abreast`.
        memory: (game, parameters, lanes) -> the scratch arrays of all lanes.
        lanes: (parameters) -> the number of lanes with the highest speed.
    """

    choose: Kernel
    begin: Kernel
    watch: Kernel
    memory: Callable[[Game, Any, int], Any]
    lanes: Callable[[Any], int]


Foreseen = tuple[tuple[float, ...], tuple[float, ...]]
"""Chances of the other side's moves and of one's own; empty where nothing is modelled."""


class Insight(NamedTuple):
    """The view of a player on a position: its numbers for the legal actions, and its belief.

    Attributes:
        what: what the numbers are: ``output`` of a network, ``worth`` or ``chance``.
        values: the number of each action that the player considered; empty if it is not known.
        belief: columns, rows and probabilities, see :attr:`Kind.believe`; None: no belief.
    """

    what: str
    values: Mapping[int, float]
    belief: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of player that can be compiled: three kernels over a parameter row.

    A kind without memory needs only ``choose``.

    Attributes:
        name: as users type it.
        choose: kernel, see :func:`tournaments.kernels.hooks.choose`.
        begin: kernel, see :func:`tournaments.kernels.hooks.begin`.
        watch: kernel, see :func:`tournaments.kernels.hooks.watch`.
        memory: (game, parameters) -> the scratch arrays of one side, allocated once for many
            matches: an array or a named tuple of arrays.
        abreast: kernels for faster matches within one population. None: no such kernels.
        candidates: kernel, see :func:`tournaments.kernels.hooks.candidates`: the actions among
            which ``choose`` draws with equal probability, if the position alone determines them.
            None: if the kind draws, it cannot be measured exactly.
        draws: whether ``choose`` ever draws from its stream.
        plays_evenly: whether the kind is random play, with equal probability for all legal actions.
            The arena creates no views for it, because a view does not change the legal actions.
        by_row: the fields of the parameters with one row per entrant, arrays ``[N, ...]``. Players
            that differ only in these fields are joined to one population. Empty: only identical
            players are joined.
        foresee: (game, memory) -> the probabilities of the next moves of the other side and of the
            player's side, according to the player's model of simultaneous moves. Shown to people.
            None: the player has no model.
        outputs: (position as an array, memory) -> a number for each action, the highest of which
            the player has just chosen. None: the player has no such numbers.
        believe: (memory) -> the columns and rows of squares of the board, and the probability of
            each that a hidden piece stands there. Shown to people. None: the player has no belief.
    """

    name: str
    choose: Kernel
    begin: Kernel = memoryless.begin
    watch: Kernel = memoryless.watch
    memory: Callable[[Game, Any], Any] = memoryless.no_memory
    abreast: Abreast | None = None
    candidates: Kernel | None = None
    draws: bool = True
    plays_evenly: bool = False
    by_row: tuple[str, ...] = ()
    foresee: Callable[[Game, Any], Foreseen] | None = None
    outputs: Callable[[np.ndarray, Any], np.ndarray] | None = None
    believe: Callable[[Any], tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None

    @property
    def weigh(self) -> Kernel | None:
        """The kernel :func:`tournaments.kernels.choices.weigh` of the kind; None: it has none."""
        return getattr(self.candidates, "__weigh__", None)

    @property
    def hooks(self) -> dict[str, Kernel]:
        """The kernels with which this kind of player fills :mod:`tournaments.kernels.hooks`."""
        return {"begin": self.begin, "watch": self.watch, "choose": self.choose}

    def player(self, game: Game) -> CompiledPlayer:
        """Return the player of a kind without parameters, which its name identifies."""
        return CompiledPlayer(self.name, self, game, np.zeros(0), maker=self.player, options={})


class Export(NamedTuple):
    """The content of a file of players.

    Attributes:
        numbers: the array of the file.
        what: a description of the numbers, such as ``465 weights``.
        note: the text that selects a player of this file.
        layers: the layers of a network, if they differ from the game's default.
    """

    numbers: np.ndarray
    what: str
    note: str = ""
    layers: tuple[int, ...] | None = None


class Representation:
    """The conversion from the packed genomes of a population to players of one kind.

    Subclasses define ``kind``, ``num_genes`` and ``from_numbers``. The other defaults are for
    genomes of float32 numbers. A frozen dataclass is sent to other processes by its fields.

    Attributes:
        seats: the seats that these players can play.
        dtype: the type of a gene in a packed genome, the same on every machine.
        numbers: the method of ``results.Run`` that decodes: ``weights``, ``policies``, ``values``.
        plays_variants: whether these players can play their game with other options.
        rows: number of parameter rows per player.
        offer: the prefix of a file name that selects such a player: ``table:file``.
        unit: the unit of the numbers of a genome.
    """

    seats: tuple[int, ...]
    dtype: ClassVar[np.dtype[Any]] = np.dtype("<f4")
    numbers: ClassVar[str] = "weights"
    plays_variants: ClassVar[bool] = False
    rows: int = 1
    offer: ClassVar[str] = ""
    unit: ClassVar[str] = "numbers"

    @property
    def kind(self) -> Kind:
        """The kind of player that the genomes stand for."""
        raise NotImplementedError

    @property
    def num_genes(self) -> int:
        """The number of genes of a genome."""
        raise NotImplementedError

    @property
    def num_bytes(self) -> int:
        """The number of bytes of a packed genome, B."""
        return self.dtype.itemsize * self.num_genes

    @property
    def layout(self) -> dict[str, Any]:
        """The layout of a packed genome as written to ``run.json``, see ``docs/schema.md``."""
        return {"numbers": self.numbers, "dtype": self.dtype.str, "shape": [self.num_genes]}

    def encode(self, genes: np.ndarray) -> np.ndarray:
        """Return genes ``[N, G]`` of a population as packed genomes, uint8 ``[N, B]``."""
        return np.ascontiguousarray(genes, dtype=self.dtype).view(np.uint8)

    def genes(self, genomes: np.ndarray) -> np.ndarray:
        """Return the genes, ``[N, G]``, of packed genomes, uint8 ``[N, B]``.

        Raises:
            TournamentError: rows of another length, or invalid genes.
        """
        return self.checked(self.checked_rows(genomes).view(self.dtype))

    def checked_rows(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes as contiguous uint8 ``[N, B]`` after a check of their length.

        Raises:
            TournamentError: rows of another length.
        """
        genomes = np.ascontiguousarray(genomes, dtype=np.uint8)
        if genomes.ndim != 2 or genomes.shape[1] != self.num_bytes:
            raise TournamentError(
                f"genomes of shape {genomes.shape} given; rows of {self.num_bytes} bytes are "
                f"expected for {self}"
            )
        return genomes

    def checked(self, numbers: np.ndarray) -> np.ndarray:
        """Return numbers, ``[N, G]``, as valid genes of a population.

        Raises:
            TournamentError: invalid numbers.
        """
        return numbers

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Decode packed genomes to numbers as ``layout`` describes, one row per genome.

        Raises:
            TournamentError: as :meth:`genes`.
        """
        return self.genes(genomes).astype(np.float64)

    def from_numbers(self, numbers: np.ndarray) -> Any:
        """Convert decoded genomes to the parameters that the kernels of these players read."""
        raise NotImplementedError

    def parameters(self, genomes: np.ndarray) -> Any:
        """Convert packed genomes, uint8 ``[N, B]``, to the parameters that kernels of players read.

        Raises:
            TournamentError: as :meth:`decode`.
        """
        return self.from_numbers(self.decode(genomes))

    def for_game(self, game: Game) -> Representation:
        """Return this representation of genomes for players of this game.

        Raises:
            TournamentError: the players cannot play this game.
        """
        return self

    def of_roles(self) -> Representation:
        """Return this representation for rows that hold one genome per role."""
        return replace(self, seats=(0, 1))  # type: ignore[type-var]

    def player(self, game: Game, genomes: Sequence[bytes], name: str) -> Any:
        """Return the player of one packed genome, or of one packed genome per role.

        A single genome plays the seats of the representation. One genome per role plays all seats.

        Raises:
            TournamentError: the genomes cannot play this game.
        """
        made = self if len(genomes) == 1 else self.of_roles()
        return player_of(
            game, representation=made.for_game(game), genome=b"".join(genomes), name=name
        )

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """Return the content of a file with one player. Arguments are those of :meth:`player`."""
        made = self if len(genomes) == 1 else self.of_roles()
        numbers = made.decode(_row(b"".join(genomes)))
        options = made.file_options(game, file)
        if len(genomes) == 1 and len(made.seats) == 1:
            options["seat"] = game.seats[made.seats[0]]
        said = ",".join(f"{option}={value}" for option, value in options.items())
        is_plain = not said and made.is_named_by_file(game)
        spec = file if is_plain else f"{self.offer}={file}{',' if said else ''}{said}"
        what = f"{numbers.size:,} {self.unit}"
        held = made.shaped(numbers[0] if len(numbers) == 1 else numbers)
        return Export(held, what, f"; plays as {spec}")

    def file_options(self, game: Game, file: str) -> dict[str, Any]:
        """Return the options, except the seat, with which a player reads its exported file."""
        return {}

    def is_named_by_file(self, game: Game) -> bool:
        """Return whether the name of a file alone selects a player of this kind in a game."""
        return False

    def shaped(self, numbers: np.ndarray) -> np.ndarray:
        """Return the numbers of one genome in the shape that an exported file has."""
        return numbers

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]


def player_of(
    game: Game,
    *,
    representation: Representation,
    genome: bytes = b"",
    numbers: np.ndarray | None = None,
    name: str = "",
) -> CompiledPlayer:
    """Return the player of a packed genome, or of decoded numbers.

    Decoded numbers have one row per network or table. ``representation`` says what they stand for.
    """
    options: dict[str, Any] = {"representation": representation}
    if numbers is None:
        parameters, options["genome"] = representation.parameters(_row(genome)), genome
    else:
        parameters, options["numbers"] = representation.from_numbers(numbers), numbers
    return CompiledPlayer(
        name,
        representation.kind,
        game,
        parameters,
        maker=player_of,
        options=options,
        seats=representation.seats,
        rows=representation.rows,
    )


def _row(genome: bytes) -> np.ndarray:
    """Return a packed genome as a writable array ``[1, B]``.

    Numba would compile the kernels a second time for a read-only array.
    """
    return np.frombuffer(bytearray(genome), dtype=np.uint8)[None]


@dataclass(frozen=True, eq=False)
class CompiledPlayer:
    """A player of a :class:`Kind`: plays in the arena, and move by move through the same kernels.

    Attributes:
        name: display name in tables.
        kind: the kind, which has the kernels.
        game: the game that the player plays.
        parameters: the parameters of the kernels: an array, or a named tuple of arrays.
        row: the first row of the player in ``parameters``.
        maker: the function that created the player from the game and ``options``. It creates the
            player again in other processes. None: the kernels are sent by name, and the parameters
            as they are.
        options: the arguments of ``maker``. Empty: the name of the kind identifies the player.
        seats: the seats that the player can play. A table may be for one seat only.
        rows: number of rows of ``parameters`` that belong to the player, from ``row`` on.
        at_speed: whether :meth:`choose` also runs compiled kernels. Choices are the same.
            Compilation takes a second or two, once, and pays off if choices are slow.
    """

    name: str
    kind: Kind
    game: Game
    parameters: Any
    row: int = 0
    maker: Callable[..., Any] | None = None
    options: Mapping[str, Any] | None = None
    seats: tuple[int, ...] = (0, 1)
    rows: int = 1
    at_speed: bool = False
    limit_seconds: ClassVar[float] = math.inf  # even if rules in plain Python make it slow

    def as_compiled(self) -> CompiledPlayer | None:
        """Return the player itself, or None in a game whose rules are plain Python.

        See :func:`compiled`.
        """
        return None if self.game.is_interpreted else self

    @cached_property
    def kernels(self) -> tuple[Kernel, Kernel, Kernel]:
        """The kernels ``begin``, ``watch`` and ``choose`` of the player, built to be called."""
        hooks, kind = self.game.hooks, self.kind
        begin, watch, choose = (
            build(
                each,
                hooks,
                compiled=self.at_speed and each not in memoryless.KERNELS,
                by_parts=self.game.is_interpreted,
            )
            for each in (kind.begin, kind.watch, kind.choose)
        )
        return begin, watch, choose

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """Return the action that the compiled player chooses in a game that begins here.

        The same stream gives the same action. Use :meth:`sit` for a player with memory of the game.

        Raises:
            TournamentError: this player cannot play the seat to move, or ``rng`` is no stream.
        """
        if state.is_over:
            raise TournamentError(
                f"player {self.name!r} is asked for a move in a game that is over"
            )
        seen = state.view(state.seat_to_move)
        return self.sit(seen, state.seat_to_move).choose(seen, rng)

    def sit(self, state: State, seat: int) -> CompiledSeat:
        """Return the player seated in a game that begins at this position.

        Raises:
            TournamentError: this player cannot play the seat.
        """
        check_seats(self, self.game, (seat,))
        return CompiledSeat(self, state)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.maker is None:
            made = self.parameters, self.row, None, self.options, self.seats, self.rows
            return type(self), (self.name, self.kind, self.game, *made)
        return _made_again, (self.maker, self.game, dict(self.options or {}), self.name)

    def _repr_html_(self) -> str:
        return late("tournaments.drawing.notebook", "html_of_player")(self)

    def __repr__(self) -> str:
        return f"<{self.name} player of {self.game.spec}>"


class CompiledSeat:
    """A :class:`SeatedPlayer` for a compiled player in one game, played move by move."""

    def __init__(self, player: CompiledPlayer, state: State) -> None:
        self.name = player.name
        begin, self._watch, self._choose = player.kernels
        memory = player.kind.memory(player.game, player.parameters)
        self._board = player.game.board
        self._own = player.parameters, player.row, memory
        self._player = player
        with np.errstate(over="ignore"):
            begin(self._board, state.array, *self._own)

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """Return the action that the player chooses at its seat; ``state`` is the seat's view.

        See :meth:`CompiledPlayer.choose`.
        """
        stream = Stream.of(rng)
        with np.errstate(over="ignore"):
            return int(self._choose(self._board, state.array, *self._own, stream.state))

    def foreseen(self) -> Foreseen:
        """Return the move probabilities that the player expects in the next round.

        The game is a repeated game; see :attr:`Kind.foresee`.
        """
        foresee = self._player.kind.foresee
        return foresee(self._player.game, self._own[-1]) if foresee else ((), ())

    def insight(self, state: State, action: int) -> Insight:
        """Return what the player sees in a position in which it has just chosen an action.

        ``state`` is the seat's view. The player's later choices stay the same.
        """
        player, kind, memory = self._player, self._player.kind, self._own[-1]
        belief = kind.believe(memory) if kind.believe else None
        built = partial(build, hooks=player.game.hooks, compiled=player.at_speed)
        what, values = "", {}
        with np.errstate(over="ignore"):
            if kind.outputs is not None:
                numbers = kind.outputs(state.array, memory)
                what, values = "output", {a: float(numbers[a]) for a in state.legal_actions()}
            elif kind.foresee is not None:
                what, values = "chance", dict(enumerate(self.foreseen()[1]))
            elif kind.weigh is not None:
                count, _ = built(kind.weigh)(self._board, state.array, *self._own)
                worths = zip(memory.actions[:count], memory.worth[:count], strict=True)
                what, values = "worth", {int(each): float(worth) for each, worth in worths}
            elif kind.candidates is not None:
                words = bitset.empty(player.game.num_actions)
                built(kind.candidates)(self._board, state.array, *self._own, words)
                drawn = bitset.members(words)
                what, values = "chance", dict.fromkeys(drawn, 1.0 / len(drawn))
            elif not kind.draws:
                what, values = "chance", {action: 1.0}
        return Insight(what, values, belief)

    def watch(self, state: State, action: int) -> None:
        """Let the player observe an action of either side in its game.

        See :meth:`SeatedPlayer.watch`.
        """
        with np.errstate(over="ignore"):
            self._watch(self._board, state.array, action, *self._own)


def _made_again(
    maker: Callable[..., Any], game: Game, options: Mapping[str, Any], name: str
) -> CompiledPlayer:
    """Create a compiled player again in another process, under its original name."""
    return replace(maker(game, **options), name=name)


def compiled(player: Player) -> CompiledPlayer | None:
    """Return the compiled form of a player, or None if it can only play move by move."""
    offer = getattr(player, "as_compiled", None)
    return None if offer is None else offer()


def can_look_ahead(game: Game) -> bool:
    """Return True if players can look ahead by trying actions with the rules of the game.

    Raises:
        TournamentError: the game has hidden information or chance, so no player can look ahead.
    """
    if game.view is not None:
        what = "hides some of a position" if game.hides else "draws by chance"
        raise TournamentError(
            f"{game.short_spec} {what}, so no player can look ahead in it by its rules"
        )
    return True


def seats_of(player: Player) -> tuple[int, ...]:
    """Return the seats that a player can play: its attribute ``seats``, or both seats."""
    return getattr(player, "seats", (0, 1))


def check_seats(player: Player, game: Game, needed: Sequence[int] = (0, 1)) -> None:
    """Raise if a player cannot play a needed seat of a game.

    Without this check a kernel would use the policy of the other seat and play illegal actions.

    Raises:
        TournamentError: the message names the player and the seats.
    """
    seats = seats_of(player)
    if not {*needed} <= {*seats}:
        wanted = " and the ".join(game.seats[seat] for seat in needed)
        raise TournamentError(
            f"player {player.name!r} plays the {game.seats[seats[0]]} only; it is to play the "
            f"{wanted} here: take one that holds both, or name a population of the other role"
        )


def identity(player: Player) -> str:
    """Return the identity of a player, which does not depend on its display name.

    The seeds of a player's games derive from its identity. The identity of a compiled player is the
    name of its kind, with a digest of its parameters if it was created with options. So a champion
    has the same identity as part of a run, by another path, and as a file of weights. The identity
    of any other player is its attribute ``identity`` if that is a text, or else its name.
    """
    made = compiled(player)
    if made is None:
        own = getattr(player, "identity", None)
        return own if isinstance(own, str) else player.name
    if made.options == {}:
        return made.kind.name
    digest = hashlib.sha256()
    parts = made.parameters if isinstance(made.parameters, tuple) else (made.parameters,)
    for part in parts:
        is_by_row = isinstance(part, np.ndarray) and part.ndim > 1
        mine = part[made.row : made.row + made.rows] if is_by_row else part
        digest.update(np.ascontiguousarray(mine).tobytes())
    return f"{made.kind.name}@{digest.hexdigest()[:16]}"
