// Small reductions: each member that needs the result combines all contributions, in one round. See
// large_reduction.hpp for large ones.
//
// Contributions are combined in rank order, in the same way by all members. So all members get the
// same bits on every run.
#pragma once

#include "engine/collectives/staged/operator.hpp"
#include "engine/collectives/staged/round.hpp"

namespace gondwana::staged {

struct Reduction {
  Flow flow;  // from all members
  Operator operation;
  std::size_t count;  // elements
  const std::byte* source;
  std::byte* dest;  // for members that receive the result

  std::size_t size() const { return count * operation.width(); }
};

class SmallReduction {
 public:
  static constexpr Turn depth = TeamScratch::depth;

  explicit SmallReduction(const Reduction& what) : what_(what) {}

  Flow flow() const { return what_.flow; }
  void lay(const Round& round) const;
  StagedTeam::Written written(const Round& round, std::uint32_t member) const;
  void take(const Round& round) const;

 private:
  Reduction what_;
};

// Between members on separate nodes: each sends its contribution directly from its source.
class PushedReduction {
 public:
  static constexpr Turn depth = TeamScratch::pushed_depth;

  explicit PushedReduction(const Reduction& what) : what_(what) {}

  Flow flow() const { return what_.flow; }
  void lay(const Round& round) const;
  StagedTeam::Written written(const Round& round, std::uint32_t member) const;
  void take(const Round& round) const;

 private:
  Reduction what_;
};

// Whether the member's contribution can be read from the source while the result is written.
inline bool reads_source(const Reduction& what, std::uint32_t members) {
  return what.dest != what.source || (members == 2 && what.operation.may_replace_term());
}

// Between nodes, up to this size, one round with all data is faster than two rounds with parts of
// it.
inline bool is_pushed(const Reduction& what, std::uint32_t nodes) {
  return what.size() > CollectiveSlot::payload_size &&
         what.size() * (nodes - 1) <= TeamScratch::pushed_size;
}

// Up to this size, one round in which each member combines everything is faster than three.
inline bool is_small(const Reduction& what, std::uint32_t members) {
  constexpr std::size_t always = 2048;
  constexpr std::size_t of_all = std::size_t{32} * 1024;
  return what.size() <= always ||
         (what.size() <= TeamScratch::small_size && what.size() * members <= of_all);
}

}  // namespace gondwana::staged
