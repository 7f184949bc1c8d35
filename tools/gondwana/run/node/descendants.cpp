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
#include "core/unique_fd.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t sweep_every_ns = 10'000'000;
// A process in an uninterruptible system call cannot be killed: do not wait for it for ever.
constexpr std::uint64_t give_up_after_ns = 3'000'000'000;

struct Process {
  pid_t pid;
  pid_t parent;
};

// The parent stands after the state, which stands after the name in brackets; the name may itself
// hold brackets and spaces.
std::optional<pid_t> parent_of(const char* pid) {
  const std::string path = fmt::format("/proc/{}/stat", pid);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  const ssize_t length = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (length <= 0) return std::nullopt;
  const std::string_view stat(text.data(), static_cast<std::size_t>(length));
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string_view::npos || bracket + 4 >= stat.size()) return std::nullopt;
  pid_t parent = 0;
  std::from_chars(stat.data() + bracket + 4, stat.data() + stat.size(), parent);
  return parent;
}

std::vector<Process> all_processes() {
  std::vector<Process> result;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr != end) continue;
    if (const std::optional<pid_t> parent = parent_of(entry->d_name))
      result.push_back({pid, *parent});
  }
  return result;
}

}  // namespace

std::vector<pid_t> descendants() {
  std::vector<Process> others = all_processes();
  std::vector<pid_t> family{::getpid()};
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
  family.erase(family.begin());
  return family;
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
  if (!have_children()) {
    state_ = State::gone;
    return;
  }
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // a stopped process could not hear it
  wait_at_most(grace_ns);
}

void Ending::wait_at_most(std::uint64_t grace_ns) {
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
}

void Ending::step() {
  if (state_ == State::idle || over()) return;
  if (!have_children()) {
    state_ = State::gone;
    return;
  }
  const std::uint64_t now = monotonic_ns();
  if (state_ == State::asked && now >= kill_at_ns_) kill();
  if (state_ != State::killing || now < sweep_at_ns_) return;
  if (now >= give_up_at_ns_) {
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
  if (state_ == State::asked) return kill_at_ns_;
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
