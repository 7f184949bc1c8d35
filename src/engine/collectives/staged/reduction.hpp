// Reductions. In small ones whoever wants the result combines all terms itself, in one round; of
// large ones see large_reduction.hpp.
//
// All orders are by rank, and all members that combine the same terms do it in the same way, so
// all get the same bits, run after run.
#pragma once

#include "engine/collectives/staged/operator.hpp"
#include "engine/collectives/staged/round.hpp"

namespace gondwana::staged {

struct Reduction {
  Flow flow;  // from all
  Operator operation;
  std::size_t count;  // elements
  const std::byte* source;
  std::byte* dest;  // of those where it ends

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

// Up to here it takes less time that each member combines everything than that all meet thrice.
inline bool is_small(const Reduction& what, std::uint32_t members) {
  constexpr std::size_t always = 2048;
  constexpr std::size_t of_all = std::size_t{32} * 1024;
  return what.size() <= always ||
         (what.size() <= TeamScratch::small_size && what.size() * members <= of_all);
}

}  // namespace gondwana::staged
