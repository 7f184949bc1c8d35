#include "core/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/mapping.hpp"
#include "info/sections.hpp"
#include "run/node/binding.hpp"

namespace gondwana::info {
namespace {

Fact processors() {
  cpu_set_t own;
  CPU_ZERO(&own);
  const bool known = ::sched_getaffinity(0, sizeof(own), &own) == 0;
  return number("processors", usable_processors(),
                known ? fmt::format("may run on {}", launch::format_processors(own)) : "");
}

Fact memory() {
  const auto pages = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES));
  return size("memory", pages * page_size());
}

Fact kernel() {
  utsname names{};
  ::uname(&names);
  return word("kernel", fmt::format("{} {} {}", names.sysname, names.release, names.machine));
}

}  // namespace

Section machine() {
  return {"machine", {processors(), memory(), kernel()}};
}

Section topology() {
  const Result<launch::Shape> shape = launch::find_shape();
  if (!shape) return {"topology", {without_value("hwloc", "unknown", shape.error().text)}};
  return {"topology",
          {number("packages", shape->packages), number("NUMA domains", shape->numa_domains),
           number("cores", shape->cores), number("hardware threads", shape->threads)}};
}

}  // namespace gondwana::info
