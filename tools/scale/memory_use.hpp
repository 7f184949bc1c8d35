// The memory that this process uses. The difference of two samples is the memory allocated between
// them.
#pragma once

#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>

#include "core/process_stat.hpp"

namespace gondwana::scale {

struct MemoryUse {
  std::uint64_t allocated = 0;  // bytes from malloc
  std::uint64_t shared = 0;     // bytes of memfds, in pages that this process maps

  static MemoryUse now() {
    const struct mallinfo2 all = ::mallinfo2();
    return {.allocated = all.uordblks + all.hblkhd, .shared = resident_shared()};
  }

 private:
  static std::uint64_t resident_shared() {
    return 1024 * status_of(::getpid(), "RssShmem:", 10).value_or(0);
  }
};

inline std::uint64_t processor_time_us() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec) / 1000;
}

}  // namespace gondwana::scale
