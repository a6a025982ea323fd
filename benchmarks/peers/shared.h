/* Random numbers and powers of e as the package draws and computes them: splitmix64 in a stream,
 * SipHash-2-4 between streams, a polynomial. */
#include <stdint.h>
#include <string.h>

#define GAMMA 0x9e3779b97f4a7c15u
#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

INLINE uint64_t draw(uint64_t *stream) { return mix(*stream += GAMMA); }

INLINE int below(uint64_t *stream, int n) { return (int)((draw(stream) >> 32) * (uint64_t)n >> 32); }

INLINE uint64_t rotated(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

INLINE void sip_round(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d)
{
    *a += *b, *c += *d;
    *b = rotated(*b, 13) ^ *a, *d = rotated(*d, 16) ^ *c;
    *a = rotated(*a, 32) + *d, *c += *b;
    *b = rotated(*b, 17) ^ *c, *d = rotated(*d, 21) ^ *a;
    *c = rotated(*c, 32);
}

/* The hash of a number below 2^56, a message of 7 bytes, under a key whose second word is 0. */
INLINE uint64_t one_way(uint64_t key, uint64_t number)
{
    uint64_t word = number ^ (uint64_t)7 << 56;
    uint64_t a = key ^ 0x736f6d6570736575u, b = 0x646f72616e646f6du;
    uint64_t c = key ^ 0x6c7967656e657261u, d = 0x7465646279746573u ^ word;
    sip_round(&a, &b, &c, &d), sip_round(&a, &b, &c, &d);
    a ^= word, c ^= 255;
    for (int round = 0; round < 4; round++)
        sip_round(&a, &b, &c, &d);
    return a ^ b ^ c ^ d;
}

enum purpose { OPENING = 2, CHANCE = 3 }; /* 0 and 1: the seats */

INLINE uint64_t derived(uint64_t match_seed, uint64_t game, uint64_t purpose)
{
    return one_way(match_seed, game << 8 | purpose);
}

INLINE double exponential(double x)
{
    x = x > 710.0 ? 710.0 : x;
    x = x < -746.0 ? -746.0 : x;
    double shifted = x * 1.4426950408889634 + (1.5 * 4503599627370496.0 + 2046.0);
    double n = shifted - (1.5 * 4503599627370496.0 + 2046.0);
    double r = (x - n * 0.6931471805601177) - n * -1.7239444525614835e-13;
    double s = r * r, s2 = s * s;
    double low = (1.0 / 2.0 + r * (1.0 / 6.0)) + s * (1.0 / 24.0 + r * (1.0 / 120.0));
    double middle = (1.0 / 720.0 + r * (1.0 / 5040.0)) + s * (1.0 / 40320.0 + r * (1.0 / 362880.0));
    double high = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) +
                  s * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0));
    double p = 1.0 + (r + s * ((low + s2 * middle) + (s2 * s2) * high));
    int64_t bits;
    memcpy(&bits, &shifted, 8);
    int64_t exponents = bits & 4095, half = exponents >> 1;
    int64_t first = half << 52, second = (exponents - half) << 52;
    double a, b;
    memcpy(&a, &first, 8);
    memcpy(&b, &second, 8);
    return p * a * b;
}
