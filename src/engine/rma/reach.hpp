// The ranks that loads and stores reach, and the address of an object there. A value type that
// callers may copy for fast access. The default value reaches no rank.
#pragma once

#include "core/types.hpp"
#include "engine/symmetric/symmetric_ranges.hpp"
#include "memory/node_memory.hpp"
#include "memory/node_plan.hpp"
#include "sync/doorbell.hpp"

namespace gondwana {

class Reach {
 public:
  Reach() = default;

  // The first `ranks` ranks of the node are within reach. 0: none, so everything uses the wire.
  // Like NodeRanks, it relies on consecutive rank numbers, so each access computes with constants.
  Reach(const NodeMemory& memory, std::uint32_t ranks, const SymmetricRanges& symmetric)
      : base_(reinterpret_cast<std::uintptr_t>(memory.window(memory.roster().rank_in(0))) -
              index(memory.roster().rank_in(0)) * memory.plan().stride),
        stride_(memory.plan().stride),
        first_(index(memory.roster().rank_in(0))),
        ranks_(ranks),
        symmetric_(symmetric) {}

  // A location in the arena of a rank within reach. Converts to false if there is none.
  struct Place {
    std::byte* window = nullptr;  // the start of the arena in this process
    std::size_t offset = 0;

    explicit operator bool() const { return window != nullptr; }
    std::byte* data() const { return window + offset; }
  };

  // The object at `rank`. Empty if the rank is out of reach or the object is not symmetric. `Size`
  // is std::size_t, or FixedSize for speed.
  template <typename Size>
  [[gnu::always_inline]] Place find(Rank rank, const void* object, Size size) const {
    if (!covers(rank)) [[unlikely]]
      return {};
    std::byte* arena = window(rank);
    if (const std::size_t offset = symmetric_.distance(object);
        symmetric_.is_in_arena(offset, size)) [[likely]]
      return {arena, offset};
    const std::size_t offset = symmetric_.offset_in_globals(object, size);
    return offset != SymmetricRanges::nowhere ? Place{arena, offset} : Place{};
  }

  bool covers(Rank rank) const { return index(rank) - first_ < ranks_; }
  // Covers both ranks and all ranks between them.
  bool covers_between(Rank one, Rank other) const { return covers(one) && covers(other); }
  // A single store: an address that a reader computes at the same time is valid.
  void cover_none() { ranks_ = 0; }
  // From now on covers the ranks of the node below this number, unless it covers none.
  void cover(std::uint32_t end) {
    if (ranks_ != 0) ranks_ = end - first_;
  }
  // Whether all ranks of a job of `ranks` ranks are within reach.
  bool covers_all(std::uint32_t ranks) const { return ranks <= ranks_; }

  // The start of the arena of a covered rank.
  std::byte* window(Rank rank) const {
    auto* window = reinterpret_cast<std::byte*>(base_ + index(rank) * stride_);
    if (window == nullptr) __builtin_unreachable();  // so that the compiler omits null checks
    return window;
  }

  // Wakes the rank whose arena begins at `window`, if it sleeps on memory. Called after a write to
  // that arena.
  static void wake(std::byte* window) { data_bell(window).ring_if_asleep(); }

  // Also returns `value`, so that a caller that returns it saves no register across the call.
  template <typename T>
  static T wake(std::byte* window, T value) {
    Doorbell<RealAtomics>& bell = data_bell(window);
    if (bell.any_sleeper()) [[unlikely]]
      return ring(bell, value);
    return value;
  }

 private:
  static Doorbell<RealAtomics>& data_bell(std::byte* window) {
    return shared_at<Doorbell<RealAtomics>>(window, system_area::data_bell.offset);
  }

  template <typename T>
  [[gnu::noinline, gnu::cold]] static T ring(Doorbell<RealAtomics>& bell, T value) {
    bell.ring();
    return value;
  }

  std::uintptr_t base_ = 0;  // address that the arena of rank 0 would have
  std::size_t stride_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t ranks_ = 0;
  SymmetricRanges symmetric_;
};

}  // namespace gondwana
