// Small reductions: each member that wants the result combines all terms, in one round. See
// large_reduction.hpp for large ones.
//
// Terms are combined in rank order, in the same way by all members that combine them. So all
// members get the same bits on every run.
#pragma once

#include "engine/collectives/staged/operator.hpp"
#include "engine/collectives/staged/round.hpp"

namespace gondwana::staged {

struct Reduction {
  Flow flow;  // from all members
  Operator operation;
  std::size_t count;  // elements
  const std::byte* source;
  std::byte* dest;  // for members at which the flow ends

  std::size_t size() const { return count * operation.width(); }
};

class SmallReduction {
 public:
  explicit SmallReduction(const Reduction& what) : what_(what) {}

  Flow flow() const { return what_.flow; }
  void lay(const Round& round) const;
  void take(const Round& round) const;

 private:
  Reduction what_;
};

// Up to this size, one round in which each member combines everything is faster than three.
inline bool is_small(const Reduction& what, std::uint32_t members) {
  constexpr std::size_t always = 2048;
  constexpr std::size_t of_all = std::size_t{32} * 1024;
  return what.size() <= always ||
         (what.size() <= TeamScratch::small_size && what.size() * members <= of_all);
}

}  // namespace gondwana::staged
