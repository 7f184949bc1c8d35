// The memory of the ranks of a node, of any kind: arenas by loads and stores, other spaces by
// copies of their kind. Used if one side may be device memory.
#pragma once

#include <cstdint>
#include <optional>

#include "core/function_ref.hpp"
#include "memory/accumulate_locks.hpp"
#include "memory/shown_memory.hpp"
#include "operations/accumulate.hpp"
#include "operations/atomic_op.hpp"
#include "operations/strided_run.hpp"
#include "spaces/spaces.hpp"

namespace gondwana {

// Thread-safe. Ranks and locations must be of this node. `here` of a run, and other addresses, may
// be on a device of this process. Data written by a call is visible when it returns.
class AnyMemory {
 public:
  // Both must outlive the object. `me`: the rank for which copies are counted. Empty in an agent,
  // which counts them for the rank that owns the memory.
  AnyMemory(const NodeMemory& memory, Kinds& kinds, std::optional<Rank> me = {})
      : memory_(memory), kinds_(kinds), views_(memory, kinds), me_(me) {}

  Result<void> put(Space to, const StridedRun& pieces);
  Result<void> get(Space from, const StridedRun& pieces);
  Result<void> put(Remote to, Bytes source);
  Result<void> get(MutableBytes target, Remote from);
  // The same for one piece. A copy by one kind may continue after the call, and finishes the
  // completion that `done_of` returns.
  using DoneOf = FunctionRef<Completion&(Kind&)>;
  Result<void> begin_put(Space to, const StridedRun& piece, DoneOf done_of);
  Result<void> begin_get(Space from, const StridedRun& piece, DoneOf done_of);
  // Whether the bytes exist.
  Result<void> check(Space space, const StridedRun& pieces);
  Result<void> check(Remote place, std::size_t size);
  // The device of memory of this process. Null: host memory. An error: the range exceeds an
  // allocation.
  Result<Kind*> owner_of(Bytes here);
  // Tells tools, during its lifetime, that this rank waits for a copy.
  class ShownWait {
   public:
    explicit ShownWait(std::atomic<std::uint64_t>& pending) : pending_(pending) {
      pending_.fetch_add(1, std::memory_order_relaxed);
    }
    ShownWait(const ShownWait&) = delete;
    ShownWait& operator=(const ShownWait&) = delete;
    ~ShownWait() { pending_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t>& pending_;
  };
  ShownWait show_wait() const { return ShownWait(traffic_of(Rank(0)).pending); }
  // No operation of this process may use the space any more.
  void forget(Space space) { views_.forget(space); }
  // Unmaps spaces that ranks of the node have removed.
  void forget_removed() { views_.sweep(); }
  // Copies between two addresses of this process. `passing`: one side is a host buffer, for data to
  // or from another node.
  enum class Passing : std::uint8_t { no, yes };
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                    Passing passing = Passing::no);
  // Like copy(), but the copy may continue after the call.
  Result<void> begin_copy(std::byte* to, const std::byte* from, std::size_t size, Passing passing,
                          DoneOf done_of);

  // Updates read, change and write under the accumulate locks of the rank, so other updates of its
  // device memory wait. False: another process holds a lock, and the call had no further effect.
  Result<bool> try_update(Remote at, const AtomicRequest& request, std::uint64_t& old);
  // Adds to one piece, of which `added` bytes are already done.
  Result<bool> try_add(Remote to, const Accumulation& sum, Bytes terms, std::size_t& added);

 private:
  // Null kind: host memory.
  struct Located {
    Kind* kind;
    std::byte* data;
  };

  DeviceTraffic& traffic_of(Rank owner) const {
    return shown_memory(memory_.page(me_.value_or(owner))).devices;
  }
  StripeHolder holder() const { return me_ ? holder_of(*me_) : StripeHolder::unnumbered; }
  Result<Located> locate(Remote place, std::size_t size);
  Result<Located> locate(Space space, const StridedRun& pieces);
  Result<void> copy(std::byte* to, Kind* to_kind, const std::byte* from, Kind* from_kind,
                    std::size_t size);
  Result<void> begin(std::byte* to, Kind* to_kind, const std::byte* from, Kind* from_kind,
                     std::size_t size, DoneOf done_of);
  static Result<void> copy_by_host(std::byte* to, Kind& to_kind, const std::byte* from,
                                   Kind& from_kind, std::size_t size);
  Result<void> copy(Strided to, Kind* to_kind, ConstStrided from, Kind* from_kind, std::size_t size,
                    std::size_t count);

  const NodeMemory& memory_;
  Kinds& kinds_;
  SpaceViews views_;
  std::optional<Rank> me_;
};

}  // namespace gondwana
