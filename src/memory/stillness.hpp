// Whether the ranks of a node can go on by themselves, after one of the job has begun to end: by
// exit() without shmem_finalize it meets the others in a barrier, and they may wait for it in a
// lock, in a reduction or for a word that it would write.
//
// A node is still while each thread of each rank waits in a call of the library, asleep, and no
// rank has children, or handlers of signals that others send. A rank that was woken is not asleep,
// however busy the machine is, nor is one that a debugger holds. A thread outside of the library
// may do anything when it wakes up: a node that has one is not still.
//
// The ranks of a job wait for ever where all nodes are found still twice, the second time after
// the first has ended on all nodes, no rank has gone on in between, and no message is under way.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory/node_memory.hpp"

namespace gondwana {

// A rank that is part of the job, and its program.
struct Sleeper {
  std::uint32_t rank;
  pid_t pid;
  const ControlPage* page;
};

// What a look at a node finds that is still.
struct Stillness {
  std::uint64_t print = 0;  // another one once a rank has gone on; 0: of no rank

  bool operator==(const Stillness&) const = default;
};

// Nothing where a rank can go on, or where that cannot be known. Takes up to 50 ms.
std::optional<Stillness> find_stillness(std::span<const Sleeper> ranks);

// Between two looks.
inline constexpr std::uint64_t look_for_stillness_every_ns = 700'000'000;

// The ranks of one node that are a whole job.
class Deadlock {
 public:
  // A rank begins to end: from now on it is worth a look.
  void suspect() { look_at_ns_ = look_at_ns_.value_or(0); }

  bool is_due() const;
  std::optional<std::uint64_t> next_ns() const { return look_at_ns_; }

  void look_later();
  // Looks at all ranks that are part of the job; whether none has gone on since the look before.
  bool holds(std::span<const Sleeper> ranks);

 private:
  std::optional<std::uint64_t> look_at_ns_;
  std::optional<Stillness> found_;  // by the last look
};

// The ranks of a node, by their pages.
struct NodeLook {
  std::vector<Sleeper> part;             // of the job
  std::vector<std::uint32_t> ended;      // well
  std::vector<std::uint32_t> in_exit;    // which waits for the others
  std::uint64_t messages_in_flight = 0;  // sent by all of them, less what they have received

  bool any_leaves() const { return !ended.empty() || !in_exit.empty(); }
};

NodeLook look_at_node(const NodeMemory& memory);

// Whether a thread of the rank has called exit, which waits for the others.
bool is_in_exit(const ControlPage& page);

// "rank 2 has called exit and ...; ranks 0, 1 wait in shmem_set_lock"
std::string describe(const NodeLook& node);

// "rank 2 on host h (pid 12) runs another program (exec)": of a rank whose process is gone or runs
// another program while it is part of the job. Nothing where nobody watches it.
std::optional<std::string> find_loss(ControlPage& page, std::uint32_t rank);

// Whether a process exists that has not ended.
bool is_alive(pid_t pid);

// Whether a process that lives runs another program than that of a rank, or has started that one
// again: it does not map the memory of the job, of which `job_memory` is a part that is mapped
// here. Yes where there is no /proc to tell.
bool has_replaced_its_program(pid_t pid, const void* job_memory);

}  // namespace gondwana
