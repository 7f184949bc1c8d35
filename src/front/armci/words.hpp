// Words in the arenas of processes that others read and change: the top of a process's message
// stack, its notification counters, and words that other parts of the door place.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.hpp"
#include "front/armci/shared_place.hpp"

namespace gondwana::armci {

class Door;

class Words {
 public:
  explicit Words(const Door& door) : door_(door) {}

  // Call it once, with the offsets of all processes' ArmciWords, by rank.
  void open(std::vector<std::uint64_t> offsets);
  std::uint64_t of(Rank rank) const { return offsets_[index(rank)]; }
  // The counter at `rank` of notifications from `from`.
  std::uint64_t notifications_of(Rank rank, Rank from) const {
    return of(rank) + sizeof(ArmciWords) + index(from) * sizeof(std::uint64_t);
  }
  // The number of the next notification from a process, starting at 1.
  std::uint64_t next_notification(Rank from) { return ++notified_[index(from)]; }

  // A word of any process, on this node or another.
  std::uint64_t request(CallName call, Rank rank, std::uint64_t offset,
                        const AtomicRequest& request) const;
  void store(CallName call, Rank rank, std::uint64_t offset, std::uint64_t word) const;
  std::uint64_t& own(std::uint64_t offset) const;

 private:
  const Door& door_;
  std::vector<std::uint64_t> offsets_;   // by rank
  std::vector<std::uint64_t> notified_;  // by rank: notifications already waited for
};

}  // namespace gondwana::armci
