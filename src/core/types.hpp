// The words every layer uses: Rank, Remote (where), Bytes (what).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gondwana {

// The number of a process (or thread) of the job, 0 to ranks - 1. Not an int: it does not add.
enum class Rank : std::uint32_t {};

constexpr std::uint32_t index(Rank rank) {
  return static_cast<std::uint32_t>(rank);
}

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

// A place in the memory of a rank: `offset` bytes from the start of its arena.
struct Remote {
  Rank rank;
  std::size_t offset;
};

inline constexpr std::size_t cache_line = 64;

// The name of the call the user made ("shmem_barrier_all"): told in errors and while it blocks.
// A string literal; never owned.
using CallName = const char*;

constexpr std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace gondwana
