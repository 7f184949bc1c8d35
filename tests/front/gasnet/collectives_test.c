// Runs random collectives, many at once, on several teams, with memory of all kinds. Computes every
// result again from what all ranks must have given. The same seed makes the same calls.
//
//   collectives_test [seed [rounds]]
#define _DEFAULT_SOURCE 1  // NOLINT(readability-identifier-naming): the C library's name
#include "random_collectives.h"

#include <math.h>
#include <unistd.h>

#define COMBINE(T, U)                                               \
  do {                                                              \
    T x, y, z;                                                      \
    memcpy(&x, left, sizeof x);                                     \
    memcpy(&y, right, sizeof y);                                    \
    z = operation == GEX_OP_ADD    ? (T)((U)x + (U)y)               \
        : operation == GEX_OP_MULT ? (T)((U)x * (U)y)               \
        : operation == GEX_OP_MIN  ? (x < y ? x : y)                \
        : operation == GEX_OP_MAX  ? (x > y ? x : y)                \
        : operation == GEX_OP_AND  ? (T)((uint64_t)x & (uint64_t)y) \
        : operation == GEX_OP_OR   ? (T)((uint64_t)x | (uint64_t)y) \
                                   : (T)((uint64_t)x ^ (uint64_t)y);  \
    memcpy(right, &z, sizeof z);                                    \
  } while (0)

static void combine(const struct Call* call, const void* left, void* right) {
  const gex_OP_t operation = call->operation;
  if (call->type == GEX_DT_USER) {
    (operation == GEX_OP_USER ? add_bytes : compose)(left, right, 1, &call->width);
    return;
  }
  switch (call->type) {
    case GEX_DT_I32:
      COMBINE(int32_t, uint32_t);
      break;
    case GEX_DT_U32:
      COMBINE(uint32_t, uint32_t);
      break;
    case GEX_DT_I64:
      COMBINE(int64_t, uint64_t);
      break;
    case GEX_DT_U64:
      COMBINE(uint64_t, uint64_t);
      break;
    case GEX_DT_FLT:
      COMBINE(float, float);
      break;
    default:
      COMBINE(double, double);
      break;
  }
}

static int is_close(const struct Call* call, const void* got, const void* expected) {
  float a, b;
  double c, d;
  if (call->type == GEX_DT_FLT) {
    memcpy(&a, got, 4);
    memcpy(&b, expected, 4);
    return fabsf(a - b) <= 1e-5f * fabsf(b);
  }
  if (call->type != GEX_DT_DBL) return memcmp(got, expected, call->width) == 0;
  memcpy(&c, got, 8);
  memcpy(&d, expected, 8);
  return fabs(c - d) <= 1e-13 * fabs(d);
}

static void check_reduction(const struct Call* call, const unsigned char* dest) {
  static uint64_t left[huge_element / 8 + 1], right[huge_element / 8 + 1];
  for (size_t i = 0; i < call->count; ++i) {
    put_element(call, call->team->size - 1, i, right);
    for (unsigned member = call->team->size - 1; member-- > 0;) {
      put_element(call, member, i, left);
      combine(call, left, right);
    }
    if (!is_close(call, dest + i * call->width, right))
      fail("element", i, dest[i * call->width], *(unsigned char*)right);
  }
}

static void check_movement(const struct Call* call, const unsigned char* dest) {
  for (size_t block = 0; block < blocks_of_dest(call); ++block) {
    const unsigned from =
        blocks_of_dest(call) > 1 ? (unsigned)block
        : call->kind == gather || call->kind == gather_all || call->kind == exchange ? 0
                                                                                     : call->root;
    const size_t begin = blocks_of_source(call) > 1 ? call->team->rank * call->count : 0;
    for (size_t i = 0; i < call->count; ++i) {
      unsigned char expected = 0;
      put_element(call, from, begin + i, &expected);
      if (dest[block * call->count + i] != expected)
        fail("byte", block * call->count + i, dest[block * call->count + i], expected);
    }
  }
}

static void describe(const struct Call* call) {
  snprintf(about, sizeof about,
           "%s on team %d, root %u, %zu x %zu bytes, dt %x, op %x, flags %x%s, source %s, dest %s",
           kinds[call->kind], (int)(call->team - all_teams), call->root, call->count, call->width,
           (unsigned)call->type, (unsigned)call->operation, (unsigned)call->flags,
           call->in_place ? ", in place" : "", call->source.is_private ? "private" : "shared",
           call->dest.is_private ? "private" : "shared");
}

// Checks the result and frees its memory. For a ReduceToAll, returns a fingerprint of its bits.
static uint64_t check(struct Call* call) {
  const unsigned char* dest = call->in_place ? call->source.data : call->dest.data;
  uint64_t bits = 0;
  describe(call);
  if (has_dest(call)) {
    if (call->kind == reduce_one || call->kind == reduce_all)
      check_reduction(call, dest);
    else
      check_movement(call, dest);
  }
  if (has_source(call) && !(call->in_place && has_dest(call)))
    for (size_t i = 0; i < blocks_of_source(call) * call->count; ++i) {
      static unsigned char expected[huge_element + 8];
      put_element(call, call->team->rank, i, expected);
      if (memcmp(call->source.data + i * call->width, expected, call->width) != 0)
        fail("source element", i, 0, 0);
    }
  if (call->kind == reduce_all)
    for (size_t i = 0; i < bytes(call); ++i) bits = mixed(bits + dest[i]);
  release(call->source);
  release(call->dest);
  return bits;
}

static void wait_for(struct Call* call) {
  describe(call);
  if (own(2)) {
    gex_Event_Wait(call->event);
  } else {
    while (gex_Event_Test(call->event)) gasnet_AMPoll();
  }
  call->event = GEX_EVENT_INVALID;
}

static void wait_for_all(int count) {
  gex_Event_t events[most_calls];
  if (own(2)) {
    for (int i = 0; i < count; ++i) events[i] = calls[i].event;
    snprintf(about, sizeof about, "all %d calls", count);
    gex_Event_WaitAll(events, (size_t)count, 0);
    return;
  }
  for (int left = count, at = (int)own((uint64_t)count); left > 0; --left, at = (at + 1) % count)
    wait_for(&calls[at]);
}

// The results of a ReduceToAll have the same bits on all members.
static void compare_bits(const uint64_t* bits, int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t least = 0, most = 0;
    const gex_TM_t team = calls[i].team->handle;
    if (calls[i].kind != reduce_all) continue;
    describe(&calls[i]);
    gex_Event_Wait(gex_Coll_ReduceToAllNB(team, &least, &bits[i], GEX_DT_U64, 8, 1, GEX_OP_MIN,
                                          NULL, NULL, 0));
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(team, &most, &bits[i], GEX_DT_U64, 8, 1, GEX_OP_MAX, NULL, NULL, 0));
    if (least != most) fail("the fingerprint on another rank", 0, most, least);
  }
}

static void run_batch(void) {
  uint64_t bits[most_calls];
  const int count = 1 + (int)common(common(3) ? 8 : most_calls);
  segment_used = 0;
  make_teams();
  for (int i = 0; i < count; ++i) choose(&calls[i]);
  for (int i = 0; i < count; ++i) {
    prepare(&calls[i]);
    start(&calls[i]);
    if (own(8) == 0) wait_for(&calls[i]);
    if (own(4) == 0) gasnet_AMPoll();
  }
  wait_for_all(count);
  for (int i = 0; i < count; ++i) bits[i] = check(&calls[i]);
  compare_bits(bits, count);
  destroy_teams();
}

// More broadcasts than may be in flight at once, with a root far ahead of the others.
static void run_stream(void) {
  const unsigned ranks = gex_TM_QuerySize(world), root = (unsigned)common(ranks);
  for (int i = 0; i < 100; ++i) {
    unsigned char bytes[3000];
    const size_t size = 1 + common(common(2) ? 50 : sizeof bytes);
    const int value = (int)common(256);
    if (me != root && i == 0) usleep((useconds_t)own(2000));
    memset(bytes, me == root ? value : value + 1, size);
    snprintf(about, sizeof about, "broadcast %d of a stream of rank %u, %zu bytes", i, root, size);
    gex_Event_Wait(gex_Coll_BroadcastNB(world, root, bytes, bytes, size, 0));
    for (size_t at = 0; at < size; ++at)
      if (bytes[at] != value) fail("byte", at, bytes[at], (uint64_t)value);
  }
}

int main(int argc, char** argv) {
  gex_Segment_t attached;
  if (gex_Client_Init(&client, &endpoint, &world, "collectives_test", &argc, &argv, 0) ||
      gex_Segment_Attach(&attached, world, segment_size))
    return 1;
  if (argc > 1) seed = strtoull(argv[1], NULL, 10);
  const int rounds = argc > 2 ? atoi(argv[2]) : 40;
  me = gex_TM_QueryRank(world);
  segment = gex_Segment_QueryAddr(attached);
  common_state = mixed(seed);
  own_state = mixed(seed + 1) + me;
  if (me == 0) printf("seed %" PRIu64 ", %d rounds\n", seed, rounds);
  for (batch = 0; batch < rounds; ++batch) {
    run_batch();
    run_stream();
  }
  gasnet_exit(0);
  return 0;
}
