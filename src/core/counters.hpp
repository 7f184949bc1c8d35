// What went through a lane, always counted: plain load, add, relaxed store by the lane's thread, no
// lock prefix. The blocks lie in the control page: launcher and tools read them while the job runs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/types.hpp"

namespace gondwana {

enum class Count : std::uint8_t { puts, put_bytes, gets, get_bytes, atomics, syncs, waits, sleeps };

inline constexpr std::array<std::string_view, 8> count_names{
    "puts", "put_bytes", "gets", "get_bytes", "atomics", "syncs", "waits", "sleeps"};

struct alignas(cache_line) CounterBlock {
  std::array<std::atomic<std::uint64_t>, count_names.size()> values;

  // Owner only.
  void add(Count what, std::uint64_t amount = 1) {
    std::atomic<std::uint64_t>& value = values[static_cast<std::size_t>(what)];
    value.store(value.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }

  std::uint64_t read(Count what) const {
    return values[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
  }
};

}  // namespace gondwana
