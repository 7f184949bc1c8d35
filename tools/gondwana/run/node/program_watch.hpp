// Notices the end of programs that joined under a process that lives on, such as a shell: the
// kernel tells their end to that process, not to us. Notices as well when a program that joined is
// no longer the one that runs.
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
    std::function<void(std::uint32_t rank)> on_word = {};  // it has written a byte; may be empty
    std::function<void(std::uint32_t rank, pid_t pid)> on_end = {};
  };

  // `poller` must outlive this.
  ProgramWatch(Poller& poller, Handlers handlers)
      : poller_(poller), handlers_(std::move(handlers)) {}

  // The program of `rank` is now `pid`, over once `end` is readable. Without a descriptor, or where
  // the kernel refuses, nobody is watched.
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
