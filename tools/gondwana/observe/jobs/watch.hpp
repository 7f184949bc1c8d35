// A job, watched for a moment: what each rank did, from its control memory and from /proc. The job
// notices nothing.
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

// Ranks at equal steps.
struct Members {
  std::uint32_t first = 0;
  std::int32_t stride = 1;
  std::uint32_t size = 0;  // 0: not known

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
  std::uint32_t peer = Waiting::anybody;
  std::uint32_t team = Waiting::no_team;
  std::uint64_t place = 0;  // address of the lock or word, in the memory of the rank; 0: none
  std::string word = {};    // its name: "locks+8", "heap+0x40"; empty: not known
  std::string value = {};   // of the word, at the end: "0", or "0, 7" of several; empty: not known
  Awaited awaited = {};
  Members members = {};  // of that team
  double seconds = 0;    // that it has lasted
  bool lasted = false;   // all the time that the job was watched
};

struct RankSeen {
  enum class Process : std::uint8_t { none, gone, stopped, alive };

  std::uint32_t rank = 0;
  std::uint32_t node = 0;
  pid_t pid = 0;
  Process process = Process::none;
  RankState state = RankState::absent;
  std::optional<WaitSeen> wait;  // at the end
  double waited = 0;             // the part of the time that it was in waits
  double computed = 0;           // processor time by wall time, of all its threads
  double delayed = 0;            // likewise, the time that it could run and had no processor
  std::array<std::uint64_t, count_names.size()> counts{};  // by Count, in that time
  std::uint64_t messages = 0;  // to ranks of other nodes and from them, in that time
  std::array<std::uint64_t, count_names.size()> totals{};  // by Count, since it began
  std::uint64_t messages_total = 0;
  double used_s = 0;            // processor time since it began
  std::uint64_t under_way = 0;  // operations that wait for other nodes, at the end
  // Copies to or from devices that had begun and not ended, at the end: by the rank, and by the
  // agent in its memory.
  std::uint64_t device_copies = 0;
  std::uint64_t served_copies = 0;
  std::uint64_t calls = 0;  // counted operations, in the time that it was watched
  bool is_in_exit = false;
  pid_t tracer = 0;              // a debugger that holds it
  std::string system_call = {};  // that it sleeps in, outside of the library; empty: not known
  std::string polls = {};        // the call that it makes again and again; empty: not known
  std::string loop = {};  // a few instructions of the program that it does not leave; or empty
  std::string loop_reads = {};  // a variable that these name; empty: not known
};

// A node agent.
struct AgentSeen {
  pid_t pid = 0;
  double used_s = 0;          // processor time since its beginning
  double computed = 0;        // processor time by wall time, while the job was watched
  std::uint64_t batches = 0;  // that it executed for other nodes, in that time
  std::uint64_t batches_total = 0;
  std::uint32_t waiting = 0;  // processes and batches whose bytes wait for the network
  std::uint64_t leaving = 0;  // bytes in flight
  bool is_stopped = false;
  pid_t tracer = 0;  // a debugger that holds it
};

struct NodeSeen {
  std::uint32_t node = 0;
  std::uint32_t first = 0;
  std::uint32_t ranks = 0;
  std::string host;
  std::uint32_t processors = 0;  // of that host, which ranks of the job may use
  double idle = 1;               // part of the time that these had nothing to do
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
  std::vector<NodeSeen> found;  // the nodes that could be looked at
  std::vector<RankSeen> seen;   // their ranks, in order
  // Why other nodes could not be looked at.
  std::vector<std::string> complaints;
};

// Until `time` is over or `goes_on` says no.
JobSeen watch(const FoundJob& job, std::chrono::milliseconds time, FunctionRef<bool()> goes_on);
JobSeen watch(const FoundJob& job, std::chrono::milliseconds time);

}  // namespace gondwana::jobs
