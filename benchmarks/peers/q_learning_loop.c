/* Q-learning of fox and hounds in straight C, 8x8 squares, the easier rule, both sides learn: the
 * yardstick for one core. Random numbers are drawn and positions numbered as the package does it, so
 * each value comes out the same. Compile with -ffp-contract=off. No state is shared.
 */
#include <math.h>

#include "shared.h"

#define NOBODY (-1)

enum { FOX, HOUNDS };

typedef struct {
    float *values[2];
    int64_t last[2], visited[2];
    double epsilon, eta, gamma;
    uint64_t streams[2];
    int fox, hounds[4];
} play;

static const int columns[2] = {4, 8};
static int8_t beside[32][4]; /* down-left, down-right, up-left, up-right; -1 beyond the board */
static int32_t ways[4][32];

__attribute__((constructor)) static void fill_tables(void)
{
    for (int square = 0; square < 32; square++) {
        int row = square / 4, left = square % 4 - 1 + row % 2;
        for (int way = 0; way < 4; way++) {
            int y = row + (way < 2 ? -1 : 1), x = left + way % 2;
            beside[square][way] = y >= 0 && y < 8 && x >= 0 && x < 4 ? y * 4 + x : NOBODY;
        }
        ways[0][square] = square;
    }
    for (int hound = 1; hound < 4; hound++)
        for (int square = 1; square < 32; square++)
            ways[hound][square] = ways[hound][square - 1] + ways[hound - 1][square - 1];
}

INLINE int is_free(const play *p, int square)
{
    return square >= 0 && square != p->fox && square != p->hounds[0] && square != p->hounds[1] &&
           square != p->hounds[2] && square != p->hounds[3];
}

INLINE int legal(const play *p, int seat, int8_t *actions)
{
    int count = 0;
    if (p->fox < 0) {
        for (int square = 0; square < 4; square++)
            actions[count++] = 12 + square;
    } else if (seat == FOX) {
        for (int way = 0; way < 4; way++) {
            actions[count] = way;
            count += is_free(p, beside[p->fox][way]);
        }
    } else {
        for (int step = 0; step < 8; step++) {
            actions[count] = 4 + step;
            count += is_free(p, beside[p->hounds[step / 2]][step % 2]);
        }
    }
    return count;
}

INLINE int64_t number(const play *p)
{
    if (p->fox < 0)
        return 35960 * 16;
    int64_t rank = ways[0][p->hounds[0]] + ways[1][p->hounds[1]] + ways[2][p->hounds[2]] +
                   ways[3][p->hounds[3]];
    return rank * 16 + p->fox / 8 * 4 + p->fox % 4;
}

INLINE void improve(play *p, int seat, double target)
{
    float *value = &p->values[seat][p->last[seat]];
    double before = isnan(*value) ? 0.0 : *value;
    *value = (float)(before + p->eta * (target - before));
}

/* Judge the last action by the best one here, and choose another. */
INLINE int learn(play *p, int seat)
{
    int8_t actions[8];
    int count = legal(p, seat, actions), ties = 0, tried = 0, column;
    int64_t place = number(p) * columns[seat];
    const float *row = p->values[seat] + place;
    double best = -INFINITY, values[8];
    for (int k = 0; k < count; k++) {
        int is_new = isnan(row[k]);
        tried |= !is_new;
        values[k] = is_new ? 0.0 : row[k];
        if (values[k] > best) {
            best = values[k];
            ties = 0;
        }
        ties += values[k] == best;
    }
    if ((draw(&p->streams[seat]) >> 11) * 0x1p-53 < p->epsilon) {
        column = below(&p->streams[seat], count);
    } else {
        int nth = below(&p->streams[seat], ties);
        for (column = -1; nth >= 0;)
            nth -= values[++column] == best;
    }
    p->visited[seat] += !tried;
    if (p->last[seat] >= 0)
        improve(p, seat, 0.0 + p->gamma * best);
    p->last[seat] = place + column;
    return actions[column];
}

/* Who has won by this step, or NOBODY. */
INLINE int step(play *p, int seat, int action)
{
    int8_t actions[8];
    if (seat == FOX) {
        p->fox = beside[p->fox][action];
    } else {
        int place = (action - 4) / 2, square = beside[p->hounds[place]][action % 2];
        while (place > 0 && p->hounds[place - 1] > square) {
            p->hounds[place] = p->hounds[place - 1];
            place--;
        }
        p->hounds[place] = square;
    }
    if (p->fox / 4 >= p->hounds[3] / 4)
        return FOX;
    return legal(p, 1 - seat, actions) ? NOBODY : seat;
}

/* counts: turns, games, games won by the fox and by the hounds, positions seen by each. */
void q_learn(float *fox, float *hounds, double epsilon, double eta, double gamma, uint64_t seed,
             int64_t turns, int64_t *counts)
{
    play p = {.values = {fox, hounds}, .epsilon = epsilon, .eta = eta, .gamma = gamma};
    while (counts[0] < turns) {
        for (int seat = FOX; seat <= HOUNDS; seat++)
            p.streams[seat] = derived(seed, (uint64_t)counts[1], (uint64_t)seat);
        p.fox = NOBODY;
        p.last[FOX] = p.last[HOUNDS] = -1;
        for (int hound = 0; hound < 4; hound++)
            p.hounds[hound] = 28 + hound;
        p.fox = learn(&p, FOX) - 12;
        counts[0]++;
        int winner = NOBODY;
        for (int seat = FOX; winner == NOBODY; seat = 1 - seat) {
            winner = step(&p, seat, learn(&p, seat));
            counts[0]++;
        }
        for (int seat = FOX; seat <= HOUNDS; seat++)
            if (p.last[seat] >= 0)
                improve(&p, seat, winner == seat ? 1.0 : -1.0);
        counts[1]++;
        counts[2 + winner]++;
    }
    counts[4] += p.visited[FOX];
    counts[5] += p.visited[HOUNDS];
}
