// Reads control memory while a program may damage it: checks a copy, and does not read the memory
// again. Tools and launchers use this, because they must continue even if the memory is damaged.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "core/printable.hpp"
#include "memory/control_page.hpp"

namespace gondwana {

template <typename T>
T copy_live(const T& live) {
  static_assert(std::is_trivially_copyable_v<T>);
  T copy;
  std::memcpy(&copy, &live, sizeof(T));
  // Without it the compiler may read the live bytes again instead of the copy.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return copy;
}

// If the memory is damaged and the state is invalid, the rank counts as not finalized.
inline RankState state_in(const ControlPage& page) {
  const RankState state = page.state.load(std::memory_order_acquire);
  return state <= RankState::finalized ? state : RankState::running;
}

// A process number, or 0.
inline pid_t process_in(const std::atomic<std::uint32_t>& live) {
  return std::max(static_cast<pid_t>(live.load(std::memory_order_relaxed)), 0);
}

inline std::string call_in(const Waiting& waiting) {
  return printable(waiting.call());
}

// A zero-terminated text, or the whole array.
template <std::size_t Size>
std::string text_in(const std::array<char, Size>& live) {
  const std::array<char, Size> copy = copy_live(live);
  return printable({copy.data(), ::strnlen(copy.data(), Size)});
}

}  // namespace gondwana
