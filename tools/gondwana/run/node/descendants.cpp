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

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t sweep_every_ns = 10'000'000;
// A process in an uninterruptible system call cannot be killed: do not wait for it for ever.
constexpr std::uint64_t give_up_after_ns = 3'000'000'000;
constexpr std::uint64_t longest_respite_ns = 60'000'000'000;
constexpr std::uint64_t look_again_ns = 100'000'000;

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

struct Use {
  bool any_runs = false;
  std::uint64_t used_ns = 0;
};

Use use_of(const std::vector<pid_t>& processes) {
  Use use;
  for (const pid_t pid : processes) {
    const ProcessStat stat = stat_of(pid);
    use.any_runs = use.any_runs || stat.state == 'R';
    use.used_ns += stat.used_ns + stat.used_by_children_ns;
  }
  return use;
}

}  // namespace

std::vector<pid_t> family_of(pid_t ancestor) {
  std::vector<Process> others = all_processes();
  std::vector<pid_t> family{ancestor};
  // Each round moves one generation from `others` to `family`.
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

std::vector<pid_t> descendants() {
  std::vector<pid_t> family = family_of(::getpid());
  family.erase(family.begin());
  return family;
}

Respite::Respite(const std::vector<pid_t>& processes, std::uint64_t grace_ns)
    : most_used_ns_(use_of(processes).used_ns + grace_ns),
      end_ns_(monotonic_ns() + longest_respite_ns) {}

bool Respite::lasts(const std::vector<pid_t>& processes) const {
  const Use use = use_of(processes);
  return use.any_runs && use.used_ns < most_used_ns_ && monotonic_ns() < end_ns_;
}

bool have_children() {
  siginfo_t info{};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

std::size_t Ending::signal_all(int signal) const {
  const std::vector<pid_t> all = descendants();
  for (const pid_t pid : all) ::kill(pid, signal);
  if (!all.empty()) return all.size();
  for (const pid_t group : groups_) ::kill(-group, signal);
  return groups_.size();
}

void Ending::ask(std::uint64_t grace_ns) {
  if (told_ || state_ == State::killing || over()) return;
  told_ = true;
  later_.reset();
  if (!have_children()) {
    state_ = State::gone;
    return;
  }
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // a stopped process could not hear it
  respite_.reset();
  kill_in(grace_ns);
}

void Ending::ask_later(std::uint64_t pause_ns, std::uint64_t grace_ns) {
  if (state_ != State::idle) return;
  later_ = Later{monotonic_ns() + pause_ns, grace_ns};
  respite_.emplace(descendants(), pause_ns);
  kill_in(longest_respite_ns + pause_ns + grace_ns);
}

void Ending::wait_at_most(std::uint64_t grace_ns) {
  if (state_ == State::idle) respite_.emplace(descendants(), grace_ns);
  kill_in(grace_ns);
}

void Ending::kill_in(std::uint64_t grace_ns) {
  if (state_ != State::idle && state_ != State::asked) return;
  const std::uint64_t limit = monotonic_ns() + grace_ns;
  kill_at_ns_ = state_ == State::idle ? limit : std::min(kill_at_ns_, limit);
  state_ = State::asked;
}

void Ending::kill() {
  if (state_ == State::killing || over()) return;
  state_ = State::killing;
  sweep_at_ns_ = monotonic_ns();
  give_up_at_ns_ = sweep_at_ns_ + give_up_after_ns;
  respite_.emplace(descendants(), longest_respite_ns);
}

void Ending::step() {
  if (state_ == State::idle || over()) return;
  if (!have_children()) {
    state_ = State::gone;
    return;
  }
  const std::uint64_t now = monotonic_ns();
  if (later_ && now >= later_->at_ns) {
    if (respite_ && respite_->lasts(descendants()))
      later_->at_ns = now + look_again_ns;
    else
      ask(later_->grace_ns);
  }
  if (state_ == State::asked && now >= kill_at_ns_) {
    if (respite_ && respite_->lasts(descendants()))
      kill_at_ns_ = now + look_again_ns;
    else
      kill();
  }
  if (state_ != State::killing || now < sweep_at_ns_) return;
  if (now >= give_up_at_ns_ && !respite_->lasts(descendants())) {
    state_ = State::given_up;
    return;
  }
  // Many take their time: as long as some end, the others will.
  const std::size_t left = signal_all(SIGKILL);
  if (left < left_) give_up_at_ns_ = now + give_up_after_ns;
  left_ = left;
  sweep_at_ns_ = now + sweep_every_ns;
}

std::optional<std::uint64_t> Ending::next_ns() const {
  if (state_ == State::asked) return later_ ? later_->at_ns : kill_at_ns_;
  if (state_ == State::killing) return sweep_at_ns_;
  return std::nullopt;
}

void end_all_descendants(Ending& ending) {
  ending.ask(2'000'000'000);
  while (!ending.over()) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    ending.step();
    if (!ending.over()) ::usleep(5'000);
  }
}

}  // namespace gondwana::launch
