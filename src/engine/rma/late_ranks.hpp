// The ranks that have joined the job after this rank. The fast paths know them once the ranks agree
// on a world with them; until then the slow paths ask here.
#pragma once

#include <optional>
#include <string>

#include "engine/rma/reach.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

class LateRanks {
 public:
  // `memory` outlives this object. Without `use_reach` no rank joins late.
  LateRanks(const NodeMemory& memory, const SymmetricRanges& symmetric, bool use_reach)
      : memory_(&memory), reach_(memory, use_reach ? memory.roster().slots() : 0, symmetric) {}

  // Whether loads and stores reach the rank: it runs, or has run.
  bool reaches(Rank rank) const {
    return reach_.covers(rank) && memory_->roster().is_here(rank) &&
           memory_->page(rank).state.load(std::memory_order_acquire) >= RankState::running;
  }
  // Whether the rank runs, or has run. Messages reach it if loads and stores do not.
  bool has_joined(Rank rank) const { return reaches(rank) || has_joined_elsewhere(rank); }
  // Like Reach::find().
  Reach::Place find(Rank rank, const void* object, std::size_t size) const {
    return reaches(rank) ? reach_.find(rank, object, size) : Reach::Place{};
  }
  // Whether the rank has a number, but does not run yet.
  bool is_awaited(Rank rank) const {
    return index(rank) < memory_->roster().size() && !has_joined(rank);
  }

 private:
  bool has_joined_elsewhere(Rank rank) const {
    return index(rank) < memory_->roster().size() && !memory_->roster().is_here(rank) &&
           memory_->death(rank).has_joined.load(std::memory_order_acquire) != 0;
  }

  const NodeMemory* memory_;
  Reach reach_;
};

}  // namespace gondwana
