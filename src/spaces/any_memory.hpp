// The memory of the ranks of a node, of whatever kind: arenas by loads and stores, other spaces by
// the copies of their kind. Used where one side may be no host memory.
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

// Any thread. Ranks and places are of this node. `here` of a run, and other addresses, may be on a
// device of this process. What a call has written is visible when it returns.
class AnyMemory {
 public:
  // Both must outlive it. `me`: the rank for which copies are counted; nothing in an agent, which
  // counts them for the rank whose memory it is.
  AnyMemory(const NodeMemory& memory, Kinds& kinds, std::optional<Rank> me = {})
      : memory_(memory), kinds_(kinds), views_(memory, kinds), me_(me) {}

  Result<void> put(Space to, const StridedRun& pieces);
  Result<void> get(Space from, const StridedRun& pieces);
  Result<void> put(Remote to, Bytes source);
  Result<void> get(MutableBytes target, Remote from);
  // The same of one piece. A copy of one kind may go on: it finishes what `done_of` returns.
  using DoneOf = FunctionRef<Completion&(Kind&)>;
  Result<void> begin_put(Space to, const StridedRun& piece, DoneOf done_of);
  Result<void> begin_get(Space from, const StridedRun& piece, DoneOf done_of);
  // Whether the bytes are there.
  Result<void> check(Space space, const StridedRun& pieces);
  Result<void> check(Remote place, std::size_t size);
  // The device of memory of this process. Null: the host. An error: it leaves an allocation.
  Result<Kind*> owner_of(Bytes here);
  // While it lives, tools see that this rank waits for a copy.
  class ShownWait {
   public:
    explicit ShownWait(std::atomic<std::uint64_t>& under_way) : under_way_(under_way) {
      under_way_.fetch_add(1, std::memory_order_relaxed);
    }
    ShownWait(const ShownWait&) = delete;
    ShownWait& operator=(const ShownWait&) = delete;
    ~ShownWait() { under_way_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t>& under_way_;
  };
  ShownWait show_wait() const { return ShownWait(traffic_of(Rank(0)).under_way); }
  // No operation of this process uses the space any more.
  void forget(Space space) { views_.forget(space); }
  // What ranks of the node have removed is mapped no more.
  void forget_removed() { views_.sweep(); }
  // Between two addresses of this process. `passing`: one side is a buffer of the host, on the way
  // to or from another node.
  enum class Passing : std::uint8_t { no, yes };
  Result<void> copy(std::byte* to, const std::byte* from, std::size_t size,
                    Passing passing = Passing::no);
  // The same, and it may go on.
  Result<void> begin_copy(std::byte* to, const std::byte* from, std::size_t size, Passing passing,
                          DoneOf done_of);

  // Updates read, change and write under the accumulate locks of the rank: other updates of a
  // device's memory wait. False: another process has a lock; nothing, or nothing more, has
  // happened.
  Result<bool> try_update(Remote at, const AtomicRequest& request, std::uint64_t& old);
  // Adds to one piece, `added` bytes of which are done.
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
  Result<Located> locate(Remote place, std::size_t size);
  Result<Located> locate(Space space, const StridedRun& pieces);
  Result<void> copy(std::byte* to, Kind* to_kind, const std::byte* from, Kind* from_kind,
                    std::size_t size);
  Result<void> begin(std::byte* to, Kind* to_kind, const std::byte* from, Kind* from_kind,
                     std::size_t size, DoneOf done_of);
  static Result<void> copy_by_host(std::byte* to, Kind& to_kind, const std::byte* from,
                                   Kind& from_kind, std::size_t size);
  Result<void> copy(Steps to, Kind* to_kind, ConstSteps from, Kind* from_kind, std::size_t size,
                    std::size_t count);

  const NodeMemory& memory_;
  Kinds& kinds_;
  SpaceViews views_;
  std::optional<Rank> me_;
};

}  // namespace gondwana
