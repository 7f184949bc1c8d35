#include "run/node/descendants.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "core/machine.hpp"
#include "core/process_stat.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {
namespace {

struct Process {
  pid_t pid;
  pid_t parent;
};

std::vector<Process> all_processes() {
  std::vector<Process> result;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr != end) continue;
    const ProcessStat stat = stat_of(pid);
    if (stat.state != 'X') result.push_back({pid, stat.parent});
  }
  return result;
}

ProcessorUse use_of(const std::vector<pid_t>& processes) {
  ProcessorUse use;
  for (const pid_t pid : processes) {
    const ProcessStat stat = stat_of(pid);
    use.any_runs = use.any_runs || stat.state == 'R';
    use.used_ns += stat.used_ns + stat.used_by_children_ns;
  }
  return use;
}

// Returns the process and everything below it.
std::vector<pid_t> family_of(pid_t ancestor) {
  std::vector<Process> others = all_processes();
  std::vector<pid_t> family{ancestor};
  // Each iteration moves one generation from `others` to `family`.
  for (std::size_t known = 0; known < family.size();) {
    const std::size_t generation = family.size();
    const auto is_child = [&](const Process& process) {
      return std::find(family.begin() + static_cast<std::ptrdiff_t>(known), family.end(),
                       process.parent) != family.end();
    };
    const auto children = std::partition(others.begin(), others.end(), std::not_fn(is_child));
    std::transform(children, others.end(), std::back_inserter(family),
                   [](const Process& process) { return process.pid; });
    others.erase(children, others.end());
    known = generation;
  }
  return family;
}

}  // namespace

std::vector<pid_t> descendants() {
  std::vector<pid_t> family = family_of(::getpid());
  family.erase(family.begin());
  return family;
}

ProcessorUse processor_use_of(pid_t ancestor) {
  return use_of(family_of(ancestor));
}

bool have_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

DescendantsSeen Descendants::observe(const Ending& ending, std::uint64_t now) {
  DescendantsSeen seen{.any = have_children()};
  if (!seen.any || ending.next_ns().value_or(now + 1) > now) return seen;
  found_ = descendants();
  seen.use = use_of(found_);
  if (found_.empty())
    for (const pid_t group : groups_) found_.push_back(-group);
  seen.count = found_.size();
  return seen;
}

void Descendants::signal(int signal) const {
  for (const pid_t process : found_) ::kill(process, signal);
}

void Descendants::step(Ending& ending) {
  const std::uint64_t now = monotonic_ns();
  for (const int number : ending.step(observe(ending, now), now)) signal(number);
}

void Descendants::end_all() {
  Ending ending;
  ending.ask(2 * second_ns, monotonic_ns());
  for (;;) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    step(ending);
    if (ending.is_over()) return;
    ::usleep(5'000);
  }
}

}  // namespace gondwana::launch
