"""The exponential, the sigmoid and a scale, with the same bits on every processor.

Library exponentials differ between processors and versions, and a move may hang on the last bit.
These use IEEE float64 additions, multiplications and integer operations in a fixed order, and
nothing else. The exponential's error is below one unit in the last place over the whole range.
"""

from __future__ import annotations

import numpy as np

from tournaments.kernels.linker import kernel

LN_2 = 0.6931471805599453
LOG2_E = 1.4426950408889634
# ln 2 in two parts; the first has 41 bits, so its product with a 12-bit integer is exact.
LN2_HIGH = 0.6931471805601177
LN2_LOW = -1.7239444525614835e-13
# Adding 1.5 * 2^52 rounds to the nearest integer. The 2046 more makes its low bits the sum of the
# biased exponents of two powers of two: one power alone reaches neither 2^1024 nor subnormals.
ROUND = 1.5 * 2.0**52 + 2046.0
EXPONENTS = 4095
FIRST_EXPONENT_BIT = 52

C2, C3, C4, C5 = 1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0
C6, C7, C8, C9 = 1.0 / 720.0, 1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362880.0
C10, C11, C12, C13 = 1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0, 1.0 / 6227020800.0


@kernel
def exp(x):
    """Return e to the power of a float64: infinity above 709.78, 0.0 below -745.13.

    Reduction to |r| <= ln(2) / 2, then the Taylor polynomial of degree 13, whose truncation is
    4e-18, by Estrin's scheme, then a scaling in two steps.
    """
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    shifted = x * LOG2_E + ROUND
    n = shifted - ROUND
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    s = r * r
    s2 = s * s
    low = (C2 + r * C3) + s * (C4 + r * C5)
    middle = (C6 + r * C7) + s * (C8 + r * C9)
    high = (C10 + r * C11) + s * (C12 + r * C13)
    p = 1.0 + (r + s * ((low + s2 * middle) + (s2 * s2) * high))
    exponents = np.float64(shifted).view(np.int64) & EXPONENTS
    half = exponents >> 1
    first = np.int64(half << FIRST_EXPONENT_BIT).view(np.float64)
    second = np.int64((exponents - half) << FIRST_EXPONENT_BIT).view(np.float64)
    return p * first * second


@kernel
def sigmoid(x):
    """Return 1 / (1 + exp(-x)): exactly 1.0 from 36.74 up, exactly 0.0 from -709.79 down."""
    return 1.0 / (1.0 + exp(-x))


SQRT_2 = 1.4142135623730951


@kernel
def log(x):
    """Return the natural logarithm of a positive, normal and finite float64.

    x = m 2^k with m in [1 / sqrt 2, sqrt 2); ln m = 2 artanh((m - 1) / (m + 1)), by a series whose
    truncation is below 1e-17.
    """
    bits = np.float64(x).view(np.int64)
    power = (bits >> FIRST_EXPONENT_BIT) - 1023
    m = np.int64(bits - (power << FIRST_EXPONENT_BIT)).view(np.float64)
    if m >= SQRT_2:
        m = 0.5 * m
        power += 1
    t = (m - 1.0) / (m + 1.0)
    s = t * t
    total = 0.0
    for term in range(10, -1, -1):
        total = total * s + 1.0 / (2.0 * term + 1.0)
    return power * LN2_HIGH + (2.0 * t * total + power * LN2_LOW)


@kernel
def scaled(count, most):
    """Scale a count from 0 to ``most`` to a network's input: a whole number from 0 to 16."""
    return (32 * np.int64(count) + most) // (2 * np.int64(most))
