/* Capture the flag in straight C, with random play and tracking teams: the yardstick for one core.
 *
 * Compiled for one maze: -DCELLS=230 -DDOTS=40 -DMOVES=3000; `set_up` hands the maze and
 * the numbers of a team over. Random numbers are drawn as the package draws them, and sums are taken
 * in the same order, so each game is the same, move for move. Nothing is hidden from anybody here:
 * teams look only at what they may see.
 */
#include <math.h>
#include <string.h>

#include "shared.h"

#define LEVELS 13
#define NOISE 6
#define SIGHT 5
#define LEAST 1e-300
#define CHEAPEST 0.05
#define ABROAD 1000.0
#define LIKELY 0.01
#define UNREACHED 1e300
#define EQUAL 1e-9

enum kind { RANDOM, TEAM };
enum number { ROLE, ROLE_2, GHOST, FADE, PACMAN, PACMAN_FADE, FRIEND, FRIEND_FADE, BEHIND, AHEAD,
              BETA, WHIM, NUMBERS };

static int16_t beside[CELLS][4], column[CELLS], row[CELLS], dot_at[CELLS], half[CELLS];
static int16_t steps[CELLS][CELLS], dot_cell[DOTS];
static int start_of[4];
static double numbers[NUMBERS];

void set_up(const int16_t *starts, const int16_t (*records)[8], const int16_t *distances,
            const double *weights)
{
    for (int agent = 0; agent < 4; agent++)
        start_of[agent] = starts[agent];
    for (int cell = 0; cell < CELLS; cell++) {
        memcpy(beside[cell], records[cell], sizeof beside[cell]);
        column[cell] = records[cell][4];
        row[cell] = records[cell][5];
        dot_at[cell] = records[cell][6];
        half[cell] = records[cell][7];
        if (dot_at[cell] >= 0)
            dot_cell[dot_at[cell]] = cell;
    }
    memcpy(steps, distances, sizeof steps);
    memcpy(numbers, weights, sizeof numbers);
}

/* --- the rules --- */

typedef struct {
    uint64_t chance;
    int mover, left, sent, over;
    int place[4], facing[4], heard[4][2], score[2];
    int8_t dots[DOTS];
} position;

INLINE int chance(position *at, int n) /* xorshift, mixed as MurmurHash3 does */
{
    uint64_t word = at->chance;
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    at->chance = word;
    uint32_t bits = (uint32_t)(word ^ word >> 32);
    bits = (bits ^ bits >> 16) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    bits ^= bits >> 16;
    return (int)((uint64_t)bits * (uint64_t)n >> 32);
}

INLINE int apart(int a, int b)
{
    int across = column[a] - column[b], down = row[a] - row[b];
    return (across < 0 ? -across : across) + (down < 0 ? -down : down);
}

INLINE int noise(int64_t *drawn) /* the next digit of a fraction of 30 bits */
{
    int64_t product = *drawn * LEVELS;
    *drawn = product & ((1 << 30) - 1);
    return (int)(product >> 30) - NOISE;
}

INLINE void listen(position *at)
{
    int64_t of_red = chance(at, 1 << 30), of_blue = chance(at, 1 << 30);
    for (int agent = 0; agent < 4; agent += 2)
        for (int enemy = 1; enemy < 4; enemy += 2) {
            int away = apart(at->place[agent], at->place[enemy]);
            at->heard[agent][enemy / 2] = away + noise(&of_red);
            at->heard[enemy][agent / 2] = away + noise(&of_blue);
        }
}

INLINE void send_home(position *at, int agent)
{
    at->place[agent] = start_of[agent];
    at->facing[agent] = 1 + 2 * (agent % 2);
    at->sent |= 1 << agent;
}

INLINE void begin(position *at, uint64_t seed)
{
    memset(at, 0, sizeof *at);
    memset(at->dots, 1, DOTS);
    at->chance = one_way(seed, CHANCE) | 1;
    at->left = MOVES;
    for (int agent = 0; agent < 4; agent++)
        send_home(at, agent);
    at->sent = 0;
    listen(at);
}

INLINE int legal(const position *at, int actions[5])
{
    const int16_t *around = beside[at->place[at->mover]];
    int count = 0;
    for (int way = 0; way < 4; way++) {
        actions[count] = way;
        count += around[way] >= 0;
    }
    actions[count] = 4;
    return count + 1;
}

INLINE void play(position *at, int action)
{
    int agent = at->mover, team = agent % 2;
    if (action < 4) {
        at->place[agent] = beside[at->place[agent]][action];
        at->facing[agent] = action;
    }
    int cell = at->place[agent], abroad = half[cell] != team, dot = dot_at[cell];
    if (abroad && dot >= 0) {
        at->score[team] += at->dots[dot];
        at->dots[dot] = 0;
    }
    at->sent = 0;
    for (int enemy = 1 - team; enemy < 4; enemy += 2)
        if (at->place[enemy] == cell)
            send_home(at, abroad ? agent : enemy);
    at->left--;
    at->mover = (agent + 1) % 4;
    at->over = at->score[team] == DOTS / 2 || at->left == 0;
    listen(at);
}

INLINE int is_seen(const position *at, int seat, int enemy)
{
    int cell = at->place[enemy];
    return apart(at->place[seat], cell) <= SIGHT || apart(at->place[seat + 2], cell) <= SIGHT;
}

/* --- the tracker --- */

typedef struct {
    int seat, eaten, estimate[2];
    double belief[2][CELLS], visits[2][CELLS];
    int8_t left[DOTS];
} memory;

static void predict(double *belief, const double *visits)
{
    double before[CELLS], beta = fabs(numbers[BETA]);
    memcpy(before, belief, sizeof before);
    memset(belief, 0, sizeof before);
    for (int cell = 0; cell < CELLS; cell++) {
        if (!(before[cell] > 0.0))
            continue;
        double least = visits[cell], shares[5], total = 0.0;
        for (int way = 0; way < 4; way++) {
            int other = beside[cell][way];
            if (other >= 0 && visits[other] < least)
                least = visits[other];
        }
        for (int way = 0; way < 5; way++) {
            int other = way == 4 ? cell : beside[cell][way];
            shares[way] = 0.0;
            if (other >= 0) {
                double surplus = beta * (visits[other] - least);
                shares[way] = surplus == 0.0 ? 1.0 : exponential(-surplus) + LEAST;
                total += shares[way];
            }
        }
        for (int way = 0; way < 5; way++)
            if (shares[way] > 0.0) {
                double share = before[cell] * (shares[way] / total);
                belief[way == 4 ? cell : beside[cell][way]] += share > LEAST ? share : LEAST;
            }
    }
}

static void put(double *belief, int cell)
{
    memset(belief, 0, CELLS * sizeof *belief);
    belief[cell] = 1.0;
}

/* Bayes' rule for an enemy whose cell is not known, by both own agents. */
static void weigh(const position *at, int seat, int slot, double *belief)
{
    double probability = 0.0;
    const int *place = at->place;
    int first = at->heard[seat][slot], second = at->heard[seat + 2][slot];
    int8_t possible[CELLS];
    for (int cell = 0; cell < CELLS; cell++) {
        int a = apart(place[seat], cell), b = apart(place[seat + 2], cell);
        int off = a - first, other = b - second;
        possible[cell] = (off <= NOISE) & (off >= -NOISE) & (other <= NOISE) & (other >= -NOISE)
                         & (a > SIGHT) & (b > SIGHT);
    }
    for (int cell = 0; cell < CELLS; cell++) {
        belief[cell] = possible[cell] ? belief[cell] : 0.0;
        probability += belief[cell];
    }
    double total = probability;
    if (probability == 0.0)
        for (int cell = 0; cell < CELLS; cell++) {
            belief[cell] = possible[cell];
            total += belief[cell];
        }
    for (int cell = 0; cell < CELLS; cell++)
        belief[cell] = total > 0.0 ? belief[cell] / total : 1.0 / CELLS;
}

static int most_likely(const double *belief)
{
    int best = -1;
    double share = 0.0;
    for (int cell = 0; cell < CELLS; cell++)
        if (belief[cell] > share) {
            best = cell;
            share = belief[cell];
        }
    return best;
}

static void sit_down(const position *at, int seat, memory *own)
{
    own->seat = seat;
    own->eaten = 0;
    memcpy(own->left, at->dots, DOTS);
    for (int slot = 0; slot < 2; slot++) {
        put(own->belief[slot], at->place[1 - seat + 2 * slot]);
        memcpy(own->visits[slot], own->belief[slot], sizeof own->belief[slot]);
        own->estimate[slot] = at->place[1 - seat + 2 * slot];
    }
}

static void watch(const position *at, memory *own)
{
    int seat = own->seat, mover = (at->mover + 3) % 4, lost = -1;
    if (at->score[1 - seat] != own->eaten) {
        own->eaten = at->score[1 - seat];
        for (int dot = 0; dot < DOTS; dot++) {
            if (half[dot_cell[dot]] == seat && own->left[dot] != at->dots[dot])
                lost = dot_cell[dot];
            own->left[dot] = at->dots[dot];
        }
    }
    for (int slot = 0; slot < 2; slot++) {
        int enemy = 1 - seat + 2 * slot, sent = at->sent >> enemy & 1;
        double *belief = own->belief[slot], *visits = own->visits[slot];
        int cell = is_seen(at, seat, enemy) ? at->place[enemy] : -1;
        if (sent)
            cell = start_of[enemy];
        else if (cell < 0 && enemy == mover)
            cell = lost;
        if (cell >= 0)
            put(belief, cell);
        else {
            if (enemy == mover)
                predict(belief, visits);
            weigh(at, seat, slot, belief);
        }
        if (enemy == mover || sent)
            for (int other = 0; other < CELLS; other++)
                visits[other] += belief[other];
        own->estimate[slot] = most_likely(belief);
    }
}

/* --- costs and ways --- */

static double cost[CELLS], fades[3][CELLS], reach[CELLS], keys[5 * CELLS];
static int heap[5 * CELLS], held;

INLINE void add_weight(int source, double weight, const double *fade)
{
    if (weight != 0.0)
        for (int cell = 0; cell < CELLS; cell++)
            cost[cell] += weight * fade[steps[source][cell]];
}

static void fill_costs(const position *at, const memory *own, int agent, int attacks)
{
    int seat = agent % 2;
    for (int which = 0; which < 3; which++) {
        double share = exponential(-fabs(numbers[FADE + 2 * which])), left = 1.0;
        for (int away = 0; away < CELLS; away++) {
            fades[which][away] = left;
            left *= share;
        }
    }
    for (int cell = 0; cell < CELLS; cell++)
        cost[cell] = 1.0 + (!attacks && half[cell] != seat ? ABROAD : 0.0);
    for (int slot = 0; slot < 2; slot++)
        for (int cell = 0; cell < CELLS; cell++) {
            double share = own->belief[slot][cell];
            if (share >= LIKELY) {
                int home = half[cell] == seat;
                add_weight(cell, (home ? -numbers[PACMAN] : numbers[GHOST]) * share, fades[home]);
            }
        }
    add_weight(at->place[(agent + 2) % 4], numbers[FRIEND], fades[2]);
}

static void push(int cell, double key)
{
    int place = held++;
    while (place > 0 && keys[(place - 1) / 2] > key) {
        keys[place] = keys[(place - 1) / 2];
        heap[place] = heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    keys[place] = key;
    heap[place] = cell;
}

static void pop(void)
{
    int last = --held, cell = heap[last], place = 0;
    double key = keys[last];
    while (2 * place + 1 < last) {
        int child = 2 * place + 1;
        child += child + 1 < last && keys[child + 1] < keys[child];
        if (keys[child] >= key)
            break;
        keys[place] = keys[child];
        heap[place] = heap[child];
        place = child;
    }
    keys[place] = key;
    heap[place] = cell;
}

static void aim(int cell)
{
    reach[cell] = 0.0;
    push(cell, 0.0);
}

static void settle(int goal, int behind, int ahead, double extra)
{
    while (held > 0) {
        int cell = heap[0];
        double key = keys[0];
        pop();
        if (cell == goal)
            return;
        if (key > reach[cell])
            continue;
        for (int way = 0; way < 4; way++) {
            int other = beside[cell][way];
            if (other < 0)
                continue;
            double total = key + cost[cell];
            if (other == behind && cell == ahead)
                total += extra;
            if (total < reach[other]) {
                reach[other] = total;
                push(other, total);
            }
        }
    }
}

/* --- the choice --- */

static void chase(int cell, int behind)
{
    for (int other = 0; other < CELLS; other++) {
        int away = steps[cell][other];
        if (steps[behind][other] < away)
            cost[other] += numbers[BEHIND] * fades[1][away];
        else
            cost[other] -= numbers[AHEAD] * fades[1][away];
    }
}

/* Aim at what a defender makes for; the slot of the enemy. */
static int aim_at_enemy(const memory *own, int seat, int here)
{
    int slot = -1, least = 0, best = -1;
    for (int each = 0; each < 2; each++) {
        int cell = own->estimate[each], away = steps[here][cell];
        away += half[cell] != seat ? CELLS : 0;
        if (slot < 0 || away < least) {
            slot = each;
            least = away;
        }
    }
    int cell = own->estimate[slot];
    if (half[cell] == seat)
        aim(cell);
    else {
        for (int other = 0; other < CELLS; other++)
            if (half[other] == seat && (best < 0 || steps[cell][other] < steps[cell][best]))
                best = other;
        aim(best);
    }
    return slot;
}

static int step_of_team(const position *at, const memory *own, uint64_t *stream)
{
    int agent = at->mover, seat = agent % 2, here = at->place[agent], behind = -1, ahead = -1;
    int attacks = numbers[ROLE + agent / 2] > 0.0, ways[5];
    double whim = fabs(numbers[WHIM]) / 100.0, extra = numbers[BEHIND] > 0 ? numbers[BEHIND] : 0.0;
    whim = whim < 1.0 ? whim : 1.0;
    if (whim > 0.0 && below(stream, 1000000) < whim * 1000000) {
        int count = legal(at, ways);
        return ways[below(stream, count)];
    }
    fill_costs(at, own, agent, attacks);
    held = 0;
    for (int cell = 0; cell < CELLS; cell++)
        reach[cell] = UNREACHED;
    if (attacks) {
        for (int dot = 0; dot < DOTS; dot++)
            if (at->dots[dot] && half[dot_cell[dot]] != seat)
                aim(dot_cell[dot]);
    } else {
        int enemy = 1 - seat + 2 * aim_at_enemy(own, seat, here), cell = at->place[enemy];
        if (half[cell] == seat && is_seen(at, seat, enemy)) {
            behind = beside[cell][(at->facing[enemy] + 2) % 4];
            ahead = cell;
        }
        if (behind >= 0)
            chase(ahead, behind);
    }
    for (int cell = 0; cell < CELLS; cell++)
        cost[cell] = cost[cell] > CHEAPEST ? cost[cell] : CHEAPEST;
    settle(here, behind, ahead, extra);
    if (reach[here] == 0.0)
        return 4;
    double worth[4], least = INFINITY;
    for (int way = 0; way < 4; way++) {
        int cell = beside[here][way];
        worth[way] = cell < 0 ? INFINITY : reach[cell] + cost[cell];
        worth[way] += here == behind && cell == ahead ? extra : 0.0;
        least = worth[way] < least ? worth[way] : least;
    }
    int count = 0;
    for (int way = 0; way < 4; way++) {
        ways[count] = way;
        count += worth[way] <= least + EQUAL;
    }
    return ways[below(stream, count)];
}

/* --- games --- */

/* One game; outcome: score of each seat, plies, nothing. */
INLINE void play_game(enum kind kind, uint64_t seed, int16_t *outcome)
{
    static memory teams[2];
    uint64_t streams[2] = {derived(seed, 0, 0), derived(seed, 0, 1)};
    position at;
    int plies = 0, ways[5];
    begin(&at, derived(seed, 0, OPENING));
    if (kind == TEAM)
        for (int seat = 0; seat < 2; seat++)
            sit_down(&at, seat, &teams[seat]);
    while (!at.over) {
        if (kind == TEAM)
            play(&at, step_of_team(&at, &teams[at.mover % 2], &streams[at.mover % 2]));
        else {
            int count = legal(&at, ways);
            play(&at, ways[below(&streams[at.mover % 2], count)]);
        }
        plies++;
        if (kind == TEAM && !at.over)
            for (int seat = 0; seat < 2; seat++)
                watch(&at, &teams[seat]);
    }
    outcome[0] = at.score[0];
    outcome[1] = at.score[1];
    outcome[2] = plies;
    outcome[3] = 0;
}

#define JOB(name, kind)                                                                           \
    void name(const uint64_t *seeds, int64_t games, int16_t (*outcomes)[4])                        \
    {                                                                                             \
        for (int64_t game = 0; game < games; game++)                                              \
            play_game(kind, seeds[game], outcomes[game]);                                         \
    }

JOB(play_random, RANDOM)
JOB(play_team, TEAM)
