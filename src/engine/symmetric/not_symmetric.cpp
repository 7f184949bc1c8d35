#include "engine/symmetric/not_symmetric.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/address_kind.hpp"
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
      return ", and of variables only those of the executable are symmetric";
    case AddressKind::window_of_rank:
      return ": pass the address that this rank has for the object, and the rank";
    case AddressKind::null:
      return ": did shmem_malloc return it because the heap is full";
    default:
      return "";
  }
}

// Symmetric memory begins at `object`, and ends before `size`; 0: it does not begin there.
std::size_t symmetric_bytes(const SymmetricMemory& memory, const std::byte* object) {
  for (const MutableBytes range : {memory.heap(), memory.ranges().globals}) {
    const auto at = static_cast<std::size_t>(object - range.data());
    if (at < range.size()) return range.size() - at;
  }
  return 0;
}

}  // namespace

std::string why_not_symmetric(const SymmetricMemory& memory, const void* object) {
  const std::size_t fits = symmetric_bytes(memory, static_cast<const std::byte*>(object));
  if (fits > 0)
    return fmt::format("; {} of it are left from there on; {}", format_size(fits),
                       memory.describe());
  const AddressFacts facts = look_at_address(object);
  if (facts.what.empty()) return "; " + memory.describe();
  return fmt::format("; it is {}{}; {}", facts.what, cure_of(facts.kind), memory.describe());
}

}  // namespace gondwana
