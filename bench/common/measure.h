// Code that all programs share: how they end, a clock, statistics of samples, and one line of JSON
// for the driver. Include it first: it requests the Linux interfaces from libc.
#ifndef GONDWANA_BENCH_MEASURE_H_
#define GONDWANA_BENCH_MEASURE_H_

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Two lines of 64 bytes: the adjacent-line prefetcher of x86 moves them as a pair.
#define LINE_PAIR 128

enum { SKIPPED = 77 };  // exit status of a program that cannot run on this machine

// The end of this process and its job. `end_all` ends all ranks of a library. If it is null, only
// this process ends, also in a crew.
static int me;
static int ranks = 1;
static void (*end_all)(int status) = exit;

// Ends the job with a message, by `end_all`.
__attribute__((cold, noreturn, format(printf, 1, 2))) static inline void fail(const char* format,
                                                                              ...) {
  char message[256];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  fprintf(stderr, "%s: rank %d: %s\n", program_invocation_short_name, me, message);
  end_all(1);
  abort();  // end_all() does not return
}

__attribute__((cold, noreturn)) static inline void fail_with_errno(const char* what) {
  fail("%s: %s", what, strerror(errno));
}

static inline void require(int holds, const char* what) {
  if (!holds) fail("%s", what);
}

// Ends the job with a message, because it cannot be measured here.
__attribute__((cold, noreturn)) static inline void skip(const char* why) {
  fprintf(stderr, "%s: skipped: %s\n", program_invocation_short_name, why);
  end_all(SKIPPED);
  abort();  // end_all() does not return
}

static inline int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1000000000LL * t.tv_sec + t.tv_nsec;
}

static inline double ns_per_op(int64_t ns, size_t ops) {
  return (double)ns / (double)ops;
}

// Prints, for users, the time of one operation in one round, and the control's time; negative: no
// control.
static inline void print_round(const char* name, size_t size, double ours_ns, double control_ns) {
  printf("%s %zu %.3f ", name, size, ours_ns);
  if (control_ns < 0)
    puts("-");
  else
    printf("%.3f\n", control_ns);
  fflush(stdout);
}

static inline void compute_us(size_t us) {
  const int64_t end = now_ns() + 1000 * (int64_t)us;
  while (now_ns() < end) continue;
}

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// For loops that poll a word that another process will change within a microsecond. A process that
// waits much longer could occupy the other's processor.
static inline void let_others_run(unsigned looks) {
  if (looks % 16384 == 16383) sched_yield();
}

// The n-th argument as a number, or `fallback` if there are fewer.
static inline size_t argument(int argc, char** argv, int n, size_t fallback) {
  return argc > n ? strtoull(argv[n], NULL, 10) : fallback;
}

// Call it after a copy or a result that is never read, so that the compiler does not remove them.
static inline void keep_results(void) {
  __asm__ volatile("" ::: "memory");
}

// Whole pages, not cleared.
static inline void* new_pages(size_t bytes) {
  void* pages = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (pages == NULL)
    fail("no memory for %zu bytes; ask for fewer (gondwana bench: with -m)", bytes);
  return pages;
}

static inline double* new_samples(size_t count) {
  double* samples = calloc(count, sizeof *samples);
  if (samples == NULL) fail("no memory for %zu samples", count);
  return samples;
}

static inline int ascending(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

// Sorts the samples.
static inline double percentile(double* samples, size_t count, unsigned percent) {
  qsort(samples, count, sizeof *samples, ascending);
  return samples[(count - 1) * percent / 100];
}

// Prints one figure and frees the samples. `side` is "ours" or "control".
static inline void report(const char* name, const char* side, double* samples, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += samples[i];
  const double median = percentile(samples, count, 50);
  printf(
      "{\"name\": \"%s\", \"side\": \"%s\", \"unit\": \"ns\", \"median\": %.3f, \"p90\": %.3f, "
      "\"mean\": %.3f, \"samples\": %zu}\n",
      name, side, median, percentile(samples, count, 90), sum / (double)count, count);
  fflush(stdout);
  free(samples);
}

// Reports our side of a figure. The name is formatted. If `prints` is 0, it only frees the samples.
__attribute__((format(printf, 4, 5))) static inline void report_ours(int prints, double* samples,
                                                                     size_t count,
                                                                     const char* format, ...) {
  char name[96];
  va_list values;
  va_start(values, format);
  vsnprintf(name, sizeof name, format, values);
  va_end(values);
  if (prints)
    report(name, "ours", samples, count);
  else
    free(samples);
}

// Reports both sides of a figure in the same way.
__attribute__((format(printf, 5, 6))) static inline void report_both(int prints, double* ours,
                                                                     double* control, size_t count,
                                                                     const char* format, ...) {
  char name[96];
  va_list values;
  va_start(values, format);
  vsnprintf(name, sizeof name, format, values);
  va_end(values);
  if (prints) {
    report(name, "ours", ours, count);
    report(name, "control", control, count);
    return;
  }
  free(ours);
  free(control);
}

// Times a statement of `ops` operations: `warm_up` times without recording, and then once for each
// batch.
#define TIME_OURS(prints, warm_up, batches, ops, statement, ...)                                \
  do {                                                                                          \
    double* ns_ = new_samples(batches);                                                         \
    for (size_t i_ = 0; i_ < (size_t)(warm_up) + (size_t)(batches); ++i_) {                     \
      const int64_t start_ = now_ns();                                                          \
      statement;                                                                                \
      const int64_t end_ = now_ns();                                                            \
      if (i_ >= (size_t)(warm_up)) ns_[i_ - (size_t)(warm_up)] = ns_per_op(end_ - start_, ops); \
    }                                                                                           \
    report_ours(prints, ns_, batches, __VA_ARGS__);                                             \
  } while (0)

// Times two statements, of `ops` operations each, in alternating batches: both see the same
// machine.
#define TIME_BOTH(prints, batches, ops, ours, control, ...)           \
  do {                                                                \
    double* ours_ns_ = new_samples(batches);                          \
    double* control_ns_ = new_samples(batches);                       \
    for (size_t i_ = 0; i_ < (size_t)(batches); ++i_) {               \
      const int64_t start_ = now_ns();                                \
      ours;                                                           \
      const int64_t middle_ = now_ns();                               \
      control;                                                        \
      control_ns_[i_] = ns_per_op(now_ns() - middle_, ops);           \
      ours_ns_[i_] = ns_per_op(middle_ - start_, ops);                \
    }                                                                 \
    report_both(prints, ours_ns_, control_ns_, batches, __VA_ARGS__); \
  } while (0)

// Binds the calling thread, and those that it starts later, to one of the processors it may use.
static inline void pin(int rank) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int skip = rank % CPU_COUNT(&allowed);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || skip-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

// Pins if BENCH_PIN is set in the environment.
static inline void pin_if_asked(int rank) {
  if (getenv("BENCH_PIN") != NULL) pin(rank);
}

// Used if the threads of ranks bind themselves. Every other job calls enter_job().
static inline void enter_job_unpinned(int rank, int count, void (*end)(int status)) {
  me = rank;
  ranks = count;
  end_all = end;
}

static inline void enter_job(int rank, int count, void (*end)(int status)) {
  enter_job_unpinned(rank, count, end);
  pin_if_asked(rank);
}

#endif
