// All-to-all in a group: every member fetches its block from every other member, each in a
// different order.
#include "engine/collectives/reference/algorithms.hpp"

namespace gondwana::reference {
namespace {

// The byte offset of a member's block.
std::ptrdiff_t block_offset(const Exchange& shape, std::ptrdiff_t stride, std::uint32_t member) {
  return static_cast<std::ptrdiff_t>(member * shape.count * shape.width) * stride;
}

}  // namespace

bool alltoall(Group& group, void* dest, const void* source, const Exchange& shape) {
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
