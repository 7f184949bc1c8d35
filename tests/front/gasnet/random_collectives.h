// Makes and starts the random calls of collectives_test.c: numbers, memory, teams and arguments.
// One random sequence decides what all ranks must agree on, another what a rank does in its own way
// (memory, order of waiting).
#ifndef GONDWANA_TESTS_GASNET_RANDOM_COLLECTIVES_H
#define GONDWANA_TESTS_GASNET_RANDOM_COLLECTIVES_H

#include <gasnet_coll.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_calls = 48, guard = 64, segment_size = 96 << 20, huge_element = 200000 };

static gex_Client_t client;
static gex_EP_t endpoint;
static gex_TM_t world;
static unsigned me;
static uint64_t seed = 1;
static int batch;
static char about[256];  // the call being checked

static void fail(const char* what, uint64_t at, uint64_t got, uint64_t expected) {
  fprintf(stderr,
          "rank %u, seed %" PRIu64 ", batch %d: %s: %s %" PRIu64 " is %" PRIu64
          ", expected %" PRIu64 "\n",
          me, seed, batch, about, what, at, got, expected);
  gasnet_exit(1);
}

static void expect(int condition, const char* what) {
  if (!condition) fail(what, 0, 0, 1);
}

// Random numbers, and hashes of three numbers.
static uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
static uint64_t common_state, own_state;
static uint64_t next(uint64_t* state) {
  return mixed(*state += 0x9e3779b97f4a7c15u);
}
static uint64_t common(uint64_t below) {
  return next(&common_state) % below;
}
static uint64_t own(uint64_t below) {
  return next(&own_state) % below;
}
static uint64_t word_of(uint64_t call, uint64_t rank, uint64_t at) {
  return mixed(mixed(mixed(call) + rank) + at);
}

// Memory in a segment or private, with guard bytes around it that no call may change.
static unsigned char* segment;
static size_t segment_used;
struct Block {
  unsigned char* base;
  unsigned char* data;
  size_t size;
  int is_private;
};
static struct Block allocate(size_t size) {
  struct Block block = {0, 0, size, 1};
  const size_t whole = (size + 2 * guard + 63) / 64 * 64;
  if (own(2) && segment_used + whole <= segment_size) {
    block.is_private = 0;
    block.base = segment + segment_used;
    segment_used += whole;
  } else {
    block.base = aligned_alloc(64, whole);
    expect(block.base != NULL, "memory left");
  }
  memset(block.base, 0xa5, whole);
  block.data = block.base + guard;
  return block;
}
static void release(struct Block block) {
  if (!block.base) return;
  for (size_t i = 0; i < guard; ++i)
    if (block.base[i] != 0xa5 || block.data[block.size + i] != 0xa5)
      fail("guard byte", i, block.data[block.size + i], 0xa5);
  if (block.is_private) free(block.base);
}

// Sizes in bytes: mostly small, around the limits between algorithms, sometimes long.
static size_t some_size(void) {
  static const size_t limits[] = {8, 96, 2048, 4096, 8192, 16384, 65536, 90112, 180224, 360448};
  switch (common(8)) {
    case 0:
    case 1:
    case 2:
      return common(300);
    case 3:
    case 4:
      return common(20000);
    case 5:
    case 6:
      return limits[common(10)] - 8 + common(17);
    default:
      return common(common(4) ? 300000 : 3000000);
  }
}

// Operations of the client. A pair (a, b) is x -> a x + b. Pairs are composed, so their order
// matters.
typedef struct {
  uint32_t a, b;
} Affine;
static void compose(const void* left, void* right_and_out, size_t count, const void* width) {
  const Affine* x = left;
  Affine* y = right_and_out;
  for (size_t i = 0; i < count * (*(const size_t*)width / sizeof(Affine)); ++i) {
    y[i].b = x[i].a * y[i].b + x[i].b;
    y[i].a *= x[i].a;
  }
}
static void add_bytes(const void* left, void* right_and_out, size_t count, const void* width) {
  for (size_t i = 0; i < count * *(const size_t*)width; ++i)
    ((unsigned char*)right_and_out)[i] += ((const unsigned char*)left)[i];
}

// Teams of a batch, the ranks of their members in the job, and this rank in them.
enum { teams = 5 };
static struct Team {
  gex_TM_t handle;
  unsigned size, rank;
  unsigned members[256];
} all_teams[teams];

static void fill_team(struct Team* team, gex_TM_t handle) {
  team->handle = handle;
  team->size = gex_TM_QuerySize(handle);
  team->rank = gex_TM_QueryRank(handle);
  snprintf(about, sizeof about, "a team of %u", team->size);
  expect(team->size <= sizeof team->members / sizeof team->members[0], "room for its members");
  for (unsigned i = 0; i < team->size; ++i)
    team->members[i] = gex_TM_TranslateRankToJobrank(handle, i);
}
static void make_teams(void) {
  gex_TM_t made;
  fill_team(&all_teams[0], world);
  gex_TM_Split(&made, world, (int)(me % 2), (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  fill_team(&all_teams[1], made);
  gex_TM_Split(&made, world, 0, -(int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  fill_team(&all_teams[2], made);
  gex_TM_Split(&made, world, (int)me, 0, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  fill_team(&all_teams[3], made);
  // Even ranks first: neighbors on a node are apart.
  gex_TM_Split(&made, world, 0, (int)(me % 2 * 1000 + me), NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  fill_team(&all_teams[4], made);
}
static void destroy_teams(void) {
  for (int i = 1; i < teams; ++i) gex_TM_Destroy(all_teams[i].handle, NULL, 0);
}

enum Kind { barrier, broadcast, reduce_one, reduce_all, scatter, gather, gather_all, exchange };
static const char* const kinds[] = {"barrier", "broadcast", "ReduceToOne", "ReduceToAll",
                                    "scatter", "gather",    "gather_all",  "exchange"};

static struct Call {
  enum Kind kind;
  uint64_t number;
  const struct Team* team;
  unsigned root;
  size_t count, width;  // elements, or bytes of a block
  gex_DT_t type;
  gex_OP_t operation;
  int in_place, flags;
  struct Block source, dest;
  gex_Event_t event;
} calls[most_calls];

static int is_root(const struct Call* call) {
  return call->team->rank == call->root;
}
static int has_source(const struct Call* call) {
  return call->kind != barrier &&
         ((call->kind != broadcast && call->kind != scatter) || is_root(call));
}
static int has_dest(const struct Call* call) {
  return call->kind != barrier &&
         ((call->kind != reduce_one && call->kind != gather) || is_root(call));
}
static size_t blocks_of_source(const struct Call* call) {
  return call->kind == scatter || call->kind == exchange ? call->team->size : 1;
}
static size_t blocks_of_dest(const struct Call* call) {
  return call->kind == gather || call->kind == gather_all || call->kind == exchange
             ? call->team->size
             : 1;
}
static size_t bytes(const struct Call* call) {
  return call->count * call->width;
}

// Element `at` of the contribution of a member.
static void put_element(const struct Call* call, unsigned member, size_t at, void* place) {
  const uint64_t word = word_of(call->number, member, at);
  const double number = 0.5 + (double)(word >> 40) / (1 << 24);
  const float short_number = (float)number;
  if (call->type == GEX_DT_FLT)
    memcpy(place, &short_number, 4);
  else if (call->type == GEX_DT_DBL)
    memcpy(place, &number, 8);
  else
    for (size_t i = 0; i < call->width; i += 8) {
      const uint64_t part = i == 0 ? word : mixed(word + i);
      memcpy((char*)place + i, &part, call->width - i < 8 ? call->width - i : 8);
    }
}

static void choose_reduction(struct Call* call) {
  static const gex_DT_t types[] = {GEX_DT_I32, GEX_DT_U32, GEX_DT_I64, GEX_DT_U64,
                                   GEX_DT_FLT, GEX_DT_DBL, GEX_DT_USER};
  static const gex_OP_t operations[] = {GEX_OP_ADD, GEX_OP_MULT, GEX_OP_MIN, GEX_OP_MAX,
                                        GEX_OP_AND, GEX_OP_OR,   GEX_OP_XOR};
  const size_t size = some_size();
  call->type = types[common(7)];
  call->width = call->type & (GEX_DT_I64 | GEX_DT_U64 | GEX_DT_DBL) ? 8 : 4;
  call->operation = operations[common(call->type & (GEX_DT_FLT | GEX_DT_DBL) ? 4 : 7)];
  if (call->type == GEX_DT_USER) {
    static const size_t widths[] = {1, 3, 8, 24, 64, 100, 1000, 9000};
    call->width = common(40) ? widths[common(8)] : huge_element;
    call->operation = call->width % sizeof(Affine) == 0 ? GEX_OP_USER_NC : GEX_OP_USER;
  }
  call->count = size / call->width ? size / call->width : 1;
}

static void choose(struct Call* call) {
  static const int in[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC};
  static const int out[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC,
                            GASNET_COLL_OUT_ALLSYNC};
  static uint64_t number;
  memset(call, 0, sizeof *call);
  call->number = mixed(seed) + ++number;
  call->team = &all_teams[common(teams)];
  call->kind = common(3) ? (enum Kind)common(4) : (enum Kind)common(8);
  // Ranks see teams of different sizes, but must draw the same numbers.
  call->root = (unsigned)(common(1 << 20) % call->team->size);
  call->in_place = common(3) == 0;
  call->flags = GASNET_COLL_LOCAL | in[common(3)] | out[common(3)];
  call->type = GEX_DT_U32;
  call->width = 1;
  if (call->kind == reduce_one || call->kind == reduce_all)
    choose_reduction(call);
  else
    call->count = some_size() / (call->kind > reduce_all ? 4 : 1);
}

static void prepare(struct Call* call) {
  if (has_source(call)) {
    call->source = allocate(blocks_of_source(call) * bytes(call));
    const size_t elements = blocks_of_source(call) * call->count;
    for (size_t i = 0; i < elements; ++i)
      put_element(call, call->team->rank, i, call->source.data + i * call->width);
  }
  call->in_place = call->in_place && has_source(call) && call->kind <= reduce_all;
  if (has_dest(call) && !call->in_place) call->dest = allocate(blocks_of_dest(call) * bytes(call));
}

static void start(struct Call* call) {
  const gex_TM_t team = call->team->handle;
  void* const source = call->source.data;
  void* const dest = call->in_place ? source : (void*)call->dest.data;
  const gex_Coll_ReduceFn_t function = call->operation == GEX_OP_USER_NC ? compose : add_bytes;
  const size_t size = bytes(call);
  switch (call->kind) {
    case barrier:
      call->event = gex_Coll_BarrierNB(team, 0);
      break;
    case broadcast:
      call->event = gex_Coll_BroadcastNB(team, call->root, dest, source, size, 0);
      break;
    case reduce_one:
      call->event = gex_Coll_ReduceToOneNB(team, call->root, dest, source, call->type, call->width,
                                           call->count, call->operation, function, &call->width, 0);
      break;
    case reduce_all:
      call->event = gex_Coll_ReduceToAllNB(team, dest, source, call->type, call->width, call->count,
                                           call->operation, function, &call->width, 0);
      break;
    case scatter:
      call->event = gasnet_coll_scatter_nb(team, dest, call->root, source, size, call->flags);
      break;
    case gather:
      call->event = gasnet_coll_gather_nb(team, call->root, dest, source, size, call->flags);
      break;
    case gather_all:
      call->event = gasnet_coll_gather_all_nb(team, dest, source, size, call->flags);
      break;
    case exchange:
      call->event = gasnet_coll_exchange_nb(team, dest, source, size, call->flags);
      break;
  }
}

#endif
