/* Karate in straight C, with random play and with a reader of the last two moves: the yardstick for
 * one core.
 *
 * Random numbers are drawn as the package draws them, and sums are taken in the same order, so each
 * game is the same, round for round. The reader is markov: order 2, counts from 1, beta 0.5.
 */
#include <stdint.h>
#include <string.h>

#define MOVES 4
#define ORDER 2
#define BETA 0.5
#define PRIOR 1.0
#define GAMMA 0x9e3779b97f4a7c15u
#define INLINE static inline __attribute__((always_inline))

enum kind { RANDOM, MARKOV };

static const int payoff[MOVES][MOVES] = {
    {10, 0, 0, 10}, {10, 10, 10, 0}, {5, 0, 0, 0}, {0, 5, 0, 0}};

INLINE uint64_t draw(uint64_t *stream) /* splitmix64 */
{
    uint64_t z = *stream += GAMMA;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

INLINE double power_of_e(double x)
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

typedef struct {
    double none[MOVES], one[MOVES][MOVES], two[MOVES][MOVES][MOVES]; /* the newest move comes last */
    int last, before, known;
} reader;

INLINE void begin(reader *me)
{
    memset(me, 0, sizeof *me);
}

INLINE void watch(reader *me, int move)
{
    me->none[move] += 1.0;
    if (me->known > 0)
        me->one[me->last][move] += 1.0;
    if (me->known > 1)
        me->two[me->before][me->last][move] += 1.0;
    me->before = me->last;
    me->last = move;
    me->known += me->known < ORDER;
}

INLINE int choose(const reader *me, uint64_t *stream)
{
    const double *counts = me->known == 0   ? me->none
                           : me->known == 1 ? me->one[me->last]
                                            : me->two[me->before][me->last];
    double chances[MOVES], worths[MOVES], total = 0.0, best = -1e300;
    for (int move = 0; move < MOVES; move++)
        total += chances[move] = counts[move] + PRIOR;
    for (int move = 0; move < MOVES; move++)
        chances[move] /= total;
    for (int own = 0; own < MOVES; own++) {
        double worth = 0.0;
        for (int other = 0; other < MOVES; other++)
            worth += chances[other] * payoff[own][other];
        worths[own] = worth;
        best = worth > best ? worth : best;
    }
    total = 0.0;
    for (int own = 0; own < MOVES; own++)
        total += worths[own] = power_of_e(BETA * (worths[own] - best));
    double left = (double)(draw(stream) >> 11) * 0x1p-53;
    int last = 0;
    for (int own = 0; own < MOVES; own++) {
        double chance = worths[own] / total;
        if (chance > 0.0) {
            last = own;
            if (left < chance)
                return own;
            left -= chance;
        }
    }
    return last;
}

INLINE void play(enum kind kind, const uint64_t *seeds, int64_t games, int rounds, int16_t *outcomes)
{
    reader readers[2];
    for (int64_t game = 0; game < games; game++) {
        uint64_t stream = seeds[game];
        stream = draw(&stream); /* of the match's first game */
        draw(&stream);          /* of the start */
        int scores[2] = {0, 0};
        if (kind == MARKOV)
            for (int seat = 0; seat < 2; seat++)
                begin(&readers[seat]);
        for (int round = 0; round < rounds; round++) {
            int moves[2];
            for (int seat = 0; seat < 2; seat++)
                moves[seat] = kind == MARKOV ? choose(&readers[seat], &stream)
                                             : (int)((draw(&stream) >> 32) * MOVES >> 32);
            for (int seat = 0; seat < 2; seat++) {
                scores[seat] += payoff[moves[seat]][moves[1 - seat]];
                if (kind == MARKOV)
                    watch(&readers[seat], moves[1 - seat]);
            }
        }
        outcomes[2 * game] = scores[0];
        outcomes[2 * game + 1] = scores[1];
    }
}

void play_random(const uint64_t *seeds, int64_t games, int rounds, int16_t *outcomes)
{
    play(RANDOM, seeds, games, rounds, outcomes);
}

void play_markov(const uint64_t *seeds, int64_t games, int rounds, int16_t *outcomes)
{
    play(MARKOV, seeds, games, rounds, outcomes);
}
