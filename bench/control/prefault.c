// THREADS threads populate fresh shared memory, each an equal part of it: by a write to each page,
// and by madvise if the kernel supports it. The time includes the start and the end of the threads.
// Usage: prefault THREADS [MEBIBYTES]
#include "../common/crew.h"

#include <pthread.h>

enum { SAMPLES = 5, MAX_THREADS = 64, POPULATE_WRITE = 23 };

struct part {
  char* start;
  size_t bytes;
  int advised;
};

static void* take(void* argument) {
  const struct part* part = argument;
  if (part->advised) {
    if (madvise(part->start, part->bytes, POPULATE_WRITE) != 0) fail_with_errno("madvise");
    return NULL;
  }
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t at = 0; at < part->bytes; at += page) ((volatile char*)part->start)[at] = 1;
  return NULL;
}

static int64_t take_together(char* pages, size_t bytes, size_t threads, int advised) {
  pthread_t others[MAX_THREADS];
  struct part parts[MAX_THREADS];
  const int64_t start = now_ns();
  for (size_t i = 0; i < threads; ++i) {
    parts[i] = (struct part){pages + bytes / threads * i, bytes / threads, advised};
    require(i == 0 || pthread_create(&others[i], NULL, take, &parts[i]) == 0, "no thread");
  }
  take(&parts[0]);
  for (size_t i = 1; i < threads; ++i) pthread_join(others[i], NULL);
  return now_ns() - start;
}

static double sample(size_t bytes, size_t threads, int advised) {
  const int fd = memfd_create("prefault", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) fail_with_errno("memfd");
  char* pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (pages == MAP_FAILED) fail_with_errno("mmap");
  const int64_t took = take_together(pages, bytes, threads, advised);
  munmap(pages, bytes);
  close(fd);
  return (double)took;
}

// Linux 5.14 and later support the advice.
static int knows_advice(void) {
  return madvise(shared_pages(4096), 4096, POPULATE_WRITE) == 0;
}

int main(int argc, char** argv) {
  const size_t threads = argument(argc, argv, 1, 2);
  const size_t bytes = argument(argc, argv, 2, 128) << 20;
  require(threads >= 1 && threads <= MAX_THREADS, "expected 1 to 64 threads");
  for (int advised = 0; advised <= knows_advice(); ++advised) {
    double* samples = new_samples(SAMPLES);
    for (int i = 0; i < SAMPLES; ++i) samples[i] = sample(bytes, threads, advised);
    char name[64];
    snprintf(name, sizeof name, "%s_%zu", advised ? "touch_advised" : "touch", threads);
    report(name, "control", samples, SAMPLES);
  }
  return 0;
}
