// A hash table over all ranks that grows and stays whole while ranks die and are started again,
// with their memory as they left it:
//
//   gondwana run --restart 1000 --keep-memory -n 8 mortal_table
//
// It is the table of growing_table.c: lists sorted by reversed hash, in blocks that any rank
// allocates at the owner. Each rank has keys of its own, and writes the number of its last
// operation to each of them in turn. An operation may be done again: it inserts a key that is not
// there, and overwrites the value of one that is. So an operation that meets a dead rank begins
// anew, and so does the next process of a rank that dies within an operation. A block that the dead
// rank had not linked yet is lost. Without --keep-memory the entries of a dead rank would be lost
// with it.
#include <shmem.h>
#include <shmemx.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arguments.h"
#include "random.h"

enum { most_segments = 40, entries_per_bucket = 4 };
enum { works = 1, checks = 2 };  // what a rank has done

struct node {
  uint64_t next;   // packed global pointer
  uint64_t order;  // reversed key; odd for entries, even for marks
  uint64_t value;
};

// The part of the table on each rank. All variables survive a process.
static uint64_t buckets = 1;
static uint64_t entries;
static uint64_t segments[most_segments];  // arrays of 1, 2, 4, 8 ... bucket pointers
static uint64_t first;                    // the mark of bucket 0

static uint64_t done;   // operations of this rank
static uint64_t phase;  // what this rank has finished
static uint64_t wrong;  // values that this rank has found
static uint64_t calls;

static uint64_t every;  // calls from a death to the next one; 0: this rank does not kill itself
static int lost;        // a call of the operation has failed

static void nap(void) {
  nanosleep(&(struct timespec){0, 100000}, NULL);
}

// After each call to another rank: whether all calls of the operation have succeeded.
static int succeeded(void) {
  if (every != 0 && phase < works && ++calls % every == 0) raise(SIGKILL);
  if (shmemx_status(SHMEM_CTX_DEFAULT) != 0) lost = 1;
  return !lost;
}

static uint64_t reverse(uint64_t bits) {
  uint64_t reversed = 0;
  for (int i = 0; i < 64; ++i) reversed |= (bits >> i & 1) << (63 - i);
  return reversed;
}

static uint64_t fetch(shmemx_gptr_t word) {
  const uint64_t value = shmemx_gptr_atomic_fetch(word);
  return succeeded() ? value : 0;
}

static uint64_t fetch_at(uint64_t* word, int pe) {
  const uint64_t value = shmem_uint64_atomic_fetch(word, pe);
  return succeeded() ? value : 0;
}

// A block at the rank with these contents; null: the rank is dead.
static shmemx_gptr_t block_of(int pe, const void* contents, size_t bytes) {
  const shmemx_gptr_t block = shmemx_malloc_at(pe, bytes);
  if (!succeeded() || shmemx_gptr_is_null(block)) {
    lost = 1;
    return (shmemx_gptr_t){0, 0, 0};
  }
  shmemx_gptr_put(block, contents, bytes);
  shmem_quiet();
  succeeded();
  return block;
}

static shmemx_gptr_t next_of(shmemx_gptr_t node) {
  return shmemx_gptr_add(node, offsetof(struct node, next));
}

// Moves `node` to the last node of a smaller order, and returns the packed pointer to the next one.
static uint64_t search(shmemx_gptr_t* node, uint64_t order, struct node* next) {
  for (;;) {
    const uint64_t word = fetch(next_of(*node));
    if (word == 0) return 0;
    shmemx_gptr_get(next, shmemx_gptr_unpack(word), sizeof *next);
    if (!succeeded()) return 0;
    if (next->order >= order) return word;
    *node = shmemx_gptr_unpack(word);
  }
}

// Inserts a node after `start` unless one of this order exists. Returns the node that exists then;
// 0: the operation is lost.
static uint64_t insert_after(shmemx_gptr_t start, uint64_t order, int* is_new) {
  struct node next, node = {0, order, 0};
  *is_new = 0;
  for (;;) {
    const uint64_t word = search(&start, order, &next);
    if (lost) return 0;
    if (word != 0 && next.order == order) return word;
    node.next = word;
    const shmemx_gptr_t block = block_of(start.pe, &node, sizeof node);
    if (lost) return 0;
    const uint64_t packed = shmemx_gptr_pack(block);
    const uint64_t before = shmemx_gptr_atomic_compare_swap(next_of(start), word, packed);
    if (!succeeded()) return 0;
    *is_new = before == word;
    if (*is_new) return packed;
    shmemx_free_at(block);
    if (!succeeded()) return 0;
  }
}

// The array of bucket pointers. The first rank that needs it makes it.
static shmemx_gptr_t segment_at(int pe, int number, size_t length) {
  const uint64_t word = fetch_at(&segments[number], pe);
  if (lost || word != 0) return shmemx_gptr_unpack(word);
  uint64_t* zeros = calloc(length, sizeof *zeros);
  const shmemx_gptr_t block = block_of(pe, zeros, length * sizeof *zeros);
  free(zeros);
  if (lost) return block;
  const uint64_t packed = shmemx_gptr_pack(block);
  const uint64_t before = shmem_uint64_atomic_compare_swap(&segments[number], 0, packed, pe);
  if (!succeeded() || before == 0) return block;
  shmemx_free_at(block);
  succeeded();
  return shmemx_gptr_unpack(before);
}

static int bits_in(uint64_t number) {
  int bits = 0;
  while (number >> bits != 0) ++bits;
  return bits;
}

// The mark of a bucket. A bucket without one gets it after the mark of its parent, which is the
// bucket that its entries were in before the table had grown.
static shmemx_gptr_t mark_of(int pe, uint64_t bucket) {
  if (bucket == 0) {
    const uint64_t word = fetch_at(&first, pe);
    if (word == 0) lost = 1;  // the rank has not begun
    return shmemx_gptr_unpack(word);
  }
  const int bits = bits_in(bucket);
  const uint64_t highest = UINT64_C(1) << (bits - 1);
  const shmemx_gptr_t segment = segment_at(pe, bits, highest);
  if (lost) return segment;
  const shmemx_gptr_t place = shmemx_gptr_add(segment, (ptrdiff_t)((bucket - highest) * 8));
  uint64_t word = fetch(place);
  if (lost || word != 0) return shmemx_gptr_unpack(word);
  const shmemx_gptr_t parent = mark_of(pe, bucket - highest);
  if (lost) return parent;
  int is_new;
  word = insert_after(parent, reverse(bucket), &is_new);
  if (lost) return parent;
  shmemx_gptr_atomic_set(place, word);
  succeeded();
  return shmemx_gptr_unpack(word);
}

// Each pair of rank and number has another key of 63 bits, which is its own hash: multiplication by
// an odd number is a bijection.
static uint64_t key_of(int pe, uint64_t number) {
  const uint64_t name = number * (uint64_t)shmem_n_pes() + (uint64_t)pe + 1;
  return name * UINT64_C(0x9e3779b97f4a7c15) >> 1;
}

static int owner_of(uint64_t key) {
  return (int)((key >> 40) % (uint64_t)shmem_n_pes());
}

// The node of a key, which is inserted if need be; 0: the operation is lost.
static uint64_t node_of(uint64_t key) {
  const int pe = owner_of(key);
  const uint64_t size = fetch_at(&buckets, pe);
  if (lost) return 0;
  const shmemx_gptr_t mark = mark_of(pe, key % size);
  if (lost) return 0;
  int is_new;
  const uint64_t word = insert_after(mark, reverse(key) | 1, &is_new);
  if (lost || !is_new) return word;
  const uint64_t now = shmem_uint64_atomic_fetch_add(&entries, 1, pe) + 1;
  if (!succeeded() || now <= entries_per_bucket * size) return word;
  shmem_uint64_atomic_compare_swap(&buckets, size, 2 * size, pe);
  succeeded();
  return word;
}

static shmemx_gptr_t value_of(uint64_t node) {
  return shmemx_gptr_add(shmemx_gptr_unpack(node), offsetof(struct node, value));
}

// Whether this is the value before an operation: 0, or the number of the last operation on that
// key. Or the one after it, if the process has died before it could count the operation.
static int is_right(uint64_t value, uint64_t operation, uint64_t keys) {
  return value == (operation < keys ? 0 : operation - keys + 1) || value == operation + 1;
}

static void operate(uint64_t operation, uint64_t keys) {
  for (;; nap()) {
    lost = 0;
    const uint64_t node = node_of(key_of(shmem_my_pe(), operation % keys));
    if (lost) continue;
    const uint64_t value = fetch(value_of(node));
    if (lost) continue;
    wrong += !is_right(value, operation, keys);
    shmemx_gptr_atomic_set(value_of(node), operation + 1);
    shmem_quiet();
    if (succeeded()) return;
  }
}

// Whether all ranks have reached a phase.
static void await_all(uint64_t reached) {
  for (int pe = 0; pe < shmem_n_pes();) {
    lost = 0;
    const uint64_t theirs = fetch_at(&phase, pe);
    if (!lost && theirs >= reached)
      ++pe;
    else
      nap();
  }
}

// The keys of a rank that has done `operations`.
static uint64_t count_wrong(int pe, uint64_t operations, uint64_t keys) {
  uint64_t count = 0;
  for (uint64_t key = 0; key < keys && key < operations;) {
    lost = 0;
    const uint64_t node = node_of(key_of(pe, key));
    const uint64_t value = lost ? 0 : fetch(value_of(node));
    if (lost) {
      nap();
      continue;
    }
    const uint64_t last = key + (operations - 1 - key) / keys * keys;
    count += value != last + 1;
    ++key;
  }
  return count;
}

static int report(void) {
  uint64_t all = 0, all_wrong = 0;
  int restarts = 0;
  for (int pe = 0; pe < shmem_n_pes();) {
    lost = 0;
    const uint64_t theirs = fetch_at(&done, pe);
    const uint64_t bad = fetch_at(&wrong, pe);
    if (lost) {
      nap();
      continue;
    }
    all += theirs;
    all_wrong += bad;
    restarts += shmemx_pe_restarts(pe++);
  }
  printf("%lu operations, %d restarts, %lu wrong values: %s\n", (unsigned long)all, restarts,
         (unsigned long)all_wrong, all_wrong == 0 ? "right" : "WRONG");
  fflush(stdout);
  return all_wrong == 0;
}

static void begin_table(void) {
  while (first == 0) {
    lost = 0;
    const struct node mark = {0, 0, 0};
    const shmemx_gptr_t block = block_of(shmem_my_pe(), &mark, sizeof mark);
    if (!lost) first = shmemx_gptr_pack(block);
  }
}

static void check_next_rank(uint64_t keys) {
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  uint64_t theirs = 0;
  do {
    lost = 0;
    theirs = fetch_at(&done, next);
  } while (lost);
  wrong += count_wrong(next, theirs, keys);
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument table[] = {
      {"--keys", "keys of each rank", WHOLE_NUMBER, 1, 1e7, 2000, NULL},
      {"--rounds", "operations on each key", WHOLE_NUMBER, 1, 1e9, 10, NULL},
      {"--seconds", "time after which no operation begins; 0: none", WHOLE_NUMBER, 0, 1e6, 0, NULL},
      {"--every", "calls from a death of each rank to its next one; 0: nobody dies", WHOLE_NUMBER,
       0, 1e9, 0, NULL}};
  read_arguments("A hash table over all ranks that stays whole while ranks die.", table, 4, argc,
                 argv);
  const uint64_t keys = (uint64_t)table[0].number;
  const uint64_t operations = keys * (uint64_t)table[1].number;
  static time_t end;
  if (end == 0) end = time(NULL) + (time_t)table[2].number;
  every = table[3].number == 0 ? 0 : (uint64_t)table[3].number + (uint64_t)shmem_my_pe();

  begin_table();
  for (; phase < works && done < operations; ++done) {
    if (table[2].number != 0 && time(NULL) >= end) break;
    operate(done, keys);
  }
  if (phase < works) phase = works;
  await_all(works);
  if (phase < checks) check_next_rank(keys);
  if (phase < checks) phase = checks;
  await_all(checks);
  const int is_right_everywhere = shmem_my_pe() != 0 || report();
  shmem_finalize();
  return is_right_everywhere ? 0 : 1;
}
