// Random numbers that are the same on every machine: Marsaglia's xorshift with a multiplication.
#pragma once

#include <stdint.h>

// A different, well mixed seed for every rank; never 0, at which xorshift is stuck.
static inline uint64_t random_seed(int rank) {
  uint64_t seed = (uint64_t)(rank + 1) * UINT64_C(0x9e3779b97f4a7c15);
  seed = (seed ^ (seed >> 31)) * UINT64_C(0xd6e8feb86659fd93);
  return seed ^ (seed >> 32) ^ 1;
}

static inline uint64_t next_random(uint64_t* state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}
