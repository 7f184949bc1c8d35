// Reductions of arrays too large for one round, piece by piece.
#pragma once

#include "engine/collectives/staged/reduction_arrays.hpp"

namespace gondwana::staged {

// Each member combines its part of a piece; then who wants the result gathers the parts.
//
// Count 2p + 1 of a member: piece p of its source is there; 2p + 2: its part of piece p is
// combined. So who sees all others at 2p + 2 knows that its source was read, and who sees them at
// 2p + 1 that what it combined of piece p - 2 was.
class PartsReduction {
 public:
  PartsReduction(StagedTeam& team, CallName call, const Reduction& what)
      : arrays_(team, call, what, Sharing::source_and_result) {}

  bool advance();

 private:
  enum class Stage : std::uint8_t { begin, combine, collect, end };

  bool begin();
  Part part_of_member(std::uint32_t member);
  void combine();
  void show_combined();
  void collect();

  ReductionArrays arrays_;
  std::size_t piece_ = 0;
  Stage stage_ = Stage::begin;
};

// Who wants the result combines everything. For two members: there are half as many meetings, and
// fewer bytes that pass from one to the other.
//
// Count p + 1 of a member: piece p of its source is there, and it has read all of piece p - 1. So
// who sees all others there has room to stage piece p + 1.
class WholeReduction {
 public:
  WholeReduction(StagedTeam& team, CallName call, const Reduction& what)
      : arrays_(team, call, what, Sharing::source) {}

  bool advance();

 private:
  void combine();

  ReductionArrays arrays_;
  std::size_t piece_ = 0;
  bool begun_ = false;
};

// Returns what `use` does with the step for this size.
template <typename Use>
auto with_step(StagedTeam& team, CallName call, const Reduction& what, const Use& use) {
  if (is_small(what, team.size())) return use(OneRound(team, SmallReduction(what)));
  if (team.size() == 2) return use(WholeReduction(team, call, what));
  return use(PartsReduction(team, call, what));
}

}  // namespace gondwana::staged
