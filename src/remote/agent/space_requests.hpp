// How a node agent executes requests for spaces that are no arena: memory of devices of its ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "remote/protocol.hpp"
#include "spaces/any_memory.hpp"

namespace gondwana::remote {

class SpaceRequests {
 public:
  // Both must outlive it.
  SpaceRequests(const NodeMemory& memory, Kinds& kinds) : memory_(memory), any_(memory, kinds) {}
  SpaceRequests(const SpaceRequests&) = delete;
  SpaceRequests& operator=(const SpaceRequests&) = delete;
  ~SpaceRequests();

  // Ranks ask for this before they tell other ranks of a space.
  void follow();

  // Writes and updates; of a get it says whether it can be read. False: the request waits, and
  // `added` says how far it is. Another process updates the memory: of an accumulate, that many
  // bytes are done. A pass is under way, and has this number. `old`: of an atomic.
  Result<bool> execute(const ReceivedRequest& received, std::size_t& added, ResultWord& old);
  // What execute() has found to be there. Reads as zero if it is gone by now.
  void read(Space from, const Row& row, std::byte* message);

 private:
  Result<bool> put_rows(const ReceivedRequest& received);
  Result<bool> find_rows(const ReceivedRequest& received);
  Result<bool> add(const ReceivedRequest& received, std::size_t& added);
  Result<bool> pass(const ReceivedRequest& received, std::size_t& number);

  // Copies between a device and an arena.
  struct Passing {
    Kind* kind = nullptr;
    Completion done = {};
  };
  Result<void> begin(const ReceivedRequest& received, Passing& passing);

  void follow(Space space);

  const NodeMemory& memory_;
  AnyMemory any_;
  std::uint32_t asked_ = 0;
  std::map<std::size_t, Passing> passing_;  // by number, from 1 on
  std::size_t last_ = 0;
};

}  // namespace gondwana::remote
