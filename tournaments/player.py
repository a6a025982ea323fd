"""Players, and the players that can be compiled.

Letters used for shapes: N genomes, G genes, M matches, S seats, A actions.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.kernels import memoryless
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream
from tournaments.rules import Kernel


@runtime_checkable
class Player(Protocol):
    """Anything that can choose. A user's own player needs no more than this."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def choose(self, state: State, rng: Stream) -> int:
        """A legal action; all randomness is drawn from ``rng``, the stream of this game."""


@runtime_checkable
class SeatedPlayer(Player, Protocol):
    """A player at a seat of one game, which it has followed from its start."""

    def watch(self, state: State, action: int) -> None:
        """An action was played, by either side; ``state`` is what the seat sees after it.

        The other side's action is ``hooks.HIDDEN`` in a game that hides some of the position.
        """


class Forgetful:
    """A player at a seat of a game that remembers nothing, and need not be shown the moves."""

    remembers = False

    def __init__(self, player: Player) -> None:
        self.name = player.name
        self.choose = player.choose

    def watch(self, state: State, action: int) -> None:
        """Do nothing."""


def sit_down(player: Player, state: State, seat: int) -> SeatedPlayer:
    """A player at a seat of a game that stands at this position.

    One that remembers the course of a game offers ``sit(state, seat)``, which returns a
    :class:`SeatedPlayer`; it is shown what the seat sees.
    """
    offer = getattr(player, "sit", None)
    return Forgetful(player) if offer is None else offer(state.view(seat), seat)


MOVE_SECONDS = 60.0
"""Seconds that a player has for an answer, unless it says otherwise."""


def seconds_of(player: Player) -> float:
    """Seconds that a player has for a move; infinite: as many as it takes.

    One may say them by an attribute ``limit_seconds``; kernels have no limit.
    """
    return getattr(compiled(player) or player, "limit_seconds", MOVE_SECONDS)


@dataclass(frozen=True)
class Abreast:
    """The kernels of a kind that plays both seats of several games at once, one game a lane.

    A step that waits for the one before it is taken for all games before the next step. It gives
    the moves that the kernels of the kind give, game by game.

    Attributes:
        choose: kernel, see :func:`tournaments.kernels.hooks.choose_abreast`.
        begin: kernel, see :func:`tournaments.kernels.hooks.begin_abreast`.
        watch: kernel, see :func:`tournaments.kernels.hooks.watch_abreast`.
        memory: (game, parameters, lanes) -> the scratch arrays of all lanes.
        lanes: (parameters) -> how many games at once go fastest.
    """

    choose: Kernel
    begin: Kernel
    watch: Kernel
    memory: Callable[[Game, Any, int], Any]
    lanes: Callable[[Any], int]


Foreseen = tuple[tuple[float, ...], tuple[float, ...]]
"""Chances of the other side's moves and of one's own; empty where nothing is modelled."""


@dataclass(frozen=True)
class Kind:
    """A kind of player that can be compiled: three kernels over a parameter row.

    One that remembers nothing of a game needs ``choose`` alone.

    Attributes:
        name: as users type it.
        choose: kernel, see :func:`tournaments.kernels.hooks.choose`.
        begin: kernel, see :func:`tournaments.kernels.hooks.begin`.
        watch: kernel, see :func:`tournaments.kernels.hooks.watch`.
        memory: (game, parameters) -> the scratch arrays of one side, allocated once for many
            matches: an array or a named tuple of arrays.
        abreast: how entrants of one population meet at higher speed; None: like all others.
        candidates: kernel, see :func:`tournaments.kernels.hooks.candidates`: the actions that
            ``choose`` draws from, each as likely as the others, where the position alone determines
            them; None: a kind that draws cannot be measured exactly.
        draws: whether ``choose`` ever draws from its stream.
        plays_evenly: whether it is random play: any legal action, each as likely as the others. No
            view is made for it in the arena, as a view shows the legal actions as they are.
        by_row: the fields of the parameters that have a row an entrant, arrays ``[N, ...]``.
            Players who differ in these alone play as one population; empty: who differ in nothing.
        foresee: (game, memory) -> the chances of each next move of the other side and of its own,
            by what the player models where both move at once; for people. None: it models nothing.
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

    @property
    def hooks(self) -> dict[str, Kernel]:
        """The kernels with which this kind fills :mod:`tournaments.kernels.hooks`."""
        return {"begin": self.begin, "watch": self.watch, "choose": self.choose}

    def player(self, game: Game) -> CompiledPlayer:
        """Return the player of a kind that has no parameters: the name tells what it is."""
        return CompiledPlayer(self.name, self, game, np.zeros(0), maker=self.player, options={})


class Export(NamedTuple):
    """The content of a file of players.

    Attributes:
        numbers: the array of the file.
        what: the numbers in words, such as ``465 weights``.
        note: the text by which the file plays.
        layers: of networks whose layers are not the game's own.
    """

    numbers: np.ndarray
    what: str
    note: str = ""
    layers: tuple[int, ...] | None = None


class Representation:
    """The way from packed genomes of a population to players of one kind.

    Inherit this class and give ``kind``, ``num_genes`` and ``from_numbers``, and whatever is not
    right for genomes that are float32 numbers. An object that is a frozen dataclass travels to
    other processes by its fields.

    Attributes:
        seats: the seats that these players can play.
        dtype: the type of a gene in a packed genome, on every machine.
        numbers: the method of ``results.Run`` that decodes: ``weights``, ``policies``, ``values``.
        plays_variants: whether these players may play their game with other options, too.
        rows: rows of parameters of one player.
        offer: how a file of such players is named, before the file: ``table:file``.
        unit: the numbers of a genome in words.
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
        """The kind of the players."""
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
        """The layout of a packed genome, as ``run.json`` has it for readers; ``docs/schema.md``."""
        return {"numbers": self.numbers, "dtype": self.dtype.str, "shape": [self.num_genes]}

    def encode(self, genes: np.ndarray) -> np.ndarray:
        """Return genes ``[N, G]`` as packed genomes, uint8 ``[N, B]``."""
        return np.ascontiguousarray(genes, dtype=self.dtype).view(np.uint8)

    def genes(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes, uint8 ``[N, B]``, as genes ``[N, G]``.

        Raises:
            TournamentError: rows of another length, or genes that may not stand there.
        """
        return self.checked(self.checked_rows(genomes).view(self.dtype))

    def checked_rows(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes as contiguous uint8 ``[N, B]``.

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
        """Return numbers, ``[N, G]``, as genes.

        Raises:
            TournamentError: numbers that may not stand there.
        """
        return numbers

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Return what packed genomes stand for, as readers of ``layout`` do, a row a genome.

        Raises:
            TournamentError: as :meth:`genes`.
        """
        return self.genes(genomes).astype(np.float64)

    def from_numbers(self, numbers: np.ndarray) -> Any:
        """Return decoded genomes as the kernels of the kind take them."""
        raise NotImplementedError

    def parameters(self, genomes: np.ndarray) -> Any:
        """Return packed genomes, uint8 ``[N, B]``, as the kernels of the kind take them.

        Raises:
            TournamentError: as :meth:`decode`.
        """
        return self.from_numbers(self.decode(genomes))

    def for_game(self, game: Game) -> Representation:
        """Return the representation for players of this game.

        Raises:
            TournamentError: the players cannot play this game.
        """
        return self

    def of_roles(self) -> Representation:
        """Return the representation of one genome a role, one after the other in a row."""
        return replace(self, seats=(0, 1))  # type: ignore[type-var]

    def player(self, game: Game, genomes: Sequence[bytes], name: str) -> CompiledPlayer:
        """Return a player of one packed genome, for its own seats; of one a role, for all seats.

        Raises:
            TournamentError: the genomes cannot play this game.
        """
        made = self if len(genomes) == 1 else self.of_roles()
        return player_of(
            game, representation=made.for_game(game), genome=b"".join(genomes), name=name
        )

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """Return the content of a file of such a player; arguments as for :meth:`player`."""
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
        """Return the options, the seat aside, that a player of a file needs beside the file."""
        return {}

    def is_named_by_file(self, game: Game) -> bool:
        """Return whether a file without options stands for such a player of a game."""
        return False

    def shaped(self, numbers: np.ndarray) -> np.ndarray:
        """Return the numbers of one genome in the shape that a file has."""
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
    """Return the player of a packed genome, or of decoded numbers, a row a network or a table."""
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
    """Return a packed genome as an array ``[1, B]`` that may be written to.

    Numba would compile kernels once more for an array that may not.
    """
    return np.frombuffer(bytearray(genome), dtype=np.uint8)[None]


@dataclass(frozen=True, eq=False)
class CompiledPlayer:
    """A player of a :class:`Kind`: plays in the arena, and move by move through the same kernels.

    Attributes:
        name: what tables call it.
        kind: its kernels.
        game: the game that it plays.
        parameters: what the kernels take: an array, or a named tuple of arrays.
        row: which entrant of ``parameters`` it is.
        maker: the function that made it, of the game and ``options``, and makes it again in another
            process; None: the kernels travel by name and the parameters as they are.
        options: what it was made with; none at all: the name of its kind tells what it is.
        seats: those that it can play; a table may be for one alone.
        rows: how many rows of ``parameters`` are its own, from ``row`` on.
        at_speed: whether :meth:`choose` runs compiled kernels, too. It chooses the same; compiling
            takes a second or two, once, and pays where a choice is long.
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
    limit_seconds: ClassVar[float] = math.inf  # also where rules in plain Python make it slow

    def as_compiled(self) -> CompiledPlayer | None:
        """See :func:`compiled`; None in a game whose rules are plain Python."""
        return None if self.game.is_interpreted else self

    @cached_property
    def kernels(self) -> tuple[Kernel, Kernel, Kernel]:
        """The kernels that begin, watch and choose, as this player runs them."""
        hooks, kind = self.game.hooks, self.kind
        begin, watch, choose = (
            build(each, hooks, compiled=self.at_speed and each not in memoryless.KERNELS)
            for each in (kind.begin, kind.watch, kind.choose)
        )
        return begin, watch, choose

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """The action that the compiled player would choose with the same stream in a game that
        begins here; see :meth:`sit` for one that remembers what came before.

        Raises:
            TournamentError: this player does not play the seat to move, or ``rng`` is no stream.
        """
        if state.is_over:
            raise TournamentError(
                f"player {self.name!r} is asked for a move in a game that is over"
            )
        seen = state.view(state.seat_to_move)
        return self.sit(seen, state.seat_to_move).choose(seen, rng)

    def sit(self, state: State, seat: int) -> CompiledSeat:
        """The player at a seat of a game that begins at this position.

        Raises:
            TournamentError: this player does not play the seat.
        """
        check_seats(self, self.game, (seat,))
        return CompiledSeat(self, state)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.maker is None:
            made = self.parameters, self.row, None, self.options, self.seats, self.rows
            return type(self), (self.name, self.kind, self.game, *made)
        return _made_again, (self.maker, self.game, dict(self.options or {}), self.name)

    def __repr__(self) -> str:
        return f"<{self.name} player of {self.game.spec}>"


class CompiledSeat:
    """A compiled player at a seat of one game, move by move; a :class:`SeatedPlayer`."""

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
        """See :meth:`CompiledPlayer.choose`; ``state`` is what the seat sees."""
        stream = Stream.of(rng)
        with np.errstate(over="ignore"):
            return int(self._choose(self._board, state.array, *self._own, stream.state))

    def foreseen(self) -> Foreseen:
        """Return the expected chances of the next round, see :attr:`Kind.foresee`."""
        foresee = self._player.kind.foresee
        return foresee(self._player.game, self._own[-1]) if foresee else ((), ())

    def watch(self, state: State, action: int) -> None:
        """See :meth:`SeatedPlayer.watch`."""
        with np.errstate(over="ignore"):
            self._watch(self._board, state.array, action, *self._own)


def _made_again(
    maker: Callable[..., Any], game: Game, options: Mapping[str, Any], name: str
) -> CompiledPlayer:
    """The player in another process, under the name that it had."""
    return replace(maker(game, **options), name=name)


def compiled(player: Player) -> CompiledPlayer | None:
    """A player as kernels take it, where it offers that; None: it plays move by move alone."""
    offer = getattr(player, "as_compiled", None)
    return None if offer is None else offer()


def can_look_ahead(game: Game) -> bool:
    """Whether players can try actions out by the rules.

    Raises:
        TournamentError: they cannot, as their seat does not see all that decides what follows.
    """
    if game.view is not None:
        what = "hides some of a position" if game.hides else "draws by chance"
        raise TournamentError(
            f"{game.short_spec} {what}, so no player can look ahead in it by its rules"
        )
    return True


def seats_of(player: Player) -> tuple[int, ...]:
    """The seats that a player can play: both, unless it says otherwise."""
    return getattr(player, "seats", (0, 1))


def check_seats(player: Player, game: Game, needed: Sequence[int] = (0, 1)) -> None:
    """Raise if a player is to hold a seat for which it has no policy.

    A kernel would take a policy for the other seat, and steps that are not legal, from it.

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
    """Return the identity of a player under any name: the seeds of its games derive from it.

    The name of its kind, and the digest of its parameters where it was made with any: a champion
    has one identity as a run, by another path, and as a file of its weights. One that cannot be
    compiled may say what it is by an attribute ``identity``; else its name does.
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
