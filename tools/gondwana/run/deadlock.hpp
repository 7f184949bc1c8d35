// Whether the ranks that are left wait for each other for ever, after one of them has begun to end:
// by exit() without shmem_finalize it meets the others in a barrier, and they may wait for it in a
// lock, in a reduction or for a word that it would write.
//
// Ranks cannot go on if each of them is a process of one thread, without children and handlers of
// signals that others send, asleep in one and the same wait for a while. A rank that was woken is
// not asleep, however busy the machine is, nor is one that a debugger holds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "core/control_page.hpp"

namespace gondwana::launch {

// A rank that is part of the job, and its program.
struct Sleeper {
  std::uint32_t rank;
  pid_t pid;
  const ControlPage* page;
};

class Deadlock {
 public:
  // A rank begins to end: from now on it is worth a look.
  void suspect() { look_at_ns_ = look_at_ns_.value_or(0); }

  bool is_due() const;
  std::optional<std::uint64_t> next_ns() const { return look_at_ns_; }

  // Looks at all ranks that are part of the job; whether they sleep as they did at the look before.
  bool holds(std::span<const Sleeper> ranks);

 private:
  std::optional<std::uint64_t> look_at_ns_;
  std::map<std::uint32_t, std::uint64_t> since_ns_;  // of the wait of each rank at the last look
};

}  // namespace gondwana::launch
