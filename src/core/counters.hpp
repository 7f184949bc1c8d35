// Counts the traffic of a lane. Counting is always on: the lane's thread loads, adds and stores
// without a lock prefix. The blocks are in the control page. Launcher and tools read them while the
// job runs.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/types.hpp"

namespace gondwana {

enum class Count : std::uint8_t { puts, put_bytes, gets, get_bytes, atomics, syncs, waits, sleeps };

inline constexpr std::array<std::string_view, 8> count_names{
    "puts", "put_bytes", "gets", "get_bytes", "atomics", "syncs", "waits", "sleeps"};

class alignas(cache_line) CounterBlock {
 public:
  static constexpr std::uint64_t layout_version = 1;  // see core/fingerprint.hpp

  // For the owner only.
  // Returns the count.
  std::uint64_t add(Count what, std::uint64_t amount = 1) {
    return add_to(counts_[slot(what)], amount);
  }
  void add_put(std::size_t size) { add_transfer(Count::puts, Count::put_bytes, size); }
  void add_get(std::size_t size) { add_transfer(Count::gets, Count::get_bytes, size); }

  // A transfer of one value of 1, 2, 4, 8 or 16 bytes: one counter in place of two, for the calls
  // where a nanosecond counts.
  template <std::size_t Width>
  void add_value_put() {
    add_to(value_puts_[value_slot<Width>()], 1);
  }
  template <std::size_t Width>
  void add_value_get() {
    add_to(value_gets_[value_slot<Width>()], 1);
  }

  // For any thread. Values count among puts, gets and their bytes.
  std::uint64_t read(Count what) const {
    std::uint64_t total = counts_[slot(what)].load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < widths; ++i) {
      if (what == Count::puts) total += load(value_puts_[i]);
      if (what == Count::put_bytes) total += load(value_puts_[i]) << i;
      if (what == Count::gets) total += load(value_gets_[i]);
      if (what == Count::get_bytes) total += load(value_gets_[i]) << i;
    }
    return total;
  }

 private:
  using Value = std::atomic<std::uint64_t>;
  static constexpr std::size_t widths = 5;

  static constexpr std::size_t slot(Count what) { return static_cast<std::size_t>(what); }

  template <std::size_t Width>
    requires(std::has_single_bit(Width) && Width <= 16)
  static constexpr std::size_t value_slot() {
    return static_cast<std::size_t>(std::countr_zero(Width));
  }

  static std::uint64_t load(const Value& value) { return value.load(std::memory_order_relaxed); }
  static std::uint64_t add_to(Value& value, std::uint64_t amount) {
    const std::uint64_t count = value.load(std::memory_order_relaxed) + amount;
    value.store(count, std::memory_order_relaxed);
    return count;
  }

  void add_transfer(Count times, Count bytes, std::size_t size) {
    add(times);
    add(bytes, size);
  }

  std::array<Value, count_names.size()> counts_;
  std::array<Value, widths> value_puts_;  // indexed by the logarithm of the width
  std::array<Value, widths> value_gets_;
};

}  // namespace gondwana
