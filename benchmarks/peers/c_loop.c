/* Dots and boxes in straight C: the yardstick for one core.
 *
 * Compiled for one board and one kind of numbers: -DROWS=3 -DCOLUMNS=3 (boxes) -DREAL=double (or
 * float, which is a mark of what is left to gain: by rounding it plays other moves at times). Edges
 * are numbered horizontal first, row by row, then vertical. A network has one input an edge, one
 * hidden unit a box and one output an edge. Every move is evaluated whole, by plain loops that the
 * compiler may vectorise; nothing is kept between moves but the board. No state is shared: calls may
 * run side by side in threads. Arrays of networks are aligned to 64 bytes by the caller.
 */
#include <stdint.h>
#include <tgmath.h>

#define HORIZONTAL ((ROWS + 1) * COLUMNS)
#define EDGES (HORIZONTAL + ROWS * (COLUMNS + 1))
#define BOXES (ROWS * COLUMNS)
#define HIDDEN BOXES
#define LANES (64 / (int)sizeof(REAL))
#define PADDED(n) (((n) + LANES - 1) / LANES * LANES) /* whole 512-bit vectors */
#define INLINE static inline __attribute__((always_inline))

enum kind { RANDOM, LEVEL_1, LEVEL_2, NETWORK };

/* Weights with the nodes innermost, so that sums over inputs run side by side; padding is zero. */
typedef struct {
    _Alignas(64) REAL hidden_threshold[PADDED(HIDDEN)];
    REAL hidden[EDGES][PADDED(HIDDEN)];
    REAL output_threshold[PADDED(EDGES)];
    REAL output[HIDDEN][PADDED(EDGES)];
} network;

typedef struct {
    REAL drawn[EDGES];        /* the network's input: 1 a drawn edge, 0 an open one */
    int32_t sides[BOXES + 1]; /* sides drawn of each box; the last stands for the outside */
    int32_t open[EDGES];      /* the open edges in no order, for players that choose among them */
    int32_t place[EDGES];     /* where an edge is in that list */
    int32_t open_count;
} board;

static int32_t boxes_of[EDGES][2];

__attribute__((constructor)) static void fill_boxes_of(void)
{
    for (int r = 0; r <= ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            boxes_of[r * COLUMNS + c][0] = r > 0 ? (r - 1) * COLUMNS + c : BOXES;
            boxes_of[r * COLUMNS + c][1] = r < ROWS ? r * COLUMNS + c : BOXES;
        }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c <= COLUMNS; c++) {
            int edge = HORIZONTAL + r * (COLUMNS + 1) + c;
            boxes_of[edge][0] = c > 0 ? r * COLUMNS + c - 1 : BOXES;
            boxes_of[edge][1] = c < COLUMNS ? r * COLUMNS + c : BOXES;
        }
}

INLINE uint64_t draw(uint64_t *stream) /* splitmix64 */
{
    uint64_t z = *stream += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

INLINE int below(uint64_t *stream, int n)
{
    return (int)((unsigned __int128)draw(stream) * (uint64_t)n >> 64);
}

INLINE void start(board *b)
{
    for (int e = 0; e < EDGES; e++) {
        b->drawn[e] = 0;
        b->open[e] = b->place[e] = e;
    }
    for (int i = 0; i < BOXES; i++)
        b->sides[i] = 0;
    b->sides[BOXES] = 8; /* beyond 4, so that it is never completed */
    b->open_count = EDGES;
}

INLINE int play(board *b, int edge, int listed) /* boxes completed */
{
    b->drawn[edge] = 1;
    if (listed) {
        int last = b->open[--b->open_count];
        b->open[b->place[edge]] = last;
        b->place[last] = b->place[edge];
    }
    int completed = ++b->sides[boxes_of[edge][0]] == 4;
    return completed + (++b->sides[boxes_of[edge][1]] == 4);
}

INLINE int choose_random(const board *b, uint64_t *stream)
{
    return b->open[below(stream, b->open_count)];
}

INLINE int choose_level_1(const board *b, uint64_t *stream)
{
    int completing[EDGES], count = 0;
    for (int i = 0; i < b->open_count; i++) {
        int e = b->open[i];
        completing[count] = e;
        count += (b->sides[boxes_of[e][0]] == 3) | (b->sides[boxes_of[e][1]] == 3);
    }
    return count ? completing[below(stream, count)] : choose_random(b, stream);
}

INLINE int choose_level_2(const board *b, uint64_t *stream)
{
    int completing[EDGES], safe[EDGES], completing_count = 0, safe_count = 0;
    for (int i = 0; i < b->open_count; i++) {
        int e = b->open[i], one = b->sides[boxes_of[e][0]], other = b->sides[boxes_of[e][1]];
        completing[completing_count] = safe[safe_count] = e;
        completing_count += (one == 3) | (other == 3);
        safe_count += (one != 2) & (other != 2);
    }
    if (completing_count)
        return completing[below(stream, completing_count)];
    return safe_count ? safe[below(stream, safe_count)] : choose_random(b, stream);
}

/* Sigmoids end here. Beyond, the vector exponential calls the scalar one, number by number, and
 * where it is infinite, fast-math may divide by way of a reciprocal that gives no number. */
#define LIMIT (sizeof(REAL) == 8 ? 708 : 87)

INLINE REAL sigmoid(REAL x)
{
    x = x < -LIMIT ? -LIMIT : x > LIMIT ? LIMIT : x;
    return 1 / (1 + exp(-x));
}

INLINE void evaluate(const network *net, const REAL *inputs, REAL *outputs)
{
    _Alignas(64) REAL hidden[PADDED(HIDDEN)];
    for (int h = 0; h < PADDED(HIDDEN); h++)
        hidden[h] = -net->hidden_threshold[h];
    /* Unrolled whole, short loops are left scalar by GCC 12: it unrolls before it vectorises. */
    for (int e = 0; e < EDGES; e++)
#pragma GCC unroll 1
        for (int h = 0; h < PADDED(HIDDEN); h++)
            hidden[h] += inputs[e] * net->hidden[e][h];
#pragma GCC unroll 1
    for (int h = 0; h < PADDED(HIDDEN); h++)
        hidden[h] = sigmoid(hidden[h]);

    for (int e = 0; e < PADDED(EDGES); e++)
        outputs[e] = -net->output_threshold[e];
    for (int h = 0; h < HIDDEN; h++)
        for (int e = 0; e < PADDED(EDGES); e++)
            outputs[e] += hidden[h] * net->output[h][e];
    for (int e = 0; e < PADDED(EDGES); e++)
        outputs[e] = sigmoid(outputs[e]);
}

INLINE int choose_network(const network *net, const board *b, uint64_t *stream)
{
    _Alignas(64) REAL value[PADDED(EDGES)];
    REAL highest = -1;
    evaluate(net, b->drawn, value);
    for (int e = 0; e < EDGES; e++)
        value[e] = b->drawn[e] != 0 ? -1 : value[e];
    for (int e = 0; e < EDGES; e++)
        highest = value[e] > highest ? value[e] : highest;
    int count = 0;
    for (int e = 0; e < EDGES; e++)
        count += value[e] == highest;
    int skip = count > 1 ? below(stream, count) : 0;
    for (int e = 0; e < EDGES; e++)
        if (value[e] == highest && skip-- == 0)
            return e;
    __builtin_unreachable();
}

INLINE int choose(enum kind kind, const network *net, const board *b, uint64_t *stream)
{
    switch (kind) {
    case RANDOM: return choose_random(b, stream);
    case LEVEL_1: return choose_level_1(b, stream);
    case LEVEL_2: return choose_level_2(b, stream);
    default: return choose_network(net, b, stream);
    }
}

/* One game, for kinds that are constants: the first seat's boxes less the second's. */
INLINE int play_game(enum kind first, const network *first_net, enum kind second,
                     const network *second_net, uint64_t *stream)
{
    board b;
    int listed = first != NETWORK || second != NETWORK, lead = 0, seat = 0;
    start(&b);
    for (int moves = 0; moves < EDGES; moves++) {
        int edge = seat == 0 ? choose(first, first_net, &b, stream)
                             : choose(second, second_net, &b, stream);
        int completed = play(&b, edge, listed);
        lead += seat == 0 ? completed : -completed;
        seat ^= completed == 0;
    }
    return lead;
}

INLINE void count_result(int lead, int64_t *results)
{
    results[lead > 0 ? 0 : lead == 0 ? 1 : 2]++;
}

INLINE void play_pairs(enum kind a, enum kind b, const network *nets, int population,
                       int64_t matches, uint64_t *stream, int64_t *results)
{
    for (int64_t m = 0; m < matches; m++) {
        const network *one = nets + below(stream, population);
        const network *other = nets + below(stream, population);
        count_result(play_game(a, one, b, other, stream), results);
        count_result(-play_game(b, other, a, one, stream), results);
    }
}

int64_t network_bytes(void)
{
    return sizeof(network);
}

/* weights[population][(EDGES + 1) * HIDDEN + (HIDDEN + 1) * EDGES]: node by node, weights, then
 * threshold. */
void lay_out(const double *weights, int population, network *nets)
{
    for (network *net = nets; net < nets + population; net++) {
        *net = (network){0};
        for (int h = 0; h < HIDDEN; h++) {
            for (int e = 0; e < EDGES; e++)
                net->hidden[e][h] = *weights++;
            net->hidden_threshold[h] = *weights++;
        }
        for (int e = 0; e < EDGES; e++) {
            for (int h = 0; h < HIDDEN; h++)
                net->output[h][e] = *weights++;
            net->output_threshold[e] = *weights++;
        }
    }
}

/* Each plays matches of two games, seats swapped, between random pairs, and adds to results[3] the
 * wins, draws and losses of the kind named first. */
#define JOB(name, a, b)                                                                           \
    void name(const network *nets, int population, int64_t matches, uint64_t *stream,             \
              int64_t *results)                                                                   \
    {                                                                                             \
        play_pairs(a, b, nets, population, matches, stream, results);                             \
    }

JOB(play_random, RANDOM, RANDOM)
JOB(play_level_1_random, LEVEL_1, RANDOM)
JOB(play_level_1_network, LEVEL_1, NETWORK)
JOB(play_level_2_level_1, LEVEL_2, LEVEL_1)
JOB(play_level_2_network, LEVEL_2, NETWORK)
JOB(play_network, NETWORK, NETWORK)
