// Atomic domains: every operation on every type alone, then all ranks at once on one word.
#include <gasnet_ratomic.h>
#include <string.h>

#include "job.h"

enum { rounds = 2000 };

static const gex_OP_t common = GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX |
                               GEX_OP_INC | GEX_OP_DEC | GEX_OP_SET | GEX_OP_CAS;
static const gex_OP_t bitwise = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR;

// One operation: the old value of the word, its operands, and the expected new value.
#define STEP(TYPE, op, before, first, second, after)                                            \
  do {                                                                                          \
    *word = (before);                                                                           \
    gex_Event_Wait(gex_AD_OpNB_##TYPE(domain, NULL, job_me, word, (op), (first), (second), 0)); \
    CHECK(*word == (after));                                                                    \
    *word = (before);                                                                           \
    CHECK(gex_AD_OpNBI_##TYPE(domain, &result, job_me, word, GEX_OP_TO_FETCHING(op), (first),   \
                              second, 0) == 0);                                                 \
    gex_NBI_Wait(GEX_EC_RMW, 0);                                                                \
    CHECK(*word == (after) && result == (before));                                              \
  } while (0)

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define NUMBERS(TYPE, ctype, ops)                                                                 \
  static void numbers_##TYPE(void) {                                                              \
    gex_AD_t domain;                                                                              \
    ctype result = 0;                                                                             \
    ctype* word = (ctype*)(void*)job_segment;                                                     \
    gex_AD_Create(&domain, job_team, GEX_DT_##TYPE, (ops) | GEX_OP_TO_FETCHING(ops) | GEX_OP_GET, \
                  0);                                                                             \
    STEP(TYPE, GEX_OP_ADD, 20, 3, 0, 23);                                                         \
    STEP(TYPE, GEX_OP_SUB, 20, 3, 0, 17);                                                         \
    STEP(TYPE, GEX_OP_MULT, 20, 3, 0, 60);                                                        \
    STEP(TYPE, GEX_OP_MIN, 20, 3, 0, 3);                                                          \
    STEP(TYPE, GEX_OP_MIN, 20, 30, 0, 20);                                                        \
    STEP(TYPE, GEX_OP_MAX, 20, 3, 0, 20);                                                         \
    STEP(TYPE, GEX_OP_MAX, 20, 30, 0, 30);                                                        \
    STEP(TYPE, GEX_OP_INC, 20, 0, 0, 21);                                                         \
    STEP(TYPE, GEX_OP_DEC, 20, 0, 0, 19);                                                         \
    STEP(TYPE, GEX_OP_SET, 20, 7, 0, 7);                                                          \
    STEP(TYPE, GEX_OP_CAS, 20, 20, 5, 5);                                                         \
    STEP(TYPE, GEX_OP_CAS, 20, 21, 5, 20);                                                        \
    *word = 42;                                                                                   \
    gex_Event_Wait(gex_AD_OpNB_##TYPE(domain, &result, job_me, word, GEX_OP_GET, 0, 0, 0));       \
    CHECK(result == 42);                                                                          \
    gex_AD_Destroy(domain);                                                                       \
  }

NUMBERS(I32, int32_t, common)
NUMBERS(U32, uint32_t, common)
NUMBERS(I64, int64_t, common)
NUMBERS(U64, uint64_t, common)
NUMBERS(FLT, float, common)
NUMBERS(DBL, double, common)
// NOLINTEND(bugprone-macro-parentheses)

static void bits(void) {
  gex_AD_t domain;
  uint64_t result = 0;
  uint64_t* word = (uint64_t*)(void*)job_segment;
  gex_AD_Create(&domain, job_team, GEX_DT_U64, bitwise | GEX_OP_TO_FETCHING(bitwise), 0);
  STEP(U64, GEX_OP_AND, 0xf0f0, 0xff00, 0, 0xf000);
  STEP(U64, GEX_OP_OR, 0xf0f0, 0x0f00, 0, 0xfff0);
  STEP(U64, GEX_OP_XOR, 0xf0f0, 0xff00, 0, 0x0ff0);
  CHECK(gex_AD_QueryDT(domain) == GEX_DT_U64 && gex_AD_QueryTM(domain) == job_team);
  gex_AD_Destroy(domain);
}

// The result as an offset in the local segment, the word as an offset in the segment of the peer.
static void offsets(void) {
  gex_AD_t domain;
  uint64_t* words = (uint64_t*)(void*)job_segment;
  words[0] = 20;
  words[8] = 0;
  gex_AD_Create(&domain, job_team, GEX_DT_U64, GEX_OP_FADD | GEX_OP_GET, 0);
  gex_Event_Wait(gex_AD_OpNB_U64(domain, (uint64_t*)(uintptr_t)64, job_me, words, GEX_OP_FADD, 3, 0,
                                 GEX_FLAG_SELF_SEG_OFFSET));
  CHECK(words[0] == 23 && words[8] == 20);
  gex_Event_Wait(gex_AD_OpNB_U64(domain, (uint64_t*)(uintptr_t)64, job_me, NULL, GEX_OP_GET, 0, 0,
                                 GEX_FLAG_SELF_SEG_OFFSET | GEX_FLAG_PEER_SEG_OFFSET));
  CHECK(words[8] == 23);
  gex_AD_Destroy(domain);
}

// All ranks add to words of rank 0, and draw unique numbers.
static void together(void) {
  gex_AD_t sums;
  gex_AD_t reals;
  unsigned char* there = job_segment_of(0);
  memset(job_segment, 0, 64);
  gex_AD_Create(&sums, job_team, GEX_DT_U32, GEX_OP_FADD | GEX_OP_INC, 0);
  gex_AD_Create(&reals, job_team, GEX_DT_DBL, GEX_OP_ADD, 0);
  job_barrier();
  uint32_t last = 0;
  for (int i = 0; i < rounds; ++i) {
    uint32_t ticket = 0;
    gex_Event_Wait(
        gex_AD_OpNB_U32(sums, &ticket, 0, there, GEX_OP_FADD, 1, 0, GEX_FLAG_RANK_IS_JOBRANK));
    CHECK(i == 0 || ticket > last);
    last = ticket;
    gex_Event_Wait(gex_AD_OpNB_DBL(reals, NULL, 0, there + 8, GEX_OP_ADD, 0.5, 0, 0));
  }
  job_barrier();
  if (job_me == 0) {
    CHECK(*(uint32_t*)(void*)job_segment == rounds * job_ranks);
    CHECK(*(double*)(void*)(job_segment + 8) == 0.5 * rounds * job_ranks);
  }
  job_barrier();
  gex_AD_Destroy(sums);
  gex_AD_Destroy(reals);
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 1 << 16);
  numbers_I32();
  numbers_U32();
  numbers_I64();
  numbers_U64();
  numbers_FLT();
  numbers_DBL();
  bits();
  offsets();
  together();
  gasnet_exit(0);
}
