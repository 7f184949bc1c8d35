#include "memory/layout.hpp"

#include <string_view>

#include "core/fingerprint.hpp"

namespace gondwana {
namespace {

consteval std::uint64_t fingerprint_of_memory() {
  Fingerprint all;
  all.add(fingerprint_of(SharedStructures{}));
  for (const Area& area : system_area::all) all.add(area.offset).add(area.size).add(area.count);
  all.add(NodePlan::system_size).add(arena_alignment).add(huge_offset);
  constexpr ControlLayout three(3, 2, least_ring_size);
  for (const std::size_t offset :
       {three.page(2), three.line(1, 2), three.scratch(1, 2), three.entry(1), three.contacts(),
        three.relay(1), three.batches(1), three.trace(1), three.size()})
    all.add(offset);
  constexpr InboxLayout inbox(3);
  for (const std::size_t offset :
       {inbox.news(1), inbox.claimed(1), inbox.channel(1), inbox.block(1, 1), inbox.size()})
    all.add(offset);
  for (const std::string_view name : count_names) all.add(name);
  return all.value();
}

}  // namespace

constinit const std::uint64_t memory_fingerprint = fingerprint_of_memory();

}  // namespace gondwana
