// The cost of devices: puts of 8 bytes to the heap once a device is in use, compared with puts
// before that in the same process; and creating and destroying device segments, compared with
// allocating and freeing device memory. Neither may leave a mapping or a descriptor behind.
#include "gasnet_job.h"
#include "pairs.h"

#include <fcntl.h>
#include <gasnet_mk.h>
#include <shmemx.h>

enum { BATCHES = 200, OPS = 1000, ALLOCATIONS = 25, ALLOCATION_BATCHES = 40, BYTES = 1 << 20 };
enum { MOST_DESCRIPTORS = 4096, SLACK = 8 };  // mappings that malloc may add

static void put(const struct cells* c, size_t ops) {
  long value = 7;
  for (size_t i = 0; i < ops; ++i) shmem_put64(c->symmetric, &value, 1, c->peer);
  shmem_quiet();
}

static void store(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) shmem_long_p(c->symmetric, (long)i, c->peer);
  shmem_quiet();
}

static const struct pair measured[] = {{"device_in_use_put", put, NULL},
                                       {"device_in_use_p", store, NULL}};

static void time_puts(const char* side, const struct cells* cells) {
  for (size_t i = 0; i < sizeof measured / sizeof *measured; ++i) {
    double* samples = new_samples(BATCHES);
    measured[i].ours(cells, OPS);
    for (size_t j = 0; j < BATCHES; ++j) time_batch(measured[i].ours, cells, OPS, &samples[j]);
    report(measured[i].name, side, samples, BATCHES);
  }
}

static const struct job* job;
static gex_MK_t kind;

static void make_segments(const struct cells* unused, size_t count) {
  (void)unused;
  for (size_t i = 0; i < count; ++i) {
    gex_Segment_t segment;
    require(gex_Segment_Create(&segment, job->client, NULL, BYTES, kind, 0) == GASNET_OK,
            "no segment on a device");
    gex_Segment_Destroy(segment, 0);
  }
}

static void make_memory(const struct cells* unused, size_t count) {
  (void)unused;
  for (size_t i = 0; i < count; ++i) shmemx_device_free(shmemx_device_malloc(0, BYTES));
}

static int descriptors(void) {
  int count = 0;
  for (int i = 0; i < MOST_DESCRIPTORS; ++i) count += fcntl(i, F_GETFD) >= 0;
  return count;
}

static int mappings(void) {
  int count = 0;
  FILE* file = fopen("/proc/self/maps", "r");
  require(file != NULL, "no /proc/self/maps");
  for (int c; (c = getc(file)) != EOF;) count += c == '\n';
  fclose(file);
  return count;
}

static void time_segments(void) {
  const struct pair segments = {"device_segment", make_segments, make_memory};
  make_segments(NULL, 1);
  const int open = descriptors();
  const int mapped = mappings();
  run_pair(&segments, NULL, ALLOCATION_BATCHES, ALLOCATIONS, 1);
  require(descriptors() == open, "segments have left descriptors open");
  require(mappings() <= mapped + SLACK, "segments have left mappings behind");
}

int main(void) {
  const struct job started = start_job(NULL, 0, GASNET_PAGESIZE);
  const gex_MK_Create_args_t device = {.gex_class = GONDWANA_MK_CLASS_EMULATED};
  job = &started;
  shmem_init();
  long* word = shmem_calloc(1, sizeof *word);
  const struct cells cells = {word, NULL, shmem_n_pes() - 1};
  if (job->rank == 0) time_puts("control", &cells);
  char* memory = shmemx_device_malloc(0, BYTES);
  require(memory != NULL && shmemx_buffer_register(memory, BYTES) == 0 &&
              gex_MK_Create(&kind, job->client, &device, 0) == GASNET_OK,
          "no device; GONDWANA_EMULATED_DEVICES=1 gives each rank one");
  shmem_putmem(memory, word, sizeof *word, cells.peer);
  if (job->rank == 0) time_puts("ours", &cells);
  if (job->rank == 0) time_segments();
  end_job(job);
}
