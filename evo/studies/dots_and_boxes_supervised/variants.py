"""What is different in the variants that explain figure 5, one thing at a time.

Section 5.2 of the source says that fewer and more positions, and other learning rates, came to much
the same, and gives as the likely cause that the errors of the many outputs that should be zero
dominate those of the lone positive one. Section 3.7 says that positions at which no move completes
a box are of no benefit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from evo.studies.training.backpropagation import Examples, Rule
from evo.studies.training.curve import SAFE, with_quiet
from evo.studies.training.positions import Positions

EMPHASIS = 5.0
"""How much more a completing move counts: there are about five others beside it."""
LONGER = 5


class Different(NamedTuple):
    """One variant: its name, the training sets, the rule and the epochs."""

    name: str
    sets: list[Examples]
    rule: Rule
    epochs: int


class Sets(NamedTuple):
    """A quarter of the games, the usual, four times as many, and every position of the usual.

    ``quiet`` has what level 2 would play of the latter where no move completes a box.
    """

    fewer: Sequence[Positions]
    usual: Sequence[Positions]
    more: Sequence[Positions]
    every: Sequence[Positions]
    quiet: Sequence[Examples]


def variants(sets: Sets, rule: Rule, epochs: int) -> Iterator[Different]:
    """The study as it is, and with one thing different at a time."""
    usual, rate = _examples(sets.usual), rule.learning_rate
    heavy = _examples(sets.usual, emphasis=EMPHASIS)
    yield Different("as it is", usual, rule, epochs)
    yield Different("a quarter of the games", _examples(sets.fewer), rule, epochs)
    yield Different("four times the games", _examples(sets.more), rule, epochs)
    yield Different("no position left out", _examples(sets.every), rule, epochs)
    yield Different("learning rate / 10", usual, replace(rule, learning_rate=rate / 10), epochs)
    yield Different("learning rate x 10", usual, replace(rule, learning_rate=rate * 10), epochs)
    yield Different("momentum 0.9", usual, replace(rule, momentum=0.9), epochs)
    whole = replace(rule, batch=0, momentum=0.9, learning_rate=rate / 50)
    yield Different("a whole set at once, rate / 50, momentum 0.9", usual, whole, epochs)
    yield Different("two boxes ask for 2", _examples(sets.usual, most=2.0), rule, epochs)
    yield Different(f"completing moves count {EMPHASIS:g} times", heavy, rule, epochs)
    taught = [with_quiet(*both) for both in zip(usual, sets.quiet, strict=True)]
    yield Different(f"refusing third sides, {SAFE:g}", taught, rule, epochs)
    brisk = replace(rule, momentum=0.9)
    yield Different(f"refusing third sides, {SAFE:g}, momentum 0.9", taught, brisk, epochs)
    yield Different(f"{LONGER} times as long", usual, rule, LONGER * epochs)


def _examples(
    sets: Sequence[Positions], most: float = 1.0, emphasis: float = 1.0
) -> list[Examples]:
    return [positions.examples(most, emphasis) for positions in sets]
