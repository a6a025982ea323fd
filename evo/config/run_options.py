"""What a run lets one choose, field by field; :mod:`evo.config.config` makes one validated thing
of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from tournaments.options import one_of, option, table

LARGEST_SEED = 2**63 - 1
AUTO = "auto"
"""Stands for the mutation that goes with the genomes."""
MEASURES = ("wins", "plies", "distance")
"""What counts first when climbers are compared, unless they are told otherwise."""


@dataclass(frozen=True)
class RunOptions:
    """The top level of a configuration."""

    generations: int = option(
        1200,
        "generations to evolve after the first, random one (number 0); 1200 are two million games "
        "of the default scheme",
        low=0,
    )
    population: int = option(
        100, "individuals in a generation, of each population", low=1, high=10_000_000
    )
    seed: int = option(
        1, "the result depends on it and on this configuration alone", 0, LARGEST_SEED
    )
    snapshot_interval: int = option(
        10, "generations from one snapshot to the next; first and last are always written", low=1
    )
    games: int = option(
        0,
        "games after which the run ends, with the first generation that reaches them; 0: it ends "
        "by generations alone; given without generations, it ends by games alone",
        low=0,
        high=LARGEST_SEED,
    )
    snapshot_games: int = option(
        0,
        "games from one snapshot to the next, in place of snapshot_interval, which becomes the "
        "number of generations nearest to that; 0: by snapshot_interval",
        low=0,
        high=LARGEST_SEED,
    )
    start: str = option(
        "",
        "a run, RUN or RUN@GENERATION, whose individuals are generation 0 in place of random ones; "
        "a strategy, or a climber, goes on from its champion",
    )


# --- genomes -----------------------------------------------------------------------------------


def _hidden() -> Any:
    return option(
        (),
        "nodes of each hidden layer, first to last, as in [18, 9]; []: one layer of the game's own "
        "number, in dots and boxes a node a box",
        low=1,
        high=1_000_000,
    )


@dataclass(frozen=True)
class GenomeOptions:
    """Networks: a direct encoding of weights as bits."""

    encoding: str = option("bit-network", "how an individual is written down")
    hidden: tuple[int, ...] = _hidden()
    bits: int = option(10, "bits a weight", low=1, high=16)
    low: float = option(-64.0, "the smallest weight")
    high: float = option(64.0, "the largest weight")


@dataclass(frozen=True)
class RealGenomeOptions:
    """Networks: weights as real numbers, float32."""

    encoding: str = option("real-network", "how an individual is written down")
    hidden: tuple[int, ...] = _hidden()
    initial: float = option(1.0, "standard deviation of the first, random weights", 1e-6, 1e6)
    limit: float = option(
        64.0, "the greatest weight, of either sign; what would pass it stays there", 1e-6, 1e6
    )
    symmetry: bool = option(
        False,
        "weights that turns and mirrors of the board lead into one another share a number, to "
        "which each adds one of its own",
    )
    own: float = option(0.1, "what a weight's own number is multiplied by then", 0.0, 1e3)


PAIRS = (
    "one population of pairs, a policy for each role in one genome, that meet in matches of two "
    "games, in place of one population a role"
)


@dataclass(frozen=True)
class PositionTableOptions:
    """Policy tables with a legal action for each placement of the pieces."""

    encoding: str = option("position-table", "how an individual is written down")
    pairs: bool = option(False, PAIRS)


@dataclass(frozen=True)
class WindowTableOptions:
    """Policy tables for boards of any size: what to do where both are close, and a far rule."""

    encoding: str = option("window-table", "how an individual is written down")
    pairs: bool = option(False, PAIRS)
    far: str = one_of(
        "larger-axis",
        "what is done where no window holds both: larger-axis and euclidean are greedy, table is a "
        "second evolved table",
        ("larger-axis", "euclidean", "table"),
    )


GENOMES: dict[str, type[Any]] = {
    "bit-network": GenomeOptions,
    "real-network": RealGenomeOptions,
    "position-table": PositionTableOptions,
    "window-table": WindowTableOptions,
}

# --- learners ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class LearnerOptions:
    """The genetic algorithm (Weaver and Bossomaier 1998, section 3.5).

    An operator is one of ours by name, or any function that DEAP's toolbox could hold, by dotted
    name: ``deap.tools.selRoulette``, ``deap.tools.cxBlend`` with ``crossover_options = { alpha =
    0.5 }``.
    """

    arranges_matches: ClassVar[bool] = False
    name: str = option("genetic", "the learner")
    selection: str = option(
        "proportional", "who reproduces: proportional, stochastic-universal, tournament, truncation"
    )
    selection_options: dict[str, Any] = table("arguments of the selection operator")
    crossover: str = option(
        "single-point", "how two parents are joined: single-point, two-point, uniform"
    )
    crossover_options: dict[str, Any] = table("arguments of the crossover operator")
    crossover_probability: float = option(0.6, "share of the pairs that are joined", 0.0, 1.0)
    mutation: str = option(
        AUTO,
        "how an individual is changed; auto: bit-flip for networks of bits, gaussian for real "
        "weights, reset for tables",
    )
    mutation_options: dict[str, Any] = table("arguments of the mutation operator")
    mutation_probability: float = option(
        0.00072, "probability that a gene changes; the study used 0.00072 and 0.005", 0.0, 1.0
    )
    elites: int = option(1, "best individuals that are reproduced unchanged", low=0)


@dataclass(frozen=True)
class HillClimbingOptions:
    """Hill climbing (Kennedy, "Using Optimization to Solve Adversarial Problems").

    Each side has an incumbent. A generation is a round: variants of the incumbent of the side that
    learns, and the incumbent itself, play the same games against the same opponents; the best is
    the incumbent from then on. The side learns until it wins all of them, then the other one does;
    first learns who loses when the first, random incumbents meet (generation 0).
    """

    arranges_matches: ClassVar[bool] = True
    name: str = option("hill-climbing", "the learner")
    candidates: int = option(10, "variants of the incumbent in a round", low=1, high=100_000)
    changes: int = option(1, "genes that a variant changes", low=1, high=1_000_000)
    changes_drawn: bool = option(
        False, "draw the number of changes of each variant, from 1 to that many"
    )
    measures: tuple[str, ...] = option(
        MEASURES,
        "what is better, the first that differs decides: wins, score (points, less the "
        "opponent's), plies (of games that seat 0 wins: fewer for it, more for seat 1), distance "
        "(the game's measure at the end: less for seat 0, more for seat 1)",
    )
    drift: bool = option(False, "take a variant that is as good as the incumbent, too")
    current: bool = option(True, "opponents: the incumbent of the other side")
    archive: int = option(
        0,
        "opponents: so many earlier incumbents of the other side, the newest of those with which "
        "its turns ended",
        low=0,
        high=100_000,
    )
    panel: tuple[str, ...] = option((), "opponents: these players")
    games: int = option(
        1, "games against each opponent (matches of two where seats are alike)", low=1, high=10**6
    )
    same_games: bool = option(False, "play the games of the first round again in every round")
    turn_after: int = option(
        0,
        "rounds without winning all games after which a side gives its turn up; the other then "
        "learns as long, though it wins all of its own; 0: it never does",
        low=0,
    )
    jump_after: int = option(
        0, "rounds without a gain after which a variant changes twice as many genes; 0: never", 0
    )
    most_changes: int = option(64, "as many as such jumps may lead to", low=1, high=1_000_000)
    stop_after: int = option(
        0, "rounds without a gain of any side after which the run ends; 0: never", low=0
    )


@dataclass(frozen=True)
class AnnealingOptions(HillClimbingOptions):
    """Simulated annealing: hill climbing that takes a worse variant with a probability.

    That is ``exp(-loss / temperature)``, where the loss is the relative one of the first measure
    that differs, 0 to 1. The temperature halves every so many rounds.
    """

    name: str = option("annealing", "the learner")
    drift: bool = option(True, "take a variant that is as good as the incumbent, too")
    temperature: float = option(0.1, "of the first round", low=0.0, high=1e6)
    half_life: float = option(1000.0, "rounds in which it halves", low=1e-3, high=1e12)


@dataclass(frozen=True)
class StrategyOptions:
    """An evolution strategy on real weights, by the package ``cmaes``.

    Row 0 of each population is the mean of a normal distribution, all other individuals are drawn
    from it. The fitness of these moves the mean and adapts the distribution.
    """

    arranges_matches: ClassVar[bool] = False
    name: str = option("evolution-strategy", "the learner")
    method: str = one_of(
        "sep-cma",
        "sep-cma adapts the width of each weight (Ros and Hansen 2008), cma all covariances "
        "(Hansen 2016), which takes seconds a generation for hundreds of weights",
        ("sep-cma", "cma"),
    )
    sigma: float = option(0.5, "standard deviation of a weight in generation 0", 1e-6, 1e6)
    mean: str = one_of(
        "zero", "the first mean: zero, or a random network (genome.initial)", ("zero", "random")
    )


@dataclass(frozen=True)
class GradientOptions:
    """An evolution strategy that follows an estimate of the gradient (Salimans et al. 2017).

    Row 0 of each population is the mean of a normal distribution; all other individuals are pairs
    at opposite sides of it. The mean goes along the sum of the differences of the pairs, weighted
    by the difference of their ranks, in steps that Adam (Kingma and Ba 2015) sizes for each weight.
    """

    arranges_matches: ClassVar[bool] = False
    name: str = option("openai-es", "the learner")
    sigma: float = option(0.5, "standard deviation of a weight", 1e-6, 1e6)
    step: float = option(0.1, "of a weight in a generation, about, at first", 1e-9, 1e6)
    step_half_life: float = option(
        0.0, "generations in which the step halves; 0: it stays as it is", low=0.0, high=1e12
    )
    momentum: float = option(0.9, "share of the mean gradient that is kept", 0.0, 0.999999)
    spread: float = option(0.999, "share of the mean squared gradient that is kept", 0.0, 0.999999)
    mean: str = one_of(
        "random", "the first mean: zero, or a random network (genome.initial)", ("zero", "random")
    )


LEARNERS: dict[str, type[Any]] = {
    "genetic": LearnerOptions,
    "evolution-strategy": StrategyOptions,
    "openai-es": GradientOptions,
    "hill-climbing": HillClimbingOptions,
    "annealing": AnnealingOptions,
}
