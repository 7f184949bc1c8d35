// Whether the ranks of a node can continue by themselves, after a rank has begun to end. A rank
// that calls shmem_finalize, or exit() without it, meets the others in a barrier. They may wait for
// it in a lock, in a reduction or in a wait for a word that it would write.
//
// A node is still while each thread of each rank waits asleep in a call of the library, and no rank
// has children, or handlers of signals from others. A rank that was woken is not asleep, however
// busy the machine is. A rank under a debugger is not asleep either. A thread outside of the
// library may do anything when it wakes up, so its node is not still.
//
// The ranks of a job wait forever if all nodes are found still twice, the second time after the
// first has ended on all nodes, no rank has moved in between, and no message is in flight.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "memory/node_memory.hpp"

namespace gondwana {

// A rank that is part of the job, and its program.
struct Sleeper {
  std::uint32_t rank;
  pid_t pid;
  RankPages pages;
};

// The result of a check that found a node still.
struct Stillness {
  std::uint64_t print = 0;  // changes once a rank has moved; 0: of no rank

  bool operator==(const Stillness&) const = default;
};

// Nothing if a rank can continue, or if that is unknown. Takes up to 50 ms.
std::optional<Stillness> find_stillness(std::span<const Sleeper> ranks);

// The time between two checks.
inline constexpr std::uint64_t stillness_interval_ns = 700'000'000;

// Detects the deadlock of a job on one node.
class Deadlock {
 public:
  // `found`: the result for all ranks that are part of the job. True if none has moved since the
  // previous check.
  bool holds(std::optional<Stillness> found) {
    return std::exchange(found_, found) == found && found;
  }

 private:
  std::optional<Stillness> found_;  // from the last check
};

// The state of the ranks of a node, read from their pages.
struct NodeSnapshot {
  std::vector<Sleeper> part;              // of the job
  std::vector<std::uint32_t> ended;       // with status 0
  std::vector<std::uint32_t> in_exit;     // they wait for the others
  std::vector<std::uint32_t> finalizing;  // the same
  std::uint64_t messages_in_flight = 0;   // sent by all of them, minus received

  bool any_leaves() const { return !ended.empty() || !in_exit.empty() || !finalizing.empty(); }
};

NodeSnapshot snapshot_of(const NodeMemory& memory);

// Whether a thread of the rank has called exit, which waits for the others.
bool is_in_exit(const ThreadSlots& threads);
// Whether it waits for the others in the call that finalizes its interface.
bool is_finalizing(const ThreadSlots& threads);

// "rank 2 has called exit and ...; ranks 0, 1 wait in shmem_set_lock"
std::string describe(const NodeSnapshot& node);

// "rank 2 on host h (pid 12) runs another program (exec)": for a rank that has no process or runs
// another program while it is part of the job. Empty if no process watches it.
std::optional<std::string> find_loss(ControlPage& page, std::uint32_t rank);

// Whether a process exists and has not ended.
bool is_alive(pid_t pid);

// Whether a living process runs another program than its rank's, or has started that one again: it
// does not map the memory of the job. `job_memory` is a part that is mapped here. True if there is
// no /proc.
bool has_replaced_its_program(pid_t pid, const void* job_memory);

}  // namespace gondwana
