#include "core/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

namespace gondwana {
namespace {

// The folder of this process in the cgroup v2 tree, or "" where there is none.
std::string cgroup_folder() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return "/sys/fs/cgroup" + line.substr(3);
  return {};
}

// Calls `read` with an open file `name` of our cgroup and of each one above it: the tightest holds.
template <typename Read>
void for_each_cgroup_file(const char* name, Read read) {
  const std::string root = "/sys/fs/cgroup";
  for (std::string folder = cgroup_folder(); folder.size() >= root.size();
       folder.resize(folder.rfind('/'))) {
    if (std::ifstream file(folder + "/" + name); file) read(file);
  }
}

}  // namespace

std::size_t usable_memory() {
  std::size_t limit = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for_each_cgroup_file("memory.max", [&](std::ifstream& file) {
    std::size_t bytes = 0;
    if (file >> bytes) limit = std::min(limit, bytes);  // "max" does not parse: no limit here
  });
  return limit;
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

double processor_quota() {
  double processors = std::numeric_limits<double>::max();
  for_each_cgroup_file("cpu.max", [&](std::ifstream& file) {
    double quota = 0;
    double period = 0;
    if (file >> quota >> period && period > 0) processors = std::min(processors, quota / period);
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
