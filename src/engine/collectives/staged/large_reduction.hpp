// Reductions of arrays too large for one round, in pieces.
#pragma once

#include "engine/collectives/staged/reduction_arrays.hpp"

namespace gondwana::staged {

// Each member combines its part of a piece. The members that need the result then gather the parts.
//
// Count 2p + 1 of a member: piece p of its source is ready. Count 2p + 2: its part of piece p is
// combined. If all others show 2p + 2, they have read this member's source. If all show 2p + 1,
// they have read its part of piece p - 2.
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

// Each member that needs the result combines everything. This suits two members: half as many
// rounds, and fewer bytes travel between them.
//
// Count p + 1 of a member: piece p of its source is ready, and it has read all of piece p - 1. If
// all others show this count, the member has space to stage piece p + 1.
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

// Returns what `use` returns for the step that suits this size.
template <typename Use>
auto with_step(StagedTeam& team, CallName call, const Reduction& what, const Use& use) {
  if (team.is_scattered() && is_pushed(what, team.size()))
    return use(OneRound(team, PushedReduction(what)));
  if (is_small(what, team.size())) return use(OneRound(team, SmallReduction(what)));
  if (team.size() == 2) return use(WholeReduction(team, call, what));
  return use(PartsReduction(team, call, what));
}

}  // namespace gondwana::staged
