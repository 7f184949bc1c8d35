// A hash table over all ranks that grows while all ranks insert, without a lock and without a call
// of the rank whose memory grows.
//
// The entries of a rank are one list, sorted by their reversed hash (a split-ordered list). Buckets
// are marks in the list. To double their number, an insertion changes one word: a new bucket gets
// its mark when it is first used. Nodes and arrays of buckets are blocks that the inserting rank
// allocates at the owner.
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "clock.h"
#include "random.h"

enum { most_segments = 40, entries_per_bucket = 4 };

struct node {
  uint64_t next;   // packed global pointer
  uint64_t order;  // reversed hash; odd for entries, even for marks
  uint64_t count;  // how often the key was inserted
};

// The part of the table on each rank.
static uint64_t buckets = 1;
static uint64_t entries;
static uint64_t segments[most_segments];  // arrays of 1, 2, 4, 8 ... bucket pointers
static uint64_t first;                    // the mark of bucket 0

static long inserted_here, found_here, inserted, found;

static uint64_t reverse(uint64_t bits) {
  uint64_t reversed = 0;
  for (int i = 0; i < 64; ++i) reversed |= (bits >> i & 1) << (63 - i);
  return reversed;
}

static shmemx_gptr_t next_of(shmemx_gptr_t node) {
  return shmemx_gptr_add(node, offsetof(struct node, next));
}

static shmemx_gptr_t allocate(int pe, size_t bytes) {
  const shmemx_gptr_t block = shmemx_malloc_at(pe, bytes);
  if (shmemx_gptr_is_null(block)) shmem_global_exit(1);
  return block;
}

// Moves `node` to the last node of a smaller order, and returns the packed pointer to the next one.
static uint64_t search(shmemx_gptr_t* node, uint64_t order, struct node* next) {
  for (;;) {
    const uint64_t word = shmemx_gptr_atomic_fetch(next_of(*node));
    if (word == 0) return 0;
    shmemx_gptr_get(next, shmemx_gptr_unpack(word), sizeof *next);
    if (next->order >= order) return word;
    *node = shmemx_gptr_unpack(word);
  }
}

// Inserts a node after `start`, or adds to the count of the node that exists. Returns the node.
static uint64_t insert_after(shmemx_gptr_t start, uint64_t order, uint64_t* is_new) {
  struct node next, node = {0, order, 1};
  shmemx_gptr_t block = {0, 0, 0};
  for (;;) {
    const uint64_t word = search(&start, order, &next);
    if (word != 0 && next.order == order) {
      const shmemx_gptr_t there = shmemx_gptr_unpack(word);
      shmemx_gptr_atomic_fetch_add(shmemx_gptr_add(there, offsetof(struct node, count)), 1);
      shmemx_free_at(block);
      *is_new = 0;
      return word;
    }
    if (shmemx_gptr_is_null(block)) block = allocate(start.pe, sizeof node);
    node.next = word;
    shmemx_gptr_put(block, &node, sizeof node);
    shmem_quiet();
    const uint64_t packed = shmemx_gptr_pack(block);
    if (shmemx_gptr_atomic_compare_swap(next_of(start), word, packed) == word) {
      *is_new = 1;
      return packed;
    }
  }
}

// The array of bucket pointers. The first rank that needs it makes it.
static shmemx_gptr_t segment_at(int pe, int number, size_t length) {
  uint64_t word = shmem_uint64_atomic_fetch(&segments[number], pe);
  if (word != 0) return shmemx_gptr_unpack(word);
  const shmemx_gptr_t block = allocate(pe, length * sizeof(uint64_t));
  uint64_t* zeros = calloc(length, sizeof *zeros);
  shmemx_gptr_put(block, zeros, length * sizeof *zeros);
  shmem_quiet();
  free(zeros);
  word = shmem_uint64_atomic_compare_swap(&segments[number], 0, shmemx_gptr_pack(block), pe);
  if (word == 0) return block;
  shmemx_free_at(block);
  return shmemx_gptr_unpack(word);
}

static int bits_in(uint64_t number) {
  int bits = 0;
  while (number >> bits != 0) ++bits;
  return bits;
}

// The mark of a bucket. A bucket without one gets it after the mark of its parent, which is the
// bucket that its entries were in before the table had grown.
static shmemx_gptr_t mark_of(int pe, uint64_t bucket) {
  if (bucket == 0) return shmemx_gptr_unpack(shmem_uint64_atomic_fetch(&first, pe));
  const int bits = bits_in(bucket);
  const uint64_t highest = UINT64_C(1) << (bits - 1);
  const shmemx_gptr_t place =
      shmemx_gptr_add(segment_at(pe, bits, highest), (ptrdiff_t)((bucket - highest) * 8));
  uint64_t word = shmemx_gptr_atomic_fetch(place);
  if (word == 0) {
    uint64_t is_new;
    word = insert_after(mark_of(pe, bucket - highest), reverse(bucket), &is_new);
    shmemx_gptr_atomic_set(place, word);
  }
  return shmemx_gptr_unpack(word);
}

// Keys have 63 bits, and are their own hash.
static uint64_t key_of(uint64_t number) {
  uint64_t state = random_seed((int)number);
  return next_random(&state) >> 1;
}

static int owner_of(uint64_t key) {
  return (int)((key >> 40) % (uint64_t)shmem_n_pes());
}

static void insert(uint64_t key) {
  const int pe = owner_of(key);
  const uint64_t size = shmem_uint64_atomic_fetch(&buckets, pe);
  uint64_t is_new;
  insert_after(mark_of(pe, key % size), reverse(key) | 1, &is_new);
  if (!is_new) return;
  const uint64_t now = shmem_uint64_atomic_fetch_add(&entries, 1, pe) + 1;
  if (now > entries_per_bucket * size)
    shmem_uint64_atomic_compare_swap(&buckets, size, 2 * size, pe);
}

static uint64_t count_of(uint64_t key) {
  const int pe = owner_of(key);
  shmemx_gptr_t node = mark_of(pe, key % shmem_uint64_atomic_fetch(&buckets, pe));
  struct node next = {0, 0, 0};
  const uint64_t word = search(&node, reverse(key) | 1, &next);
  return word != 0 && next.order == (reverse(key) | 1) ? next.count : 0;
}

// Frees the part of this rank. Returns the number of insertions, or -1 if the list is out of order.
static long take_apart(void) {
  long sum = 0;
  uint64_t last = 0;
  for (uint64_t word = first; word != 0;) {
    struct node node;
    const shmemx_gptr_t place = shmemx_gptr_unpack(word);
    shmemx_gptr_get(&node, place, sizeof node);
    if (node.order < last || (node.order == last && word != first)) return -1;
    last = node.order;
    if (node.order % 2 == 1) sum += (long)node.count;
    if (shmemx_free_at(place) != 0) return -1;
    word = node.next;
  }
  for (int i = 0; i < most_segments; ++i)
    if (shmemx_free_at(shmemx_gptr_unpack(segments[i])) != 0) return -1;
  return sum;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument table[] = {
      {"--keys", "insertions by each rank", WHOLE_NUMBER, 1, 1e8, 20000, NULL},
      {"--of", "different keys", WHOLE_NUMBER, 1, 1e9, 30000, NULL}};
  read_arguments("A hash table over all ranks that grows.", table, 2, argc, argv);
  const long count = (long)table[0].number;
  const uint64_t of = (uint64_t)table[1].number;

  const struct node mark = {0, 0, 0};
  const shmemx_gptr_t block = allocate(shmem_my_pe(), sizeof mark);
  shmemx_gptr_put(block, &mark, sizeof mark);
  first = shmemx_gptr_pack(block);
  shmem_barrier_all();

  uint64_t state = random_seed(shmem_my_pe());
  const double start = seconds();
  for (long i = 0; i < count; ++i) insert(key_of(next_random(&state) % of));
  const double each = (seconds() - start) / (double)count;
  shmem_barrier_all();
  state = random_seed(shmem_my_pe());
  for (long i = 0; i < count; ++i) found_here += count_of(key_of(next_random(&state) % of)) > 0;
  shmem_barrier_all();
  inserted_here = take_apart();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &inserted, &inserted_here, 1);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &found, &found_here, 1);
  const long expected = count * shmem_n_pes();
  const int is_right = inserted == expected && found == expected;
  if (shmem_my_pe() == 0)
    printf("%ld insertions, %.0f ns each; %lu buckets on rank 0; %s\n", expected, 1e9 * each,
           (unsigned long)buckets, is_right ? "all are there" : "WRONG");
  shmem_finalize();
  return is_right ? 0 : 1;
}
