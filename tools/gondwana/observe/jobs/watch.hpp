// Watches a job for a moment: reads the activity of each rank from its control memory and from
// /proc. The job is not disturbed.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/counters.hpp"
#include "core/function_ref.hpp"
#include "memory/control_page.hpp"
#include "memory/node_ranks.hpp"
#include "observe/jobs/found_jobs.hpp"

namespace gondwana::jobs {

// Ranks at a constant stride.
struct Members {
  std::uint32_t first = 0;
  std::int32_t stride = 1;
  std::uint32_t size = 0;  // 0: unknown

  bool has(std::uint32_t rank) const {
    const std::int64_t distance = std::int64_t{rank} - first;
    if (distance == 0) return size > 0;
    if (stride == 0 || distance % stride != 0) return false;
    const std::int64_t place = distance / stride;
    return place > 0 && place < size;
  }
};

// A wait in a call of the library.
struct WaitSeen {
  std::string call;
  std::uint32_t peer = Waiting::any_rank;
  std::uint32_t team = Waiting::no_team;
  std::uint64_t place = 0;  // address of the lock or word in the rank's memory; 0: none
  std::string word = {};    // its name: "locks+8", "heap+0x40"; empty: unknown
  std::string value = {};   // at the end: "0", or "0, 7" for several words; empty: unknown
  Awaited awaited = {};
  Members members = {};           // members of the team that it waits in
  double seconds = 0;             // how long it has lasted
  bool lasts_throughout = false;  // it lasted as long as the job was watched
};

// A record: hosts/messages.cpp sends its members one by one.
struct RankSeen {
  enum class Process : std::uint8_t { none, gone, stopped, alive };

  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  pid_t pid = 0;
  Process process = Process::none;
  RankState state = RankState::absent;
  std::optional<WaitSeen> wait;  // at the end
  double waited = 0;             // share of the time spent in waits
  double computed = 0;           // processor time of all its threads, divided by wall time
  double delayed = 0;            // time it was runnable without a processor, divided by wall time
  std::array<std::uint64_t, count_names.size()> counts{};  // by Count, while it was watched
  std::uint64_t messages = 0;  // to and from ranks of other nodes, while it was watched
  std::array<std::uint64_t, count_names.size()> totals{};  // by Count, since it began
  std::uint64_t messages_total = 0;
  double used_s = 0;          // processor time since the rank began
  std::uint64_t pending = 0;  // operations on other nodes in flight, at the end
  // Copies to or from devices in flight at the end: by the rank, and by the agent in the rank's
  // memory.
  std::uint64_t device_copies = 0;
  std::uint64_t served_copies = 0;
  std::uint64_t calls = 0;  // counted operations while it was watched
  bool is_in_exit = false;
  bool is_dead = false;          // the job continues without it
  bool has_left = false;         // the same, by shmemx_leave
  std::uint32_t refused = 0;     // connections that its servers of unique ids have refused
  std::uint32_t restarts = 0;    // how often another process has taken its place
  pid_t tracer = 0;              // the debugger that is attached
  std::string system_call = {};  // the one it sleeps in, outside the library; empty: unknown
  std::string polls = {};        // the call that it repeats; empty: unknown
  std::string loop = {};         // the short loop of the program that it stays in; may be empty
  std::string loop_reads = {};   // the variable that the loop reads; empty: unknown
};

// A node agent.
struct AgentSeen {
  pid_t pid = 0;
  double used_s = 0;          // processor time since the agent began
  double computed = 0;        // processor time divided by wall time, while the job was watched
  std::uint64_t batches = 0;  // executed for other nodes, while the job was watched
  std::uint64_t batches_total = 0;
  std::uint32_t waiting = 0;  // processes and batches whose bytes wait for the network
  std::uint64_t leaving = 0;  // bytes in flight
  bool is_stopped = false;
  pid_t tracer = 0;  // the debugger that is attached
};

struct NodeSeen {
  std::uint32_t node = 0;
  std::uint32_t first = 0;
  std::uint32_t ranks = 0;
  std::string host;
  std::uint32_t processors = 0;  // processors of that host that the job's ranks may use
  double idle = 1;               // share of the time that these were idle
  std::optional<AgentSeen> agent = {};

  NodeRanks node_ranks() const { return {first, ranks}; }
};

struct JobSeen {
  std::string id;
  std::string program;
  std::uint32_t ranks = 0;  // on all nodes
  std::uint32_t nodes = 0;
  double watched_s = 0;
  bool is_traced = false;
  std::vector<NodeSeen> found;  // the nodes that could be examined
  std::vector<RankSeen> seen;   // their ranks, sorted
  // Why other nodes could not be examined.
  std::vector<std::string> complaints;
};

// Watches until `time` is over or `continues` returns false.
JobSeen watch(const FoundJob& job, std::chrono::milliseconds time, FunctionRef<bool()> continues);
JobSeen watch(const FoundJob& job, std::chrono::milliseconds time);

}  // namespace gondwana::jobs
