#include "modules/binding/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/glibc-sched.h>

#include <algorithm>
#include <memory>

namespace gondwana::binding {
namespace {

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Result<Topology> load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return Error{Errc::out_of_memory, "no memory for hwloc"};
  Topology topology(raw, hwloc_topology_destroy);
  // Keeps only processors and memory: finding devices is slow. hwloc respects affinity and cpusets.
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING | HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM);
  if (hwloc_topology_load(raw) != 0)
    return Error{Errc::refused, "hwloc cannot determine the topology of this machine"};
  return topology;
}

hwloc_obj_type_t type_of(Binding binding) {
  switch (binding) {
    case Binding::numa:
      return HWLOC_OBJ_NUMANODE;
    case Binding::package:
      return HWLOC_OBJ_PACKAGE;
    case Binding::core:
    case Binding::none:
      break;
  }
  return HWLOC_OBJ_CORE;
}

// Reads the processors of `object` that are also in `allowed`. Returns false if there are none.
bool read_processors(hwloc_topology_t topology, hwloc_obj_t object, const cpu_set_t& allowed,
                     cpu_set_t& processors) {
  CPU_ZERO(&processors);
  hwloc_cpuset_to_glibc_sched_affinity(topology, object->cpuset, &processors, sizeof(processors));
  CPU_AND(&processors, &processors, &allowed);
  return CPU_COUNT(&processors) != 0;
}

Result<std::vector<Place>> find_places(Binding binding) {
  const Result<Topology> topology = load_topology();
  if (!topology)
    return Error{topology.error().code, topology.error().text + "; use --bind-to none"};
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return Error{Errc::refused,
                 "cannot determine the processors that this process may use; use --bind-to none"};
  std::vector<Place> places;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology->get(), type_of(binding), object)) !=
         nullptr) {
    Place place;
    if (!read_processors(topology->get(), object, allowed, place.processors)) continue;
    const char* kind = binding == Binding::core   ? "core"
                       : binding == Binding::numa ? "numa"
                                                  : "package";
    place.name = fmt::format("{} {}", kind, object->logical_index);
    places.push_back(place);
  }
  return places;
}

Result<Shape> count_objects() {
  const Result<Topology> topology = load_topology();
  if (!topology) return topology.error();
  const auto count = [&](hwloc_obj_type_t type) {
    const int number = hwloc_get_nbobjs_by_type(topology->get(), type);
    return static_cast<std::uint32_t>(std::max(0, number));
  };
  return Shape{count(HWLOC_OBJ_PACKAGE), count(HWLOC_OBJ_NUMANODE), count(HWLOC_OBJ_CORE),
               count(HWLOC_OBJ_PU)};
}

}  // namespace
}  // namespace gondwana::binding

extern "C" [[gnu::visibility("default")]] void gondwana_binding_places(
    gondwana::binding::Binding binding,
    gondwana::Result<std::vector<gondwana::binding::Place>>* places) {
  *places = gondwana::binding::find_places(binding);
}

extern "C" [[gnu::visibility("default")]] void gondwana_binding_shape(
    gondwana::Result<gondwana::binding::Shape>* shape) {
  *shape = gondwana::binding::count_objects();
}
