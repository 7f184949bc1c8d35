/* The symmetric heap on devices, of two emulated ones on each rank. */
#include <shmemx.h>
#include <stdio.h>
#include <string.h>

enum { size = 1024 * 1024, words = 1000, page = 4096 };

static int me;
static int ranks;
static int failures = 0;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "rank %d: not so: %s\n", me, what);
}

static long read_word(const long* word) {
  long value = 0;
  expect(shmemx_device_memcpy(&value, word, sizeof(value)) == 0, "a word can be copied");
  return value;
}

static void write_words(long* first, const long* values, size_t count) {
  expect(shmemx_device_memcpy(first, values, count * sizeof(long)) == 0, "words can be copied");
}

static void heaps_that_differ_are_refused_by_all(void) {
  expect(shmemx_device_heap_create(me == 0 ? 7 : 0, size) != 0, "no heap without a device");
  expect(shmemx_device_heap_create(0, 0) != 0, "no heap of 0 bytes");
  if (ranks > 1)
    expect(shmemx_device_heap_create(0, me == 0 ? size : page) != 0, "no heap of two sizes");
  expect(shmemx_device_heap_destroy() != 0, "there is no heap");
}

/* Without a barrier of the program between the calls. */
static void buffers_begin_and_end_at_once(void) {
  char* buffer = shmemx_device_malloc(0, page);
  for (int i = 0; i < 20; ++i) {
    expect(shmemx_buffer_register(buffer, page) == 0, "a buffer is registered");
    expect(shmemx_buffer_unregister(buffer) == 0, "it is no more");
  }
  shmemx_device_free(buffer);
}

static void blocks_are_symmetric(void) {
  const int device = me % shmemx_devices();
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  expect(shmemx_device_heap_create(device, size) == 0, "a heap");
  expect(shmemx_device_heap_create(device, size) != 0, "no second heap");
  long* first = shmemx_device_heap_malloc(words * sizeof(long));
  long* second = shmemx_device_heap_align(page, words * sizeof(long));
  expect(first != NULL && second != NULL, "two blocks");
  expect((uintptr_t)first % 256 == 0 && (uintptr_t)second % page == 0, "blocks are aligned");
  expect(shmemx_device_of(first) == device, "a block lies on the device");
  expect(shmemx_device_of(&me) == -1, "a variable of the host lies on none");
  expect(shmemx_device_heap_malloc(2 * size) == NULL, "no block larger than the heap");
  expect(shmemx_device_heap_align(2 * page, 8) == NULL, "no block with another alignment");
  expect(shmemx_device_heap_malloc(0) == NULL, "no block of 0 bytes");
  const long mine[3] = {me, me + 1, me + 2};
  const long zero = 0;
  write_words(first, mine, 3);
  write_words(second, &zero, 1);
  shmem_barrier_all();
  shmem_long_put(first + 10, first, 3, right); /* from a device to a device */
  shmem_long_atomic_add(second, me + 1, 0);
  shmem_barrier_all();
  expect(read_word(first + 12) == left + 2, "a put arrives");
  expect(shmem_long_g(second, 0) == (long)ranks * (ranks + 1) / 2, "all updates arrive");
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, first + 20, first, 3);
  expect(read_word(first + 22) == ranks + 1, "a reduction takes blocks");
  shmemx_device_heap_free(first);
  shmemx_device_heap_free(NULL);
  expect(shmemx_device_heap_malloc(words * sizeof(long)) == first, "a freed block is found again");
}

/* With what has been left there. */
static void a_heap_ends(void) {
  expect(shmemx_device_heap_destroy() == 0, "a heap ends");
  expect(shmemx_device_heap_create(0, page) == 0, "the next heap");
  long* all = shmemx_device_heap_malloc(page);
  expect(all != NULL && shmemx_device_heap_malloc(1) == NULL, "a heap is as large as asked for");
}

/* A buffer may begin anywhere in an allocation, and keeps all of it. */
static void a_buffer_keeps_its_allocation(void) {
  char* memory = shmemx_device_malloc(0, 3 * page);
  expect(shmemx_buffer_register(memory + page, page) == 0, "a part is registered");
  shmemx_device_free(memory);
  expect(shmemx_device_of(memory) == 0, "it is not freed");
  expect(shmemx_buffer_unregister(memory + page) == 0, "it is no buffer any more");
  shmemx_device_free(memory);
  expect(shmemx_device_of(memory) == -1, "now it is freed");
}

/* Where the node agents have no devices. */
static void what_agents_do_not_reach_is_refused(void) {
  char* buffer = shmemx_device_malloc(0, page);
  expect(buffer != NULL, "this rank has a device");
  expect(shmemx_buffer_register(buffer, page) != 0, "the agent refuses the buffer");
  shmem_barrier_all();
}

/* Until a rank is killed. */
static void transfer_without_end(void) {
  enum { large = 8 * size };
  static char host[large];
  expect(shmemx_device_heap_create(0, large) == 0, "a heap");
  char* block = shmemx_device_heap_malloc(large);
  if (me == 0) puts("transferring");
  fflush(stdout);
  while (me == 0) {
    shmem_putmem_nbi(block, host, large, 1);
    shmem_quiet();
    shmem_getmem(host, block, large, 1);
  }
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  ranks = shmem_n_pes();
  if (argc > 1 && strcmp(argv[1], "refused") == 0) {
    what_agents_do_not_reach_is_refused();
    shmem_finalize();
    return failures > 0;
  }
  if (argc > 1 && strcmp(argv[1], "endless") == 0) transfer_without_end();
  a_buffer_keeps_its_allocation();
  heaps_that_differ_are_refused_by_all();
  buffers_begin_and_end_at_once();
  blocks_are_symmetric();
  a_heap_ends();
  shmem_finalize();
  return failures > 0;
}
