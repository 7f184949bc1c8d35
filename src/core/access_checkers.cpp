#include "core/access_checkers.hpp"

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else  // without it memcheck is told nothing
#define RUNNING_ON_VALGRIND 0
#define VALGRIND_MAKE_MEM_NOACCESS(start, size) (void)0
#define VALGRIND_MAKE_MEM_DEFINED(start, size) (void)0
#endif

namespace gondwana {

bool runs_under_valgrind() {
  return RUNNING_ON_VALGRIND != 0;
}

void forbid_access(std::byte* start, std::size_t size) {
  if (has_address_sanitizer()) __asan_poison_memory_region(start, size);
  VALGRIND_MAKE_MEM_NOACCESS(start, size);
}

// Memcheck does not see what peers write there, so all of it counts as initialised.
void allow_access(std::byte* start, std::size_t size) {
  if (has_address_sanitizer()) __asan_unpoison_memory_region(start, size);
  VALGRIND_MAKE_MEM_DEFINED(start, size);
}

}  // namespace gondwana
