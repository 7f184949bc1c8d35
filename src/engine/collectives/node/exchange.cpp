// Every member has a block for every other member.
//
// Every dest may be written as soon as the first member calls. Each member stores its blocks in the
// dests of the others. One synchronization then completes the exchange.
#include "engine/collectives/node/node_collectives.hpp"

namespace gondwana {

bool NodeCollectives::alltoall(Team& team, CallName call, void* dest, const void* source,
                               const Exchange& shape) {
  const auto [target_stride, source_stride] = shape.strides;
  const std::size_t block = shape.count * shape.width;
  auto* place =
      static_cast<std::byte*>(dest) + team.me * block * static_cast<std::size_t>(target_stride);
  for (std::uint32_t i = 0; i < team.size; ++i) {  // each member starts with a different one
    const std::uint32_t member = (team.me + i) % team.size;
    put_block(team.rank_of(member), place,
              static_cast<const std::byte*>(source) +
                  member * block * static_cast<std::size_t>(source_stride),
              shape);
  }
  sync(team, call);
  return true;
}

bool NodeCollectives::put_block(Rank to, void* dest, const void* source, const Exchange& shape) {
  if (shape.strides.target == 1 && shape.strides.source == 1)
    return with_.rma.put(with_.lane, to, dest, source, shape.count * shape.width);
  return with_.rma.put_strided(
      with_.lane, to, dest, source,
      {.width = shape.width, .size = shape.width, .count = shape.count, .strides = shape.strides});
}

}  // namespace gondwana
