// The machine that this process runs on, and the resource limits of the process.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "front/gasnet/tools/environment.hpp"
#include "gasnet_tools.h"

namespace {

using Text = std::array<char, PATH_MAX>;

// Host names are case-insensitive.
Text read_hostname() {
  Text name{};
  if (gethostname(name.data(), name.size() - 1) != 0) std::snprintf(name.data(), name.size(), "?");
  for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
  return name;
}

Text read_executable() {
  Text path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size() - 1);
  path[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
  return path;
}

// Whether the user lets the library raise this limit.
bool may_maximize(const char* name) {
  std::array<char, 128> variable;
  std::snprintf(variable.data(), variable.size(), "GASNET_MAXIMIZE_%s", name);
  return gasnett_getenv_yesno_withdefault(variable.data(), 1) != 0;
}

}  // namespace

void gondwana_gasnett_nothing() {}

const char* gasnett_gethostname() {
  static const Text name = read_hostname();
  return name.data();
}

const char* gasnett_exe_name() {
  static const Text path = read_executable();
  return path.data();
}

int gasnett_cpu_count() {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? static_cast<int>(count) : 0;
}

std::uint64_t gasnett_getPhysMemSz(int failure_is_fatal) {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_size > 0)
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
  if (failure_is_fatal != 0)
    gasnett_fatalerror_nopos("gasnett_getPhysMemSz: cannot determine the physical memory");
  return 0;
}

int gasnett_set_affinity(int rank) {
  const int count = gasnett_cpu_count();
  if (count == 0 || rank < 0) return -1;
  const auto processor = static_cast<std::size_t>(rank % count);
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
      CPU_ALLOC(static_cast<std::size_t>(count)), [](cpu_set_t* freed) { CPU_FREE(freed); });
  const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
  CPU_ZERO_S(size, set.get());
  CPU_SET_S(processor, size, set.get());
  return sched_setaffinity(0, size, set.get());
}

int gasnett_maximize_rlimit(int resource, const char* name) {
  if (!may_maximize(name)) return 1;
  const auto which = static_cast<__rlimit_resource_t>(resource);
  rlimit limit{};
  if (getrlimit(which, &limit) != 0) return 0;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(which, &limit) == 0 ? 1 : 0;
}

int gasnett_maximize_rlimits() {
  struct Limit {
    int resource;
    const char* name;
  };
  constexpr std::array limits{Limit{RLIMIT_CPU, "RLIMIT_CPU"}, Limit{RLIMIT_DATA, "RLIMIT_DATA"},
                              Limit{RLIMIT_STACK, "RLIMIT_STACK"}, Limit{RLIMIT_RSS, "RLIMIT_RSS"},
                              Limit{RLIMIT_AS, "RLIMIT_AS"}};
  int worked = 1;
  for (const Limit& limit : limits) worked &= gasnett_maximize_rlimit(limit.resource, limit.name);
  return worked;
}
