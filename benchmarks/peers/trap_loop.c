/* The cat trap in straight C, with random play and a planning cat: the yardstick for one core.
 *
 * Compiled for one board: -DSIZE=7 -DLEAST=3 -DMOST=6 (blocks that are drawn at the start). Random
 * numbers are drawn as the package draws them, and sums are taken in the same order, so each game is
 * the same, move for move. The planner looks one round ahead at all blocks, by pseudo-reward 4,
 * gamma 0.9, epsilon 0.001, and takes the board for unchanged after that.
 */
#include <math.h>
#include <string.h>

#include "shared.h"

#define TILES (SIZE * SIZE)
#define HALF (SIZE / 2)
#define DISCOUNT 0.9
#define ENDS 100.0
#define EQUAL 1e-9

enum kind { RANDOM, PLANNER };

static int16_t beside[TILES][6]; /* -1 beyond the rim */
static int16_t rim[TILES];       /* steps to the rim */
static double free_worth[HALF + 1], place_worth[HALF + 1];

__attribute__((constructor)) static void fill(void)
{
    static const int down[6] = {0, 0, -1, -1, 1, 1}, across[6] = {1, -1, 0, -1, 0, -1};
    for (int tile = 0; tile < TILES; tile++) {
        int x = tile % SIZE, y = tile / SIZE, last = SIZE - 1;
        for (int way = 0; way < 6; way++) {
            int a = x + across[way] + (way > 1 ? y % 2 : 0), b = y + down[way];
            beside[tile][way] = a >= 0 && a < SIZE && b >= 0 && b < SIZE ? b * SIZE + a : -1;
        }
        int side = x < last - x ? x : last - x, end = y < last - y ? y : last - y;
        rim[tile] = side < end ? side : end;
    }
    for (int steps = 0; steps <= HALF; steps++) {
        double near = 1.0 - (double)steps / HALF, share = 1.0 - (double)steps / (HALF + 1);
        free_worth[steps] = (1.0 - share) / 6;
        place_worth[steps] = share * near;
    }
}

typedef struct {
    int cat;
    int8_t blocked[TILES];
} position;

INLINE int ways_out(const position *at)
{
    int count = 0;
    for (int way = 0; way < 6; way++)
        count += !at->blocked[beside[at->cat][way]];
    return count;
}

INLINE void begin(position *at, uint64_t stream)
{
    at->cat = TILES / 2;
    memset(at->blocked, 0, TILES);
    int left = LEAST + below(&stream, MOST - LEAST + 1);
    while (left > 0) {
        int tile = below(&stream, TILES);
        if (tile == at->cat || at->blocked[tile])
            continue;
        at->blocked[tile] = 1;
        if (ways_out(at) == 0)
            at->blocked[tile] = 0;
        else
            left--;
    }
}

/* --- the planner --- */

static double reward(const position *at, int tile)
{
    int count = 0;
    if (rim[tile] == 0)
        return ENDS;
    for (int way = 0; way < 6; way++)
        count += !at->blocked[beside[tile][way]];
    return count ? free_worth[rim[tile]] * count + place_worth[rim[tile]] : -ENDS;
}

static double settled(const position *at, int cat)
{
    int tiles[TILES], number[TILES], links[TILES][6], degree[TILES], filled = 1;
    double gain[TILES], utility[TILES], value[TILES], change;
    for (int tile = 0; tile < TILES; tile++)
        number[tile] = -1;
    tiles[0] = cat;
    number[cat] = 0;
    for (int taken = 0; taken < filled; taken++) {
        int tile = tiles[taken];
        gain[taken] = value[taken] = reward(at, tile);
        utility[taken] = 0.0;
        degree[taken] = 0;
        for (int way = 0; rim[tile] > 0 && way < 6; way++) {
            int other = beside[tile][way];
            if (at->blocked[other])
                continue;
            if (number[other] < 0) {
                tiles[filled] = other;
                number[other] = filled++;
            }
            links[taken][degree[taken]++] = number[other];
        }
    }
    do {
        change = 0.0;
        for (int i = 0; i < filled; i++) {
            if (!degree[i])
                continue;
            double best = -1e300;
            for (int place = 0; place < degree[i]; place++)
                best = value[links[i][place]] > best ? value[links[i][place]] : best;
            double moved = fabs(best - utility[i]);
            change = moved > change ? moved : change;
            utility[i] = best;
        }
        for (int i = 0; i < filled; i++)
            if (degree[i])
                value[i] = gain[i] + DISCOUNT * utility[i];
    } while (change >= 0.001 * (1.0 - DISCOUNT) / DISCOUNT);
    return utility[0];
}

INLINE void add_block(position *at, int step, int tile, double *total, int *count)
{
    at->blocked[tile] = 1;
    double gain = reward(at, step), later = gain == -ENDS ? 0.0 : settled(at, step);
    at->blocked[tile] = 0;
    *total += gain + DISCOUNT * later;
    ++*count;
}

INLINE int is_beside(int one, int other)
{
    int found = 0;
    for (int way = 0; way < 6; way++)
        found |= beside[one][way] == other;
    return found;
}

/* The blocks beside the cat count first, as they leave it less, then all others. */
INLINE double worth_of_step(position *at, int step)
{
    if (rim[step] == 0)
        return ENDS;
    double total = 0.0;
    int count = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int tile = 0; tile < TILES; tile++)
            if (!at->blocked[tile] && tile != step && is_beside(step, tile) == (turn == 0))
                add_block(at, step, tile, &total, &count);
    return total / count;
}

INLINE int step_by_plan(position *at, uint64_t *stream)
{
    double worth[6], best = -1e300;
    int steps[6], count = 0, ties = 0, equal[6];
    for (int way = 0; way < 6; way++) {
        int tile = beside[at->cat][way];
        if (at->blocked[tile])
            continue;
        worth[count] = worth_of_step(at, tile);
        best = worth[count] > best ? worth[count] : best;
        steps[count++] = tile;
    }
    for (int place = 0; place < count; place++)
        if (worth[place] > best - EQUAL)
            equal[ties++] = steps[place];
    return equal[below(stream, ties)];
}

/* --- games --- */

INLINE int step_at_random(const position *at, uint64_t *stream)
{
    int tiles[6], count = 0;
    for (int way = 0; way < 6; way++) {
        tiles[count] = beside[at->cat][way];
        count += !at->blocked[tiles[count]];
    }
    return tiles[below(stream, count)];
}

INLINE int block_at_random(const position *at, uint64_t *stream)
{
    int tiles[TILES], count = 0;
    for (int tile = 0; tile < TILES; tile++) {
        tiles[count] = tile;
        count += !at->blocked[tile] && tile != at->cat;
    }
    return tiles[below(stream, count)];
}

/* One game; outcome: score of each seat, plies, distance. */
INLINE void play_game(enum kind cat, uint64_t seed, int16_t *outcome)
{
    uint64_t of_cat = derived(seed, 0, 0), of_blocker = derived(seed, 0, 1);
    position at;
    int plies = 0;
    begin(&at, derived(seed, 0, OPENING));
    for (;;) {
        at.blocked[block_at_random(&at, &of_blocker)] = 1;
        plies++;
        if (ways_out(&at) == 0)
            break;
        at.cat = cat == RANDOM ? step_at_random(&at, &of_cat) : step_by_plan(&at, &of_cat);
        plies++;
        if (rim[at.cat] == 0)
            break;
    }
    outcome[0] = rim[at.cat] == 0;
    outcome[1] = rim[at.cat] != 0;
    outcome[2] = plies;
    outcome[3] = rim[at.cat];
}

#define JOB(name, cat)                                                                            \
    void name(const uint64_t *seeds, int64_t games, int16_t (*outcomes)[4])                        \
    {                                                                                             \
        for (int64_t game = 0; game < games; game++)                                              \
            play_game(cat, seeds[game], outcomes[game]);                                          \
    }

JOB(play_random, RANDOM)
JOB(play_planner, PLANNER)
