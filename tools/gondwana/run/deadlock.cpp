#include "run/deadlock.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t look_every_ns = 700'000'000;

// As /proc shows it: 'S' asleep, 'Z' ended and not waited for; 0 where that cannot be known.
char state_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string stat;
  std::getline(file, stat);
  const std::size_t bracket = stat.rfind(')');  // of the name; the state follows
  return bracket != std::string::npos && bracket + 2 < stat.size() ? stat[bracket + 2] : char{0};
}

// A child may write into the memory of the job. True where that cannot be known.
bool has_children(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", pid));
  if (!file.is_open()) return true;
  for (pid_t child = 0; file >> child;)
    if (state_of(child) != 'Z') return true;
  return false;
}

// A handler of the program may write what the rank waits for, at a time that a timer or another
// process chooses. True where that cannot be known.
bool has_handlers(pid_t pid) {
  constexpr auto bit = [](int signal) { return std::uint64_t{1} << (signal - 1); };
  constexpr int first_realtime = 34;  // the C library has the two before it
  constexpr std::uint64_t sent_later = bit(SIGALRM) | bit(SIGVTALRM) | bit(SIGPROF) | bit(SIGIO) |
                                       bit(SIGUSR1) | bit(SIGUSR2) | bit(SIGCHLD) |
                                       ~(bit(first_realtime) - 1);
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string word; file >> word;)
    if (std::uint64_t caught = 0; word == "SigCgt:" && file >> std::hex >> caught)
      return (caught & sent_later) != 0;
  return true;
}

// Asleep and alone: nothing else may do what the wait is for. No where that cannot be known.
bool sleeps_alone(pid_t pid) {
  if (has_children(pid) || has_handlers(pid)) return false;
  namespace fs = std::filesystem;
  std::error_code failure;
  std::size_t threads = 0;
  for (auto task = fs::directory_iterator(fmt::format("/proc/{}/task", pid), failure);
       !failure && task != fs::directory_iterator(); task.increment(failure))
    ++threads;
  return threads == 1 && state_of(pid) == 'S';
}

}  // namespace

bool Deadlock::is_due() const {
  return look_at_ns_ && monotonic_ns() >= *look_at_ns_;
}

bool Deadlock::holds(std::span<const Sleeper> ranks) {
  look_at_ns_ = monotonic_ns() + look_every_ns;
  std::map<std::uint32_t, std::uint64_t> since_ns;
  for (const auto& [rank, pid, page] : ranks) {
    const Waiting* wait = page->longest_wait();
    if (wait == nullptr || !sleeps_alone(pid)) break;
    since_ns[rank] = wait->since_ns.load(std::memory_order_relaxed);
  }
  const bool all = !ranks.empty() && since_ns.size() == ranks.size();
  return std::exchange(since_ns_, since_ns) == since_ns && all;
}

}  // namespace gondwana::launch
