// Executes a node agent's requests for spaces other than the arena: device memory of its ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "remote/protocol.hpp"
#include "spaces/any_memory.hpp"

namespace gondwana::remote {

class SpaceRequests {
 public:
  // Both arguments must outlive the object.
  SpaceRequests(const NodeMemory& memory, Kinds& kinds) : memory_(memory), any_(memory, kinds) {}
  SpaceRequests(const SpaceRequests&) = delete;
  SpaceRequests& operator=(const SpaceRequests&) = delete;
  ~SpaceRequests();

  // Ranks wait for this before they publish a space.
  void follow();

  // Writes and updates. For a get, only checks that the memory can be read. False: the request must
  // wait, and `added` holds its progress. For an accumulate, another process updates the memory,
  // and `added` counts the completed bytes. For a pass, the copy is in flight, and `added` is its
  // number. `old`: the result of an atomic.
  Result<bool> execute(const ReceivedRequest& received, std::size_t& added, ResultWord& old);
  // Abandons a pass in flight, because its sender is gone.
  void abandon(std::size_t number);
  // Copies that have begun, and are not known to be complete.
  std::size_t pending() const { return passing_.size() + abandoned_.size(); }
  // Reads memory that execute() has checked. Reads zeros if it is gone by now.
  void read(Space from, const PackedRun& run, std::byte* message);

 private:
  Result<bool> put_rows(const ReceivedRequest& received);
  Result<bool> find_rows(const ReceivedRequest& received);
  Result<bool> add(const ReceivedRequest& received, std::size_t& added);
  Result<bool> pass(const ReceivedRequest& received, std::size_t& number);

  // A copy between a device and an arena.
  struct Passing {
    Kind* kind = nullptr;
    Completion done = {};
  };
  Result<void> begin(const ReceivedRequest& received, Passing& passing);
  void forget_abandoned();

  void follow(Space space);

  const NodeMemory& memory_;
  AnyMemory any_;
  std::uint32_t asked_ = 0;
  std::map<std::size_t, Passing> passing_;    // by number, starting at 1
  std::map<std::size_t, Passing> abandoned_;  // by number, until they are complete
  std::size_t last_ = 0;
};

}  // namespace gondwana::remote
