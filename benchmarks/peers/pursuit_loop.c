/* Cat and mouse in straight C, one cat and one mouse: the yardstick for one core.
 *
 * Compiled for one game: -DROWS=8 -DCOLUMNS=7 -DFIRST=0 (the cat; 1: the mouse) -DLIMIT=0 (the mouse
 * wins when a placement recurs; else turns of the cat). Cells are numbered row by row from the
 * bottom, actions right, left, up, down. Random numbers are drawn as the package draws them, so each
 * game is the same, move for move. No state is shared: calls may run side by side in threads.
 */
#include <string.h>

#include "shared.h"

#define CELLS (ROWS * COLUMNS)

enum kind { RANDOM, GREEDY, CAREFUL, OPTIMAL, TABLE, WINDOW };
enum seat { CAT, MOUSE };

/* What the players look up: a row of tables a player, and plies to the capture (cat's turn first). */
typedef struct {
    const int8_t *tables[2];
    int64_t genes[2];
    const int32_t (*plies)[CELLS][CELLS];
} knowledge;

static int16_t beside[CELLS][4]; /* -1 beyond the board */

__attribute__((constructor)) static void fill_beside(void)
{
    for (int cell = 0; cell < CELLS; cell++) {
        int x = cell % COLUMNS, y = cell / COLUMNS;
        beside[cell][0] = x + 1 < COLUMNS ? cell + 1 : -1;
        beside[cell][1] = x > 0 ? cell - 1 : -1;
        beside[cell][2] = y + 1 < ROWS ? cell + COLUMNS : -1;
        beside[cell][3] = y > 0 ? cell - COLUMNS : -1;
    }
}

INLINE int distance(int one, int other)
{
    int across = one % COLUMNS - other % COLUMNS, along = one / COLUMNS - other / COLUMNS;
    return (across < 0 ? -across : across) + (along < 0 ? -along : along);
}

/* Any of the steps that are worth most. */
INLINE int choose_by_worth(enum kind kind, enum seat seat, int cat, int mouse,
                           const knowledge *known, uint64_t *stream)
{
    int here = seat == CAT ? cat : mouse, other = seat == CAT ? mouse : cat;
    int best[4], count = 0, highest = INT32_MIN;
    for (int action = 0; action < 4; action++) {
        int there = beside[here][action], worth = 0;
        if (there < 0)
            continue;
        if (kind == GREEDY)
            worth = seat == CAT ? -distance(there, other) : distance(there, other);
        if (kind == CAREFUL && seat == MOUSE)
            worth = distance(there, other) > 1;
        if (kind == OPTIMAL)
            worth = seat == CAT ? -known->plies[1][there][mouse] : known->plies[0][cat][there];
        if (worth > highest) {
            highest = worth;
            count = 0;
        }
        best[count] = action;
        count += worth == highest;
    }
    return best[below(stream, count)];
}

INLINE int window_along(int cat, int mouse, int size, int *edge) /* where it begins */
{
    int begin = cat < mouse ? cat : mouse;
    begin = begin < size - 3 ? begin : size - 3;
    *edge = begin == 0 ? 1 : begin == size - 3 ? 2 : 0;
    return begin;
}

INLINE int choose_by_window(enum seat seat, int cat, int mouse, const int8_t *table)
{
    int cat_x = cat % COLUMNS, cat_y = cat / COLUMNS;
    int mouse_x = mouse % COLUMNS, mouse_y = mouse / COLUMNS;
    int across = mouse_x - cat_x, along = mouse_y - cat_y;
    if (across > -3 && across < 3 && along > -3 && along < 3) {
        int side, end;
        int left = window_along(cat_x, mouse_x, COLUMNS, &side);
        int bottom = window_along(cat_y, mouse_y, ROWS, &end);
        int gene = (cat_x - left) * 3 + cat_y - bottom;
        gene = (gene * 3 + mouse_x - left) * 3 + mouse_y - bottom;
        return table[(gene * 3 + side) * 3 + end];
    }
    int here = seat == CAT ? cat : mouse, x = seat == CAT ? mouse_x : cat_x;
    int y = seat == CAT ? mouse_y : cat_y, chosen = -1, highest = INT32_MIN;
    for (int number = 0; number < 4; number++) {
        int action = number ^ 2, there = beside[here][action]; /* of equal steps the vertical one */
        int dx = there % COLUMNS - x, dy = there / COLUMNS - y;
        int worth = seat == CAT ? -(dx * dx + dy * dy) : dx * dx + dy * dy;
        if (there >= 0 && worth > highest) {
            highest = worth;
            chosen = action;
        }
    }
    return chosen;
}

INLINE int choose_random(int here, uint64_t *stream)
{
    int actions[4], count = 0;
    for (int action = 0; action < 4; action++) {
        actions[count] = action;
        count += beside[here][action] >= 0;
    }
    return actions[below(stream, count)];
}

INLINE int choose(enum kind kind, enum seat seat, int cat, int mouse, const int8_t *table,
                  const knowledge *known, uint64_t *stream)
{
    switch (kind) {
    case RANDOM: return choose_random(seat == CAT ? cat : mouse, stream);
    case TABLE: return table[cat * CELLS + mouse];
    case WINDOW: return choose_by_window(seat, cat, mouse, table);
    default: return choose_by_worth(kind, seat, cat, mouse, known, stream);
    }
}

INLINE int seen_before(uint64_t *seen, int cat, int mouse)
{
    unsigned number = cat * CELLS + mouse;
    uint64_t mark = (uint64_t)1 << number % 64, before = seen[number / 64] & mark;
    seen[number / 64] |= mark;
    return before != 0;
}

/* One game, for kinds that are constants; outcome: score of each seat, plies, distance. */
INLINE void play_game(enum kind cat_kind, enum kind mouse_kind, const knowledge *known,
                      const int32_t *rows, uint64_t seed, int16_t *outcome)
{
    uint64_t streams[2] = {derived(seed, 0, CAT), derived(seed, 0, MOUSE)}, seen[CELLS * CELLS / 64 + 1];
    const int8_t *cat_table = known->tables[CAT] + rows[CAT] * known->genes[CAT];
    const int8_t *mouse_table = known->tables[MOUSE] + rows[MOUSE] * known->genes[MOUSE];
    int cat = 0, mouse = CELLS - 1, plies = 0, lost = 0;
    if (LIMIT == 0) {
        memset(seen, 0, sizeof seen);
        seen_before(seen, cat, mouse);
    }
    enum seat seat = FIRST;
    while (cat != mouse && !lost) {
        if (seat == CAT)
            cat = beside[cat][choose(cat_kind, CAT, cat, mouse, cat_table, known, &streams[CAT])];
        else
            mouse = beside[mouse][choose(mouse_kind, MOUSE, cat, mouse, mouse_table, known, &streams[MOUSE])];
        plies++;
        if (cat != mouse && LIMIT > 0)
            lost = seat == CAT && (plies + 1) / 2 == LIMIT;
        else if (cat != mouse && !(seat == CAT && plies == 1)) /* the cat's opening is not seen */
            lost = seen_before(seen, cat, mouse);
        seat = seat == CAT ? MOUSE : CAT;
    }
    outcome[0] = cat == mouse;
    outcome[1] = cat != mouse;
    outcome[2] = plies < INT16_MAX ? plies : INT16_MAX;
    outcome[3] = distance(cat, mouse);
}

/* Each plays a game for each pair of rows of the two sides' tables, and fills outcomes[games][4]. */
#define JOB(name, cat, mouse)                                                                     \
    void name(const knowledge *known, const int32_t (*rows)[2], const uint64_t *seeds,            \
              int64_t games, int16_t (*outcomes)[4])                                              \
    {                                                                                             \
        for (int64_t game = 0; game < games; game++)                                              \
            play_game(cat, mouse, known, rows[game], seeds[game], outcomes[game]);                \
    }

JOB(play_random_random, RANDOM, RANDOM)
JOB(play_random_table, RANDOM, TABLE)
JOB(play_table_table, TABLE, TABLE)
JOB(play_greedy_careful, GREEDY, CAREFUL)
JOB(play_optimal_random, OPTIMAL, RANDOM)
JOB(play_window_random, WINDOW, RANDOM)
