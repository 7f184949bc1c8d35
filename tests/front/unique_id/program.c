/* A rank without a launcher: `unique_id HOW FOLDER RANK SIZE`. The unique id travels in a file of
   the folder, which rank 0 writes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shmemx.h"

static long in_data[4] = {1, 2, 3, 4};
static long in_bss;

static void fail(const char* what) {
  fprintf(stderr, "failed: %s\n", what);
  exit(70);
}

#define CHECK(condition)                \
  do {                                  \
    if (!(condition)) fail(#condition); \
  } while (0)

static void path_of(char* path, size_t size, const char* folder, const char* name) {
  snprintf(path, size, "%s/%s", folder, name);
}

static void write_id(const char* folder, const char* name, const shmemx_uniqueid_t* id) {
  char path[4096], other[4096];
  path_of(path, sizeof path, folder, name);
  snprintf(other, sizeof other, "%.4000s.new", path);
  FILE* file = fopen(other, "wb");
  CHECK(file != NULL && fwrite(id, sizeof *id, 1, file) == 1 && fclose(file) == 0);
  CHECK(rename(other, path) == 0);
}

static shmemx_uniqueid_t read_id(const char* folder, const char* name) {
  shmemx_uniqueid_t id;
  char path[4096];
  path_of(path, sizeof path, folder, name);
  FILE* file = NULL;
  while ((file = fopen(path, "rb")) == NULL) usleep(1000);
  CHECK(fread(&id, sizeof id, 1, file) == 1 && fclose(file) == 0);
  return id;
}

static int join(const char* folder, const char* name, int rank, int size) {
  shmemx_uniqueid_t id = SHMEMX_UNIQUEID_INITIALIZER;
  if (rank == 0) {
    CHECK(shmemx_get_uniqueid(&id) == 0);
    write_id(folder, name, &id);
  }
  id = read_id(folder, name);
  shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
  CHECK(shmemx_set_attr_uniqueid_args(rank, size, &id, &attr) == 0);
  return shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID, &attr);
}

/* Everybody writes to the next rank, on the heap and, if they are symmetric, to variables. */
static void work(int rank, int size, int variables) {
  CHECK(shmem_my_pe() == rank && shmem_n_pes() == size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  long* on_heap = shmem_calloc(4, sizeof(long));
  CHECK(on_heap != NULL);
  CHECK(shmem_addr_accessible(&in_bss, next) == variables);
  shmem_long_p(on_heap, rank + 10, next);
  shmem_long_atomic_inc(on_heap + 1, 0);
  if (variables) shmem_long_p(&in_bss, rank + 20, next);
  if (variables) shmem_long_p(&in_data[2], rank + 30, next);
  shmem_barrier_all();
  CHECK(on_heap[0] == before + 10);
  CHECK(rank != 0 || on_heap[1] == size);
  CHECK(!variables || (in_bss == before + 20 && in_data[2] == before + 30));
  CHECK(in_data[0] == 1 && in_data[3] == 4);
  shmem_barrier_all();
  shmem_free(on_heap);
}

static int once(const char* folder, int rank, int size) {
  CHECK(join(folder, "id", rank, size) == 0);
  work(rank, size, 1);
  shmem_finalize();
  return 0;
}

/* Jobs, each of another size and with other ranks, and between them the process is alone or in the
   job of its launcher. */
static int again(const char* folder, int rank, int size) {
  char name[32];
  for (int job = 0; job < 3 && job < size; ++job) {
    const int ranks = size - job, number = ranks - 1 - rank;
    snprintf(name, sizeof name, "id%d", job);
    if (number >= 0) {
      CHECK(join(folder, name, number, ranks) == 0);
      work(number, ranks, 1);
      shmem_finalize();
    }
    shmem_init();
    CHECK(shmem_n_pes() == (getenv("OUTER") ? atoi(getenv("OUTER")) : 1));
    in_bss = 5;
    shmem_finalize();
    CHECK(in_bss == 5);
  }
  return 0;
}

static void* sleep_long(void* unused) {
  sleep(100);
  return unused;
}

static int threads(const char* folder, int rank, int size) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, sleep_long, NULL) == 0);
  CHECK(join(folder, "id", rank, size) == 0);
  work(rank, size, 0);
  shmem_finalize();
  return 0;
}

/* The ranks are children that one process forks, of which one had a thread for the id. */
static int forks(const char* folder, int size) {
  shmemx_uniqueid_t id;
  CHECK(shmemx_get_uniqueid(&id) == 0);
  write_id(folder, "id", &id);
  for (int rank = 0; rank < size; ++rank) {
    if (fork() != 0) continue;
    shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
    CHECK(shmemx_set_attr_uniqueid_args(rank, size, &id, &attr) == 0);
    CHECK(shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID, &attr) == 0);
    work(rank, size, 1);
    shmem_finalize();
    exit(0);
  }
  int failed = 0, status = 0;
  while (wait(&status) > 0) failed |= status;
  return failed != 0;
}

/* Makes an id, or an end of the job, for the test. */
static int ends(const char* how, const char* folder, int rank, int size) {
  CHECK(join(folder, "id", rank, size) == 0);
  shmem_barrier_all();
  if (rank == 1 && strcmp(how, "exits") == 0) shmem_global_exit(5);
  if (rank == 1 && strcmp(how, "fails") == 0) exit(6);
  if (rank == 1 && strcmp(how, "dies") == 0) abort();
  if (strcmp(how, "waits") == 0) {
    puts("joined");
    fflush(stdout);
    getchar();
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}

#ifdef __SANITIZE_ADDRESS__
enum { LIMITS = 1 }; /* the sanitizer allocates address space */
#else
enum { LIMITS = 2 };
#endif

/* Without descriptors, and without address space for a thread, a rank gets no id, and goes on. */
static int limits(void) {
  shmem_init();
  shmemx_uniqueid_t id;
  void* memory = malloc(4096);
  for (int which = 0; which < LIMITS && shmem_my_pe() == 1; ++which) {
    const int resource = which == 0 ? RLIMIT_NOFILE : RLIMIT_AS;
    struct rlimit before, none;
    CHECK(getrlimit(resource, &before) == 0);
    none = before;
    none.rlim_cur = which == 0 ? 3 : 1 << 20;
    CHECK(setrlimit(resource, &none) == 0);
    CHECK(shmemx_get_uniqueid(&id) != 0);
    CHECK(which == 1 || shmemx_buffer_register(memory, 4096) != 0);
    CHECK(setrlimit(resource, &before) == 0);
  }
  if (shmem_my_pe() == 0) CHECK(shmemx_buffer_register(memory, 4096) != 0);
  CHECK(shmem_malloc(SIZE_MAX / 4) == NULL);
  free(memory);
  work(shmem_my_pe(), shmem_n_pes(), 1);
  shmem_finalize();
  return 0;
}

/* The ranks meet before main. */
static int meets(int rank, int size) {
  shmem_init();
  work(rank, size, 1);
  shmem_finalize();
  return 0;
}

int main(int count, char** words) {
  if (count < 5) return 64;
  const int rank = atoi(words[3]), size = atoi(words[4]);
  if (strcmp(words[1], "limits") == 0) return limits();
  if (strcmp(words[1], "meets") == 0) return meets(rank, size);
  if (strcmp(words[1], "once") == 0) return once(words[2], rank, size);
  if (strcmp(words[1], "again") == 0) return again(words[2], rank, size);
  if (strcmp(words[1], "threads") == 0) return threads(words[2], rank, size);
  if (strcmp(words[1], "forks") == 0) return forks(words[2], size);
  /* The id is there already. */
  if (strcmp(words[1], "guest") != 0) return ends(words[1], words[2], rank, size);
  const shmemx_uniqueid_t id = read_id(words[2], "id");
  shmemx_init_attr_t attr = SHMEMX_INIT_ATTR_INITIALIZER;
  if (shmemx_set_attr_uniqueid_args(rank, size, &id, &attr) != 0) return 3;
  if (shmemx_init_attr(SHMEMX_INIT_WITH_UNIQUEID, &attr) != 0) return 4;
  shmem_finalize();
  return 0;
}
