// Reductions. In small ones whoever wants the result combines all terms itself, in one round; of
// large ones see collectives_large_reduction.hpp.
//
// All orders are by rank, and all members that combine the same terms do it in the same way, so
// all get the same bits, run after run.
#pragma once

#include "front/gasnet/collectives_operators.hpp"
#include "front/gasnet/collectives_round.hpp"

namespace gondwana::gasnet {

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

gex_Event_t begin_reduction(Team& team, CallName call, const Reduction& what);

}  // namespace gondwana::gasnet
