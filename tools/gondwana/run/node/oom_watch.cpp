#include "run/node/oom_watch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "core/unique_fd.hpp"

namespace gondwana::launch {
namespace {

std::string read_all(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 8192> buffer;
  for (;;) {
    const ssize_t count = file ? ::read(file.get(), buffer.data(), buffer.size()) : 0;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// Parses the number of the line "oom_kill N".
std::optional<std::uint64_t> oom_kills(std::string_view text) {
  constexpr std::string_view name = "oom_kill ";
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    std::uint64_t count = 0;
    std::from_chars(text.data() + at + name.size(), text.data() + text.size(), count);
    return count;
  }
  return std::nullopt;
}

// Our cgroup for these controllers, from a line "number:controllers:/group"; empty controllers mean
// version 2.
std::string group_of(std::string_view controllers) {
  const std::string groups = "\n" + read_all("/proc/self/cgroup");
  const std::string name = ":" + std::string(controllers) + ":/";
  for (std::size_t line = 0; line != std::string::npos; line = groups.find('\n', line + 1)) {
    const std::size_t colon = groups.find(':', line);
    if (colon == std::string::npos || groups.compare(colon, name.size(), name) != 0) continue;
    const std::size_t path = colon + name.size() - 1;
    return groups.substr(path, groups.find('\n', path) - path);
  }
  return {};
}

bool grew(std::optional<std::uint64_t> before, std::optional<std::uint64_t> now) {
  return before && now && *now > *before;
}

}  // namespace

std::optional<std::uint64_t> OomWatch::group_kills() {
  const auto now = oom_kills(read_all("/sys/fs/cgroup" + group_of("") + "/memory.events"));
  if (now) return now;
  return oom_kills(read_all("/sys/fs/cgroup/memory" + group_of("memory") + "/memory.oom_control"));
}

std::optional<std::uint64_t> OomWatch::machine_kills() {
  return oom_kills(read_all("/proc/vmstat"));
}

OomWatch::Finding OomWatch::check() const {
  if (grew(in_our_group_, group_kills())) return Finding::in_our_group;
  if (grew(on_machine_, machine_kills())) return Finding::on_this_machine;
  return Finding::nothing;
}

}  // namespace gondwana::launch
