// The deaths of ranks and the starts of their replacements, in one order that is the same for all
// processes. Entries have numbers from 1. One process appends; an entry never changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/types.hpp"

namespace gondwana {

enum class RosterChange : std::uint32_t { death, start };

// All zero: empty.
struct RosterEntry {
  std::atomic<std::uint32_t> word;
};

class RosterLog {
 public:
  // The most entries: agreements name an entry with 16 bits.
  static constexpr std::uint32_t capacity = (1U << 16) - 1;

  explicit RosterLog(std::span<RosterEntry> entries) : entries_(entries) {}

  // The caller publishes the number of entries afterwards.
  void write(std::uint32_t number, Rank rank, RosterChange change) const {
    entries_[number - 1].word.store(index(rank) << 1 | static_cast<std::uint32_t>(change),
                                    std::memory_order_relaxed);
  }

  // Whether the rank lives, or is started, after the first `count` entries.
  bool lives(Rank rank, std::uint32_t count) const {
    for (std::uint32_t number = count; number > 0; --number)
      if (is_of(number, rank)) return change_in(number) == RosterChange::start;
    return true;
  }
  // How many processes have taken the place of the rank in the first `count` entries.
  std::uint32_t starts(Rank rank, std::uint32_t count) const {
    std::uint32_t starts = 0;
    for (std::uint32_t number = 1; number <= count; ++number)
      if (is_of(number, rank) && change_in(number) == RosterChange::start) ++starts;
    return starts;
  }
  // The first death of the rank after the first `from` of `count` entries; 0: none.
  std::uint32_t first_death(Rank rank, std::uint32_t from, std::uint32_t count) const {
    for (std::uint32_t number = from + 1; number <= count; ++number)
      if (is_of(number, rank) && change_in(number) == RosterChange::death) return number;
    return 0;
  }

 private:
  std::uint32_t word(std::uint32_t number) const {
    return entries_[number - 1].word.load(std::memory_order_relaxed);
  }
  bool is_of(std::uint32_t number, Rank rank) const { return word(number) >> 1 == index(rank); }
  RosterChange change_in(std::uint32_t number) const { return RosterChange{word(number) & 1}; }

  std::span<RosterEntry> entries_;
};

}  // namespace gondwana
