// How a node agent executes requests for spaces that are no arena: memory of devices of its ranks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "remote/protocol.hpp"
#include "spaces/any_memory.hpp"

namespace gondwana::remote {

class SpaceRequests {
 public:
  // Both must outlive it.
  SpaceRequests(const NodeMemory& memory, Kinds& kinds) : memory_(memory), any_(memory, kinds) {}

  // Ranks ask for this before they tell other ranks of a space.
  void follow();

  // Writes and updates; of a get it says whether it can be read. False: another process updates the
  // memory, and the request waits: of an accumulate, `added` bytes are done. `old`: of an atomic.
  Result<bool> execute(const ReceivedRequest& received, std::size_t& added, ResultWord& old);
  // What execute() has found to be there. Reads as zero if it is gone by now.
  void read(Space from, const Row& row, std::byte* message);

 private:
  Result<bool> put_rows(const ReceivedRequest& received);
  Result<bool> find_rows(const ReceivedRequest& received);
  Result<bool> add(const ReceivedRequest& received, std::size_t& added);

  void follow(Space space);

  const NodeMemory& memory_;
  AnyMemory any_;
  std::uint32_t asked_ = 0;
};

}  // namespace gondwana::remote
