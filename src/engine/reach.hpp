// Who can be reached by loads and stores, and where: a window onto each such rank.
#pragma once

#include "core/control_page.hpp"
#include "core/types.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

class Reach {
 public:
  // The first `ranks` ranks are within reach; 0: nobody, everything goes over the wire.
  Reach(const NodeMemory& memory, std::uint32_t ranks)
      : base_(memory.window(Rank(0))),
        stride_(memory.plan().stride),
        pages_(reinterpret_cast<std::byte*>(&memory.page(Rank(0)))),
        ranks_(ranks) {}

  // The start of the arena of `rank` in this process, or null where loads and stores do not reach.
  std::byte* window(Rank rank) const {
    return index(rank) < ranks_ ? base_ + index(rank) * stride_ : nullptr;
  }

  bool covers(std::uint32_t ranks) const { return ranks <= ranks_; }

  // Only for ranks that have a window.
  Doorbell<RealAtomics>& doorbell(Rank rank) const {
    return reinterpret_cast<ControlPage*>(pages_ + index(rank) * ControlPage::size)->doorbell;
  }

 private:
  std::byte* base_;
  std::size_t stride_;
  std::byte* pages_;
  std::uint32_t ranks_;
};

}  // namespace gondwana
