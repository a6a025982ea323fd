"""Real numbers as genomes: float32, little-endian, four bytes a gene, within a limit."""

from __future__ import annotations

import numpy as np

from tournaments.errors import TournamentError

STORED = np.dtype("<f4")
"""How a number is written down, on every machine."""


def checked_rows(genomes: np.ndarray, width: int, what: str) -> np.ndarray:
    """Packed genomes, contiguous uint8 ``[N, width]``; messages say for what.

    Raises:
        TournamentError: rows of another length.
    """
    genomes = np.ascontiguousarray(genomes, dtype=np.uint8)
    if genomes.ndim != 2 or genomes.shape[1] != width:
        raise TournamentError(
            f"genomes of shape {genomes.shape} given; rows of {width} bytes are expected for {what}"
        )
    return genomes


class RealNumbers:
    """What encodings of real numbers have in common; each says how many genes there are.

    A packed genome is uint8 ``[4 G]``.

    Attributes:
        limit: the greatest gene, of either sign.
    """

    limit: float

    @property
    def num_genes(self) -> int:
        raise NotImplementedError

    @property
    def num_bytes(self) -> int:
        return STORED.itemsize * self.num_genes

    @property
    def most(self) -> float:
        """The greatest number within the limit that can be written down."""
        limit = np.float32(self.limit)
        within = float(limit) <= self.limit  # numpy would round the other side to float32 first
        return float(limit if within else np.nextafter(limit, np.float32(0.0)))

    def nearest(self, numbers: np.ndarray) -> np.ndarray:
        """Finite real numbers as the nearest ones that can be written down, float32."""
        return np.clip(numbers, -self.most, self.most).astype(np.float32)

    def encode(self, genes: np.ndarray) -> np.ndarray:
        """Genes, float32 ``[N, G]``, as packed genomes, uint8 ``[N, 4 G]``."""
        return np.ascontiguousarray(genes, dtype=STORED).view(np.uint8)

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Packed genomes, uint8 ``[N, 4 G]``, as genes, float32 ``[N, G]``.

        Raises:
            TournamentError: rows of another length, or numbers beyond the limit.
        """
        genes = checked_rows(genomes, self.num_bytes, str(self)).view(STORED).astype(np.float32)
        if not (np.abs(genes) <= self.most).all():  # nor does it hold of what is no number
            raise TournamentError(
                f"a genome has weights beyond +-{self.limit:g}, its limit, or no numbers at all"
            )
        return genes
