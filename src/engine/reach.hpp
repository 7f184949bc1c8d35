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

  bool covers(Rank rank) const { return index(rank) < ranks_; }
  bool covers_all(std::uint32_t ranks) const { return ranks <= ranks_; }

  // The rest is only for ranks that are covered.

  // The start of the arena of `rank` in this process.
  [[gnu::returns_nonnull]] std::byte* window(Rank rank) const {
    return base_ + index(rank) * stride_;
  }

  // Wakes a rank that sleeps on memory which the caller has just written.
  void wake(Rank rank) const { data_bell(rank).ring_if_asleep(); }

  // The same; returns `value`, so that a caller who returns it has nothing to keep over the call.
  template <typename T>
  T wake(Rank rank, T value) const {
    Doorbell<RealAtomics>& bell = data_bell(rank);
    if (bell.somebody_sleeps()) [[unlikely]]
      return ring(bell, value);
    return value;
  }

 private:
  Doorbell<RealAtomics>& data_bell(Rank rank) const {
    return reinterpret_cast<ControlPage*>(pages_ + index(rank) * ControlPage::size)->data_bell;
  }

  template <typename T>
  [[gnu::noinline, gnu::cold]] static T ring(Doorbell<RealAtomics>& bell, T value) {
    bell.ring();
    return value;
  }

  std::byte* base_;
  std::size_t stride_;
  std::byte* pages_;
  std::uint32_t ranks_;
};

}  // namespace gondwana
