// The process that a rank is: what it learns before main(), and the engine that its doors share.
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
#include "process/neighbor_watch.hpp"
#include "remote/client/client.hpp"

namespace gondwana {

// What the process learns before main(), while it has one thread, and keeps for as long as it
// lives.
struct Process {
  Membership membership;
  std::shared_ptr<NodeMemory> memory;
  ProgramImage image;
  std::optional<Error> failure;  // told by the first door, not before: the program may never call
  std::shared_ptr<RemoteClient> network;     // to other nodes; outlives the engines
  std::unique_ptr<NeighborWatch> neighbors;  // where nobody else looks after them
  std::uint32_t library_threads = 0;         // that joining and the network have started
  std::unique_ptr<Engine> engine;
  std::uint32_t users = 0;  // doors that acquired the engine and did not release it
  bool is_prepared_for_debugging = false;
  bool is_shown = false;                  // to the guardian
  bool forked = false;                    // this is a child of the rank, not the rank
  std::atomic<bool> leaves_job = false;   // by a call that ends the job for all, here or elsewhere
  std::recursive_mutex last_turn;         // of the thread that leaves; never given back
  std::vector<void (*)()> forget_engine;  // by which the doors do so in a forked child
  std::vector<void (*)()> before_told_end;  // by the doors, before another rank's end is this one's
  std::array<std::atomic<void (*)()>, 3> diverts{};  // by the doors: see divert_calls_by
  std::atomic<bool> ends_with_others = false;        // it only waits for them to end, too
  std::atomic<bool> all_have_finalized = false;
  int exit_status = 0;        // of this process, once it leaves the job
  bool asks_for_end = false;  // of all ranks, after its exit handlers: there is no guardian

  std::uint32_t rank() const { return index(membership.rank); }
};

// Never destroyed: exit handlers of the program may still call in.
Process& this_process();

// The engine, made by the first door that asks for it: collective over the job, as the init of
// every door is. Later doors find it, with room for many threads if they ask for that.
Result<Engine*> acquire_engine(CallName call, Threads threads);
// Frees it with the last door. The door has met its peers before.
void release_engine();

// Tells our guardian that this rank waits for the others to end: they may wait for it.
void announce_end();

}  // namespace gondwana
