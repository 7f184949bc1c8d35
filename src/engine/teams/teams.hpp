// The teams of a rank, by number: two that always exist, and others created by splits.
//
// A team's number identifies its sync lines and scratch on each member. Teams that share no member
// may have the same number. collectives/split.cpp chooses the numbers.
//
// A number is reused when all members of its team have ended it. The state of the old team does not
// disturb the new one: epochs continue where the old team stopped.
// Flags are zero after each operation. A member that still reads a line of the old team waits for
// an epoch that the line has reached and never goes back from.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "core/function_ref.hpp"
#include "core/sparse_array.hpp"
#include "engine/rma/reach.hpp"
#include "engine/teams/team.hpp"
#include "memory/layout.hpp"

namespace gondwana {

class Teams {
 public:
  // `world`: the ranks of the world team.
  Teams(const NodeMemory& memory, const Reach& reach, Rank me, const Session& world);
  ~Teams();
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  Team& world() { return *teams_[world_number]; }
  Team& shared() { return *teams_[shared_number]; }  // the ranks within reach of loads and stores
  Team* find(std::uintptr_t number) const {
    return number < teams_.size() ? teams_[number] : nullptr;
  }

  // Free numbers of this rank, as bits: one group of 64, starting at 64 * word.
  struct FreeNumbers {
    std::uint64_t word;
    std::uint64_t bits;
  };
  static constexpr std::uint64_t numbers_of_word = 64;
  static constexpr std::uint64_t words = NodePlan::max_teams / numbers_of_word;
  // The first group at or after `word` with free numbers; `words` and no bits if there is none.
  FreeNumbers free_from(std::uint64_t word) const;
  // Returns false if another thread has taken the number.
  bool take(std::uint32_t number);
  void give_back(std::uint32_t number);
  // An epoch that no team with this number has exceeded on this rank.
  Epoch last_epoch(std::uint32_t number) const {
    return std::max(first_epoch_, last_epoch_[number]);
  }

  // Creates a team of chosen members of its parent, with a number that was taken and an epoch that
  // no member has exceeded. This rank must be one of them. `made_at`: see Team.
  Team& make(std::uint32_t number, const Team& parent, const Members& chosen, Epoch epoch,
             std::uint32_t made_at);
  Team& make(std::uint32_t number, const Team& parent, const Members& chosen, Epoch epoch) {
    return make(number, parent, chosen, epoch, parent.made_at);
  }
  // The world team gets these members, the shared team those of them that it may have, and both an
  // epoch that no member has exceeded. No member may be inside a collective of one of them.
  void renew_first(const Members& members, Epoch epoch, std::uint32_t made_at);
  // No member may be inside a collective of the team. The world and shared teams cannot end.
  void end(const Team& team);
  // The same, but its number is not used again.
  void retire(const Team& team);
  // Calls `use` with each team but the world and shared teams, in the order of their numbers.
  // `use` may end the team.
  void for_each_other(FunctionRef<void(Team&)> use);

 private:
  static constexpr std::uint64_t bit_of(std::uint32_t number) {
    return std::uint64_t{1} << number % numbers_of_word;
  }
  std::atomic<std::uint64_t>& word_of(std::uint32_t number) {
    return taken_[number / numbers_of_word];
  }

  static constexpr std::uint32_t world_number = 0;
  static constexpr std::uint32_t shared_number = 1;

  Members those_here(const Members& members) const;
  void make_first(std::uint32_t number, const Members& members);
  Team& keep(Team team, Epoch epoch);
  // Shows the members of the team to tools; `size` 0: the team has ended.
  void show(const Team& team, std::uint32_t size) const;
  Legacy& legacy() const { return memory_->page(me_).legacy; }

  const NodeMemory* memory_;
  Reach reach_;
  Rank me_;
  // By number; written by the thread that took the number.
  SparseArray<Team*, NodePlan::max_teams> teams_;       // null: no team; owned
  SparseArray<Epoch, NodePlan::max_teams> last_epoch_;  // of the last team with this number
  Epoch first_epoch_;
  std::array<std::atomic<std::uint64_t>, words> taken_{};  // one bit per number
};

}  // namespace gondwana
