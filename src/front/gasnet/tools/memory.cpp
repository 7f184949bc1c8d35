// Pages from the system, and statistics of malloc.
#include <malloc.h>
#include <sys/mman.h>

#include <cstdint>

#include "gasnet_tools.h"

namespace {

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
constexpr auto read_heap = &mallinfo2;
#else
constexpr auto read_heap = &mallinfo;  // counts modulo 2^32
#endif

}  // namespace

void* gasnett_mmap(std::uintptr_t size) {
  void* pages = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages != MAP_FAILED ? pages : nullptr;
}

void gasnett_getheapstats(gasnett_heapstats_t* stats) {
  const auto heap = read_heap();
  // malloc counts blocks that have their own mapping apart from the arenas.
  stats->live_bytes = static_cast<std::uint64_t>(heap.uordblks) + heap.hblkhd;
  stats->overhead_bytes = static_cast<std::uint64_t>(heap.fordblks);
  stats->total_bytes = static_cast<std::uint64_t>(heap.arena) + heap.hblkhd;
}
