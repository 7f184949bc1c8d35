// The types that every layer uses: Rank, Remote (a location), Bytes (data).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gondwana {

// The number of a process (or thread) of the job, 0 to ranks - 1. Not an int: it has no arithmetic.
enum class Rank : std::uint32_t {};

constexpr std::uint32_t index(Rank rank) {
  return static_cast<std::uint32_t>(rank);
}

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

// The spaces of a rank: its arena, which is host memory, and numbered memory of other kinds
// (spaces/space_table.hpp).
enum class SpaceId : std::uint32_t { arena = 0 };

// The most spaces of a rank. Their numbers travel in the bits of a word that a rank does not need.
inline constexpr std::uint32_t rank_bits = 20;
inline constexpr std::uint32_t max_spaces = 2048;
static_assert(max_spaces <= 1U << (32 - rank_bits));

constexpr std::uint32_t index(SpaceId space) {
  return static_cast<std::uint32_t>(space);
}

// One space of one rank, by default its arena.
struct Space {
  Rank rank;
  SpaceId id = SpaceId::arena;

  constexpr Space(Rank of) : rank(of) {}  // NOLINT(google-explicit-constructor)
  constexpr Space(Rank of, SpaceId number) : rank(of), id(number) {}
  constexpr bool is_arena() const { return id == SpaceId::arena; }
};

// A place in the memory of a rank: `offset` bytes from the start of one of its spaces.
struct Remote {
  Rank rank{0};
  SpaceId space = SpaceId::arena;
  std::size_t offset = 0;

  constexpr Remote() = default;
  constexpr Remote(Space owner, std::size_t from_start)
      : rank(owner.rank), space(owner.id), offset(from_start) {}
  constexpr Space owner() const { return {rank, space}; }
};
static_assert(sizeof(Remote) == 16);

inline constexpr std::size_t cache_line = 64;

// The name of the user's call ("shmem_barrier_all"), for errors and for tools while it blocks. A
// string literal.
using CallName = const char*;

constexpr std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace gondwana
