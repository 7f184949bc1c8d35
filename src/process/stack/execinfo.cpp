// Stacks by the C library: names of exported functions, and addresses for addr2line.
#include <execinfo.h>

#include <algorithm>
#include <array>

#include "process/stack.hpp"

namespace gondwana {

void prepare_stack() {
  std::array<void*, 1> frame;
  ::backtrace(frame.data(), 1);  // the first call loads a library
}

bool print_stack(int fd, std::uintptr_t from) {
  std::array<void*, 128> frames;
  const int depth = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  if (depth <= 0) return false;
  void** const end = frames.data() + depth;
  void** first = std::find(frames.data(), end, reinterpret_cast<void*>(from));
  if (first == end) first = frames.data();
  ::backtrace_symbols_fd(first, static_cast<int>(end - first), fd);
  return true;
}

}  // namespace gondwana
