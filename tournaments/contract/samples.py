"""One player of each kind that plays a game, for :mod:`tournaments.contract.check` to look at."""

from __future__ import annotations

from collections.abc import Iterator

from tournaments import players
from tournaments.errors import TournamentError
from tournaments.kernels.rng import generator
from tournaments.player import CompiledPlayer, Game, Player
from tournaments.players.network.bits import Encoding, layers_for
from tournaments.players.table.encoding import TableEncoding

SEVERAL = (4, 3)
"""Hidden layers of a network that plays large boards move by move without taking minutes."""


def registered_players(game: Game) -> list[CompiledPlayer]:
    """One compiled player of each kind that plays a game.

    A random network stands for networks, a small one of two hidden layers for those of several, and
    a random pair of tables for each form of table.
    """
    networks = {"network": (), "third-side-network": SEVERAL}
    found: list[CompiledPlayer] = []
    for name in players.names(game):
        random = name in networks
        made = [_random_network(game, networks[name]) if random else _made(name, game)]
        made = [*_random_tables(game)] if name == "table" else made
        found += [player for player in made if isinstance(player, CompiledPlayer)]
    return found


def _made(name: str, game: Game) -> Player | None:
    try:
        return players.make(name, game)
    except TournamentError:
        return None  # needs options, or does not play this game


def _random_network(game: Game, hidden: tuple[int, ...]) -> Player:
    encoding = Encoding(layers_for(game, hidden))
    weights = generator(0, "contract").uniform(encoding.low, encoding.high, encoding.num_weights)
    if hidden:
        return players.make("network", game, weights=weights, hidden=hidden)
    genome = encoding.encode(weights[None])[0].tobytes()
    return players.make("network", game, genome=genome)


def _random_tables(game: Game) -> Iterator[Player]:
    for form in game.rules.tables:
        try:
            encoding = TableEncoding(game, form, (0, 1))
        except TournamentError:
            continue  # a form for other boards
        (genome,) = encoding.random(1, generator(0, "contract"))
        yield players.make("table", game, genome=genome, encoding=encoding, name=form)
