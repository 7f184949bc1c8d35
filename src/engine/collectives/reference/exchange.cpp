// All-to-all in a group: every member fetches its block from every other member. Not all fetch from
// the same member at once.
#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana::reference {
namespace {

// The byte offset of a member's block.
std::ptrdiff_t block_offset(const Exchange& shape, std::ptrdiff_t stride, std::uint32_t member) {
  return static_cast<std::ptrdiff_t>(member * shape.count * shape.width) * stride;
}

// Bytes from the first element of the first block through the last element of the last.
std::size_t span(const Group& group, const Exchange& shape, std::ptrdiff_t stride) {
  const std::size_t elements = times(shape.count, group.size());
  return elements == 0 ? 0 : extent_of(elements, stride, shape.width, shape.width).size;
}

}  // namespace

bool alltoall(Group& group, void* dest, const void* source, const Exchange& shape) {
  if (!group.are_symmetric("alltoall", dest, span(group, shape, shape.strides.target), source,
                           span(group, shape, shape.strides.source)))
    return false;
  group.barrier();
  const auto* wanted =
      static_cast<const std::byte*>(source) + block_offset(shape, shape.strides.source, group.me());
  for (std::uint32_t distance = 0; distance < group.size(); ++distance) {
    const std::uint32_t member = group.right(distance);
    std::byte* block =
        static_cast<std::byte*>(dest) + block_offset(shape, shape.strides.target, member);
    group.get_strided(member, block, wanted, shape);
  }
  group.barrier();
  return group.well();
}

}  // namespace gondwana::reference
