// Blocks of memory at any rank, which that rank does not help to allocate or free: see RemoteHeap.
// A process of the rank's node changes the heap itself; another asks the agent of that node.
//
// A block has the same address on every rank as symmetric memory has: this rank's address of its
// offset, and the number of the rank. All operations of Rma accept it.
#pragma once

#include "core/result.hpp"
#include "engine/rma/lane.hpp"
#include "engine/rma/remote_access.hpp"
#include "engine/rma/rma.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

class RemoteBlocks {
 public:
  // `rma` outlives this object. `remote`: null in a job on one node.
  RemoteBlocks(const NodeMemory& memory, const Rma& rma, RemoteAccess* remote)
      : memory_(memory), rma_(rma), remote_(remote) {}

  // The offset of the block in the arena of the rank.
  Result<std::uint64_t> allocate(Lane& lane, Rank at, std::size_t size,
                                 BlockOwner owner = BlockOwner::none);
  // Operations of other lanes on the block must be complete.
  Result<void> release(Lane& lane, Remote block);

 private:
  Result<void> check(Rank rank) const;
  bool is_near(Rank rank) const { return rma_.reach().covers(rank) || rma_.late().reaches(rank); }

  const NodeMemory& memory_;
  const Rma& rma_;
  RemoteAccess* remote_;
};

}  // namespace gondwana
