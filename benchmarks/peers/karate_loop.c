/* Karate in straight C, with random play and with a reader of the last two moves: the yardstick for
 * one core.
 *
 * Random numbers are drawn as the package draws them, and sums are taken in the same order, so each
 * game is the same, round for round. The reader is markov: order 2, counts from 1, beta 0.5.
 */
#include <string.h>

#include "shared.h"

#define MOVES 4
#define ORDER 2
#define BETA 0.5
#define PRIOR 1.0

enum kind { RANDOM, MARKOV };

static const int payoff[MOVES][MOVES] = {
    {10, 0, 0, 10}, {10, 10, 10, 0}, {5, 0, 0, 0}, {0, 5, 0, 0}};

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
        total += worths[own] = exponential(BETA * (worths[own] - best));
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
        uint64_t streams[2] = {derived(seeds[game], 0, 0), derived(seeds[game], 0, 1)};
        int scores[2] = {0, 0};
        if (kind == MARKOV)
            for (int seat = 0; seat < 2; seat++)
                begin(&readers[seat]);
        for (int round = 0; round < rounds; round++) {
            int moves[2];
            for (int seat = 0; seat < 2; seat++)
                moves[seat] = kind == MARKOV ? choose(&readers[seat], &streams[seat])
                                             : (int)((draw(&streams[seat]) >> 32) * MOVES >> 32);
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
