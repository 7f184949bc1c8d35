#include "memory/owned_blocks.hpp"

#include "memory/death_list.hpp"

namespace gondwana {

std::uint64_t allocate_block(const NodeMemory& memory, Rank at, std::size_t size,
                             BlockOwner owner) {
  RemoteHeap heap = memory.remote_heap(at);
  const std::uint64_t block = heap.allocate(size, owner);
  if (block != 0) [[likely]]
    return block;
  const DeathList deaths(memory);
  const auto has_ended = [&deaths](BlockOwner of) {
    return deaths.has({index(rank_of(of)), incarnation_of(of)});
  };
  return heap.take_back(deaths.size(), has_ended) ? heap.allocate(size, owner) : 0;
}

}  // namespace gondwana
