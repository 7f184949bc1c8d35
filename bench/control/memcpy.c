// The time of one memcpy from private into shared pages, both touched before.
// Usage: memcpy [BYTES]...
#include "../common/crew.h"

enum { SAMPLES = 50, LARGEST = 64 << 20 };

static void measure(char* to, const char* from, size_t bytes) {
  const size_t copies = bytes < (1 << 20) ? (1 << 20) / bytes : 1;
  double* samples = new_samples(SAMPLES);
  for (int i = 0; i < SAMPLES; ++i) {
    const int64_t start = now_ns();
    for (size_t copy = 0; copy < copies; ++copy) {
      memcpy(to, from, bytes);
      __asm__ volatile("" ::: "memory");  // or the compiler may keep only the last copy
    }
    samples[i] = ns_per_op(now_ns() - start, copies);
  }
  char name[64];
  snprintf(name, sizeof name, "memcpy_%zu", bytes);
  report(name, "control", samples, SAMPLES);
}

int main(int argc, char** argv) {
  static const size_t usual[] = {4 << 10, 64 << 10, 1 << 20, 4 << 20, 64 << 20};
  char* to = shared_pages(LARGEST);
  char* from = malloc(LARGEST);
  if (from == NULL) return 1;
  memset(to, 1, LARGEST);
  memset(from, 2, LARGEST);
  for (int i = 1; i < argc; ++i) {
    const size_t bytes = argument(argc, argv, i, 4096);
    measure(to, from, bytes > LARGEST ? LARGEST : bytes > 0 ? bytes : 1);
  }
  for (size_t i = 0; argc == 1 && i < sizeof usual / sizeof *usual; ++i)
    measure(to, from, usual[i]);
  free(from);
  return 0;
}
