#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <limits>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "report/info/sections.hpp"

namespace gondwana::info {
namespace {

enum class Unit { bytes, count };

struct Limit {
  std::string_view name;
  int resource;
  Unit unit;
  std::string_view option;  // option of the shell command ulimit
};

Fact fact_of(const Limit& limit) {
  rlimit values{};
  ::getrlimit(static_cast<__rlimit_resource_t>(limit.resource), &values);
  const std::string remark = fmt::format("ulimit {}", limit.option);
  if (values.rlim_cur == RLIM_INFINITY) return without_value(limit.name, "unlimited", remark);
  if (limit.unit == Unit::bytes) return size(limit.name, values.rlim_cur, remark);
  if (values.rlim_max == values.rlim_cur) return number(limit.name, values.rlim_cur, remark);
  const std::string most =
      values.rlim_max == RLIM_INFINITY ? "no limit" : fmt::to_string(values.rlim_max);
  return number(limit.name, values.rlim_cur, fmt::format("{}; may be raised to {}", remark, most));
}

// Our ranks share anonymous memory. This limit matters to other programs on the machine.
Fact shared_memory_files() {
  constexpr std::string_view name = "free in /dev/shm";
  constexpr std::string_view remark = "Gondwana does not need it";
  struct statvfs status{};
  if (::statvfs("/dev/shm", &status) != 0) return without_value(name, "missing", remark);
  return size(name, status.f_bavail * status.f_frsize, remark);
}

Fact group_memory() {
  constexpr std::string_view name = "control group memory";
  const std::size_t all = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * page_size();
  const std::size_t usable = usable_memory();
  return usable < all ? size(name, usable) : without_value(name, "unlimited");
}

Fact group_processors() {
  constexpr std::string_view name = "control group processors";
  const double quota = processor_quota();
  if (quota == std::numeric_limits<double>::max()) return without_value(name, "unlimited");
  return {std::string(name), quota, fmt::format("{:.2f}", quota), "processor time allowed"};
}

}  // namespace

Section limits() {
  Section section{"limits", {}};
  for (const Limit& limit : {Limit{"locked memory", RLIMIT_MEMLOCK, Unit::bytes, "-l"},
                             Limit{"open files", RLIMIT_NOFILE, Unit::count, "-n"},
                             Limit{"address space", RLIMIT_AS, Unit::bytes, "-v"},
                             Limit{"file size", RLIMIT_FSIZE, Unit::bytes, "-f"},
                             Limit{"processes", RLIMIT_NPROC, Unit::count, "-u"}})
    section.facts.push_back(fact_of(limit));
  section.facts.push_back(shared_memory_files());
  section.facts.push_back(group_memory());
  section.facts.push_back(group_processors());
  return section;
}

}  // namespace gondwana::info
