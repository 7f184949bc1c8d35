// The PGAS runtime of one rank.
//
// What is reachable by loads and stores is done here, inline: bounds, window, copy, ring the
// doorbell. Everything else goes over the wire (wire_path.cpp). Several engines may live in one
// process; each belongs to the thread that calls it.
//
// One-sided calls return false or nothing when they failed; the lane then holds the sentence. Their
// effect is visible at the target after quiet() or a barrier, ordered per target by fence(). A
// blocking put may reuse its source at return, a get has its data.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/control_page.hpp"
#include "core/function_ref.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/lane.hpp"
#include "engine/patience.hpp"
#include "engine/reach.hpp"
#include "engine/shortcut.hpp"
#include "engine/symmetric_memory.hpp"
#include "engine/team.hpp"
#include "memory/node_memory.hpp"
#include "transport/copy.hpp"
#include "transport/wire.hpp"

namespace gondwana {

// Where the elements of a strided transfer lie: distances in elements, not bytes; may be negative.
struct Strides {
  std::ptrdiff_t target;
  std::ptrdiff_t source;
};

// Combines `count` elements of `a` and `b` into `out`, elementwise; `out` may be `a`.
using Combine = void (*)(void* out, const void* a, const void* b, std::size_t count);

struct ElementType {
  std::size_t size;
  Combine combine;
};

class Engine {
 public:
  struct Setup {
    Rank rank{0};
    std::uint32_t ranks = 1;
    std::shared_ptr<NodeMemory> memory;
    Options options;
    MutableBytes globals;          // symmetric variables, already laid on the arena
    std::uint64_t program_id = 0;  // must be the same on every rank
    Wire wire;                     // for ranks out of reach
    bool use_reach = true;         // false: everything over the wire, to test it
    CallName call = "init";
  };

  // Collective: returns once every rank has joined.
  static Result<std::unique_ptr<Engine>> create(Setup setup);

  Rank rank() const { return rank_; }
  std::uint32_t ranks() const { return ranks_; }
  const Options& options() const { return options_; }
  SymmetricMemory& symmetric() { return symmetric_; }
  Lane& default_lane() { return default_lane_; }
  Team& world() { return world_; }
  Team& shared() { return shared_; }  // the ranks within reach of loads and stores

  // One-sided. `dest` and `source` on the peer's side are this rank's address of the same object.
  bool put(Lane& lane, Rank to, void* dest, const void* source, std::size_t size);
  bool get(Lane& lane, Rank from, void* dest, const void* source, std::size_t size);
  template <std::size_t Width>
  bool put_strided(Lane& lane, Rank to, void* dest, const void* source, Strides strides,
                   std::size_t count);
  template <std::size_t Width>
  bool get_strided(Lane& lane, Rank from, void* dest, const void* source, Strides strides,
                   std::size_t count);
  // Single values go by the shortcut of the lane; where that fails, these do it or say why not.
  // Atomics return the value from before.
  const Shortcut& shortcut() const { return shortcut_; }  // of the default lane
  bool put_elsewhere(Lane& lane, Rank to, const void* dest, const void* source, std::size_t size);
  bool get_elsewhere(Lane& lane, Rank from, void* dest, const void* source, std::size_t size);
  template <AtomicOp Op, typename T>
  std::optional<T> atomic_elsewhere(Lane& lane, Rank at, T* dest, T operand, T compare);

  // Where the object lies in this process; null where loads and stores do not reach it.
  void* pointer_to(Rank rank, const void* object) const;
  bool is_symmetric(const void* object) const {
    return symmetric_.ranges().offset_of(object, 1) != SymmetricRanges::nowhere;
  }

  // Puts of this lane to each target before the fence are visible before those after it.
  void fence(Lane& lane) {
    std::atomic_thread_fence(std::memory_order_acq_rel);
    if (wire_ && !wire_.limits().ordered) drain(lane);
  }
  // All puts of this lane are delivered at their targets; false where one failed.
  bool quiet(Lane& lane) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (wire_) [[unlikely]]
      drain(lane);
    return !lane.failed();
  }

  // Waits until done() holds, which peers make true by storing to this rank's memory. What peers
  // stored before is then visible.
  template <typename Done>
  void wait_on_memory(CallName call, const Done& done);

  // Collectives: every member of the team calls them, in the same order.
  void sync(Team& team, CallName call);
  bool barrier(Team& team, CallName call);
  // `source` of member `root` to `dest` of every member.
  bool broadcast(Team& team, CallName call, void* dest, const void* source, std::size_t size,
                 std::uint32_t root);
  // Combines the `source` arrays of all members in the order of their ranks, into every `dest`.
  bool reduce(Team& team, CallName call, void* dest, const void* source, std::size_t count,
              ElementType type);

  // What a rank tells launcher, tools and peers about itself; on this node.
  const ControlPage& page_of(Rank rank) const { return memory_->page(rank); }

  // Tells launcher and tools how far this rank is.
  void announce_state(RankState state) {
    memory_->page(rank_).state.store(state, std::memory_order_release);
  }

 private:
  struct WaitReason {
    CallName call;
    std::uint32_t peer = Waiting::anybody;
    std::uint32_t team = 0;
    bool on_program_memory = false;  // puts ring for it, stores through pointers do not
  };

  explicit Engine(Setup setup, std::size_t heap_size);
  Result<void> compare_with_first();

  template <typename Done>
  void wait(const WaitReason& why, const Done& done);
  void wait_longer(const WaitReason& why, FunctionRef<bool()> done);

  // Slow paths, in wire_path.cpp.
  bool is_valid(Lane& lane, const char* what, Rank rank, const void* object,
                std::size_t size) const;
  Result<Remote> locate(const char* what, Rank rank, const void* object, std::size_t size) const;
  std::optional<std::uint64_t> request_elsewhere(Lane& lane, Rank at, const void* dest,
                                                 const AtomicRequest& request);
  bool put_over_wire(Lane& lane, Remote to, Bytes source);
  bool get_over_wire(Lane& lane, MutableBytes dest, Remote from);
  bool post(Lane& lane, FunctionRef<Result<Posted>()> attempt);
  void complete(Completion& done, CallName call);
  void drain(Lane& lane);

  // Collectives without common memory, in wire_collectives.cpp.
  bool in_reach(const Team& team) const { return reach_.covers_all(ranks_) && team.size <= ranks_; }
  void sync_over_wire(Team& team, CallName call);
  bool broadcast_over_wire(Team& team, CallName call, void* dest, const void* source,
                           std::size_t size, std::uint32_t root);
  bool reduce_over_wire(Team& team, CallName call, void* dest, const void* source,
                        std::size_t count, ElementType type);
  // In reduce.cpp.
  void reduce_small(Team& team, CallName call, void* dest, const void* source, std::size_t count,
                    ElementType type);
  void reduce_piece(Team& team, CallName call, std::byte* dest, std::size_t source_offset,
                    std::size_t count, ElementType type);
  void wait_for_member(const NodeSync& line, const Team& team, std::uint32_t member, Epoch epoch,
                       CallName call);

  Rank rank_;
  std::uint32_t ranks_;
  std::shared_ptr<NodeMemory> memory_;
  SymmetricMemory symmetric_;
  Reach reach_;
  Wire wire_;
  Options options_;
  Patience patience_;
  Team world_;
  Team shared_;
  Lane default_lane_;
  Shortcut shortcut_;
};

}  // namespace gondwana

#include "engine/engine_inline.hpp"
