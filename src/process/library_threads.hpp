// Which threads of this process belong to the library.
#pragma once

#include <cstdint>

#include "core/machine.hpp"
#include "process/process.hpp"

namespace gondwana {

// Exceeds the number of threads of any process: it is unknown whether the threads of this rank
// belong to the program.
inline constexpr std::uint32_t unknown_threads = 1U << 30;

// Whether the program has one thread: this one.
inline bool has_one_thread(const Process& self) {
  return own_threads() == 1 + self.library_threads;
}

// The number of library threads after `step`, which may start some. Threads that the program starts
// at the same time would count too, so only a process without threads of its own is counted.
template <typename Step>
auto count_threads_of(Process& self, const Step& step) {
  const bool is_known = has_one_thread(self);
  auto result = step();
  self.library_threads = is_known ? own_threads() - 1 : unknown_threads;
  return result;
}

}  // namespace gondwana
