#include "run/deadlock.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t look_every_ns = 700'000'000;

// Asleep and alone: no other thread may do what the wait is for. No where that cannot be known.
bool sleeps_alone(pid_t pid) {
  namespace fs = std::filesystem;
  std::error_code failure;
  std::size_t threads = 0;
  for (auto task = fs::directory_iterator(fmt::format("/proc/{}/task", pid), failure);
       !failure && task != fs::directory_iterator(); task.increment(failure))
    ++threads;
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string stat;
  if (threads != 1 || !std::getline(file, stat)) return false;
  const std::size_t bracket = stat.rfind(')');  // of the name; the state follows
  return bracket != std::string::npos && stat.substr(bracket, 3) == ") S";
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
