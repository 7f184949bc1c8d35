// The process of a rank: its data from before main(), and the engine that its doors share.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/join.hpp"
#include "engine/engine.hpp"
#include "memory/globals.hpp"
#include "process/leave.hpp"
#include "process/leaving.hpp"
#include "process/neighbor_watch.hpp"

namespace gondwana {

class UniqueIdServer;
class RemoteClient;

// A job that this process is in, as far as its engines share it.
struct LauncherJob {
  Membership membership;
  std::shared_ptr<NodeMemory> memory;
  std::shared_ptr<RemoteClient> network;
  std::unique_ptr<NeighborWatch> neighbors;
  bool is_shown = false;
};

// The data that the process collects before main(), while it has one thread, or when it joins
// another job. It is a record without functions: joining, leaving and the doors each use a few
// members.
struct Process {
  Membership membership;
  std::shared_ptr<NodeMemory> memory;
  ProgramImage image;
  std::optional<Error>
      failure;  // reported by the first door, not before: the program may never call
  std::shared_ptr<RemoteClient> network;     // connects to other nodes; outlives the engines
  std::unique_ptr<NeighborWatch> neighbors;  // set if nothing else watches the ranks
  std::uint32_t library_threads = 0;         // the threads of joining and of the network
  std::unique_ptr<Engine> engine;
  std::uint32_t users = 0;  // doors that acquired the engine and did not release it
  bool is_prepared_for_debugging = false;
  bool shares_variables = false;            // whether the variables of `image` are symmetric
  bool maps_variables = false;              // whether they are in an arena, also of an earlier job
  bool is_away = false;                     // in a job of a unique id
  bool is_chosen = false;                   // the next engine is to be in that job
  std::optional<LauncherJob> launcher_job;  // while the process is away
  std::vector<std::shared_ptr<UniqueIdServer>> id_servers;  // of the unique ids that it made
  std::uint32_t refused_before = 0;  // connections that servers refused which have ended
  std::vector<std::shared_ptr<NodeMemory>> kept;  // of earlier jobs: holds a lock of another thread
  bool is_shown = false;                          // whether the guardian knows the process
  bool forked = false;                            // set in a child of the rank
  std::atomic<bool> leaves_job = false;   // set by a call that ends the job, here or elsewhere
  std::recursive_mutex last_turn;         // of the leaving thread; never released
  std::vector<void (*)()> forget_engine;  // how the doors reset themselves in a forked child
  std::vector<void (*)()>
      before_told_end;  // how the doors finish before another rank's end becomes ours
  std::array<std::atomic<void (*)()>, 3> diverts{};  // from the doors: see divert_calls_by
  std::atomic<bool> ends_with_others = false;        // set if it, too, only waits for them to end
  std::atomic<bool> all_have_finalized = false;
  Leaving leaving;  // used by the thread that leaves

  std::uint32_t rank() const { return index(membership.rank); }
};

// Never destroyed: exit handlers of the program may still call in.
Process& this_process();

// Returns the engine. The first door that calls creates it: collective over the job, like the init
// of every door. Later doors get the same engine, made thread-safe if they request it.
Result<Engine*> acquire_engine(CallName call, Threads threads);
// The last door frees it. A door synchronises with its peers before the call.
void release_engine();

// For doors whose standards know no rank that joins, dies or leaves: the job neither grows nor
// continues after a death from now on. Fails if it has grown.
void need_all_ranks(CallName call, const Engine& engine);

// Tells our guardian that this rank waits for the others to end. They may be waiting for it.
void announce_end();

}  // namespace gondwana
