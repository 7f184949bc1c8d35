// The PGAS runtime of one rank: its parts, with an accessor for each, its construction and
// destruction.
//
// Several engines may live in one process. If Setup::threads allows it, many threads may make
// one-sided calls at once, through lanes made for that. For each team, one thread at a time calls
// collectives.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "core/options.hpp"
#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/am/messages.hpp"
#include "engine/collectives/collectives.hpp"
#include "engine/locks/job_lock.hpp"
#include "engine/rma/remote_blocks.hpp"
#include "engine/rma/rma.hpp"
#include "engine/spaces/buffers.hpp"
#include "engine/spaces/program_memory.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "engine/symmetric/symmetric_memory.hpp"
#include "engine/teams/teams.hpp"
#include "engine/wait/waiter.hpp"
#include "engine/wait/worker.hpp"
#include "memory/node_memory.hpp"
#include "remote/transport.hpp"
#include "spaces/kinds/kinds.hpp"
#include "spaces/spaces.hpp"

namespace gondwana {

class Engine {
 public:
  // The input of an engine at its start. create() reads each member once.
  struct Setup {
    Rank rank{0};
    std::uint32_t ranks = 1;
    // The ranks that start with this one, and make up its first world. Nothing: all.
    std::optional<Session> session = {};
    std::shared_ptr<NodeMemory> memory;
    Options options;
    MutableBytes globals;          // symmetric variables, already mapped to the arena
    std::uint64_t program_id = 0;  // must be the same on every rank
    Wire wire;                     // for ranks out of reach
    std::shared_ptr<Kinds> kinds;  // the devices of this process; null: none
    bool use_reach = true;         // false: everything goes over the wire, for tests
    // See RemoteAccess::OnLost.
    RemoteAccess::OnLost on_lost;
    // See CollectiveResources.
    std::function<void(const ShrinkEntry&)> enter_shrink;
    // An update of the world of a job on several nodes; and this rank runs, after the others.
    std::function<void(const WorldEntry&)> enter_world;
    std::function<void()> tell_arrival;
    // Called periodically during a long wait. It finds a loss that no other check finds.
    std::function<std::optional<Error>()> check_peers;
    Threads threads = Threads::one_at_a_time;
    CallName call = "init";
  };

  // Collective: returns after every rank has joined. A process that replaces a dead one starts
  // alone.
  static Result<std::unique_ptr<Engine>> create(Setup setup);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  // Returns after all updates of this rank have arrived.
  ~Engine();

  Rank rank() const { return rank_; }
  std::uint32_t ranks() const { return ranks_; }
  const Options& options() const { return options_; }

  // The memory that the ranks of the node share. Doors may store their own data in it.
  const NodeMemory& memory() const { return *memory_; }
  SymmetricMemory& symmetric() { return symmetric_; }
  const SymmetricMemory& symmetric() const { return symmetric_; }
  SegmentSpace& segments() { return segments_; }
  // Program memory that peers reach.
  ProgramMemory& program_memory() { return program_memory_; }
  RegisteredBuffers& buffers() { return buffers_; }
  Kinds& kinds() { return *kinds_; }
  // Null if this process has no device.
  KindAccess* kind_access() { return kind_access_.get(); }
  // Device memory that peers reach.
  OwnSpaces& spaces() { return spaces_; }

  Rma& rma() { return rma_; }
  const Rma& rma() const { return rma_; }
  // Requires Rma::reaches_all() to be false.
  RemoteAccess& remote() { return *remote_; }
  // Blocks of memory at any rank.
  RemoteBlocks& blocks() { return blocks_; }
  Waiter& waiter() { return waiter_; }
  Teams& teams() { return teams_; }
  const Teams& teams() const { return teams_; }
  Collectives& collectives() { return collectives_; }
  JobLocks& locks() { return locks_; }

  // Active messages. A rank receives them during every wait.
  Messages& messages() { return messages_; }

  // Whether the updates of this rank arrive without further calls by this rank.
  bool has_told() { return !remote_ || remote_->has_told(); }

  Threads threads() const { return workers_.threads(); }
  // For a door with threads that opens later. Existing lanes stay unchanged.
  void allow_many_threads() { workers_.allow_many(); }
  Lane& default_lane() { return default_lane_; }
  // Makes a lane. One thread at a time uses an exclusive lane. Returns null if no slot is free.
  std::unique_ptr<Lane> make_lane(Threads used_by);

  // Whether this rank started with the job, or has been part of an update of the world since it
  // joined.
  bool has_whole_world() const { return has_whole_world_; }
  // Collective over all ranks of the job that live, each with its default lane. Returns a team of
  // them, whose members the world and shared teams have, too; null if none of them wants it. On all
  // of them the heap then has the blocks of those that had a whole world before. No other thread
  // may be in a call.
  Result<Team*> update_world(CallName call, Growing growing, bool wants_team);

  // Loads and stores reach the ranks of the node below this number, of those that the world has.
  std::uint32_t end_of_reach() const;

  // Shows the state of this rank to the launcher and tools.
  void announce_state(RankState state) {
    memory_->page(rank_).state.store(state, std::memory_order_release);
  }

 private:
  explicit Engine(Setup setup, const HeapPlace& heap);
  Legacy& legacy() const { return memory_->page(rank_).legacy; }
  Reach reach_of(const Setup& setup) const;
  Reach reach_of_locks() const;
  Lane first_lane();
  Shortcut shortcut_to(ThreadSlot& thread_slot) const;
  Result<void> compare_with_rank_0();
  void show_heap();  // to tools
  void open_remote_heap(const HeapPlace& heap);
  void settle_waiting();
  void announce_arrival() const;
  void copy_heap(Team& team, CallName call);
  void unless_lost(FunctionRef<void()> meet) const;
  Result<void> start_together(const HeapPlace& heap, CallName call);
  Result<void> start_alone(const HeapPlace& heap);
  // Of a block of the symmetric heap, in bytes.
  struct HeapBlock {
    std::size_t taken;
    std::size_t asked;
  };
  void take_blocks(const std::map<std::size_t, HeapBlock>& blocks);

  Rank rank_;
  std::uint32_t ranks_;
  bool has_whole_world_;
  std::shared_ptr<NodeMemory> memory_;
  Options options_;
  SymmetricMemory symmetric_;
  SegmentSpace segments_;
  ProgramMemory program_memory_;
  RegisteredBuffers buffers_;
  std::shared_ptr<Kinds> kinds_;
  OwnSpaces spaces_;
  GuardedWire wire_;
  Workers workers_;
  Messages messages_;
  std::unique_ptr<RemoteAccess> remote_;  // null in a job on one node
  Waiter waiter_;
  std::unique_ptr<KindAccess> kind_access_;  // null if the process has no device
  Rma rma_;
  RemoteBlocks blocks_;
  Lane default_lane_;
  JobLocks locks_;
  Teams teams_;
  Rooms rooms_;
  Collectives collectives_;
};

}  // namespace gondwana
