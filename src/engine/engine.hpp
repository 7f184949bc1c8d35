// The PGAS runtime of one rank: what it is made of, how it starts and how it ends.
//
// Several engines may live in one process. One-sided calls may come from many threads at once where
// Setup::threads says so, through lanes made for that; collectives from one thread at a time for
// each team.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/options.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/am/messages.hpp"
#include "engine/collectives/collectives.hpp"
#include "engine/locks/job_lock.hpp"
#include "engine/rma/rma.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "engine/symmetric/symmetric_memory.hpp"
#include "engine/teams/teams.hpp"
#include "engine/wait/waiter.hpp"
#include "engine/wait/worker.hpp"
#include "memory/node_memory.hpp"
#include "remote/wire.hpp"

namespace gondwana {

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
    // See RemoteAccess::OnLost.
    RemoteAccess::OnLost on_lost;
    // Called now and then during a long wait: finds a loss that nobody else notices.
    std::function<std::optional<Error>()> look_around;
    Threads threads = Threads::one_at_a_time;
    CallName call = "init";
  };

  // Collective: returns once every rank has joined.
  static Result<std::unique_ptr<Engine>> create(Setup setup);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // What this rank has told others has arrived.
  ~Engine();

  Rank rank() const { return rank_; }
  std::uint32_t ranks() const { return ranks_; }
  const Options& options() const { return options_; }

  // What the ranks of the node share, for doors that lay out memory of their own in it.
  const NodeMemory& memory() const { return *memory_; }
  SymmetricMemory& symmetric() { return symmetric_; }
  const SymmetricMemory& symmetric() const { return symmetric_; }
  SegmentSpace& segments() { return segments_; }

  Rma& rma() { return rma_; }
  const Rma& rma() const { return rma_; }
  // Only where Rma::reaches_all() is false.
  RemoteAccess& remote() { return *remote_; }
  Waiter& waiter() { return waiter_; }
  Teams& teams() { return teams_; }
  const Teams& teams() const { return teams_; }
  Collectives& collectives() { return collectives_; }
  JobLocks& locks() { return locks_; }

  // Active messages. A rank that waits for anything receives meanwhile.
  Messages& messages() { return messages_; }
  // Whether they go to all ranks, and not only to those of the node.
  bool writes_to_all() { return rma_.reaches_all() || messages_.remote() != nullptr; }

  // Whether what this rank told others arrives even if it makes no further call.
  bool has_told() { return !remote_ || remote_->has_told(); }

  Threads threads() const { return workers_.threads(); }
  // For a door that came later and has threads. Lanes stay as they are.
  void allow_many_threads() { workers_.allow_many(); }
  Lane& default_lane() { return default_lane_; }
  // More lanes. An exclusive one is for one thread at a time; null where all slots are taken.
  std::unique_ptr<Lane> make_lane(Threads used_by);

  // Tells launcher and tools how far this rank is.
  void announce_state(RankState state) {
    memory_->page(rank_).state.store(state, std::memory_order_release);
  }

 private:
  explicit Engine(Setup setup, const HeapPlace& heap);
  Legacy& legacy() const { return memory_->page(rank_).legacy; }
  Lane first_lane();
  Shortcut shortcut_to(ThreadSlot& thread_slot) const;
  Result<void> compare_with_rank_0();
  void settle_waiting();

  Rank rank_;
  std::uint32_t ranks_;
  std::shared_ptr<NodeMemory> memory_;
  Options options_;
  SymmetricMemory symmetric_;
  SegmentSpace segments_;
  GuardedWire wire_;
  Workers workers_;
  Messages messages_;
  std::unique_ptr<RemoteAccess> remote_;  // null in a job on one node
  Waiter waiter_;
  Rma rma_;
  Lane default_lane_;
  JobLocks locks_;
  Teams teams_;
  Rooms rooms_;
  Collectives collectives_;
};

}  // namespace gondwana
