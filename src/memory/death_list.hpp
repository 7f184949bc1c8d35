// The ranks that have died in a job that continues (`gondwana run --on-death=continue`), those that
// have left it, and those whose place another process has taken (`--restart`), in one order for all
// nodes. Each node has a copy, whose only writer is its guardian.
//
// A rank is dead from the death of its process until its replacement begins to run. An incarnation
// that has died stays dead, and a leave is final.
#pragma once

#include <cstdint>

#include "memory/node_memory.hpp"

namespace gondwana {

// Within this time a launcher tells of a death, on an idle machine.
inline constexpr std::uint64_t time_to_tell_ns = 3'000'000'000;

// A process of a rank.
struct DeadRank {
  std::uint32_t rank = 0;
  std::uint32_t incarnation = 0;  // how often the rank was replaced before

  friend bool operator==(const DeadRank&, const DeadRank&) = default;
};

// How a rank has ended. After a replaced death another process takes its place.
enum class DeathKind : std::uint8_t { death, leave, replaced_death };

struct RankDeath {
  DeadRank process;
  DeathKind how = DeathKind::death;

  friend bool operator==(const RankDeath&, const RankDeath&) = default;
};

class DeathList {
 public:
  explicit DeathList(const NodeMemory& memory) : memory_(&memory) {}

  // The number of changes so far, deaths and starts. Their ranks are then visible.
  std::uint32_t size() const {
    // Pairs with add_death().
    return memory_->header().deaths.load(std::memory_order_acquire);
  }
  // The place of a rank's last death in the order of changes, from 1. 0: it never died.
  std::uint32_t place_of(Rank rank) const {
    if (index(rank) >= memory_->roster().capacity()) return 0;
    return memory_->death(rank).number.load(std::memory_order_relaxed);
  }
  // Whether a rank that this list has has left on purpose.
  bool has_left(Rank rank) const {
    return memory_->death(rank).has_left.load(std::memory_order_relaxed) != 0;
  }
  // Whether any of the deaths after the first `known` is no leave.
  bool has_real_after(std::uint32_t known) const {
    for (std::uint32_t rank = 0; rank < memory_->roster().size(); ++rank)
      if (place_of(Rank(rank)) > known && !has_left(Rank(rank))) return true;
    return false;
  }
  // Whether calls to the rank fail now.
  bool has(Rank rank) const {
    if (size() == 0 || place_of(rank) == 0) return false;
    const DeathPlace& place = memory_->death(rank);
    // Pairs with begin_to_run().
    return place.running.load(std::memory_order_acquire) <=
           place.incarnation.load(std::memory_order_relaxed);
  }
  // Whether this process of the rank has died.
  bool has(const DeadRank& process) const {
    const Rank rank = Rank(process.rank);
    return size() > 0 && place_of(rank) != 0 &&
           process.incarnation <= memory_->death(rank).incarnation.load(std::memory_order_relaxed);
  }
  // Whether one of the ranks is dead now.
  bool has_any(std::uint32_t ranks) const;

  // How often the rank was replaced, by a process that has begun to run.
  std::uint32_t replacements_of(Rank rank) const {
    return memory_->death(rank).running.load(std::memory_order_relaxed);
  }
  // The first death of the rank after the first `from` changes; 0: none so far.
  std::uint32_t first_death(Rank rank, std::uint32_t from) const {
    return place_of(rank) <= from ? 0 : memory_->roster_log().first_death(rank, from, size());
  }

  // Whether a process has been started that replaces the rank and has not begun to run.
  bool awaits(Rank rank) const {
    const DeathPlace& place = memory_->death(rank);
    return place.started.load(std::memory_order_relaxed) >
           place.running.load(std::memory_order_relaxed);
  }
  // Called by a process that replaces a rank, once its memory is ready.
  void begin_to_run(Rank rank) const;

 private:
  const NodeMemory* memory_;
};

// Called by the guardian, for each death in order. Wakes the `ranks` ranks of the node. A rank that
// sleeps on program memory wakes within a millisecond by itself.
void add_death(NodeHeader& node, std::uint32_t ranks, const DeadRank& dead,
               DeathKind how = DeathKind::death);

// Called by the guardian when a process runs on `there` that replaces a rank, perhaps of another
// node. Likewise wakes the ranks of its node.
void add_replacement(NodeHeader& node, std::uint32_t ranks, const DeadRank& process,
                     std::uint32_t there);

}  // namespace gondwana
