#include "run/node/rank_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "core/signals.hpp"

namespace gondwana::launch {
namespace {

enum class Step { run, change_folder, place_descriptors };

// The error of the child, stored in the memory that it shares with the parent until exec.
struct Failure {
  Step step = Step::run;
  int number = 0;
};

// Moves `from` to `to`, which exec does not close.
bool place(int from, int to) {
  return from == to ? ::fcntl(from, F_SETFD, 0) == 0 : ::dup2(from, to) == to;
}

// Runs in the child and returns only on failure. The memory is the parent's: system calls only.
Failure become_rank(const RankStart& start, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent ended before PR_SET_PDEATHSIG took effect
  if (!start.folder.empty() && ::chdir(start.folder.c_str()) != 0)
    return {Step::change_folder, errno};
  if (!place(start.input, 0) || !place(start.output, 1) || !place(start.error, 2) ||
      !place(start.join, start.join))
    return {Step::place_descriptors, errno};
  if (start.processors != nullptr)
    ::sched_setaffinity(0, sizeof(*start.processors), start.processors);
  ::setrlimit(RLIMIT_NOFILE, &start.descriptors);
  if (start.has_fixed_addresses) ::personality(ADDR_NO_RANDOMIZE);
  reset_signals();
  ::execve(start.path.c_str(), start.words.data(), start.environment.data());
  return {Step::run, errno};
}

Error not_started(const RankStart& start, const Failure& failure) {
  const char* reason = std::strerror(failure.number);
  if (failure.step == Step::change_folder)
    return {Errc::refused, fmt::format("cannot change to folder {}: {}", start.folder, reason)};
  if (failure.step == Step::place_descriptors) {
    return {Errc::out_of_memory,
            fmt::format("cannot give {} its descriptors: {}", start.path, reason)};
  }
  switch (failure.number) {
    case ENOENT:
      return {Errc::missing,
              fmt::format("cannot run {}: the interpreter it names does not exist", start.path)};
    case ENOEXEC:
      return {Errc::refused,
              fmt::format("cannot run {}: neither a program for this machine nor a script whose "
                          "first line names one, such as #!/bin/sh",
                          start.path)};
    case ENOMEM:
    case EAGAIN:
      return {Errc::out_of_memory, fmt::format("cannot run {}: {}", start.path, reason)};
    default:
      return {Errc::refused, fmt::format("cannot run {}: {}", start.path, reason)};
  }
}

}  // namespace

EnvironmentBlock::EnvironmentBlock(char** base) {
  for (char** entry = base; *entry != nullptr; ++entry) entries_.emplace_back(*entry);
}

void EnvironmentBlock::set(const std::string& assignment) {
  const std::string_view name = std::string_view(assignment).substr(0, assignment.find('=') + 1);
  for (std::string& entry : entries_) {
    if (!entry.starts_with(name)) continue;
    entry = assignment;
    return;
  }
  entries_.push_back(assignment);
}

std::optional<std::string_view> EnvironmentBlock::value(std::string_view name) const {
  for (const std::string_view entry : entries_)
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

std::vector<char*> EnvironmentBlock::pointers() const {
  std::vector<char*> result;
  result.reserve(entries_.size() + 1);
  for (const std::string& entry : entries_) result.push_back(const_cast<char*>(entry.c_str()));
  result.push_back(nullptr);
  return result;
}

Result<pid_t> start_rank(const RankStart& start) {
  const pid_t self = ::getpid();
  // vfork copies no page tables, and the child can report in plain memory why exec failed.
  // become_rank() makes only system calls before exec. posix_spawn cannot set PR_SET_PDEATHSIG.
  // NOLINTBEGIN(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  volatile Step step = Step::run;
  volatile int number = 0;
  const pid_t child = ::vfork();
  if (child == 0) {
    const Failure failure = become_rank(start, self);
    step = failure.step;
    number = failure.number;
    ::_exit(1);
  }
  // NOLINTEND(bugprone-unsafe-functions,clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork)
  if (child < 0) {
    return Error{Errc::out_of_memory,
                 fmt::format("cannot start a process: {}; is their number limited (ulimit -u, "
                             "pids.max)?",
                             std::strerror(errno))};
  }
  if (number == 0) return child;
  ::waitpid(child, nullptr, 0);
  return not_started(start, {step, number});
}

}  // namespace gondwana::launch
