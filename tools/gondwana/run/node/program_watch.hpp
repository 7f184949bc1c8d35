// Notices the end of programs that joined under a process that lives on, such as a shell: the
// kernel tells their end to that process, not to us. Notices as well when a program that joined is
// no longer the one that runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/node/descendants.hpp"

namespace gondwana::launch {

class ProgramWatch {
 public:
  struct Ended {
    std::uint32_t rank;
    pid_t pid;
    std::uint64_t at_ns;  // CLOCK_MONOTONIC
  };

  struct Handlers {
    std::function<void(std::uint32_t rank)> on_word;  // its program has written a byte
    std::function<void(const Ended&)> on_end;         // at once; may be empty, as the other
  };

  explicit ProgramWatch(Poller& poller, Handlers handlers = {})
      : poller_(poller), handlers_(std::move(handlers)) {}

  // The program of `rank` is now `pid`, over once `end` is readable. Without a descriptor, or where
  // the kernel refuses, nobody is watched.
  void watch(std::uint32_t rank, pid_t pid, UniqueFd end);
  void forget(std::uint32_t rank);

  bool has_ended(std::uint32_t rank) const;
  // The first that ended, is not forgotten, and whose starter had its time to end as well and to
  // tell why.
  std::optional<Ended> overdue() const;
  std::optional<std::uint64_t> next_ns() const;
  // Gives the starter of the one that is overdue a respite. False: it has used it up, or does not
  // run. `family`: the starter and all processes below it.
  bool wait_longer(const std::vector<pid_t>& family);

 private:
  struct Program {
    pid_t pid;
    UniqueFd end;
  };
  struct Awaited : Ended {
    std::uint64_t due_ns;
    std::optional<Respite> respite = {};
  };

  void on_end(std::uint32_t rank);

  Poller& poller_;
  Handlers handlers_;
  std::unordered_map<std::uint32_t, Program> running_;  // by rank
  std::deque<Awaited> ended_;                           // in the order in which they ended
};

}  // namespace gondwana::launch
