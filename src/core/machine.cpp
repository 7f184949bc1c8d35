#include "core/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/control_groups.hpp"

namespace gondwana {
namespace {

// The numbers at the start of a file. None if the file is missing or says "max" (no limit).
std::vector<double> numbers_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (double number = 0; file >> number;) numbers.push_back(number);
  return numbers;
}

// The number after a name, in a file of name and number pairs; 0 if the name is missing.
std::size_t field_in(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    return std::strtoull(line.c_str() + name.size(), nullptr, 10);
  }
  return 0;
}

}  // namespace

std::size_t usable_memory() {
  std::size_t limit = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto tighten = [&](const std::string& file) {
    for (const double bytes : numbers_in(file))
      limit = std::min(limit, static_cast<std::size_t>(bytes));
  };
  for_each_group("/sys/fs/cgroup", "",
                 [&](const std::string& group) { tighten(group + "/memory.max"); });
  for_each_group("/sys/fs/cgroup/memory", "memory",
                 [&](const std::string& group) { tighten(group + "/memory.limit_in_bytes"); });
  return limit;
}

std::size_t available_memory() {
  std::size_t left = std::min(usable_memory(), field_in("/proc/meminfo", "MemAvailable:") << 10);
  // Cached files count as used, but the kernel drops them on demand.
  const auto tighten = [&](const std::string& group, const char* most, const char* used,
                           const char* gives_way) {
    const std::vector<double> limit = numbers_in(group + most);
    const std::vector<double> taken = numbers_in(group + used);
    if (limit.empty() || taken.empty()) return;
    const auto files = static_cast<double>(field_in(group + "/memory.stat", gives_way));
    const double room = std::max(0.0, limit[0] - std::max(0.0, taken[0] - files));
    if (room < static_cast<double>(left)) left = static_cast<std::size_t>(room);
  };
  for_each_group("/sys/fs/cgroup", "", [&](const std::string& group) {
    tighten(group, "/memory.max", "/memory.current", "inactive_file");
  });
  for_each_group("/sys/fs/cgroup/memory", "memory", [&](const std::string& group) {
    tighten(group, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file");
  });
  return left;
}

std::size_t available_huge_pages() {
  const auto pages = [](const char* name) {
    const auto found = numbers_in(std::string("/sys/kernel/mm/hugepages/hugepages-2048kB/") + name);
    return found.empty() ? 0.0 : found[0];
  };
  constexpr double size = 2 << 20;
  // Free huge pages may be reserved for another process. The kernel may be allowed to make more.
  double left = pages("free_hugepages") - pages("resv_hugepages") +
                std::max(0.0, pages("nr_overcommit_hugepages") - pages("surplus_hugepages"));
  const auto tighten = [&](const std::string& most, const std::string& used) {
    const std::vector<double> limit = numbers_in(most);
    const std::vector<double> taken = numbers_in(used);
    if (!limit.empty() && !taken.empty()) left = std::min(left, (limit[0] - taken[0]) / size);
  };
  // Two limits: of reserved pages, and of touched pages. The second one raises SIGBUS.
  for (const char* which : {"/hugetlb.2MB.", "/hugetlb.2MB.rsvd."}) {
    for_each_group("/sys/fs/cgroup", "", [&](const std::string& group) {
      tighten(group + which + "max", group + which + "current");
    });
    for_each_group("/sys/fs/cgroup/hugetlb", "hugetlb", [&](const std::string& group) {
      tighten(group + which + "limit_in_bytes", group + which + "usage_in_bytes");
    });
  }
  return static_cast<std::size_t>(std::max(0.0, left)) * static_cast<std::size_t>(size);
}

ProcessorMask own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0) {
    for (long i = 0; i < ::sysconf(_SC_NPROCESSORS_ONLN); ++i) CPU_SET(i, &set);
  }
  ProcessorMask mask{};
  for (std::size_t i = 0; i < mask.size() * 64; ++i)
    if (CPU_ISSET(i, &set)) mask[i / 64] |= std::uint64_t{1} << i % 64;
  return mask;
}

std::uint32_t own_threads() {
  return static_cast<std::uint32_t>(field_in("/proc/self/status", "Threads:"));
}

double processor_quota() {
  double processors = std::numeric_limits<double>::max();
  const auto tighten = [&](const std::vector<double>& quota, const std::vector<double>& period) {
    if (quota.empty() || period.empty() || quota[0] <= 0 || period[0] <= 0) return;
    processors = std::min(processors, quota[0] / period[0]);
  };
  for_each_group("/sys/fs/cgroup", "", [&](const std::string& group) {
    const std::vector<double> both = numbers_in(group + "/cpu.max");
    if (both.size() == 2) tighten({both[0]}, {both[1]});
  });
  for_each_group("/sys/fs/cgroup/cpu", "cpu", [&](const std::string& group) {
    tighten(numbers_in(group + "/cpu.cfs_quota_us"), numbers_in(group + "/cpu.cfs_period_us"));
  });
  return processors;
}

std::uint32_t usable_processors() {
  int processors = 0;
  for (const std::uint64_t word : own_processors()) processors += std::popcount(word);
  return std::max(1U, static_cast<std::uint32_t>(std::min<double>(processors, processor_quota())));
}

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace gondwana
