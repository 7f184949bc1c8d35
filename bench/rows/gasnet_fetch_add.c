// Fetch-and-add of rank 0 on a word of rank 1 without contention, 32 and 64 bits: one after the
// other, each waited for; and many, waited for together. Each is compared with a locked instruction
// on the mapped word.
//
// With "messages" the same operations use active messages: a request whose handler adds, and a
// reply with the old value. Rank 1 then polls all the time.
//
// Figures gasnet_fetch_add_U32, _U64, gasnet_fetch_adds_U32, _U64; with messages
// gasnet_message_fetch_add... Usage: gasnet_fetch_add [domain|messages]
#include "gasnet_job.h"

#include <gasnet_ratomic.h>

enum { BATCHES = 50, OPS = 20000, MESSAGE_BATCHES = 20, MESSAGES = 1000 };
enum { REQUEST = GEX_AM_INDEX_BASE, ANSWER };

struct cell {
  struct window there;
  gex_TM_t team;
  gex_AD_t domain32;
  gex_AD_t domain64;
};

// Adds 1 `ops` times to the first word (32 bits) or the second (64 bits).
typedef void batch(const struct cell* cell, size_t ops);

static volatile uint64_t old_value;  // not used, but each operation must fetch it
static uint64_t served;
static uint64_t answered;

static char* word32(char* base) {
  return base;
}

static char* word64(char* base) {
  return base + LINE_PAIR;
}

static void one_by_one_32(const struct cell* c, size_t ops) {
  uint32_t old = 0;
  for (size_t i = 0; i < ops; ++i) {
    gex_Event_Wait(
        gex_AD_OpNB_U32(c->domain32, &old, 1, word32(c->there.owner), GEX_OP_FADD, 1, 0, 0));
    old_value = old;
  }
}

static void one_by_one_64(const struct cell* c, size_t ops) {
  uint64_t old = 0;
  for (size_t i = 0; i < ops; ++i) {
    gex_Event_Wait(
        gex_AD_OpNB_U64(c->domain64, &old, 1, word64(c->there.owner), GEX_OP_FADD, 1, 0, 0));
    old_value = old;
  }
}

static void together_32(const struct cell* c, size_t ops) {
  static uint32_t old[OPS];
  for (size_t i = 0; i < ops; ++i)
    gex_AD_OpNBI_U32(c->domain32, &old[i], 1, word32(c->there.owner), GEX_OP_FADD, 1, 0, 0);
  gex_NBI_Wait(GEX_EC_RMW, 0);
}

static void together_64(const struct cell* c, size_t ops) {
  static uint64_t old[OPS];
  for (size_t i = 0; i < ops; ++i)
    gex_AD_OpNBI_U64(c->domain64, &old[i], 1, word64(c->there.owner), GEX_OP_FADD, 1, 0, 0);
  gex_NBI_Wait(GEX_EC_RMW, 0);
}

static void instructions_32(const struct cell* c, size_t ops) {
  _Atomic uint32_t* word = (_Atomic uint32_t*)(void*)word32(c->there.mapped);
  for (size_t i = 0; i < ops; ++i) old_value = atomic_fetch_add(word, 1);
}

static void instructions_64(const struct cell* c, size_t ops) {
  _Atomic uint64_t* word = (_Atomic uint64_t*)(void*)word64(c->there.mapped);
  for (size_t i = 0; i < ops; ++i) old_value = atomic_fetch_add(word, 1);
}

static void request(gex_Token_t token, gex_AM_Arg_t high, gex_AM_Arg_t low, gex_AM_Arg_t wide) {
  const uintptr_t address = (uintptr_t)(uint32_t)high << 32 | (uint32_t)low;
  const uint64_t old = wide ? atomic_fetch_add((_Atomic uint64_t*)address, 1)
                            : atomic_fetch_add((_Atomic uint32_t*)address, 1);
  ++served;
  gex_AM_ReplyShort2(token, ANSWER, 0, (gex_AM_Arg_t)(old >> 32), (gex_AM_Arg_t)old);
}

static void answer(gex_Token_t token, gex_AM_Arg_t high, gex_AM_Arg_t low) {
  (void)token;
  old_value = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
  ++answered;
}

static void ask(const struct cell* c, int wide) {
  const uintptr_t address = (uintptr_t)(wide ? word64(c->there.owner) : word32(c->there.owner));
  gex_AM_RequestShort3(c->team, 1, REQUEST, 0, (gex_AM_Arg_t)((uint64_t)address >> 32),
                       (gex_AM_Arg_t)address, wide);
}

static void ask_one_by_one(const struct cell* c, int wide, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    const uint64_t next = answered + 1;
    ask(c, wide);
    GASNET_BLOCKUNTIL(answered == next);
  }
}

static void ask_together(const struct cell* c, int wide, size_t ops) {
  const uint64_t end = answered + ops;
  for (size_t i = 0; i < ops; ++i) ask(c, wide);
  GASNET_BLOCKUNTIL(answered == end);
}

static void messages_32(const struct cell* c, size_t ops) {
  ask_one_by_one(c, 0, ops);
}

static void messages_64(const struct cell* c, size_t ops) {
  ask_one_by_one(c, 1, ops);
}

static void messages_together_32(const struct cell* c, size_t ops) {
  ask_together(c, 0, ops);
}

static void messages_together_64(const struct cell* c, size_t ops) {
  ask_together(c, 1, ops);
}

struct way {
  const char* name;
  batch* ours;
  batch* control;
};

static void measure(const struct cell* c, const struct way* way, size_t batches, size_t ops) {
  TIME_BOTH(1, batches, ops, way->ours(c, ops), way->control(c, ops), "%s", way->name);
}

// Each width has two ways, and each way has a control that adds equally often.
static void check(const struct cell* c, uint64_t batches, uint64_t ops) {
  const uint64_t added = 4 * batches * ops;
  const uint32_t found32 = *(const uint32_t*)(const void*)word32(c->there.mapped);
  const uint64_t found64 = *(const uint64_t*)(const void*)word64(c->there.mapped);
  require(found32 == added && found64 == added, "the words are not what was added");
}

static void measure_all(const struct cell* c, const struct way* ways, size_t batches, size_t ops) {
  for (int i = 0; i < 4; ++i) measure(c, &ways[i], batches, ops);
  check(c, batches, ops);
}

static const struct way by_domain[] = {
    {"gasnet_fetch_add_U32", one_by_one_32, instructions_32},
    {"gasnet_fetch_add_U64", one_by_one_64, instructions_64},
    {"gasnet_fetch_adds_U32", together_32, instructions_32},
    {"gasnet_fetch_adds_U64", together_64, instructions_64},
};

static const struct way by_messages[] = {
    {"gasnet_message_fetch_add_U32", messages_32, instructions_32},
    {"gasnet_message_fetch_add_U64", messages_64, instructions_64},
    {"gasnet_message_fetch_adds_U32", messages_together_32, instructions_32},
    {"gasnet_message_fetch_adds_U64", messages_together_64, instructions_64},
};

int main(int argc, char** argv) {
  const int messages = argc > 1 && strcmp(argv[1], "messages") == 0;
  gex_AM_Entry_t handlers[] = {
      {REQUEST, (gex_AM_Fn_t)request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 3, NULL, "request"},
      {ANSWER, (gex_AM_Fn_t)answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 2, NULL, "answer"},
  };
  const struct job job =
      start_job(handlers, sizeof handlers / sizeof *handlers, (size_t)2 * LINE_PAIR);
  struct cell cell = {.there = window_of(&job, 1), .team = job.team};
  gex_AD_Create(&cell.domain32, job.team, GEX_DT_U32, GEX_OP_FADD, 0);
  gex_AD_Create(&cell.domain64, job.team, GEX_DT_U64, GEX_OP_FADD, 0);
  if (job.rank == 1) memset(cell.there.mapped, 0, (size_t)2 * LINE_PAIR);
  meet(&job);
  if (messages && job.rank == 1)
    GASNET_BLOCKUNTIL(served == 4 * MESSAGE_BATCHES * MESSAGES);
  else if (messages && job.rank == 0)
    measure_all(&cell, by_messages, MESSAGE_BATCHES, MESSAGES);
  else if (job.rank == 0)
    measure_all(&cell, by_domain, BATCHES, OPS);
  meet(&job);
  gex_AD_Destroy(cell.domain64);
  gex_AD_Destroy(cell.domain32);
  end_job(&job);
}
