// Detects the end of programs that joined below a process that lives on, such as a shell: the
// kernel reports their end to that process, not to the guardian. Also detects that a process that
// joined runs another program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

class ProgramWatch {
 public:
  struct Handlers {
    std::function<void(std::uint32_t rank)> on_word = {};  // called when it has written a byte
    std::function<void(std::uint32_t rank, pid_t pid)> on_end = {};
  };

  // `poller` must outlive this object.
  ProgramWatch(Poller& poller, Handlers handlers)
      : poller_(poller), handlers_(std::move(handlers)) {}

  // The program of `rank` is now `pid`; `end` becomes readable when it ends. Without a descriptor,
  // or if the kernel refuses, nothing is watched.
  void watch(std::uint32_t rank, pid_t pid, UniqueFd end);
  void forget(std::uint32_t rank);

 private:
  struct Program {
    pid_t pid;
    UniqueFd end;
  };

  void on_end(std::uint32_t rank);

  Poller& poller_;
  Handlers handlers_;
  std::unordered_map<std::uint32_t, Program> running_;  // by rank
};

}  // namespace gondwana::launch
