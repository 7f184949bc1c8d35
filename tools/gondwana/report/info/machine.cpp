#include "core/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/modules.hpp"
#include "base/processors.hpp"
#include "core/mapping.hpp"
#include "modules/binding/topology.hpp"
#include "report/info/sections.hpp"

namespace gondwana::info {
namespace {

Fact processors() {
  cpu_set_t own;
  CPU_ZERO(&own);
  const bool known = ::sched_getaffinity(0, sizeof(own), &own) == 0;
  return number("processors", usable_processors(),
                known ? fmt::format("may run on {}", format_processors(own)) : "");
}

Fact memory() {
  const auto pages = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES));
  return size("memory", pages * page_size());
}

Result<binding::Shape> find_shape() {
  const Result<void*> symbol = find_in_module(binding::module, binding::shape_symbol);
  if (!symbol) {
    return Error{Errc::missing, fmt::format("the module of Gondwana that uses hwloc is missing: {}",
                                            symbol.error().text)};
  }
  Result<binding::Shape> shape = binding::Shape{};
  reinterpret_cast<binding::FindShape>(*symbol)(&shape);
  return shape;
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
  const Result<binding::Shape> shape = find_shape();
  if (!shape) return {"topology", {without_value("hwloc", "unknown", shape.error().text)}};
  return {"topology",
          {number("packages", shape->packages), number("NUMA domains", shape->numa_domains),
           number("cores", shape->cores), number("hardware threads", shape->threads)}};
}

}  // namespace gondwana::info
