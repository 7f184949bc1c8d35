// The measurements of `gondwana bench strided`: words of 8 bytes that are 64 bytes apart on both
// sides, and blocks of four words that are 256 bytes apart, which require OpenSHMEM 1.6. The
// control is a loop over the mapped memory. All other names are from OpenSHMEM 1.4.
//
// Usage: strided GROUP ROUNDS SMALLEST LARGEST
#include "pair.h"

#define HAS_BLOCKS \
  (SHMEM_MAJOR_VERSION > 1 || (SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION >= 6))

enum { WORD = sizeof(long), STRIDE = 8, BLOCK = 4, BLOCK_STRIDE = STRIDE * BLOCK };

static long* words_in(char* memory) {
  return (long*)(void*)memory;
}

static void iput(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    shmem_long_iput(words_in(data_in(p->remote)), words_in(p->local), STRIDE, STRIDE, bytes / WORD,
                    p->other);
    shmem_quiet();
  }
}

static void iget(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    shmem_long_iget(words_in(p->local), words_in(data_in(p->remote)), STRIDE, STRIDE, bytes / WORD,
                    p->other);
}

static void copy_words(long* to, const long* from, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    for (size_t word = 0; word < bytes / WORD; ++word) to[word * STRIDE] = from[word * STRIDE];
    keep_results();
  }
}

static void words_there(struct pair* p, size_t bytes, size_t ops) {
  copy_words(words_in(data_in(p->mapped)), words_in(p->local), bytes, ops);
}

static void words_here(struct pair* p, size_t bytes, size_t ops) {
  copy_words(words_in(p->local), words_in(data_in(p->mapped)), bytes, ops);
}

#if HAS_BLOCKS
static void ibput(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    shmem_long_ibput(words_in(data_in(p->remote)), words_in(p->local), BLOCK_STRIDE, BLOCK_STRIDE,
                     BLOCK, bytes / WORD / BLOCK, p->other);
    shmem_quiet();
  }
}

static void ibget(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    shmem_long_ibget(words_in(p->local), words_in(data_in(p->remote)), BLOCK_STRIDE, BLOCK_STRIDE,
                     BLOCK, bytes / WORD / BLOCK, p->other);
}

static void copy_blocks(long* to, const long* from, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    for (size_t block = 0; block < bytes / WORD / BLOCK; ++block)
      memcpy(&to[block * BLOCK_STRIDE], &from[block * BLOCK_STRIDE], BLOCK * sizeof *to);
    keep_results();
  }
}

static void blocks_there(struct pair* p, size_t bytes, size_t ops) {
  copy_blocks(words_in(data_in(p->mapped)), words_in(p->local), bytes, ops);
}

static void blocks_here(struct pair* p, size_t bytes, size_t ops) {
  copy_blocks(words_in(p->local), words_in(data_in(p->mapped)), bytes, ops);
}
#endif

static const struct measurement list[] = {
    {"words", "iput", iput, words_there, 0},
    {"words", "iget", iget, words_here, 0},
#if HAS_BLOCKS
    {"blocks", "ibput", ibput, blocks_there, 0},
    {"blocks", "ibget", ibget, blocks_here, 0},
#endif
};

static const struct measurements measurements = {list, sizeof list / sizeof *list};

// Reads back with a get what iput has put.
static void check_words(struct pair* p, size_t bytes) {
  if (me != 0) return;
  const size_t count = bytes / WORD;
  for (size_t i = 0; i < count; ++i) words_in(p->local)[i * STRIDE] = (long)i + 1;
  iput(p, bytes, 1);
  memset(p->local, 0, bytes * STRIDE);
  get(p, bytes * STRIDE, 1);
  for (size_t i = 0; i < count; ++i) {
    if (words_in(p->local)[i * STRIDE] != (long)i + 1)
      fail("word %zu of %zu is not the one that was put", i, count);
  }
}

// Rounds up to whole blocks.
static size_t whole_blocks(size_t bytes) {
  const size_t block = BLOCK * WORD;
  return (bytes + block - 1) / block * block;
}

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  const size_t bytes = data_bytes(request.largest) * STRIDE;
  start_door(argc, argv, CELL_BYTES + bytes);
  struct pair p = begin_pair(bytes);
  measure_group(&p, &measurements, "words", request.rounds, request.smallest, request.largest);
  measure_group(&p, &measurements, "blocks", request.rounds, whole_blocks(request.smallest),
                request.largest);
  end_pair(&p, bytes);
  check_words(&p, request.largest);
  end_door();
}
