// The place of a call in the program: the return addresses of the wrapper and of its callers, read
// from the stack along the frame pointers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace gondwana::profile {

// The frame of a wrapper, which is compiled with a frame pointer: its caller's frame and its return
// address.
struct CallSite {
  const void* const* frame;
};

// Inlined, so that the frame is the wrapper's.
[[gnu::always_inline]] inline CallSite this_call() {
  return {static_cast<const void* const*>(__builtin_frame_address(0))};
}

// Return addresses, innermost first; null after the last.
using CallPath = std::array<const void*, 4>;

struct Stack {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;  // 0: unknown

  bool contains(std::uintptr_t frame) const {
    return frame >= begin && frame + 2 * sizeof(void*) <= end && frame % sizeof(void*) == 0;
  }
};

// The first address is always right. The others are right if the program has frame pointers;
// otherwise they are arbitrary words of the stack. Nothing outside `stack` is read: a call on
// another stack, such as a coroutine's, has only the first address.
inline CallPath path_of(CallSite site, const Stack& stack) {
  CallPath path{site.frame[1]};
  const void* const* frame = site.frame;
  if (!stack.contains(reinterpret_cast<std::uintptr_t>(frame))) return path;
  for (std::size_t depth = 1; depth < path.size(); ++depth) {
    const auto next = reinterpret_cast<std::uintptr_t>(frame[0]);
    if (next <= reinterpret_cast<std::uintptr_t>(frame) || !stack.contains(next)) break;
    frame = static_cast<const void* const*>(frame[0]);
    path[depth] = frame[1];
  }
  return path;
}

// The stack of the calling thread.
Stack own_stack();

}  // namespace gondwana::profile
