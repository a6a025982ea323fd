"""The rules of a game as a package defines them, and the optional parts that a game may offer.

A game of type ``Any`` in a signature is a :class:`tournaments.game.Game` built from these rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError, shown
from tournaments.guard import Form, Hook, Plugin, call_hook, refuse

Kernel = Callable[..., Any]

HEADER = 3
"""Length of a state's common part: the seat to move (-1: over) and the scores of two seats."""

OBJECTIVES = {"win": "net wins", "points": "net points"}
"""What may count in a game, and the unit of what is computed exactly: games won less games lost, or
points of a seat less those of the other."""

MOST = 32_767
"""Actions of a game, numbers in a state, and plies of a game that states no other bound."""


# --- optional parts of the rules ---------------------------------------------------------------


class Symmetries(NamedTuple):
    """The K symmetries of a game, such as rotations and reflections, including the identity.

    Attributes:
        inputs: int64 ``[K, I]``, the image of each network input.
        hidden: int64 ``[K, H]``, the image of each hidden node of a network of the game's default
            layers.
        actions: int64 ``[K, A]``, the image of each action.
    """

    inputs: np.ndarray
    hidden: np.ndarray
    actions: np.ndarray


@dataclass(frozen=True)
class NetworkRules:
    """The rules that let networks play a game.

    Attributes:
        num_inputs: board -> how many inputs a network has.
        encode: kernel, see :func:`tournaments.kernels.hooks.encode`.
        encode_change: kernel that changes no move: networks are faster where it is offered.
        num_hidden: board -> hidden nodes of the game's own networks; None: half of the inputs.
        symmetries: board -> what turns and mirrors of it do to a network of the game's own layers.
    """

    num_inputs: Callable[[np.ndarray], int]
    encode: Kernel
    encode_change: Kernel | None = None
    num_hidden: Callable[[np.ndarray], int] | None = None
    symmetries: Callable[[np.ndarray], Symmetries] | None = None


@dataclass(frozen=True)
class SolverRules:
    """The rules that let a game be solved.

    Attributes:
        position: kernel (board, state) -> the number of a position in the table of exact values.
        num_positions: board -> how many there are; raises TournamentError for too large a board.
        solve: kernel (board, values int8 [positions], scratch int64 [board size]): fill the table
            of exact values, each the score that the seat to move gains over the other from here on
            under best play.
        action_value: kernel, see :func:`tournaments.kernels.hooks.action_value`; it changes no
            move: perfect play is faster where it is offered.
    """

    position: Kernel
    num_positions: Callable[[np.ndarray], int]
    solve: Kernel
    action_value: Kernel | None = None


@dataclass(frozen=True)
class StateIndex:
    """Positions as numbers, so that a table can have a row for each.

    It is another thing than :attr:`SolverRules.position`: those numbers need no way back, and leave
    out what no exact value depends on, such as the scores. A game without an index has its table by
    them, or by all its positions (:func:`tournaments.solver.states.states_of`).

    Attributes:
        count: board -> how many numbers the positions of one seat take; raises TournamentError for
            too large a board.
        number: kernel (board, state) -> the number among positions of the same seat to move.
        position: kernel (board, seat, number, state): write the position of a seat that has this
            number; return whether there is one.
        most_legal: board -> for each seat, the most actions that are legal in a position.
    """

    count: Callable[[np.ndarray], int]
    number: Kernel
    position: Kernel
    most_legal: Callable[[np.ndarray], tuple[int, int]]


@dataclass(frozen=True)
class LegalSets:
    """The legal actions as sets of bits (:mod:`tournaments.kernels.bitset`).

    They change no move: random play and networks are faster where they are offered.

    Attributes:
        legal_set: kernel, see :func:`tournaments.kernels.hooks.legal_set`.
        legal_set_change: kernel, see :func:`tournaments.kernels.hooks.legal_set_change`.
    """

    legal_set: Kernel
    legal_set_change: Kernel


@dataclass(frozen=True)
class ChanceRules:
    """Kernels of a game with its own random stream (:mod:`tournaments.kernels.chance`).

    With both kernels, exact solvers and best responses compute expectations over chance.

    Attributes:
        outcomes: kernel, see :func:`tournaments.kernels.hooks.outcomes`.
        settle: kernel, see :func:`tournaments.kernels.hooks.settle`.
    """

    outcomes: Kernel | None = None
    settle: Kernel | None = None

    @property
    def is_offered(self) -> bool:
        """Whether both kernels for outcomes of chance are given, which exact solutions need."""
        return self.outcomes is not None and self.settle is not None


@dataclass(frozen=True)
class StageRules:
    """The stage of a repeated game: both seats move at once and are paid, round after round.

    Attributes:
        moves: what the moves are called.
        payoffs: board -> int64 ``[A, A]``, what a seat gains by its own move against the other's.
        rounds: board -> how many are played.
        noise: board -> the probability that a move is carried out as another one.
        results: what people call a gain, such as ``{10: "hit"}``.
    """

    moves: tuple[str, ...]
    payoffs: Callable[[np.ndarray], np.ndarray]
    rounds: Callable[[np.ndarray], int]
    noise: Callable[[np.ndarray], float]
    results: Mapping[int, str] = field(default_factory=dict)


TableOptions = Mapping[str, str]
"""The options of a form of table, complete."""


@dataclass(frozen=True, eq=False)
class TableForm:
    """A form of table that genomes of a game may encode.

    Callables with a parameter ``options`` get all options, checked against :attr:`options`.

    Attributes:
        name: as users type it.
        summary: one line for lists.
        options: for each option its values, the default first.
        num_genes: (game, options) -> genes of one seat; raises TournamentError for a game that has
            no such table.
        legal: (game, seat, options) -> bool ``[G, A]``: the actions that are legal wherever the
            gene is read; none: it is never read.
        constants: (options) -> whole numbers for the kernel.
        choose: kernel, see :func:`tournaments.kernels.hooks.choose`; ``parameters`` are
            :class:`tournaments.players.table.Tables`.
        policy: (game, seat, table int8 ``[G]``, options) -> the table as the game's exact play
            takes it; in cat and mouse int8 ``[cells, cells]``, of a repeated game a
            :class:`tournaments.repeated.machines.Machine`.
        describe: (game, gene, options) -> the situation in words.
        fits: (game, genes) -> a description of the tables with this number of genes per seat, or
            empty if there are none.
        shape: (game) -> the shape of a seat's table in a file; empty: one row.
        begin, watch: kernels of a table that goes by more than the position, see
            :mod:`tournaments.kernels.hooks`; None: nothing is remembered.
        memory: (game, parameters) -> the scratch arrays of these kernels. None: no memory.
    """

    name: str
    summary: str
    options: Mapping[str, tuple[str, ...]]
    num_genes: Callable[[Any, TableOptions], int]
    legal: Callable[[Any, int, TableOptions], np.ndarray]
    constants: Callable[[TableOptions], tuple[int, ...]]
    choose: Kernel
    policy: Callable[[Any, int, np.ndarray, TableOptions], Any]
    describe: Callable[[Any, int, TableOptions], str]
    fits: Callable[[Any, int], str] = lambda game, genes: ""
    shape: Callable[[Any], tuple[int, ...]] = lambda game: ()
    begin: Kernel | None = None
    watch: Kernel | None = None
    memory: Callable[[Any, Any], Any] | None = None


@dataclass(frozen=True, eq=False)
class VectorForm:
    """A kind of player controlled by a vector of numbers, which genomes of a game may encode.

    Attributes:
        name: as users type it.
        summary: one line for lists.
        names: (game, seat) -> what the numbers of a seat are called; of a game without roles those
            of seat 0 are of both. Raises TournamentError for a game that has none.
        kind: :class:`tournaments.player.Kind`, whose ``parameters`` are
            :class:`tournaments.players.vector.Vectors`.
        spread: standard deviation of the first, random numbers.
        limit: the greatest number, of either sign.
        programs: by name, what they become for other programs' sake, such as a team for another
            package's games: (game, numbers float64 ``[G]``) -> the text of a file.
    """

    name: str
    summary: str
    names: Callable[[Any, int], tuple[str, ...]]
    kind: Any
    spread: float = 1.0
    limit: float = 64.0
    programs: Mapping[str, Callable[[Any, np.ndarray], str]] = field(default_factory=dict)


# --- matches without positions -----------------------------------------------------------------


@dataclass(frozen=True)
class ContestRules:
    """A match that a simulator plays as a whole, without positions (:func:`tournaments.contest`).

    Attributes:
        play: (players, seed) -> scores. The players are any objects, in the order of the seats.
            The seed is a whole number from 0 to 2^32 - 1. The scores are real numbers, one per
            seat. A higher score is better.
        identity: a text that changes with the code of ``play``.
        limit_seconds: time limit of a match in seconds. ``inf``: no limit.
        is_program: whether each match is a process of its own, so that threads play in parallel.
        is_recorded: whether the scores of a match are not reproducible. A run then records the
            scores before it uses them, and is resumed and replayed from the recording.
    """

    play: Callable[[list[Any], int], Any]
    identity: str
    limit_seconds: float
    is_program: bool = False
    is_recorded: bool = False


# --- players and the complete rules ------------------------------------------------------------


@dataclass(frozen=True)
class PlayerOffer:
    """A player that a game or a package offers by name.

    Attributes:
        summary: one line for lists.
        make: (game, **options) -> :class:`tournaments.player.Player`; its keyword arguments are
            the options that users may give.
        plays: (game) -> whether it plays the game, or a TournamentError that says why not.
        of_file: the option that takes a file, if a file defines the player. Empty: the name alone
            identifies the player.
        takes: (text) -> whether a text that names a file selects this player.
        files: (value of :attr:`of_file`) -> the files that it names.
        wins_soonest: for a game's ``optimal`` player, whether it also wins in the fewest plies and
            loses in the most plies. Hints then show the number of plies.
        samples: (game) -> sample players for :func:`tournaments.contract.check_game`, if the
            player takes options. Use :func:`nobody` for a kind that only needs the rules of a
            game. None: the sample is the player without options.
    """

    summary: str
    make: Callable[..., Any]
    plays: Callable[[Any], bool] = lambda game: True
    of_file: str = ""
    takes: Callable[[str], bool] = lambda text: text.endswith((".npy", ".json"))
    files: Callable[[str], Iterable[str]] = lambda text: (text,)
    wins_soonest: bool = False
    samples: Callable[[Any], Iterable[Any]] | None = None

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the function that makes the player, :attr:`make`."""
        return inspect.signature(self.make)


def nobody(game: Any) -> Iterable[Any]:
    """Return no sample players of a game, for a kind of player that ``check_game`` need not check.

    See :func:`tournaments.contract.check_game`.
    """
    return ()


@dataclass(frozen=True)
class Rules:
    """The rules of a game and its optional parts. Everything else is built from them.

    The kernels are described in :mod:`tournaments.kernels.hooks`.

    Attributes:
        name: as users type it.
        summary: one line for lists.
        seats: what the seats are called.
        options: for each option of the game its default.
        board: options -> int16 array of the game's constants; raises TournamentError.
        state_size: board -> length of the state array, the header of three included.
        num_actions: board -> how many actions there are.
        most_plies: board -> the maximum number of plies of a game. A longer game is an error.
        text: (board, state) -> the position as text.
        parse: (board, text) -> the state array of a text in the format of :attr:`text`.
        describe: (board, action) -> the name of the action.
        objective: the aim of players. ``win``: the result of a game, regardless of the scores.
            ``points``: the difference of the final scores. Perfect play, hints and exact values use
            the objective.
        has_roles: whether the seats differ, so that each seat has its own players.
        view: kernel, see :func:`tournaments.kernels.hooks.view`; None: each seat sees all. Moves
            are simultaneous where the second seat's view does not show the first one's.
        has_secret: kernel (board, state, seat) -> whether a seat's view is another thing than the
            position; where it is not, the position is shown without a copy. It changes no move: a
            game is faster where it is offered.
        chance: the game draws from a stream of its own, which stands behind the header of its
            state; None: it does not.
        measure: kernel (board, state) -> a number that tells finished games with equal scores
            apart, such as how far the cat was from the mouse; the smaller, the better for seat 0.
        emoji: (board, state) -> the picture alone, for terminals that can show emoji.
        rulers: board -> what stands above the picture, and in front of each of its lines, where
            people name actions by rows and columns; each cell is two characters wide, as text and
            as emoji.
        network: lets networks play.
        solver: lets the game be solved.
        states: numbers its positions, for tables with a row for each.
        sets: legal actions as sets.
        stage: what is played in each round, of a repeated game
            (:func:`tournaments.repeated.game.repeated_game` makes one).
        tables: by name, the forms of table that genomes of this game may have.
        vectors: by name, the kinds of player that go by numbers, as genomes may have them.
        players: by name, the players of this game alone; they go before those of every game.
        yardsticks: the names of the reference players of ``evo evaluate``, the weakest first.
            Empty: random play, and perfect play or the nearest substitute, see
            :func:`tournaments.players.yardsticks`.
        opponents: the names of the fixed opponents that a run of a game without roles evolves
            against where its user names none; none: it evolves in another way.
        ground: (options of the game) -> where all of its games take place, such as a maze, in
            words; a report on a run says that its players were trained there. None: it says
            nothing.
        best_responses: (game, threads) -> :class:`tournaments.solver.exact.BestResponses`; raises
            TournamentError where they cannot be computed.
        meetings: (game, threads) -> :class:`tournaments.solver.exact.Meetings`; likewise.
        draw: :class:`tournaments.drawing.shapes.Scene` objects of one game ->
            :class:`tournaments.drawing.shapes.Drawing`; None: text boards are the picture.
        is_search: whether to find a legal action is what people are to do: ``evo play`` tells them
            none before they ask for the moves or a hint.
        edit: (board, state, words) -> the position changed as the words ask, for ``evo play``;
            raises TournamentError for words that ask for nothing.
        contest: plays a match as a whole. The game then has no positions, and its kernels are never
            called. None: the game is played move by move.
        module: the module of the file by path that holds these rules, see
            :mod:`tournaments.code_files`; who writes rules leaves it out.
    """

    name: str
    summary: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    board: Callable[..., np.ndarray]
    state_size: Callable[[np.ndarray], int]
    num_actions: Callable[[np.ndarray], int]
    start: Kernel
    legal: Kernel
    play: Kernel
    text: Callable[[np.ndarray, np.ndarray], str]
    parse: Callable[[np.ndarray, str], np.ndarray]
    describe: Callable[[np.ndarray, int], str]
    most_plies: Callable[[np.ndarray], int] = lambda board: MOST
    objective: str = "win"
    has_roles: bool = False
    view: Kernel | None = None
    has_secret: Kernel | None = None
    chance: ChanceRules | None = None
    measure: Kernel | None = None
    emoji: Callable[[np.ndarray, np.ndarray], str] | None = None
    rulers: Callable[[np.ndarray], tuple[str, list[str]]] | None = None
    network: NetworkRules | None = None
    solver: SolverRules | None = None
    states: StateIndex | None = None
    sets: LegalSets | None = None
    stage: StageRules | None = None
    tables: Mapping[str, TableForm] = field(default_factory=dict)
    vectors: Mapping[str, VectorForm] = field(default_factory=dict)
    players: Mapping[str, PlayerOffer] = field(default_factory=dict)
    yardsticks: tuple[str, ...] = ()
    opponents: tuple[str, ...] = ()
    ground: Callable[[Mapping[str, Any]], str] | None = None
    best_responses: Callable[[Any, int], Any] | None = None
    meetings: Callable[[Any, int], Any] | None = None
    draw: Callable[[Any], Any] | None = None
    is_search: bool = False
    edit: Callable[[np.ndarray, np.ndarray, str], np.ndarray] | None = None
    contest: ContestRules | None = None
    module: str = ""

    def __post_init__(self) -> None:
        """Raise TournamentError if a field of a game's rules has the wrong type."""
        _check_types(self)
        if self.objective not in OBJECTIVES:
            raise TournamentError(
                f"{self.name}: objective={shown(self.objective)} given; "
                f"{' or '.join(map(repr, OBJECTIVES))} is expected, see docs/extending.md"
            )

    def number(self, name: str, board: np.ndarray) -> int:
        """Call a function of the game's rules with a board, and return its whole number.

        ``name`` is the field that holds the function.
        """
        return int(self.call(name, board, form=_expect_whole_number))

    def call(self, name: str, *given: Any, form: Form | None = None, **options: Any) -> Any:
        """Call a function of the game's rules and return its result.

        Any error becomes TournamentError.

        ``name`` is the field that holds the function.
        """
        function = partial(getattr(self, name), **options)
        return call_hook(Plugin("game", self.name), Hook(f"{name}()", form), function, *given)


def _expect_whole_number(given: Any, *arguments: Any) -> None:
    if not isinstance(given, int | np.integer) or isinstance(given, bool):
        refuse(shown(given), "give a whole number")


# --- types of fields ---------------------------------------------------------------------------


def _check_types(rules: Rules) -> None:
    """Raise if a field of a game's rules holds a value of another type than it declares."""
    for each in fields(rules):
        given, declared = getattr(rules, each.name), str(each.type)
        if given is None and declared.endswith("None"):
            continue
        fits, words = _fits(given, declared.removesuffix(" | None"))
        if not fits:
            raise TournamentError(
                f"{rules.name}: {each.name}={shown(given)} given; {words} is expected, see "
                "docs/extending.md"
            )


def _fits(given: Any, declared: str) -> tuple[bool, str]:
    """Return whether a value of a game's rules has the declared type, and the type in words."""
    if declared.startswith(("Kernel", "Callable")):
        return callable(given), "a function"
    if declared.startswith("tuple"):
        is_row = isinstance(given, tuple | list)
        return is_row and all(isinstance(text, str) for text in given), "a tuple of texts"
    if declared.startswith("Mapping"):
        name = declared.removeprefix("Mapping[str, ").removesuffix("]")
        kind, words = (object, "values") if name == "Any" else (globals()[name], name)
        fits = isinstance(given, Mapping) and all(
            isinstance(key, str) and isinstance(value, kind) for key, value in given.items()
        )
        return fits, f"a dict of {words} by name"
    kinds = {"str": (str, "a text"), "bool": (bool, "True or False")}
    kind, words = kinds.get(declared) or (globals()[declared], f"a {declared} object")
    return isinstance(given, kind), words
