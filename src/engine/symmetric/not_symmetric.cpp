#include "engine/symmetric/not_symmetric.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/address_kind.hpp"
#include "core/debug_hint.hpp"
#include "core/mapping.hpp"

namespace gondwana {
namespace {

std::string_view cure_of(AddressKind kind) {
  switch (kind) {
    case AddressKind::stack:
    case AddressKind::malloc_heap:
    case AddressKind::private_mapping:
    case AddressKind::thread_local_variable:
      return ": make it static, or allocate it by shmem_malloc";
    case AddressKind::constant:
      return ", which no rank can write: make it a static variable without const";
    case AddressKind::library_variable:
      return ", and only variables of the executable are symmetric";
    case AddressKind::window_of_rank:
      return ": pass this rank's address of the object, and the rank";
    case AddressKind::null:
      return ": did shmem_malloc return it because the heap is full";
    default:
      return "";
  }
}

// The bytes of symmetric memory from `object` on; 0: `object` is not in symmetric memory.
std::size_t symmetric_bytes(const SymmetricMemory& memory, const std::byte* object) {
  for (const MutableBytes range : {memory.heap(), memory.ranges().globals}) {
    const auto at = static_cast<std::size_t>(object - range.data());
    if (at < range.size()) return range.size() - at;
  }
  return 0;
}

// The usual cause is an index or offset that is too large. The message names the heap, which the
// program knows.
std::string past_heap(const SymmetricMemory& memory, const std::byte* object) {
  const std::byte* end = memory.heap().data() + memory.heap().size();
  return fmt::format("; it is {} past the end of the symmetric heap; {}{}",
                     format_size(static_cast<std::size_t>(object - end)), memory.describe(),
                     suggest_debug_of_size());
}

}  // namespace

std::string why_not_symmetric(const SymmetricMemory& memory, const void* object,
                              std::string_view device) {
  if (!device.empty())
    return fmt::format(
        "; it is memory of {}, which peers reach once all ranks have called shmemx_buffer_register",
        device);
  const auto* begin = static_cast<const std::byte*>(object);
  const std::size_t fits = symmetric_bytes(memory, begin);
  if (fits > 0)
    return fmt::format("; {} remain from there to its end; {}{}", format_size(fits),
                       memory.describe(), suggest_debug_of_size());
  const std::optional<Rank> rank = memory.rank_at(object);
  if (rank == memory.owner() && begin >= memory.heap().data()) return past_heap(memory, begin);
  const AddressFacts facts = find_address_facts(object);
  if (facts.what.empty()) return "; " + memory.describe();
  const std::string what =
      facts.kind == AddressKind::window_of_rank && rank
          ? fmt::format("memory of rank {}, as shmem_ptr returns it", index(*rank))
          : facts.what;
  return fmt::format("; it is {}{}; {}", what, cure_of(facts.kind), memory.describe());
}

}  // namespace gondwana
