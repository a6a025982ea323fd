"""Random antigens, each met by random antibodies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import GAMMA, below, generator, mix, stream_key
from tournaments.schedules.base import Groups, Schedule


@dataclass(frozen=True)
class Antibodies(Schedule):
    """Matches of random antigens against random antibodies. Entrant a is the antibody.

    The antigens are distinct, and so are the antibodies of one antigen. No antigen meets itself.
    The matches of an antigen follow one another. The antibodies of an antigen depend only on the
    seed, the generation and the position of the antigen among the antigens.

    Attributes:
        individuals: N, the size of the antibodies' population.
        antigens: number of antigens, up to N, or up to ``hosts``.
        antibodies: antibodies per antigen, up to N - 1, or up to N if ``hosts`` is given.
        seed, generation: the seed and the generation of the run.
        hosts: size of the antigens' population if it is another one. Entrant b is then a row of
            that population. None: antigens and antibodies belong to the same population.
        name: name of the antibodies' population if there are several. Each name has its own random
            stream.
    """

    individuals: int
    antigens: int
    antibodies: int
    seed: int
    generation: int = 0
    hosts: int | None = None
    name: str = ""

    @property
    def groups(self) -> Groups:
        return ((0, 0 if self.hosts is None else 1),)

    def __len__(self) -> int:
        return self.antigens * self.antibodies

    @cached_property
    def drawn(self) -> np.ndarray:
        """The individuals drawn as antigens, int32 ``[antigens]``, in order of their matches."""
        rng = generator(self.seed, f"antigens{self.name}", self.generation)
        hosts = self.individuals if self.hosts is None else self.hosts
        return rng.permutation(hosts)[: self.antigens].astype(np.int32)

    def pairs(self, first: int, last: int) -> np.ndarray:
        pairs = np.empty((last - first, 2), dtype=np.int32)
        order = np.arange(self.individuals, dtype=np.int32)
        swapped = np.empty(self.antibodies, dtype=np.int32)
        key = stream_key(self.seed, f"antibodies{self.name}", self.generation)
        draws = Draws(np.uint64(key[0]), np.zeros(1, dtype=np.uint64), self.hosts is None)
        drawn = np.array(self.drawn)  # a writable copy: Ray passes read-only arrays
        build(draw_antibodies)(draws, drawn, order, swapped, first, pairs)
        return pairs


class Draws(NamedTuple):
    """The random streams for drawing antibodies, and whether an antigen is left out.

    Attributes:
        base: the base of the streams of all antigens.
        stream: uint64 ``[1]``, a buffer for the stream of an antigen.
        left_out: whether the antigen belongs to the antibodies' population and must be left out.
    """

    base: np.uint64
    stream: np.ndarray
    left_out: bool


@kernel
def draw_antibodies(draws, drawn, order, swapped, first, pairs):
    """Fill ``pairs`` with matches of random antibodies against antigens, from place ``first`` on.

    The antibodies of an antigen are the head of a shuffle (Fisher and Yates) of the others.
    ``order`` holds 0..N-1. It is shuffled for each antigen and restored by undoing the swaps.

    Args:
        draws: the state for drawing.
        drawn: the antigens.
        order: the individuals.
        swapped: scratch space, one element per antibody of an antigen.
        first: the place of the first match in the schedule of :class:`Antibodies`.
        pairs: antibody and antigen of each match, int32 ``[m, 2]``.
    """
    stream = draws.stream
    antibodies = swapped.size
    others = order.size - 1 if draws.left_out else order.size
    last = first + pairs.shape[0]
    place = first - first % antibodies
    while place < last:
        number = place // antibodies
        antigen = drawn[number]
        stream[0] = mix(draws.base + GAMMA * np.uint64(number + 1))
        if draws.left_out:
            order[antigen] = others  # the last takes the antigen's place
        for index in range(antibodies):
            other = index + below(stream, others - index)
            antibody = order[other]
            order[other] = order[index]
            order[index] = antibody
            swapped[index] = other
            if first <= place < last:
                pairs[place - first, 0] = antibody
                pairs[place - first, 1] = antigen
            place += 1
        for index in range(antibodies - 1, -1, -1):
            other = swapped[index]
            antibody = order[index]
            order[index] = order[other]
            order[other] = antibody
        if draws.left_out:
            order[antigen] = antigen
