// The teams of a rank, by number: two that always exist, and others from splits.
//
// A team's number identifies its sync lines and scratch on each member. Teams that share no member
// may have the same number. collectives/split.cpp chooses the numbers.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "engine/rma/reach.hpp"
#include "engine/teams/team.hpp"
#include "memory/layout.hpp"

namespace gondwana {

class Teams {
 public:
  Teams(const NodeMemory& memory, const Reach& reach, Rank me);
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  Team& world() { return *teams_[world_number]; }
  Team& shared() { return *teams_[shared_number]; }  // the ranks within reach of loads and stores
  Team* find(std::uint32_t number) const {
    return number < teams_.size() ? teams_[number].get() : nullptr;
  }

  // Numbers for the program, or for sets: 64 at most of each kind.
  enum class Kind : std::uint8_t { program, set };
  static constexpr std::uint32_t first_number(Kind kind) {
    return kind == Kind::program ? 0 : max_teams;
  }
  // The free numbers of the kind on this rank, as bits; the lowest bit is the first number.
  std::uint64_t free_numbers(Kind kind) const {
    return free_[static_cast<std::size_t>(kind)].load();
  }
  // Returns false if another thread has the number.
  bool take(std::uint32_t number);
  void give_back(std::uint32_t number);
  // An epoch that no team with this number has exceeded on this rank.
  Epoch last_epoch(std::uint32_t number) const { return last_epoch_[number]; }

  // Makes a team with a number that was taken and an epoch that no member has exceeded. This rank
  // is a member.
  Team& make(std::uint32_t number, const Team& parent, const TeamShape& shape, Epoch epoch);
  // No member is inside a collective of the team. The world and shared teams cannot end.
  void end(const Team& team);

 private:
  static constexpr std::uint64_t bit_of(std::uint32_t number) {
    return std::uint64_t{1} << number % max_teams;
  }
  std::atomic<std::uint64_t>& word_of(std::uint32_t number) { return free_[number / max_teams]; }

  static constexpr std::uint32_t world_number = 0;
  static constexpr std::uint32_t shared_number = 1;

  std::unique_ptr<Team> first_team(std::uint32_t number, std::uint32_t first,
                                   std::uint32_t size) const;
  // Tells tools which ranks are its members; `size` 0: it is no more.
  void show(const Team& team, std::uint32_t size) const;
  Legacy& legacy() const { return memory_->page(me_).legacy; }

  const NodeMemory* memory_;
  Reach reach_;
  Rank me_;
  // Written by the thread that has taken the number.
  std::array<std::unique_ptr<Team>, team_numbers> teams_;
  Epoch first_epoch_;
  std::array<Epoch, team_numbers> last_epoch_;      // of the last team with this number
  std::array<std::atomic<std::uint64_t>, 2> free_;  // by kind, one bit per number
};

}  // namespace gondwana
