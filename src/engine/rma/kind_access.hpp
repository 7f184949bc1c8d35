// Operations with device memory on at least one side. Within the node they are copies by its kind.
// To and from other nodes, device data passes through host memory (bounce/).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/function_ref.hpp"
#include "engine/rma/kind_work.hpp"
#include "engine/rma/lane.hpp"
#include "engine/rma/reach.hpp"
#include "engine/rma/remote_access.hpp"
#include "spaces/any_memory.hpp"

namespace gondwana {

namespace bounce {
enum class Way : std::uint8_t;
}  // namespace bounce

class KindAccess {
 public:
  // `remote`: null in a job on one node.
  KindAccess(const NodeMemory& memory, Kinds& kinds, Rank me, const Reach& reach,
             RemoteAccess* remote);
  KindAccess(const KindAccess&) = delete;
  KindAccess& operator=(const KindAccess&) = delete;
  ~KindAccess();

  // Whether an operation between `place` and memory of this process needs this class.
  bool is_needed(Remote place, Bytes here) const {
    return !place.owner().is_arena() || kinds_.of(here) != nullptr;
  }

  AnyMemory& any_memory() { return any_; }

  // Cheap. False: the memory is host memory.
  bool may_be_on_device(const void* here) const { return kinds_.is_near_device(here); }

  // "emulated:0", or empty for host memory.
  std::string device_at(const void* here) const {
    const Kind* kind = kinds_.of({static_cast<const std::byte*>(here), 1});
    return kind == nullptr ? std::string() : name_of(kind->device());
  }

  // False: the operation failed, and the lane holds the error. Complete on return.
  bool put(Lane& lane, Space to, const StridedRun& pieces);
  bool get(Lane& lane, Space from, const StridedRun& pieces);
  // The same for one piece. The copies may be in flight until the lane is quiet, or until a fence.
  bool begin_put(Lane& lane, Space to, const StridedRun& piece);
  bool begin_get(Lane& lane, Space from, const StridedRun& piece);
  // Waits for the operations that these calls began.
  void complete(Lane& lane);
  // Like put() and get() of one piece, but the caller advances the operation. The lane gets any
  // error. Null: the operation is complete.
  std::unique_ptr<KindWork> start_put(Lane& lane, Space to, const StridedRun& piece);
  std::unique_ptr<KindWork> start_get(Lane& lane, Space from, const StridedRun& piece);
  // Returns the previous value.
  std::optional<std::uint64_t> request(Lane& lane, Remote at, const AtomicRequest& request);

 private:
  struct Bounces;

  bool is_here(Rank rank) const { return reach_.covers(rank); }
  void poll_until(CallName call, FunctionRef<bool()> is_over);
  bool move_far(Lane& lane, bounce::Way way, Space there, const StridedRun& pieces);
  bool begin_far(Lane& lane, bounce::Way way, Space there, const StridedRun& piece);
  std::unique_ptr<KindWork> start_far(Lane& lane, bounce::Way way, Space there,
                                      const StridedRun& piece);

  Kinds& kinds_;
  AnyMemory any_;
  Reach reach_;
  RemoteAccess* remote_;
  std::unique_ptr<Bounces> bounces_;  // null in a job on one node
};

}  // namespace gondwana
