"""What Weaver and Bossomaier (1998) claim of players, networks and games, whatever a run shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import tournaments
from evo.studies.dots_and_boxes_1998.curves import ANTIBODIES, DIRECT_0, GREEDY, RANDOM
from evo.studies.dots_and_boxes_1998.curves import ROUND_ROBIN as LEAGUE
from evo.studies.dots_and_boxes_1998.rules import (
    NOT_MEASURED,
    Claim,
    Evidence,
    Facts,
    Finding,
    as_published,
    equal,
    share,
    stating,
)
from evo.studies.intervals import Interval, exactly
from evo.studies.verdicts import FAILS, HOLDS, IN_PART
from evo.sweeps.experiment import Experiment
from tournaments import games, players
from tournaments.game import Game
from tournaments.games.dots_and_boxes import edge_sets, exact_play
from tournaments.player import identity
from tournaments.players.network.bits import Encoding, layers_for
from tournaments.solver.exact import kept

LOOKAHEAD = "level-2"
ONE_LAYER, TWO_LAYERS = "box-completion-network", "third-side-network"
PUBLISHED = {(GREEDY, RANDOM): 0.9963, (LOOKAHEAD, RANDOM): 0.9969, (LOOKAHEAD, GREEDY): 0.8383}
PAIRS = (*PUBLISHED, (ONE_LAYER, RANDOM), (ONE_LAYER, GREEDY), (TWO_LAYERS, GREEDY))
PLAYED = 20_000
"""Games of a pair, where what comes of all games is not computed."""


def measure(
    experiment: Experiment, exact: bool, threads: int, announce: Callable[[str], None]
) -> Facts:
    """Look at the players and the network of the paper.

    Args:
        experiment: the four populations.
        exact: compute what comes of all games, and ask the networks in all edge sets: half a minute
            on two processors, and kept in the cache folder. Otherwise 20,000 games are played.
        threads: how many share the work.
        announce: takes a line that says what is being done.
    """
    game = games.make("dots-and-boxes")
    encoding = Encoding(layers_for(game))
    announce(f"the levels and the networks of section 3.6, {'exactly' if exact else 'by games'}")
    known = _exactly(game, threads) if exact else {}
    rates = {pair: _rate(game, pair, known) for pair in PAIRS}
    weights = encoding.weights_at(np.arange(1 << encoding.bits))
    inputs, hidden, outputs = encoding.layers
    return Facts(
        rates=rates,
        games_a_generation=_games_a_generation(experiment),
        weights=encoding.num_weights,
        connections=inputs * hidden + hidden * outputs,
        genome_bytes=encoding.num_bytes,
        unused_bits=8 * encoding.num_bytes - encoding.num_bits,
        least_weight=float(np.abs(weights).min()),
        completing=known.get("completing"),
        as_level_1=known.get("as level 1"),
        as_level_2=known.get("as level 2"),
    )


def _games_a_generation(experiment: Experiment) -> dict[str, int]:
    cells = {cell.variant: cell.config(experiment.seeds[0]) for cell in experiment.cells}
    return {name: config.games_a_generation or 0 for name, config in cells.items()}


def _rate(game: Game, pair: tuple[str, str], known: dict[str, float]) -> Interval:
    from results.statistics import wilson

    if (name := " against ".join(pair)) in known:
        return exactly(known[name])
    one, other = (players.make(name, game) for name in pair)
    record = tournaments.play_matches(game, one, other, matches=PLAYED // 2, seed=0)
    low, high = wilson(record.wins, record.games)
    return Interval(record.win_rate, float(low), float(high), 0.95)


def _exactly(game: Game, threads: int) -> dict[str, float]:
    """Win rates of the pairs and what the networks draw from, kept from one call to the next."""
    names = [" against ".join(pair) for pair in PAIRS]
    names += ["completing", "as level 1", "as level 2"]
    made = dict.fromkeys(name for pair in PAIRS for name in pair)
    of = game.spec, *(identity(players.make(name, game)) for name in made)
    values = kept("claims", of, lambda: np.array(list(_computed(game, threads))))
    return dict(zip(names, values.tolist(), strict=True))


def _computed(game: Game, threads: int) -> Iterator[float]:
    """The values of :func:`_exactly`, in the order of their names."""
    made = dict.fromkeys(name for pair in PAIRS for name in pair)
    surveys = {name: edge_sets.survey(players.make(name, game), threads) for name in made}
    for one, other in PAIRS:
        yield exact_play.meet(surveys[one], surveys[other], threads).win_rate
    drawn = {name: survey.candidates for name, survey in surveys.items()}
    may_complete = drawn[GREEDY] != drawn[RANDOM]
    completes = drawn[ONE_LAYER] & ~drawn[GREEDY] == 0
    yield float(completes[may_complete].mean())
    yield float((drawn[ONE_LAYER] == drawn[GREEDY]).mean())
    yield float((drawn[TWO_LAYERS] == drawn[LOOKAHEAD]).mean())


def _level(one: str, other: str) -> Callable[[Evidence], Finding]:
    def judge(evidence: Evidence) -> Finding:
        interval, published = evidence.facts.rates[one, other], PUBLISHED[one, other]
        text = f"{share(interval, 2)}; published {published:.2%}"
        return Finding(text, as_published(interval, published), interval)

    return judge


_SAME = "a sample of 10,000 games would show the published rate; in part: within a point"


# --- claims ---------------------------------------------------------------------------------------

FACTS: list[Claim] = []
stated = partial(stating, FACTS, of_curves=False)


stated("level-1-0", "2.2", "Level 1 beats level 0 in 99.63% of games", _SAME)(
    _level(GREEDY, RANDOM)
)
stated("level-2-0", "2.2", "Level 2 beats level 0 in 99.69% of games", _SAME)(
    _level(LOOKAHEAD, RANDOM)
)
stated("level-2-1", "2.2", "Level 2 beats level 1 in 83.83% of games", _SAME)(
    _level(LOOKAHEAD, GREEDY)
)


@stated("genome", "3.3", "A genotype has 582 bytes, of which 6 bits are unused", "both numbers")
def _genome(evidence: Evidence) -> Finding:
    facts = evidence.facts
    verdict = equal((facts.genome_bytes, 582), (facts.unused_bits, 6))
    return Finding(f"{facts.genome_bytes} bytes, {facts.unused_bits} bits unused", verdict)


@stated("weights", "5.1, 5.2", "432 weights, 465 with the thresholds", "both numbers")
def _weights(evidence: Evidence) -> Finding:
    facts = evidence.facts
    verdict = equal((facts.connections, 432), (facts.weights, 465))
    text = f"{facts.connections} connections, {facts.weights} with thresholds"
    return Finding(text, verdict)


@stated(
    "zero",
    "3.3, 5.1",
    "Zero is one of the values that a weight can take",
    "it is one of the 1,024 levels",
)
def _zero(evidence: Evidence) -> Finding:
    least = evidence.facts.least_weight
    return Finding(f"the weights nearest to zero are +-{least:.4f}", HOLDS if least == 0 else FAILS)


@stated(
    "box-completion",
    "3.6",
    "A network with a hidden node a box implements level 1",
    "it draws from the same edges in all positions; in part: it completes a box wherever "
    "there is one",
)
def _box_completion(evidence: Evidence) -> Finding:
    facts = evidence.facts
    if facts.completing is None or facts.as_level_1 is None:
        return Finding("only computed, not played", NOT_MEASURED)
    won = facts.rates[ONE_LAYER, GREEDY]
    same, completes = facts.as_level_1 == 1.0, facts.completing == 1.0
    text = (
        f"completes a box in {facts.completing:.1%} of the positions that offer one, draws from "
        f"the edges of level 1 in {facts.as_level_1:.2%} of all, and wins {share(won)} against it"
    )
    return Finding(text, HOLDS if same else IN_PART if completes else FAILS, won)


@stated(
    "third-side",
    "3.6",
    "With an additional layer a network also refuses third sides",
    "it draws from the same edges as level 2 in all positions",
)
def _third_side(evidence: Evidence) -> Finding:
    same = evidence.facts.as_level_2
    if same is None:
        return Finding("only computed, not played", NOT_MEASURED)
    won = evidence.facts.rates[TWO_LAYERS, GREEDY]
    text = f"draws from the edges of level 2 in {same:.1%} of all positions, wins {share(won)}"
    return Finding(f"{text} against level 1", HOLDS if same == 1.0 else FAILS, won)


@stated(
    "games",
    "5.1",
    "A generation of round-robin takes 9,900 games, of antibody/antigen 1,650, of direct "
    "evolution 2,000",
    "all three numbers",
)
def _games(evidence: Evidence) -> Finding:
    games = evidence.facts.games_a_generation
    names = LEAGUE, ANTIBODIES, DIRECT_0
    text = ", ".join(f"{name} {games[name]:,}" for name in names)
    verdict = equal(*zip((games[name] for name in names), (9900, 1650, 2000), strict=True))
    return Finding(text, verdict)


@stated(
    "six-times",
    "5.1",
    "Round-robin searches six times more slowly than antibody/antigen",
    "six times the games a generation",
)
def _six_times(evidence: Evidence) -> Finding:
    games = evidence.facts.games_a_generation
    ratio = games[LEAGUE] / games[ANTIBODIES]
    return Finding(f"{ratio:.2f} times the games a generation", equal((round(ratio, 2), 6.0)))
