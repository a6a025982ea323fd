"""Networks as players: of genomes, or of a weights file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.game import Game
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, Export, Kind, only_seat
from tournaments.players.files import read_network
from tournaments.players.network import by_role
from tournaments.players.network import play as network
from tournaments.players.network.bits import Encoding, layers_for
from tournaments.players.network.reals import RealEncoding
from tournaments.players.network.weights import from_genomes, from_weights


@dataclass(frozen=True)
class NetworkGenomes:
    """Genomes that stand for networks; a :class:`tournaments.player.Representation`.

    Attributes:
        encoding: of the genomes.
        seats: those that each network plays.
    """

    encoding: Any
    seats: tuple[int, ...] = (0, 1)

    plays_variants: ClassVar[bool] = False

    @property
    def kind(self) -> Kind:
        return network.kind_of(self.encoding.layers)

    def parameters(self, genomes: np.ndarray) -> Any:
        """Packed genomes, uint8 ``[N, B]``, as networks."""
        return from_genomes(self.encoding, genomes)

    def player(self, game: Game, genomes: Sequence[bytes], name: str) -> CompiledPlayer:
        """See :meth:`tournaments.player.Representation.player`."""
        seat = only_seat(game, self.seats, genomes)
        genome = b"".join(genomes)
        return player(game, genome=genome, encoding=self.encoding, seat=seat, name=name)

    def weights(self, genomes: np.ndarray) -> np.ndarray:
        """Packed genomes as weights, float64 ``[N, W]``."""
        return self.encoding.decode(genomes)

    def export(self, game: Game, genomes: Sequence[bytes], file: str) -> Export:
        """Weights, of several roles a row each; of layers that are not the game's own, .json tells
        the layers, .npy cannot."""
        rows = np.stack([np.frombuffer(genome, dtype=np.uint8) for genome in genomes])
        weights = self.weights(rows)
        weights = weights if len(genomes) > 1 else weights[0]
        layers, what = self.encoding.layers, f"{weights.size} weights"
        options = {}
        if layers != layers_for(game) and not file.endswith(".json"):
            options["hidden"] = "+".join(map(str, layers[1:-1]))
        if seat := only_seat(game, self.seats, genomes):
            options["seat"] = seat
        spec = ",".join([f"network:weights={file}", *(f"{k}={v}" for k, v in options.items())])
        if layers == layers_for(game):
            return Export(weights, what, f"; it plays as {spec}" if options else "")
        spec = spec if options else file
        return Export(weights, what, f", a {_dashed(layers)} network; it plays as {spec}", layers)


class RealNetworkGenomes(NetworkGenomes):
    """Genomes of real weights."""

    def parameters(self, genomes: np.ndarray) -> Any:
        """Packed genomes, uint8 ``[N, 4 G]``, as networks."""
        return from_weights(self.encoding.layers, self.weights(genomes))

    def weights(self, genomes: np.ndarray) -> np.ndarray:
        """See :meth:`NetworkGenomes.weights`."""
        return self.encoding.weights(self.encoding.decode(genomes))


GENOMES = {Encoding: NetworkGenomes, RealEncoding: RealNetworkGenomes}
"""What genomes of an encoding stand for."""


# --- by name -----------------------------------------------------------------------------------


def player(
    game: Game,
    *,
    genome: bytes | None = None,
    encoding: Encoding | RealEncoding | Mapping[str, Any] | None = None,
    weights: Any = None,
    hidden: Sequence[int] | int | str | None = None,
    seat: str = "",
    name: str = "network",
) -> CompiledPlayer:
    """A network from a packed genome or from weights; or one for each seat of a game with roles.

    Args:
        game: what it plays.
        genome: a packed genome; or those of both seats, one after the other.
        encoding: of the genome, or the description of one; by default of the game's own layers.
        weights: in place of a genome, an array ``[W]`` in the order of the encoding, or a file;
            ``[2, W]`` for a network of each seat.
        hidden: nodes of each hidden layer, also as a text such as ``18+9``; by default what the
            genome or the file says, else the game's own.
        seat: the only one that the network plays; empty: it plays both.
        name: what tables of results call it; by default the file.

    Raises:
        TournamentError: the file cannot be read, or holds no network for this game.
    """
    if (genome is None) == (weights is None):
        raise TournamentError(
            "a network player takes a genome or weights: network:weights=FILE.npy, or a run "
            "folder, which stands for its champion"
        )
    required = None if hidden is None else layers_for(game, _hidden(hidden))
    options: dict[str, Any] = {"name": name, "seat": seat}
    if genome is not None:
        genome_encoding = _encoding(encoding, game, required)
        layers = genome_encoding.layers
        rows = _split(genome, genome_encoding.num_bytes)
        parameters = GENOMES[type(genome_encoding)](genome_encoding).parameters(rows)
        options |= {"genome": genome, "encoding": genome_encoding}
    else:
        if isinstance(weights, str | Path):
            name = str(weights) if name == "network" else name
            weights, held = read_network(Path(weights))
            required = required if held is None else _agreeing(name, held, game, required)
        rows = _rows(game, np.asarray(weights, dtype=np.float64))
        layers = _checked_layers(rows.shape[1], game, required)
        parameters = _parameters(layers, rows)
        options |= {"weights": rows if len(rows) > 1 else rows[0], "name": name}
        if layers != layers_for(game):
            options["hidden"] = layers[1:-1]
    seats = _seats(game, seat, len(rows))
    return CompiledPlayer(
        name,
        (by_role if len(rows) > 1 else network).kind_of(layers),
        game,
        parameters,
        maker=player,
        options=options,
        seats=seats,
        rows=len(rows),
    )


def _split(genome: bytes, width: int) -> np.ndarray:
    """Packed genomes that follow one another, ``[R, B]``; one where they are of another width."""
    genes = np.frombuffer(genome, dtype=np.uint8)
    return genes.reshape(-1, width) if genes.size and genes.size % width == 0 else genes[None]


def _rows(game: Game, weights: np.ndarray) -> np.ndarray:
    """The weights of one network, or of one a role, ``[R, W]``."""
    is_by_role = game.rules.has_roles and weights.ndim == 2 and len(weights) == len(game.seats)
    return weights if is_by_role else weights.reshape(1, -1)


def _seats(game: Game, seat: str, networks: int) -> tuple[int, ...]:
    """The seats that so many networks play."""
    if networks not in (1, len(game.seats) if game.rules.has_roles else 1):
        raise TournamentError(f"{networks} networks given; {game.name} takes one, or one a role")
    if not seat:
        return (0, 1)
    if seat not in game.seats:
        raise unknown(f"seat of {game.name}", seat, game.seats)
    if networks == 2:
        raise TournamentError(f"seat={seat} given; the file holds a network for each seat")
    return (game.seats.index(seat),)


def _hidden(given: Sequence[int] | int | str) -> tuple[int, ...]:
    """The nodes of each hidden layer: a number, several, or a text with a + between them."""
    nodes = given.split("+") if isinstance(given, str) else given
    try:
        hidden = (nodes,) if isinstance(nodes, int) else tuple(int(number) for number in nodes)
    except (TypeError, ValueError):
        hidden = ()
    if not hidden:
        raise TournamentError(
            f"hidden={given!r} given; nodes of each hidden layer are expected, as in hidden=18+9"
        )
    return hidden


def _agreeing(
    file: str, layers: tuple[int, ...], game: Game, required: tuple[int, ...] | None
) -> tuple[int, ...]:
    """The layers that a file tells, once they fit the game and what else was said."""
    if required not in (None, layers) or not _fits(layers, game):
        wanted = layers_for(game) if required is None else required
        raise TournamentError(
            f"{file}: holds a {_dashed(layers)} network; {game.spec} takes "
            f"{_dashed(wanted) if required else _any_hidden(game)}"
        )
    return layers


def _checked_layers(weights: int, game: Game, required: tuple[int, ...] | None) -> tuple[int, ...]:
    """The layers of so many weights: those required, else the game's own."""
    layers = layers_for(game) if required is None else required
    expected = Encoding(layers).num_weights
    if weights != expected:
        mend = "; say which hidden layers it has, as in network:weights=FILE.npy,hidden=18+9"
        raise TournamentError(
            f"{weights} weights given; a {_dashed(layers)} network for {game.spec} has {expected}"
            f"{mend if required is None else ''}"
        )
    return layers


def _parameters(layers: tuple[int, ...], weights: np.ndarray) -> Any:
    """Weights as the kernels take them; those of genomes, written to a file, as the genomes'."""
    encoding = Encoding(layers)
    if np.abs(weights).max() <= encoding.high:
        levels = encoding.nearest_levels(weights)
        if np.array_equal(encoding.weights_at(levels), weights):
            return from_genomes(encoding, encoding.packed(levels))
    return from_weights(layers, weights)


def _encoding(
    given: Encoding | RealEncoding | Mapping[str, Any] | None,
    game: Game,
    required: tuple[int, ...] | None,
) -> Encoding | RealEncoding:
    if given is None:
        return Encoding(layers_for(game) if required is None else required)
    encoding = Encoding(**given) if isinstance(given, Mapping) else given
    if required not in (None, encoding.layers) or not _fits(encoding.layers, game):
        wanted = _any_hidden(game) if required is None else _dashed(required)
        raise TournamentError(
            f"a genome of a {_dashed(encoding.layers)} network given; this board takes {wanted}"
        )
    return encoding


def _fits(layers: tuple[int, ...], game: Game) -> bool:
    """Whether networks of these layers can play a game, whatever is hidden."""
    own = layers_for(game)
    return len(layers) >= 3 and (layers[0], layers[-1]) == (own[0], own[-1])


def _dashed(layers: Sequence[int]) -> str:
    return "-".join(map(str, layers))


def _any_hidden(game: Game) -> str:
    own = layers_for(game)
    return f"{_dashed(own)}, or other hidden layers between {own[0]} and {own[-1]}"


SEVERAL = (4, 3)
"""Hidden layers of a network that plays large boards move by move without taking minutes."""


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """A random network of the game's own layers, and a small one of two hidden layers."""
    for hidden in ((), SEVERAL):
        encoding = Encoding(layers_for(game, hidden))
        rng = generator(0, "contract")
        weights = rng.uniform(encoding.low, encoding.high, encoding.num_weights)
        genome = encoding.encode(weights[None])[0].tobytes()
        yield player(
            game, genome=genome, encoding=encoding, name="-".join(["network", *map(str, hidden)])
        )
