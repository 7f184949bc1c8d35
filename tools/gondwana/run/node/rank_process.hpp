// Starts one process of the job.
#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace gondwana::launch {

// An environment in the form that exec takes: this process's own, changed by VAR=value strings.
class EnvironmentBlock {
 public:
  explicit EnvironmentBlock(char** base);
  EnvironmentBlock(const EnvironmentBlock&) = default;
  EnvironmentBlock& operator=(const EnvironmentBlock&) = delete;

  void set(const std::string& assignment);
  // Valid until the next set(). Nothing if the variable is not set.
  std::optional<std::string_view> value(std::string_view name) const;
  // Valid until the next set().
  std::vector<char*> pointers() const;

 private:
  std::vector<std::string> entries_;
};

// Everything the new process needs; nothing is allocated between fork and exec.
struct RankStart {
  std::string path;
  std::vector<char*> words;        // null-terminated, as exec takes it
  std::vector<char*> environment;  // null-terminated
  std::string folder;              // empty: the current folder
  int input = -1;                  // become descriptors 0, 1 and 2
  int output = -1;
  int error = -1;
  int join = -1;                     // stays open under the same number
  bool has_fixed_addresses = false;  // the kernel loads the program where it loads it next time
  rlimit descriptors{};
  const cpu_set_t* processors = nullptr;  // null: not bound
};

// Runs the program in its own process group. The kernel kills it if this process ends. Returns once
// the program runs, or an error: Errc::missing, Errc::refused, or Errc::out_of_memory.
Result<pid_t> start_rank(const RankStart& start);

}  // namespace gondwana::launch
