#include "core/process_limits.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/control_groups.hpp"

namespace gondwana {
namespace {

// Nothing if the file is missing or says "max".
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// The number of our processes that /proc shows. Their threads count too, so the real number may be
// higher.
std::uint64_t processes_of_user() {
  namespace fs = std::filesystem;
  std::uint64_t count = 0;
  std::error_code failure;
  for (auto entry = fs::directory_iterator("/proc", failure);
       !failure && entry != fs::directory_iterator(); entry.increment(failure)) {
    struct stat facts{};
    if (!is_number(entry->path().filename())) continue;
    if (::stat(entry->path().c_str(), &facts) == 0 && facts.st_uid == ::getuid()) ++count;
  }
  return count;
}

class Tightest {
 public:
  void consider(std::optional<std::uint64_t> most, std::uint64_t used, const std::string& name) {
    if (!most || (*most > used && *most - used >= limit_.left)) return;
    limit_ = {*most > used ? *most - used : 0, fmt::format("{} is {}", name, *most)};
  }
  ProcessLimit get() const { return limit_; }

 private:
  ProcessLimit limit_{std::numeric_limits<std::uint64_t>::max(), ""};
};

}  // namespace

ProcessLimit process_limit() {
  Tightest tightest;
  rlimit limit{};
  // The superuser is not limited.
  if (::getuid() != 0 && ::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    tightest.consider(limit.rlim_cur, processes_of_user(), "the limit of processes (ulimit -u)");
  for (const char* name : {"pid_max", "threads-max"}) {
    const std::string file = fmt::format("/proc/sys/kernel/{}", name);
    tightest.consider(number_in(file), 0, file);
  }
  const auto visit_group = [&](const std::string& group) {
    tightest.consider(number_in(group + "/pids.max"),
                      number_in(group + "/pids.current").value_or(0), group + "/pids.max");
  };
  for_each_group("/sys/fs/cgroup", "", visit_group);
  for_each_group("/sys/fs/cgroup/pids", "pids", visit_group);
  return tightest.get();
}

}  // namespace gondwana
