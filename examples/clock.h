#pragma once

#include <time.h>

// Seconds since some fixed moment; only differences are meaningful.
static inline double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
