"""Claims of Weaver and Bossomaier (1998) about players, networks and games, without any run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

import tournaments
from evo.studies.claims import FAILS, HOLDS, IN_PART, NOT_MEASURED, Finding, verdict_on
from evo.studies.dots_and_boxes_1998.curves import ANTIBODIES, GREEDY, RANDOM, ROUND_ROBIN
from evo.studies.dots_and_boxes_1998.measurements import Measurements
from evo.studies.intervals import Interval, exactly, share_interval
from evo.studies.settings import Announce
from evo.sweeps.experiment import Experiment
from tournaments import games, players
from tournaments.game import Game
from tournaments.games.dots_and_boxes import edge_sets, exact_play
from tournaments.player import Player, identity
from tournaments.players.network.encodings import Encoding
from tournaments.players.network.weights import layers_for
from tournaments.solver.exact import kept

LOOKAHEAD = "level-2"
ONE_LAYER, TWO_LAYERS = "box-completion-network", "third-side-network"
PAIRS = (
    *((GREEDY, RANDOM), (LOOKAHEAD, RANDOM), (LOOKAHEAD, GREEDY)),
    *((ONE_LAYER, RANDOM), (ONE_LAYER, GREEDY), (TWO_LAYERS, GREEDY)),
)
PLAYED = 20_000
"""Number of games of a pair if the exact win rate is not computed."""
SAMPLE = 10_000
"""Games that a published win rate is taken to rest on; their number is lost from the text."""
COMPLETING, AS_LEVEL_1, AS_LEVEL_2 = "completing", "as level 1", "as level 2"


def measure_facts(
    experiment: Experiment, is_exact: bool, threads: int, announce: Announce
) -> dict[str, Interval]:
    """Measure the players and the network of the paper, and return numbers by name.

    ``A against B`` is the win rate of player A. ``completing`` is the share of the edge sets with a
    box to complete in which the network of section 3.6 always completes one, ``as level
    1`` the share of all edge sets in which it draws from the same edges as level 1, ``as level 2``
    the same of the network with a layer more, and level 2.

    Args:
        experiment: the four populations.
        is_exact: compute over all games, and ask the networks in all edge sets: half a
            minute on two processors, and kept in the cache folder. Otherwise 20,000 games are
            played, and the shares of edge sets are absent.
        threads: number of threads that share the work.
        announce: takes a line that says what is being done.
    """
    game = games.make("dots-and-boxes")
    encoding = Encoding(layers_for(game))
    announce(f"the levels and the networks of section 3.6, {'exactly' if is_exact else 'by games'}")
    weights = encoding.weights_at(np.arange(1 << encoding.bits))
    inputs, hidden, outputs = encoding.layers
    numbers = {
        "weights": encoding.num_weights,
        "connections": inputs * hidden + hidden * outputs,
        "genome bytes": encoding.num_bytes,
        "unused bits": 8 * encoding.num_bytes - encoding.num_bits,
        "least weight": float(np.abs(weights).min()),
        **_games_a_generation(experiment),
        **(_exactly(game, threads) if is_exact else {}),
    }
    played = {} if is_exact else {_name(pair): _rate(game, pair) for pair in PAIRS}
    return {name: exactly(number) for name, number in numbers.items()} | played


def _games_a_generation(experiment: Experiment) -> dict[str, float]:
    cells = {cell.variant: cell.config(experiment.seeds[0]) for cell in experiment.cells}
    numbers = {name: config.games_a_generation or 0 for name, config in cells.items()}
    ratio = round(numbers[ROUND_ROBIN] / numbers[ANTIBODIES], 2)
    return {
        **{f"games of {name}": number for name, number in numbers.items()},
        f"games of {ROUND_ROBIN} by {ANTIBODIES}": ratio,
    }


def _name(pair: tuple[str, str]) -> str:
    return " against ".join(pair)


def _rate(game: Game, pair: tuple[str, str]) -> Interval:
    """Return the win rate of the first of two players of dots and boxes, by playing games."""
    one, other = (players.make(name, game) for name in pair)
    record = tournaments.play_matches(game, one, other, matches=PLAYED // 2, seed=0)
    return share_interval(record.wins, record.games)


def _exactly(game: Game, threads: int) -> dict[str, float]:
    """Return exact win rates between players and shares of edge sets, kept in the cache folder.

    They are of dots and boxes, and named as in :func:`measure_facts`.
    """
    names = [*map(_name, PAIRS), COMPLETING, AS_LEVEL_1, AS_LEVEL_2]
    made = {name: players.make(name, game) for pair in PAIRS for name in pair}
    of = game.spec, *map(identity, made.values())
    values = kept("claims", of, lambda: np.array(list(_computed(made, threads))))
    return dict(zip(names, values.tolist(), strict=True))


def _computed(made: Mapping[str, Player], threads: int) -> Iterator[float]:
    """Compute the values of :func:`_exactly`, and yield them in the order of their names.

    ``made`` are the players by name.
    """
    surveys = {name: edge_sets.survey(player, threads) for name, player in made.items()}
    for one, other in PAIRS:
        yield exact_play.meet(surveys[one], surveys[other], threads).win_rate
    drawn = {name: survey.candidates for name, survey in surveys.items()}
    may_complete = drawn[GREEDY] != drawn[RANDOM]
    completes = drawn[ONE_LAYER] & ~drawn[GREEDY] == 0
    yield float(completes[may_complete].mean())
    yield float((drawn[ONE_LAYER] == drawn[GREEDY]).mean())
    yield float((drawn[TWO_LAYERS] == drawn[LOOKAHEAD]).mean())


# --- claims --------------------------------------------------------------------------------------


def published_rate(measured: Measurements, pair: str, published: float) -> Finding:
    """Judge a published win rate of dots and boxes.

    It holds if a sample of 10,000 games would show it in 95 cases of 100, and in part if it is no
    more than a point off.

    Args:
        measured: the measurements of the study.
        pair: the players, as ``A against B``.
        published: the published win rate of A.
    """
    rate = measured.facts[pair]
    error = 1.96 * float(np.sqrt(rate.middle * (1 - rate.middle) / SAMPLE))
    apart = abs(rate.middle - published)
    verdict = HOLDS if apart <= error else IN_PART if apart <= 0.01 else FAILS
    return Finding(f"{rate:.2%}; published {published:.2%}", verdict, rate)


def box_completion(measured: Measurements) -> Finding:
    """Judge whether a network with a hidden node for each box plays as level 1 does."""
    facts = measured.facts
    if COMPLETING not in facts:
        return Finding("only computed, not played", NOT_MEASURED)
    won, completing, same = (
        facts[name] for name in (_name((ONE_LAYER, GREEDY)), COMPLETING, AS_LEVEL_1)
    )
    found = (
        f"completes a box in {completing:.1%} of the positions that offer one, draws from the "
        f"edges of level 1 in {same:.2%} of all, and wins {won:.1%} against it"
    )
    verdict = HOLDS if same.middle == 1 else IN_PART if completing.middle == 1 else FAILS
    return Finding(found, verdict, won)


def third_side(measured: Measurements) -> Finding:
    """Judge whether a network with one more layer draws the same edges as level 2."""
    if AS_LEVEL_2 not in measured.facts:
        return Finding("only computed, not played", NOT_MEASURED)
    same, won = measured.facts[AS_LEVEL_2], measured.facts[_name((TWO_LAYERS, GREEDY))]
    found = (
        f"draws from the edges of level 2 in {same:.1%} of all positions, wins {won:.1%} against "
        "level 1"
    )
    return Finding(found, verdict_on(same.middle == 1), won)
